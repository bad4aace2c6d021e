/* tests/unit/test_config.c - what is legal, the file and back, which machines fit, names and numbers for StarPU. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <locale.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/base/err.h"
#include "core/base/file.h"
#include "core/base/number.h"
#include "core/config/config.h"
#include "core/config/config_match.h"
#include "core/machine/machine.h"
#include "tests/lib/check.h"

#define HEAD    "<config version=\"1\" policy=\"heteroprio\" chosen=\"PRWS\" starpu=\"1.4\">"
#define MACHINE "<machine name=\"m\"><workers arch=\"cpu\" count=\"20\"/><workers arch=\"cuda\" count=\"4\"/></machine>"
#define GEMM \
	"<bucket id=\"0\" name=\"gemm\" where=\"cpu cuda\" fastest=\"cuda\"><member codelet=\"gemm\"/>" \
	"<slow arch=\"cpu\" factor=\"29\"/></bucket>"
#define POTRF "<bucket id=\"1\" name=\"potrf\" where=\"cpu\"><member model=\"potrf\"/></bucket>"
#define LISTS \
	"<list arch=\"cpu\"><slot bucket=\"1\"/><slot bucket=\"0\"/></list>" \
	"<list arch=\"cuda\"><slot bucket=\"0\"/></list>"
#define TAIL "</config>"
#define RANGES(attr, range) \
	"<bucket id=\"0\" name=\"g\" where=\"cpu\"><member codelet=\"g\" " attr "=\"" range "\"/>" \
	"</bucket><list arch=\"cpu\"><slot bucket=\"0\"/></list>"
#define NAMES(codelet_, model_) \
	{ \
		.codelet = (codelet_), .model = (model_) \
	}

static char dir[] = "/tmp/test_config.XXXXXX";
static char path[64], other[64];

static void put(const char *text)
{
	FILE *f = fopen(path, "w");

	if (f) {
		fputs(text, f);
		fclose(f);
	}
}

static struct config *load(const char *text, struct ht_err *err)
{
	put(text);
	return config_load(path, err);
}

static void numbers_read_back(void)
{
	static const double values[] = {
		0,    1,    29, 0.1, 1.0 / 3, 2.0 / 3 * 1e-7, 1e300, 5e-324, 123456789.123456789, 0.30000000000000004,
		1e22, -2.5,
	};
	char buf[32];

	for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++) {
		double back = -1;

		CHECK_INT(number_parse(number_text(buf, values[i]), &back), 0);
		CHECK(back == values[i]);
	}
	CHECK_STR(number_text(buf, 0.1), "0.1");
	CHECK_STR(number_text(buf, 29), "29");
}

static void numbers_refuse(void)
{
	static const char *const bad[] = {"",      " 1",   "1 ",    "1,5", "nan", "inf",
	                                  "1e999", "0x10", "1.2.3", "--1", "1e",  "."};
	int64_t whole;
	double v = 7;

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		CHECK_INT(number_parse(bad[i], &v), -1);
	CHECK(v == 7);
	CHECK_INT(number_parse_int("9223372036854775807", 0, INT64_MAX, &whole), 0);
	CHECK_INT(whole, INT64_MAX);
	CHECK_INT(number_parse_int("9223372036854775808", 0, INT64_MAX, &whole), -1);
	CHECK_INT(number_parse_int("-1", 0, 9, &whole), -1);
	CHECK_INT(number_parse_int("-", -9, 9, &whole), -1);
	CHECK_INT(number_parse_int("1x", 0, 9, &whole), -1);
}

static void numbers_ignore_the_locale(void)
{
	static const char *const locales[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8",
	                                      "fr_FR.utf8",  "de_DE",      "fr_FR"};
	char buf[32];
	double v;
	int set = 0;

	for (size_t i = 0; !set && i < sizeof(locales) / sizeof(*locales); i++)
		set = setlocale(LC_NUMERIC, locales[i]) != NULL;
	if (!set)
		SKIP("no locale with a decimal comma is installed");
	CHECK_STR(number_text(buf, 2.5), "2.5");
	CHECK_INT(number_parse("2.5", &v), 0);
	CHECK(v == 2.5);
	setlocale(LC_NUMERIC, "C");
}

/* A config with everything in it. */
static struct config *full(void)
{
	static struct config_member members[2][2] = {{NAMES("gemm", "chol_model_gemm"), NAMES("", "dgemm")},
	                                             {NAMES("po<&>\"trf", "")}};
	static struct config_bucket buckets[2];
	static struct config_fewer fewer[1] = {{{[ARCH_CPU] = 20, [ARCH_CUDA] = 2}, 7, INT64_MAX}};
	static struct config_trial trials[2] = {{"PRWS", "replay", 123456789}, {"run", "recorded", INT64_MAX}};
	struct config *c = config_create();

