from pathlib import Path

from hermes_tools import search_files

for i in range(30):
    Path(f"f{i:02}.txt").write_text("hit\n" * 10)
first = search_files("hit", limit=50)
print(first["total_count"], len(first["matches"]), first["truncated"], first["next_offset"])
rows, offset = [], 0
while offset is not None:
    page = search_files("hit", limit=70, offset=offset)
    rows += [(m["path"], m["line"]) for m in page["matches"]]
    offset = page["next_offset"]
print(len(rows), len(set(rows)), rows == sorted(rows))
for n in (3, 4, 5, 6):  # one shape at every size
    r = search_files("hit", path="f00.txt", limit=n)
    print(n, type(r["matches"]).__name__, len(r["matches"]), sorted(r) == sorted(first))
