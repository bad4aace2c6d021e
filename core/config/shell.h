/* core/config/shell.h - words for a POSIX shell. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef CORE_CONFIG_SHELL_H
#define CORE_CONFIG_SHELL_H

#include <stdio.h>

/* The line "export NAME='VALUE'": in single quotes, where nothing is special but the quote itself. */
void shell_export(FILE *f, const char *name, const char *value);

/* The word as it can be pasted into a shell, in single quotes where it needs them. free() it. */
char *shell_word(const char *word);

/* What to type for this program: heterotune where PATH has one, else what it was called as. free() it. */
char *shell_heterotune(void);

#endif
