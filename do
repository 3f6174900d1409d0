#!/bin/sh
# The one entry to the project: `./do help` lists the words. `./do demo` and `./do test` need
# nothing but Debian 12: what is missing they install with apt-get where they may, and
# otherwise print the line that does.
set -u
unset CDPATH # with it, cd may go elsewhere
cd "$(dirname "$0")" || exit 1
root=$(pwd)
jobs=$(nproc 2>/dev/null || echo 2)

say() { printf '%s\n' "$*" >&2; }
die() { say "do: $*"; exit 1; }

# How far a step is, from the end of what ninja has printed: ", 12 of 340".
steps_done() {
	tail -c 300 "$1" 2>/dev/null | tr '\r' '\n' | sed -n 's/.*\[\([0-9]*\)\/\([0-9]*\)\].*/, \1 of \2/p' | tail -n 1
}

# Of the step that runs: "12 s, 34 of 340".
so_far() {
	printf '%s s%s' $(($(date +%s) - began)) "$(steps_done "$log")"
}

# With all that it has started.
end_process() {
	# shellcheck disable=SC2013
	for child in $(cat "/proc/$1/task/"*/children 2>/dev/null); do
		end_process "$child"
	done
	kill "$1" 2>/dev/null
}

# A step does not see Ctrl-C by itself. Packages that are half installed would be worse than to wait.
interrupted() {
	[ ! -t 2 ] || printf '\r\033[K' >&2
	case $label in
	installing*) say "waiting until these packages are installed..." ;;
	*) end_process "$running" ;;
	esac
	wait "$running" 2>/dev/null
	trap - "$1"
	kill -s "$1" $$
}

# Runs a command with its output in a file, and shows that it runs: `step LABEL FILE COMMAND...`.
# On a terminal one line counts the seconds, elsewhere there is a line now and then.
pace=30 # seconds
step() {
	label=$1 log=$2
	shift 2
	began=$(date +%s)
	: >"$log"
	[ -t 2 ] || say "$label ..."
	"$@" >>"$log" 2>&1 &
	running=$! ticks=0
	trap 'interrupted INT' INT
	trap 'interrupted TERM' TERM
	while kill -0 "$running" 2>/dev/null; do
		sleep 0.2
		ticks=$((ticks + 1))
		if [ -t 2 ]; then
			[ $((ticks % 5)) -ne 1 ] || printf '\r\033[K%s ... %s' "$label" "$(so_far)" >&2
		elif [ $((ticks % (5 * pace))) -eq 0 ]; then
			say "  $(so_far)"
		fi
	done
	wait "$running"
	status=$?
	trap - INT TERM
	[ ! -t 2 ] || printf '\r\033[K' >&2
	say "$label: $(($(date +%s) - began)) s"
	return $status
}

# --- What must be there -------------------------------------------------------------------

# A need is what to look for and the package that brings it: a program, a header
# (with a slash) or a pkg-config module (pc:NAME).
build_needs='gcc=gcc /usr/include/stdlib.h=libc6-dev meson=meson ninja=ninja-build
	pkg-config=pkg-config'
quick_needs='gcc=gcc /usr/include/stdlib.h=libc6-dev pkg-config=pkg-config'
# Libraries without which wick reads less, and says so.
linked_wishes='pc:zlib=zlib1g-dev pc:libzstd=libzstd-dev pc:liblzma=liblzma-dev
	pc:libdeflate=libdeflate-dev pc:libmspack=libmspack-dev
	pc:expat=libexpat1-dev pc:libtraceevent=libtraceevent-dev'
build_wishes="$linked_wishes
	pc:libcurl=libcurl4-openssl-dev pc:capstone=libcapstone-dev pc:sqlite3=libsqlite3-dev
	pc:libmicrohttpd=libmicrohttpd-dev"
