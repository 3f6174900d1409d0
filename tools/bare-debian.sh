#!/bin/sh
# Proves that `./do test` and `./do demo` need nothing but Debian 12: makes the smallest Debian
# with debootstrap in a temporary folder, puts a clean clone of HEAD in, and runs both there.
#
#     tools/bare-debian.sh [WORD...]      (root; default words: demo test)
#
# The packages come from the mirrors that this machine's apt uses, and from the registry that its
# npm is set to. Fixtures are bound in read-only if $WICK_SHARED (or ../shared) is there. Nothing
# stays behind, unless KEEP=1 is set.
# Exit code 0 if every word succeeded.
set -u
unset CDPATH
root=$(cd "$(dirname "$0")/.." && pwd)

# What npm needs to reach its registry from here: its address, and the certificates that node is
# told to trust beside its own.
set_npm() {
	registry=$(cd / && npm config get registry 2>/dev/null)
	case $registry in http*) ;; *) registry= ;; esac
	authority=
	[ -f "${NODE_EXTRA_CA_CERTS:-}" ] || return 0
	authority=/etc/ssl/node-extra.crt
	mkdir -p "$1/etc/ssl" && cp -L "$NODE_EXTRA_CA_CERTS" "$1$authority"
}

# The second half: in a mount namespace of its own, so that the machine never sees these
# mounts and they are gone when it ends, however it ends.
inside() {
	tree=$1
	shared=$2
	shift 2
	mount -t proc proc "$tree/proc" && mount -t sysfs sys "$tree/sys" &&
		mount --rbind /dev "$tree/dev" || exit 1
	if [ -d "$shared" ]; then
		mkdir -p "$tree/home/shared"
		mount --bind "$shared" "$tree/home/shared" &&
			mount -o remount,bind,ro "$tree/home/shared" || exit 1
	fi
	set_npm "$tree"
	failed=0
	for word in "$@"; do
		echo "== ./do $word in a bare Debian $(cat "$tree/etc/debian_version")"
		started=$(date +%s)
		chroot "$tree" /usr/bin/env -i HOME=/root LANG=C.UTF-8 \
			PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
			${registry:+npm_config_registry="$registry"} \
			${authority:+NODE_EXTRA_CA_CERTS="$authority"} \
			/bin/sh -c "cd /home/wick && ./do $word; code=\$?; echo CPU seconds:; times; exit \$code"
		code=$?
		echo "== ./do $word: exit code $code after $(($(date +%s) - started)) s"
		[ $code -eq 0 ] || failed=1
	done
	exit $failed
}

if [ "${1:-}" = --inside ]; then
	shift
	inside "$@"
fi

[ "$(id -u)" = 0 ] || { echo "bare-debian: needs root, for chroot and mount" >&2; exit 1; }
command -v debootstrap >/dev/null || { echo "bare-debian: debootstrap is missing" >&2; exit 1; }

[ $# -gt 0 ] || set -- demo test
folder=$(mktemp -d /var/tmp/bare-debian.XXXXXX) || exit 1
tree=$folder/debian
if [ "${KEEP:-}" = 1 ]; then
	echo "bare-debian: $tree is kept" >&2
else
	trap 'rm -rf --one-file-system "$folder"' EXIT
fi
trap 'exit 130' INT TERM

# The lines "deb MIRROR SUITE PARTS" of this machine's apt, in either of its two notations.
sources() {
	cat /etc/apt/sources.list /etc/apt/sources.list.d/*.list 2>/dev/null |
		sed -n 's/^deb  *\(\[[^]]*\]  *\)\{0,1\}//p'
	for file in /etc/apt/sources.list.d/*.sources; do
		[ -f "$file" ] || continue
		awk -v RS= '{
			uris = suites = parts = ""
			count = split($0, lines, "\n")
			for (i = 1; i <= count; i++) {
				value = lines[i]
				sub(/^[^:]*: */, "", value)
				if (lines[i] ~ /^URIs:/) uris = value
				if (lines[i] ~ /^Suites:/) suites = value
				if (lines[i] ~ /^Components:/) parts = value
			}
			u = split(uris, uri, " "); s = split(suites, suite, " ")
			for (i = 1; i <= u; i++)
				for (j = 1; j <= s; j++)
					print uri[i], suite[j], parts
		}' "$file"
	done
}

mirror=$(sources | awk '$2 == "bookworm" { print $1; exit }')
[ -n "$mirror" ] || { echo "bare-debian: apt knows no mirror of bookworm here" >&2; exit 1; }

echo "== debootstrap"
debootstrap --variant=minbase bookworm "$tree" "$mirror" >"$folder/debootstrap.log" 2>&1 ||
	{ tail -n 20 "$folder/debootstrap.log" >&2; exit 1; }
sources | awk '$2 ~ /^bookworm/ { print "deb " $0 }' | sort -u >"$tree/etc/apt/sources.list"
# What apt needs to reach the mirror from here: proxies and the like.
for file in /etc/apt/apt.conf /etc/apt/apt.conf.d/*proxy*; do
	[ -f "$file" ] && cp "$file" "$tree/etc/apt/apt.conf.d/"
done
cp /etc/resolv.conf "$tree/etc/resolv.conf" 2>/dev/null
cp /etc/hosts "$tree/etc/hosts" 2>/dev/null

mkdir -p "$tree/home"
git clone -q "$root" "$tree/home/wick" || exit 1
unshare --mount --propagation private "$root/tools/bare-debian.sh" --inside "$tree" \
	"${WICK_SHARED:-$root/../shared}" "$@"
