#!/usr/bin/env python3
# tests/lib/page.py - what is wrong with an HTML page: tags that do not close, ids twice, references out of it, odd scripts.
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# usage: page.py FILE [TEXT...]: prints one line for each defect; each TEXT has to be found as text, not as markup, or in
# the data of the page's own script. A page has that data and one script, which says no name of the run.
import html.parser
import json
import re
import sys

VOID = {"meta", "link", "br", "img", "hr", "input"}


class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.open, self.ids, self.references, self.text, self.defects = [], set(), set(), [], []
        self.scripts, self.script = [], ""

    def attributes(self, tag, attrs):
        for name, value in attrs:
            value = value or ""
            if name == "id":
                if value in self.ids:
                    self.defects.append(f"id {value} stands twice")
                self.ids.add(value)
            if name in ("aria-labelledby", "aria-describedby"):
                self.references.update(value.split())
            if name in ("href", "xlink:href", "src"):
                if value.startswith("#"):
                    self.references.add(value[1:])
                elif not value.startswith("data:"):
                    self.defects.append(f"<{tag} {name}={value[:60]}> leads out of the page")
            self.references.update(re.findall(r"url\(#([^)]*)\)", value))
            if re.search(r"url\((?!#)", value) or name.startswith("on"):
                self.defects.append(f"<{tag} {name}={value[:60]}>")

    def handle_starttag(self, tag, attrs):
        if tag == "script":
            self.script = dict(attrs).get("type") or "code"
            self.scripts.append(self.script)
        if tag in ("iframe", "object", "embed", "form", "base"):
            self.defects.append(f"there is a <{tag}>")
        self.attributes(tag, attrs)
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.attributes(tag, attrs)

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.defects.append(f"line {self.getpos()[0]}: </{tag}> closes nothing")
            sys.exit("\n".join(self.defects))

    def handle_data(self, data):
        if "style" in self.open:
            if re.search(r"url\(|@import|http", data):
                self.defects.append("the style refers to something")
        elif "script" in self.open:
            if self.script == "application/json":
                self.text.append(json.dumps(json.loads(data), ensure_ascii=False).replace('\\"', '"').replace("\\\\", "\\"))
            elif re.search(r"https?:|//[a-z]+\.|import\(|fetch\(|XMLHttp|WebSocket|eval\(|innerHTML", data):
                self.defects.append("the script loads or executes something")
        else:
            self.text.append(data)


page = Page()
with open(sys.argv[1], encoding="utf-8", errors="strict", newline="") as f:
    page.feed(f.read())
page.close()
page.defects += [f"<{t}> is not closed" for t in page.open]
page.defects += [f"#{r} is not there" for r in sorted(page.references - page.ids)]
if page.scripts != ["application/json", "code"]:
    page.defects.append(f"scripts are {page.scripts}")
text = "".join(page.text)
page.defects += [f"has no text {t!r}" for t in sys.argv[2:] if t not in text]
print("\n".join(page.defects), end="\n" if page.defects else "")
