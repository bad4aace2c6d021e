# tests/fuzz/fuzz.mk - the fuzzers of every format the tool reads; included by the Makefile.
#
#   make fuzz          damaged files for FUZZ_SECONDS, under the address and undefined-behaviour sanitizers
#   make fuzz-guided   libFuzzer on each reader of READERS (tests/fuzz/readers.c) for FUZZ_SECONDS: what reaches code that
#                      nothing reached before is kept and damaged further; needs clang

FUZZ_SECONDS ?= 60
FUZZ_SEED    ?= 1
FUZZ_SAN      = address,undefined
FUZZ         := $(B)/tests/fuzz/fuzz

$(FUZZ): $(patsubst %,$(B)/tests/fuzz/%.o,formats fuzz mutate verdict) $(B)/libheterotune.a
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LIBS)

.PHONY: fuzz
fuzz:
	@$(MAKE) -s --no-print-directory SAN=$(FUZZ_SAN) tool fuzzer
	@B=$(B)/san-$(subst $(comma),-,$(FUZZ_SAN)) tests/fuzz/run --seed $(FUZZ_SEED) --seconds $(FUZZ_SECONDS)

.PHONY: fuzzer
fuzzer: $(FUZZ) $(B)/tests/tool/fxt_file

READERS     = $(shell sed -n 's/^\t{"\([a-z-]*\)", .*read_.*/\1/p' tests/fuzz/readers.c)
GUIDED     := $(B)/tests/fuzz/guided
GUIDED_LIB := $(filter $(B)/core/% $(B)/sched/%,$(OBJ)) $(B)/generate/mix.o $(B)/generate/costs.o $(B)/collect/bus.o \
	$(B)/collect/bus_platform.o $(B)/tune/evaluate/journal.o

$(GUIDED): $(B)/tests/fuzz/guided.o $(B)/tests/fuzz/readers.o $(B)/tests/lib/invariants.o $(GUIDED_LIB)
	$(CC) $(CFLAGS) -fsanitize=fuzzer $(LDFLAGS) -o $@ $^ $(LIBS)

.PHONY: fuzz-guided
fuzz-guided:
	@command -v clang >/dev/null || { echo "fuzz-guided: needs clang with libFuzzer (clang, libclang-rt-dev)"; exit 2; }
	@$(MAKE) -s --no-print-directory B=$(B)/guided CC=clang \
	  CFLAGS='-O1 -g -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all' $(B)/guided/tests/fuzz/guided
	@B=$(B)/guided tests/fuzz/guided $(FUZZ_SECONDS) $(READERS)
