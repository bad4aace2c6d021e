/* auto/settle.c - the one place where heterotune auto writes down what it has chosen. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "auto/settle.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/err.h"
#include "core/base/file.h"
#include "core/config/config.h"
#include "core/config/config_words.h"

void settle_plain(struct config *c, const char *scheduler)
{
	c->policy = c->chosen = arena_strndup(c->arena, scheduler, strlen(scheduler));
	c->knobs = "";
	c->has_rank_priorities = 0;
	c->starpu_env = (struct starpu_env){{0}};
	memset(c->starpu_env_gain, 0, sizeof(c->starpu_env_gain));
}

/* What tuning has printed names the winner of the replays: that of `by` stands below it, once. */
static int name_winner(const char *dir, const struct config *c, const char *by, struct ht_err *err)
{
	static const char heading[] = "\nchosen by ";
	char *path = ht_asprintf("%s/tuning.txt", dir), words[CONFIG_WORDS];
	char *text = file_exists(path) ? file_read(path, 1 << 30, NULL, err) : NULL, *before;
	struct outfile o;
	int rc = text || !file_exists(path) ? 0 : -1;

	if (text && (before = strstr(text, heading)))
		*before = '\0';
	if (text && (rc = outfile_open(&o, path, err)) == 0) {
		fprintf(o.f, "%s%s%s: %s, the trial %s\n", text, heading, by, config_words(c, words), c->chosen);
		rc = outfile_commit(&o, err);
	}
	free(text);
	free(path);
	return rc;
}

int settle(const char *dir, struct config *c, const char *by, struct ht_err *err)
{
	char *path = ht_asprintf("%s/config.xml", dir);
	int rc = config_save(c, path, err) == 0 ? name_winner(dir, c, by, err) : -1;

	free(path);
	return rc;
}
