/* tune/settings/trial.h - what trials are called. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TUNE_SETTINGS_TRIAL_H
#define TUNE_SETTINGS_TRIAL_H

/* Names of trials that are there in every result; the others are candidates, named HEURISTIC[/SLOW]. */
#define TRIAL_RECORDED     "run"          /* the makespan that was measured, with all that a replay leaves out */
#define TRIAL_OWN_SCHEDULE "own schedule" /* the run's own order on its own workers, timed as a replay does */
#define TRIAL_EAGER        "eager"
#define TRIAL_SEARCHED     "search-"       /* and a number, and the start it comes from: what the search found */
#define TRIAL_PLAIN        "default order" /* config_from_dag() as it is: the order in which types appear */
#define TRIAL_DEFAULT      "starpu-12"     /* the ordering that AutoHeteroprio takes when it is not told another one */

#endif
