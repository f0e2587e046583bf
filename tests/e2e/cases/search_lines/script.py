from hermes_tools import read_file, search_files

r = search_files("TODO", context=1)
for row in r["matches"]:
    print(row["kind"], f'{row["path"]}:{row["line"]}', row["content"].strip())
print(r["total_count"], r["truncated"], r["next_offset"], r["skipped"]["binary"])
print(search_files("TODO", output_mode="count")["counts"])
print(search_files("TODO", output_mode="files_only", file_glob="*.c")["files"])
print(search_files("main", target="files", path="src")["total_count"], search_files("a", target="find")["files"])
# what is found can be read
print(read_file(r["matches"][0]["path"])["content"])
