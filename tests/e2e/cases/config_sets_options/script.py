print("a" * 1000)
