# samples/samples.mk - builds the sample applications against StarPU; included by the Makefile.
#
#   make samples   what can be built here: natively, over SimGrid, and the CUDA kernels where nvcc is
#
# What is missing is named in one line and is no failure: the tool itself needs none of this. StarPU is looked for
# when a recipe needs it, not when this file is read, so that one invocation of make can build StarPU first.

# The applications that share samples/common: samples/NAME/NAME.c with its kernels.h.
APPS            := cg fmm lu multifrontal pipeline qr stencil
SAMPLES         := $(foreach a,cholesky $(APPS),$(B)/samples/$(a) $(B)/samples/$(a)-simgrid) \
                   $(B)/samples/lu_mpi $(B)/samples/cholesky_mpi
SAMPLE_SRC      := $(addprefix samples/cholesky/,main.c options.c matrix.c graph.c codelets.c)
SAMPLE_COMPUTES := $(addprefix samples/cholesky/,kernels_cpu.c kernels_opencl.c kernels_cuda.c check.c)
SAMPLE_NATIVE   := $(patsubst samples/cholesky/%.c,$(B)/samples/native/%.o,$(SAMPLE_SRC) $(SAMPLE_COMPUTES))
SAMPLE_SIMGRID  := $(patsubst samples/cholesky/%.c,$(B)/samples/simgrid/%.o,$(SAMPLE_SRC))

# The CUDA Toolkit that nvcc belongs to; an nvcc whose headers are not installed is none. /usr is Debian's own.
NVCC      := $(firstword $(wildcard $(shell command -v nvcc 2>/dev/null) /usr/local/cuda/bin/nvcc))
CUDA_HOME := $(if $(NVCC),$(patsubst %/include/cusolverDn.h,%,$(firstword $(wildcard \
	$(patsubst %/bin/nvcc,%/include/cusolverDn.h,$(realpath $(NVCC))) /usr/include/cusolverDn.h))))

# Each is replaced by its value when first used.
STARPU_NATIVE  = $(eval STARPU_NATIVE := $$(shell setup/starpu --have native))$(STARPU_NATIVE)
STARPU_SIMGRID = $(eval STARPU_SIMGRID := $$(shell setup/starpu --have simgrid))$(STARPU_SIMGRID)
STARPU_SMPI    = $(eval STARPU_SMPI := $$(shell setup/starpu --have simgrid-mpi))$(STARPU_SMPI)
STARPU_MPI     = $(eval STARPU_MPI := $$(shell setup/starpu --have mpi))$(STARPU_MPI)
SAMPLE_DEFINES = $(eval SAMPLE_DEFINES := $$(if $$(STARPU_NATIVE),$$(shell \
	sed -n 's/^.define \(STARPU_USE_[A-Z]*\) 1/\1/p' \
	$$(shell $$(call starpu_pc,$$(STARPU_NATIVE)) --variable=starpu_includedir)/starpu_config.h)))$(SAMPLE_DEFINES)

# starpu_pc PREFIX: a pkg-config that knows the StarPU installed there first
starpu_pc = PKG_CONFIG_PATH=$(1)/lib/pkgconfig:$$PKG_CONFIG_PATH pkg-config starpu-1.4
# starpu_cflags PREFIX: its headers as the system's own, so that their warnings stay theirs
starpu_cflags = $$($(call starpu_pc,$(1)) --cflags-only-I | sed 's/-I/-isystem /g')
starpu_libs   = $$($(call starpu_pc,$(1)) --libs) -Wl,-rpath,$$($(call starpu_pc,$(1)) --variable=libdir)

# sample_cc PREFIX,OPTIONS: one object; nothing without StarPU. -MD, for another StarPU there may have other devices
sample_cc = $(if $(1),$(CC) $(BASE) $(CPPFLAGS) $(CFLAGS) $(2) $(call starpu_cflags,$(1)) -MD -MP -c -o $@ $<,@:)

OPENBLAS_CFLAGS = $$(pkg-config --cflags openblas lapacke)
OPENBLAS_LIBS   = $$(pkg-config --libs openblas) -llapacke
SAMPLE_CUDA     = $(if $(CUDA_HOME),$(filter STARPU_USE_CUDA,$(SAMPLE_DEFINES)))
SAMPLE_DEVICES  = $(B)/samples/native/kernels_cpu.o $(if $(filter STARPU_USE_OPENCL,$(SAMPLE_DEFINES)),\
	$(B)/samples/native/kernels_opencl.o) $(if $(SAMPLE_CUDA),$(B)/samples/native/kernels_cuda.o)