	buckets[0] = (struct config_bucket){
		.name = "gemm",
		.where = 1 << ARCH_CPU | 1 << ARCH_CUDA | 1 << ARCH_OPENCL,
		.members = members[0],
		.nmembers = 2,
		.fastest = ARCH_CUDA,
		.slow_factor = {[ARCH_CPU] = 29.000000000000004, [ARCH_OPENCL] = 1.0 / 3},
	};
	buckets[1] = (struct config_bucket){
		.name = "a\nb",
		.where = 1 << ARCH_CPU,
		.members = members[1],
		.nmembers = 1,
		.fastest = ARCH_NONE,
	};
	c->chosen = "PRWS";
	c->buckets = buckets;
	c->nbuckets = 2;
	c->lists[ARCH_CPU] = (struct config_list){.buckets = {1, 0}, .count = 2};
	c->lists[ARCH_CUDA] = (struct config_list){.buckets = {0}, .count = 1};
	c->locality = (struct config_locality){
		.enabled = 1,
		.push = "LS_SDHB",
		.step = {[ARCH_CUDA] = 2},
		.subgroup = {[ARCH_CPU] = 3},
	};
	c->starpu_env =
		(struct starpu_env){{[STARPU_ENV_CPUS] = 18, [STARPU_ENV_PIPELINE] = 3, [STARPU_ENV_NO_PREFETCH] = 1}};
	c->starpu_env_gain[STARPU_ENV_PIPELINE] = 0.0125;
	c->fallback = (struct config_fallback){.policy = "dmda", .knobs = "beta=3", .fewer = fewer, .nfewer = 1};
	c->machine_name = "sirocco";
	c->workers[ARCH_CPU] = 20;
	c->workers[ARCH_CUDA] = 4;
	c->trials = trials;
	c->ntrials = 2;
	c->bound_ns = 42;
	c->run = "some where/run.ht";
	return c;
}

static void saving_and_loading_is_the_identity(void)
{
	struct config *c = full(), *back, *again;
	char *first = NULL, *second = NULL;
	struct ht_err err = {""};

	CHECK_INT(config_save(c, path, &err), 0);
	back = config_load(path, &err);
	CHECK_STR(err.text, "");
	if (!back) {
		check_failures++;
		goto out;
	}
	CHECK(back->buckets[0].slow_factor[ARCH_CPU] == 29.000000000000004);
	CHECK(back->buckets[0].slow_factor[ARCH_OPENCL] == 1.0 / 3);
	CHECK_STR(back->buckets[1].name, "a\nb");
	CHECK_STR(back->buckets[1].members[0].codelet, "po<&>\"trf");
	CHECK_INT(back->buckets[1].fastest, ARCH_NONE);
	CHECK_INT(back->trials[1].makespan_ns, INT64_MAX);
	CHECK_INT(back->locality.step[ARCH_CUDA], 2);
	CHECK_INT(back->locality.subgroup[ARCH_CPU], 3);
	CHECK_INT(back->starpu_env.value[STARPU_ENV_CPUS], 18);
	CHECK_INT(back->starpu_env.value[STARPU_ENV_PIPELINE], 3);
	CHECK_INT(back->starpu_env.value[STARPU_ENV_NO_PREFETCH], 1);
	CHECK(back->starpu_env_gain[STARPU_ENV_PIPELINE] == 0.0125 && back->starpu_env_gain[STARPU_ENV_CPUS] == 0);
	CHECK_INT(back->lists[ARCH_CPU].buckets[0], 1);
	CHECK_STR(back->fallback.policy, "dmda");
	CHECK_STR(back->fallback.knobs, "beta=3");
	CHECK_INT(back->fallback.nfewer, 1);
	CHECK_INT(back->fallback.fewer[0].workers[ARCH_CUDA], 2);
	CHECK_INT(back->fallback.fewer[0].fallback_ns, INT64_MAX);
	CHECK_INT(config_save(back, other, &err), 0);
	first = file_read(path, 1 << 20, NULL, NULL);
	second = file_read(other, 1 << 20, NULL, NULL);
	CHECK(first && second && strcmp(first, second) == 0);
	again = config_load(other, &err);
	CHECK(again != NULL);
	config_free(again);
out:
	free(first);
	free(second);
	config_free(back);
	config_free(c);
}

