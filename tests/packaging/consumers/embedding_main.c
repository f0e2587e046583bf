/* SPDX-License-Identifier: MIT
 *
 * The blocks of docs/embedding.md as one program; the test writes them into embedding_blocks.h.
 */
#include "embedding_prelude.h"

#include "embedding_blocks.h"

static void expect(int holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "does not hold: %s\n", what);
    exit(1);
}

static void loops(ptc_host *host)
{
    struct ptc_error error = PTC_ERROR_INIT;
    ptc_run_handle *run = start(host, "print('first')", &error);
    int fds[2];

    expect(run && pipe(fds) == 0, "a run starts");
    while (!finish(run))
        turn(host, fds[0]);
    expect(strcmp(shown, "first\n") == 0, "a run in a loop of one's own ends");
    run = start(host, "import time; print('second'); time.sleep(0.05)", &error);
    expect(run && write(fds[1], "x", 1) == 1, "a byte of one's own");
    turn(host, fds[0]);
    while (!finish(run))
        frame(host);
    expect(strcmp(shown, "second\n") == 0 && frames > 1, "a run in a game ends");
    close(fds[0]);
    close(fds[1]);
}

static void tools_and_policy(ptc_host *host, struct world *world, pthread_t *thread)
{
    struct ptc_error error = PTC_ERROR_INIT;
    struct ptc_run_options options = PTC_RUN_OPTIONS_INIT;
    ptc_run_handle *run;

    options.code = "from hermes_tools import query, score, terminal\n"
                   "print(score()['points'], query(), terminal('true')['error'])\n";
    prepare(&options, world);
    run = ptc_run_start(host, &options, &error);
    expect(run != NULL, error.message);
    while (!ptc_run_result(run)) {
        frame(host);
        if (world->question)
            button(world, 0);
    }
    pthread_join(*thread, NULL);
    expect(strcmp(ptc_result_output(ptc_run_result(run), NULL),
                  "7 {'asked': {}} terminal was denied: the player said no\n") == 0,
           ptc_result_output(ptc_run_result(run), NULL));
    expect(world->calls == 2 && world->ended == 1, "events of two calls and of one end");
    ptc_run_free(run);
}

static void sessions(ptc_host *host)
{
    struct ptc_error error = PTC_ERROR_INIT;
    ptc_result *result = in_session(host, "lesson", "open('kept', 'w').write('yes')", &error);

    expect(result != NULL, error.message);
    ptc_result_free(result);
    result = in_session(host, "lesson", "print(open('kept').read())", &error);
    expect(result && strcmp(ptc_result_output(result, NULL), "yes\n") == 0, "a session lasts");
    ptc_result_free(result);
}

int main(void)
{
    struct ptc_error error = PTC_ERROR_INIT;
    struct ptc_host_options options = PTC_HOST_OPTIONS_INIT;
    struct world world = {.points = 7};
    pthread_t thread;
    ptc_host *host;

    options.sessions_dir = "sessions";
    host = ptc_host_new(&options, &error);
    expect(host && add_tools(host, &world, &thread, &error) == PTC_OK, error.message);
    loops(host);
    tools_and_policy(host, &world, &thread);
    sessions(host);
    ptc_host_free(host);
    return 0;
}
