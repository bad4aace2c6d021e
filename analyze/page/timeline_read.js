/* analyze/page/timeline_read.js - the runs of a timeline, out of the bytes that packed.c has written. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Fills in run.start, run.end, ... by task, run.lanes, run.idle by worker, and run.steps. Times are ticks. */
var readRun = (function () {
	"use strict";

	function Reader(text) {
		var raw = atob(text), n = raw.length;
		this.bytes = new Uint8Array(n);
		for (var i = 0; i < n; i++) this.bytes[i] = raw.charCodeAt(i);
		this.at = 0;
	}
	Reader.prototype.number = function () {
		var v = 0, unit = 1, b;
		do {
			b = this.bytes[this.at++];
			v += (b & 127) * unit;
			unit *= 128;
		} while (b & 128);
		return v;
	};
	Reader.prototype.signed = function () {
		var v = this.number();
		return v % 2 ? -(v + 1) / 2 : v / 2;
	};
	Reader.prototype.done = function () { return this.at >= this.bytes.length; };

	function readTasks(run) {
		var r = new Reader(run.tasks), n = run.n, at = 0, job = 0, priority = 0;
		run.start = new Float64Array(n);
		run.end = new Float64Array(n);
		run.ready = new Float64Array(n);
		run.since = new Float64Array(n);
		run.worker = new Uint16Array(n);
		run.lane = new Uint8Array(n);
		run.class = new Uint32Array(n);
		run.job = new Float64Array(n);
		run.priority = new Int32Array(n);
		run.after = new Int32Array(n);
		run.cause = new Uint8Array(n);
		run.count = new Uint32Array(n);
		for (var i = 0; i < n; i++) {
			at += r.signed();
			run.start[i] = at;
			run.end[i] = at + r.number();
			run.ready[i] = at - r.number();
			run.since[i] = at - r.number();
			run.worker[i] = r.number();
			run.lane[i] = r.number();
			run.class[i] = r.number();
			run.job[i] = job += r.signed();
			run.priority[i] = priority += r.signed();
			run.cause[i] = r.number();
			run.after[i] = run.cause[i] & 4 ? i - r.signed() : -1;
			run.cause[i] &= 3;
			run.count[i] = run.exact ? 1 : r.number();
		}
	}

	/* Per worker and lane the tasks in the order of their starts, which within a lane is that of their ends. */
	function index(run) {
		run.lanes = run.workers.map(function () { return []; });
		for (var i = 0; i < run.n; i++) {
			var lanes = run.lanes[run.worker[i]];
			while (lanes.length <= run.lane[i]) lanes.push([]);
			lanes[run.lane[i]].push(i);
		}
	}

	function readStates(run) {
		var r = new Reader(run.states);
		run.idle = run.workers.map(function () { return []; });
		for (var w = 0; !r.done(); w++)
			for (var n = r.number(), at = 0; n > 0; n--) {
				at += r.signed();
				var length = r.number();
				run.idle[w].push({from: at, to: at + length, state: r.number()});
				at += length;
			}
	}

	function readReady(run) {
		var r = new Reader(run.ready_steps), at = 0;
		run.steps = [];
		while (!r.done()) {
			at += r.signed();
			run.steps.push([at, r.number()]);
		}
	}

	return function (run) {
		readTasks(run);
		index(run);
		readStates(run);
		readReady(run);
	};
})();
