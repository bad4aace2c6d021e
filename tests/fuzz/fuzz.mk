# tests/fuzz/fuzz.mk - the fuzzer of every format the tool reads; included by the Makefile.
#
#   make fuzz   for FUZZ_SECONDS, under the address and undefined-behaviour sanitizers

FUZZ_SECONDS ?= 60
FUZZ_SEED    ?= 1
FUZZ         := $(B)/tests/fuzz/fuzz
SANITIZE     = -fsanitize=address,undefined,float-cast-overflow -fno-sanitize-recover=all -fno-omit-frame-pointer

$(FUZZ): $(patsubst %.c,$(B)/%.o,$(wildcard tests/fuzz/*.c)) $(B)/libheterotune.a
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LIBS)

.PHONY: fuzz
fuzz:
	@$(MAKE) -s --no-print-directory B=$(B)/sanitized CFLAGS='-O1 -g $(SANITIZE)' tool fuzzer
	@B=$(B)/sanitized tests/fuzz/run --seed $(FUZZ_SEED) --seconds $(FUZZ_SECONDS)

.PHONY: fuzzer
fuzzer: $(FUZZ) $(B)/tests/tool/fxt_file
