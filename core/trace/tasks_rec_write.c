/* core/trace/tasks_rec_write.c - writes records of a tasks.rec in the form of starpu_fxt_tool. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/trace/tasks_rec_write.h"

#include <inttypes.h>

#include "core/trace/access.h"
#include "core/trace/trace.h"

static void put_text(FILE *f, const char *field, const char *text)
{
	if (!*text)
		return;
	fprintf(f, "%s: ", field);
	for (; *text; text++)
		putc((unsigned char)*text < 0x20 ? '?' : *text, f);
	putc('\n', f);
}

static void put_ms(FILE *f, const char *field, int64_t ns)
{
	uint64_t v = ns < 0 ? (uint64_t)-ns : (uint64_t)ns;

	fprintf(f, "%s: %s%" PRIu64 ".%06" PRIu64 "\n", field, ns < 0 ? "-" : "", v / 1000000, v % 1000000);
}

/* In the letters of starpu_fxt_tool (src/debug/traces/starpu_fxt.c of 1.4). */
static void put_mode(FILE *f, uint32_t mode)
{
	static const struct {
		uint32_t bit;
		const char *letters;
	} names[] = {
		{ACCESS_R, "R"},
		{ACCESS_W, "W"},
		{ACCESS_SCRATCH, "S"},
		{ACCESS_REDUX, "X"},
		{ACCESS_MPI_REDUX, "X-mpi"},
		{ACCESS_COMMUTE, "C"},
	};

	putc(' ', f);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (mode & names[i].bit)
			fputs(names[i].letters, f);
}

static void put_accesses(FILE *f, const struct data_access *accesses, uint32_t n, const uint64_t *handle_bytes)
{
	if (n == 0)
		return;
	fputs("Handles:", f);
	for (uint32_t k = 0; k < n; k++)
		fprintf(f, " %" PRIx64, (uint64_t)accesses[k].handle + 1); /* an address: 0 is none */
	fputs("\nModes:", f);
	for (uint32_t k = 0; k < n; k++)
		put_mode(f, accesses[k].mode);
	fputs("\nSizes:", f);
	for (uint32_t k = 0; k < n; k++)
		fprintf(f, " %" PRIu64, handle_bytes[accesses[k].handle]);
	putc('\n', f);
}

/* What the task has written is not used soon. */
static void put_wont_use(FILE *f, const struct rec_task *t, uint32_t handle)
{
	fprintf(f, "Control: WontUse\nJobId: %" PRIu64 "\nSubmitOrder: %" PRIu32 "\n", t->job, t->submit_order);
	put_ms(f, "SubmitTime", t->submit_ns);
	fprintf(f, "Handles: %" PRIx64 "\nMPIRank: -1\n\n", (uint64_t)handle + 1);
}

static void put_depends(FILE *f, const uint64_t *depends_on, uint32_t n)
{
	if (!n)
		return;
	fputs("DependsOn:", f);
	for (uint32_t k = 0; k < n; k++)
		fprintf(f, " %" PRIu64, depends_on[k]);
	putc('\n', f);
}

void tasks_rec_write(FILE *f, const struct rec_task *t)
{
	put_text(f, "Name", t->name);
	put_text(f, "Model", t->model);
	fprintf(f, "JobId: %" PRIu64 "\nSubmitOrder: %" PRIu32 "\nPriority: %" PRId32 "\n", t->job, t->submit_order,
	        t->priority);
	put_depends(f, t->depends_on, t->ndepends);
	fprintf(f, "WorkerId: %d\nMemoryNode: %d\n", t->worker, t->node);
	put_ms(f, "SubmitTime", t->submit_ns);
	put_ms(f, "StartTime", t->start_ns);
	put_ms(f, "EndTime", t->end_ns);
	fprintf(f, "Footprint: %" PRIx32 "\n", t->footprint);
	put_accesses(f, t->accesses, t->naccesses, t->handle_bytes);
	fputs("MPIRank: -1\n\n", f);
	for (uint32_t k = 0; k < t->naccesses; k++)
		if (t->accesses[k].mode & ACCESS_WONT_USE)
			put_wont_use(f, t, t->accesses[k].handle);
}

void tasks_rec_write_acquire(FILE *f, uint64_t job, int64_t submit_ns, const uint64_t *depends_on, uint32_t ndepends)
{
	fprintf(f, "Name: " TRACE_ACQUIRE "\nJobId: %" PRIu64 "\nPriority: 0\n", job);
	put_depends(f, depends_on, ndepends);
	put_ms(f, "SubmitTime", submit_ns);
	fputs("Footprint: 0\nMPIRank: -1\n\n", f);
}

void tasks_rec_write_barrier(FILE *f, uint64_t job, int64_t start_ns, int64_t end_ns)
{
	fprintf(f, "Control: " TASKS_REC_BARRIER "\nJobId: %" PRIu64 "\n", job);
	put_ms(f, "SubmitTime", start_ns);
	put_ms(f, "EndTime", end_ns);
	fputs("MPIRank: -1\n\n", f);
}
