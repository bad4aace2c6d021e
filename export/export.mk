# export/export.mk - the C header that export writes, as a string: a line that begins with @ stands for a part of the config.

HEADER_H := $(B)/export/heterotune.h.in.h

$(OBJ) $(UNIT:%.c=$(B)/%.o): | $(HEADER_H)

$(B)/export/%.in.h: export/%.in
	$(EMBED)