static void what_is_refused(void)
{
	static const struct {
		const char *text, *part;
	} cases[] = {
		{"", "expected well-formed XML"},
		{"<config/>", ":1: "},
		{"<machine/>", ":1: "},
		{HEAD "\n" MACHINE "\n" GEMM "\n<list arch=\"cpu\"><slot bucket=\"1\"/></list>" TAIL,
	         ":4: the slot names bucket 1, expected one of the 1 there are"},
		{HEAD "\n" MACHINE "\n" POTRF LISTS TAIL, ":3: the bucket's id is 1, expected 0"},
		{HEAD MACHINE GEMM POTRF "<list arch=\"cpu\"><slot bucket=\"1\"/></list>\n"
	                                 "<list arch=\"cuda\"><slot bucket=\"1\"/></list>" TAIL,
	         ":2: a list names a bucket whose tasks cannot run on its architecture"},
		{HEAD MACHINE "\n" GEMM "\n" POTRF "<list arch=\"cpu\"><slot bucket=\"1\"/></list>" TAIL,
	         ":2: a bucket is in no list"},
		{HEAD MACHINE GEMM "<list arch=\"cpu\"><slot bucket=\"0\"/><slot bucket=\"0\"/></list>" TAIL, "twice"},
		{HEAD MACHINE GEMM POTRF LISTS "<locality enabled=\"2\"/>" TAIL, ":1: "},
		{HEAD MACHINE GEMM POTRF LISTS "<locality enabled=\"1\" push=\"best\"/>" TAIL, ":1: "},
		{HEAD MACHINE GEMM POTRF LISTS
	         "\n<locality enabled=\"1\"><arch name=\"cpu\" step=\"101\"/></locality>" TAIL,
	         ":2: arch step is \"101\", expected a whole number from 0 to 100"},
		{HEAD MACHINE GEMM POTRF LISTS "<startup><cpus count=\"21\"/></startup>" TAIL, "more CPU workers"},
		{HEAD MACHINE GEMM POTRF LISTS "<startup><cpus count=\"0\"/></startup>" TAIL, ":1: "},
		{HEAD MACHINE GEMM POTRF LISTS "<startup><pipeline depth=\"5\"/></startup>" TAIL, "depth"},
		{HEAD MACHINE GEMM POTRF LISTS "<startup><prefetch enabled=\"1\"/></startup>" TAIL, ":1: "},
		{HEAD MACHINE GEMM POTRF LISTS "<fallback policy=\"placement\"/>" TAIL, ":1: "},
		{HEAD MACHINE GEMM POTRF LISTS "<fallback policy=\"dmda\" knobs=\"gamma=3\"/>" TAIL,
	         "StarPU has no variable for a knob of the fallback, or cannot read its value"},
		{HEAD MACHINE GEMM POTRF LISTS "<fallback policy=\"dmda\">\n<fewer setting=\"1\" fallback=\"2\">"
	                                       "<workers arch=\"cpu\" count=\"1\"/><workers arch=\"cpu\" count=\"2\"/>"
	                                       "</fewer></fallback>" TAIL,
	         ":2: the workers of cpu are given twice"},
		{HEAD MACHINE GEMM POTRF LISTS "<startup><prefetch enabled=\"0\" gain=\"INF\"/></startup>" TAIL,
	         "gain"},
		{HEAD MACHINE GEMM POTRF LISTS "<evidence run=\"\" bound=\"9223372036854775808\"/>" TAIL, "bound is"},
		{HEAD "<machine name=\"m\"><workers arch=\"cpu\" count=\"5000\"/></machine>" GEMM LISTS TAIL,
	         "count is \"5000\""},
		{HEAD "<machine name=\"m\"><workers arch=\"gpu\" count=\"5\"/></machine>" GEMM LISTS TAIL, ":1: "},
		{HEAD MACHINE "<bucket id=\"0\" name=\"g\" where=\"cpu\"><member/></bucket>"
	                      "<list arch=\"cpu\"><slot bucket=\"0\"/></list>" TAIL,
	         "neither a codelet nor a model"},
		{HEAD MACHINE "\n" RANGES("priority", "7..6") TAIL,
	         ":2: a range of a member of a bucket ends before it begins"},
		{HEAD MACHINE RANGES("submission", "-1..6") TAIL,
	         "submission is \"-1..6\", expected FROM..TO, whole numbers from 0 to 4294967295"},
		{HEAD MACHINE RANGES("priority", "..2147483648") TAIL, "expected FROM..TO"},
		{HEAD MACHINE RANGES("priority", "3") TAIL, ":1: "},
		{HEAD MACHINE RANGES("footprint", "12") TAIL, ":1: "},
		{HEAD MACHINE
	         "<bucket id=\"0\" name=\"g\" where=\"cpu cuda\" fastest=\"cuda\"><member codelet=\"g\"/>"
	         "<slow arch=\"cpu\" factor=\"INF\"/></bucket><list arch=\"cpu\"><slot bucket=\"0\"/></list>" TAIL,
	         "the slow factor of cpu is \"INF\""},
		{HEAD MACHINE
	         "<bucket id=\"0\" name=\"g\" where=\"cpu cuda\" fastest=\"cuda\"><member codelet=\"g\"/>"
	         "<slow arch=\"cpu\" factor=\"-1\"/></bucket><list arch=\"cpu\"><slot bucket=\"0\"/></list>" TAIL,
	         "the slow factor of cpu is \"-1\""},
		{HEAD MACHINE
	         "<bucket id=\"0\" name=\"g\" where=\"cpu\" fastest=\"cuda\"><member codelet=\"g\"/></bucket>"
	         "<list arch=\"cpu\"><slot bucket=\"0\"/></list>" TAIL,
	         "none of those it runs on"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct ht_err err = {""};
		struct config *c = load(cases[i].text, &err);

		CHECK(c == NULL);
		CHECK_HAS(err.text, path);
		CHECK_HAS(err.text, cases[i].part);
		config_free(c);
	}
}

static void a_broken_config_is_not_saved(void)
{
	struct config *c = full();
	struct ht_err err = {""};

	unlink(other);
	c->lists[ARCH_CUDA].buckets[0] = 7;
	CHECK_INT(config_save(c, other, &err), -1);
	CHECK_HAS(err.text, "a list names a bucket that does not exist");
	CHECK(!file_exists(other));
	config_free(c);
}

#define BROKEN(change, sentence) \
	do { \
		struct config *c = full(); \
		change; \
		CHECK_STR(config_check(c), sentence); \
		config_free(c); \
	} while (0)

/* What no file can say, or only with the schema's consent: the makers of configs are held to it too. */
static void what_may_not_be_in_one(void)
{
	static const char priorities[] = "ranks are given as priorities, and the policy takes none",
			  knobs[] = "StarPU has no variable for a knob of the policy, or cannot read its value",
			  factor[] = "a slow factor is not a number from 0 to 1e9",
			  none[] = "a slow factor is for an architecture that is the fastest, or not one of "
				   "the bucket's";
	struct config *whole = full();

	CHECK(!config_check(whole));
	config_free(whole);
	BROKEN(c->policy = "best",
	       "the policy is neither the library's own nor one of StarPU's that work without settings");
	BROKEN((c->policy = "eager", c->has_rank_priorities = 1), priorities);
	BROKEN((c->policy = "dmda", c->knobs = "gamma=3"), knobs);
	BROKEN((c->policy = "dmda", c->knobs = "beta"), knobs);
	BROKEN((c->policy = "dmda", c->knobs = "beta="), knobs);
	BROKEN((c->policy = "dmda", c->knobs = "alpha=1,beta=2x"), knobs);
	BROKEN((c->policy = "dmda", c->knobs = "beta=nan"), knobs);
	BROKEN((c->policy = "dmda", c->knobs = "beta=1e999"), knobs);
	BROKEN((c->policy = "modular-heft", c->knobs = "ntasks_threshold=4.5"), knobs);
	BROKEN((c->policy = "modular-heft", c->knobs = "ntasks_threshold=-1"), knobs);
	BROKEN((c->policy = "dmda", c->knobs = "beta=1,beta=2,beta=3,beta=4,beta=5"), knobs);
	BROKEN(c->fallback.policy = "placement",
	       "the fallback is none of StarPU's schedulers that work without settings of their own");
	BROKEN((c->fallback.fewer = &(struct config_fewer){.setting_ns = -1}), "a makespan is negative");
	BROKEN((c->trials = &(struct config_trial){"a", "replay", -1}, c->ntrials = 1), "a makespan is negative");
	BROKEN(c->bound_ns = -1, "the bound is negative");
	BROKEN(c->workers[ARCH_HIP] = -1, "the number of workers is out of range");
	BROKEN(memset(c->workers, 0, sizeof(c->workers)), "there are no workers");
	BROKEN(c->locality.step[ARCH_CPU] = -1, "a step or subgroup of the locality setting is negative");
	BROKEN(strcpy(c->locality.push, "best"), "the push formula of the locality setting is unknown");
	BROKEN(c->starpu_env.value[STARPU_ENV_PIPELINE] = 5, "the depth of the pipeline is not from 1 to 4");
	BROKEN(c->starpu_env_gain[STARPU_ENV_CPUS] = NAN, "the gain of a startup setting is no number");
	BROKEN(c->nbuckets = 0, "the number of buckets is not from 1 to 100");
	BROKEN(c->nbuckets = CONFIG_MAX_BUCKETS + 1, "the number of buckets is not from 1 to 100");
	BROKEN(c->buckets[0].where = 0, "a bucket runs on no known architecture");
	BROKEN(c->buckets[0].where = 1 << ARCH_COUNT, "a bucket runs on no known architecture");
	BROKEN(c->buckets[0].nmembers = 0, "a bucket has no members");
	BROKEN(c->buckets[0].slow_factor[ARCH_CPU] = 2e9, factor);
	BROKEN(c->buckets[0].slow_factor[ARCH_CPU] = NAN, factor);
	BROKEN(c->buckets[0].slow_factor[ARCH_CUDA] = 2, none);
	BROKEN(c->buckets[1].slow_factor[ARCH_CPU] = 2, none);
	BROKEN(c->lists[ARCH_CPU].count = CONFIG_MAX_BUCKETS + 1, "a list has more than 100 slots");
	BROKEN(c->lists[ARCH_HIP].count = 1, "there is a list for an architecture without workers");
	BROKEN(c->lists[ARCH_CUDA].count = 0,
	       "a slow factor is for a bucket that the fastest architecture does not look at");
}

static void what_the_environment_says(void)
{
	const int workers[ARCH_COUNT] = {[ARCH_CPU] = 20, [ARCH_CUDA] = 4, [ARCH_HIP] = 1};
	const struct starpu_env all = {{18, 3, 1}}, plain = {{0, 0, 0}};
	static const char *const want[] = {"STARPU_NCPU=18", "STARPU_CUDA_PIPELINE=3", "STARPU_HIP_PIPELINE=3",
	                                   "STARPU_PREFETCH=0"};
	struct starpu_env_var vars[STARPU_ENV_MAX_VARS];
	int n = starpu_env_vars(&all, workers, vars);

	CHECK_INT(n, 4);
	for (int i = 0; i < n && i < 4; i++) {
		char text[64];

		snprintf(text, sizeof(text), "%s=%s", vars[i].name, vars[i].value);
		CHECK_STR(text, want[i]);
	}
	CHECK_INT(starpu_env_vars(&plain, workers, vars), 0);
	CHECK(starpu_env_is_plain(&plain) && !starpu_env_is_plain(&all));
}

static void machines_it_fits(void)
{
	struct machine_worker workers[24] = {{0}};
	struct machine m = {.workers = workers, .nworkers = 24};
	struct config *c = full();
	struct ht_err err = {""};

	for (int i = 20; i < 24; i++)
		workers[i].arch = ARCH_CUDA;
	CHECK_INT(config_fits(c, &m, &err), 0);
	m.workers += 2; /* as it is started with 18 CPU workers, and with 17 */
	m.nworkers -= 2;
	CHECK_INT(config_fits(c, &m, &err), 0);
	m.workers++;
	m.nworkers--;
	CHECK_INT(config_fits(c, &m, &err), -1);
	m.workers = workers;
	m.nworkers = 2;
	workers[1].arch = ARCH_OPENCL;
	CHECK_INT(config_fits(c, &m, &err), -1);
	CHECK_STR(err.text, "made for 20 cpu + 4 cuda, this machine has 1 cpu + 1 opencl");
	m.nworkers = 0;
	CHECK_INT(config_fits(c, &m, &err), -1);
	CHECK_HAS(err.text, "this machine has no workers");
	config_free(c);
}

static void names_find_their_bucket(void)
{
	static struct config_member members[4][1] = {
		{NAMES("gemm_gpu", "gemm")},
		{NAMES("gemm_cpu", "gemm")},
		{NAMES("", "potrf")},
		{NAMES("trsm", "")},
	};
	static struct config_bucket buckets[4];
	struct config c = {.buckets = buckets, .nbuckets = 4};
	struct config_match *m;
	static const struct {
		const char *codelet, *model;
		int bucket;
	} cases[] = {
		{"gemm_gpu", "gemm", 0},
		{"gemm_cpu", "gemm", 1},
		{"gemm_cpu", NULL, 1},
		{"gemm_cpu", "", 1},
		{NULL, "gemm", 0},
		{"other", "gemm", 0},
		{"gemm_cpu", "other", 1},
		{"x", "potrf", 2},
		{"potrf", NULL, -1},
		{"trsm", "anything", 3},
		{"x", "y", -1},
		{NULL, NULL, -1},
		{"", "", -1},
		{"gemm", "", -1},
	};

	for (int i = 0; i < 4; i++)
		buckets[i] = (struct config_bucket){.members = members[i], .nmembers = 1};
	m = config_match_create(&c); /* every member has names of its own, so a kind is a bucket */
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		CHECK_INT(config_match_kind(m, cases[i].codelet, cases[i].model), cases[i].bucket);
	config_match_free(m);
}

/* gemm: by footprint, then by priority, then the rest; syrk: by its place in the order of submission. */
#define LIMITED \
	HEAD MACHINE \
		"<bucket id=\"0\" name=\"a\" where=\"cpu\"><member codelet=\"gemm\"/></bucket>" \
		"<bucket id=\"1\" name=\"b\" where=\"cpu\"><member codelet=\"gemm\" priority=\"-3..5\"/>" \
		"<member codelet=\"syrk\" submission=\"..9\"/><member codelet=\"syrk\" submission=\"20..29\"/></bucket>" \
		"<bucket id=\"2\" name=\"c\" where=\"cpu\"><member codelet=\"gemm\" footprint=\"0badcafe\" priority=\"..0\"/>" \
		"<member codelet=\"syrk\" submission=\"10..19\"/><member codelet=\"syrk\" submission=\"40..\"/></bucket>" \
		"<list arch=\"cpu\"><slot bucket=\"0\"/><slot bucket=\"1\"/><slot bucket=\"2\"/></list>" TAIL

static void limits_find_their_bucket(void)
{
	static const struct {
		const char *codelet;
		struct config_task task;
		int bucket;
	} cases[] = {
		{"gemm", {0, 6, 0}, 0},
		{"gemm", {0, 5, 0}, 1},
		{"gemm", {0, -3, 0}, 1},
		{"gemm", {0, -4, 0}, 0},
		{"gemm", {0x0badcafe, INT32_MIN, 7}, 2},
		{"gemm", {0x0badcafe, 0, 7}, 2},
		{"gemm", {0x0badcafe, 1, 7}, 1},
		{"gemm", {0x0badcaff, 0, 7}, 1},
		{"syrk", {0, 0, 0}, 1},
		{"syrk", {0, 0, 9}, 1},
		{"syrk", {0, 0, 10}, 2},
		{"syrk", {0, 0, 19}, 2},
		{"syrk", {0, 0, 29}, 1},
		{"syrk", {0, 0, 30}, -1},
		{"syrk", {0, 0, 39}, -1},
		{"syrk", {0, 0, 40}, 2},
		{"syrk", {0, 0, UINT32_MAX}, 2},
	};
	struct ht_err err = {""};
	struct config *c = load(LIMITED, &err), *back;
	struct config_match *m;
	char *first = NULL, *second = NULL;

	CHECK_STR(err.text, "");
	if (!c)
		return;
	m = config_match_create(c);
	CHECK_INT(config_match_nkinds(m), 2);
	CHECK_INT(config_match_limits(m, config_match_kind(m, "gemm", NULL)), MEMBER_FOOTPRINT | MEMBER_PRIORITY);
	CHECK_INT(config_match_limits(m, config_match_kind(m, "syrk", NULL)), MEMBER_SUBMISSION);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		CHECK_INT(config_match_bucket(m, config_match_kind(m, cases[i].codelet, NULL), &cases[i].task),
		          cases[i].bucket);
	config_match_free(m);
	CHECK_INT(config_save(c, path, &err), 0);
	back = config_load(path, &err);
	CHECK(back != NULL);
	if (back)
		CHECK_INT(config_save(back, other, &err), 0);
	first = file_read(path, 1 << 20, NULL, NULL);
	second = file_read(other, 1 << 20, NULL, NULL);
	CHECK(first && second && strcmp(first, second) == 0);
	CHECK_HAS(first, "priority=\"-3..5\"");
	CHECK_HAS(first, "submission=\"40..\"");
	CHECK_HAS(first, "footprint=\"0badcafe\" priority=\"..0\"");
	free(first);
	free(second);
	config_free(back);
	config_free(c);
}

static void knobs_for_starpu(void)
{
	static const char *const values[][2] = {{"3", "3"},        {"0.5", "5e-1"},   {"1.25", "125e-2"},
	                                        {"0.05", "05e-2"}, {"10.", "10"},     {".5", "5e-1"},
	                                        {"2e3", "2e3"},    {"1.5e3", "15e2"}, {"1.5e-3", "15e-4"},
	                                        {"0.0", "0e-1"},   {"-0.5", "-05e-1"}};
	struct config_knob_var vars[CONFIG_KNOB_VARS];
	char text[CONFIG_KNOB_TEXT], knobs[64];

	for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++) {
		snprintf(knobs, sizeof(knobs), "alpha=%s,beta=2", values[i][0]);
		CHECK_INT(config_knob_vars(knobs, vars, text), 2);
		CHECK_STR(vars[0].name, "STARPU_SCHED_ALPHA");
		CHECK_STR(vars[0].value, values[i][1]);
		CHECK_STR(vars[0].shown, values[i][0]);
		CHECK_STR(vars[1].value, "2");
	}
	CHECK_INT(config_knob_vars("gamma=1", vars, text), -1);
}

