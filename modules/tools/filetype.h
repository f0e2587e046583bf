/* SPDX-License-Identifier: MIT
 *
 * What kind of file it is, by its name and by its first bytes.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* The extension in lower case, without the dot, in buffer; "" when there is none. */
const char *filetype_extension(const char *path, char buffer[16]);

bool filetype_is_image_name(const char *path);

/* Extensions that are never text (.zip, .so, .sqlite, images and the like). */
bool filetype_is_binary_name(const char *path);

/* Office and book containers, which text can never be: write_file refuses to make one. */
bool filetype_is_document_name(const char *path);

/* "PNG image", "ELF program", ... from a magic number, or NULL. */
const char *filetype_from_magic(const unsigned char *data, size_t length);
