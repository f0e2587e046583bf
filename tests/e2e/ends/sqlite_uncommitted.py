import sqlite3

connection = sqlite3.connect("data.db")
connection.execute("create table t (x)")
connection.execute("insert into t values (1)")
connection.commit()
connection.execute("insert into t values (2)")
