# plugin/plugin.mk - the scheduler library StarPU loads. Built where StarPU >= 1.4 is, from setup/starpu or the system.

# Not linked with StarPU: the program that loads it has one. -z nodelete: StarPU closes it while it is in use.
PLUGIN      := $(B)/libheterotune_sched.so
PLUGIN_CORE := $(addprefix core/base/,alloc err file intern nearest number radix_sort table terminal utf8 xml) \
	$(addprefix core/dag/,csr dag data_flow live_dag submission_hash worker_kind) \
	$(addprefix core/machine/,arch machine transfer_cost) $(addprefix core/metrics/,ability efficiency rank released) \
	$(addprefix core/config/,config config_costs config_mapping config_match config_use config_words config_xml locality_formula plan_text \
	starpu_env)
PLUGIN_SCHED := sched/policy sched/knob sched/waiters $(addprefix sched/queue/,$(notdir $(basename $(wildcard sched/queue/*.c)))) \
	$(addprefix sched/placement/,bus_load class_groups coming data_graph destination known_plan owners partition place_queue placement placement_state \
	places plan plan_knobs sent_ahead task_copies theft work_left) \
	$(addprefix sched/dynamic/,dm eager inspirit lws multreeprio random) sched/nready \
	$(addprefix sched/heteroprio/,heteroprio heteroprio_policies heteroprio_setting locality nearby)
PLUGIN_OBJ  := $(patsubst plugin/%.c,$(B)/plugin/%.o,$(wildcard plugin/*.c plugin/starpu/*.c)) \
	$(patsubst %,$(B)/plugin/%.o,$(PLUGIN_CORE) $(PLUGIN_SCHED))

STARPU_PC     := $(addsuffix /lib/pkgconfig,$(shell setup/starpu --have native 2>/dev/null))
STARPU_CFLAGS := $(shell PKG_CONFIG_PATH="$(STARPU_PC):$$PKG_CONFIG_PATH" \
	pkg-config --cflags-only-I 'starpu-1.4 >= 1.4' 2>/dev/null)

.PHONY: plugin
plugin: $(PLUGIN)

ifneq ($(STARPU_CFLAGS),)
all: plugin
endif

$(PLUGIN): $(PLUGIN_OBJ)
	$(CC) -shared $(CFLAGS) $(LDFLAGS) -Wl,-z,nodelete,-z,defs -Wl,--gc-sections -Wl,--exclude-libs,ALL -o $@ $^ $(XML_LIBS) -ldl -lm

PLUGIN_CFLAGS = $(BASE) $(CPPFLAGS) $(CFLAGS) -fPIC -fvisibility=hidden -ffunction-sections

$(B)/plugin/%.o: plugin/%.c | $(RNG_H)
	@mkdir -p $(@D)
	$(CC) $(PLUGIN_CFLAGS) $(STARPU_CFLAGS) -MMD -MP -c -o $@ $<

$(B)/plugin/core/%.o: core/%.c | $(RNG_H)
	@mkdir -p $(@D)
	$(CC) $(PLUGIN_CFLAGS) $(XML_CFLAGS) -MMD -MP -c -o $@ $<

$(B)/plugin/sched/%.o: sched/%.c
	@mkdir -p $(@D)
	$(CC) $(PLUGIN_CFLAGS) -MMD -MP -c -o $@ $<
