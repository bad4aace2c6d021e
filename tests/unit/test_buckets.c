/* tests/unit/test_buckets.c - the place of a task among those of its name, in iterations that have no end. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/config/config.h"
#include "tests/lib/check.h"

/* In place of StarPU, which need not be there: what plugin/buckets.c asks it, of a task that has a name alone. */
#define PLUGIN_STARPU_API_H
struct starpu_task {
	const char *name;
	int priority;
};

static const char *name_of(struct starpu_task *task)
{
	return task->name;
}

static const char *no_model(struct starpu_task *task)
{
	(void)task;
	return NULL;
}

static uint32_t no_data(struct starpu_task *task)
{
	(void)task;
	return 0;
}

static int *task_priority(struct starpu_task *task)
{
	return &task->priority;
}

static const struct {
	const char *(*starpu_task_get_name)(struct starpu_task *task);
	const char *(*starpu_task_get_model_name)(struct starpu_task *task);
	uint32_t (*starpu_task_data_footprint)(struct starpu_task *task);
} sp = {name_of, no_model, no_data};

/* The scheduler library is no part of libheterotune.a. */
#include "plugin/buckets.c"

void codelet_name_task(struct starpu_task *task)
{
	(void)task;
}

/* Each iteration has three tasks. */
uint32_t live_iteration(uint32_t index)
{
	return 1 + index / 3;
}

static struct config_member members[] = {
	{.codelet = "gemm", .limits = MEMBER_SUBMISSION, .submission = {0, 1}},
	{.codelet = "gemm", .limits = MEMBER_SUBMISSION, .submission = {2, UINT32_MAX}},
};
static struct config_bucket buckets[] = {{.members = &members[0], .nmembers = 1},
                                         {.members = &members[1], .nmembers = 1}};
static const struct config config = {.buckets = buckets, .nbuckets = 2};
static struct starpu_task gemm = {.name = "gemm"}, other = {.name = "other"};

static void test_places_of_an_iteration(void)
{
	buckets_open(&config);
	for (uint32_t i = 0; i < 6; i++) {
		CHECK_INT(buckets_place(&other, i), 0);
		CHECK_INT(buckets_place(&gemm, i), i % 3);
		CHECK_INT(buckets_of(&gemm, i % 3), i % 3 == 2);
	}
	CHECK_INT(buckets_of(&other, 0), -1);
	buckets_close();
}

/* The place that is the last one is that of all later tasks: "2.." has no end. */
static void test_places_have_an_end(void)
{
	buckets_open(&config);
	CHECK_INT(buckets_place(&gemm, 0), 0);
	own.next[kind_of(&gemm)] = UINT32_MAX - 1;
	for (uint32_t i = 0; i < 3; i++) {
		uint32_t place = buckets_place(&gemm, 1);

		CHECK_INT(place, i ? UINT32_MAX : UINT32_MAX - 1);
		CHECK_INT(buckets_of(&gemm, place), 1);
	}
	buckets_close();
}

static void test_no_config(void)
{
	buckets_open(NULL);
	CHECK_INT(buckets_nkinds(), 0);
	CHECK(!buckets_know(&gemm));
	CHECK_INT(buckets_place(&gemm, 0), 0);
	CHECK_INT(buckets_of(&gemm, 0), -1);
	buckets_close();
}

int main(void)
{
	RUN(test_places_of_an_iteration);
	RUN(test_places_have_an_end);
	RUN(test_no_config);
	return check_done();
}
