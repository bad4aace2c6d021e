/* core/config/priority_list_text.c - a priority list for people: levels that follow each other are one word. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/config/priority_list_text.h"

#include <stdio.h>
#include <string.h>

#include "core/base/wrap.h"

/* "gemm 3-5": name of 4 bytes, 3 and 5. No levels: first is 0. */
struct leveled {
	int name_len;
	unsigned first, last;
};

static struct leveled levels_of(const char *name)
{
	const char *blank = strrchr(name, ' ');
	struct leveled l = {(int)strlen(name), 0, 0};
	int end = 0;

	if (!blank || strstr(name, " + "))
		return l;
	if (sscanf(blank, " %u-%u%n", &l.first, &l.last, &end) == 2 && !blank[end]) {
		l.name_len = (int)(blank - name);
	} else if (sscanf(blank, " %u%n", &l.first, &end) == 1 && !blank[end]) {
		l.name_len = (int)(blank - name);
		l.last = l.first;
	} else {
		l.first = l.last = 0;
	}
	return l;
}

static int follows(const struct config_bucket *a, const struct config_bucket *b, const struct leveled *last,
                   enum arch arch)
{
	struct leveled next = levels_of(b->name);

	return last->first && next.first == last->last + 1 && next.name_len == last->name_len &&
	       strncmp(a->name, b->name, (size_t)next.name_len) == 0 && a->slow_factor[arch] == b->slow_factor[arch];
}

int priority_list_text(const struct config *c, enum arch a, int *place, char text[PRIORITY_LIST_TEXT])
{
	const struct config_list *l = &c->lists[a];
	const struct config_bucket *b;
	struct leveled span;
	int len;

	if (*place >= l->count)
		return 0;
	b = &c->buckets[l->buckets[*place]];
	span = levels_of(b->name);
	while (++*place < l->count && follows(b, &c->buckets[l->buckets[*place]], &span, a))
		span.last = levels_of(c->buckets[l->buckets[*place]].name).last;
	len = snprintf(text, PRIORITY_LIST_TEXT, "%.*s", span.name_len < 60 ? span.name_len : 60, b->name);
	while (len > 0 && text[len - 1] == ' ') /* a long name was cut there */
		len--;
	if (span.first)
		len += snprintf(text + len, (size_t)(PRIORITY_LIST_TEXT - len),
		                span.first == span.last ? " %u" : " %u-%u", span.first, span.last);
	if (b->slow_factor[a] > 0)
		len += snprintf(text + len, (size_t)(PRIORITY_LIST_TEXT - len), " (slow %.3g)", b->slow_factor[a]);
	return len;
}

void priority_list_print(FILE *f, const struct config *c, enum arch a, int at, int indent, int width, int most)
{
	enum { REST = sizeof("and 100 more") };
	char text[PRIORITY_LIST_TEXT], piece[PRIORITY_LIST_TEXT + 1];
	int place = 0, shown = 0, lines = 1;

	for (; priority_list_text(c, a, &place, text) > 0; shown = place) {
		int from = at, is_last = place == c->lists[a].count, left = width - (is_last ? 0 : REST);

		snprintf(piece, sizeof(piece), "%s%s", text, is_last ? "" : ",");
		if (lines == most && at + 1 + (int)strlen(piece) > left) {
			snprintf(piece, sizeof(piece), "and %d more", c->lists[a].count - shown);
			wrap_piece(f, piece, at, indent, width);
			return;
		}
		at = wrap_piece(f, piece, at, indent, width);
		lines += at <= from;
	}
}
