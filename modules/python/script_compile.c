/* SPDX-License-Identifier: MIT
 *
 * Source to code. Text came through JSON and is UTF-8 whatever its coding cookie says; bytes came
 * from a file and are decoded as python3 decodes a file, down to its error texts.
 */
#include "python/object.h"
#include "python/script_parts.h"

#include <string.h>

#define UTF8_BOM       "\xef\xbb\xbf"
#define UTF8_BOM_BYTES 3

static void script_syntax_error(PyObject *message, PyObject *filename, int line)
{
    _cleanup_object_ PyObject *arguments =
        message == NULL ? NULL
                        : Py_BuildValue("(O(OiOO))", message, filename, line, Py_None, Py_None);
    if (arguments != NULL) {
        PyErr_SetObject(PyExc_SyntaxError, arguments);
    }
}

static int script_line_of(const char *code, size_t offset)
{
    int line = 1;
    for (size_t i = 0; i < offset; i++) {
        line += code[i] == '\n';
    }
    return line;
}

/* The tokenizer would stop at a NUL and run what stands before it (3.11.2 does, for a file). */
static bool script_refuse_nul(const struct script_source *source, PyObject *filename)
{
    const char *nul = memchr(source->code, '\0', source->code_length);
    if (nul == NULL) {
        return false;
    }
    _cleanup_object_ PyObject *message =
        PyUnicode_FromString("source code cannot contain null bytes");
    script_syntax_error(message, filename,
                        script_line_of(source->code, (size_t)(nul - source->code)));
    return true;
}

/* Replaces the pending UnicodeDecodeError. Without a cookie python3 FILE names PEP 263, and neither
 * file nor line apart from the text; code in a string gets the decoder's words. */
static void script_refuse_bad_utf8(const struct script_source *source, PyObject *filename)
{
    _cleanup_object_ PyObject *error = compat_exception_take();
    Py_ssize_t start = 0;
    if (PyUnicodeDecodeError_GetStart(error, &start) < 0) {
        return;
    }
    int line = script_line_of(source->code, (size_t)start);
    if (!source->is_bytes) {
        _cleanup_object_ PyObject *message = PyUnicode_FromFormat("(unicode error) %S", error);
        script_syntax_error(message, filename, line);
        return;
    }
    PyErr_Format(PyExc_SyntaxError,
                 "Non-UTF-8 code starting with '\\x%.2x' in file %U on line %i, but no encoding "
                 "declared; see https://peps.python.org/pep-0263/ for details",
                 (unsigned char)source->code[start], filename, line);
}

static PyObject *script_decode_utf8(const struct script_source *source, PyObject *filename)
{
    const char *start = source->code;
    size_t length = source->code_length;
    if (length >= UTF8_BOM_BYTES && memcmp(start, UTF8_BOM, UTF8_BOM_BYTES) == 0) {
        start += UTF8_BOM_BYTES;
        length -= UTF8_BOM_BYTES;
    }
    PyObject *text = PyUnicode_DecodeUTF8(start, (Py_ssize_t)length, NULL);
    if (text == NULL && PyErr_ExceptionMatches(PyExc_UnicodeDecodeError)) {
        script_refuse_bad_utf8(source, filename);
    }
    return text;
}

/* Does one of the first two lines hold a coding cookie? Only "coding" is looked for: a false alarm
 * hands the bytes to CPython, which then decides. */
static bool script_may_have_cookie(const struct script_source *source)
{
    size_t length = source->code_length;
    const char *second = memchr(source->code, '\n', length);
    if (second != NULL) {
        size_t first_length = (size_t)(second - source->code) + 1;
        const char *third = memchr(second + 1, '\n', length - first_length);
        length = third == NULL ? length : (size_t)(third - source->code);
    }
    return memmem(source->code, length, "coding", strlen("coding")) != NULL;
}

/* importlib's reading of cookies. Bytes that it cannot decode fail in the compiler as well, with
 * python3's own text, so here they only cost the lines in the traceback. */
