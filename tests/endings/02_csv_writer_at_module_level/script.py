import csv
rows = csv.writer(open("table.csv", "w", newline=""))
for i in range(50):
    rows.writerow([i, i * i, "name %d" % i])
