# schema/schema.mk - schemas as strings: schema/NAME.rng becomes build/schema/NAME_rng.h, with `static const char NAME_rng[]`.

RNG_H := $(patsubst schema/%.rng,$(B)/schema/%_rng.h,$(wildcard schema/*.rng))

# Whoever includes one needs it before the first compilation; later ones know it from their .d file.
$(OBJ) $(UNIT:%.c=$(B)/%.o): | $(RNG_H)

$(B)/schema/%_rng.h: schema/%.rng
	$(EMBED)
