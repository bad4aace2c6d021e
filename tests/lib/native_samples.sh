# tests/lib/native_samples.sh - the samples in sizes that take some 0.1 s on one core and an OpenCL device made of a core.
# SPDX-License-Identifier: LGPL-2.1-or-later
# After common.sh.
native_samples='stencil multifrontal cholesky cg qr lu pipeline fmm'

# application NAME: its command line, in $command
application() {
	case $1 in
	stencil) command=(--strips 8 --rows 4096 --columns 256) ;;
	multifrontal) command=(--width 150 --height 150 --leaf 100) ;;
	cholesky) command=(--size 1920 --tile 240) ;;
	cg) command=(--blocks 6 --block 512) ;;
	qr | lu) command=(--tiles 6 --tile 256) ;;
	pipeline) command=(--batches 40 --features 512 --hidden 256) ;;
	fmm) command=(--points 4000 --depth 3 --order 6) ;;
	*) echo "no such application: $1" >&2; exit 2 ;;
	esac
	command=("$build/samples/$1" "${command[@]}")
}
