#!/bin/sh
# Compares wick's names with those of readelf, objdump and addr2line, at thousands of addresses
# of each image. Prints TAP; each difference is listed, with its reason where that is known.
# By hand: WICK_BUILD_ROOT=build tests/oracle/symbols.sh [IMAGE...]
set -u
here=$(CDPATH='' cd "$(dirname "$0")" && pwd)
symbol_at=${WICK_BUILD_ROOT:?set it to the build directory}/tests/oracle/symbol_at
count=${COUNT:-5000}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT INT TERM
LC_ALL=C
export LC_ALL

number=0
failed=0

for tool in readelf objdump addr2line objcopy awk sort; do
	if ! command -v "$tool" >/dev/null 2>&1; then
		echo "1..0 # SKIP $tool is not installed"
		exit 0
	fi
done

# What the reference says of an image and of its debug file, a line a fact, address first:
# "A section S end", "A symbol Y size type name", "A PLT slot P name".
facts() {
	for file in "$1" ${2:+"$2"}; do
		readelf -SW "$file" 2>/dev/null | sed 's/^ *\[ *//; s/\]//' |
			awk '$1 ~ /^[0-9]+$/ && $8 ~ /X/ { print "X", $1, $4, $6, $2 }'
		readelf -sW "$file" 2>/dev/null |
			awk '$1 ~ /^[0-9]+:$/ && $7 ~ /^[0-9]+$/ && $8 != "" { print "Y", $2, $3, $4, $7, $8, $5 }'
	done
	objdump -d -j .plt -j .plt.got -j .plt.sec -j .iplt "$1" 2>/dev/null |
		awk '/^[0-9a-f]+ <.*@plt>:$/ { name = substr($2, 2, length($2) - 3); print "P", $1, name }'
}

debug_file() {
	id=$(readelf -nW "$1" 2>/dev/null | sed -n 's/.*Build ID: //p' | head -n 1)
	path=/usr/lib/debug/.build-id/$(echo "$id" | cut -c1-2)/$(echo "$id" | cut -c3-).debug
	if [ -n "$id" ] && [ -r "$path" ]; then
		echo "$path"
	fi
}

compare_image() {
	image=$1
	number=$((number + 1))
	if ! "$symbol_at" "$image" "$count" >"$work/answers" 2>"$work/said"; then
		echo "not ok $number - $image"
		sed 's/^/# /' "$work/said"
		failed=1
		return
	fi
	sort -u "$work/answers" >"$work/sorted"
	debug=$(debug_file "$image")
	facts "$image" "$debug" >"$work/facts"
	# Names by symbols alone: with debug information addr2line would name inlined functions.
	objcopy --strip-debug --remove-section=.gnu_debuglink --remove-section=.note.gnu.build-id \
		"$image" "$work/plain" 2>/dev/null
	cut -d ' ' -f 1 "$work/sorted" |
		addr2line -f -e "$work/plain" 2>/dev/null | awk 'NR % 2 == 1' >"$work/addr2line"
	if [ -n "$debug" ]; then
		# Its symbols are in the other file, which has no code to look at.
		: >"$work/addr2line"
	fi
	paste -d ' ' "$work/sorted" "$work/addr2line" >"$work/both"
	awk -f "$here/symbols.awk" "$work/facts" "$work/both" >"$work/result"
	if grep -q '^not equal' "$work/result" || ! grep -q '^summary' "$work/result"; then
		echo "not ok $number - $image"
		failed=1
	else
		echo "ok $number - $image"
	fi
	sed 's/^/# /' "$work/said" "$work/result" | head -n 60
}

if [ $# -eq 0 ]; then
	set -- /lib/x86_64-linux-gnu/libc.so.6 /usr/lib/x86_64-linux-gnu/libstdc++.so.6 \
		/usr/bin/python3 /bin/sh
	if command -v rustc >/dev/null 2>&1; then
		echo 'fn main() { let v: Vec<String> = std::env::args().collect(); println!("{:?}", v); }' \
			>"$work/small.rs"
		rustc -O -o "$work/rust-program" "$work/small.rs" 2>/dev/null && set -- "$@" "$work/rust-program"
	fi
	cat >"$work/small.c" <<'END'
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
	return printf("%f %s\n", sin(argc), argv[0]) + rand();
}
END
	if command -v musl-gcc >/dev/null 2>&1; then
		musl-gcc -O2 -static -o "$work/musl-static" "$work/small.c" -lm && set -- "$@" "$work/musl-static"
	fi
	if command -v gcc >/dev/null 2>&1; then
		gcc -O2 -static -o "$work/glibc-static" "$work/small.c" -lm && set -- "$@" "$work/glibc-static"
		gcc -O2 -fcf-protection -Wl,-z,ibtplt -o "$work/branch-tracking" "$work/small.c" -lm &&
			set -- "$@" "$work/branch-tracking"
	fi
fi

images=0
for image in "$@"; do
	[ -r "$image" ] && images=$((images + 1))
done
echo "1..$images"
for image in "$@"; do
	if [ -r "$image" ]; then
		compare_image "$image"
	fi
done
exit $failed
