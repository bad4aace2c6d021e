/* core/run/incomplete.c - whether a run is no recording, or only a part of what its program would have done. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/run/incomplete.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/interrupt.h"
#include "core/run/run.h"
#include "core/trace/trace.h"

enum { MOST_STATUS = 255 };

/* 0: it is not there, or not from 1 to `most`. */
static int number_of(const struct manifest *m, const char *key, int most)
{
	long number = strtol(manifest_get(m, key), NULL, 10);

	return number > 0 && number <= most ? (int)number : 0;
}

/* "" where it ended well, or that is not known. */
static void ended(const struct manifest *m, char *text, size_t size)
{
	int status = number_of(m, "status", MOST_STATUS), came = number_of(m, "interrupted", NSIG - 1);
	int by = interrupt_signal_of(status);

	if (came)
		snprintf(text, size, "signal %d (%s) came while its program ran", came, strsignal(came));
	else if (by)
		snprintf(text, size, "signal %d (%s) ended its program", by, strsignal(by));
	else if (status)
		snprintf(text, size, "its program ended with status %d", status);
}

const char *run_incomplete(const struct run *r, char text[INCOMPLETE_TEXT])
{
	const char *predicted_from = manifest_get(&r->manifest, "predicted_from");
	uint64_t tasks = r->trace->defects.unfinished, ranks = r->trace->defects.missing_ranks;
	char end[128] = "", unseen[64] = "";

	if (*predicted_from) {
		snprintf(text, INCOMPLETE_TEXT, "is a prediction, and nothing in it was measured: use %s instead",
		         predicted_from);
		return text;
	}
	ended(&r->manifest, end, sizeof(end));
	if (ranks)
		snprintf(unseen, sizeof(unseen), "%" PRIu64 " MPI rank%s missing", ranks, ranks == 1 ? " is" : "s are");
	else if (tasks)
		snprintf(unseen, sizeof(unseen), "%" PRIu64 " task%s never seen to end", tasks,
		         tasks == 1 ? " was" : "s were");
	if (!*end && !*unseen)
		return NULL;
	snprintf(text, INCOMPLETE_TEXT, "%s%s%s: the recording %s complete", end, *end && *unseen ? ", and " : "",
	         unseen, *unseen ? "is not" : "may not be");
	return text;
}