SAMPLE_OBJECTS  = $(filter-out %/kernels_cpu.o %/kernels_opencl.o %/kernels_cuda.o,$(SAMPLE_NATIVE)) $(SAMPLE_DEVICES)
SAMPLE_LIBS     = $(OPENBLAS_LIBS) $(if $(filter STARPU_USE_OPENCL,$(SAMPLE_DEFINES)),-lOpenCL) \
	$(if $(SAMPLE_CUDA),-L$(CUDA_HOME)/lib64 -lcusolver -lcublas -lcudart -Wl$(comma)-rpath$(comma)$(CUDA_HOME)/lib64)

.PHONY: samples
samples: $(SAMPLES)

$(B)/samples/cholesky: $(SAMPLE_NATIVE)
	$(if $(STARPU_NATIVE),$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $(SAMPLE_OBJECTS) \
		$(call starpu_libs,$(STARPU_NATIVE)) $(SAMPLE_LIBS) -lm,\
		@echo "samples: $@ is not built: no StarPU 1.4 with FxT here; 'setup/starpu native' builds one")

$(B)/samples/cholesky-simgrid: $(SAMPLE_SIMGRID)
	$(if $(STARPU_SIMGRID),$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(call starpu_libs,$(STARPU_SIMGRID)) -lm,\
		@echo "samples: $@ is not built: no StarPU over SimGrid here; 'setup/starpu simgrid' builds one")

# On several ranks: only with a StarPU that has MPI, whose headers name those of MPI.
$(B)/samples/lu_mpi $(B)/samples/lu_mpi-simgrid: mpi_kernels = samples/lu/kernels.h
$(B)/samples/cholesky_mpi $(B)/samples/cholesky_mpi-simgrid: mpi_kernels = samples/mpi/cholesky_kernels.h
MPI_HEADERS := $(addprefix samples/,mpi/factorise.h mpi/cholesky_kernels.h lu/kernels.h common/kernel.h common/kernels.h)

$(B)/samples/%_mpi: samples/mpi/%_mpi.c samples/mpi/factorise.c samples/common/kernels_cpu.c $(MPI_HEADERS)
	@mkdir -p $(@D)
	$(if $(STARPU_MPI),$(CC) $(BASE) $(CPPFLAGS) $(CFLAGS) $(APP_FAST) -DSAMPLE_KERNELS='"$(mpi_kernels)"' \
		$$($(call starpu_pc,$(STARPU_MPI)) --cflags-only-I starpumpi-1.4 ompi-c | sed 's/-I/-isystem /g') \
		$(LDFLAGS) -o $@ $(filter %.c,$^) $$($(call starpu_pc,$(STARPU_MPI)) --libs starpumpi-1.4 ompi-c) \
		-Wl$(comma)-rpath$(comma)$$($(call starpu_pc,$(STARPU_MPI)) --variable=libdir) -lm,\
		@echo "samples: $@ is not built: no StarPU with MPI here; 'setup/starpu mpi' builds one")

# SimGrid loads it once for each rank, with the scheduler library, as it does with what its own compiler has made.
$(B)/samples/%_mpi-simgrid: samples/mpi/%_mpi.c samples/mpi/factorise.c samples/mpi/rank_library.c $(MPI_HEADERS) \
		| $(B)/libheterotune_sched.so
	@mkdir -p $(@D)
	$(if $(STARPU_SMPI),smpicc $(BASE) $(CPPFLAGS) $(CFLAGS) -DSAMPLE_KERNELS='"$(mpi_kernels)"' \
		$$($(call starpu_pc,$(STARPU_SMPI)) --cflags-only-I starpumpi-1.4 | sed 's/-I/-isystem /g') \
		$(LDFLAGS) -o $@ $(filter %.c,$^) $$($(call starpu_pc,$(STARPU_SMPI)) --static --libs starpumpi-1.4) -lm \
		-Wl$(comma)--wrap=dlopen -Wl$(comma)--no-as-needed -L$(B) -lheterotune_sched,\
		@echo "samples: $@ is not built: no StarPU-MPI over SimGrid here; 'setup/starpu simgrid-mpi' builds one")

# The source of the OpenCL kernels as one C string, so that the program needs no file at run time.
$(B)/samples/kernels_cl.h: samples/cholesky/kernels.cl
	@mkdir -p $(@D)
	sed 's/\\/\\\\/g; s/"/\\"/g; s/.*/"&\\n"/' $< > $@

$(B)/samples/native/kernels_opencl.o: $(B)/samples/kernels_cl.h

# Compiled wherever the CUDA headers are, linked only where StarPU drives CUDA.
$(B)/samples/native/kernels_cuda.o: samples/cholesky/kernels_cuda.c
	@mkdir -p $(@D)
	$(if $(CUDA_HOME),$(call sample_cc,$(STARPU_NATIVE),-isystem $(CUDA_HOME)/include \
		$(if $(SAMPLE_CUDA),,-DSTARPU_USE_CUDA)),@:)

$(B)/samples/native/%.o: samples/cholesky/%.c
	@mkdir -p $(@D)
	$(call sample_cc,$(STARPU_NATIVE),$(OPENBLAS_CFLAGS) $(if $(SAMPLE_CUDA),-isystem $(CUDA_HOME)/include))

