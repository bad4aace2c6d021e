# tests/lib/starpu_simgrid.sh - what StarPU itself gives on simulated machines, measured once per version of StarPU.
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# A cell is a machine whose models come with StarPU's source, one of StarPU's example applications, a number of tiles of 960,
# and STARPU_LIMIT_CUDA_MEM where that is set. Measurements are kept in the user's cache with the date they were taken, those
# under the scheduler library for that library alone; REFRESH=1 takes them again, and REFRESH_RUNS=1 the recordings. After
# common.sh.
store=${XDG_CACHE_HOME:-$HOME/.cache}/heterotune/measured-$(PKG_CONFIG_PATH=$simgrid/lib/pkgconfig pkg-config --modversion starpu-1.4)
fresh=$tmp/fresh
library=$build/libheterotune_sched.so
mkdir -p "$store"
touch "$store/makespans.tsv" "$fresh"

# without_priorities COMMAND...: the command, whose tasks have none, in $command
without_priorities() {
	local library=$tmp/no_priorities.so
	# shellcheck disable=SC2046
	[ -e "$library" ] || gcc -D_GNU_SOURCE -shared -fPIC -o "$library" tests/lib/no_priorities_preload.c \
		$(PKG_CONFIG_PATH=$simgrid/lib/pkgconfig pkg-config --cflags-only-I starpu-1.4) -ldl || exit 2
	# shellcheck disable=SC2016
	command=(sh -c 'LD_PRELOAD=$0${LD_PRELOAD:+:$LD_PRELOAD} exec "$@"' "$library" "$@")
}

# application NAME TILES: its command line, in $command
application() {
	local examples=$simgrid/lib/starpu/examples
	case $1 in
	cholesky) command=("$examples/cholesky_implicit") ;;
	cholesky-no-prio) command=("$examples/cholesky_implicit" -no-prio) ;;
	lu) command=("$examples/lu_implicit_example_float") ;;
	lu-no-prio) without_priorities "$examples/lu_implicit_example_float" ;;
	gemm) command=("$examples/sgemm" -3d -iter 1 -nblocks "$2" -xyz $((960 * $2))); return ;;
	*) echo "no such application: $1" >&2; exit 2 ;;
	esac
	command+=(-size $((960 * $2)) -nblocks "$2")
}

# recorded MACHINE APPLICATION TILES: the run of it under dmda, in $run
recorded() {
	run=$store/runs/$1-$2-$3${STARPU_LIMIT_CUDA_MEM:+-$STARPU_LIMIT_CUDA_MEM}
	[ -d "$run" ] && [ -z "${REFRESH_RUNS:-}" ] && return
	rm -rf "$run"
	mkdir -p "$(dirname "$run")"
	application "$2" "$3"
	on "$1" dmda "$ht" collect --priorities -o "$run" -- "${command[@]}" >"$tmp/out" 2>"$tmp/err" ||
		{ tail -n 3 "$tmp/err" >&2; exit 2; }
}

# said: what the application says on its output that it took, in $ms
said() {
	ms=$(sed -n -e 's/.*time=\([0-9.]*\) ms.*/\1/p' -e 's/^\([0-9]*[[:space:]]\)\{3\}\([0-9.]*\)[[:space:]].*/\2/p;t' \
		-e 's/^[0-9][0-9]*[[:space:]]\{1,\}\([0-9.]*\)[[:space:]].*/\1/p' "$tmp/out" | tail -n 1)
}

# milliseconds MACHINE SCHED COMMAND...: what it takes, in $ms; not if StarPU took lws, not knowing SCHED
milliseconds() {
	ms=
	on "$1" "$2" env STARPU_SILENT=0 "${@:3}" >"$tmp/out" 2>"$tmp/err" || return
	! grep 'scheduling policy .* was not found' "$tmp/err" >"$tmp/unknown" || { mv "$tmp/unknown" "$tmp/err"; return; }
	said
}

# learned MACHINE: AutoHeteroprio twice, the second time with the file that the first has left; $ms is the second's
learned() {
	rm -f "$tmp/learned.data"
	export STARPU_HETEROPRIO_DATA_FILE=$tmp/learned.data
	milliseconds "$1" heteroprio "${command[@]}"
	[ -z "$ms" ] || milliseconds "$1" heteroprio "${command[@]}"
	unset STARPU_HETEROPRIO_DATA_FILE
}

# run_starpu MACHINE POLICY [CONFIG]: $command under a policy, in $ms
run_starpu() {
	local machine=$1 policy=$2 config=${3:-}
	case $policy in
	heteroprio)
		on "$machine" heteroprio "$ht" run --strict "$config" -- "${command[@]}" >"$tmp/out" 2>"$tmp/err" || { ms=; return; }
		said ;;
	autoheteroprio:*)
		local la=${policy##*la=} ordering=${policy#*policy=}
		export STARPU_HETEROPRIO_USE_LA=$la STARPU_AUTOHETEROPRIO_PRIORITY_ORDERING_POLICY=${ordering%%,*}
		learned "$machine"
		unset STARPU_HETEROPRIO_USE_LA STARPU_AUTOHETEROPRIO_PRIORITY_ORDERING_POLICY ;;
	heterotune) milliseconds "$machine" heterotune env STARPU_SCHED_LIB="$library" HETEROTUNE_QUIET=1 "${command[@]}" ;;
	*) milliseconds "$machine" "$policy" "${command[@]}" ;;
	esac
}

# measured MACHINE APPLICATION TILES POLICY [CONFIG]: its makespan in StarPU, in $ms; empty: it failed, which is said. POLICY is
# STARPU_SCHED's, "autoheteroprio:policy=N,la=0|1" (the second run), heteroprio with CONFIG, or heterotune, without a config
measured() {
	local key="$1	$2	$3${STARPU_LIMIT_CUDA_MEM:+ in $STARPU_LIMIT_CUDA_MEM MB}	$4"
	[ -z "${5:-}" ] || key+="	$(sed '/<evidence/,$d' "$5" | md5sum | cut -c1-12)"
	[ -z "${5:-}" ] && [ "$4" != heterotune ] || key+=" $(md5sum "$library" | cut -c1-12)"
	ms=$(grep -F "$key	=	" "$store/makespans.tsv" | tail -n 1 | sed 's/.*	=	//; s/	.*//')
	[ -n "$ms" ] && { [ -z "${REFRESH:-}" ] || grep -qF "$key	=	" "$fresh"; } && return
	application "$2" "$3"
	run_starpu "$1" "$4" ${5:+"$5"}
	[ -n "$ms" ] || { echo "bench: $1 $2 $3: StarPU fails under ${5:-$4}: $(tail -n 1 "$tmp/err")" >&2; return 0; }
	printf '%s\t=\t%s\t%s\n' "$key" "$ms" "$(date +%F)" | tee -a "$fresh" >>"$store/makespans.tsv"
}

# taken: when the measurements were, first and last
taken() { awk -F'\t' '{ d = $NF; if (!a || d < a) a = d; if (d > b) b = d } END { print a == b ? a : a " to " b }' "$store/makespans.tsv"; }
