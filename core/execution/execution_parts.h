/* core/execution/execution_parts.h - what execution_of_run() is made of, in files of their own. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef CORE_EXECUTION_EXECUTION_PARTS_H
#define CORE_EXECUTION_EXECUTION_PARTS_H

#include "core/execution/execution.h"

struct run;

/*
 * Fills in `memory`: data has memory where it is registered, where StarPU has allocated some, and where it is copied
 * to, until that is freed or the data is unregistered. Nothing where the trace has no events of memory, or several
 * ranks.
 */
void execution_add_memory(struct execution *e, const struct run *r);

#endif
