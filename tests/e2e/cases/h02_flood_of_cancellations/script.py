from forge import CANCEL, frame, send

print("kept", flush=True)
while True:  # each is free for the script and work for the host
    send(frame(CANCEL, 1, {}) * 1000)
