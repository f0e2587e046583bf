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
FILES_MAX = 45  # a run has 50 tool calls unless --max-tool-calls says otherwise


def list_files(root):
    """Files below root that are not hidden, first names first: one terminal call."""
    folder = shell_quote(root)
    result = terminal(f"test -d {folder} && find {folder} -mindepth 1 -name '.*' -prune -o "
                      f"-type f -size -200k -print | LC_ALL=C sort | head -n {FILES_MAX + 1}")
    if result["exit_code"] != 0:
        sys.exit(f"{root} is not a folder")
    paths = result["output"].splitlines()
    if len(paths) > FILES_MAX:
        print(f"more than {FILES_MAX} files below {root}: only the first ones are read")
    return paths[:FILES_MAX]


def read_text(path):
    """The whole text of a file; None when it is not text."""
    return read_file(path, raw=True).get("content")


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
