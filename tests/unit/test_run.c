/* tests/unit/test_run.c - what makes a directory a run; what lacks, and what is not of a run, has a sentence. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/run/run.h"

#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "core/base/alloc.h"
#include "core/base/err.h"
#include "core/base/file.h"
#include "core/dag/dag.h"
#include "core/perfmodel/model.h"
#include "core/run/manifest.h"
#include "core/trace/trace.h"
#include "tests/lib/check.h"
#include "tests/lib/invariants.h"

#define MARK "\xef\xbb\xbf"

static char dir[] = "/tmp/heterotune-test-XXXXXX";

static void put(const char *name, const char *text)
{
	char *path = ht_asprintf("%s/%s", dir, name), *slash = strrchr(path, '/');
	FILE *f;

	*slash = '\0';
	dir_create(path, NULL);
	*slash = '/';
	f = fopen(path, "w");
	fputs(text, f);
	fclose(f);
	free(path);
}

/* A run of two tasks of two workers. */
static void begin(void)
{
	dir_remove(dir);
	put("tasks.rec", "Name: potrf\nModel: m\nJobId: 1\nWorkerId: 0\nStartTime: 0\nEndTime: 1\n\n"
	                 "Name: gemm\nModel: n\nJobId: 2\nWorkerId: 1\nStartTime: 1\nEndTime: 2\n\n");
}

static void refused(const char *file, const char *sentence)
{
	struct ht_err err = {""};

	CHECK(!run_open(dir, &err));
	CHECK_HAS(err.text, dir);
	CHECK_HAS(err.text, file);
	CHECK_HAS(err.text, sentence);
}

static void what_is_no_run(void)
{
	struct ht_err err = {""};
	char *file;

	begin();
	file = ht_asprintf("%s/tasks.rec", dir);
	CHECK(!run_open(file, &err));
	CHECK_HAS(err.text, "is a file, expected a run directory");
	unlink(file);
	free(file);
	refused("", "has neither fxt/ nor tasks.rec: not a run directory");
	file = ht_asprintf("%s/run/fxt", dir);
	CHECK_INT(dir_create(file, &err), 0);
	free(file);
	refused("", "not a run directory; did you mean ");
	refused("", "/run?");
	dir_remove(dir);
	refused("", "cannot be read");
}

/* Lines of one codelet hold together; empty ones and other codelets are passed over. A line may end with CR LF. */
static void where_codelets_can_run(void)
{
	static const char *const bad[] = {"potrf cpu\n", "potrf\t\n",           "potrf\tcpu gpu\n",
	                                  "\tx\n",       "potrf\tcpu\tmodel\n", "potrf\t\tno model\n"};
	struct ht_err err = {""};
	struct run *r;

	begin();
	put("where.tsv", "potrf\tcpu\tno model\r\n\r\nother\tcpu\npotrf\tcuda  opencl");
	put("manifest", "format: " MANIFEST_FORMAT "\r\n\r\ncommand: ./app\r\n");
	r = run_open(dir, &err);
	CHECK_STR(err.text, "");
	REQUIRE(r);
	CHECK_STR(manifest_get(&r->manifest, "command"), "./app");
	for (size_t i = 0; i < r->trace->ncodelets; i++) {
		const struct trace_codelet *c = &r->trace->codelets[i];
		int is_potrf = strcmp(trace_text(r->trace, c->label), "potrf") == 0;

		CHECK_INT(c->where, is_potrf ? 1 << ARCH_CPU | 1 << ARCH_CUDA | 1 << ARCH_OPENCL : 0);
		CHECK_INT(c->has_no_model, is_potrf);
	}
	for (uint32_t i = 0; i < r->dag->ntypes; i++)
		CHECK_INT(r->dag->types[i].has_no_model, strcmp(r->dag->types[i].name, "potrf") == 0);
	run_free(r);
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		begin();
		put("where.tsv", bad[i]);
		refused("where.tsv:1: ", "expected a codelet, a tab and architectures, found \"");
	}
}