static void numbers_for_starpu(void)
{
	struct config *c = full();
	int count = 0;

	/* cpu 1 0, cuda 0: the GPU's first bucket has the largest number. */
	CHECK_INT(config_starpu_number(c, 0), 99);
	CHECK_INT(config_starpu_number(c, 1), 98);
	c->lists[ARCH_CUDA].count = 0;
	CHECK_INT(config_starpu_number(c, 1), 99);
	CHECK_INT(config_starpu_number(c, 0), 98);
	c->nbuckets = CONFIG_MAX_BUCKETS;
	c->lists[ARCH_OPENCL] = (struct config_list){.buckets = {50, 10, 99}, .count = 3};
	for (int b = 0; b < CONFIG_MAX_BUCKETS; b++)
		for (int d = 0; d < CONFIG_MAX_BUCKETS; d++)
			count += config_starpu_number(c, b) == d;
	CHECK_INT(count, CONFIG_MAX_BUCKETS);
	CHECK_INT(config_starpu_number(c, 50), 99);
	CHECK_INT(config_starpu_number(c, 99), 97);
	CHECK_INT(config_starpu_number(c, 1), 96);
	CHECK_INT(config_starpu_number(c, 0), 95);
	CHECK_STR(config_starpu_push("LS_SDHB"), "LC_SMWB");
	CHECK_STR(config_starpu_push("LC_SMWB"), "LS_SDHB");
	CHECK_STR(config_starpu_push("LS_SDH2"), "LS_SDH2");
	CHECK(config_starpu_push("ls_sdh") == NULL);
	config_free(c);
}

