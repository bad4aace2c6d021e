/* core/base/json.h - a writer of JSON: indented, keys in the order they are written, no state to get wrong. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef CORE_BASE_JSON_H
#define CORE_BASE_JSON_H

#include <stdint.h>
#include <stdio.h>

/*
 * `key` is NULL for an element of an array. A zeroed struct with `f` set is ready; the document is one object or array.
 */
struct json {
	FILE *f;
	int depth;
	unsigned filled; /* bit d: the object or array at depth d has an element */
};

void json_open(struct json *j, const char *key, char bracket); /* '{' or '[' */
void json_close(struct json *j, char bracket);                 /* '}' or ']'; at depth 0 ends the line */
void json_str(struct json *j, const char *key, const char *value);
void json_int(struct json *j, const char *key, int64_t value);
void json_time(struct json *j, const char *key, int64_t ns);  /* negative, "there is none": null */
void json_num(struct json *j, const char *key, double value); /* not finite: null */
void json_bool(struct json *j, const char *key, int value);
void json_null(struct json *j, const char *key);

/* A string in its quotes, for documents that are written by hand; what is not UTF-8 becomes U+FFFD. */
void json_quoted(FILE *f, const char *s);

#endif
