# tests/fuzz/fuzz.mk - the fuzzer of every format the tool reads; included by the Makefile.
#
#   make fuzz   for FUZZ_SECONDS, under the address and undefined-behaviour sanitizers

FUZZ_SECONDS ?= 60
FUZZ_SEED    ?= 1
FUZZ_SAN      = address,undefined
FUZZ         := $(B)/tests/fuzz/fuzz

$(FUZZ): $(patsubst %.c,$(B)/%.o,$(wildcard tests/fuzz/*.c)) $(B)/libheterotune.a
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LIBS)

.PHONY: fuzz
fuzz:
	@$(MAKE) -s --no-print-directory SAN=$(FUZZ_SAN) tool fuzzer
	@B=$(B)/san-$(subst $(comma),-,$(FUZZ_SAN)) tests/fuzz/run --seed $(FUZZ_SEED) --seconds $(FUZZ_SECONDS)

.PHONY: fuzzer
fuzzer: $(FUZZ) $(B)/tests/tool/fxt_file
