class Node:
    pass


node = Node()
node.self = node
node.file = open("cycle.txt", "w")
node.file.write("in a cycle")
del node
