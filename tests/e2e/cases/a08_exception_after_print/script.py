print("before")
raise RuntimeError("x")
