/* tests/tool/fxt_file.c - a raw FxT file of two tasks as StarPU 1.4 writes it, on standard output. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/lib/fxt_file.h"

int main(void)
{
	write_head(stdout);
	write_14(stdout);
	return fflush(stdout) != 0 || ferror(stdout) ? 2 : 0;
}
