from typing import Dict, Optional


class Node:
    count = 0

    def __del__(self):
        print("node gone")


Tree = Dict[str, Optional[Node]]
node = Node()
