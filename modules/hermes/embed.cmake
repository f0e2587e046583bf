# SPDX-License-Identifier: MIT
# cmake -DINPUT=file -DOUTPUT=file.c -DNAME=symbol -P embed.cmake: a text file as a C string.
file(READ ${INPUT} hex HEX)
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
string(REGEX REPLACE "(0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,)" "\\1\n    "
  bytes "${bytes}")
get_filename_component(source ${INPUT} NAME)
file(WRITE ${OUTPUT} "/* SPDX-License-Identifier: MIT */\n/* Made from ${source}. */\n"
  "extern const char ${NAME}[];\nconst char ${NAME}[] = {\n    ${bytes}0};\n")
