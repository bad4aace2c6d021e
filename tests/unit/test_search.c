/* tests/unit/test_search.c - a search has one result, whatever threads and journals take part. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tune/search/search.h"

#include <stdlib.h>
#include <unistd.h>

#include "core/base/alloc.h"
#include "core/base/file.h"
#include "tests/lib/tuned_graph.h"

static void run_search(const struct tuned_graph *g, struct evaluator *e, int64_t reached_ns, struct search_result *r)
{
	struct initial_setting initial[3] = {0};
	struct search_problem p = {.evaluator = e,
	                           .initial = initial,
	                           .ninitial = 3,
	                           .seed = 5,
	                           .planned = 400,
	                           .samples = 2,
	                           .reached_ns = reached_ns};
	struct ht_err err = {""};

	setting_by_urgency(&initial[0].setting, g->granularities[GRANULARITY_CODELET], 1, 0);
	setting_by_urgency(&initial[1].setting, g->granularities[GRANULARITY_CODELET], 0, 1);
	setting_by_urgency(&initial[2].setting, g->granularities[GRANULARITY_RANK], 1, 1);
	CHECK_INT(search_run(&p, r, &err), 0);
	CHECK_STR(err.text, "");
	for (size_t i = 1; i < r->nfound; i++)
		CHECK(r->found[i].mean_ns >= r->found[i - 1].mean_ns);
}

/* Whatever the threads, and whatever part of it a journal has already: the same settings in the same order. */
static void a_search_has_one_result(void)
{
	char path[] = "/tmp/test_search_XXXXXX";
	struct search_result *r = ht_alloc(4, sizeof(*r));
	struct evaluator_state state[4];
	struct ht_err err = {""};
	struct tuned_graph g;
	size_t bytes;
	char *text;
	int fd = mkstemp(path);
	FILE *f;

	tuned_graph_init(&g, 8);
	for (int i = 0; i < 4; i++) {
		struct evaluator *e = evaluator_of(&g, 1 + i % 2 * 2, i ? path : NULL, "", &err);

		CHECK_STR(err.text, "");
		run_search(&g, e, 0, &r[i]);
		evaluator_state(e, &state[i]);
		evaluator_free(e);
		if (i == 1) { /* killed in the middle of a line */
			text = file_read(path, 1 << 20, &bytes, &err);
			CHECK(text && bytes > 2000);
			CHECK_INT(truncate(path, (off_t)(bytes / 2 + 3)), 0);
			free(text);
		}
		CHECK_INT(r[i].nfound, r[0].nfound);
		for (size_t k = 0; k < r[0].nfound; k++) {
			CHECK_INT(r[i].found[k].mean_ns, r[0].found[k].mean_ns);
			CHECK(setting_hash(&r[i].found[k].setting) == setting_hash(&r[0].found[k].setting));
		}
		CHECK_INT(state[i].replays + state[i].remembered, state[0].replays);
	}
	CHECK_INT(state[1].remembered, 0);
	CHECK(state[2].remembered > 20 && state[2].replays > 20);
	CHECK_INT(state[3].replays, 0);
	/* A line that nobody wrote so is cut off. */
	f = fopen(path, "a");
	fputs("0123456789abcdef 5 01234567\n", f);
	fclose(f);
	evaluator_free(evaluator_of(&g, 1, path, "", &err));
	text = file_read(path, 1 << 20, &bytes, &err);
	CHECK(text && !strstr(text, "0123456789abcdef"));
	free(text);
	/* A journal of another problem is of no use. */
	g.d->tasks[0].priority++;
	evaluator_free(evaluator_of(&g, 1, path, "", &err));
	text = file_read(path, 1 << 20, &bytes, &err);
	CHECK(text && bytes < 100);
	free(text);
	free(r);
	close(fd);
	unlink(path);
	tuned_graph_fini(&g);
}

/* It ends early where what others have reached is too far away, and for no other reason where it is not. */
static void a_search_far_behind(void)
{
	struct search_result *r = ht_alloc(3, sizeof(*r));
	struct evaluator_state state[3];
	struct ht_err err = {""};
	struct tuned_graph g;

	tuned_graph_init(&g, 8);
	for (int i = 0; i < 3; i++) {
		struct evaluator *e = evaluator_of(&g, 1, NULL, "", &err);

		run_search(&g, e, i == 1 ? 2 * r[0].found[0].mean_ns : i == 2 ? r[0].found[0].mean_ns / 2 : 0, &r[i]);
		evaluator_state(e, &state[i]);
		evaluator_free(e);
	}
	CHECK(r[0].end != SEARCH_BEHIND && r[1].end != SEARCH_BEHIND);
	CHECK_INT(state[1].replays, state[0].replays);
	CHECK_INT(r[2].end, SEARCH_BEHIND);
	CHECK(state[2].replays < state[0].replays / 2);
	CHECK(r[2].nfound > 0);
	free(r);
	tuned_graph_fini(&g);
}

int main(void)
{
	RUN(a_search_far_behind);
	RUN(a_search_has_one_result);
	return check_done();
}
