/* core/base/number.h - numbers in files: text and back without loss, whatever the locale. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef CORE_BASE_NUMBER_H
#define CORE_BASE_NUMBER_H

#include <stdint.h>

/* The shortest decimal text that reads back as exactly `value`, with '.' in every locale, in buf; returns buf. */
const char *number_text(char buf[32], double value);

/* The whole of `text` is one finite number, its decimal point '.': 0, else -1. */
int number_parse(const char *text, double *value);

/* The whole of `text` is one decimal integer between min and max: 0, else -1. */
int number_parse_int(const char *text, int64_t min, int64_t max, int64_t *value);

/* The whole of `text` is hexadecimal digits, of a number up to max: 0, else -1. */
int number_parse_hex(const char *text, uint64_t max, uint64_t *value);

/* "30s", "5m", "1h", or seconds, more than none: 0; -1: it is none of these. */
int number_parse_time(const char *text, double *seconds);

#endif
