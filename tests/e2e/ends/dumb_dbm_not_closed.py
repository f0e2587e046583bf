import dbm.dumb

database = dbm.dumb.open("data")
database["key"] = "value"
