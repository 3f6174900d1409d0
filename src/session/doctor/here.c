#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/mem.h"
#include "event/advice.h"
#include "event/machine.h"
#include "os/os.h"
#include "session/doctor/doctor.h"
#include "symbols/object/object.h"

bool wk_doctor_records(void)
{
	return true;
}

static bool is_for_this_machine(const struct wk_obj *obj, struct wk_buf *machine)
{
	struct utsname system;
	enum wk_machine here;

	if (uname(&system) != 0)
		return true;
	wk_buf_add_text(machine, system.machine);
	here = wk_machine_named(wk_str_c(system.machine));
	return here == WK_MACHINE_UNKNOWN || obj->machine == here;
}

bool wk_doctor_fits(struct wk_findings *findings, const struct wk_obj *obj)
{
	struct wk_buf machine = { 0 };
	bool fits = is_for_this_machine(obj, &machine);

	if (!fits)
		wk_findings_bad(findings, NULL, "built for another machine; this one is %s",
				wk_buf_text(&machine));
	wk_buf_fini(&machine);
	return fits;
}

/* Libraries need not be executable. */
static bool is_program(const struct wk_obj *obj)
{
	return obj->type == WK_ET_EXEC ||
	       (obj->type == WK_ET_DYN && wk_obj_section(obj, ".interp"));
}

void wk_doctor_rights(struct wk_findings *findings, const char *path, const struct wk_obj *obj)
{
	struct wk_buf fix = { 0 };
	struct stat info;

	if (stat(path, &info) != 0 || !is_program(obj))
		return;
	wk_buf_add_text(&fix, "chmod +x ");
	wk_buf_add_shell(&fix, wk_str_c(path));
	if (access(path, X_OK) != 0)
		wk_findings_bad(findings, wk_buf_text(&fix), "%s is not executable", path);
	wk_buf_reset(&fix);
	wk_buf_add_text(&fix, "sudo wick flame -- ");
	wk_buf_add_shell(&fix, wk_str_c(path));
	if (info.st_mode & (S_ISUID | S_ISGID) && geteuid() != 0)
		wk_findings_bad(findings, wk_buf_text(&fix),
				"setuid or setgid program: only root can record it");
	wk_buf_fini(&fix);
}

/* The C library of wick itself, which most programs here use. */
static char *libc_path(void)
{
	struct wk_buf maps = { 0 };
	const char *found, *start;
	char *path = NULL;

	wk_os_read_small("/proc/self/maps", &maps);
	found = strstr(wk_buf_text(&maps), "/libc.so.6\n");
	if (found) {
		for (start = found; start > maps.at && start[-1] != ' ' && start[-1] != '\n';)
			start--;
		path = wk_strndup(start, (size_t)(found - start) + strlen("/libc.so.6"));
	}
	wk_buf_fini(&maps);
	return path;
}

static const char *libc_symbols_command(void)
{
	const struct wk_package_manager *manager = wk_package_managers;

	while (manager->program && access(manager->program, X_OK) != 0)
		manager++;
	return manager->libc_symbols;
}

void wk_doctor_libc(struct wk_findings *findings, const char *const *debug_dirs)
{
	char *path = libc_path();
	struct wk_image_key key = { .path = wk_str_c(path) };
	struct wk_store_file libc = { 0 }, debug = { 0 };
	struct wk_buf why = { 0 };

	if (path && wk_store_image(&key, &libc, &why) == WK_IMAGE_NAMED) {
		if (wk_obj_section(libc.obj, ".symtab"))
			wk_findings_good(findings, "the C library has all function names");
		else if (wk_store_debug(&libc, debug_dirs, &debug, &why))
			wk_findings_good(findings, "debug symbols of the C library: %s",
					 debug.path);
		else
			wk_findings_warn(findings, libc_symbols_command(),
					 "only exported functions of the C library have names: "
					 "its debug symbols are not installed");
	}
	wk_store_close(&debug);
	wk_store_close(&libc);
	wk_buf_fini(&why);
	wk_free(path);
}

void wk_doctor_cargo_tools(struct wk_findings *findings)
{
	char *self = wk_os_own_path();
	struct wk_buf fix = { 0 };

	wk_buf_add_text(&fix, "ln -s ");
	wk_buf_add_shell(&fix, wk_str_c(self));
	wk_buf_add_text(&fix, " ~/.cargo/bin/cargo-wick");
	if (!wk_doctor_is_in_path("cargo"))
		wk_findings_bad(findings, wk_advice(WK_ADVICE_LINUX, WK_ADVICE_INSTALL_CARGO),
				"cargo is not in PATH");
	else if (wk_doctor_is_in_path("cargo-wick"))
		wk_findings_good(findings, "`cargo wick` works");
	else
		wk_findings_warn(findings, wk_buf_text(&fix),
				 "`wick cargo` works, but `cargo wick` does not: no cargo-wick "
				 "in PATH");
	wk_buf_fini(&fix);
	wk_free(self);
}
