import os

print(os.environ.get("GIVEN"), os.environ.get("TAKEN"), os.environ.get("NOT_ASKED"))
