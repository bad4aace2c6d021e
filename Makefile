# heterotune - the whole build: no recursion, no configure, output in build/.
#
#   make          the tool, with whatever is there
#   make demo     set-up, then record, analyse, tune and export a Cholesky factorisation here, and LU on a simulated node
#   make check    set-up, then every test; SAN=address,undefined or SAN=thread: under sanitizers
#   make coverage  lines that the tests execute, a folder a line
#   make lint-analyzer   what gcc's -fanalyzer says of every source
#   make check-versions  tests of the plugin and of traces with each StarPU that can be had, once they are built
#   make check-mpi       runs of several ranks, once a StarPU with MPI is built
#   make check-mutants  whether tests fail where mends of known faults are taken back; MUTANTS names some of tests/mutants/list
#   make check-faults   each call of memory, files and disks failing once, over the commands and the scheduler library
#   make fuzz     damaged inputs of every format under sanitizers, for FUZZ_SECONDS
#   make fuzz-guided  the same guided by what a reader executes, one reader at a time (tests/fuzz/fuzz.mk)
#   make bench    what the tool costs, as ratios in one run
#   make bench-simgrid   replayed makespans beside those of StarPU over SimGrid
#   make bench-native    replayed makespans beside those of StarPU on this machine, which has to be quiet
#   make bench-unmodelled   the samples without performance models on this machine: measured, tuned
#   make bench-gpu       the samples on this machine's CUDA devices: measured, tuned, replayed; KEPT=samples/h200: on another's
#   make bench-ranks     replayed makespans of several ranks beside those of StarPU-MPI over SimGrid
#   make bench-sizes     graphs made from two recorded sizes, replayed at a third, beside StarPU over SimGrid
#   make bench-live      what the scheduler library costs a task: submission, push and pop
#   make bench-cells     what was tuned beside the best of StarPU's schedulers there, the table of heterotune-accuracy(7)
#   make bench-examples  StarPU's own example programs, through auto and run
#   make bench-large     the commands on a recording of a million tasks, in less memory than its file takes
#   make bench-tune      what tuned configs bring there, beside all that StarPU has
#   make dist     build/heterotune-VERSION.tar.gz; make deb: the Debian package from it, in build/deb (packaging/README.md)
#   make install  PREFIX=/usr/local; make uninstall takes it away again
#   make clean    removes build/, all that make writes in this tree; what 'make setup' built is in ~/.cache/heterotune

.DELETE_ON_ERROR:
MAKEFLAGS += --no-builtin-rules

# What the environment says, as package builders have it, goes before these.
ifeq ($(origin CC),default)
CC      = gcc
endif
CFLAGS ?= -O2 -g
PREFIX ?= /usr/local
B       = build

comma := ,
SAN    =
ifneq ($(SAN),)
B      := build/san-$(subst $(comma),-,$(SAN))
CFLAGS := -O1 -g -fsanitize=$(subst undefined,undefined$(comma)float-cast-overflow,$(SAN)) -fno-sanitize-recover=all -fno-omit-frame-pointer
endif

WARN    = -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith -Wvla -Wundef
BASE    = -std=c11 -D_GNU_SOURCE -I. -I$(B) $(WARN)

XML_CFLAGS := $(shell pkg-config --cflags libxml-2.0 2>/dev/null)
XML_LIBS   := $(shell pkg-config --libs libxml-2.0 2>/dev/null || echo -lxml2)

# Debian has lp_solve as an archive, which calls the others.
LP_LIBS    := -llpsolve55 -lcolamd -ldl

BENCHES = bench bench-simgrid bench-native bench-unmodelled bench-gpu bench-ranks bench-sizes bench-tune bench-cells bench-examples bench-large bench-live

