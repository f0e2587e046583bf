import zipfile

archive = zipfile.ZipFile("data.zip", "w")
archive.writestr(zipfile.ZipInfo("member.txt"), "text")
