this is
another
program
