print("go", flush=True)
while True:
    pass
