/* collect/cmd_doctor.c - heterotune doctor: what is there, what is missing, and what to do about it. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "collect/checks.h"

#include <stdio.h>

#include "core/base/command.h"
#include "core/base/options.h"

static int answer(char **words, void *options, struct ht_err *err)
{
	int fatal = 0;

	(void)words;
	(void)options;
	(void)err;
	for (const struct check *c = checks; c->name; c++) {
		struct check_result r = {.state = CHECK_OK};

		c->look(&r);
		printf("%-7s  %-7s  %s%s%s\n", r.state == CHECK_OK ? "ok" : "missing", c->name, r.found,
		       *r.to_do ? ": " : "", r.to_do);
		fflush(stdout);
		fatal |= r.state == CHECK_FATAL;
	}
	if (fatal)
		printf("\nNothing can be recorded here.\n");
	return fatal ? STATUS_NO : STATUS_DONE;
}

static int run(int argc, char **argv)
{
	const struct option_spec specs[] = {{OPTION_END, 0, NULL, NULL, NULL, NULL}};
	const struct option_usage usage = {
		.command = "doctor",
		.synopsis = "",
		.summary = "Check what recording, tuning and production need of this machine.",
		.epilogue = "The status is 1 when nothing can be recorded here.\n",
	};

	return command_run(argc, argv, specs, &usage, &(struct command_answer){"no words", 0, 0, 0, answer}, NULL);
}

const struct command cmd_doctor = {"doctor", "check what this machine lacks, and what to do", run};
