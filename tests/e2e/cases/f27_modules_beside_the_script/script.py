from pack import part

print(part.NAME)
