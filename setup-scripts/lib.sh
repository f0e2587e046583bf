# SPDX-License-Identifier: MIT
# Shared by the scripts of this folder and .ci/run: sourced, never run. Everything that is said goes
# to stderr, so that a script's own stdout stays clean.
set -euo pipefail

PTC_ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
PTC_BUILD_DIR=${PTC_BUILD_DIR:-$PTC_ROOT/build}

say() {
    printf 'ptc-host setup: %s\n' "$*" >&2
}

die() {
    say "$*"
    exit 1
}

# The packages named in a list file, one a line.
packages_in() {
    sed -e 's/#.*//' -e '/^[[:space:]]*$/d' "$PTC_ROOT/setup-scripts/packages-$1.txt"
}

# Those of the given packages that dpkg does not know as installed.
packages_missing() {
    local package installed
    installed=$(dpkg-query -W -f '${Package} ${db:Status-Status}\n' "$@" 2>/dev/null |
        sed -n 's/ installed$//p' || true)
    for package in "$@"; do
        grep -qxF -- "$package" <<<"$installed" || echo "$package"
    done
}

as_root() {
    if [ "$(id -u)" -eq 0 ]; then
        "$@"
    elif command -v sudo >/dev/null; then
        sudo "$@"
    else
        return 126
    fi
}

# Without dpkg nothing can be installed here, but everything may already be there: ask the tools.
check_without_dpkg() {
    local tool module lacking=()
    for tool in cc cmake ninja pkg-config python3.11; do
        command -v "$tool" >/dev/null || lacking+=("$tool")
    done
    if command -v pkg-config >/dev/null; then
        for module in jansson python-3.11-embed; do
            pkg-config --exists "$module" || lacking+=("pkg-config module $module")
        done
    fi
    [ ${#lacking[@]} -eq 0 ] && return 0
    say "this is not a Debian system; please install these first:"
    printf '    %s\n' "${lacking[@]}" >&2
    say "Debian 12 has them in:" "$@"
    exit 1
}

# Installs what is missing of the lists ("build", "test"). Does nothing, fast, when all is there.
ensure_packages() {
    local list wanted=() missing=() log
    for list in "$@"; do
        [ -r "$PTC_ROOT/setup-scripts/packages-$list.txt" ] || die "there is no list of packages '$list'"
        mapfile -t -O ${#wanted[@]} wanted < <(packages_in "$list")
    done
    if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
        check_without_dpkg "${wanted[@]}"
        return
    fi
    mapfile -t missing < <(packages_missing "${wanted[@]}")
    [ ${#missing[@]} -eq 0 ] && return 0
    if [ "$(id -u)" -ne 0 ] && ! command -v sudo >/dev/null; then
        die "as root, please run: apt-get install --no-install-recommends ${missing[*]}"
    fi
    say "installing ${missing[*]}"
    log=$(mktemp)
    # A failing update is not final: the lists on disk may be good enough.
    as_root apt-get -q -o DPkg::Lock::Timeout=300 -o Acquire::Retries=3 update >"$log" 2>&1 || true
    if ! as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o DPkg::Lock::Timeout=300 \
        -o Acquire::Retries=3 install --no-install-recommends "${missing[@]}" >>"$log" 2>&1; then
        tail -n 30 "$log" >&2
        rm -f "$log"
        die "apt-get could not install these packages (needed: Debian 12): ${missing[*]}"
    fi
    rm -f "$log"
}

# Runs a command quietly; shows what it said only when it fails.
run_quietly() {
    local what=$1 log status=0
    shift
    log=$(mktemp)
    "$@" >"$log" 2>&1 || status=$?
    if [ $status -ne 0 ]; then
        tail -n 100 "$log" >&2
        rm -f "$log"
        die "$what failed"
    fi
    rm -f "$log"
}

# One builder at a time: two terminals that start scripts must not build into each other.
lock_build_dir() {
    mkdir -p "$1" 2>/dev/null || die "cannot write $1 (PTC_BUILD_DIR names another place)"
    [ -w "$1" ] || die "cannot write $1 (PTC_BUILD_DIR names another place)"
    exec 9>"$1/.setup-lock"
    flock 9
}

unlock_build_dir() {
    exec 9>&-
}

# configure_tree DIR CMAKE_ARGS...: gcc and Ninja unless the caller's environment says otherwise.
configure_tree() {
    local dir=$1
    shift
    run_quietly "configuring $dir" cmake -S "$PTC_ROOT" -B "$dir" -G Ninja \
        -DCMAKE_BUILD_TYPE="${PTC_BUILD_TYPE:-RelWithDebInfo}" "$@"
}

# build_tree DIR TARGETS...: the number of jobs is ninja's choice unless PTC_JOBS is set.
build_tree() {
    local dir=$1 jobs=()
    shift
    [ -n "${PTC_JOBS:-}" ] && jobs=(-j "$PTC_JOBS")
    run_quietly "building in $dir" ninja -C "$dir" "${jobs[@]}" "$@"
}
