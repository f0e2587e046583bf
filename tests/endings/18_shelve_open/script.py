import shelve

shelf = shelve.open("shelf", writeback=True)
shelf["list"] = [1, 2]
shelf["list"].append(3)
shelf["name"] = "value"
