/* plugin/starpu/starpu_api.h - StarPU as the program has it: its functions, and where members of its structs are. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef PLUGIN_STARPU_API_H
#define PLUGIN_STARPU_API_H

#include <stddef.h>
#include <stdint.h>

#include <starpu.h>
#include <starpu_heteroprio.h>
#include <starpu_scheduler.h>

/*
 * The library is built against one StarPU and loaded by any other, so it is not linked with StarPU and reads no member
 * of a struct by the header's offset. Functions are looked up in the program, also where it has loaded StarPU with
 * RTLD_LOCAL. Offsets are those of the version that runs: a table (starpu_api.c), which the tests hold against the
 * headers of each StarPU they build with.
 */

/* Without one of these nothing works. */
#define STARPU_API_NEEDED(F) \
	F(starpu_get_version) \
	F(starpu_memory_nodes_get_count) \
	F(starpu_sched_ctx_get_policy_data) \
	F(starpu_sched_ctx_max_priority_is_set) \
	F(starpu_sched_ctx_min_priority_is_set) \
	F(starpu_sched_ctx_set_max_priority) \
	F(starpu_sched_ctx_set_min_priority) \
	F(starpu_sched_get_predefined_policies) \
	F(starpu_task_data_footprint) \
	F(starpu_task_get_model_name) \
	F(starpu_task_get_name) \
	F(starpu_task_init) \
	F(starpu_worker_get_count_by_type) \
	F(starpu_worker_get_type_as_env_var)

/* NULL where StarPU lacks them: StarPU's own Heteroprio cannot be set up then. */
#define STARPU_API_HETEROPRIO(F) \
	F(starpu_heteroprio_set_arch_slow_factor) \
	F(starpu_heteroprio_set_faster_arch) \
	F(starpu_heteroprio_set_mapping) \
	F(starpu_heteroprio_set_nb_prios)

/* NULL where StarPU lacks them: no policy of our own can run, and tasks get no ranks. */
#define STARPU_API_SCHEDULING(F) \
	F(starpu_data_get_home_node) \
	F(starpu_data_get_sched_data) \
	F(starpu_data_get_sequential_consistency_flag) \
	F(starpu_data_get_size) \
	F(starpu_data_prefetch_on_node_prio) \
	F(starpu_data_query_status2) \
	F(starpu_data_set_sched_data) \
	F(starpu_get_prefetch_flag) \
	F(starpu_idle_prefetch_task_input_for_prio) \
	F(starpu_memory_get_total) \
	F(starpu_prefetch_task_input_for_prio) \
	F(starpu_push_task_end) \
	F(starpu_sched_ctx_get_nworkers) \
	F(starpu_sched_ctx_get_workers_list) \
	F(starpu_sched_get_sched_policy_in_ctx) \
	F(starpu_task_expected_data_transfer_time_for) \
	F(starpu_task_footprint) \
	F(starpu_task_get_job_id) \
	F(starpu_task_set_implementation) \
	F(starpu_task_worker_expected_length) \
	F(starpu_timing_now) \
	F(starpu_transfer_bandwidth) \
	F(starpu_transfer_latency) \
	F(starpu_wake_worker_relax_light) \
	F(starpu_worker_can_execute_task_first_impl) \
	F(starpu_worker_get_count) \
	F(starpu_worker_get_devid) \
	F(starpu_worker_get_id) \
	F(starpu_worker_get_memory_node) \
	F(starpu_worker_get_perf_archtype) \
	F(starpu_worker_get_type) \
	F(starpu_worker_is_blocked_in_parallel) \
	F(starpu_worker_relax_off) \
	F(starpu_worker_relax_on)

enum { IMPLEMENTATIONS = 4 }; /* STARPU_MAXIMPLEMENTATIONS, as of starpu_layouts */