#define PLANNED(plan) \
	"<bucket id=\"0\" name=\"g\" where=\"cpu\"><member codelet=\"g\"/></bucket><list arch=\"cpu\"><slot bucket=\"0\"/>" \
	"</list>" plan
#define PLAN(hashes, ranks, owners) \
	"<plan hashes=\"" hashes "\" ranks=\"" ranks "\" longest=\"9\" owners=\"" owners "\"/>"
#define ZEROS          "0000000000000000000000000000"
#define PLACED(places) "<plan hashes=\"1 2 3\" ranks=\"1 2 3\" longest=\"9\" places=\"" places "\"/>"

static void plans_read_back(void)
{
	const char *two = HEAD MACHINE PLANNED(PLAN("0000000f ffffffff", "7 2147483647", "cuda1 - cpu0")
	                                               PLAN("1", "0", "") PLACED("2:cpu0 0:cuda1")) TAIL;
	struct ht_err err = {""};
	struct config *c = load(two, &err);

	REQUIRE(c != NULL);
	CHECK_INT(config_save(c, other, &err), 0);
	config_free(c);
	c = config_load(other, &err);
	REQUIRE(c && c->nplans == 3);
	CHECK_INT(c->plans[0].ntasks, 2);
	CHECK_INT(c->plans[0].hash[0], 15);
	CHECK_INT(c->plans[0].hash[1], UINT32_MAX);
	CHECK_INT(c->plans[0].rank[0], 7);
	CHECK_INT(c->plans[0].rank[1], INT32_MAX);
	CHECK_INT(c->plans[0].longest_us, 9);
	CHECK_INT(c->plans[0].nhandles, 3);
	CHECK_INT(c->plans[0].owner[0].arch, ARCH_CUDA);
	CHECK_INT(c->plans[0].owner[0].devid, 1);
	CHECK_INT(c->plans[0].owner[1].arch, ARCH_NONE);
	CHECK_INT(c->plans[0].owner[2].arch, ARCH_CPU);
	CHECK_INT(c->plans[1].ntasks, 1);
	CHECK_INT(c->plans[1].nhandles, 0);
	CHECK(!c->plans[0].place && !c->plans[1].place);
	REQUIRE(c->plans[2].place != NULL);
	CHECK_INT(c->plans[2].place[0].arch, ARCH_CUDA);
	CHECK_INT(c->plans[2].place[0].devid, 1);
	CHECK_INT(c->plans[2].place[1].arch, ARCH_NONE);
	CHECK_INT(c->plans[2].place[2].arch, ARCH_CPU);
	config_free(c);
}

