# tests/lint/analyzer.mk - what gcc's -fanalyzer says of each source; included by the Makefile.
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# It stays beside what is built until the source or one of its headers changes. The whole tree takes 100 s of a core.

ANALYZED := $(SRC:%.c=$(B)/analyzer/%.txt) $(B)/analyzer/heterotune.txt \
	$(if $(STARPU_CFLAGS),$(patsubst %.c,$(B)/analyzer/%.txt,$(wildcard plugin/*.c plugin/starpu/*.c)))

$(B)/analyzer/tune/evaluate/mpi_processes_mpi.txt: BASE += $(MPI_CFLAGS)

$(B)/analyzer/%.txt: %.c | $(B)/heterotune
	@mkdir -p $(@D)
	@gcc $(BASE) $(CPPFLAGS) $(XML_CFLAGS) $(STARPU_CFLAGS) -O2 -fanalyzer -fdiagnostics-path-format=none -MMD -MP -MT $@ \
	  -MF $(@:.txt=.d) -S -o /dev/null $< 2> $@

.PHONY: lint-analyzer
lint-analyzer: $(ANALYZED)
	@cat $^
