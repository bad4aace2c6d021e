/* tests/fuzz/formats.c - every format the tool reads, and what is done with a damaged file of it. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/fuzz/formats.h"

#include <stddef.h>

/* What can be done with a run. */
#define USES \
	"analyze % --json", "analyze % --metrics --workers --copies --counters --locality", \
		"analyze % --csv --per-task out.csv --timeline out.timeline --per-message out.messages", "check %", \
		"check % --json", "plot % --term blocks", "report % -o out.html", \
		"report ten --predicted % --verified % -o out.html", "compare % ten --json", "compare ten % --csv", \
		"graph % ten --sizes 9,10,12 -o out", "tune % ten -o out.xml --trials 40 -j 1 --finalists out.d", \
		"replay % --policy dmda --overheads --json", \
		"replay % --policy prio --conditions ten --pipeline 3 --json", \
		"tune % -o out.xml --trials 40 -j 1 --json", \
		"tune % -o out.xml --trials 40 -j 1 --json --heteroprio --transfers off", \
		"replay % --policy recorded --json", "replay % --policy heteroprio --json", \
		"replay % --policy laheteroprio --json --transfers on", "replay % --policy dmdas --json", \
		"replay % --policy autoheteroprio --json", "replay % --policy multreeprio --json --durations model", \
		"replay % --policy inspirit --json", "replay % --policy cluster-heft --json", \
		"replay % --policy modular-heteroprio --json --submission none --trace out.json", \
		"replay % --policy online-heft --json --capacity cuda=100M --schedule out.rec", \
		"replay % --policy lws --jitter recorded --repeat 3 --json", \
		"compare % --policy eager ws random dmda heft cpop critical-path modular-heft-prio --csv --timeline out.csv", \
		"control % --csv", "export % --format autoheteroprio -o out.data", \
		"export % --format chrome -o out.json", "export % --format paje -o out.paje", \
		"export % --format dot -o out.dot", "export % --format starvz -o out.d"

#define IMPORT_TASKS "import -o out --tasks %/tasks.rec --paje %/paje.trace --sampling %/sampling --hostname generated"

static const char *const of_run[] = {USES, NULL};
static const char *const of_tasks[] = {IMPORT_TASKS, USES, NULL};
static const char *const of_data[] = {"import -o out --tasks %/tasks.rec --data @", USES, NULL};
static const char *const of_fxt[] = {"import -o out --fxt @", USES, NULL};
static const char *const of_models[] = {IMPORT_TASKS, "check --models %/sampling", "check --models %/sampling --json",
                                        USES, NULL};
static const char *const of_machine[] = {"replay % --policy dmda --machine @ --json",
                                         "graph lu --tiles 3 --machine @ -o out", USES, NULL};
static const char *const of_config[] = {
	"replay % --config @ --json",
	"replay % --config @ --policy laheteroprio --json",
	"report % --config @ -o out.html",
	"compare % --policy "
	"heteroprio dmda --config @ --csv",
	"export @ --format header -o out.h",
	"export @ --format env -o out.sh",
	"export @ --format xml -o out.xml",
	"export @ --format frozen --also opencl -o out.data",
	NULL,
};
static const char *const of_learned[] = {"replay % --policy autoheteroprio:data=@ --json",
                                         "replay % --policy autoheteroprio:data=@,save=out.data --json", NULL};
static const char *const of_mix[] = {"graph pipeline --mix @ --tasks 200 -o out", NULL};
static const char *const of_costs[] = {"graph cholesky --tiles 4 --costs @ -o out", NULL};
static const char *const of_verdict[] = {"report % --verdict @ -o out.html", NULL};
static const char *const of_journal[] = {"tune % -o taken.xml --trials 40 -j 1 --json", NULL};

const struct format formats[] = {
	{"tasks", "runs/*/tasks.rec", of_tasks, 0},
	{"fxt", "runs/*/fxt/*", of_fxt, 0},
	{"command", "commands", NULL, 0},
	{"data", "runs/*/data.rec", of_data, 0},
	{"paje", "runs/*/paje.trace", of_tasks, 0},
	{"machine", "runs/*/machine.xml", of_machine, 0},
	{"manifest", "runs/*/manifest", of_run, 0},
	{"where", "runs/*/where.tsv", of_run, 0},
	{"lengths", "runs/*/lengths.tsv", of_run, 0},
	{"footprints", "runs/*/footprints.tsv", of_run, 0},
	{"model", "runs/*/sampling/codelets/*", of_models, 0},
	{"bus", "runs/*/sampling/bus/*", of_models, 0},
	{"config", "*.xml", of_config, 0},
	{"autoheteroprio", "*.data", of_learned, 0},
	{"mix", "*.mix", of_mix, 0},
	{"costs", "*.costs", of_costs, 0},
	{"verdict", "*.verdict", of_verdict, 1},
	{"journal", "*.journal", of_journal, 1},
	{NULL, NULL, NULL, 0},
};
