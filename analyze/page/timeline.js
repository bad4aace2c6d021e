/* analyze/page/timeline.js - the Gantt charts of a report: zoom, rows that fold, what each task waited for. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * All charts share one view, [view.from, view.to] in ticks from the first start of each run. A task narrower than a
 * pixel adds its colour to that pixel by its time, so a redraw costs a look at each visible task and no more drawing
 * than there are pixels. Colours are those of the light page: in the dark the canvas is inverted by the style sheet,
 * as swatches and plots are.
 */
(function () {
	"use strict";
	/* global readRun */
	var element = document.getElementById("timeline-data"), root = document.getElementById("timeline-view");
	if (!element || !root) return;
	var data = JSON.parse(element.textContent);
	var FOLD = 8, INK = "#20252b", FAINT = "#5b6470", LINE = "#d9dde3", CAUSES = ["", "submission", "task", "worker"];
	var view = {from: 0, to: 1}, span = 1, least = 0, only = -1, selected = null, charts = [], width = 0, gutter = 0;

	function groupOf(run, i) { return run.groups[run.classes[run.class[i]][0]]; }
	function typeOf(run, i) { return run.types[run.classes[run.class[i]][0]]; }

	/* --- words */

	function time(ticks) {
		var ns = ticks * data.tick_ns, a = Math.abs(ns);
		var unit = a >= 1e9 ? [1e9, "s"] : a >= 1e6 ? [1e6, "ms"] : a >= 1e3 ? [1e3, "us"] : [1, "ns"], v = ns / unit[0];
		var digits = Math.abs(v) >= 100 ? 0 : Math.abs(v) >= 10 ? 1 : 2;
		return (unit[0] === 1 ? Math.round(v) : v.toFixed(digits)) + " " + unit[1];
	}
	/* A time on the axis, with digits that tell neighbours of the view apart. */
	function clock(ticks) {
		var ns = ticks * data.tick_ns, range = (view.to - view.from) * data.tick_ns;
		var unit = range >= 2e9 ? [1e9, "s"] : range >= 2e6 ? [1e6, "ms"] : [1e3, "us"];
		var digits = Math.max(0, Math.min(6, Math.ceil(3 - Math.log10(range / unit[0]))));
		return (ns / unit[0]).toFixed(digits) + " " + unit[1];
	}
	function percent(share) { return (100 * share).toFixed(share > 0 && share < 0.1 ? 1 : 0) + " %"; }
	function make(name, classes, text, into) {
		var e = document.createElement(name);
		if (classes) e.className = classes;
		if (text) e.textContent = text;
		if (into) into.appendChild(e);
		return e;
	}
	function taskName(run, i) {
		return run.count[i] > 1 ? run.count[i] + " tasks, most of them " + typeOf(run, i) :
			typeOf(run, i) + " #" + run.job[i];
	}

	/* --- rows: an architecture of many workers is one row until it is opened */

	function layOut(chart) {
		var y = 0;
		chart.rows = [];
		chart.archs.forEach(function (a) {
			if (a.workers.length > 1) {
				chart.rows.push({kind: "head", arch: a, y: y, h: 20});
				y += 20;
			}
			if (a.open || a.workers.length === 1)
				a.workers.forEach(function (w) {
					var h = a.workers.length > FOLD ? 13 : 22;
					chart.rows.push({kind: "worker", arch: a, worker: w, y: y, h: h});
					y += h + 2;
				});
			else {
				chart.rows.push({kind: "folded", arch: a, y: y, h: 56});
				y += 58;
			}
			y += 4;
		});
		chart.height = y;
		chart.rowOf = {};
		chart.rows.forEach(function (r) {
			if (r.kind === "worker") chart.rowOf[r.worker] = r;
			if (r.kind === "folded") r.arch.workers.forEach(function (w) { chart.rowOf[w] = r; });
		});
		labels(chart);
	}

	function idleOf(chart, workers) {
		var busy = 0;
		workers.forEach(function (w) { busy += chart.run.workers[w].busy; });
		return Math.max(0, 1 - busy / workers.length);
	}

	/* Why a worker, or several, executed nothing: shares of the run, in the order of the states. */
	function whyIdle(chart, workers) {
		var words = [];
		data.states.forEach(function (s, k) {
			var share = 0;
			workers.forEach(function (w) {
				var shares = chart.run.workers[w].states;
				share += (shares ? shares[k] : 0) / workers.length;
			});
			if (k > 0 && share >= 0.001) words.push(s.name + " " + percent(share));
		});
		return words.join(", ");
	}

	function labels(chart) {
		chart.gutter.textContent = "";
		chart.gutter.style.height = chart.height + "px";
		chart.rows.forEach(function (r) {
			var own = r.kind === "worker" ? [r.worker] : r.arch.workers, e;
			if (r.kind === "folded") return;
			if (r.kind === "head") {
				e = make("button", "fold", "", chart.gutter);
				e.type = "button";
				e.setAttribute("aria-expanded", r.arch.open);
				e.onclick = function () {
					r.arch.open = !r.arch.open;
					layOut(chart);
					redraw();
					chart.gutter.querySelectorAll("button")[chart.archs.filter(function (a) {
						return a.workers.length > 1; }).indexOf(r.arch)].focus();
				};
				make("span", "", (r.arch.open ? "\u25be " : "\u25b8 ") + own.length + " " + r.arch.name, e);
			} else {
				e = make("div", r.h < 16 ? "small" : "", "", chart.gutter);
				make("span", "", chart.run.workers[r.worker].name, e);
			}
			make("span", "idle", percent(idleOf(chart, own)), e);
			e.title = "idle " + percent(idleOf(chart, own)) + ": " + whyIdle(chart, own);
			e.style.top = r.y + "px";
			e.style.height = r.h + "px";
			e.style.lineHeight = r.h + "px";
		});
	}

	/* --- drawing */

	function prepare(canvas, height) {
		var ratio = Math.min(window.devicePixelRatio || 1, 2), c = canvas.getContext("2d");
		canvas.width = Math.max(1, Math.round(width * ratio));
		canvas.height = Math.max(1, Math.round(height * ratio));
		canvas.style.height = height + "px";
		c.setTransform(ratio, 0, 0, ratio, 0, 0);
		c.font = "11px system-ui, sans-serif";
		return c;
	}
	function px(t) { return (t - view.from) / (view.to - view.from) * width; }
	function ticksAt(x) { return view.from + x / width * (view.to - view.from); }

	/* The first of a lane's tasks that ends after `t`. */
	function firstAfter(run, lane, t) {
		var low = 0, high = lane.length;
		while (low < high) {
			var mid = low + high >> 1;
			if (run.end[lane[mid]] > t) high = mid;
			else low = mid + 1;
		}
		return low;
	}
	function colour(g) { return data.groups[g].rgb; }
	function parts(g) {
		var v = parseInt(colour(g).slice(1), 16);
		return [v >> 16, v >> 8 & 255, v & 255];
	}

	function drawIdle(c, chart, row, y, h) {
		chart.run.idle[row.worker].forEach(function (s) {
			var a = px(s.from), b = px(s.to);
			if (b < 0 || a > width) return;
			c.fillStyle = data.states[s.state].rgb;
			c.fillRect(Math.max(a, 0), y, Math.min(b, width) - Math.max(a, 0), h);
		});
	}

	/* Tasks of a lane: a box, or a share of the colour of a pixel where they are narrower than one. */
	function drawLane(c, run, lane, y, h) {
		var at = -1, sum = [0, 0, 0], covered = 0;
		function flush() {
			if (covered > 0) {
				c.globalAlpha = Math.min(1, covered);
				c.fillStyle = "rgb(" + sum.map(function (v) { return Math.round(v / covered); }) + ")";
				c.fillRect(at, y, 1, h);
				c.globalAlpha = 1;
			}
			sum = [0, 0, 0];
			covered = 0;
		}
		for (var k = firstAfter(run, lane, view.from); k < lane.length; k++) {
			var i = lane[k], a = px(run.start[i]), b = px(run.end[i]), g = groupOf(run, i);
			if (a > width) break;
			if (b - a >= 1.5) {
				flush();
				c.globalAlpha = only < 0 || only === g ? 1 : 0.12;
				c.fillStyle = colour(g);
				c.fillRect(a, y, b - a - Math.min(0.8, 0.15 * (b - a)), h);
				c.globalAlpha = 1;
				continue;
			}
			if (Math.floor(a) !== at) flush();
			at = Math.floor(a);
			var weight = Math.max(b - a, 0.02) * (only < 0 || only === g ? 1 : 0.12), rgb = parts(g);
			covered += weight;
			for (var p = 0; p < 3; p++) sum[p] += weight * rgb[p];
		}
		flush();
	}

	function drawWorker(c, chart, row) {
		var lanes = chart.run.lanes[row.worker], n = Math.max(1, lanes.length), h = row.h / n;
		drawIdle(c, chart, row, row.y, row.h);
		lanes.forEach(function (lane, k) { drawLane(c, chart.run, lane, row.y + k * h, n > 1 ? h - 0.5 : h); });
	}

	/*
	 * How many workers of an architecture execute what, and why the others do not: shares of each pixel's time are
	 * heights, types from below, states on top of them.
	 */
	function drawFolded(c, chart, row) {
		var run = chart.run, groups = data.groups.length, kinds = groups + data.states.length;
		var columns = Math.ceil(width), share = new Float32Array(columns * kinds), part = 1 / row.arch.workers.length;
		function add(kind, from, to) {
			var a = Math.max(0, px(from)), b = Math.min(columns, px(to));
			for (var x = Math.floor(a); x < b; x++)
				share[x * kinds + kind] += (Math.min(b, x + 1) - Math.max(a, x)) * part;
		}
		row.arch.workers.forEach(function (w) {
			run.lanes[w].forEach(function (lane) {
				for (var k = firstAfter(run, lane, view.from); k < lane.length && run.start[lane[k]] < view.to; k++)
					add(groupOf(run, lane[k]), run.start[lane[k]], run.end[lane[k]]);
			});
			run.idle[w].forEach(function (s) { add(groups + s.state, s.from, s.to); });
		});
		for (var x = 0; x < columns; x++)
			for (var k = 0, used = 0; k < kinds && used < 1; k++) {
				var h = Math.min(share[x * kinds + k], 1 - used);
				if (h <= 0) continue;
				c.globalAlpha = only < 0 || only === k || k >= groups ? 1 : 0.12;
				c.fillStyle = k < groups ? colour(k) : data.states[k - groups].rgb;
				c.fillRect(x, row.y + row.h * (1 - used - h), 1, row.h * h);
				used += h;
			}
		c.globalAlpha = 1;
	}

	/* The task and the tasks it waited for, back to the first. */
	function chainOf(run, i) {
		var chain = [];
		while (i >= 0 && chain.length <= run.n) {
			chain.push(i);
			i = run.after[i];
		}
		return chain.reverse();
	}
	function lastTask(run) {
		var last = -1;
		for (var i = 0; i < run.n; i++)
			if (last < 0 || run.end[i] > run.end[last]) last = i;
		return last;
	}

	function place(chart, i) {
		var row = chart.rowOf[chart.run.worker[i]];
		return row.kind === "folded" ? {y: row.y + row.h / 2 - 5, h: 10} : {y: row.y, h: row.h};
	}

	/* All else pales; each task of the chain is joined to the one before it. */
	function drawChain(c, chart, chain, chosen) {
		var run = chart.run, before = null;
		c.fillStyle = "rgba(255,255,255,.7)";
		c.fillRect(0, 0, width, chart.height);
		c.lineWidth = 1;
		chain.forEach(function (i) {
			var p = place(chart, i), a = px(run.start[i]), b = Math.max(px(run.end[i]), a + 1);
			if (before) {
				c.strokeStyle = INK;
				c.beginPath();
				c.moveTo(before.x, before.y);
				c.lineTo(a, p.y + p.h / 2);
				c.stroke();
			}
			before = {x: b, y: p.y + p.h / 2};
			if (b < 0 || a > width) return;
			c.fillStyle = colour(groupOf(run, i));
			c.fillRect(a, p.y, b - a, p.h);
			c.strokeStyle = INK;
			c.lineWidth = i === chosen ? 2.5 : 1;
			if (b - a > 3 || i === chosen) c.strokeRect(a + 0.5, p.y + 0.5, Math.max(b - a - 1, 1), p.h - 1);
			c.lineWidth = 1;
		});
	}

	function drawChart(chart) {
		var c = prepare(chart.canvas, chart.height), end = px(chart.run.makespan_ns / data.tick_ns);
		c.clearRect(0, 0, width, chart.height);
		chart.rows.forEach(function (row) {
			if (row.kind === "worker") drawWorker(c, chart, row);
			if (row.kind === "folded") drawFolded(c, chart, row);
		});
		c.strokeStyle = FAINT;
		c.beginPath();
		c.moveTo(end, 0);
		c.lineTo(end, chart.height);
		c.stroke();
		if (selected && selected.chart === chart)
			drawChain(c, chart, chainOf(chart.run, selected.task), selected.task);
		else if (chains.checked)
			drawChain(c, chart, chainOf(chart.run, lastTask(chart.run)), -1);
	}

	function step(range, most) {
		var ten = Math.pow(10, Math.floor(Math.log10(range / most)));
		return [1, 2, 5, 10].map(function (k) { return k * ten; }).find(function (s) { return range / s <= most; });
	}

	/* Above every mark whose line would go through its name, and where no other name is; counted from the axis up. */
	function lineAbove(placed, m) {
		var line = 0, above = function (p) {
			return (p.x >= m.from && p.x <= m.to && p.line >= line) || (p.line === line && p.from < m.to && p.to > m.from);
		};
		for (var p = placed.find(above); p; p = placed.find(above)) line = p.line + 1;
		return line;
	}

	/*
	 * Names to the right of their lines from the right end on, then names to the left from the left on, as
	 * analyze/plots/gantt.c does. Returns how many lines they take.
	 */
	function placeNames(marks, widthOf) {
		var edge = width, placed = [];
		marks.sort(function (a, b) { return b.t - a.t; });
		marks.forEach(function (m) {
			var w = widthOf(m.text);
			m.x = px(m.t);
			m.left = m.x + w > edge && m.x >= w;
			m.from = m.left ? m.x - w : m.x;
			m.to = m.from + w;
			if (m.left) edge = m.x;
		});
		function put(m) {
			m.line = lineAbove(placed, m);
			placed.push(m);
		}
		marks.filter(function (m) { return !m.left; }).forEach(put);
		marks.filter(function (m) { return m.left; }).reverse().forEach(put);
		return placed.reduce(function (most, m) { return Math.max(most, m.line + 1); }, 0);
	}

	/* Bounds and ends stand above the axis: they are lengths of time, not events. */
	function drawRuler() {
		var marks = data.bounds.map(function (b) { return {t: b.ns / data.tick_ns, text: b.name + " " + b.text, bound: 1}; });
		charts.forEach(function (chart) {
			marks.push({t: chart.run.makespan_ns / data.tick_ns, text: chart.run.label.toLowerCase() + " " +
				time(chart.run.makespan_ns / data.tick_ns)});
		});
		marks = marks.filter(function (m) { return px(m.t) >= 0 && px(m.t) <= width; });
		var unit, c = ruler.getContext("2d");
		c.font = "11px system-ui, sans-serif";
		var top = 15 * placeNames(marks, function (text) { return c.measureText(text).width + 10; }) + 4;
		c = prepare(ruler, top + 20);
		c.strokeStyle = LINE;
		c.beginPath();
		c.moveTo(0, top + 0.5);
		c.lineTo(width, top + 0.5);
		c.stroke();
		marks.forEach(function (m) {
			var y = top - 15 * (m.line + 1);
			c.strokeStyle = m.bound ? FAINT : INK;
			c.setLineDash(m.bound ? [2, 2] : []);
			c.beginPath();
			c.moveTo(m.x, y);
			c.lineTo(m.x, top);
			c.stroke();
		});
		c.setLineDash([]);
		/* Where a chart is too narrow for names beside all lines, a line goes behind a name. */
		marks.forEach(function (m) {
			var y = top + 8 - 15 * (m.line + 1);
			c.fillStyle = "#fff";
			c.fillRect(m.from + (m.left ? 5 : 3), y - 10, m.to - m.from - 8, 13);
			c.fillStyle = m.bound ? FAINT : INK;
			c.textAlign = m.left ? "right" : "left";
			c.fillText(m.text, m.left ? m.x - 4 : m.x + 4, y);
		});
		var range = (view.to - view.from) * data.tick_ns, s = step(range, Math.max(3, width / 90));
		unit = range >= 2e9 ? [1e9, "s"] : range >= 2e6 ? [1e6, "ms"] : [1e3, "us"];
		c.fillStyle = FAINT;
		c.strokeStyle = FAINT;
		c.textAlign = "center";
		for (var ns = Math.ceil(view.from * data.tick_ns / s) * s; ns <= view.to * data.tick_ns; ns += s) {
			var at = px(ns / data.tick_ns), text = String(+(ns / unit[0]).toPrecision(6)) + (Math.abs(ns) < s / 2 ? " " + unit[1] : "");
			c.fillRect(at, top, 1, 4);
			var half = c.measureText(text).width / 2;
			c.fillText(text, Math.min(Math.max(at, half), width - half), top + 16);
		}
	}

	/* Ready tasks of every run on one scale; the first is an area, the others lines on top of it. */
	function drawReady() {
		var h = 110, c = prepare(ready, h), top = data.workers, dashes = [[], [], [5, 3]];
		charts.forEach(function (chart) {
			chart.run.steps.forEach(function (s) { top = Math.max(top, s[1]); });
		});
		function y(v) { return h - 2 - v / top * (h - 16); }
		charts.forEach(function (chart, k) {
			var steps = chart.run.steps;
			c.beginPath();
			c.moveTo(px(steps.length ? steps[0][0] : 0), y(0));
			steps.forEach(function (s, i) {
				c.lineTo(px(s[0]), y(i ? steps[i - 1][1] : 0));
				c.lineTo(px(s[0]), y(s[1]));
			});
			c.fillStyle = k ? "rgba(32,37,43,.1)" : "rgba(91,100,112,.3)";
			c.fill();
			c.strokeStyle = k ? INK : "#8a93a0";
			c.lineWidth = k ? 1.2 : 1;
			c.setLineDash(dashes[k % dashes.length]);
			c.stroke();
			c.setLineDash([]);
		});
		c.strokeStyle = FAINT;
		c.setLineDash([2, 3]);
		c.beginPath();
		c.moveTo(0, y(data.workers));
		c.lineTo(width, y(data.workers));
		c.stroke();
		c.setLineDash([]);
		c.fillStyle = FAINT;
		c.textAlign = "right";
		c.fillText(data.workers + (data.workers === 1 ? " worker" : " workers"), width - 4, y(data.workers) - 3);
		if (y(data.workers) - 3 > 11 + 10) c.fillText(String(top), width - 4, 11);
	}

	function redraw() {
		charts.forEach(drawChart);
		drawRuler();
		drawReady();
		root.dataset.from = Math.round(view.from * data.tick_ns);
		root.dataset.to = Math.round(view.to * data.tick_ns);
		whole.disabled = out.disabled = view.from <= least && view.to >= span;
	}
	var asked = 0;
	function redrawSoon() {
		if (asked) return;
		asked = requestAnimationFrame(function () { asked = 0; redraw(); });
	}

	/* --- the view */

	function look(from, to) {
		var length = Math.min(Math.max(to - from, 20), span - least);
		from = Math.min(Math.max(from, least), span - length);
		view = {from: from, to: from + length};
		redrawSoon();
	}
	function zoom(factor, x) {
		var t = ticksAt(x === undefined ? width / 2 : x);
		look(t - (t - view.from) * factor, t + (view.to - t) * factor);
	}
	function pan(share) {
		var d = share * (view.to - view.from);
		look(view.from + d, view.to + d);
	}

	/* --- what is under the pointer */

	function under(chart, x, y) {
		var row = chart.rows.find(function (r) { return y >= r.y && y < r.y + r.h && r.kind !== "head"; }), t = ticksAt(x);
		if (!row) return null;
		if (row.kind === "folded") return {chart: chart, row: row, t: t, task: -1};
		var lanes = chart.run.lanes[row.worker], near = 1.5 * (view.to - view.from) / width, found = -1, best = Infinity;
		var lane = lanes[Math.min(lanes.length - 1, Math.floor((y - row.y) / row.h * lanes.length))] || [];
		for (var k = firstAfter(chart.run, lane, t - near); k < lane.length; k++) {
			var i = lane[k], away = Math.max(chart.run.start[i] - t, t - chart.run.end[i], 0);
			if (chart.run.start[i] > t + near) break;
			if (away < best) {
				best = away;
				found = i;
			}
		}
		return {chart: chart, row: row, t: t, task: found};
	}

	function line(name, value) {
		var d = make("div", "", "", tip);
		make("dt", "", name, d);
		make("dd", "", value, d);
	}
	function swatch(into, g) {
		var s = make("i", "swatch", "", into);
		s.style.background = colour(g);
	}

	function waited(run, i) {
		var after = run.after[i], left = run.start[i] - run.since[i], text = "nothing before it";
		if (CAUSES[run.cause[i]] === "submission")
			text = "its submission at " + clock(run.since[i]);
		else if (after >= 0)
			text = (CAUSES[run.cause[i]] === "task" ? taskName(run, after) + ", which it needs, ended at " :
				"its worker, busy with " + taskName(run, after) + " until ") + clock(run.since[i]);
		return text + (left > 0 ? "; then " + time(left) + " for data, scheduling and launch" : "");
	}

	function describeTask(hit) {
		var run = hit.chart.run, i = hit.task, head = make("strong", "", "", tip);
		swatch(head, groupOf(run, i));
		head.appendChild(document.createTextNode(taskName(run, i) + " on " + run.workers[run.worker[i]].name));
		line("from", clock(run.start[i]) + " to " + clock(run.end[i]));
		line(run.count[i] > 1 ? "all of them" : "duration", time(run.end[i] - run.start[i]));
		if (run.count[i] === 1) {
			line("priority", String(run.priority[i]));
			line("footprint", run.classes[run.class[i]][1]);
			line("ready", run.start[i] > run.ready[i] ? time(run.start[i] - run.ready[i]) + " before its start" : "when it started");
		}
		line("waited for", waited(run, i));
		var chain = chainOf(run, i), busy = 0;
		chain.forEach(function (k) { busy += run.end[k] - run.start[k]; });
		line("its chain", chain.length + (chain.length === 1 ? " task" : " tasks") + " back to the beginning, " +
			percent(run.end[i] - Math.min(0, run.start[chain[0]]) > 0 ? Math.min(1, busy / (run.end[i] - Math.min(0, run.start[chain[0]]))) : 0) +
			" of that time in tasks");
	}

	function describeFolded(hit) {
		var run = hit.chart.run, count = {}, busy = 0;
		hit.row.arch.workers.forEach(function (w) {
			run.lanes[w].some(function (lane) {
				var i = lane[firstAfter(run, lane, hit.t)];
				if (i === undefined || run.start[i] > hit.t) return false;
				count[groupOf(run, i)] = (count[groupOf(run, i)] || 0) + 1;
				busy++;
				return true;
			});
		});
		make("strong", "", busy + " of " + hit.row.arch.workers.length + " " + hit.row.arch.name + " workers execute a task at " + clock(hit.t), tip);
		Object.keys(count).sort(function (a, b) { return count[b] - count[a]; }).forEach(function (g) {
			var d = make("div", "", "", tip);
			swatch(d, g);
			d.appendChild(document.createTextNode(data.groups[g].name + ": " + count[g]));
		});
	}

	function describeIdle(hit) {
		var s = hit.chart.run.idle[hit.row.worker].find(function (k) { return k.from <= hit.t && hit.t < k.to; });
		make("strong", "", hit.chart.run.workers[hit.row.worker].name + ": " + (s ? data.states[s.state].name : "no task"), tip);
		line("at", clock(hit.t));
		if (s) line("for", time(s.to - s.from));
	}

	function readyAt(run, t) {
		var low = 0, high = run.steps.length;
		while (low < high) {
			var mid = low + high >> 1;
			if (run.steps[mid][0] > t) high = mid;
			else low = mid + 1;
		}
		return low ? run.steps[low - 1][1] : 0;
	}

	function show(hit, x, y) {
		tip.textContent = "";
		if (hit.task >= 0) describeTask(hit);
		else if (hit.row && hit.row.kind === "folded") describeFolded(hit);
		else if (hit.row) describeIdle(hit);
		charts.forEach(function (chart) {
			if (!hit.row) line("ready, " + chart.run.label.toLowerCase(), String(readyAt(chart.run, hit.t)));
		});
		if (hit.row) line("ready tasks", String(readyAt(hit.chart.run, hit.t)));
		else line("at", clock(hit.t));
		tip.hidden = false;
		var w = tip.offsetWidth, h = tip.offsetHeight, room = document.documentElement.clientWidth;
		tip.style.left = Math.max(4, Math.min(x + 14, room - w - 8)) + "px";
		tip.style.top = (y + h + 24 > window.innerHeight ? Math.max(4, y - h - 12) : y + 16) + "px";
	}
	function hide() { tip.hidden = true; }

	function choose(hit, kept) {
		var was = selected;
		if (!kept && was && was.kept) return;
		selected = hit && hit.task >= 0 ? {chart: hit.chart, task: hit.task, kept: kept} : null;
		if ((was && was.task) !== (selected && selected.task) || (was && was.chart) !== (selected && selected.chart)) redrawSoon();
	}

	/* The next (1) or the one before (-1) on the worker of the task that is selected; shown where it is drawn. */
	function neighbour(by) {
		var chart = selected ? selected.chart : charts[0], run = chart.run, i = selected ? selected.task : lastTask(run);
		var lane = run.lanes[run.worker[i]][run.lane[i]], k = lane.indexOf(i) + (selected ? by : 0);
		if (k < 0 || k >= lane.length) return;
		i = lane[k];
		selected = null;
		choose({chart: chart, task: i}, true);
		if (run.start[i] < view.from || run.end[i] > view.to) look(run.start[i] - (view.to - view.from) / 2, run.start[i] + (view.to - view.from) / 2);
		var box = chart.canvas.getBoundingClientRect(), p = place(chart, i);
		show({chart: chart, row: chart.rowOf[run.worker[i]], t: run.start[i], task: i}, box.left + px(run.start[i]), box.top + p.y + p.h);
	}

	/* --- pointer, wheel, fingers, keys */

	function listen(canvas, chart) {
		var fingers = {}, drag = null;
		function x(ev) { return ev.clientX - canvas.getBoundingClientRect().left; }
		function hit(ev) {
			var y = ev.clientY - canvas.getBoundingClientRect().top;
			return chart ? under(chart, x(ev), y) : {t: ticksAt(x(ev)), task: -1};
		}
		canvas.addEventListener("wheel", function (ev) {
			if (Math.abs(ev.deltaX) > Math.abs(ev.deltaY)) {
				ev.preventDefault();
				pan(ev.deltaX / width);
			} else if (ev.ctrlKey || ev.metaKey || root.contains(document.activeElement)) {
				ev.preventDefault();
				zoom(Math.pow(1.2, Math.sign(ev.deltaY)), x(ev));
			}
		}, {passive: false});
		canvas.addEventListener("pointerdown", function (ev) {
			root.focus({preventScroll: true});
			fingers[ev.pointerId] = x(ev);
			drag = {from: x(ev), at: x(ev), moved: false, pan: ev.pointerType === "touch" || ev.shiftKey, view: view};
			try { canvas.setPointerCapture(ev.pointerId); } catch (e) { /* a pointer that is gone cannot be captured */ }
		});
		canvas.addEventListener("pointermove", function (ev) {
			var ids = Object.keys(fingers), h;
			if (drag && ids.length === 2 && fingers[ev.pointerId] !== undefined) {
				var other = fingers[ids[0] === String(ev.pointerId) ? ids[1] : ids[0]];
				var before = Math.abs(fingers[ev.pointerId] - other), now = Math.abs(x(ev) - other);
				if (before > 8 && now > 8) zoom(before / now, (x(ev) + other) / 2);
				fingers[ev.pointerId] = x(ev);
				drag.moved = true;
				return;
			}
			if (drag) {
				drag.moved = drag.moved || Math.abs(x(ev) - drag.from) > 4;
				if (drag.moved && drag.pan) {
					pan((drag.at - x(ev)) / width);
					drag.at = x(ev);
				} else if (drag.moved) {
					band.hidden = false;
					band.style.left = gutter + Math.min(drag.from, x(ev)) + "px";
					band.style.width = Math.abs(x(ev) - drag.from) + "px";
				}
				if (drag.moved) return hide();
			}
			h = hit(ev);
			if (!h) return hide();
			if (!(selected && selected.kept)) choose(h, false);
			show(h, ev.clientX, ev.clientY);
		});
		canvas.addEventListener("pointerup", function (ev) {
			var h;
			delete fingers[ev.pointerId];
			band.hidden = true;
			if (drag && drag.moved && !drag.pan)
				look(ticksAt(Math.min(drag.from, x(ev))), ticksAt(Math.max(drag.from, x(ev))));
			else if (drag && !drag.moved) {
				h = hit(ev);
				selected = null;
				choose(h, true);
				redrawSoon();
				if (h) show(h, ev.clientX, ev.clientY);
			}
			drag = null;
		});
		canvas.addEventListener("pointercancel", function (ev) { delete fingers[ev.pointerId]; drag = null; band.hidden = true; });
		canvas.addEventListener("pointerleave", function () {
			if (drag) return;
			hide();
			if (selected && !selected.kept) choose(null, false);
		});
		canvas.addEventListener("dblclick", function () { look(least, span); });
	}

	function onKey(ev) {
		var keys = {
			ArrowLeft: function () { pan(-0.2); }, ArrowRight: function () { pan(0.2); },
			"+": function () { zoom(0.6); }, "=": function () { zoom(0.6); }, "-": function () { zoom(1 / 0.6); },
			"0": function () { look(least, span); }, Home: function () { look(least, span); },
			n: function () { neighbour(1); }, p: function () { neighbour(-1); },
			Escape: function () { selected = null; hide(); redrawSoon(); }
		};
		if (ev.ctrlKey || ev.metaKey || ev.altKey || !keys[ev.key] || /^(INPUT|SELECT)$/.test(ev.target.tagName)) return;
		ev.preventDefault();
		keys[ev.key]();
	}

	/* --- the page's elements */

	function button(text, title, action, into) {
		var b = make("button", "", text, into);
		b.type = "button";
		b.title = title;
		b.onclick = action;
		return b;
	}

	function addLegend() {
		var legend = make("div", "legend", "", root);
		data.groups.forEach(function (g, k) {
			var b = button("", "show this type alone", function () {
				only = only === k ? -1 : k;
				legend.querySelectorAll("button").forEach(function (e, at) { e.setAttribute("aria-pressed", at === only); });
				redraw();
			}, legend);
			b.setAttribute("aria-pressed", "false");
			swatch(b, k);
			b.appendChild(document.createTextNode(g.name));
		});
		data.states.forEach(function (s, k) {
			if (k === 0 || !data.states_known) return;
			var e = make("span", "", "", legend), w = make("i", "swatch state", "", e);
			w.style.background = s.rgb;
			e.appendChild(document.createTextNode(s.name));
		});
	}

	function addChart(run) {
		var figure = make("figure", "gantt", "", root), caption = make("figcaption", "", "", figure), chart = {run: run, archs: []};
		make("strong", "", (run.label + ": " + run.title).replace(/ %/g, "\u00a0%"), caption);
		if (run.note) make("span", "note", run.note, caption);
		var body = make("div", "body", "", figure);
		chart.gutter = make("div", "gutter", "", body);
		chart.canvas = make("canvas", "", "", body);
		chart.canvas.setAttribute("role", "img");
		chart.canvas.setAttribute("aria-label", run.label + ": " + run.title);
		run.workers.forEach(function (w, k) {
			var a = chart.archs.find(function (e) { return e.name === w.arch; });
			if (!a) chart.archs.push(a = {name: w.arch, workers: [], open: false});
			a.workers.push(k);
		});
		chart.archs.forEach(function (a) { a.open = a.workers.length <= FOLD; });
		charts.push(chart);
		listen(chart.canvas, chart);
	}

	var known = 0;
	function resize() {
		if (root.clientWidth === known) return;
		known = root.clientWidth;
		gutter = root.clientWidth < 600 ? 92 : 120;
		root.style.setProperty("--gutter", gutter + "px");
		width = Math.max(60, root.clientWidth - gutter);
		charts.forEach(layOut);
		redraw();
	}

	data.runs.forEach(function (run) {
		readRun(run);
		if (run.n) least = Math.min(least, run.steps.length ? run.steps[0][0] : 0);
		span = Math.max(span, run.makespan_ns / data.tick_ns);
	});
	data.bounds.forEach(function (b) { span = Math.max(span, b.ns / data.tick_ns); });
	least = Math.max(least, -0.1 * span);
	span *= 1.01;

	root.tabIndex = 0;
	root.setAttribute("role", "group");
	root.setAttribute("aria-label", "Timeline: + and - zoom, arrows move, 0 shows all, n and p go from task to task");
	var bar = make("div", "bar-of-buttons", "", root);
	button("+", "zoom in (+)", function () { zoom(0.5); }, bar).setAttribute("aria-label", "zoom in");
	var out = button("\u2212", "zoom out (-)", function () { zoom(2); }, bar);
	out.setAttribute("aria-label", "zoom out");
	var whole = button("whole run", "show all (0)", function () { look(least, span); }, bar);
	var label = make("label", "", "", bar), chains = make("input", "", "", label);
	chains.type = "checkbox";
	chains.onchange = redraw;
	label.appendChild(document.createTextNode(" critical chain"));
	make("span", "note", "Drag to zoom, click a task to keep its chain, click into the chart and turn the wheel.", bar);
	addLegend();
	var over = make("div", "over", "", root), ruler = make("canvas", "ruler", "", over), band = make("div", "band", "", root);
	band.hidden = true;
	data.runs.forEach(addChart);
	var low = make("figure", "gantt ready", "", root);
	make("strong", "", data.ready_title, make("figcaption", "", "", low));
	var ready = make("canvas", "", "", make("div", "body over", "", low));
	ready.setAttribute("role", "img");
	ready.setAttribute("aria-label", data.ready_title);
	listen(ready, null);
	var tip = make("dl", "tip", "", root);
	tip.setAttribute("role", "status");
	tip.hidden = true;
	root.addEventListener("keydown", onKey);
	view = {from: least, to: span};
	new ResizeObserver(function () { requestAnimationFrame(resize); }).observe(root);
	resize();
})();
