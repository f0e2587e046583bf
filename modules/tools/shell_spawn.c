/* SPDX-License-Identifier: MIT
 *
 * posix_spawn (a vfork: this process has threads) of bash with a one-line wrapper around the
 * command. The wrapper writes the record to fd 3 when the shell ends; while the command runs fd 3
 * is closed by a redirection, whose saved copy bash keeps close-on-exec, so that no program that
 * the command starts has it.
 */
#include "tools/shell_spawn.h"

#include "base/fd.h"
#include "base/str.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>

#define RECORD_FD   3
#define CHUNK_BYTES (100u * 1024u) /* the kernel takes 128 KiB in one argument */
#define CHUNKS_MAX  24

/* Runs as the EXIT trap (the command may call exit) and after a command that came to its end (it
 * may have set an EXIT trap of its own). Traces and traps of the command must not see it. Nothing
 * here forks, so it works at the process limit too. */
#define SAVE_CODE                                                                                  \
    "{ __ptc_status=$?; builtin set +xvu; builtin trap - DEBUG ERR; } >/dev/null 2>&1; "           \
    "builtin [ \"${__ptc_saved-}\" ] || { __ptc_saved=1; builtin printf '%s\\0' \"$PWD\"; "        \
    "builtin export -p; builtin printf '\\0'; builtin declare -fp; builtin printf '\\0'; "         \
    "builtin alias -p; builtin printf '\\0.\\0'; } 2>/dev/null >&3"

/* One line, so that error messages count the command's lines from 1. The shell's arguments are the
 * save code, the prologue, the command in pieces. */
static const char wrapper[] =
    "builtin trap -- \"$1\" EXIT; builtin shopt -s expand_aliases; "
    "builtin eval \"$2\" 2>/dev/null; builtin shift 2; "
    "builtin printf -v __ptc_command %s \"$@\"; builtin set --; "
    "builtin eval \"$__ptc_command\" 3>&-; " SAVE_CODE "; builtin exit \"$__ptc_status\"";

struct pipe_ends {
    int read, write;
};

static int pipe_open(struct pipe_ends *ret_ends)
{
    int fds[2];

    if (pipe2(fds, O_CLOEXEC) < 0) {
        return -errno;
    }
    ret_ends->read = fds[0];
    ret_ends->write = fds[1];
    return fd_set_nonblocking(fds[0]);
}

static void pipe_close(struct pipe_ends *ends)
{
    fd_close(ends->read);
    fd_close(ends->write);
}

#define _cleanup_pipe_ __attribute__((cleanup(pipe_close)))
#define PIPE_INIT                                                                                  \
    {                                                                                              \
        -1, -1                                                                                     \
    }

/* Everything default and unblocked, whatever this process has set for itself. */
static int spawn_attributes(posix_spawnattr_t *attributes)
{
    sigset_t all, none;
    int r = posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF |
                                                     POSIX_SPAWN_SETSIGMASK);

    sigfillset(&all);
    sigemptyset(&none);
    if (r == 0) {
        r = posix_spawnattr_setsigdefault(attributes, &all);
    }
    if (r == 0) {
        r = posix_spawnattr_setsigmask(attributes, &none);
    }
    return r == 0 ? posix_spawnattr_setpgroup(attributes, 0) : r;
}

/* Order matters: the pipe ends may have any number from 3 up, so fd 3 is overwritten last. */
static int spawn_actions(posix_spawn_file_actions_t *actions, int directory_fd, int output_fd,
                         int stderr_fd, int record_fd)
{
    int r = posix_spawn_file_actions_addopen(actions, 0, "/dev/null", O_RDONLY, 0);

    if (r == 0) {
        r = posix_spawn_file_actions_adddup2(actions, output_fd, 1);
    }
    if (r == 0) {
        r = posix_spawn_file_actions_adddup2(actions, stderr_fd, 2);
    }
    if (r == 0) {
        r = posix_spawn_file_actions_addfchdir_np(actions, directory_fd);
    }
    if (r == 0) {
        r = posix_spawn_file_actions_adddup2(actions, record_fd, RECORD_FD);
    }
    return r == 0 ? posix_spawn_file_actions_addclosefrom_np(actions, RECORD_FD + 1) : r;
}

