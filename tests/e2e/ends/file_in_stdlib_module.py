import sys
import textwrap

textwrap.kept = open("module.txt", "w")
textwrap.kept.write("hung onto a module of the standard library")
sys.kept = open("sys.txt", "w")
sys.kept.write("hung onto sys")
