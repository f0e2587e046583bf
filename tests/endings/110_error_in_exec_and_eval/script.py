def run(code):
    exec(compile(code, "<made up>", "exec"), {})


try:
    eval("1 +")
except SyntaxError as error:
    print(error)
run("x = 1\nraise ValueError('in exec')")
