/* analyze/findings/finding_where.c - architectures that a type's model knows and that it is taken not to run on. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <inttypes.h>

#include "analyze/findings/finding.h"
#include "core/dag/dag.h"

void finding_where(const struct finding_input *in, const struct finding_check *self, struct findings *out)
{
	for (uint32_t i = 0; i < in->dag->nabsences; i++) {
		const struct dag_absence *x = &in->dag->absences[i];
		const char *name = in->dag->types[x->type].name, *arch = arch_name(x->arch);
		struct finding *f;

		f = finding_add(out, self, 0,
		                "%.60s is taken not to run on %s, which its model knows: none of %" PRIu32
		                " tasks that were ready while a %s worker was free ran there, and %" PRIu32
		                " of %" PRIu32 " of other types did",
		                name, arch, x->tasks, arch, x->others_there, x->others);
		finding_advise(
			f,
			"If it can run there, write a line \"%.60s\", a tab and all its architectures into where.tsv "
			"of the run",
			name);
		finding_show(f, {"tasks", x->tasks}, {"others", x->others}, {"others_there", x->others_there},
		             {"probability", x->probability});
	}
}
