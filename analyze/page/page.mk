# analyze/page/page.mk - what the page of a report has in it as strings: its scripts, its style, the words of heterotune(7).

PAGE_H := $(patsubst analyze/page/%,$(B)/analyze/page/%.h,$(wildcard analyze/page/*.js analyze/page/*.css)) \
          $(B)/analyze/page/words.h

$(OBJ) $(UNIT:%.c=$(B)/%.o): | $(PAGE_H)

$(B)/analyze/page/%.js.h: analyze/page/%.js
	$(EMBED)
$(B)/analyze/page/%.css.h: analyze/page/%.css
	$(EMBED)

# The list WORDS of the manual page as {"word", "what it means"}, without the marks of mdoc.
$(B)/analyze/page/words.h: man/heterotune.7 analyze/page/words.awk
	@mkdir -p $(@D)
	@awk -f analyze/page/words.awk $< > $@
