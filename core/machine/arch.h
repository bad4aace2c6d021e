/* core/machine/arch.h - the architectures StarPU drives, and the numbers its files give them. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef CORE_MACHINE_ARCH_H
#define CORE_MACHINE_ARCH_H

#include <stdint.h>

/* Values are those of StarPU 1.4's enum starpu_worker_archtype, which its model files and data files use too. */
enum arch {
	ARCH_CPU = 0,
	ARCH_CUDA = 1,
	ARCH_OPENCL = 2,
	ARCH_MIC = 3, /* StarPU 1.3 and before */
	ARCH_FPGA = 4,
	ARCH_MPI_MS = 5,
	ARCH_TCPIP_MS = 6,
	ARCH_HIP = 7,
	ARCH_SYCL = 8, /* StarPU 1.5 and later */
	ARCH_COUNT = 9,
	ARCH_NONE = -1,
};

/* A set of architectures; bit i is architecture i. Not StarPU's `where`, whose bits differ between its versions. */
typedef uint16_t arch_mask;

/* "cpu", "cuda", ...: the word used in files and options. */
const char *arch_name(enum arch a);

/* "CPU 0", "CUDA 1": what a worker of device `devid` is called where nothing else is known. Returns buf. */
const char *arch_worker_name(enum arch a, int devid, char buf[32]);

/* ARCH_NONE when it names none; case does not matter. `len` bytes of s are read. */
enum arch arch_parse(const char *s, int len);

/* "opencl+hip", `len` bytes of it: 0, or -1 when a word names none. */
int arch_parse_set(const char *s, int len, arch_mask *set);

#endif
