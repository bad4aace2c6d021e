/* core/base/command.c - how a command says that it cannot. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/base/command.h"

#include <stdio.h>

#include "core/base/err.h"

int command_error(const char *name, const struct ht_err *err)
{
	fflush(stdout);
	fprintf(stderr, "heterotune: %s: %s\n", name, err->text);
	return STATUS_CANNOT;
}
