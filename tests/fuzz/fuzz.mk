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
READER_OBJ := $(B)/tests/fuzz/readers.o $(B)/tests/lib/invariants.o $(filter $(B)/core/% $(B)/sched/%,$(OBJ)) \
	$(addprefix $(B)/,generate/mix.o generate/costs.o collect/bus.o collect/bus_platform.o tune/evaluate/journal.o \
	  analyze/data/timeline.o auto/measured.o auto/rank_sum.o auto/settle.o tune/evaluate/noise.o)

# Of less than the whole tool, so that they are soon built under sanitizers (tests/cli/test_sanitized).
$(addprefix $(B)/tests/unit/,test_readers test_fxt_reader): %: %.o $(READER_OBJ)
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LIBS)

$(GUIDED): $(B)/tests/fuzz/guided.o $(B)/tests/fuzz/mutate.o $(READER_OBJ)
	$(CC) $(CFLAGS) -fsanitize=fuzzer $(LDFLAGS) -o $@ $^ $(LIBS)

.PHONY: fuzz-guided
fuzz-guided:
	@command -v clang >/dev/null || { echo "fuzz-guided: needs clang with libFuzzer (clang, libclang-rt-dev)"; exit 2; }
	@$(MAKE) -s --no-print-directory B=$(B)/guided CC=clang \
	  CFLAGS='-O1 -g -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all' $(B)/guided/tests/fuzz/guided
	@B=$(B)/guided tests/fuzz/guided $(FUZZ_SECONDS) $(READERS)
