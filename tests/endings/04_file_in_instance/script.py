class Report:
    def __init__(self, path):
        self.file = open(path, "w")

    def line(self, text):
        self.file.write(text + "\n")


report = Report("report.txt")
report.line("one")
report.line("two")
