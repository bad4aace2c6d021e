# heterotune - the whole build: no recursion, no configure, output in build/.
#
#   make          the tool, with whatever is there
#   make demo     set-up, then record, analyse, tune and export a Cholesky factorisation
#   make check    set-up, then every test
#   make bench    what the tool costs, as ratios in one run
#   make install  PREFIX=/usr/local

.DELETE_ON_ERROR:
MAKEFLAGS += --no-builtin-rules

CC      = gcc
CFLAGS  = -O2 -g
PREFIX  = /usr/local
DESTDIR =
B       = build

WARN    = -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith -Wvla -Wundef
BASE    = -std=c11 -D_GNU_SOURCE -I. -I$(B) $(WARN)

XML_CFLAGS := $(shell pkg-config --cflags libxml-2.0 2>/dev/null)
XML_LIBS   := $(shell pkg-config --libs libxml-2.0 2>/dev/null || echo -lxml2)
LIBS        = $(XML_LIBS) -lglpk -lm

# Optional libraries are files: one of two is built.
HAVE_PAPI  := $(wildcard /usr/include/papi.h)
PAPI_SRC   := collect/counters_$(if $(HAVE_PAPI),papi,none).c
LIBS       += $(if $(HAVE_PAPI),-lpapi)

DIRS   = core sched collect analyze replay tune export
SRC   := $(filter-out collect/counters_%.c,$(wildcard $(addsuffix /*.c,$(DIRS)))) $(PAPI_SRC)
OBJ   := $(SRC:%.c=$(B)/%.o)
UNIT  := $(wildcard tests/unit/*.c)
UNITS := $(UNIT:%.c=$(B)/%)

.PHONY: all clean
all: $(B)/heterotune

$(B)/heterotune: $(B)/heterotune.o $(B)/libheterotune.a
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LIBS)

$(B)/libheterotune.a: $(OBJ)
	@rm -f $@
	ar rcsD $@ $^

$(B)/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(BASE) $(CFLAGS) $(XML_CFLAGS) -MMD -MP -c -o $@ $<

$(B)/tests/unit/%: $(B)/tests/unit/%.o $(B)/libheterotune.a
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LIBS)

clean:
	rm -rf $(B)

-include $(wildcard $(B)/*.d $(B)/*/*.d $(B)/*/*/*.d)