/* The command in pieces that execve takes. */
static int command_pieces(const char *command, char *pieces[CHUNKS_MAX + 1])
{
    size_t left = strlen(command);

    memset(pieces, 0, (CHUNKS_MAX + 1) * sizeof(*pieces));
    for (int i = 0; left > 0; i++) {
        size_t n = left < CHUNK_BYTES ? left : CHUNK_BYTES;
        if (i == CHUNKS_MAX) {
            return -E2BIG;
        }
        pieces[i] = strndup(command, n);
        if (pieces[i] == NULL) {
            return -ENOMEM;
        }
        command += n;
        left -= n;
    }
    return 0;
}

static void pieces_free(char *(*pieces)[CHUNKS_MAX + 1])
{
    for (int i = 0; i < CHUNKS_MAX; i++) {
        free((*pieces)[i]);
    }
}

static int spawn_with(const struct shell_request *request, char *const *envp,
                      posix_spawn_file_actions_t *actions, posix_spawnattr_t *attributes,
                      pid_t *ret_pid)
{
    char *pieces[CHUNKS_MAX + 1] __attribute__((cleanup(pieces_free))) = {NULL};
    char *argv[8 + CHUNKS_MAX + 1] = {
        (char *)"bash",  (char *)"--noprofile", (char *)"--norc",  (char *)"-c",
        (char *)wrapper, (char *)"bash",        (char *)SAVE_CODE, request->snapshot->prologue,
    };
    int r = command_pieces(request->command, pieces);

    if (r < 0) {
        return r;
    }
    memcpy(argv + 8, pieces, sizeof(pieces));
    return -posix_spawn(ret_pid, request->shell, actions, attributes, argv, envp);
}

/* Environment, attributes and actions put together. */
static int spawn_prepared(const struct shell_request *request, int output_fd, int stderr_fd,
                          int record_fd, pid_t *ret_pid)
{
    struct env_list env __attribute__((cleanup(env_list_deinit))) = {0};
    _cleanup_free_ char *pwd = str_format("PWD=%s", request->directory);
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    int r = env_list_copy(&request->snapshot->env, &env);

    if (r == 0) {
        r = pwd != NULL ? env_list_set(&env, pwd) : -ENOMEM;
    }
    if (r < 0 || (r = -posix_spawn_file_actions_init(&actions)) < 0) {
        return r;
    }
    r = -posix_spawnattr_init(&attributes);
    if (r == 0) {
        r = -spawn_attributes(&attributes);
        if (r == 0) {
            r = -spawn_actions(&actions, request->directory_fd, output_fd, stderr_fd, record_fd);
        }
        if (r == 0) {
            r = spawn_with(request, env.items, &actions, &attributes, ret_pid);
        }
        posix_spawnattr_destroy(&attributes);
    }
    posix_spawn_file_actions_destroy(&actions);
    return r;
}

int shell_spawn(const struct shell_request *request, struct shell_process *ret_process)
{
    _cleanup_pipe_ struct pipe_ends output = PIPE_INIT;
    _cleanup_pipe_ struct pipe_ends errors = PIPE_INIT;
    _cleanup_pipe_ struct pipe_ends record = PIPE_INIT;
    pid_t pid = -1;
    int r = pipe_open(&output);

    if (r == 0 && !request->merge_stderr) {
        r = pipe_open(&errors);
    }
    if (r == 0) {
        r = pipe_open(&record);
    }
    if (r == 0) {
        r = spawn_prepared(request, output.write,
                           request->merge_stderr ? output.write : errors.write, record.write, &pid);
    }
    if (r < 0) {
        return r;
    }
    *ret_process = (struct shell_process){
        .pid = pid,
        .pidfd = fd_pidfd_open(pid),
        .output_fd = fd_steal(&output.read),
        .stderr_fd = fd_steal(&errors.read),
        .record_fd = fd_steal(&record.read),
    };
    return 0;
}
