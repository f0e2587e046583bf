from hermes_tools import search_files

r = search_files("needle")
print(r["total_count"], r["skipped"])
print("hidden or ignored" in r["warning"])
print([m["path"] for m in search_files("needle", include_hidden=True, include_ignored=True)["matches"]])
print([m["path"] for m in search_files("needle", path=".x")["matches"]])  # a hidden root is searched
open("t.txt", "w").write("Needle f(x)\n")
print(search_files("needle f")["warning"].split(" there")[0], "|", search_files("f(x)")["warning"].split(",")[0])