/* Some editors put a byte order mark in front of UTF-8: it is of no name and no field. */
static void byte_order_marks(void)
{
	struct ht_err err = {""};
	char *copy = ht_asprintf("%s/copy", dir), *manifest = ht_asprintf("%s/manifest", dir);
	struct run *r;
	size_t len = 0;
	FILE *f;

	begin();
	put("tasks.rec", MARK "Name: potrf\nModel: m\nJobId: 1\nWorkerId: 0\nFootprint: b\nHandles: 1\nModes: R\n"
	                      "StartTime: 0\nEndTime: 1\n\n");
	put("data.rec", MARK "Handle: 1\nHomeNode: 0\n\n");
	put("where.tsv", MARK "potrf\tcuda\n");
	put("footprints.tsv", MARK "1\tb\tb1\n");
	put("manifest", MARK "format: " MANIFEST_FORMAT "\n");
	r = run_open(dir, &err);
	CHECK_STR(err.text, "");
	REQUIRE(r);
	CHECK_STR(trace_text(r->trace, r->trace->codelets[0].label), "potrf");
	CHECK_INT(r->trace->codelets[0].where, 1 << ARCH_CUDA);
	CHECK_INT(r->trace->tasks[0].footprint, 0xb1);
	CHECK_INT(r->trace->handles[0].home_node, 0);
	run_free(r);
	put("manifest", MARK "format: 0\n");
	refused("manifest", "expected the format " MANIFEST_FORMAT ", found \"0\"");
	CHECK_INT(file_copy(manifest, copy, &err), 0); /* byte by byte */
	f = fopen(copy, "r");
	REQUIRE(f);
	while (getc(f) != EOF)
		len++;
	CHECK_INT(len, strlen(MARK "format: 0\n"));
	fclose(f);
	free(copy);
	free(manifest);
}

/* Each process of a program adds the lines of its own. */
static void where_of_many_processes(void)
{
	static const char line[] = "a_codelet_with_a_name_that_is_rather_long\tcpu cuda opencl\tno model\n";
	enum { LINES = 16384 };
	size_t len = sizeof(line) - 1;
	char *text = ht_alloc(LINES * len + 1, 1);
	struct ht_err err = {""};
	struct run *r;

	for (size_t i = 0; i < LINES; i++)
		memcpy(text + i * len, line, len);
	begin();
	put("where.tsv", text);
	free(text);
	r = run_open(dir, &err);
	CHECK_STR(err.text, "");
	run_free(r);
}

/*
 * A model that is a function of the program: jobs 1 and 3 have data of one size and take 5 and 70 us on a GPU, by it.
 * Job 4 has another size than its line says, lines differ about job 5, and there is no job 9.
 */
