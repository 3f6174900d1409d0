#include "session/doctor/program_fix.h"

#include <stdint.h>
#include <string.h>

#include "event/advice.h"
#include "fetch/store.h"
#include "formats/scan.h"
#include "os/os.h"
#include "session/doctor/cargo_profile.h"
#include "symbols/object/pe.h"

#define GNU_LINKER 2

static bool contains(struct wk_str text, const char *part)
{
	return wk_str_find(text, part) != SIZE_MAX;
}

static bool has_text(const struct wk_obj *obj, const char *section, const char *text)
{
	struct wk_bytes bytes = wk_obj_bytes(obj, wk_obj_section(obj, section));

	return contains(wk_str_of((const char *)bytes.at, wk_bytes_left(&bytes)), text);
}

/* Compilers before 1.73 (Debian 12 has 1.63) write no .comment, but messages of the library contain
 * its sources. */
bool wk_program_is_rust(const struct wk_obj *obj)
{
	return has_text(obj, ".comment", "rustc") || has_text(obj, ".rodata", "library/std/src/");
}

/* Is it a name in Rust's older mangling, "_ZN3app3run17h0123456789abcdefE", of a crate that does
 * not come with the compiler? Those may be mangled in another way than the program. */
static bool is_short_name_of_program(const char *name, size_t len)
{
	static const char *const crates[] = { "core", "alloc", "std", "test", "proc_macro",
					      "compiler_builtins", "panic_unwind", "panic_abort",
					      "unwind", "libc", "cfg_if", "memchr", "hashbrown",
					      "addr2line", "gimli", "object", "adler", "adler2",
					      "miniz_oxide", "rustc_demangle", NULL };
	size_t at = 3, crate = 0;

	if (len < 24 || memcmp(name, "_ZN", 3) != 0 || memcmp(name + len - 20, "17h", 3) != 0)
		return false;
	while (at < len && name[at] >= '0' && name[at] <= '9')
		crate = crate * 10 + (size_t)(name[at++] - '0');
	if (crate == 0 || crate > len - at || name[at] == '_') /* "_$LT$impl$u20$..." */
		return false;
	for (size_t i = 0; crates[i]; i++)
		if (wk_str_is(wk_str_of(name + at, crate), crates[i]))
			return false;
	return true;
}

bool wk_program_has_short_rust_names(const struct wk_obj *obj)
{
	struct wk_bytes bytes = wk_obj_bytes(obj, wk_obj_section(obj, ".strtab"));
	size_t left = wk_program_is_rust(obj) ? wk_bytes_left(&bytes) : 0, len;

	for (const char *at = (const char *)bytes.at; left; at += len, left -= len) {
		len = strnlen(at, left);

		if (is_short_name_of_program(at, len))
			return true;
		len += len < left;
	}
	return false;
}

/* With the '/' at its end. */
static struct wk_str folder_of(struct wk_str path)
{
	while (path.len > 1 && path.at[path.len - 1] == '/')
		path.len--;
	return wk_str_of(path.at, path.len - wk_str_basename(path).len);
}

static struct wk_str without_slash(struct wk_str path)
{
	path.len -= path.len > 1 && path.at[path.len - 1] == '/';
	return path;
}

/* The compiler and its files: bin/rustc, lib/librustc_driver.so, lib/rustlib/... */
static bool is_of_the_toolchain(struct wk_str path)
{
	struct wk_str folder = folder_of(path);

	return contains(path, "/rustlib/") || wk_store_has("%.*srustlib", WK_STR_ARG(folder)) ||
	       wk_store_has("%.*s../lib/rustlib", WK_STR_ARG(folder));
}

/* Cargo's folder of one profile, which contains its lock, deps/ with tests, and examples/. Empty if
 * the program is elsewhere. */
static struct wk_str profile_folder(struct wk_str path)
{
	struct wk_str folder = folder_of(path);

	if (wk_str_ends(folder, "/deps/") || wk_str_ends(folder, "/examples/"))
		folder = folder_of(folder);
	return wk_store_has("%.*s.cargo-lock", WK_STR_ARG(folder)) ||
			       wk_store_has("%.*s.fingerprint", WK_STR_ARG(folder))
		       ? folder
		       : wk_str_c("");
}

/* The folder of a profile has its name, except for "dev". */
static void add_profile(struct wk_str folder, struct wk_buf *profile)
{
	struct wk_str name = wk_str_basename(without_slash(folder));

	if (wk_str_is(name, "debug"))
		name = wk_str_c("dev");
	wk_buf_add_str(profile, name);
}

