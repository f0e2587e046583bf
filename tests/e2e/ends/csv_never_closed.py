import csv

file = open("table.csv", "w", newline="")
writer = csv.writer(file)
for i in range(60):
    writer.writerow([i, i * i, "text"])
