/* plugin/policies.c - the policies that work where the graph grows while it is executed. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <stddef.h>

#include "sched/policy.h"

/* They ask the dag for nothing but tasks, classes and data; what edges say they ask policy_world. */
const struct policy *const policies[] = {
	&policy_placement,    &policy_eager,       &policy_prio,     &policy_dm, &policy_dmda,   &policy_dmdap,
	&policy_dmdar,        &policy_dmdas,       &policy_lws,      &policy_ws, &policy_random, &policy_heteroprio,
	&policy_laheteroprio, &policy_multreeprio, &policy_inspirit, NULL,
};
