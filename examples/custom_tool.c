/* SPDX-License-Identifier: MIT
 *
 * Tools of your own: one that answers at once, one that is answered later from another thread, and a
 * policy that lets reading pass, asks a person about spending, and denies the rest.
 */
#include <ptc_host.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const PRICE_SPEC =
    "{\"name\": \"price\", \"description\": \"Price of an item in cents.\","
    " \"flags\": [\"read_only\", \"parallel_safe\"], \"parameters\": {\"type\": \"object\","
    " \"properties\": {\"item\": {\"type\": \"string\"}}, \"required\": [\"item\"]}}";

static const char *const BUY_SPEC =
    "{\"name\": \"buy\", \"description\": \"Buys an item; takes a moment.\","
    " \"flags\": [\"needs_approval\"], \"parameters\": {\"type\": \"object\", \"properties\":"
    " {\"item\": {\"type\": \"string\"}, \"count\": {\"type\": \"integer\", \"default\": 1}},"
    " \"required\": [\"item\"]}}";

static const char *const SCRIPT = "from hermes_tools import price, buy, terminal\n"
                                  "items = ['lamp', 'rope', 'sword']\n"
                                  "cheapest = min(items, key=lambda item: price(item)['cents'])\n"
                                  "print('cheapest:', cheapest)\n"
                                  "print('bought:', buy(cheapest, count=2))\n"
                                  "print('terminal:', terminal('rm -rf /')['error'])\n";

/* The arguments were checked against the spec: a JSON object with a string "item". A program with a
 * JSON library would parse it; here three items can be told apart by looking. */
static void price(ptc_call *call, void *user)
{
    const char *args = ptc_call_args_json(call, NULL);
    char answer[64];
    int length;

    (void)user;
    length = snprintf(answer, sizeof answer, "{\"cents\": %d}",
                      strstr(args, "\"rope\"")   ? 250
                      : strstr(args, "\"lamp\"") ? 900
                                                 : 12000);
    ptc_call_reply(call, answer, (size_t)length);
}

/* From here on the call belongs to this thread, which answers exactly once. */
static void *deliver(void *call)
{
    char answer[256];
    int length;

    usleep(50000); /* a network, a database, a game server */
    length = snprintf(answer, sizeof answer, "{\"order\": %s}", ptc_call_args_json(call, NULL));
    ptc_call_reply(call, answer, (size_t)length);
    return NULL;
}

static void buy(ptc_call *call, void *user)
{
    static const char failure[] = "{\"error\": \"the shop is closed\"}";
    pthread_t *thread = user;

    if (pthread_create(thread, NULL, deliver, call) != 0)
        ptc_call_reply(call, failure, strlen(failure));
}

/* The person; here one who thinks for a while and agrees. The run is frozen meanwhile. */
static void *person(void *call)
{
    usleep(100000);
    fprintf(stderr, "allowed: %s(%s)\n", ptc_call_tool(call), ptc_call_args_json(call, NULL));
    ptc_call_decide(call, PTC_ALLOW, NULL);
    return NULL;
}

static int policy(ptc_call *call, void *user)
{
    pthread_t *thread = user;

    if (strcmp(ptc_call_tool(call), "price") == 0)
        return PTC_ALLOW;
    if (strcmp(ptc_call_tool(call), "buy") == 0 && pthread_create(thread, NULL, person, call) == 0)
        return PTC_ASK;
    return PTC_DENY;
}

int main(void)
{
    struct ptc_error error = PTC_ERROR_INIT;
    struct ptc_run_options options = PTC_RUN_OPTIONS_INIT;
    pthread_t delivery, asked;
    ptc_host *host = ptc_host_new(NULL, &error);
    ptc_result *result = NULL;
    int failed = 1;

    options.code = SCRIPT;
    options.policy = policy;
    options.user = &asked;
    if (host && ptc_host_add_tool(host, PRICE_SPEC, price, NULL, NULL, &error) == 0 &&
        ptc_host_add_tool(host, BUY_SPEC, buy, &delivery, NULL, &error) == 0)
        result = ptc_run(host, &options, &error);
    if (result) {
        failed = strcmp(ptc_result_status(result), "success") != 0;
        fputs(ptc_result_output(result, NULL), stdout);
        if (!failed) { /* both threads were started: a script that ended well got its answers */
            pthread_join(asked, NULL);
            pthread_join(delivery, NULL);
        }
    } else {
        fprintf(stderr, "%s\n", error.message);
    }
    ptc_result_free(result);
    ptc_host_free(host);
    return failed;
}
