import bz2
import gzip
import io
import lzma

z = gzip.GzipFile("data.gz", "wb", mtime=0)
z.write(b"kept " * 1000)
t = io.TextIOWrapper(gzip.GzipFile("text.gz", "wb", mtime=0))
t.write("in text mode\n" * 10)
b = bz2.open("data.bz2", "wb")
b.write(b"kept " * 1000)
x = lzma.open("data.xz", "wb")
x.write(b"kept " * 1000)
