#!/bin/sh
# What perf makes of a recording that wick wrote, sample by sample: time, thread, weight, address
# and depth of the chain must be those that `wick dump` tells. As a file, as a pipe, and as what
# is left when the recorder is killed. Prints TAP; needs $WICK, perf, and the right to record.
set -u

number=0
failed=0
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
export HOME="$folder" # perf keeps copies of programs there

result() { # ok|not-ok TEXT
	number=$((number + 1))
	if [ "$1" = ok ]; then
		echo "ok $number - $2"
	else
		echo "not ok $number - $2"
		failed=1
	fi
}

check() { # TEXT COMMAND...
	text=$1
	shift
	if "$@"; then result ok "$text"; else result not-ok "$text"; fi
}

skip_all() {
	echo "1..0 # SKIP $1"
	exit 0
}

# One line a sample: tid, time in ns, weight, address, number of frames.
samples_of_wick() {
	"$WICK" dump "$1" | awk '$1 == "sample" {
		frames = 0
		for (i = 2; i <= NF; i++) {
			at = index($i, "=")
			field[substr($i, 1, at - 1)] = substr($i, at + 1)
		}
		frames += gsub(/0x/, "", field["kernel"])
		frames += gsub(/0x/, "", field["user"])
		print field["tid"], field["time"], field["weight"], substr(field["address"], 3), frames
		delete field
	}'
}

# The same from perf: heads alone for the address, with chains for the depth.
samples_of_perf() {
	perf script --ns -G -F tid,time,period,ip -i "$1" 2>/dev/null |
		awk 'NF { sub(/:$/, "", $2); sub(/\./, "", $2); sub(/^0+/, "", $2); print $1, $2, $3, $4 }' \
		>"$folder/heads"
	perf script --no-inline -F tid,ip --max-stack 127 -i "$1" 2>/dev/null |
		awk '!NF { if (open) print frames; open = 0; next }
			!open { open = 1; frames = 0; next }
			{ frames++ }
			END { if (open) print frames }' >"$folder/depths"
	paste -d ' ' "$folder/heads" "$folder/depths"
}

# Both tables of a recording, and whether they are equal.
compare() { # RECORDING TEXT
	samples_of_wick "$1" >"$folder/wick.txt"
	samples_of_perf "$1" >"$folder/perf.txt"
	if [ ! -s "$folder/wick.txt" ]; then
		result not-ok "$2: wick tells no samples"
	elif diff "$folder/wick.txt" "$folder/perf.txt" >"$folder/diff"; then
		result ok "$2 ($(wc -l <"$folder/wick.txt") samples)"
	else
		result not-ok "$2: what wick (<) and perf (>) tell differs"
		sed 's/^/# /' "$folder/diff" | head -n 20
	fi
}

# Work that takes about a second and runs other programs.
cat >"$folder/busy.sh" <<'EOF'
i=0
while [ $i -lt 300000 ]; do i=$((i + 1)); done
/bin/ls -R /usr/share/doc >/dev/null 2>&1
EOF

[ -n "${WICK:-}" ] || skip_all "WICK is not set"
command -v perf >/dev/null || skip_all "perf is not installed"
"$WICK" record -q -o "$folder/file" -- sh "$folder/busy.sh" 2>"$folder/errors" ||
	skip_all "recording is not possible here: $(head -n 1 "$folder/errors")"

compare "$folder/file" "perf reads a file of wick's sample by sample"

# A file, or - with the pipe as standard input.
# shellcheck disable=SC2317
report_opens() {
	perf report --stdio -g none -i "$1" >"$folder/report" 2>"$folder/errors" &&
		grep -q '^# Samples: ' "$folder/report" && ! grep -qi 'failed\|wrong' "$folder/errors"
}
check "perf report opens it" report_opens "$folder/file"

# The facts in the header, as perf prints them.
perf report --header-only -i "$folder/file" >"$folder/header" 2>/dev/null
for fact in "hostname : $(uname -n)" "os release : $(uname -r)" "arch : $(uname -m)" \
	"cmdline : " "clockid: monotonic" "time of first sample : "; do
	check "perf's header has: $fact" grep -q "^# $fact" "$folder/header"
done

"$WICK" record -q -o - -- sh "$folder/busy.sh" 2>/dev/null | cat >"$folder/pipe"
samples_of_wick "$folder/pipe" >"$folder/wick.txt"
perf script --ns -G -F tid,time,period,ip -i - <"$folder/pipe" 2>/dev/null |
	awk 'NF { sub(/:$/, "", $2); sub(/\./, "", $2); sub(/^0+/, "", $2); print $1, $2, $3, $4 }' \
	>"$folder/perf.txt"
cut -d ' ' -f 1-4 "$folder/wick.txt" >"$folder/heads"
check "samples came through the pipe" test -s "$folder/heads"
check "perf reads a pipe of wick's sample by sample" cmp -s "$folder/heads" "$folder/perf.txt"
check "perf report opens the pipe" report_opens - <"$folder/pipe"

# The recorder is killed in the middle; the program that it watched goes on to its end.
# shellcheck disable=SC2016
"$WICK" record -q -o "$folder/killed" -- sh -c \
	'i=0; while [ $i -lt 3000000 ]; do i=$((i + 1)); done' 2>/dev/null &
recorder=$!
sleep 2
kill -9 "$recorder"
wait "$recorder" 2>/dev/null
compare "$folder/killed" "a recording whose recorder was killed opens in perf"

# What perf writes with a thread of its own for each CPU is a folder.
if perf record -q --threads -e cpu-clock -g -o "$folder/threads" sh "$folder/busy.sh" \
	>/dev/null 2>&1; then
	"$WICK" dump "$folder/threads" | awk '$1 == "sample" { print $2 }' | tr -d 'time=' >"$folder/wick.txt"
	perf script --ns -G -F time -i "$folder/threads" 2>/dev/null |
		awk 'NF { sub(/:$/, "", $1); sub(/\./, "", $1); sub(/^0+/, "", $1); print $1 }' \
		>"$folder/perf.txt"
	check "samples came from the folder" test -s "$folder/wick.txt"
	check "a folder of perf's is read sample by sample" cmp -s "$folder/wick.txt" "$folder/perf.txt"
else
	echo "# SKIP this perf records no folders"
fi

echo "1..$number"
exit $failed
