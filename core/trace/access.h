/* core/trace/access.h - what a task does with a piece of data. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef CORE_TRACE_ACCESS_H
#define CORE_TRACE_ACCESS_H

#include <stdint.h>

enum { /* bits of data_access.mode, StarPU's, which has more */
       ACCESS_R = 1,
       ACCESS_W = 2,
       ACCESS_SCRATCH = 4,
       ACCESS_REDUX = 8,
       ACCESS_COMMUTE = 16,
       ACCESS_UNORDERED = 32, /* ours, of a live graph: without sequential consistency accesses order nothing */
       ACCESS_WONT_USE = 64,  /* ours: starpu_data_wont_use() was called for what this access wrote */
       ACCESS_MPI_REDUX = 128,
       ACCESS_OF_STARPU = ACCESS_R | ACCESS_W | ACCESS_SCRATCH | ACCESS_REDUX | ACCESS_COMMUTE | ACCESS_MPI_REDUX,
};

/* Large graphs have three times as many as tasks: five bytes each. */
struct __attribute__((packed)) data_access {
	uint32_t handle; /* index of the data; TRACE_NONE in a trace that does not have its registration */
	uint8_t mode;
};

#endif
