/* analyze/page/page.js - what a report answers to: tables that sort, words that explain themselves, a command to copy. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
(function () {
	"use strict";

	/* --- tables: a click on a title sorts, a second one the other way, a third one restores the order */

	var UNITS = {ns: 1, us: 1e3, ms: 1e6, s: 1e9, min: 6e10, B: 1, KiB: 1024, MiB: 1048576, GiB: 1073741824, TiB: 1099511627776,
		PiB: 1125899906842624, k: 1e3, M: 1e6, G: 1e9, T: 1e12, P: 1e15, E: 1e18, "%": 1};

	/* "12.3 ms", "45 %", "1.2 GiB/s", "123.4k": a number that can be compared; NaN: no number. */
	function value(text) {
		var m = /^([-+]?[0-9.]+(?:e[-+]?[0-9]+)?)\s*([a-zA-Z%]*)/.exec(text.trim());
		return m ? parseFloat(m[1]) * (UNITS[m[2]] || 1) : NaN;
	}

	/* Numbers before words, and what has none at the end either way. */
	function compare(a, b, sign) {
		var x = value(a), y = value(b);
		if (isNaN(x) && isNaN(y)) return sign * a.localeCompare(b);
		return isNaN(x) ? 1 : isNaN(y) ? -1 : sign * (x - y);
	}

	function sortable(table) {
		var body = table.tBodies[0], rows = [].slice.call(body.rows), titles = table.tHead.rows[0].cells;
		/* A row without a name goes on with what the row above it is about: apart from that, it needs it. */
		rows.forEach(function (row, i) {
			row.names = row.cells[0].textContent === "" && i ? rows[i - 1].names : row.cells[0].textContent;
			row.own = row.cells[0].textContent !== "";
		});
		function key(row, column) { return column ? row.cells[column].textContent : row.names; }
		[].forEach.call(titles, function (title, column) {
			if (!title.textContent) return;
			var button = document.createElement("button");
			button.type = "button";
			while (title.firstChild) button.appendChild(title.firstChild);
			title.appendChild(button);
			button.onclick = function () {
				var now = title.getAttribute("aria-sort"), first = title.classList.contains("t") ? "ascending" : "descending";
				var second = first === "ascending" ? "descending" : "ascending", next = !now ? first : now === first ? second : "";
				[].forEach.call(titles, function (t) { t.removeAttribute("aria-sort"); });
				if (next) title.setAttribute("aria-sort", next);
				var sorted = rows.slice(), sign = next === "ascending" ? 1 : -1;
				if (next) sorted.sort(function (a, b) { return compare(key(a, column), key(b, column), sign); });
				sorted.forEach(function (row) {
					if (!row.own) {
						row.cells[0].textContent = next ? row.names : "";
						row.cells[0].classList.toggle("repeated", !!next);
					}
					body.appendChild(row);
				});
			};
		});
	}
	[].forEach.call(document.querySelectorAll("figure.table table"), function (table) {
		if (table.tBodies[0].rows.length > 1) sortable(table);
	});

	/* --- words: a tap or the keyboard shows what the pointer does */

	var tip = document.createElement("div"), shown = null;
	tip.className = "tip";
	tip.setAttribute("role", "tooltip");
	tip.id = "word";
	tip.hidden = true;
	document.body.appendChild(tip);
	function explain(word) {
		var box = word.getBoundingClientRect();
		shown = word;
		tip.textContent = word.dataset.means;
		tip.hidden = false;
		tip.style.left = Math.max(4, Math.min(box.left, document.documentElement.clientWidth - tip.offsetWidth - 8)) + "px";
		tip.style.top = (box.bottom + tip.offsetHeight + 8 > window.innerHeight ? box.top - tip.offsetHeight - 6 : box.bottom + 6) + "px";
		word.setAttribute("aria-describedby", "word");
	}
	function silence() {
		if (shown) shown.removeAttribute("aria-describedby");
		shown = null;
		tip.hidden = true;
	}
	[].forEach.call(document.querySelectorAll("abbr[title]"), function (word) {
		word.dataset.means = word.title;
		word.removeAttribute("title");
		word.tabIndex = 0;
		["pointerenter", "focus", "click"].forEach(function (e) { word.addEventListener(e, function () { explain(word); }); });
		["pointerleave", "blur"].forEach(function (e) { word.addEventListener(e, silence); });
	});
	document.addEventListener("keydown", function (ev) { if (ev.key === "Escape") silence(); });
	document.addEventListener("scroll", silence, {passive: true});

	/* --- the command: copied by the browser, or selected where it may not be */

	[].forEach.call(document.querySelectorAll(".command"), function (line) {
		var button = document.createElement("button"), code = line.querySelector("code");
		button.type = "button";
		button.textContent = "copy";
		button.onclick = function () {
			getSelection().selectAllChildren(code);
			button.textContent = document.execCommand("copy") ? "copied" : "selected";
		};
		line.appendChild(button);
	});
})();
