from hermes_tools import terminal

for i in range(5):
    r = terminal(f"echo {i}")
    print(r.get("output", "refused:"), r.get("error") or "")
