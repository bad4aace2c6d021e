/* export/format_execution.c - what a run did when, in the forms that viewers of traces read. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/base/file.h"
#include "core/execution/execution.h"
#include "export/export.h"

static int write_execution(const struct export_source *s, const struct execution_format *form, const char *out,
                           struct ht_err *err)
{
	struct execution *e;
	struct outfile o;

	if (outfile_open(&o, out, err) != 0)
		return -1;
	e = execution_of_run(s->run);
	form->write(e, o.f);
	execution_free(e);
	return outfile_commit(&o, err);
}

static int write_paje(const struct export_source *s, const char *out, struct ht_err *err)
{
	return write_execution(s, &execution_paje, out, err);
}

static int write_chrome(const struct export_source *s, const char *out, struct ht_err *err)
{
	return write_execution(s, &execution_chrome, out, err);
}

const struct export_format format_paje = {
	.name = "paje",
	.mark = "%EventDef",
	.summary = "a Paje trace of a run, with StarPU's containers, for ViTE and PajeNG",
	.from = EXPORT_RUN,
	.write = write_paje,
};

const struct export_format format_chrome = {
	.name = "chrome",
	.mark = "\"traceEvents\"",
	.summary = "a timeline of a run as JSON, for Perfetto, chrome://tracing and Speedscope",
	.from = EXPORT_RUN,
	.write = write_chrome,
};
