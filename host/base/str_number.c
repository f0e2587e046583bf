/* SPDX-License-Identifier: MIT
 *
 * Numbers with units, as people write them in options and configuration files. Integer arithmetic
 * throughout: strtod and printf("%f") change their decimal point with the embedder's locale.
 */
#include "base/str.h"

#include <errno.h>
#include <stdio.h>

#define FRACTION_DIGITS 9 /* digits after them are read and ignored */
#define FRACTION_ONE    1000000000u

struct unit {
    const char *name;
    uint64_t factor;
};

struct decimal {
    uint64_t whole;
    uint32_t billionths;
    bool has_point;
};

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static int digits_parse(const char *text, uint64_t *ret_value, const char **ret_end)
{
    uint64_t value = 0;
    if (!is_digit(*text))
        return -EINVAL;
    for (; is_digit(*text); text++) {
        if (__builtin_mul_overflow(value, 10, &value) ||
            __builtin_add_overflow(value, (uint64_t)(*text - '0'), &value))
            return -ERANGE;
    }
    *ret_value = value;
    *ret_end = text;
    return 0;
}

static int decimal_parse(const char *text, struct decimal *ret, const char **ret_end)
{
    int rc = digits_parse(text, &ret->whole, &text);
    if (rc < 0)
        return rc;
    ret->billionths = 0;
    ret->has_point = *text == '.';
    if (ret->has_point) {
        if (!is_digit(*++text))
            return -EINVAL;
        uint32_t place = FRACTION_ONE / 10;
        for (; is_digit(*text); text++, place /= 10)
            ret->billionths += place * (uint32_t)(*text - '0');
    }
    *ret_end = text;
    return 0;
}

/* name's letters are lower case; strcasecmp would ask the locale. */
static bool unit_matches(const char *name, const char *text)
{
    while (*name && (*text == *name || *text == *name - 'a' + 'A'))
        name++, text++;
    return !*name && !*text;
}

static const struct unit *unit_find(const struct unit *units, const char *text)
{
    for (; units->name; units++) {
        if (unit_matches(units->name, text))
            return units;
    }
    return NULL;
}

/* value * factor in whole numbers; what is left of a fraction counts as one when round_up. */
static int decimal_scale(const struct decimal *value, uint64_t factor, bool round_up,
                         uint64_t *ret_value)
{
    uint64_t whole;
    if (__builtin_mul_overflow(value->whole, factor, &whole))
        return -ERANGE;
    unsigned __int128 fraction = (unsigned __int128)value->billionths * factor;
    if (round_up)
        fraction += FRACTION_ONE - 1;
    if (__builtin_add_overflow(whole, (uint64_t)(fraction / FRACTION_ONE), ret_value))
        return -ERANGE;
    return 0;
}

int str_parse_bytes(const char *text, uint64_t *ret_bytes)
{
    static const struct unit units[] = {
        {"", 1},
        {"b", 1},
        {"k", 1ull << 10},
        {"kb", 1ull << 10},
        {"kib", 1 << 10},
        {"m", 1ull << 20},
        {"mb", 1ull << 20},
        {"mib", 1ull << 20},
        {"g", 1ull << 30},
        {"gb", 1ull << 30},
        {"gib", 1ull << 30},
        {"t", 1ull << 40},
        {"tb", 1ull << 40},
        {"tib", 1ull << 40},
        {NULL, 0},
    };
    struct decimal value;
    int rc = decimal_parse(text, &value, &text);
    if (rc < 0)
        return rc;
    const struct unit *unit = unit_find(units, *text == ' ' && text[1] ? text + 1 : text);
    if (!unit || (unit->factor == 1 && value.has_point))
        return -EINVAL;
    return decimal_scale(&value, unit->factor, false, ret_bytes);
}

int str_parse_duration_ms(const char *text, uint64_t *ret_ms)
{
    static const struct unit units[] = {
        {"", 1000}, {"ms", 1}, {"s", 1000}, {"m", 60000}, {"h", 3600000}, {NULL, 0},
    };
    struct decimal value;
    int rc = decimal_parse(text, &value, &text);
    if (rc < 0)
        return rc;
    const struct unit *unit = unit_find(units, text);
    if (!unit)
        return -EINVAL;
    /* Rounded up: 0 means "no limit" in most options, so a short time must not become it. */
    return decimal_scale(&value, unit->factor, true, ret_ms);
}

int str_parse_u64(const char *text, uint64_t *ret_value)
{
    uint64_t value;
    int rc = digits_parse(text, &value, &text);
    if (rc < 0)
        return rc;
    if (*text)
        return -EINVAL;
    *ret_value = value;
    return 0;
}

const char *str_human_bytes(uint64_t bytes, char *buffer, size_t size)
{
    static const char *const names[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    if (bytes < 1024) {
        snprintf(buffer, size, "%u byte%s", (unsigned)bytes, bytes == 1 ? "" : "s");
        return buffer;
    }
    size_t i = 0;
    unsigned __int128 tenths = ((unsigned __int128)bytes * 10 + 512) >> 10;
    for (; tenths >= 10240 && i + 1 < sizeof(names) / sizeof(*names); i++)
        tenths = ((unsigned __int128)bytes * 10 + (1ull << (10 * (i + 2) - 1))) >> (10 * (i + 2));
    snprintf(buffer, size, "%u.%u %s", (unsigned)(tenths / 10), (unsigned)(tenths % 10), names[i]);
    return buffer;
}
