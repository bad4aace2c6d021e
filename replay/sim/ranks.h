/* replay/sim/ranks.h - the simulation of several MPI ranks, which send each other messages. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef REPLAY_SIM_RANKS_H
#define REPLAY_SIM_RANKS_H

#include "replay/sim/simulate.h"

/*
 * simulate() of a graph of several ranks: each is a machine, with a state of the policy that sees its own tasks only,
 * as in StarPU-MPI, and executes what it executed in the run. A message leaves when its data is in the main memory of
 * its rank and was submitted to be sent; it arrives as replay/memory/message_network.h says, at once with
 * TRANSFERS_OFF. What writes the data of a message waits until that has arrived. Windows of submission are those of one
 * rank, and do not count. NULL with the sentence also where the machine has not all ranks of the graph.
 */
struct simulation *simulate_ranks(const struct dag *d, const struct machine *m, const struct simulate_options *o,
                                  struct ht_err *err);

#endif
