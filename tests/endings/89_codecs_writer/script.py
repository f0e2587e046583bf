import codecs

c = codecs.open("codecs.txt", "w", "utf-16-le")
c.write("wide\n" * 10)
