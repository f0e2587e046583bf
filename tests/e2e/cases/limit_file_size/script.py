print("kept")
open("big", "wb").write(bytes(1 << 22))