# The libraries it cannot be without. has HEADER: 1 where the compiler finds it
has  = $(shell printf '\043include <%s>\n' $(1) | $(CC) $(CPPFLAGS) $(CFLAGS) -E -o /dev/null - 2>/dev/null && echo 1)
NEED = $(if $(call has,lpsolve/lp_lib.h),,liblpsolve55-dev) $(if $(call has,zlib.h),,zlib1g-dev) $(if $(XML_CFLAGS),,libxml2-dev)
ifneq ($(strip $(NEED)),)
ifneq ($(filter-out setup check coverage check-versions demo $(BENCHES) dist deb clean distclean uninstall,$(or $(MAKECMDGOALS),all)),)
$(error heterotune needs $(strip $(NEED)): install it, or let 'make setup' do so)
endif
endif

# The options by which gcc makes one object of many files, unless CFLAGS are for debugging or link in a way of their own;
# clang cannot. AS_ONE= does without.
AS_ONE := $(if $(filter -O2,$(CFLAGS)),$(if $(filter -flto% -fno-lto -fsanitize% -fprofile% --coverage,$(CFLAGS)),,\
	$(shell d=$$(mktemp -d) && echo 'int one;' > $$d/1.c && cd $$d && $(CC) -flto -fPIE -c 1.c 2>/dev/null && \
	  $(CC) -flto -flto-partition=one -r -flinker-output=nolto-rel -o 2.o 1.o 2>/dev/null && echo -flto -fPIE; \
	  rm -rf "$$d")))

# Optional libraries are files: one of two is built. HAVE_PAPI= or HAVE_MPI= does without what is there.
HAVE_PAPI  := $(call has,papi.h)
PAPI_SRC   := collect/counters_$(if $(HAVE_PAPI),papi,none).c
HAVE_MPI   := $(shell pkg-config --exists ompi-c 2>/dev/null && echo 1)
MPI_CFLAGS := $(if $(HAVE_MPI),$(shell pkg-config --cflags ompi-c))
MPI_SRC := tune/evaluate/mpi_processes_$(if $(HAVE_MPI),mpi,none).c
LIBS        = $(if $(HAVE_MPI),$(shell pkg-config --libs ompi-c)) $(XML_LIBS) $(LP_LIBS) -lz $(if $(HAVE_PAPI),-lpapi) -lm

DIRS   = core sched collect generate analyze replay compare tune auto export
SRC   := $(filter-out collect/counters_%.c tune/evaluate/mpi_processes_%.c,$(sort $(shell find $(DIRS) -name "*.c"))) $(PAPI_SRC) \
         $(MPI_SRC)
OBJ   := $(SRC:%.c=$(B)/%.o)
SEARCHED := $(filter replay/% sched/%,$(SRC))
UNIT  := $(wildcard tests/unit/*.c)
UNITS := $(UNIT:%.c=$(B)/%)
TOOL  := $(wildcard tests/tool/*.c)
TOOLS := $(TOOL:%.c=$(B)/%)
# What several tests share; the other .c files of tests/lib are applications.
SHARED := $(B)/tests/lib/dag_build.o $(B)/tests/lib/data_check.o $(B)/tests/lib/invariants.o $(B)/tests/fuzz/readers.o

.PHONY: all tool setup missing check coverage check-mpi check-versions check-faults \
        check-mutants unit demo $(BENCHES) dist deb install uninstall clean distclean
all: tool missing

# A text file as a header: NAME.rng becomes `static const char NAME_rng[]`.
define EMBED
@mkdir -p $(@D)
@{ echo '/* From $<. */'; echo 'static const char $(subst .,_,$(<F))[] ='; \
  sed -e 's/\\/\\\\/g' -e 's/["?]/\\&/g' -e 's/^/	"/' -e 's/$$/\\n"/' $<; echo '	;'; } > $@
endef

include schema/schema.mk analyze/page/page.mk export/export.mk plugin/plugin.mk samples/samples.mk
include tests/fuzz/fuzz.mk tests/lint/analyzer.mk

tool: $(B)/heterotune $(if $(STARPU_CFLAGS),plugin)

$(B)/heterotune: $(B)/heterotune.o $(B)/libheterotune.a
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LIBS)

$(B)/libheterotune.a: $(if $(AS_ONE),$(filter-out $(SEARCHED:%.c=$(B)/%.o),$(OBJ)) $(B)/searched.o,$(OBJ))
	@rm -f $@
	ar rcsD $@ $^

$(B)/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(BASE) $(CPPFLAGS) $(CFLAGS) $(XML_CFLAGS) -MMD -MP -c -o $@ $<

$(B)/tests/%: $(B)/tests/%.o $(SHARED) $(B)/libheterotune.a
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LIBS)

