/* tests/lib/fault_each.h - every call that may fail does, one at a time, in one run of a program. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef HT_TESTS_LIB_FAULT_EACH_H
#define HT_TESTS_LIB_FAULT_EACH_H

/*
 * Forks; 1: this is the child, where the call with that number is to fail; 0: this is the program, the child has ended,
 * and the program may go on as if nothing had been: standard output and error, which are files, what is open, and
 * the files of the working directory, which has no folders, are as they were. The program has one thread.
 *
 * How the child ended is kept as `dir`/CALL/: status, stdout, stderr and work/, unless an earlier one ended in the same
 * way. `dir` is on the file system of the working directory. `dir`/ended has the number of children, and of those
 * among them with status 2 or more. What cannot be done ends the program with status 99.
 */
__attribute__((weak)) int fault_in_child(const char *dir, unsigned long call);

#endif
