import threading


def work():
    value_of_it = 1
    return value_of_itt


threading.Thread(target=work, name="worker").start()
