/* core/run/footprints.h - tasks that differ from others of their codelet with such data. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef CORE_RUN_FOOTPRINTS_H
#define CORE_RUN_FOOTPRINTS_H

struct ht_err;
struct trace;

/*
 * footprints.tsv (heterotune-run.5): gives the tasks of one rank that it names the footprints that it has, with which
 * lengths.tsv says what they take, and says on which architectures alone they can run (trace.narrowed). A line whose
 * job the trace does not have, or whose data are not the task's, is of another start of StarPU or another process, and
 * is passed over; of several ranks all are. A task about which lines differ keeps what its data and codelet have.
 */
int footprints_load(struct trace *t, const char *path, struct ht_err *err);

#endif
