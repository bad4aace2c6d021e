/* core/base/number.c - numbers in files: text and back without loss, whatever the locale. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * printf() and strtod() follow the locale of the thread. The program sets none, but the scheduler library runs in
 * programs that do, so the decimal point is translated here: only the text of one number is ever looked at, which has
 * at most one.
 */
#include "core/base/number.h"

#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NUMBER_MAX_TEXT = 64 };

/* Replaces the first `from` in s by `to`; s has room for it. */
static void replace_point(char *s, const char *from, const char *to)
{
	char *at = strstr(s, from);
	size_t have = strlen(from), want = strlen(to);

	if (!at)
		return;
	memmove(at + want, at + have, strlen(at + have) + 1);
	memcpy(at, to, want);
}

const char *number_text(char buf[32], double value)
{
	const char *point = localeconv()->decimal_point;
	char text[NUMBER_MAX_TEXT];

	/* 17 significant digits always read back; 15 are always right when printed: IEEE 754 binary64. */
	for (int digits = 15; digits <= 17; digits++) {
		snprintf(text, sizeof(text), "%.*g", digits, value);
		if (strtod(text, NULL) == value)
			break;
	}
	replace_point(text, point, ".");
	snprintf(buf, 32, "%.31s", text);
	return buf;
}

int number_parse(const char *text, double *value)
{
	const char *point = localeconv()->decimal_point;
	char copy[NUMBER_MAX_TEXT + 16], *end;
	double v;

	if (!*text || strlen(text) >= NUMBER_MAX_TEXT || strspn(text, "+-.0123456789eE") != strlen(text))
		return -1;
	strcpy(copy, text);
	if (strlen(point) < 16)
		replace_point(copy, ".", point);
	errno = 0;
	v = strtod(copy, &end);
	if (end == copy || *end || !isfinite(v))
		return -1;
	*value = v;
	return 0;
}

/* As many digits of a base fit into 63 bits, whatever they are. */
enum { SAFE_DECIMAL = 18, SAFE_HEX = 15 };

int number_parse_int(const char *text, int64_t min, int64_t max, int64_t *value)
{
	const char *digits = text + (*text == '-'), *s = digits;
	int64_t v = 0;

	for (; *s >= '0' && *s <= '9' && s - digits < SAFE_DECIMAL; s++)
		v = v * 10 + (*s - '0');
	v = *text == '-' ? -v : v;
	if (*s) {
		if (strspn(digits, "0123456789") != strlen(digits))
			return -1;
		errno = 0;
		v = strtoll(text, NULL, 10);
		if (errno)
			return -1;
	}
	if (s == digits || v < min || v > max)
		return -1;
	*value = v;
	return 0;
}

int number_parse_hex(const char *text, uint64_t max, uint64_t *value)
{
	uint64_t v = 0;
	const char *s = text;

	for (; s - text < SAFE_HEX; s++) {
		unsigned digit = (unsigned char)*s - (unsigned)'0',
			 letter = ((unsigned char)*s | 0x20u) - (unsigned)'a';

		if (digit > 9 && letter > 5)
			break;
		v = v << 4 | (digit <= 9 ? digit : letter + 10);
	}
	if (*s) {
		if (strspn(text, "0123456789abcdefABCDEF") != strlen(text))
			return -1;
		errno = 0;
		v = strtoull(text, NULL, 16);
		if (errno)
			return -1;
	}
	if (s == text || v > max)
		return -1;
	*value = v;
	return 0;
}

int number_parse_time(const char *text, double *seconds)
{
	static const struct {
		char unit;
		double seconds;
	} units[] = {{'s', 1}, {'m', 60}, {'h', 3600}};
	size_t len = strlen(text);
	char number[32];
	double unit = 1;

	for (size_t i = 0; len && i < sizeof(units) / sizeof(units[0]); i++)
		if (text[len - 1] == units[i].unit) {
			unit = units[i].seconds;
			len--;
			break;
		}
	if (!len || len >= sizeof(number))
		return -1;
	memcpy(number, text, len);
	number[len] = '\0';
	if (number_parse(number, seconds) != 0 || *seconds <= 0)
		return -1;
	*seconds *= unit;
	return 0;
}
