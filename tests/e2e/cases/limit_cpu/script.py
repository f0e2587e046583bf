print("kept", flush=True)
while True:
    pass
