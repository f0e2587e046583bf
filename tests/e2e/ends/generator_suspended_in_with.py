def lines():
    try:
        with open("generator.txt", "w") as file:
            while True:
                file.write((yield) or "")
    finally:
        print("generator closed")


generator = lines()
next(generator)
generator.send("suspended")