static void lengths_of_functions(void)
{
	static const char *const bad[] = {"m\tcpu\t0\ta\tb\t1\t5\n",     "m\tcpu\t0\ta\tb\t1\t5\t0\t0\n",
	                                  "m\tgpu\t0\ta\tb\t1\t5\t0\n",  "m\tcpu\t-1\ta\tb\t1\t5\t0\n",
	                                  "m\tcpu\t0\tg\tb\t1\t5\t0\n",  "m\tcpu\t0\ta\tb\t0\t5\t0\n",
	                                  "m\tcpu\t0\ta\tb\t1\t0\t0\n",  "m\tcpu\t0\ta\tb\t1\tnan\t0\n",
	                                  "m\tcpu\t0\ta\tb\t1\t5\t-1\n", "\tcpu\t0\ta\tb\t1\t5\t0\n"};
	static const char *const bad_footprints[] = {"1\ta\n",       "x\ta\tb\n",   "1\ta\tbg\n",          "-1\ta\tb\n",
	                                             "1\ta\tb\tc\n", "1\ta\tb\t\n", "1\ta\tb\tcpu\tcuda\n"};
	static const uint32_t footprints[] = {0xa1, 0xb, 0xa3, 0xa, 0xa};
	struct ht_err err = {""};
	const struct model *m;
	struct run *r;
	char *file;

	begin();
	put("tasks.rec", "Name: potrf\nModel: m\nJobId: 1\nWorkerId: 0\nFootprint: a\nStartTime: 0\nEndTime: 1\n\n"
	                 "Name: gemm\nModel: n\nJobId: 2\nWorkerId: 1\nFootprint: b\nStartTime: 1\nEndTime: 2\n\n"
	                 "Name: potrf\nModel: m\nJobId: 3\nWorkerId: 0\nFootprint: a\nStartTime: 1\nEndTime: 4\n\n"
	                 "Name: potrf\nModel: m\nJobId: 4\nWorkerId: 0\nFootprint: a\nStartTime: 4\nEndTime: 5\n\n"
	                 "Name: potrf\nModel: m\nJobId: 5\nWorkerId: 0\nFootprint: a\nStartTime: 5\nEndTime: 6\n\n");
	put("lengths.tsv",
	    "m\tcuda\t0\ta1\ta\t2\t4\t0\r\n\r\nm\tcuda\t0\ta1\ta\t2\t6\t0.5\nm\tcuda\t0\ta3\ta\t4\t70\t0\n"
	    "z\tcpu\t0\ta\ta\t1\t1\t0\n");
	put("footprints.tsv", "1\ta\ta1\r\n3\ta\ta3\n9\ta\ta3\n4\tc\ta4\n1\ta\ta1\n"
	                      "5\ta\ta1\n5\ta\ta3\n5\ta\ta1\n");
	r = run_open(dir, &err);
	CHECK_STR(err.text, "");
	REQUIRE(r);
	for (uint32_t i = 0; i < 5; i++) {
		const struct dag_class *c = &r->dag->classes[r->dag->tasks[i].class_id];

		CHECK_INT(c->footprint, footprints[i]);
		CHECK_INT(dag_class_data_footprint(c), i == 1 ? 0xb : 0xa);
		CHECK_INT(c->cost_ns[ARCH_CUDA], i == 1 ? -1 : i == 0 ? 5000 : i == 2 ? 70000 : 37500);
	}
	m = model_find(r->models, "m");
	CHECK(m && m->is_computed && !model_check(m));
	CHECK(model_find(r->models, "z"));
	run_free(r);
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		put("lengths.tsv", bad[i]);
		refused("lengths.tsv:1: ",
		        "expected a model, an architecture, a device, two footprints, tasks, mean and");
	}
	put("lengths.tsv", "");
	for (size_t i = 0; i < sizeof(bad_footprints) / sizeof(*bad_footprints); i++) {
		put("footprints.tsv", bad_footprints[i]);
		refused("footprints.tsv:1: ",
		        "expected a job, the footprint of its data, its own, and possibly architectures, found \"");
	}
	put("footprints.tsv", "1\ta\tno\n");
	refused("footprints.tsv:1: ", "found \"1\ta\tno\"");
	/* A regular file that can be opened, and not be read: nothing is at address 0. */
	file = ht_asprintf("%s/footprints.tsv", dir);
	CHECK(unlink(file) == 0 && symlink("/proc/self/mem", file) == 0);
	refused("footprints.tsv: ", "cannot be read: ");
	CHECK(unlink(file) == 0);
	free(file);
}

/*
 * Jobs 2 and 4 can run on CPUs alone, job 3 on GPUs, where it did, and job 5 on both, as its codelet can, or as one of
 * two lines has it. Job 1 ran on a GPU. All have the same data, and take the same wherever they can run.
 */
static void tasks_that_can_run_on_less(void)
{
	static const int64_t expected[][2] = {{3000000, 1500000}, {3000000, -1},      {-1, 1500000},
	                                      {3000000, -1},      {3000000, 1500000}, {3000000, 1500000}};
	struct ht_err err = {""};
	struct run *r;

	begin();
	put("where.tsv", "potrf\tcpu cuda\n");
	put("tasks.rec", "Name: potrf\nJobId: 1\nWorkerId: 0\nMemoryNode: 1\nFootprint: a\nStartTime: 0\nEndTime: 1\n\n"
	                 "Name: potrf\nJobId: 2\nWorkerId: 1\nFootprint: a\nStartTime: 1\nEndTime: 3\n\n"
	                 "Name: potrf\nJobId: 3\nWorkerId: 0\nMemoryNode: 1\nFootprint: a\nStartTime: 3\nEndTime: 5\n\n"
	                 "Name: potrf\nJobId: 4\nWorkerId: 1\nFootprint: a\nStartTime: 3\nEndTime: 7\n\n"
	                 "Name: potrf\nJobId: 5\nWorkerId: 1\nFootprint: a\nStartTime: 7\nEndTime: 10\n\n"
	                 "Name: potrf\nJobId: 6\nWorkerId: 1\nFootprint: a\nStartTime: 10\nEndTime: 13\n\n");
	put("footprints.tsv", "2\ta\ta\tcpu\n3\ta\ta\tcuda\n4\ta\ta\tcpu\n5\ta\ta\tcuda+cpu\n"
	                      "6\ta\ta\tcpu\n6\ta\ta\n2\ta\ta\tcpu\n");
	r = run_open(dir, &err);
	CHECK_STR(err.text, "");
	REQUIRE(r);
	CHECK_INT(r->dag->nclasses, 3);
	for (uint32_t i = 0; i < 6; i++) {
		const struct dag_class *c = &r->dag->classes[r->dag->tasks[i].class_id];

		CHECK_INT(c->footprint, 0xa);
		CHECK(!c->is_refined);
		CHECK_INT(c->cost_ns[ARCH_CPU], expected[i][0]);
		CHECK_INT(c->cost_ns[ARCH_CUDA], expected[i][1]);
	}
	run_free(r);
	put("footprints.tsv", "");
	put("where.tsv", "");
}

