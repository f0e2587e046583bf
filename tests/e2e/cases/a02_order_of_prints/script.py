print("one")
print("two")
print("three")
