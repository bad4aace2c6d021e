/* plugin/starpu/starpu_api.c - StarPU as the program has it: its functions, and where members of its structs are. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "plugin/starpu/starpu_api.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <string.h>

/*
 * 1.4.0 to 1.4.12 are alike. Master has called itself 1.4.99 since it left 1.4, and is to be 1.5. The offsets hold with
 * StarPU's default of 8 buffers a task (STARPU_NMAXBUFS) and 4 implementations a codelet: another number changes the
 * size of the task, which is asked for (task_size()).
 */
const struct starpu_layout starpu_layouts[] = {
	{10400,
         10489,
         8,
         0,
         {552, 0,   24,  32,  36,  40,  56,  64,  192, 288,    360,   368,
          376, 380, 392, 400, 544, 296, 328, 357, 353, 1 << 5, 1 << 1},
         {0, 8, 48, 80, 112, 120, 152, 160, 192, 232, 280, 284, 320, 376},
         {0, 8, 16, 24, 32, 40},
         {128, 0, 8, 16, 40, 48, 56, 64, 72, 80, 88, 96, 104, 112, 120}},
	{10490,
         10599,
         9,
         1,
         {640, 0,   40,  48,  52,  56,  72,  88,  216, 400,    440,   448,
          456, 460, 472, 480, 632, 344, 408, 437, 433, 1 << 6, 1 << 2},
         {0, 8, 48, 80, 112, 120, 152, 200, 232, 272, 328, 332, 368, 424},
         {0, 8, 16, 24, 32, 40},
         {136, 0, 8, 16, 40, 48, 56, 64, 72, 88, 96, 104, 112, 120, 128}},
	{0},
};

struct starpu_api sp;

/* The StarPU among the loaded objects, for a program that keeps the symbols of its libraries to itself. */
static int find_starpu(struct dl_phdr_info *info, size_t size, void *handle)
{
	const char *slash = info->dlpi_name ? strrchr(info->dlpi_name, '/') : NULL;
	const char *name = slash ? slash + 1 : info->dlpi_name;

	(void)size;
	if (!name || strncmp(name, "libstarpu-1.", 12) != 0)
		return 0;
	*(void **)handle = dlopen(info->dlpi_name, RTLD_NOW | RTLD_NOLOAD);
	return *(void **)handle != NULL;
}

/* The size that StarPU's own code takes a task to have: it sets that many bytes to zero. 0: more than any known one. */
static size_t task_size(void)
{
	union {
		unsigned char bytes[2048];
		uint64_t aligned;
	} task;
	size_t size = sizeof(task);

	memset(&task, 0xa5, sizeof(task));
	sp.starpu_task_init((struct starpu_task *)(void *)&task);
	while (size && task.bytes[size - 1] == 0xa5)
		size--;
	return size == sizeof(task) ? 0 : size;
}

const char *starpu_api_open(void)
{
	static char sentence[256];
	const char *missing = NULL;
	void *handle = RTLD_DEFAULT;
	int number;

	if (sp.layout)
		return NULL;
	if (!dlsym(RTLD_DEFAULT, "starpu_get_version"))
		dl_iterate_phdr(find_starpu, &handle);
#define F(name) \
	sp.name = (__typeof__(sp.name))dlsym(handle, #name); \
	if (!sp.name) \
		missing = #name;
	STARPU_API_HETEROPRIO(F)
	missing = NULL;
	STARPU_API_SCHEDULING(F)
	sp.missing_for_scheduling = missing;
	missing = NULL;
	STARPU_API_NEEDED(F)
#undef F
	sp.clear_mapping = (__typeof__(sp.clear_mapping))dlsym(handle, "starpu_heteroprio_clear_mapping_hp");
	sp.starpu_fxt_start_profiling = (__typeof__(sp.starpu_fxt_start_profiling))dlsym(handle,
	                                                                                 "starpu_fxt_start_profiling");
	sp.has_mpi = dlsym(handle, "starpu_mpi_isend_detached") != NULL;
	sp.pthread_mutex_init = (__typeof__(sp.pthread_mutex_init))dlsym(handle, "starpu_pthread_mutex_init");
	sp.pthread_mutex_lock = (__typeof__(sp.pthread_mutex_lock))dlsym(handle, "starpu_pthread_mutex_lock");
	sp.pthread_mutex_unlock = (__typeof__(sp.pthread_mutex_unlock))dlsym(handle, "starpu_pthread_mutex_unlock");
	sp.pthread_cond_init = (__typeof__(sp.pthread_cond_init))dlsym(handle, "starpu_pthread_cond_init");
	sp.pthread_cond_wait = (__typeof__(sp.pthread_cond_wait))dlsym(handle, "starpu_pthread_cond_wait");
	sp.pthread_cond_broadcast = (__typeof__(sp.pthread_cond_broadcast))dlsym(handle,
	                                                                         "starpu_pthread_cond_broadcast");
	sp.pthread_self = (__typeof__(sp.pthread_self))dlsym(handle, "starpu_pthread_self");
	if (!sp.pthread_mutex_lock || !sp.pthread_mutex_unlock || !sp.pthread_cond_init || !sp.pthread_cond_wait ||
	    !sp.pthread_cond_broadcast || !sp.pthread_self)
		sp.pthread_mutex_init = NULL;
	if (missing) {
		snprintf(sentence, sizeof(sentence), "this StarPU has no %s, expected StarPU 1.4", missing);
		return sentence;
	}
	sp.starpu_get_version(&sp.version[0], &sp.version[1], &sp.version[2]);
	number = 10000 * sp.version[0] + 100 * sp.version[1] + sp.version[2];
	for (const struct starpu_layout *l = starpu_layouts; l->first; l++)
		if (number >= l->first && number <= l->last && task_size() == l->task.size)
			sp.layout = l;
	if (sp.layout)
		return NULL;
	snprintf(
		sentence, sizeof(sentence),
		"this StarPU is a %d.%d.%d whose tasks have %zu bytes: it is not among those that the scheduler library knows",
		sp.version[0], sp.version[1], sp.version[2], task_size());
	return sentence;
}

/* Where a policy of an unknown version has its name: among the strings of StarPU's own object. */
static int is_named(const struct starpu_sched_policy *policy, const char *name)
{
	const char *const *words = (const char *const *)(const void *)policy;
	Dl_info of_policy, of_word;

	if (sp.layout) {
		const char *const *at = (const void *)((const unsigned char *)policy + sp.layout->policy.policy_name);

		return *at && strcmp(*at, name) == 0;
	}
	if (!dladdr(policy, &of_policy))
		return 0;
	for (int i = 8; i < 16; i++)
		if (words[i] && dladdr(words[i], &of_word) && of_word.dli_fbase == of_policy.dli_fbase &&
		    strcmp(words[i], name) == 0)
			return 1;
	return 0;
}

struct starpu_sched_policy *starpu_api_policy(const char *name)
{
	struct starpu_sched_policy **p = sp.starpu_sched_get_predefined_policies ?
	                                         sp.starpu_sched_get_predefined_policies() :
	                                         NULL;

	while (p && *p && !is_named(*p, name))
		p++;
	return p ? *p : NULL;
}

void starpu_policy_copy(union starpu_policy *to, const struct starpu_sched_policy *from)
{
	memset(to, 0, sizeof(*to));
	memcpy(to->bytes, from, sp.layout->policy.size);
}
