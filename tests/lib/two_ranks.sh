# tests/lib/two_ranks.sh - $tmp/gpus.rec and $tmp/gpus.trace: two tasks on each of two MPI ranks with a GPU, and copies.
# SPDX-License-Identifier: LGPL-2.1-or-later
{
	grep '^%' tests/data/run/paje.trace
	for e in 'Start 18' 'End 19'; do
		printf '%%EventDef Paje%sLink %s\n%% Time date\n%% Type string\n%% Container string\n%% Value string\n' $e
		printf '%% %sContainer string\n%% Key string\n%%EndEventDef\n' "${e% *}"
	done
	for r in 0 1; do
		grep -E '^7 .* (p|mn[01]|t[02]|w[02]) ' tests/data/run/paje.trace | sed -E "s/ (p|mn|t|w)/ ${r}_\1/g; s/_w2 /_w1 /"
		echo "18 5.0 F ${r}_p 8192 ${r}_mm$r com_$r"
		echo "19 9.0 F ${r}_p 8192 ${r}_mm$((1 - r)) com_$r"
	done
} > "$tmp/gpus.trace"
for job in 0_1 0_2 1_1 1_2; do
	printf '%s\n' 'Name: a' "JobId: $job" "SubmitOrder: ${job#*_}" "WorkerId: $((${job#*_} - 1))" 'MemoryNode: 0' 'SubmitTime: 0' \
		'StartTime: 1' 'EndTime: 9' "MPIRank: ${job%_*}" ''
done > "$tmp/gpus.rec"
