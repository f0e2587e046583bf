from hermes_tools import read_file, terminal, write_file

text = "emoji 🎉👩‍🚀 CJK 漢字かな RTL שלום عربى combining e\u0301 sep \u2028\u2029 end\n"
assert "error" not in write_file("a.txt", text)
print(open("a.txt", encoding="utf-8", newline="").read() == text)
print(read_file("a.txt", raw=True)["content"] == text)
print(terminal("cat a.txt")["output"].strip() == text.strip())
assert "error" not in write_file("文件 é.txt", "x\n")
print(read_file("文件 é.txt", raw=True)["content"] == "x\n")
write_file("nul.txt", "a\0b\n")
print(open("nul.txt", "rb").read())
