# tests/lib/common.sh - what the command tests share: reporting, a private StarPU home, SimGrid's environment.
# SPDX-License-Identifier: LGPL-2.1-or-later
# Sourced from the root of the repository. Leaves $build, $ht (the binary), $tmp (removed at exit), $failed.
set -u
build=$(realpath -m "${B:-build}")
ht=$build/heterotune
failed=0
unset ${!STARPU_@} ${!POCL_@}
for name in ${!HETEROTUNE_@}; do
	case $name in HETEROTUNE_DATA | HETEROTUNE_STARPU*) ;; *) unset "$name" ;; esac
done
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
export LC_ALL=C STARPU_SILENT=1 OPENBLAS_NUM_THREADS=1 POCL_MAX_PTHREAD_COUNT=1 POCL_CACHE_DIR=$build/pocl-cache
native=$(setup/starpu --have native) || native=
simgrid=$(setup/starpu --have simgrid) || simgrid=
samples=$(setup/starpu --have samples) || samples= simgrid= # It simulates none but the machines of these models.
# How programs are linked with it: one that brings its own C library along says so (setup/starpu-debian).
linked=(-L"$native/lib" -Wl,-rpath,"$native/lib" $(cat "$native/link" 2>/dev/null))
export STARPU_HOME=$tmp/home
mkdir -p "$STARPU_HOME" "$POCL_CACHE_DIR"

ok() { echo "ok $1"; }
fail() { echo "FAIL $1: $2"; failed=1; }
skip() { echo "SKIP $1: $2"; }

# try COMMAND...: its status in $status, its output in $tmp/out and $tmp/err; `on` and `opencl` below are commands too
try() {
	status=0
	case $1 in
	on | opencl) "$@" ;;
	*) timeout 600 "$@" ;;
	esac >"$tmp/out" 2>"$tmp/err" || status=$?
}

# expect NAME STATUS FILE REGEX: about what `try` ran; FILE is out or err
expect() {
	if [ "$status" -ne "$2" ]; then
		fail "$1" "exit status: found=$status expected=$2: $(tail -n 1 "$tmp/err")"
	elif ! grep -Eq -- "$4" "$tmp/$3"; then
		fail "$1" "std$3 does not match: expected=$4 found=$(tail -n 1 "$tmp/$3")"
	else
		ok "$1"
	fi
}

# Before an application that loads a scheduler library built under a sanitizer (tests/sanitized): its runtime comes first,
# and what StarPU and other programs leave behind, and mawk compares beyond its strings, is theirs.
preload=(${SAN_PRELOAD:+LD_PRELOAD=$SAN_PRELOAD ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=0:strict_memcmp=0})

# on MACHINE SCHED COMMAND...: under SimGrid; the models are copied, since StarPU writes beside them
on() {
	local machine=$1 sched=$2
	shift 2
	[ -d "$tmp/sampling" ] || cp -r "$samples" "$tmp/sampling"
	timeout 600 env "${preload[@]}" STARPU_PERF_MODEL_DIR="$tmp/sampling" STARPU_HOSTNAME="$machine" STARPU_SCHED="$sched" "$@"
}

# opencl COMMAND...: natively, with one CPU worker and one OpenCL worker (PoCL)
opencl() {
	timeout 600 env "${preload[@]}" STARPU_OPENCL_ON_CPUS=1 STARPU_NOPENCL=1 STARPU_NCPU=1 STARPU_NCUDA=0 STARPU_NHIP=0 "$@"
}

finish() { exit $failed; }
