import sqlite3

db = sqlite3.connect("data.db")
db.execute("create table t (x)")
db.commit()
db.execute("insert into t values (1)")
other = sqlite3.connect("done.db", isolation_level=None)
other.execute("create table t (x)")
other.execute("insert into t values (2)")
cursor = other.execute("select x from t")
print(cursor.fetchone())
