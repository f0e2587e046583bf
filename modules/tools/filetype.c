/* SPDX-License-Identifier: MIT
 *
 * Tables of extensions and magic numbers.
 */
#include "tools/filetype.h"

#include <ctype.h>
#include <string.h>

static const char *const image_extensions[] = {
    "png", "jpg", "jpeg", "gif", "webp", "bmp", "ico", NULL,
};

static const char *const binary_extensions[] = {
    "tiff", "tif",    "mp4",     "mov",  "avi",  "mkv",   "webm",  "wmv",  "flv",  "m4v",    "mpeg",
    "mpg",  "mp3",    "wav",     "ogg",  "flac", "aac",   "m4a",   "wma",  "aiff", "opus",   "zip",
    "tar",  "gz",     "bz2",     "7z",   "rar",  "xz",    "z",     "tgz",  "iso",  "exe",    "dll",
    "so",   "dylib",  "bin",     "o",    "a",    "obj",   "lib",   "app",  "msi",  "deb",    "rpm",
    "doc",  "xls",    "ppt",     "pptx", "odt",  "ods",   "odp",   "docx", "xlsx", "ttf",    "otf",
    "woff", "woff2",  "eot",     "pyc",  "pyo",  "class", "jar",   "war",  "ear",  "node",   "wasm",
    "rlib", "sqlite", "sqlite3", "db",   "mdb",  "idx",   "psd",   "ai",   "eps",  "sketch", "fig",
    "xd",   "blend",  "3ds",     "max",  "swf",  "fla",   "lockb", "dat",  "data", NULL,
};

static const char *const document_extensions[] = {
    "doc",  "docx", "docm", "xls", "xlsx", "xlsm", "xlsb", "ppt",  "pps", "pptx",
    "pptm", "ppsx", "ppsm", "odt", "ods",  "odp",  "rtf",  "epub", NULL,
};

static const struct {
    const char *bytes;
    size_t length, offset;
    const char *name;
} magics[] = {
    {"\x89PNG\r\n\x1a\n", 8, 0, "PNG image"},
    {"\xff\xd8\xff", 3, 0, "JPEG image"},
    {"GIF8", 4, 0, "GIF image"},
    {"RIFF", 4, 0, "RIFF media (WAV, AVI or WebP)"},
    {"%PDF-", 5, 0, "PDF document"},
    {"PK\x03\x04", 4, 0, "ZIP archive"},
    {"PK\x05\x06", 4, 0, "ZIP archive"},
    {"\x1f\x8b", 2, 0, "gzip data"},
    {"BZh", 3, 0, "bzip2 data"},
    {"\xfd"
     "7zXZ",
     6, 0, "xz data"}, /* the literal's own NUL is the sixth byte */
    {"7z\xbc\xaf\x27\x1c", 6, 0, "7z archive"},
    {"\x7f"
     "ELF",
     4, 0, "ELF program"},
    {"MZ", 2, 0, "PE program"},
    {"\xfe\xed\xfa\xce", 4, 0, "Mach-O program"},
    {"\xfe\xed\xfa\xcf", 4, 0, "Mach-O program"},
    {"\xce\xfa\xed\xfe", 4, 0, "Mach-O program"},
    {"\xcf\xfa\xed\xfe", 4, 0, "Mach-O program"},
    {"SQLite format 3", 16, 0, "SQLite database"},
    {"OggS", 4, 0, "Ogg media"},
    {"fLaC", 4, 0, "FLAC audio"},
    {"ID3", 3, 0, "MP3 audio"},
    {"\xff\xfb", 2, 0, "MP3 audio"},
    {"ftyp", 4, 4, "ISO media (MP4)"},
    {"BM", 2, 0, "BMP image"},
    {"II*\0", 4, 0, "TIFF image"},
    {"MM\0*", 4, 0, "TIFF image"},
    {"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", 8, 0, "OLE document (old Office)"},
};

const char *filetype_extension(const char *path, char buffer[16])
{
    const char *base = strrchr(path, '/');
    const char *dot = NULL;
    size_t i = 0;

    base = base != NULL ? base + 1 : path;
    dot = strrchr(base, '.');
    if (dot != NULL && dot != base && strlen(dot + 1) < 16) {
        for (; dot[1 + i] != '\0'; i++) {
            buffer[i] = (char)tolower((unsigned char)dot[1 + i]);
        }
    }
    buffer[i] = '\0';
    return buffer;
}

static bool has_extension(const char *path, const char *const *list)
{
    char extension[16];

    filetype_extension(path, extension);
    for (; *list != NULL; list++) {
        if (strcmp(extension, *list) == 0) {
            return true;
        }
    }
    return false;
}

bool filetype_is_image_name(const char *path)
{
    return has_extension(path, image_extensions);
}

bool filetype_is_binary_name(const char *path)
{
    return has_extension(path, binary_extensions) || has_extension(path, image_extensions);
}

bool filetype_is_document_name(const char *path)
{
    return has_extension(path, document_extensions);
}

const char *filetype_from_magic(const unsigned char *data, size_t length)
{
    for (size_t i = 0; i < sizeof(magics) / sizeof(magics[0]); i++) {
        if (length >= magics[i].offset + magics[i].length &&
            memcmp(data + magics[i].offset, magics[i].bytes, magics[i].length) == 0) {
            return magics[i].name;
        }
    }
    return NULL;
}
