/* analyze/page/glossary.c - the words of heterotune(7), explained where they stand. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "analyze/page/glossary.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "analyze/page/html.h"

static const struct {
	const char *word, *meaning;
} words[] = {
#include "analyze/page/words.h"
};

enum { WORDS = sizeof(words) / sizeof(*words) };

/* In a sentence these are nothing that a reader stops at. */
static const char *const everyday[] = {"bound",   "config", "finding",   "idle",   "list",
                                       "machine", "model",  "placement", "policy", "priority",
                                       "ready",   "run",    "trace",     "type",   "worker"};

static int is_everyday(int word)
{
	for (size_t i = 0; i < sizeof(everyday) / sizeof(*everyday); i++)
		if (strcmp(everyday[i], words[word].word) == 0)
			return 1;
	return 0;
}

/* The longest word that begins here and ends where a word ends, with the s of a plural; -1: none. */
static int match(const char *s, size_t *len)
{
	int best = -1;

	*len = 0;
	for (int i = 0; i < WORDS; i++) {
		size_t n = strlen(words[i].word);

		if (n <= *len || strncasecmp(words[i].word, s, n) != 0)
			continue;
		n += s[n] == 's';
		if (isalnum((unsigned char)s[n]) || s[n] == '_' || s[n] == '-')
			continue;
		best = i;
		*len = n;
	}
	return best;
}

static void put_word(FILE *f, int word, const char *s, size_t len)
{
	fputs("<abbr title=\"", f);
	html_text(f, words[word].meaning);
	fputs("\">", f);
	html_words(f, s, len);
	fputs("</abbr>", f);
}

void glossary_text(FILE *f, const char *text)
{
	unsigned char said[WORDS] = {0};
	const char *from = text;
	int begins = 1;

	for (const char *s = text; *s;) {
		size_t len = 0;
		int word = begins ? match(s, &len) : -1;
		int whole = s == text && len == strlen(text);

		begins = !isalnum((unsigned char)*s) && *s != '_' && *s != '-';
		if (word < 0 || said[word] || (!whole && is_everyday(word))) {
			s++;
			continue;
		}
		html_words(f, from, (size_t)(s - from));
		put_word(f, word, s, len);
		said[word] = 1;
		from = s += len;
	}
	html_words(f, from, strlen(from));
}
