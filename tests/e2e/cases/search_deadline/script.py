import os

from hermes_tools import search_files

open("slow", "w").write("a" * (6 << 20))
os.mkdir("d")
open("d/quick", "w").write("a1\n")
r = search_files("[a-z]+[0-9]")
print(r.get("limit_reason"), r["total_count_is_lower_bound"], [m["path"] for m in r["matches"]])