/* Bytes from the beginning of each struct, and the sizes of the structs. */
struct starpu_layout {
	int first, last; /* versions: 10000 * major + 100 * minor + revision */
	int narchs;      /* STARPU_NARCH: nothing of StarPU may be asked about another architecture */
	/*
	 * A datum that was prefetched for a task and a worker, where another worker executed the task, ends the program
	 * when it is unregistered (data_interface.c, nb_tasks_prefetch).
	 */
	int binds_prefetches;
	struct {
		size_t size, name, cl, where, nbuffers, dyn_handles, dyn_modes, handles, modes, callback_arg, workerid,
			workerids, workerids_len, priority, type, sched_ctx, sched_data, prologue, transaction,
			prefetched;
		size_t bits; /* the byte that has two of them: no_submitorder and execute_on_a_specific_worker */
		unsigned char no_submitorder_bit, specific_worker_bit;
	} task;
	struct {
		size_t where, can_execute, cpu_funcs, cuda_funcs, cuda_flags, hip_funcs, hip_flags, opencl_funcs,
			opencl_flags, cpu_funcs_name, nbuffers, modes, dyn_modes, model;
	} codelet;
	struct {
		size_t type, cost_function, arch_cost_function, worker_cost_function, size_base, footprint;
	} perfmodel;
	struct {
		size_t size, init_sched, deinit_sched, push_task, pop_task, submit_hook, pre_exec_hook, post_exec_hook,
			do_schedule, add_workers, remove_workers, prefetches, policy_name, policy_description,
			worker_type;
	} policy;
};

/* The known versions, `first` rising, the last entry with first = 0. */
extern const struct starpu_layout starpu_layouts[];

struct starpu_api {
#define F(name) __typeof__(name) *name;
	STARPU_API_NEEDED(F)
	STARPU_API_HETEROPRIO(F)
	STARPU_API_SCHEDULING(F)
#undef F
	const char *missing_for_scheduling; /* the name of one that is not there; NULL: all are */
	/* Private to StarPU but exported: the only way to take an architecture out of a bucket. NULL: not there. */
	void (*clear_mapping)(void *policy_data);
	void (*starpu_fxt_start_profiling)(void); /* NULL where StarPU lacks it */
	int has_mpi;                              /* the program has StarPU-MPI */
	/* What a StarPU over SimGrid has in place of the functions of the C library; NULL natively. */
	int (*pthread_mutex_init)(void **mutex, const void *attributes);
	int (*pthread_mutex_lock)(void **mutex);
	int (*pthread_mutex_unlock)(void **mutex);
	int (*pthread_cond_init)(void **cond, const void *attributes);
	int (*pthread_cond_wait)(void **cond, void **mutex);
	int (*pthread_cond_broadcast)(void **cond);
	void *(*pthread_self)(void);
	int version[3];
	const struct starpu_layout *layout; /* NULL: an unknown version, none of whose structs may be touched */
};

extern struct starpu_api sp;

/*
 * Looks everything up, once. NULL: it is all there and the version is known; else the sentence that says what is not.
 * sp.starpu_sched_get_predefined_policies is NULL only where no StarPU is found at all.
 */
const char *starpu_api_open(void);

/*
 * One of StarPU's own policies by its name; NULL: it has none of that name. Of a version whose layout is not known too:
 * the member is then looked for.
 */
struct starpu_sched_policy *starpu_api_policy(const char *name);

/* A copy of a policy, whose functions can be replaced; as large as that of any version. */
union starpu_policy {
	struct starpu_sched_policy as_starpu_sees_it;
	unsigned char bytes[256];
};

void starpu_policy_copy(union starpu_policy *to, const struct starpu_sched_policy *from);

/* The member at `offset` (sp.layout->policy...) of a policy as a pointer to a function of that type. */
#define POLICY_FUNCTION(policy, offset, type) (*(type *)(void *)((unsigned char *)(policy) + (offset)))

/* Puts `wrapper`, or NULL, in place of a function of a policy: what was there, which may be NULL. */
#define POLICY_WRAP(copy, member, type, wrapper) \
	((type *)policy_wrap((copy), sp.layout->policy.member, (void (*)(void))(wrapper)))

static inline void (*policy_wrap(unsigned char *policy, size_t offset, void (*wrapper)(void)))(void)
{
	void (**member)(void) = (void (**)(void))(void *)(policy + offset), (*was)(void) = *member;

	*member = wrapper;
	return was;
}

typedef void policy_context_fn(unsigned ctx);
typedef int policy_push_fn(struct starpu_task *task);
typedef struct starpu_task *policy_pop_fn(unsigned ctx);
typedef void policy_submit_fn(struct starpu_task *task);
typedef void policy_workers_fn(unsigned ctx, int *workers, unsigned n);
typedef void policy_exec_fn(struct starpu_task *task, unsigned ctx);