static PyObject *script_decode_by_cookie(const struct script_source *source)
{
    _cleanup_object_ PyObject *decode = object_from_module("importlib.util", "decode_source");
    PyObject *text = decode == NULL ? NULL
                                    : PyObject_CallFunction(decode, "y#", source->code,
                                                            (Py_ssize_t)source->code_length);
    if (text == NULL) {
        PyErr_Clear();
        text = PyUnicode_FromString("");
    }
    return text;
}

PyObject *script_decode(const struct script_source *source, PyObject *filename)
{
    if (script_refuse_nul(source, filename)) {
        return NULL;
    }
    if (source->is_bytes && script_may_have_cookie(source)) {
        return script_decode_by_cookie(source);
    }
    return script_decode_utf8(source, filename);
}

/* Line `number` of text without its newline, or NULL: there is none. Lines end as in the tokenizer.
 */
static PyObject *script_line(PyObject *text, long number)
{
    Py_ssize_t length = PyUnicode_GET_LENGTH(text);
    Py_ssize_t start = 0;
    for (Py_ssize_t i = 0; i < length; i++) {
        Py_UCS4 c = PyUnicode_READ_CHAR(text, i);
        if (c != '\n' && c != '\r') {
            continue;
        }
        if (--number == 0) {
            return PyUnicode_Substring(text, start, i);
        }
        i += c == '\r' && i + 1 < length && PyUnicode_READ_CHAR(text, i + 1) == '\n';
        start = i + 1;
    }
    return number == 1 && start < length ? PyUnicode_Substring(text, start, length) : NULL;
}

/* The parser has the line from the source. Of an f-string it shows the expression in parentheses,
 * to which its column belongs. */
static bool script_error_shows(PyObject *shown, PyObject *line)
{
    if (shown == NULL || !PyUnicode_Check(shown) || PyUnicode_GetLength(shown) < 1) {
        return false;
    }
    return PyUnicode_ReadChar(shown, 0) == '(' ||
           PyUnicode_Tailmatch(shown, line, 0, PY_SSIZE_T_MAX, -1) == 1;
}

/* What is found after the parser ('return' outside function) comes with a line that CPython reads
 * from the file of that name: none, or that of another program which happens to be there. */
static void script_error_set_line(PyObject *text)
{
    if (!PyErr_ExceptionMatches(PyExc_SyntaxError)) {
        return;
    }
    _cleanup_object_ PyObject *error = compat_exception_take();
    _cleanup_object_ PyObject *number = PyObject_GetAttrString(error, "lineno");
    _cleanup_object_ PyObject *shown = PyObject_GetAttrString(error, "text");
    long place = number == NULL || number == Py_None ? 0 : PyLong_AsLong(number);
    _cleanup_object_ PyObject *line = place > 0 ? script_line(text, place) : NULL;
    if (line != NULL && !script_error_shows(shown, line)) {
        (void)PyObject_SetAttrString(error, "text", line);
    }
    PyErr_SetObject((PyObject *)Py_TYPE(error), error); /* also in place of what failed here */
}

PyObject *script_compile(const struct script_source *source, PyObject *filename, PyObject *text)
{
    PyCompilerFlags flags = {
        .cf_flags = PyCF_ALLOW_TOP_LEVEL_AWAIT,
        .cf_feature_version = PY_MINOR_VERSION,
    };
    if (source->is_bytes && script_may_have_cookie(source)) {
        _cleanup_object_ PyObject *code =
            PyBytes_FromStringAndSize(source->code, (Py_ssize_t)source->code_length);
        return code == NULL ? NULL
                            : Py_CompileStringObject(PyBytes_AS_STRING(code), filename,
                                                     Py_file_input, &flags, -1);
    }
    const char *code = PyUnicode_AsUTF8(text);
    flags.cf_flags |= PyCF_IGNORE_COOKIE;
    PyObject *compiled =
        code == NULL ? NULL : Py_CompileStringObject(code, filename, Py_file_input, &flags, -1);
    if (compiled == NULL && !source->is_bytes) {
        script_error_set_line(text);
    }
    return compiled;
}
