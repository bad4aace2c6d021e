# tests/lib/replays.sh - what benches print of runs and replays. After common.sh.
# SPDX-License-Identifier: LGPL-2.1-or-later

# makespan RUN OPTION...: of a replay, in ms; status 1 and a sentence where it fails
makespan() {
	"$ht" replay "$@" --json 2>"$tmp/err" | sed -n 's/.*"\(run_\)*makespan_ns": \([0-9]*\).*/\2/p' | tail -n 1 |
		awk '{ printf "%.2f\n", $1 / 1e6 }' | grep . || { echo "bench: no replay: $*: $(tail -n 1 "$tmp/err")" >&2; return 1; }
}

# choice CONFIG: what was chosen in $chosen, and the makespan that the replay has in ms in $predicted
choice() {
	chosen=$(sed -n 's/^<config .* chosen="\([^"]*\)".*/\1/p' "$1")
	predicted=$(awk -v name="<trial name=\"$chosen\" " \
		'index($0, name) { sub(/.* makespan="/, ""); printf "%.1f", $0 / 1e6; exit }' "$1")
}

# spread: the median, the least and the most of the numbers on standard input
spread() {
	sort -n | awk '{ v[NR] = $1 } END { if (NR) printf "%.1f %.1f %.1f", (v[int((NR + 1) / 2)] + v[int(NR / 2) + 1]) / 2, v[1], v[NR] }'
}

# known SCHEDULER...: StarPU takes lws for one that it does not know; status 2 and a sentence
known() {
	local name names
	names=$("$ht" replay --list | sed -n 's/^\([^ ]*\) .*(StarPU 1\.4.*/\1/p' | grep -vE '^(auto|la)heteroprio$'; echo heterotune)
	for name; do
		grep -qxF -e "$name" <<<"$names" ||
			{ echo "bench: there is no scheduler $name: expected one of" $names >&2; return 2; }
	done
}