/* Members of a task in the version that runs. */
#define STARPU_API_MEMBER(type, function, struct_name, member, of) \
	static inline type *function(const struct_name *s) \
	{ \
		return (type *)(void *)((unsigned char *)(uintptr_t)s + sp.layout->of.member); \
	}
STARPU_API_MEMBER(const char *, task_name, struct starpu_task, name, task)
STARPU_API_MEMBER(void *, task_codelet, struct starpu_task, cl, task)
STARPU_API_MEMBER(int32_t, task_where, struct starpu_task, where, task)
STARPU_API_MEMBER(unsigned, task_type, struct starpu_task, type, task)
STARPU_API_MEMBER(void *, task_callback_arg, struct starpu_task, callback_arg, task)
STARPU_API_MEMBER(unsigned, task_workerid, struct starpu_task, workerid, task)
STARPU_API_MEMBER(unsigned, task_nworkerids, struct starpu_task, workerids_len, task)
STARPU_API_MEMBER(int, task_priority, struct starpu_task, priority, task)
STARPU_API_MEMBER(unsigned, task_context, struct starpu_task, sched_ctx, task)
STARPU_API_MEMBER(void *, task_sched_data, struct starpu_task, sched_data, task)
STARPU_API_MEMBER(void *, task_prologue, struct starpu_task, prologue, task)
STARPU_API_MEMBER(void *, task_transaction, struct starpu_task, transaction, task)
STARPU_API_MEMBER(unsigned char, task_is_prefetched, struct starpu_task, prefetched, task)
#undef STARPU_API_MEMBER

/* The program names the worker that executes the task, which StarPU gives to it and to no scheduler. */
static inline int task_has_worker(const struct starpu_task *t)
{
	return ((const unsigned char *)t)[sp.layout->task.bits] & sp.layout->task.specific_worker_bit;
}

/* StarPU's model of how long tasks of its codelet are; NULL: none. Of a task with a codelet. */
static inline struct starpu_perfmodel *task_perfmodel(const struct starpu_task *t)
{
	const unsigned char *codelet = *task_codelet(t);

	return *(struct starpu_perfmodel *const *)(const void *)(codelet + sp.layout->codelet.model);
}

/* How many pieces of data the task accesses, the i-th of them, and how; of a task with a codelet. */
static inline unsigned task_nbuffers(const struct starpu_task *t)
{
	const unsigned char *task = (const void *)t, *codelet = *task_codelet(t);
	int of_codelet = *(const int *)(const void *)(codelet + sp.layout->codelet.nbuffers);

	if (of_codelet == STARPU_VARIABLE_NBUFFERS)
		of_codelet = *(const int *)(const void *)(task + sp.layout->task.nbuffers);
	return of_codelet < 0 ? 0 : (unsigned)of_codelet;
}

static inline starpu_data_handle_t task_handle(const struct starpu_task *t, unsigned i)
{
	const unsigned char *task = (const void *)t;
	const starpu_data_handle_t *dyn =
		*(starpu_data_handle_t *const *)(const void *)(task + sp.layout->task.dyn_handles);

	return dyn ? dyn[i] : ((const starpu_data_handle_t *)(const void *)(task + sp.layout->task.handles))[i];
}

static inline uint32_t task_mode(const struct starpu_task *t, unsigned i)
{
	const unsigned char *task = (const void *)t, *codelet = *task_codelet(t);
	const enum starpu_data_access_mode *dyn =
		*(enum starpu_data_access_mode *const *)(const void *)(task + sp.layout->task.dyn_modes);
	int of_codelet = *(const int *)(const void *)(codelet + sp.layout->codelet.nbuffers);

	if (dyn)
		return (uint32_t)dyn[i];
	if (of_codelet == STARPU_VARIABLE_NBUFFERS)
		return (uint32_t)((const enum starpu_data_access_mode *)(const void *)(task +
		                                                                       sp.layout->task.modes))[i];
	dyn = *(enum starpu_data_access_mode *const *)(const void *)(codelet + sp.layout->codelet.dyn_modes);
	return (uint32_t)(dyn ? dyn[i] :
	                        ((const enum starpu_data_access_mode *)(const void *)(codelet +
	                                                                              sp.layout->codelet.modes))[i]);
}

#endif
