/* core/config/plan_text.c - the plan of a config as words, and back. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/config/plan_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/err.h"
#include "core/base/number.h"

enum { WORD = 32 }; /* bytes that each has room for */

char *plan_hashes_text(const struct config_plan *p)
{
	char *text = ht_alloc((size_t)p->ntasks * 9 + 1, 1), *at = text;

	for (uint32_t t = 0; t < p->ntasks; t++)
		at += sprintf(at, "%s%08" PRIx32, t ? " " : "", p->hash[t]);
	return text;
}

char *plan_ranks_text(const struct config_plan *p)
{
	char *text = ht_alloc((size_t)p->ntasks * 12 + 1, 1), *at = text;

	for (uint32_t t = 0; t < p->ntasks; t++)
		at += sprintf(at, "%s%" PRId32, t ? " " : "", p->rank[t]);
	return text;
}

char *plan_owners_text(const struct config_plan *p)
{
	char *text = ht_alloc((size_t)p->nhandles * WORD + 1, 1), *at = text;

	for (uint32_t h = 0; h < p->nhandles; h++) {
		const struct config_place *o = &p->owner[h];

		if (o->arch == ARCH_NONE)
			at += sprintf(at, "%s-", h ? " " : "");
		else
			at += sprintf(at, "%s%s%d", h ? " " : "", arch_name(o->arch), o->devid);
	}
	return text;
}

char *plan_places_text(const struct config_plan *p)
{
	uint32_t n = 0;
	char *text, *at;

	for (uint32_t t = 0; t < p->ntasks; t++)
		n += p->place[t].arch != ARCH_NONE;
	at = text = ht_alloc((size_t)n * WORD + 1, 1);
	for (uint32_t t = 0; t < p->ntasks; t++)
		if (p->place[t].arch != ARCH_NONE)
			at += sprintf(at, "%s%" PRIu32 ":%s%d", at == text ? "" : " ", t, arch_name(p->place[t].arch),
			              p->place[t].devid);
	return text;
}

static uint32_t count_words(const char *text)
{
	uint32_t n = 0;

	for (text += strspn(text, " "); *text; text += strspn(text, " ")) {
		n++;
		text += strcspn(text, " ");
	}
	return n;
}

/* The next word; *text goes on behind it. One that is too long ends with "...", and is then nothing that is expected. */
static const char *next_word(const char **text, char word[WORD])
{
	size_t len;

	*text += strspn(*text, " ");
	len = strcspn(*text, " ");
	snprintf(word, WORD, "%.*s%s", (int)(len < WORD ? len : WORD - 4), *text, len < WORD ? "" : "...");
	*text += len;
	return word;
}

/* "cuda0", or "-": nobody. */
static int parse_place(const char *word, struct config_place *o)
{
	size_t letters = strcspn(word, "0123456789");
	int64_t devid;

	*o = (struct config_place){ARCH_NONE, 0};
	if (strcmp(word, "-") == 0)
		return 0;
	o->arch = arch_parse(word, (int)letters);
	if (o->arch == ARCH_NONE || number_parse_int(word + letters, 0, INT32_MAX, &devid) != 0)
		return -1;
	o->devid = (int)devid;
	return 0;
}

/* "17:cpu0" of a task. */
static int parse_task_place(const char *word, struct config_plan *p)
{
	const char *colon = strchr(word, ':');
	char number[WORD];
	int64_t task;

	if (!colon)
		return -1;
	snprintf(number, sizeof(number), "%.*s", (int)(colon - word), word);
	if (number_parse_int(number, 0, (int64_t)p->ntasks - 1, &task) != 0)
		return -1;
	return parse_place(colon + 1, &p->place[task]);
}

static int parse_places(struct config_plan *p, const char *places, struct arena *a, struct ht_err *err)
{
	char word[WORD];

	p->place = arena_alloc(a, p->ntasks, sizeof(*p->place));
	for (uint32_t t = 0; t < p->ntasks; t++)
		p->place[t] = (struct config_place){ARCH_NONE, 0};
	for (uint32_t n = count_words(places); n; n--)
		if (parse_task_place(next_word(&places, word), p) != 0)
			return ht_err_set(
				err,
				"the plan has the place \"%s\", expected a task from 0 to %u and where it goes, "
				"such as 17:cpu0",
				word, p->ntasks - 1);
	return 0;
}

int plan_parse(struct config_plan *p, const char *hashes, const char *ranks, const char *owners, const char *places,
               struct arena *a, struct ht_err *err)
{
	char word[WORD];

	p->ntasks = count_words(hashes);
	p->nhandles = count_words(owners);
	if (p->ntasks == 0 || p->ntasks > CONFIG_PLAN_MAX_TASKS || count_words(ranks) != p->ntasks)
		return ht_err_set(err, "the plan has %u hashes and %u ranks, expected as many of both, from 1 to %d",
		                  p->ntasks, count_words(ranks), CONFIG_PLAN_MAX_TASKS);
	p->hash = arena_alloc(a, p->ntasks, sizeof(*p->hash));
	p->rank = arena_alloc(a, p->ntasks, sizeof(*p->rank));
	p->owner = arena_alloc(a, p->nhandles, sizeof(*p->owner));
	for (uint32_t t = 0; t < p->ntasks; t++) {
		uint64_t hash;
		int64_t rank;

		if (number_parse_hex(next_word(&hashes, word), UINT32_MAX, &hash) != 0)
			return ht_err_set(err, "hash %u of the plan is \"%s\", expected up to eight hexadecimal digits",
			                  t + 1, word);
		if (number_parse_int(next_word(&ranks, word), 0, INT32_MAX, &rank) != 0)
			return ht_err_set(err, "rank %u of the plan is \"%s\", expected a whole number from 0 to %d",
			                  t + 1, word, INT32_MAX);
		p->hash[t] = (uint32_t)hash;
		p->rank[t] = (int32_t)rank;
	}
	for (uint32_t h = 0; h < p->nhandles; h++)
		if (parse_place(next_word(&owners, word), &p->owner[h]) != 0)
			return ht_err_set(err, "owner %u of the plan is \"%s\", expected a device such as cuda0, or -",
			                  h + 1, word);
	return places ? parse_places(p, places, a, err) : 0;
}
