/* core/machine/machine.h - a machine: workers, memory nodes, links. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef CORE_MACHINE_MACHINE_H
#define CORE_MACHINE_MACHINE_H

#include <stdint.h>

#include "core/machine/arch.h"

struct arena;
struct ht_err;

enum { MACHINE_MAX_WORKERS = 4096, MACHINE_MAX_NODES = 64 };

/* Of a link, a segment or the network: what a copy crosses adds up. */
#define MACHINE_MOST_LATENCY_NS INT64_C(1000000000000)

struct machine_worker {
	enum arch arch;
	int devid;        /* number among the devices of its architecture */
	int node;         /* memory node, index into nodes[] */
	int binding;      /* logical core the thread is bound to; -1 unknown */
	const char *name; /* "CPU 0", "CUDA 0.0" */
};

struct machine_node {
	enum arch arch; /* whose memory it is; ARCH_CPU: main memory */
	int devid;
	int64_t capacity_bytes; /* 0: not known, taken as unlimited */
	int rank;               /* of MPI; nodes of one rank follow each other, main memory first */
};

struct machine_link {
	int from, to;       /* nodes */
	double bytes_per_s; /* when no other copy is on the way */
	int64_t latency_ns;
	int first_crossing, ncrossings; /* what it crosses, in machine.crossings; 0: not known */
};

/* A part of the bus that copies share: a bridge in one direction, the host's; or one that is a link's own. */
struct machine_segment {
	const char *name;
	double bytes_per_s;
	int64_t latency_ns; /* as its share of that of a link */
};

/*
 * Between ranks: what one message takes when nothing else is sent is latency_ns + bytes / bytes_per_s, and the messages
 * out of a rank, or into one, have link_bytes_per_s together.
 */
struct machine_network {
	double bytes_per_s, link_bytes_per_s; /* 0: messages take no time but the latency */
	int64_t latency_ns;
};

/* One entry per worker, node and directed pair of nodes that has a link; sorted by id, and by (from, to). */
struct machine {
	const char *name; /* host name, "" when not known */
	struct machine_worker *workers;
	int nworkers;
	struct machine_node *nodes;
	int nnodes;
	struct machine_link *links;
	int nlinks;
	struct machine_segment *segments;
	int nsegments;
	int *crossings; /* segments; one that a link crosses twice stands twice */
	int ncrossings;
	struct machine_network network;
	struct arena *arena;
};

void machine_free(struct machine *m);
int machine_workers_of(const struct machine *m, enum arch a);
/* How many MPI ranks it is the machine of, and that of one: its workers, nodes and links, numbered from 0. */
int machine_ranks(const struct machine *m);
void machine_rank_counts(const struct machine *m, int rank, int counts[ARCH_COUNT]); /* its workers */
struct machine *machine_of_rank(const struct machine *m, int rank);

void machine_counts(const struct machine *m, int counts[ARCH_COUNT]); /* workers of each architecture */
arch_mask machine_archs(const struct machine *m);

/* NULL where the two nodes have no link. */
const struct machine_link *machine_link_between(const struct machine *m, int from, int to);

/*
 * The bandwidth of the widest link between main memory and a device, as "Host" has it in StarPU's description of a bus
 * (platform.xml); 0: there is none. Where `m` has no segments, all copies to and from devices are taken to share one
 * host link of this bandwidth (bottleneck.h).
 */
double machine_host_bytes_per_s(const struct machine *m);

/*
 * A machine as a string: `cuda:4@12G cpu:20 link:12GB/s`. ARCH:COUNT makes COUNT workers; cpu workers share node 0,
 * every other worker has a node of its own, of the size after '@' (K, M, G; optional). link: bandwidth between main
 * memory and each device (default 12GB/s); latency: of each such copy (default 10us; ns, us, ms, s).
 *
 * Workers have the order of the words. StarPU's is CUDA, HIP, OpenCL, other devices, CPUs (1.4.10, src/core/topology.c,
 * _starpu_init_machine_config()), and which is first among idle workers, or among equals, depends on it.
 */
struct machine *machine_parse(const char *text, struct ht_err *err);

/* machine.xml of a run directory (heterotune-run.5). */
struct machine *machine_load(const char *path, struct ht_err *err);
int machine_save(const struct machine *m, const char *path, struct ht_err *err);

/* Either: a string that names a file is loaded, any other is parsed. */
struct machine *machine_open(const char *text, struct ht_err *err);

/*
 * machine_resize(): `m` with counts[a] workers of each architecture, 0 where `m` has none. What is added is a copy of
 * what is there, in turn: a device's worker with its memory and its links; between two copies of one device a link
 * such as that to the next device of its kind, none where it is the only one. Links keep their width, so all devices
 * share main memory's as before. What is too much is left out from the end, memory with it. NULL: no worker, or more
 * workers or nodes than a machine can have. machine_scale(): the same of a text, "cuda=8,cpu=40"; architectures that
 * are not named stay; refused where there are several ranks. machine_copy(): the same machine. machine_free() what they
 * return.
 */
struct machine *machine_resize(const struct machine *m, const int counts[ARCH_COUNT], struct ht_err *err);
struct machine *machine_copy(const struct machine *m);
struct machine *machine_scale(const struct machine *m, const char *counts, struct ht_err *err);

/*
 * `m` with other capacities: "cuda=600M,opencl=2G", the memory of each device of an architecture, in bytes or with K,
 * M, G or T (powers of 1024); 0: not known, taken as unlimited. machine_free() it.
 */
struct machine *machine_limit(const struct machine *m, const char *capacities, struct ht_err *err);

/* The node of `m` that has the architecture and the number of one of `of`; main memory (0) where there is none. */
int machine_node_like(const struct machine *m, const struct machine *of, int node);

/* NULL when every invariant holds, else what is broken. */
const char *machine_check(const struct machine *m);

/* The node that the rank itself gives that number, among all of `m`; -1: there is none. */
int machine_rank_node(const struct machine *m, int rank, int node);

/*
 * "cuda 0", "main memory", "main memory 1" where a rank has several; "node 5" that the machine does not have. Of a
 * machine of several ranks: machine_node_name() is "1: cuda 0"; machine_rank_node_name(), of a node as the rank numbers
 * it, leaves out which rank it is. They return buf.
 */
const char *machine_node_name(const struct machine *m, int node, char buf[32]);
const char *machine_rank_node_name(const struct machine *m, int rank, int node, char buf[32]);

/*
 * The name that StarPU gives this machine: the first of STARPU_MPI_HOSTNAMES, else STARPU_HOSTNAME, else the host's,
 * cut at the first dot; "" where none is known. free() it.
 */
char *machine_host(void);

/* Whether they can be names of machines of one kind: they differ in numbers alone, or one is not known (""). */
int machine_names_match(const char *x, const char *y);

/* "20 cpu + 4 cuda" in buf; returns buf. It is the machine's fingerprint together with its name and codelets. */
const char *machine_summary(const struct machine *m, char *buf, int size);

#endif
