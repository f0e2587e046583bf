# TODO: one
x
# FIXME two
