/* core/base/err.h - what went wrong, as a chain of causes that ends up as one sentence. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef CORE_BASE_ERR_H
#define CORE_BASE_ERR_H

/*
 * A function that can fail for a reason outside the program takes a `struct ht_err *` last and returns -1 or NULL. The
 * lowest function that knows file, position and value writes the sentence with ht_err_set(); its callers put what they
 * were doing in front of it with ht_err_wrap(). Both return -1, so that failing is one line. `err` may be NULL. Control
 * characters of what is quoted become '?'.
 */
struct ht_err {
	char text[1024];
};

int ht_err_set(struct ht_err *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* "context" becomes "context: what was there". A chain that no longer fits loses its end, never its head. */
int ht_err_wrap(struct ht_err *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
