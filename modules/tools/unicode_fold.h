/* SPDX-License-Identifier: MIT
 *
 * One spelling for names that look alike: decomposed letters, plain blanks, plain apostrophes.
 */
#pragma once

/* malloc'd; NULL when there is no memory. Invalid UTF-8 is kept as it is. */
char *unicode_fold(const char *text);
