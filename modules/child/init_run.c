/* SPDX-License-Identifier: MIT
 *
 * From BIND to GO: the walls of one run.
 */
#include "child/init_private.h"

#include "base/buf.h"
#include "base/err.h"
#include "base/fd.h"
#include "child/session.h"
#include "wire/control.h"
#include "wire/layers.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The run's private directory where /tmp is its own; the zygote's environment has it as HOME. */
#define RUN_HOME           "/tmp/home"
#define RUN_HOME_ELSEWHERE "/dev/shm/home"

/* Threads and commands of the tools process are counted with the script's processes: the kernel
 * knows only the user. */
#define PROCESSES_BUSY_TOOLS 16
#define PROCESSES_FOR_TOOLS  64

/* The host's BIND. Waiting ends with the host. */
static int bind_receive(struct init *init, struct err *err)
{
    struct control_message message;
    int r = control_receive(init->config->host_fd, 0, &message);

    if (r <= 0)
        return r == 0 ? -ECONNRESET : r;
    if (message.packet.type != CONTROL_BIND || message.fd_count != 1) {
        control_close_fds(&message);
        return -EPROTO;
    }
    r = run_setup_read(&init->setup, message.fds[0], err);
    control_close_fds(&message);
    return r;
}

/* A workspace that is /tmp itself, or lies where the home would be, is the user's own: nothing of ours
 * may be left in it. */
static bool home_is_taken(const char *workspace)
{
    static const char home[] = RUN_HOME;
    size_t length = sizeof home - 1;

    return strcmp(workspace, "/tmp") == 0 ||
           (strncmp(workspace, home, length) == 0 &&
            (workspace[length] == '/' || workspace[length] == '\0'));
}

static int home_make(struct init *init)
{
    bool taken = init->setup.workspace && home_is_taken(init->setup.workspace);

    if (taken && access("/dev/shm", F_OK) < 0) /* no other private place: one that can be told */
        return scratch_make(init->scratch, sizeof init->scratch);
    snprintf(init->scratch, sizeof init->scratch, taken ? RUN_HOME_ELSEWHERE : RUN_HOME);
    return mkdir(init->scratch, 0700) < 0 ? -errno : 0;
}

static int files_apply(struct init *init)
{
    struct mounts mounts = {
        .workspace = init->setup.workspace,
        .workspace_device = init->setup.workspace_device,
        .workspace_inode = init->setup.workspace_inode,
        .tmp_bytes = init->setup.tmp_bytes,
        .tmp_inodes = init->setup.tmp_inodes,
    };
    int r;

    if (init->config->namespaces & LAYER_MOUNT_NS) {
        r = mounts_apply(&mounts, &init->layers, &init->workspace_fd);
        if (r < 0)
            return r;
        return home_make(init);
    }
    init->workspace_fd = open(mounts.workspace, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (init->workspace_fd < 0)
        return -errno;
    return scratch_make(init->scratch, sizeof init->scratch);
}

/* For the tools process; the script gets the same with GO. */
static int environment_apply(const struct init *init)
{
    const struct run_setup *setup = &init->setup;
    if (strcmp(init->scratch, RUN_HOME) != 0 &&
        (setenv("HOME", init->scratch, 1) < 0 || setenv("TMPDIR", init->scratch, 1) < 0))
        return -ENOMEM;
    for (size_t i = 0; i < setup->env_count; i++)
        if (putenv((char *)setup->env[i]) != 0) /* lives in setup.json until the process ends */
            return -ENOMEM;
    return 0;
}

static struct rlimits limits_of(const struct init *init)
{
    struct rlimits limits = init->setup.limits;

    /* Outside a user namespace of its own this limit counts every process of the user. */
    if (!(init->layers & LAYER_USER_NS))
        limits.processes = 0;
    else if (limits.processes)
        limits.processes += 2 + PROCESSES_BUSY_TOOLS; /* init, the tools process, its threads */
    return limits;
}

int init_prepare_run(struct init *init, struct err *err)
{
    int r = bind_receive(init, err);

    if (r == 0)
        r = files_apply(init);
    if (r == 0)
        r = environment_apply(init);
    if (r == 0) {
        struct rlimits limits = limits_of(init);

        /* The tools' own threads and commands must start when the script has used up its share. */
        if (limits.processes)
            limits.processes += PROCESSES_FOR_TOOLS;
        r = rlimits_apply(&limits, &init->layers);
    }
    return r;
}

/* What the zygote's environment has differently. */
static int go_env(const struct init *init, struct buf *env)
{
    const struct run_setup *setup = &init->setup;
    int r = 0;

    if (strcmp(init->scratch, RUN_HOME) != 0)
        r = buf_append_format(env, "HOME=%s%cTMPDIR=%s%c", init->scratch, 0, init->scratch, 0);
    for (size_t i = 0; r == 0 && i < setup->env_count; i++)
        r = buf_append(env, setup->env[i], strlen(setup->env[i]) + 1);
    return r;
}

int init_send_go(struct init *init)
{
    const struct init_config *config = init->config;
    _cleanup_fd_ int scratch_fd = open(init->scratch, O_PATH | O_DIRECTORY | O_CLOEXEC);
    int cwd_fd = init->setup.scratch_cwd ? scratch_fd : init->workspace_fd;
    int fds[GO_FDS] = {config->call_fd, config->out_fd, config->err_fd, cwd_fd};
    struct go go = {.limits = limits_of(init)};
    _cleanup_buf_ struct buf packet = BUF_INIT(GO_BYTES_MAX);
    int r;

    if (config->no_script)
        return 0;
    r = buf_append(&packet, &go, sizeof go);
    if (r == 0)
        r = go_env(init, &packet);
    if (r < 0)
        return r;
    go.env_bytes = (uint32_t)(packet.length - sizeof go);
    memcpy(packet.data, &go, sizeof go);
    r = fd_send_packet(init->go_fd, packet.data, packet.length, fds, GO_FDS);
    init->go_fd = fd_close(init->go_fd);
    close(config->call_fd);
    close(config->out_fd);
    close(config->err_fd);
    return r;
}