$(B)/samples/simgrid/%.o: samples/cholesky/%.c
	@mkdir -p $(@D)
	$(call sample_cc,$(STARPU_SIMGRID))

# The kernels of an application as one C string, which is its OpenCL program.
$(B)/samples/app/cl/%.h: samples/common/kernel.h samples/%/kernels.h
	@mkdir -p $(@D)
	grep -hv '^#include "samples/' $^ | sed 's/\\/\\\\/g; s/"/\\"/g; s/.*/"&\\n"/' > $@

# What a program has besides samples/NAME/NAME.c.
multifrontal_OBJ = tree.o

# How the adapters of samples/common are told whose kernels they call.
app_kernels = -DSAMPLE_KERNELS='"samples/$(1)/kernels.h"' -DSAMPLE_SOURCE='"samples/app/cl/$(1).h"'
# Sums may be reordered, as devices do: without, a CPU core would add one number at a time.
APP_FAST    = -O3 -fassociative-math -fno-signed-zeros -fno-trapping-math
APP_CUDA    = $(if $(SAMPLE_CUDA),-L$(CUDA_HOME)/lib64 -lcudart -lstdc++ -Wl$(comma)-rpath$(comma)$(CUDA_HOME)/lib64)

# app_rules NAME
define app_rules
$(B)/samples/$(1): $(B)/samples/app/native/app.o $(addprefix $(B)/samples/app/native/$(1)/,$(1).o $($(1)_OBJ) kernels_cpu.o \
		kernels_opencl.o kernels_cuda.o)
	$$(if $$(STARPU_NATIVE),$$(CC) $$(CFLAGS) $$(LDFLAGS) -o $$@ $$(if $$(SAMPLE_CUDA),$$^,$$(filter-out %_cuda.o,$$^)) \
		$$(call starpu_libs,$$(STARPU_NATIVE)) $$(if $$(filter STARPU_USE_OPENCL,$$(SAMPLE_DEFINES)),-lOpenCL) \
		$$(APP_CUDA) -lm,@:)

$(B)/samples/$(1)-simgrid: $(B)/samples/app/simgrid/app.o $(addprefix $(B)/samples/app/simgrid/$(1)/,$(1).o $($(1)_OBJ) kernels_cpu.o \
		kernels_opencl.o)
	$$(if $$(STARPU_SIMGRID),$$(CC) $$(CFLAGS) $$(LDFLAGS) -o $$@ $$^ $$(call starpu_libs,$$(STARPU_SIMGRID)) -lm,@:)

$(addprefix $(B)/samples/app/native/$(1)/,$(1).o $($(1)_OBJ)): $(B)/samples/app/native/$(1)/%.o: samples/$(1)/%.c
	@mkdir -p $$(@D)
	$$(call sample_cc,$$(STARPU_NATIVE))

$(addprefix $(B)/samples/app/simgrid/$(1)/,$(1).o $($(1)_OBJ)): $(B)/samples/app/simgrid/$(1)/%.o: samples/$(1)/%.c
	@mkdir -p $$(@D)
	$$(call sample_cc,$$(STARPU_SIMGRID))

$(B)/samples/app/%/$(1)/kernels_cpu.o: samples/common/kernels_cpu.c
	@mkdir -p $$(@D)
	$$(call sample_cc,$$(STARPU_$$(call upper,$$*)),$$(APP_FAST) $$(call app_kernels,$(1)))

$(B)/samples/app/%/$(1)/kernels_opencl.o: samples/common/kernels_opencl.c $(B)/samples/app/cl/$(1).h
	@mkdir -p $$(@D)
	$$(call sample_cc,$$(STARPU_$$(call upper,$$*)),$$(call app_kernels,$(1)))

# Compiled wherever the CUDA headers are, linked only where StarPU drives CUDA.
$(B)/samples/app/native/$(1)/kernels_cuda.o: samples/common/kernels_cuda.cu samples/$(1)/kernels.h
	@mkdir -p $$(@D)
	$$(if $$(and $$(CUDA_HOME),$$(STARPU_NATIVE)),$$(NVCC) -I. -I$$(B) -isystem $$(CUDA_HOME)/include \
		$$$$($$(call starpu_pc,$$(STARPU_NATIVE)) --cflags-only-I) $$(if $$(SAMPLE_CUDA),,-DSTARPU_USE_CUDA) \
		$$(call app_kernels,$(1)) -c -o $$@ $$<,@:)
endef

upper = $(if $(filter native,$(1)),NATIVE,SIMGRID)
$(foreach a,$(APPS),$(eval $(call app_rules,$(a))))

$(B)/samples/app/%/app.o: samples/common/app.c
	@mkdir -p $(@D)
	$(call sample_cc,$(STARPU_$(call upper,$*)))
