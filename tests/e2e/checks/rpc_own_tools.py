# SPDX-License-Identifier: MIT
"""ptc-host rpc: tools of the client: answers late and out of order, errors, large values, gone runs."""
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from harness import expect, main_of_check  # noqa: E402
from rpc_service import Service  # noqa: E402

SCHEMA = {"type": "object", "properties": {"key": {"type": "string"},
                                           "times": {"type": "integer", "default": 2}},
          "required": ["key"]}


def register(service, name, flags=()):
    number = service.request("register_tool", name=name, description="For tests.",
                             parameters=SCHEMA, flags=list(flags))
    expect(service.result(number) is True, f"register_tool {name}")


def check_out_of_order(service):
    """Eight threads of one script and two other scripts ask; the answers come backwards."""
    code = """
import sys
from concurrent.futures import ThreadPoolExecutor
from hermes_tools import side
names = [f'{sys.argv[1]}{i}' for i in range(8)]
with ThreadPoolExecutor(8) as pool:
    print([answer['of'] for answer in pool.map(side, names)] == names)
"""
    ids = [service.request("run", code=code, args=[letter]) for letter in "abc"]
    calls = [service.of_type("call") for _ in range(24)]
    expect({call["run"] for call in calls} == set(ids), "calls of every run")
    expect(len({call["call"] for call in calls}) == 24, "each call has a number of its own")
    expect(all(call["args"]["times"] == 2 for call in calls), "defaults are filled in")
    for call in reversed(calls):
        service.send(method="reply", call=call["call"], result={"of": call["args"]["key"]})
    for number in ids:
        result = service.result(number)
        expect(result["output"] == "True\n", f"answers were mixed up: {result}")


def one_call(service, answer, code="print(alone('k'))", **options):
    number = service.request("run", code=f"from hermes_tools import *\n{code}", **options)
    call = service.of_type("call")
    service.send(method="reply", call=call["call"], **answer)
    return service.result(number)


def check_values(service):
    for value in (None, True, 1.5, "täxt\n", [1, [2]], 2 ** 53):
        result = one_call(service, {"result": value}, "print(alone('k')['result'])")
        expect(result["output"] == f"{value}\n", f"{value!r}: {result}")
    result = one_call(service, {"result": {"a": "\0\u2028"}}, "print(ascii(alone('k')))")
    expect(result["output"] == "{'a': '\\x00\\u2028'}\n", f"{result['output']}")
    result = one_call(service, {"error": "no 'such' \"key\""})
    expect("ToolError: no 'such' \"key\"" in result["error"], f"{result}")


def check_large(service):
    """Ten megabytes each way: script, argument, answer, output."""
    size = 10 << 20
    code = f"""
from hermes_tools import alone
blob = {'z' * size!r}
answer = alone(blob)
print(len(answer['text']), answer['text'][-5:])
print('y' * {size})
"""
    number = service.request("run", code=code, options={"max_output": 0})
    call = service.of_type("call")
    expect(call["args"]["key"] == "z" * size, "a large argument has changed")
    service.send(method="reply", call=call["call"], result={"text": "ü" * size + "ende!"})
    result = service.result(number)
    expect(result["output"] == f"{size + 5} ende!\n" + "y" * size + "\n",
           f"{len(result['output'])}, {result['status']} {result.get('error')}")


def check_refused_arguments(service):
    number = service.request("run", code="from hermes_tools import alone\nalone('k', times='7')")
    call = service.of_type("call")
    expect(call["args"]["times"] == 7, f"an integer as text: {call}")
    service.send(method="reply", call=call["call"], result=None)
    expect(service.result(number)["status"] == "success", "an integer as text")
    result = service.run("from hermes_tools import alone\nalone(kye='k')")
    expect("TypeError" in result["error"] and "key" in result["error"], f"no hint: {result}")


def check_late(service):
    """The run is over before the answer: an error for the client, and nothing else."""
    number = service.request("run", code="from hermes_tools import alone\nalone('k')",
                             options={"timeout": 0.4})
    call = service.of_type("call")
    expect(service.result(number)["status"] == "timeout", "it did not time out")
    late = service.request("reply", call=call["call"], result=1)
    expect(service.error(late)["code"] == "unknown_call", "a late reply")
    number = service.request("run", code="from hermes_tools import alone\nalone('k')")
    call = service.of_type("call")
    service.send(method="cancel", run=number)
    expect(service.result(number)["status"] == "interrupted", "cancel in a call")
    result = one_call(service, {"result": {"ok": 1}})
    expect(result["output"] == "{'ok': 1}\n", f"after a late answer: {result}")


def check_tool_call(service):
    number = service.request("tool_call", tool="alone", args={"key": "direct"})
    call = service.of_type("call")
    expect(call["run"] == number and call["args"]["key"] == "direct", f"{call}")
    service.send(method="reply", call=call["call"], result={"seen": True})
    expect(service.result(number)["value"] == {"seen": True}, "value of a tool_call")
    number = service.request("tool_call", tool="alone", args={"times": 1})
    answer = service.answer(number)
    text = answer.get("message") or str(answer["result"])
    expect("key" in text, f"an argument is missing: {answer}")


def check(bench):
    service = Service(bench)
    register(service, "alone")
    register(service, "side", ["read_only", "parallel_safe"])
    check_out_of_order(service)
    check_values(service)
    check_large(service)
    check_refused_arguments(service)
    check_late(service)
    check_tool_call(service)
    stubs = service.result(service.request("stubs"))
    expect("def alone(" in stubs and "def side(" in stubs, "registered tools are not in the stubs")
    expect(service.end() == [], "more lines than answers")


main_of_check(check)
