/* core/config/shell.h - words for a POSIX shell. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef CORE_CONFIG_SHELL_H
#define CORE_CONFIG_SHELL_H

#include <stdio.h>

/* The line "export NAME='VALUE'": in single quotes, where nothing is special but the quote itself. */
void shell_export(FILE *f, const char *name, const char *value);

#endif
