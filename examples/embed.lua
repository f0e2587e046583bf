-- SPDX-License-Identifier: MIT
--
-- ptc-host from LuaJIT, with nothing but its ffi library: a script in the background of a loop of
-- your own, its output as events, and a tool that is a Lua function.
--
--     luajit embed.lua [PATH OF libptchost.so.0]
local ffi = require("ffi")

-- From ptc_host.h, only what is used here.
ffi.cdef [[
typedef struct ptc_host ptc_host;
typedef struct ptc_settings ptc_settings;
typedef struct ptc_run_handle ptc_run_handle;
typedef struct ptc_result ptc_result;
typedef struct ptc_call ptc_call;
struct ptc_error { size_t struct_size; int code, system_errno; char message[1024]; };
struct ptc_event {
    size_t struct_size; int type; ptc_run_handle *run; int stream, ok;
    uint64_t call, duration_us; const char *tool, *data; size_t length;
};
typedef void (*ptc_event_fn)(void *user, const struct ptc_event *event);
typedef void (*ptc_tool_fn)(ptc_call *call, void *user);
struct ptc_run_options {
    size_t struct_size; const char *code; size_t code_length; const char *path;
    const char *const *argv; size_t argc; const char *argv0; const ptc_settings *settings;
    void *output, *user; ptc_event_fn event; void *policy; int workspace_fd;
    const char *tool, *tool_args_json;
};
ptc_host *ptc_host_new(const void *options, struct ptc_error *error);
void ptc_host_free(ptc_host *host);
int ptc_host_add_tool(ptc_host *host, const char *spec, ptc_tool_fn fn, void *user,
                      void (*destroy)(void *), struct ptc_error *error);
const char *ptc_call_args_json(const ptc_call *call, size_t *length);
int ptc_call_reply(ptc_call *call, const char *json, size_t length);
ptc_run_handle *ptc_run_start(ptc_host *host, const struct ptc_run_options *options,
                              struct ptc_error *error);
const ptc_result *ptc_run_result(const ptc_run_handle *run);
void ptc_run_free(ptc_run_handle *run);
int ptc_host_fd(const ptc_host *host);
int ptc_host_timeout_ms(const ptc_host *host);
int ptc_host_dispatch(ptc_host *host, uint64_t budget_us);
const char *ptc_result_status(const ptc_result *result);
const char *ptc_result_json(const ptc_result *result, size_t *length);
struct pollfd { int fd; short events, revents; };
int poll(struct pollfd *fds, unsigned long count, int timeout);
]]

local ptc = ffi.load(arg[1] or "libptchost.so.0")
local failure = ffi.new("struct ptc_error", {ffi.sizeof("struct ptc_error")})
local OUTPUT = 1 -- PTC_EVENT_OUTPUT

-- Callbacks come from inside these functions, so LuaJIT must not compile calls of them.
local function dispatch(host) return ptc.ptc_host_dispatch(host, 0) end
jit.off(dispatch)

-- Callbacks are kept in variables: what the garbage collector takes away cannot be called.
local greet = ffi.cast("ptc_tool_fn", function(call)
    local length = ffi.new("size_t[1]")
    local args = ffi.string(ptc.ptc_call_args_json(call, length), length[0])
    local answer = ('{"text": "hello %s, says Lua"}'):format(args:match('"name":"([^"]*)"'))
    ptc.ptc_call_reply(call, answer, #answer)
end)
local on_event = ffi.cast("ptc_event_fn", function(_, event)
    if event.type == OUTPUT then io.write(ffi.string(event.data, event.length)) end
end)

local host = ptc.ptc_host_new(nil, failure)
if host == nil then error(ffi.string(failure.message)) end
local spec = [[{"name": "greet", "description": "Greets somebody.", "parameters":
    {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}}]]
if ptc.ptc_host_add_tool(host, spec, greet, nil, nil, failure) ~= 0 then
    error(ffi.string(failure.message))
end

local code = [[
from hermes_tools import greet
for name in ("one", "two"): print(greet(name)['text'])
]]
local options = ffi.new("struct ptc_run_options", {
    struct_size = ffi.sizeof("struct ptc_run_options"),
    code = code, event = on_event, workspace_fd = -1,
})
local run = ptc.ptc_run_start(host, options, failure)
if run == nil then error(ffi.string(failure.message)) end

local fds = ffi.new("struct pollfd[1]", {{ptc.ptc_host_fd(host), 1, 0}}) -- 1: POLLIN
while ptc.ptc_run_result(run) == nil do
    ffi.C.poll(fds, 1, ptc.ptc_host_timeout_ms(host))
    dispatch(host)
end
local status = ffi.string(ptc.ptc_result_status(ptc.ptc_run_result(run)))
print("status: " .. status)
ptc.ptc_run_free(run)
ptc.ptc_host_free(host)
os.exit(status == "success" and 0 or 1)