test_needs="$build_needs pc:cmocka=libcmocka-dev g++=g++ python3=python3 musl-gcc=musl-tools
	x86_64-w64-mingw32-gcc=gcc-mingw-w64-x86-64-win32
	readelf=binutils dwz=dwz perf=linux-perf cargo=cargo mandoc=mandoc shellcheck=shellcheck zsh=zsh
	zip=zip cabextract=cabextract fish=fish node=nodejs npm=npm chromium=chromium firefox-esr=firefox-esr xz=xz-utils clang=clang strace=strace clang-format=clang-format
	ld.lld=lld llvm-symbolizer=llvm debuginfod=debuginfod go=golang-go javac=default-jdk-headless
	/usr/lib32/crt1.o=libc6-dev-i386 /usr/lib/gcc/x86_64-linux-gnu/12/32/libgcc.a=lib32gcc-12-dev
	heaptrack=heaptrack valgrind=valgrind jeprof=libjemalloc-dev google-pprof=google-perftools
	/etc/ssl/certs/ca-certificates.crt=ca-certificates"
# The build for Windows: a compiler, its zlib, and Wine to run what comes of it.
windows_needs="$build_needs x86_64-w64-mingw32-gcc=gcc-mingw-w64-x86-64-win32
	/usr/x86_64-w64-mingw32/lib/libz.a=libz-mingw-w64-dev"
windows_wishes='wine=wine'
# What drives pictures in a browser, and what opens exported profiles in another's reader.
# The newest playwright-core that runs with Debian's node 18; the others with their major number.
browser_modules='playwright-core@1.61 speedscope@1 ajv@8 axe-core@4'
# What the analysis page is built with: exactly these, so that the same sources give the same bytes.
page_modules=$(sed -n 's/^\t\t"\(.*\)": "\([0-9.]*\)",\{0,1\}$/\1@\2/p' web/page/package.json 2>/dev/null)
fuzz_needs="$build_needs clang=clang"
asan_needs='clang=clang
	/usr/lib/llvm-14/lib/clang/14.0.6/lib/linux/libclang_rt.asan-x86_64.a=libclang-rt-14-dev'

