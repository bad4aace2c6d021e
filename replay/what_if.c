/* replay/what_if.c - options that replay, compare and tune share: another machine, submission, copies. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "replay/what_if.h"

#include <string.h>

#include "core/base/err.h"
#include "replay/submission.h"

int what_if_check(const struct what_if *w, struct ht_err *err)
{
	if (submission_check(w->submission, err) < 0)
		return -1;
	if (w->transfers && strcmp(w->transfers, "on") != 0 && strcmp(w->transfers, "off") != 0)
		return ht_err_set(err, "--transfers is on or off, found \"%s\"", w->transfers);
	return 0;
}

int what_if_asks(const struct what_if *w)
{
	return w->machine || w->scale || w->capacity || w->transfers || strcmp(w->submission, "recorded") != 0;
}

enum simulate_transfers what_if_transfers(const struct what_if *w, const struct dag *d, const struct machine *m)
{
	int on = w->transfers ? strcmp(w->transfers, "on") == 0 : simulate_has_transfers(d, m);

	return on ? TRANSFERS_ON : TRANSFERS_OFF;
}