# What a search does a million times: a tenth less time by -O3, and another tenth where it is optimised as one object,
# which links as fast as any other. Without -fPIE gcc takes it for a part of a shared library, and inlines little.
$(B)/replay/%.o $(B)/sched/%.o $(B)/one/%.o $(B)/searched.o: CFLAGS := $(subst -O2,-O3,$(CFLAGS))
$(B)/one/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(BASE) $(CPPFLAGS) $(CFLAGS) $(AS_ONE) $(XML_CFLAGS) -MMD -MP -c -o $@ $<

$(B)/searched.o: $(SEARCHED:%.c=$(B)/one/%.o)
	$(CC) $(CFLAGS) $(AS_ONE) -flto-partition=one -r -flinker-output=nolto-rel -o $@ $^

# <mpi.h> is for one file.
$(B)/tune/evaluate/mpi_processes_mpi.o: BASE += $(MPI_CFLAGS)

# Replays of two builds of the same sources are the same: a journal of tune holds for one such number.
BUILD_ID := $(B)/tune/settings/build_id.h
$(B)/tune/settings/problem_hash.o: $(BUILD_ID)
$(BUILD_ID): $(sort $(shell find core sched replay tune -name "*.[ch]"))
	@mkdir -p $(@D)
	@printf '/* Of the sources of the simulator. */\n#define BUILD_ID "%s"\n' "$$(cat $^ | sha256sum | cut -c 1-16)" > $@

# What is not there, and what that costs: one line each.
missing: $(B)/heterotune
	@[ -n "$(HAVE_PAPI)" ] || echo "heterotune: without PAPI (libpapi-dev): no counters in collect --papi"
	@[ -n "$(HAVE_MPI)" ] || echo "heterotune: without Open MPI (libopenmpi-dev): no mpirun heterotune tune"
	@command -v gnuplot >/dev/null || echo "heterotune: without gnuplot: no plots"
	@setup/starpu --have native >/dev/null || echo "heterotune: without StarPU 1.4 with FxT: no plugin for 'run', no samples; 'make setup' gets it"
	@[ -n "$(CUDA_HOME)" ] || echo "heterotune: without the CUDA Toolkit: the samples have no CUDA kernels"

# Debian packages and StarPU; a second call takes well under a second.
setup:
	@setup/packages
	@setup/starpu native simgrid >/dev/null || setup/starpu --have native >/dev/null
	@setup/starpu --have simgrid >/dev/null || echo "heterotune: without StarPU over SimGrid: tests of simulated machines say SKIP"

# The set-up may install what this file looks for when it is read: make is run again after that.
demo: setup
	@echo "heterotune: building the tool and its sample" >&2
	@$(MAKE) -s --no-print-directory -j$$(nproc) tool samples
	@samples/demo $(B)
	@! setup/starpu --have simgrid >/dev/null || samples/simulated $(B)

