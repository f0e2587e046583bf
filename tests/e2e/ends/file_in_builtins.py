import builtins

builtins.kept = open("builtins.txt", "w")
builtins.kept.write("in builtins")
