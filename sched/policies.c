/* sched/policies.c - all policies. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <stddef.h>

#include "sched/policy.h"

const struct policy *const policies[] = {
	&policy_eager,
	&policy_prio,
	&policy_heteroprio,
	&policy_laheteroprio,
	&policy_autoheteroprio,
	&policy_dm,
	&policy_dmda,
	&policy_dmdap,
	&policy_dmdar,
	&policy_dmdas,
	&policy_dmdasd,
	&policy_lws,
	&policy_ws,
	&policy_random,
	&policy_modular_heft,
	&policy_modular_heft_prio,
	&policy_modular_heteroprio,
	&policy_heft,
	&policy_cpop,
	&policy_cluster_heft,
	&policy_online_heft,
	&policy_critical_path,
	&policy_multreeprio,
	&policy_inspirit,
	&policy_placement,
	NULL,
};