SCRIPTS := $(sort $(wildcard tests/lint/*.sh tests/lint/test_* tests/cli/test_*))

check: setup
	@$(MAKE) -s --no-print-directory -j$$(nproc) tool samples unit
	@B=$(B) $(if $(SAN),tests/sanitized $(SAN),tests/run) $(sort $(UNITS)) $(SCRIPTS)

# Of what all tests execute, or those of TESTS; FOLDERS='core/trace plugin' also names the lines that they do not.
coverage: setup
	@$(MAKE) -s --no-print-directory -j$$(nproc) B=$(B)/coverage CFLAGS='-O0 -g --coverage' tool samples unit
	@find $(B)/coverage -name '*.gcda' -delete
	@B=$(B)/coverage tests/run $(or $(TESTS),$(UNITS:$(B)/%=$(B)/coverage/%) $(wildcard tests/cli/test_*)) || true
	@B=$(B)/coverage tests/coverage $(FOLDERS)

# What needs a StarPU with MPI, which takes minutes to build.
check-mpi: setup
	@setup/starpu mpi >/dev/null
	@$(MAKE) -s --no-print-directory -j$$(nproc) tool $(B)/samples/lu_mpi $(B)/samples/cholesky_mpi
	@B=$(B) tests/run tests/cli/test_mpi

check-mutants: setup
	@B=$(B) tests/mutants/run $(MUTANTS)

check-faults: setup
	@$(MAKE) -s --no-print-directory -j$$(nproc) tool samples
	@B=$(B) FAULTS=all tests/cli/test_faults
	@B=$(B) FAULTS=all tests/run tests/cli/test_harmless tests/cli/test_policies

# The first build of a StarPU takes minutes; what cannot be had is skipped, with the reason. debian is the binary packages
# of another Debian (setup/starpu-debian), which CI takes; a folder is one installed by hand:
# make check-versions VERSIONS='1.4.7 /opt/starpu-master' (setup/starpu).
VERSIONS = debian 1.4.0 1.4.5 1.4.7 1.4.10 1.4.12 master

check-versions: setup
	@$(MAKE) -s --no-print-directory -j$$(nproc) tool samples $(B)/tests/tool/compare_rec
	@for v in $(VERSIONS); do HETEROTUNE_STARPU=$$v setup/starpu native simgrid >/dev/null 2>&1 || true; done
	@rc=0; for v in $(VERSIONS); do echo "StarPU $$v"; \
	  B=$(B) VERSIONS=$$v VERSIONS_BUILD=1 tests/run tests/cli/test_versions || rc=1; done; exit $$rc

unit: $(UNITS) $(TOOLS) $(FUZZ)

bench: setup
	@$(MAKE) -s --no-print-directory tool samples unit
	@B=$(B) tests/bench/run

# MACHINES, APPLICATIONS, TILES, POLICIES, REFRESH: see the script.
bench-simgrid: setup
	@$(MAKE) -s --no-print-directory tool
	@B=$(B) tests/bench/simgrid

# APPLICATIONS, POLICIES, RUNS, REFRESH: see the script.
bench-native: setup
	@$(MAKE) -s --no-print-directory tool samples
	@B=$(B) tests/bench/native

# APPLICATIONS, SCHEDULERS, RUNS: see the script.
bench-unmodelled: setup
	@$(MAKE) -s --no-print-directory tool samples
	@B=$(B) tests/bench/unmodelled

# APPLICATIONS, RUNS, KEPT, REFRESH: see the script.
bench-gpu: setup
	@$(MAKE) -s --no-print-directory tool samples
	@B=$(B) tests/bench/gpu

# MACHINES, RANKS, APPLICATIONS, TILES, POLICIES, COSTS: see the script.
bench-ranks: setup
	@setup/starpu simgrid-mpi samples >/dev/null
	@$(MAKE) -s --no-print-directory tool $(B)/samples/lu_mpi-simgrid $(B)/samples/cholesky_mpi-simgrid
	@B=$(B) tests/bench/ranks

# MACHINES, APPLICATIONS, SIZES, POLICIES: see the script.
bench-sizes: setup
	@$(MAKE) -s --no-print-directory tool samples
	@B=$(B) tests/bench/sizes

# MACHINES, APPLICATIONS, TILES, REFRESH: see the script.
bench-tune: setup
	@$(MAKE) -s --no-print-directory tool
	@B=$(B) tests/bench/tune

# MACHINES, APPLICATIONS, TILES, SCHEDULERS, REFRESH: see the script.
bench-cells: setup
	@$(MAKE) -s --no-print-directory tool
	@B=$(B) tests/bench/cells

# TILES, BUFFER: see the script.
bench-large: setup
	@$(MAKE) -s --no-print-directory tool samples unit
	@B=$(B) tests/bench/large

# TASKS, KINDS, POLICIES, ROUNDS: see the script.
bench-live: setup
	@$(MAKE) -s --no-print-directory tool
	@B=$(B) tests/bench/live

# PROGRAMS, SECONDS_EACH: see the script.
bench-examples: setup
	@$(MAKE) -s --no-print-directory tool
	@setup/starpu examples >/dev/null
	@B=$(B) tests/bench/examples

VERSION := $(shell sed -n 's/.*HETEROTUNE_VERSION "\(.*\)"/\1/p' core/base/version.h)
DIST     = $(B)/heterotune-$(VERSION).tar.gz

# What git has of HEAD, without debian/ (.gitattributes).
dist:
	@mkdir -p $(B)
	git archive --format=tar --prefix=heterotune-$(VERSION)/ HEAD | gzip -9n > $(DIST)

deb: dist
	rm -rf $(B)/deb
	mkdir -p $(B)/deb
	cp $(DIST) $(B)/deb/heterotune_$(VERSION).orig.tar.gz
	tar -C $(B)/deb -xzf $(DIST)
	cp -r debian $(B)/deb/heterotune-$(VERSION)/
	cd $(B)/deb/heterotune-$(VERSION) && dpkg-buildpackage -us -uc
	! command -v lintian >/dev/null || lintian --fail-on error,warning $(B)/deb/*.changes

# Where bash, zsh and fish look for completions.
COMPLETION = $(PREFIX)/share/bash-completion/completions
ZSH        = $(PREFIX)/share/zsh/site-functions
FISH       = $(PREFIX)/share/fish/vendor_completions.d

install: tool
	install -d "$(DESTDIR)$(PREFIX)"/bin "$(DESTDIR)$(PREFIX)"/lib/heterotune "$(DESTDIR)$(PREFIX)"/share/heterotune \
	  "$(DESTDIR)$(COMPLETION)" "$(DESTDIR)$(ZSH)" "$(DESTDIR)$(FISH)"
	install -m 755 $(B)/heterotune "$(DESTDIR)$(PREFIX)"/bin/
	for f in $(wildcard $(B)/libheterotune_sched*.so); do install -m 755 $$f "$(DESTDIR)$(PREFIX)"/lib/heterotune/; done
	install -m 644 schema/*.rng "$(DESTDIR)$(PREFIX)"/share/heterotune/
	install -m 644 setup/completion.bash "$(DESTDIR)$(COMPLETION)"/heterotune
	install -m 644 setup/completion.zsh "$(DESTDIR)$(ZSH)"/_heterotune
	install -m 644 setup/completion.fish "$(DESTDIR)$(FISH)"/heterotune.fish
	for s in 1 5 7; do install -d "$(DESTDIR)$(PREFIX)"/share/man/man$$s; \
	  install -m 644 man/*.$$s "$(DESTDIR)$(PREFIX)"/share/man/man$$s/; done

uninstall:
	rm -f "$(DESTDIR)$(PREFIX)"/bin/heterotune "$(DESTDIR)$(COMPLETION)"/heterotune "$(DESTDIR)$(ZSH)"/_heterotune \
	  "$(DESTDIR)$(FISH)"/heterotune.fish \
	  $(patsubst man/%,"$(DESTDIR)$(PREFIX)"/share/man/man?/%,$(wildcard man/*))
	rm -rf "$(DESTDIR)$(PREFIX)"/lib/heterotune "$(DESTDIR)$(PREFIX)"/share/heterotune

clean distclean:
	rm -rf $(B)

.SECONDARY:
-include $(shell find $(B) -path $(B)/deb -prune -o -name "*.d" -type f -print 2>/dev/null)
