// SPDX-License-Identifier: MIT
//
// hello.c as C++17 writes it: owners are objects, a tool's state is one too.
#include <ptc_host.h>

#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>

template <auto Free>
struct Deleter {
    template <typename T>
    void operator()(T *object) const
    {
        Free(object);
    }
};
using Host = std::unique_ptr<ptc_host, Deleter<ptc_host_free>>;
using Result = std::unique_ptr<ptc_result, Deleter<ptc_result_free>>;
using Settings = std::unique_ptr<ptc_settings, Deleter<ptc_settings_free>>;

namespace {

struct Greeter {
    std::string word;
    int calls = 0;
};

void greet(ptc_call *call, void *user)
{
    auto *greeter = static_cast<Greeter *>(user);
    const std::string answer = '"' + greeter->word + '"';

    greeter->calls++;
    ptc_call_reply(call, answer.data(), answer.size());
}

void check(int code, const ptc_error &error)
{
    if (code < 0)
        throw std::runtime_error(error.message);
}

void run()
{
    ptc_error error = PTC_ERROR_INIT;
    ptc_host_options host_options = PTC_HOST_OPTIONS_INIT;
    ptc_run_options options = PTC_RUN_OPTIONS_INIT;
    Greeter greeter{"hello"};
    Settings settings{ptc_settings_new(&error)};

    check(ptc_settings_set(settings.get(), "timeout", "30", &error), error);
    host_options.settings = settings.get();
    Host host{ptc_host_new(&host_options, &error)};
    if (!host)
        throw std::runtime_error(error.message);
    check(ptc_host_add_tool(host.get(),
                            R"({"name": "greet", "description": "Greets.",
                                "parameters": {"type": "object", "properties": {}}})",
                            greet, &greeter, nullptr, &error),
          error);
    options.code = "import os\n"
                   "from hermes_tools import greet\n"
                   "print(greet()['result'], os.readlink('/proc/self/exe'))\n";
    Result result{ptc_run(host.get(), &options, &error)};
    if (!result || greeter.calls != 1)
        throw std::runtime_error(error.message);
    std::size_t length = 0;
    const char *output = ptc_result_output(result.get(), &length);
    std::cout << std::string(output, length);
}

} // namespace

int main()
{
    try {
        run();
    } catch (const std::exception &problem) {
        std::cerr << problem.what() << '\n';
        return 1;
    }
    return 0;
}
