import multiprocessing


def work(name):
    with open(name, "w") as file:
        file.write("done")


if __name__ == "__main__":
    context = multiprocessing.get_context("fork")
    for i in range(2):
        context.Process(target=work, args=(f"process{i}.txt",)).start()
