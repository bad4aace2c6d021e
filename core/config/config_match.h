/* core/config/config_match.h - which bucket of a config a task belongs to. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef CORE_CONFIG_CONFIG_MATCH_H
#define CORE_CONFIG_CONFIG_MATCH_H

#include <stdint.h>

struct config;
struct config_member;
struct ht_err;

/*
 * A kind is the tasks that the names of a member stand for; members with the same two names are of one kind. A task's
 * kind follows from its names alone, its bucket from the limits of the kind's members.
 */
struct config_match;

/* What distinguishes tasks of one kind. */
struct config_task {
	uint32_t footprint;
	int32_t priority;    /* the application's */
	uint32_t submission; /* tasks of the kind that were submitted before it */
};

/* The config has to stay. Free with config_match_free(). */
struct config_match *config_match_create(const struct config *c);
void config_match_free(struct config_match *m);

int config_match_nkinds(const struct config_match *m);

/*
 * -1: none. Either name may be NULL or "". A member that has both names right is taken before one with the codelet name
 * alone, that before one with the model symbol alone, that before one of which one name is right and the other one
 * different; among equals the first.
 */
int config_match_kind(const struct config_match *m, const char *codelet, const char *model);

/* MEMBER_*: what the limits of the kind's members are about; the rest of a task need not be known. */
unsigned config_match_limits(const struct config_match *m, int kind);

/*
 * The bucket of a task of the kind: of the members whose limits it is within, the one with most limits, among equals
 * the first. -1: none.
 */
int config_match_bucket(const struct config_match *m, int kind, const struct config_task *t);

/* All members in the order in which they are tried: by kind, then as config_match_bucket() has it. Borrowed. */
uint32_t config_match_nmembers(const struct config_match *m);
const struct config_member *config_match_member(const struct config_match *m, uint32_t i, int *kind, int *bucket);

#endif
