# SPDX-License-Identifier: MIT
"""Reads every text file below a folder and prints a digest of what is in them.

    setup-scripts/run examples/scripts/digest.py /usr/share/common-licenses

What a model would do with one tool call after the other, each answer passing through its context,
happens here in one run: list, read everything in parallel, compare, write a table. Only the few lines
that are printed go back.
"""
import re
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

from hermes_tools import read_file, shell_quote, terminal, write_file

SHINGLE_WORDS = 6


def list_files(root):
    """Regular files below root, smallest name first: one terminal call."""
    result = terminal(f"find {shell_quote(root)} -type f -size -200k | LC_ALL=C sort")
    if result["exit_code"] != 0:
        sys.exit(f"cannot list {root}: {result['output']}")
    return result["output"].splitlines()


def read_text(path):
    """The whole text of a file, page by page; None when it is not text."""
    pages, offset = [], 1
    while True:
        page = read_file(path, offset=offset, limit=2000, raw=True)
        if "error" in page:
            return None
        pages.append(page["content"])
        if not page.get("truncated"):
            return "".join(pages)
        offset = page["next_offset"]


def shingles(text):
    words = re.findall(r"[a-z]+", text.lower())
    return {tuple(words[i:i + SHINGLE_WORDS]) for i in range(len(words) - SHINGLE_WORDS + 1)}


def closest_pairs(texts, count):
    """Pairs of files that share most of the smaller one's six-word phrases."""
    phrases = {path: shingles(text) for path, text in texts.items()}
    pairs = []
    for a in phrases:
        for b in phrases:
            smaller = min(len(phrases[a]), len(phrases[b]))
            if a < b and smaller:
                pairs.append((len(phrases[a] & phrases[b]) / smaller, a, b))
    return sorted(pairs, reverse=True)[:count]


def table(texts, root):
    rows = ["| file | lines | words | commonest long words |", "|---|---|---|---|"]
    for path, text in texts.items():
        words = re.findall(r"[a-z]{7,}", text.lower())
        common = ", ".join(word for word, _ in Counter(words).most_common(4))
        rows.append(f"| {path.removeprefix(root).lstrip('/')} | {len(text.splitlines())} "
                    f"| {len(text.split())} | {common} |")
    return "\n".join(rows) + "\n"


def main():
    root = sys.argv[1] if len(sys.argv) > 1 else "."
    paths = list_files(root)
    with ThreadPoolExecutor(8) as pool:
        read = dict(zip(paths, pool.map(read_text, paths)))
    texts = {path: text for path, text in read.items() if text is not None}
    if not texts:
        sys.exit(f"no text files below {root}")
    written = write_file("digest.md", table(texts, root))
    if "error" in written:
        sys.exit(written["error"])

    print(f"{len(texts)} text files below {root}, {sum(map(len, texts.values()))} characters")
    longest = sorted(texts, key=lambda path: len(texts[path]), reverse=True)[:3]
    print("longest:", ", ".join(f"{p.removeprefix(root).lstrip('/')} ({len(texts[p].split())} words)"
                                for p in longest))
    for share, a, b in closest_pairs(texts, 3):
        print(f"{share:.0%} of the smaller in common: {a.removeprefix(root).lstrip('/')}, "
              f"{b.removeprefix(root).lstrip('/')}")
    print("table in digest.md")


main()