/* The codelet and the model, one of them, and the same without a footprint. */
static void costs_are_found(void)
{
	static struct config_cost costs[] = {
		{"", "dgemm", 0, 0, {[ARCH_CPU] = 1}},
		{"gemm", "dgemm", 1, 0xff000000, {[ARCH_CPU] = 2}},
		{"gemm", "dgemm", 1, 7, {[ARCH_CPU] = 3, [ARCH_CUDA] = 4}},
		{"gemm", "dgemm", 0, 0, {[ARCH_CPU] = 5, [ARCH_OPENCL] = 6}},
		{"gemm", "", 0, 0, {[ARCH_CPU] = 7}},
	};
	struct ht_err err = {""};
	struct config *c = full(), *back;

	CHECK_INT(config_cost_ns(c, "gemm", "dgemm", 7, ARCH_CPU), -1);
	c->costs = costs;
	c->ncosts = sizeof(costs) / sizeof(*costs);
	CHECK_INT(config_save(c, path, &err), 0);
	back = config_load(path, &err);
	REQUIRE(back);
	CHECK_INT(config_cost_ns(back, "gemm", "dgemm", 7, ARCH_CPU), 3);
	CHECK_INT(config_cost_ns(back, "gemm", "dgemm", 7, ARCH_CUDA), 4);
	CHECK_INT(config_cost_ns(back, "gemm", "dgemm", 7, ARCH_OPENCL), 6);
	CHECK_INT(config_cost_ns(back, "gemm", "dgemm", 0xff000000, ARCH_CPU), 2);
	CHECK_INT(config_cost_ns(back, "gemm", "dgemm", 8, ARCH_CPU), 5);
	CHECK_INT(config_cost_ns(back, "gemm", "dgemm", 8, ARCH_CUDA), -1);
	CHECK_INT(config_cost_ns(back, "gemm", "sgemm", 7, ARCH_CPU), 7);
	CHECK_INT(config_cost_ns(back, "other", "dgemm", 7, ARCH_CPU), 1);
	CHECK_INT(config_cost_ns(back, NULL, "dgemm", 7, ARCH_CPU), 1);
	CHECK_INT(config_cost_ns(back, "other", NULL, 7, ARCH_CPU), -1);
	config_free(back);
	config_free(c);
}