has_library() {
	if command -v pkg-config >/dev/null 2>&1; then
		pkg-config --exists "$1" 2>/dev/null
	else
		ls /usr/lib/*/pkgconfig/"$1".pc /usr/share/pkgconfig/"$1".pc >/dev/null 2>&1
	fi
}

# Which of the needs are not met: their packages.
missing() {
	for need in "$@"; do
		probe=${need%=*}
		case $probe in
		pc:*) has_library "${probe#pc:}" ;;
		/*) [ -e "$probe" ] ;;
		*) command -v "$probe" >/dev/null 2>&1 ;;
		esac || printf '%s ' "${need##*=}"
	done
}

as_root() {
	if [ "$(id -u)" = 0 ]; then
		"$@"
	else
		sudo -n "$@"
	fi
}

may_install() {
	command -v apt-get >/dev/null 2>&1 || return 1
	[ "$(id -u)" = 0 ] || sudo -n true 2>/dev/null
}

# The package lists of a fresh machine are empty or old; they are fetched only when
# installing without that fails.
apt_install() {
	set -- env DEBIAN_FRONTEND=noninteractive apt-get -qq -y --no-install-recommends \
		-o Dpkg::Use-Pty=0 -o DPkg::Lock::Timeout=300 install "$@"
	as_root "$@" >/dev/null 2>&1 || { as_root apt-get -qq update && as_root "$@" >/dev/null; }
}

# Its output is shown only if it fails.
install_packages() {
	printed=$(mktemp)
	step "installing $*" "$printed" apt_install "$@" || cat "$printed" >&2
	rm -f "$printed"
}

# Installs what is missing of the needs given, or says the line that does and ends. What is missing
# of $welcome is installed at once with it, and is in that line, so that once is enough.
welcome=
want() {
	packages=$(missing "$@")
	[ -n "$packages" ] || return 0
	# shellcheck disable=SC2086
	together=$(missing "$@" $welcome | tr ' ' '\n' | sort -u | tr '\n' ' ')
	together=${together# }
	if may_install; then
		# One package that Debian lacks makes apt refuse all of them.
		# shellcheck disable=SC2086
		install_packages $together
		packages=$(missing "$@")
		# shellcheck disable=SC2086
		[ -z "$packages" ] || install_packages $packages
		packages=$(missing "$@")
		[ -n "$packages" ] || return 0
		die "could not install $packages"
	fi
	say "These packages are missing: $together"
	say "Install them with this line, then run the same again:"
	say "    sudo apt-get install -y $together"
	exit 1
}

# The same, but going on without: what then cannot be tested is skipped and says so.
want_if_possible() {
	packages=$(missing "$@")
	[ -n "$packages" ] || return 0
	if may_install; then
		# shellcheck disable=SC2086
		install_packages $packages
		packages=$(missing "$@")
		[ -z "$packages" ] || say "could not install: $packages"
	else
		say "Not here: $packages(what needs them is left out, and tests of it are skipped)."
		say "    sudo apt-get install -y $packages"
	fi
}

# --- Building -----------------------------------------------------------------------------

# A build directory and the options that make it. ninja sets up again by itself when a
# meson.build changed; `build` may have been made without the tests.
configured() {
	dir=$1
	shift
	if [ -f "$dir/build.ninja" ]; then
		meson configure "$dir" "$@" >/dev/null && return 0
		rm -rf "$dir"
	fi
	step "setting up $dir" "$dir.log" meson setup "$dir" "$@" ||
		{ cat "$dir.log" >&2; rm -f "$dir.log"; return 1; }
	rm -f "$dir.log"
}

# All of a build directory, or the targets named.
compiled() {
	step "compiling in $1" "$1/compile.log" ninja -C "$@" -j "$jobs" && return 0
	sed -n '/^FAILED\|ERROR/,$p' "$1/compile.log" >&2
	die "the build failed; $1/compile.log has all of it"
}

do_build() {
	welcome=${welcome:-$build_wishes}
	# shellcheck disable=SC2086
	want $build_needs
	# shellcheck disable=SC2086
	want_if_possible $build_wishes
	# Debug information and a compilation per file are for those who work on wick; without both
	# the build needs half.
	units=true
	[ "$1" = false ] || units=false
	configured build -Dtests="$1" -Ddebug="$1" -Dunits=$units -Dwerror=$werror ||
		die "meson could not set up build/"
	shift
	compiled build "$@"
}

werror=false

do_build_alone() {
	do_build "$(has_cmocka)"
	say "wick is $root/build/wick"
}

# A build keeps its tests, so that words can alternate.
has_tests() {
	grep -qs '^build tests/unit/' build/build.ninja && echo true || echo false
}

# For those who work on wick: with tests where they can be built.
has_cmocka() {
	pkg-config --exists cmocka 2>/dev/null && echo true || echo false
}

# What is copied out of the build folder, as ninja calls it.
installed_targets() {
	meson introspect --targets build | python3 -c 'import json, os, sys
for target in json.load(sys.stdin):
    if target["installed"]:
        print(*(os.path.relpath(path, sys.argv[1]) for path in target["filename"]))' "$root/build"
}

do_install() {
	case ${1:-} in
	-*) die "usage: ./do install [DIR]; DIR is /usr/local without one" ;;
	esac
	pace=2
	do_build "$(has_tests)" wick src/preload/libwick-heap.so
	prefix=${1:-/usr/local}
	meson configure build --prefix "$prefix" >/dev/null || die "meson could not set up build/"
	targets=$(installed_targets) || die "meson cannot list what is installed"
	# shellcheck disable=SC2086
	compiled build $targets
	if [ -w "$prefix" ] || { [ ! -e "$prefix" ] && mkdir -p "$prefix" 2>/dev/null; }; then
		meson install -C build --no-rebuild --quiet
	else
		as_root meson install -C build --no-rebuild --quiet
	fi || die "could not install to $prefix; another place: ./do install DIR"
	say "installed $prefix/bin/wick, and cargo-wick for \`cargo wick\`"
	command -v wick >/dev/null 2>&1 || say "$prefix/bin is not in PATH"
}

# Removes what `install` put there: the build knows its files, and the docs are a folder of wick's.
do_uninstall() {
	case ${1:-} in
	-*) die "usage: ./do uninstall [DIR]; DIR is /usr/local without one" ;;
	esac
	prefix=${1:-/usr/local}
	[ -e "$prefix/bin/wick" ] || die "no wick in $prefix/bin; another place: ./do uninstall DIR"
	# shellcheck disable=SC2086
	want $build_needs python3=python3
	configured build --prefix "$prefix" || die "meson could not set up build/"
	printed=$(meson introspect --installed build) || die "meson cannot list the files of build/"
	remove=
	[ -w "$prefix/bin" ] || remove=as_root
	printf '%s' "$printed" | python3 -c 'import json, sys
print("\n".join(json.load(sys.stdin).values()))' | while IFS= read -r path; do
		$remove rm -rf -- "$path"
	done
	$remove rm -f -- "$prefix/bin/cargo-wick"
	# Folders that are empty now, and so were made for wick.
	$remove find "$prefix" -mindepth 1 -depth -type d -empty -path '*wick*' -delete 2>/dev/null
	[ ! -e "$prefix/bin/wick" ] || die "could not remove $prefix/bin/wick"
	say "removed wick from $prefix"
}

# --- Testing ------------------------------------------------------------------------------

# Runs the suites named, or all, and sums up. The last line is "N passed, N failed, N skipped".
tested() {
	dir=$1
	shift
	suites=
	for suite in "$@"; do
		suites="$suites --suite $suite"
	done
	rm -f "$dir/meson-logs/testlog.json"
	# What the user has set for wick is not what the tests compare with.
	unset WICK_KALLSYMS WICK_DEBUGINFOD WICK_MOST_INPUT WICK_SYMBOL_SERVERS DEBUGINFOD_URLS \
		_NT_SYMBOL_PATH _NT_ALT_SYMBOL_PATH NO_COLOR
	# shellcheck disable=SC2086
	meson test -C "$dir" --no-rebuild --num-processes "$jobs" \
		--timeout-multiplier "$patience" $suites \
		>"$dir/test.log" 2>&1
	[ "$summed" = later ] || python3 tools/tap-sum "$dir/meson-logs/testlog.json"
}
summed=
patience=1

# Beside the build, not in it: `./do clean` need not fetch them again.
want_browser_modules() {
	[ -z "${NODE_PATH:-}" ] || return 0
	export NODE_PATH="$root/build-npm/node_modules"
	for module in $browser_modules; do
		[ -d "$NODE_PATH/${module%@*}" ] || absent="${absent:-} $module"
	done
	for module in $page_modules; do
		grep -qs "\"version\": \"${module##*@}\"" "$NODE_PATH/${module%@*}/package.json" ||
			absent="${absent:-} $module"
	done
	[ -n "${absent:-}" ] && command -v npm >/dev/null 2>&1 || return 0
	say "fetching${absent} from npm..."
	# Tried once more, not for minutes: where there is no network all else can still be tested.
	# shellcheck disable=SC2086
	npm install --prefix build-npm --fetch-retries 1 --fetch-retry-mintimeout 3000 \
		--silent --no-audit --no-fund --no-package-lock $browser_modules $page_modules >&2 ||
		say "could not fetch all of:${absent} (tests of the browser are skipped)"
}

want_test_needs() {
	welcome=$test_needs
	# shellcheck disable=SC2086
	want $build_needs pc:cmocka=libcmocka-dev python3=python3
	# shellcheck disable=SC2086
	want_if_possible $test_needs
	# shellcheck disable=SC2086
	want_if_possible $windows_needs $windows_wishes
	want_browser_modules
}

# shellcheck disable=SC2120
do_test() {
	want_test_needs
	do_build true
	# shellcheck disable=SC2086
	[ -n "$(missing $windows_needs)" ] || build_windows
	tested build "$@"
}

# Every test, and at the same time the unit tests with sanitizers. A warning of either compiler
# is an error.
do_ci() {
	want_test_needs
	# Both builds have the same libraries.
	# shellcheck disable=SC2086
	want_if_possible $build_wishes $asan_needs
	werror=true
	summed=later
	rm -f build-asan/meson-logs/testlog.json # an old one would count if the build fails
	nice ./do asan unit >/dev/null &
	sanitized=$!
	# shellcheck disable=SC2119
	do_test
	wait "$sanitized"
	python3 tools/tap-sum build/meson-logs/testlog.json \
		sanitized=build-asan/meson-logs/testlog.json
}

# The tests of it are run by the ordinary build, which they compare it with.
build_windows() {
	[ -f build-windows/build.ninja ] ||
		configured build-windows --cross-file tools/mingw.ini -Dtests=false -Dunits=true ||
		die "meson could not set up build-windows/"
	compiled build-windows
}

do_windows() {
	# shellcheck disable=SC2086
	want $windows_needs
	build_windows
	say "wick.exe is $root/build-windows/wick.exe"
	case ${1:-} in
	'') ;;
	test)
		# shellcheck disable=SC2086
		want $build_needs pc:cmocka=libcmocka-dev python3=python3
		# shellcheck disable=SC2086
		want_if_possible $windows_wishes $build_wishes
		do_build true
		export WICK_EVERY_QUESTION=1
		tested build windows
		;;
	*) die "unknown word \"$1\": ./do windows [test]" ;;
	esac
}

do_asan() {
	# shellcheck disable=SC2086
	want $build_needs $asan_needs pc:cmocka=libcmocka-dev python3=python3
	CC=clang configured build-asan -Dtests=true -Dwerror=true -Doptimization=1 \
		-Db_sanitize=address,undefined -Db_lundef=false ||
		die "meson could not set up build-asan/"
	compiled build-asan
	[ $# -gt 0 ] || set -- unit golden cli fuzz
	patience=4 # the sanitizers take that much longer, also beside other tests
	tested build-asan "$@"
}

# Threads that use the library at once, and what wick itself does in threads.
do_tsan() {
	# shellcheck disable=SC2086
	want $build_needs pc:cmocka=libcmocka-dev python3=python3
	configured build-tsan -Dtests=true -Db_sanitize=thread -Db_lundef=false ||
		die "meson could not set up build-tsan/"
	compiled build-tsan
	export TSAN_OPTIONS=halt_on_error=1
	patience=10
	tested build-tsan threads
}

do_lint() {
	# shellcheck disable=SC2086
	want $build_needs python3=python3
	want_if_possible mandoc=mandoc shellcheck=shellcheck
	do_build "$(has_cmocka)"
	WICK_BUILD_ROOT=$root/build WICK_SOURCE_ROOT=$root tools/lint
}

do_fuzz() {
	seconds=${1:-60}
	# shellcheck disable=SC2086
	want $fuzz_needs
	CC=clang configured build-fuzz -Dfuzzers=true -Dtests=false -Dunits=true -Db_lundef=false \
		-Db_sanitize=address,undefined -Dc_args=-fsanitize=fuzzer-no-link ||
		die "meson could not set up build-fuzz/"
	# The program prints its man pages while it is built, and frees no memory as it ends.
	ASAN_OPTIONS=detect_leaks=0 compiled build-fuzz
	tools/fuzz build-fuzz "$seconds" ${2:+"$2"}
}

# What takes too long for every change; `do_test` has the same questions with fewer places.
# Needed only after a change in web/page: what it makes is checked in.
do_page() {
	want_if_possible node=nodejs npm=npm
	want_browser_modules
	node build-npm/node_modules/typescript/bin/tsc -p web/page && node web/page/build.js &&
		say "web/page/built/page.html: $(gzip -9c web/page/built/page.html | wc -c) bytes with gzip"
}

do_soak() {
	# shellcheck disable=SC2086
	want $build_needs pc:cmocka=libcmocka-dev python3=python3
	do_build true
	WICK_SOAK=1 build/tests/unit/test_etl_cuts || soaked=$?
	WICK=$root/build/wick tests/live/heap_soak.py || soaked=$?
	return "${soaked:-0}"
}

# Small faults that no test notices show where tests are missing.
do_mutate() {
	# shellcheck disable=SC2086
	want $build_needs pc:cmocka=libcmocka-dev python3=python3 git=git
	tools/mutate --count "${1:-100}"
}

do_bench() {
	want python3=python3
	want_if_possible perf=linux-perf g++=g++ musl-gcc=musl-tools cargo=cargo clang=clang \
		lld-link=lld llvm-symbolizer=llvm x86_64-w64-mingw32-gcc=gcc-mingw-w64-x86-64
	do_build "$(has_cmocka)"
	found=
	for script in bench/*.sh bench/*.py; do
		name=$(basename "$script")
		case $name in common.py | '*.sh' | '*.py') continue ;; esac
		[ $# -eq 0 ] || [ "$1" = "${name%.*}" ] || continue
		found=1
		say "== $script"
		WICK=$root/build/wick "$script" || [ $? -eq 77 ] || say "$script failed"
	done
	[ -n "$found" ] || die "no such benchmark: ${1:-bench/ is empty}"
}

# --- Showing ------------------------------------------------------------------------------

# A real program with threads, as cargo builds it by default; in C++ where there is no cargo.
demo_program() {
	if command -v cargo >/dev/null 2>&1; then
		step "compiling the demo with cargo" build/demo.log cargo build --release --offline \
			--manifest-path examples/demo-rust/Cargo.toml --target-dir build/demo-rust ||
			{ cat build/demo.log >&2; die "cargo could not build the demo"; }
		program=build/demo-rust/release/demo
	else
		mkdir -p build/demo-cpp
		step "compiling the demo with g++" build/demo.log g++ -O2 -std=c++17 -pthread \
			-o build/demo-cpp/demo examples/demo-cpp/demo.cpp ||
			{ cat build/demo.log >&2; die "g++ could not build the demo"; }
		program=build/demo-cpp/demo
	fi
}

# The demo is to be seen soon: where there is no build, it makes one that reads files more slowly,
# and installs nothing for what the demo does not do (symbol servers, instructions).
quick_build() {
	welcome=$linked_wishes
	compiler=
	command -v cargo >/dev/null 2>&1 || compiler=g++=g++
	# shellcheck disable=SC2086
	want $quick_needs $compiler
	# shellcheck disable=SC2086
	want_if_possible $linked_wishes
	mkdir -p build
	step "compiling in build" build/compile.log tools/quick-build build && return
	grep -v '^\[' build/compile.log >&2
	[ -s build/compile.log ] || df -h build >&2 # its messages could not be written
	die "the build failed"
}

do_demo() {
	pace=2 quick=
	if [ -f build/build.ninja ]; then
		do_build "$(has_tests)" wick src/preload/libwick-heap.so
	else
		quick=1
		quick_build
	fi
	demo_program
	step "recording $program" build/demo.log build/wick record -o build/demo.data -- "./$program" 1 ||
		{ cat build/demo.log >&2; die "wick record failed"; }
	cat build/demo.log >&2
	build/wick flame -o flame.svg build/demo.data || die "wick flame failed"
	printf '\nThe hottest functions:\n'
	build/wick show --top 10 build/demo.data functions || die "wick show failed"
	printf '\nThe flame graph is flame.svg: open it in a browser (file://%s/flame.svg).\n' \
		"$(printf '%s' "$root" | sed 's/%/%25/g; s/ /%20/g; s/#/%23/g; s/?/%3F/g')"
	printf 'The recording is build/demo.data:  build/wick show build/demo.data lines\n'
	printf 'Yours:  build/wick flame -- COMMAND\n'
	[ -z "$quick" ] ||
		printf 'This build is only partly optimized; ./do install makes one that is faster and whole.\n'
}

do_clean() {
	rm -rf build build-asan build-fuzz build-tsan build-windows
}

do_help() {
	cat <<'EOF'
usage: ./do WORD

  build            build wick; the program is build/wick
  demo             build wick quickly and a small threaded program, record it, draw flame.svg
  test [SUITE...]  run every test, or some of: unit golden cli fuzz lint library
                   live oracle browser windows
  ci               what has to pass before a change lands: test, clang, sanitizers
  windows [test]   build wick.exe for Windows in build-windows, and test it under Wine
  install [DIR]    install wick, libwick, man pages, docs and completion under DIR (/usr/local)
  uninstall [DIR]  remove them
  asan [SUITE...]  the tests under the address, undefined and leak sanitizers
  tsan             tests with several threads under the thread sanitizer
  lint             layers, headers, scripts, manual pages
  page             build the page of `wick report` from web/page
  fuzz [SECONDS] [TARGET]   run each fuzz target, or one, for 60 seconds
  soak             real traces cut at every tenth byte: 7 million times, minutes; forks
                   and threads while the heap is recorded, 200 times
  mutate [COUNT]   plant 100 small faults, or COUNT, and print those that no test catches
  bench [NAME]     measure: all of bench/, or one script of it
  clean            remove what was built
EOF
}

word=${1:-help}
[ $# -eq 0 ] || shift
case $word in
build) do_build_alone ;;
ci | demo | test | windows | install | uninstall | asan | tsan | lint | page | fuzz | soak | mutate | bench | clean | help) "do_$word" "$@" ;;
-h | --help) do_help ;;
*)
	say "do: unknown word \"$word\""
	do_help >&2
	exit 2
	;;
esac
