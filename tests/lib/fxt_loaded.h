/* tests/lib/fxt_loaded.h - a raw FxT file written by hand, read back. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TESTS_LIB_FXT_LOADED_H
#define TESTS_LIB_FXT_LOADED_H

#include <stdio.h>
#include <stdlib.h>

#include "core/base/err.h"
#include "core/trace/trace.h"
#include "tests/lib/check.h"
#include "tests/lib/fxt_file.h"

/* Closes the file, and frees the name. NULL: it was refused, which is a failure. */
static inline struct trace *loaded(FILE *f, char *path)
{
	const char *const paths[] = {path};
	struct ht_err err = {""};
	struct trace *t;

	fclose(f);
	t = trace_load_fxt(paths, 1, &err);
	CHECK_STR(err.text, "");
	free(path);
	return t;
}

#endif
