import io
import tarfile
import zipfile

z = zipfile.ZipFile("a.zip", "w")
z.writestr(zipfile.ZipInfo("one.txt"), "one")
t = tarfile.open("a.tar", "w")
member = tarfile.TarInfo("two.txt")
member.size = 3
t.addfile(member, io.BytesIO(b"two"))
