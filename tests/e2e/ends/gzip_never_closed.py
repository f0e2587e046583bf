import gzip

file = gzip.GzipFile("data.gz", "wb", mtime=0)
file.write(b"compressed " * 50)