static void add_setting(const char *profile, const char *key, const char *value, struct wk_buf *fix)
{
	struct wk_buf name = { 0 };

	wk_cargo_profile_variable(profile, key, &name);
	wk_buf_add_fmt(fix, "%s=%s ", wk_buf_text(&name), value);
	wk_buf_fini(&name);
}

static void fix_cargo(const struct wk_program_fix *program, struct wk_buf *fix)
{
	struct wk_str folder = profile_folder(wk_str_c(program->path));
	struct wk_buf profile = { 0 };

	if (folder.len == 0) {
		wk_buf_add_fmt(fix,
			       "# rebuild with debug = \"line-tables-only\"%s in its profile in "
			       "Cargo.toml",
			       program->lacks_names ? " and strip = \"none\"" : "");
		return;
	}
	add_profile(folder, &profile);
	add_setting(wk_buf_text(&profile), "debug", "line-tables-only", fix);
	if (program->lacks_names)
		add_setting(wk_buf_text(&profile), "strip", "none", fix);
	if (strcmp(wk_buf_text(&profile), "release") == 0)
		wk_buf_add_text(fix, "cargo build --release");
	else
		wk_buf_add_fmt(fix, "cargo build --profile %s", wk_buf_text(&profile));
	wk_buf_fini(&profile);
}

/* The tools decide, not the platform that wick runs on. */
static void add_advice(enum wk_advice_key key, struct wk_buf *fix)
{
	wk_buf_add_text(fix, wk_advice(WK_ADVICE_LINUX, key));
}

static bool is_pe_rust(const struct wk_obj *obj)
{
	return has_text(obj, ".rdata", "/rustc/") || has_text(obj, ".rdata", "library/std/src/") ||
	       has_text(obj, ".rdata", "library\\std\\src\\");
}

/* The linker shows which tools were used. */
void wk_program_fix_windows(const struct wk_obj *obj, struct wk_buf *fix)
{
	if (is_pe_rust(obj))
		add_advice(WK_ADVICE_BUILD_RUST_PE, fix);
	else if (obj->pe->linker_version == GNU_LINKER)
		add_advice(WK_ADVICE_BUILD_GNU_PE, fix);
	else
		add_advice(WK_ADVICE_BUILD_MSVC, fix);
}

/* False if users do not build it. */
static bool fix_build(const struct wk_program_fix *program, struct wk_buf *fix)
{
	const struct wk_obj *obj = program->obj;

	if (obj->pe) {
		wk_program_fix_windows(obj, fix);
	} else if (wk_program_is_rust(obj)) {
		if (is_of_the_toolchain(wk_str_c(program->path)))
			return false;
		fix_cargo(program, fix);
	} else if (wk_obj_section(obj, ".go.buildinfo")) {
		add_advice(WK_ADVICE_BUILD_GO, fix);
	} else {
		add_advice(program->lacks_names ? WK_ADVICE_BUILD_UNSTRIPPED
						: WK_ADVICE_BUILD_DEBUG,
			   fix);
	}
	return true;
}

void wk_program_fix(const struct wk_program_fix *program, struct wk_buf *fix)
{
	struct wk_str link;
	uint32_t crc;

	if (wk_obj_debuglink(program->obj, &link, &crc)) {
		wk_buf_add_fmt(fix,
			       "# its debug information is in the file \"%.*s\": put that next to "
			       "the program,\n# or name its folder with --debug-dir",
			       WK_STR_ARG(link));
		return;
	}
	if (fix_build(program, fix) && program->is_recorded)
		wk_buf_add_text(fix, "\n# and record again: names of a new build do not fit this "
				     "recording");
}

void wk_program_fix_split(const char *path, struct wk_str file, struct wk_buf *fix)
{
	struct wk_str program = wk_str_c(path), name = wk_str_basename(file);

	wk_buf_add_fmt(fix,
		       "# put \"%.*s\" back where it was compiled, or next to the program;\n# or "
		       "pack all such files into one next to the program, before they are "
		       "deleted:\ndwp -e ",
		       WK_STR_ARG(name));
	wk_buf_add_shell(fix, program);
	wk_buf_add_text(fix, " -o ");
	wk_buf_add_shell(fix, program);
	wk_buf_add_text(fix, ".dwp");
}

void wk_program_fix_shared(struct wk_str file, struct wk_buf *fix)
{
	wk_buf_add_fmt(fix,
		       "# restore \"%.*s\", which dwz created for several programs;\n# a relative "
		       "path starts from the folder of the program or of its debug file;\n# .dwz "
		       "in the folders of --debug-dir is searched as well",
		       WK_STR_ARG(file));
}