/* Rows that StarPU has measured come first, and a model that has such rows and others has both. */
static void lengths_beside_samples(void)
{
	struct ht_err err = {""};
	const struct model *m;
	struct run *r;
	char *model;

	begin();
	model = file_read("tests/data/model/v45", 1 << 20, NULL, &err);
	REQUIRE(model);
	put("sampling/codelets/45/m.here", model);
	free(model);
	put("lengths.tsv", "m\tcpu\t0\ta\ta\t1\t5\t0\nm\tcpu\t0\td\td\t1\t5\t0\n");
	r = run_open(dir, &err);
	CHECK_STR(err.text, "");
	REQUIRE(r);
	m = model_find(r->models, "m");
	REQUIRE(m);
	CHECK_INT(m->nentries, 6);
	CHECK_NEAR(model_mean_us(m, ARCH_CPU, 0xa), 80, 1e-15);
	CHECK_NEAR(model_mean_us(m, ARCH_CPU, 0xd), 5, 1e-15);
	run_free(r);
}

/* A codelet for each task, such as names with a number; and a model of more sizes. */
static void many_codelets(void)
{
	enum { MANY = 30000, SIZES = 100000, ALIKE = 150, LINE = ALIKE + 128 };
	struct text {
		char *bytes, *end;
	} texts[4]; /* of the files */
	static const char *const names[] = {"tasks.rec", "where.tsv", "lengths.tsv", "sampling/codelets/45/m.here"};
	struct ht_err err = {""};
	struct run *r;
	clock_t from;

	for (int k = 0; k < 4; k++)
		texts[k].end = texts[k].bytes = ht_alloc((size_t)MANY * 2 * LINE, 1);
	texts[3].end += sprintf(texts[3].end, "45 1 1 0 0 1 1 %d\n0 0 0 0 nan nan 0 0 0\nnan nan nan\n0\n", SIZES);
	for (int i = 0; i < MANY; i++) {
		texts[0].end += sprintf(texts[0].end,
		                        "Name: %0*d\nJobId: %d\nWorkerId: 0\nStartTime: %d\nEndTime: %d\n\n", ALIKE, i,
		                        i + 1, i, i + 1);
		texts[1].end += sprintf(texts[1].end, "%0*d\tcpu cuda\n", ALIKE, i);
	}
	for (int i = 0; i < SIZES; i++) {
		texts[2].end += sprintf(texts[2].end, "m\tcpu\t0\t%x\t%x\t1\t5\t0\n", SIZES + i, SIZES + i);
		texts[3].end += sprintf(texts[3].end, "%08x 8 0 5 0 1 1 10\n", i);
	}
	begin();
	for (int k = 0; k < 4; k++) {
		put(names[k], texts[k].bytes);
		free(texts[k].bytes);
	}
	from = clock();
	r = run_open(dir, &err);
	/* 0.1 s; 2 to 20 s where lines look at all codelets, types at all classes, or rows at all rows */
	CHECK(clock() - from < CLOCKS_PER_SEC);
	CHECK_STR(err.text, "");
	REQUIRE(r);
	CHECK_INT(r->dag->ntypes, MANY);
	CHECK_INT(r->dag->types[MANY - 1].declared, 1 << ARCH_CPU | 1 << ARCH_CUDA);
	CHECK_INT(model_find(r->models, "m")->nentries, 2 * SIZES);
	run_free(r);
}

