# SPDX-License-Identifier: MIT
"""Collects the TODO, FIXME, HACK and XXX remarks below a folder and writes a report.

    ptc-host examples/scripts/todo_report.py [folder]

Two searches: one counts, one brings the lines with a line of context. The report goes into
todo_report.md in the workspace; only a few lines are printed.
"""
import re
import sys
from collections import Counter, defaultdict

from hermes_tools import search_files, write_file

MARKS = r"\b(TODO|FIXME|HACK|XXX)\b"
PAGE_ROWS = 500


def remarks(folder):
    """Every line with a remark, page by page, each with the line after it."""
    offset = 0
    while offset is not None:
        page = search_files(MARKS, path=folder, limit=PAGE_ROWS, offset=offset, context=1)
        if "error" in page:
            sys.exit(page["error"])
        yield from page["matches"]
        if page.get("limit_reason"):
            print("the search ended early:", page["limit_reason"])
        offset = page["next_offset"]


def report(rows):
    by_file = defaultdict(list)
    for row in rows:
        by_file[row["path"]].append(row)
    lines = ["# Remarks", ""]
    for path, rows_of_file in sorted(by_file.items()):
        lines += [f"## {path}", ""]
        for row in rows_of_file:
            sign = ">" if row["kind"] == "match" else " "
            lines.append(f"    {sign} {row['line']:>5}  {row['content']}")
        lines.append("")
    return "\n".join(lines)


def main():
    folder = sys.argv[1] if len(sys.argv) > 1 else "."
    counted = search_files(MARKS, path=folder, output_mode="count", limit=10)
    if "error" in counted:
        sys.exit(counted["error"])
    rows = list(remarks(folder))
    kinds = Counter(re.search(MARKS, row["content"]).group()
                    for row in rows if row["kind"] == "match" and re.search(MARKS, row["content"]))
    print(f"{counted['total_count']} remarks in {counted['files_with_matches']} of "
          f"{counted['files_searched']} files below {folder}")
    print(", ".join(f"{kind} {count}" for kind, count in kinds.most_common()))
    for path, count in sorted(counted["counts"].items(), key=lambda item: -item[1])[:3]:
        print(f"{count:>6}  {path}")
    if counted["skipped"]["ignored"]:
        print(f"{counted['skipped']['ignored']} ignored entries were left out")
    written = write_file("todo_report.md", report(rows))
    print(written.get("error") or f"todo_report.md: {written['bytes_written']} bytes")


main()