static void plans_refuse(void)
{
	static const struct {
		const char *text, *sentence;
	} bad[] = {
		{HEAD MACHINE PLANNED(PLAN("", "", "")) TAIL, "0 hashes and 0 ranks"},
		{HEAD MACHINE PLANNED(PLAN("1 2", "1", "")) TAIL, "2 hashes and 1 ranks"},
		{HEAD MACHINE PLANNED(PLAN("1 g", "1 1", "")) TAIL, "hash 2 of the plan is \"g\""},
		{HEAD MACHINE PLANNED(PLAN("123456789", "1", "")) TAIL, "hash 1 of the plan"},
		{HEAD MACHINE PLANNED(PLAN("1", "-1", "")) TAIL, "rank 1 of the plan is \"-1\""},
		{HEAD MACHINE PLANNED(PLAN("1", "2147483648", "")) TAIL, "rank 1 of the plan"},
		{HEAD MACHINE PLANNED(PLAN(ZEROS "0001", "1", "")) TAIL, "hash 1 of the plan is \"" ZEROS "...\""},
		{HEAD MACHINE PLANNED(PLAN("1", ZEROS "0007x", "")) TAIL, "rank 1 of the plan is \"" ZEROS "...\""},
		{HEAD MACHINE PLANNED(PLAN("1", "1", "cuda0 gpu1")) TAIL, "owner 2 of the plan is \"gpu1\""},
		{HEAD MACHINE PLANNED(PLAN("1", "1", "cuda")) TAIL, "owner 1 of the plan is \"cuda\""},
		{HEAD MACHINE PLANNED(PLAN("1", "1", "cuda-1")) TAIL, "owner 1 of the plan"},
		{HEAD MACHINE PLANNED(PLACED("3:cpu0")) TAIL, "the place \"3:cpu0\", expected a task from 0 to 2"},
		{HEAD MACHINE PLANNED(PLACED("0:cpu0 cpu0")) TAIL, "the place \"cpu0\""},
		{HEAD MACHINE PLANNED(PLACED("1:gpu0")) TAIL, "the place \"1:gpu0\""},
		{HEAD MACHINE PLANNED(PLACED("-1:cpu0")) TAIL, "the place \"-1:cpu0\""},
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct ht_err err = {""};

		CHECK(load(bad[i].text, &err) == NULL);
		CHECK_HAS(err.text, bad[i].sentence);
	}
}

int main(void)
{
	if (!mkdtemp(dir))
		return 2;
	snprintf(path, sizeof(path), "%s/config.xml", dir);
	snprintf(other, sizeof(other), "%s/other.xml", dir);
	RUN(numbers_read_back);
	RUN(numbers_refuse);
	RUN(numbers_ignore_the_locale);
	RUN(saving_and_loading_is_the_identity);
	RUN(what_is_refused);
	RUN(a_broken_config_is_not_saved);
	RUN(what_may_not_be_in_one);
	RUN(what_the_environment_says);
	RUN(machines_it_fits);
	RUN(names_find_their_bucket);
	RUN(limits_find_their_bucket);
	RUN(numbers_for_starpu);
	RUN(knobs_for_starpu);
	RUN(plans_read_back);
	RUN(plans_refuse);
	RUN(costs_are_found);
	dir_remove(dir);
	return check_done();
}