static void files_of_something_else(void)
{
	begin();
	put("machine.xml", "<machine name=\"\"><node id=\"0\" arch=\"cpu\" devid=\"0\" capacity=\"0\"/>"
	                   "<worker id=\"0\" arch=\"cpu\" devid=\"0\" node=\"0\" binding=\"-1\" name=\"\"/></machine>");
	refused("machine.xml: ", "has 1 workers, expected the 2 of the trace");
	begin();
	put("manifest", "no such thing\n");
	refused("manifest:1: ", "expected \"key: value\", found \"no such thing\"");
	begin();
	put("sampling/codelets/44/potrf.here", "##################\n# Performance Model Version\n-1\n");
	refused("potrf.here:3: ", "expected a version of the format");
	begin();
	put("fxt/prof_file_0", "no FxT file");
	refused("prof_file_0: ", "too few for an FxT trace");
}

/* A trace of several ranks is as large as its largest file; another run has none. */
static void size_of_a_trace(void)
{
	begin();
	CHECK_INT(run_trace_bytes(dir), 0);
	put("fxt/b", "12345");
	put("fxt/a", "123456789");
	put("fxt/c", "");
	CHECK_INT(run_trace_bytes(dir), 9);
}

/* A run that is called no more than "run" has its program's name, from a command that is quoted for a shell. */
static void names(void)
{
	static const struct {
		const char *path, *command, *name;
	} cases[] = {
		{"chol.ht", "./app -n 4", "chol.ht"},
		{"out/run/", "./bin/app -n 4", "app"},
		{"run", "", "run"},
		{"run", "'./my bin/my app' 'a b'", "my app"},
		{"run", "'./it'\\''s' x", "it's"},
		{"run", "'no end", "run"},
		{"run", "app\\", "app\\"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const struct run r = {.path = (char *)cases[i].path, .command = cases[i].command};
		char *name = run_name(&r);

		CHECK_STR(name, cases[i].name);
		free(name);
	}
}

/* From inside of it. */
static void name_of_the_working_directory(void)
{
	char *sub = ht_asprintf("%s/chol.ht/fxt", dir), cwd[PATH_MAX];
	const char *paths[] = {"..", "../", "../fxt/..", "../../chol.ht/."};

	CHECK(getcwd(cwd, sizeof(cwd)) && dir_create(sub, NULL) == 0 && chdir(sub) == 0);
	for (size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++) {
		const struct run r = {.path = (char *)paths[i], .command = "./app"};
		char *name = run_name(&r);

		CHECK_STR(name, "chol.ht");
		free(name);
	}
	CHECK_INT(chdir(cwd), 0);
	free(sub);
}

/* A line more, or where it has no room, as on a disk that is full, none. */
static void manifest_gets_a_line(void)
{
	char *path = ht_asprintf("%s/manifest", dir);
	struct ht_err err = {""};
	struct rlimit limit, none;
	struct manifest m;

	put("manifest", "command: ./app\n");
	CHECK_INT(manifest_add(path, "makespans", "1 2\n3", &err), 0);
	CHECK_INT(getrlimit(RLIMIT_FSIZE, &limit), 0);
	none = (struct rlimit){20, limit.rlim_max};
	signal(SIGXFSZ, SIG_IGN);
	CHECK_INT(setrlimit(RLIMIT_FSIZE, &none), 0);
	CHECK_INT(manifest_add(path, "more", "4", &err), -1);
	CHECK_HAS(err.text, "manifest");
	CHECK_INT(setrlimit(RLIMIT_FSIZE, &limit), 0);
	CHECK_INT(manifest_load(&m, path, &err), 0);
	CHECK_STR(manifest_get(&m, "command"), "./app");
	CHECK_STR(manifest_get(&m, "makespans"), "1 2 3");
	CHECK_STR(manifest_get(&m, "more"), "");
	CHECK_INT(m.count, 2);
	manifest_fini(&m);
	put("manifest", "command: ./app\nformat: heterotune-run 2\n");
	CHECK_INT(manifest_load(&m, path, &err), -1);
	CHECK_HAS(err.text,
	          "manifest: expected the format heterotune-run 1, found \"heterotune-run 2\": another heterotune");
	free(path);
}

int main(void)
{
	if (!mkdtemp(dir))
		return 1;
	RUN(what_is_no_run);
	RUN(where_codelets_can_run);
	RUN(byte_order_marks);
	RUN(where_of_many_processes);
	RUN(lengths_of_functions);
	RUN(tasks_that_can_run_on_less);
	RUN(lengths_beside_samples);
	RUN(many_codelets);
	RUN(files_of_something_else);
	RUN(size_of_a_trace);
	RUN(names);
	RUN(name_of_the_working_directory);
	RUN(manifest_gets_a_line);
	dir_remove(dir);
	return check_done();
}
