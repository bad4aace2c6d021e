# tests/lib/lint.sh - what the lint tests share: the tree to look at and how a check reports.
# SPDX-License-Identifier: LGPL-2.1-or-later
# Sourced with the script's arguments: $1 is the root of the tree (default .). Goes there; leaves $build, the build
# directory (of the tree unless B is absolute).
set -u
export LC_ALL=C
# The last command of a pipeline, which is report(), runs in this shell: that is where $failed is.
shopt -s lastpipe
failed=0
build=${B:-build}
cd "${1:-.}" || exit 2

ok() { echo "ok $1"; }
fail() { echo "FAIL $1: $2"; failed=1; }
skip() { echo "SKIP $1: $2"; }
finish() { exit $failed; }

# report NAME: standard input is what is wrong, a line each; nothing is a pass
report() {
	local found
	found=$(cat)
	if [ -z "$found" ]; then
		ok "$1"
		return
	fi
	fail "$1" "$(head -n 1 <<< "$found") (of $(wc -l <<< "$found"))"
	sed 's/^/# /' <<< "$found"
}

# c_files [DIR...]: the C sources and headers of the tree, without what is built
c_files() {
	find "${@:-.}" -path ./build -prune -o -path ./.git -prune -o -name '*.[ch]' -type f -print 2>/dev/null |
		sed 's|^\./||' | grep -v '^build' | sort
}

# text_files: every text file that belongs to the tree
text_files() {
	if git rev-parse --show-toplevel 2>/dev/null | grep -qx "$(realpath .)"; then
		git ls-files --cached --others --exclude-standard
	else
		find . -type f | sed 's|^\./||'
	fi | sort | while IFS= read -r f; do
		if [ -f "$f" ] && { [ ! -s "$f" ] || grep -Iq . "$f"; }; then echo "$f"; fi
	done
}
