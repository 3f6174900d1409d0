#include "session/doctor/debug_package.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text/text_list.h"
#include "event/advice.h"
#include "os/os.h"
#include "os/program.h"

/* The output of a program; empty if it cannot be run. */
static struct wk_str output_of(const char *const *argv, struct wk_buf *collect)
{
	struct wk_os_program_io io = WK_OS_PROGRAM_PLAIN;

	io.collect = collect;
	io.is_mute = true;
	wk_os_program_run(argv, io, NULL);
	return wk_buf_str(collect);
}

/* dpkg accepts patterns, and only the name that was packed. */
static bool is_plain(const char *path)
{
	return path[0] == '/' && !strpbrk(path, "*?[\\\n'");
}

/* /lib may be a link to /usr/lib, and the other way round. */
static const char *other_name(const char *path, struct wk_buf *name)
{
	static const char *const linked[] = { "/bin/", "/lib", "/sbin/", NULL };

	wk_buf_reset(name);
	if (wk_str_starts(wk_str_c(path), "/usr/")) {
		wk_buf_add_text(name, path + strlen("/usr"));
		return wk_buf_text(name);
	}
	for (size_t i = 0; linked[i]; i++)
		if (wk_str_starts(wk_str_c(path), linked[i]))
			wk_buf_add_fmt(name, "/usr%s", path);
	return name->len ? wk_buf_text(name) : path;
}

static bool is_path(struct wk_str name, const char *path)
{
	struct wk_buf other = { 0 };
	bool same = wk_str_is(name, path) || wk_str_is(name, other_name(path, &other));

	wk_buf_fini(&other);
	return same;
}

/* "libc6:amd64: /lib/x86_64-linux-gnu/libc.so.6"; several packages are separated by ", ". */
static void read_line(struct wk_packages *packages, struct wk_str line)
{
	struct wk_str path = line, name = line;
	size_t len = 0;

	while (path.len && !wk_str_starts(path, ": /"))
		path = wk_str_skip(path, 1);
	path = wk_str_skip(path, 2);
	while (len < name.len && !strchr(":, ", name.at[len]))
		len++;
	name.len = len;
	if (path.len == 0 || wk_str_starts(line, "diversion by "))
		return;
	for (size_t i = 0; i < packages->count; i++)
		if (!packages->names[i] && is_path(path, packages->paths[i]))
			packages->names[i] = wk_strndup(name.at, name.len);
}

static void ask_dpkg(struct wk_packages *packages)
{
	struct wk_buf *others = wk_alloc_zeroed(packages->count + 1, sizeof(*others));
	struct wk_buf said = { 0 };
	struct wk_text_list argv = { 0 };
	struct wk_str lines;

	wk_text_list_add(&argv, "dpkg");
	wk_text_list_add(&argv, "-S");
	wk_text_list_add(&argv, "--");
	for (size_t i = 0; i < packages->count; i++) {
		if (!is_plain(packages->paths[i]))
			continue;
		wk_text_list_add(&argv, packages->paths[i]);
		wk_text_list_add(&argv, other_name(packages->paths[i], &others[i]));
	}
	lines = argv.count > 3 ? output_of(argv.at, &said) : wk_str_c("");
	while (lines.len) {
		struct wk_str line;

		wk_str_split(lines, '\n', &line, &lines);
		read_line(packages, line);
	}
	for (size_t i = 0; i < packages->count; i++)
		wk_buf_fini(&others[i]);
	wk_free(others);
	wk_text_list_fini(&argv);
	wk_buf_fini(&said);
}

void wk_packages_find(struct wk_packages *packages, const char *const *paths, size_t count)
{
	*packages = (struct wk_packages){
		.paths = paths,
		.names = wk_alloc_zeroed(count + 1, sizeof(char *)),
		.count = count,
	};
	if (count && wk_os_is_there("/usr/bin/dpkg"))
		ask_dpkg(packages);
}

void wk_packages_fini(struct wk_packages *packages)
{
	for (size_t i = 0; i < packages->count; i++)
		wk_free(packages->names[i]);
	wk_free(packages->names);
	*packages = (struct wk_packages){ 0 };
}

static bool is_debian(void)
{
	struct wk_buf release = { 0 };
	bool found;

	wk_os_read_small("/etc/os-release", &release);
	found = strstr(wk_buf_text(&release), "\nID=debian\n") != NULL;
	wk_buf_fini(&release);
	return found;
}

static void archive_words(struct wk_buf *words)
{
	wk_buf_add_text(words, "# packages that end in -dbgsym are in the distribution's debug "
			       "archive");
	if (is_debian())
		wk_buf_add_text(words, ":\n# on your mirror \"debian-debug\" instead of "
				       "\"debian\", with \"-debug\" appended to the suite\n");
	else
		wk_buf_add_text(words, ",\n# which must be one of apt's sources\n");
}

/* Does apt know a package of that name? */
static bool apt_knows(const char *name)
{
	struct wk_buf said = { 0 }, line = { 0 };
	bool found;

	wk_buf_add_char(&said, '\n');
	output_of((const char *const[]){ "apt-cache", "pkgnames", name, NULL }, &said);
	wk_buf_add_fmt(&line, "\n%s\n", name);
	found = strstr(wk_buf_text(&said), wk_buf_text(&line)) != NULL;
	WK_BUF_FINI_ALL(&said, &line);
	return found;
}

/* A few packages have their debug information in a package -dbg; parts of a larger package in that
 * of the larger one. */
static void add_dbg_name(struct wk_buf *name, const char *package)
{
	static const char *const parts[] = { "-minimal", "-stdlib", "-bin", NULL };
	struct wk_str whole = wk_str_c(package);

	for (size_t i = 0; parts[i]; i++)
		if (wk_str_ends(whole, parts[i]))
			whole.len -= strlen(parts[i]);
	wk_buf_add_str(name, whole);
	wk_buf_add_text(name, "-dbg");
}

static void add_apt_command(const char *package, struct wk_buf *command)
{
	struct wk_buf name = { 0 };

	add_dbg_name(&name, package);
	if (!apt_knows(wk_buf_text(&name))) {
		wk_buf_reset(&name);
		wk_buf_add_fmt(&name, "%s-dbgsym", package);
		if (!apt_knows(wk_buf_text(&name)))
			archive_words(command);
	}
	wk_buf_add_fmt(command, "sudo apt install %s", wk_buf_text(&name));
	wk_buf_fini(&name);
}

/* Folders of rpm's packages. */
static bool is_of_the_system(const char *path)
{
	struct wk_str text = wk_str_c(path);

	return (wk_str_starts(text, "/usr/") && !wk_str_starts(text, "/usr/local/")) ||
	       wk_str_starts(text, "/lib") || wk_str_starts(text, "/bin/") ||
	       wk_str_starts(text, "/sbin/");
}

bool wk_packages_command(const struct wk_packages *packages, size_t index, struct wk_buf *command)
{
	const char *path = packages->paths[index];
	const struct wk_package_manager *manager = wk_package_managers;

	if (packages->names[index])
		add_apt_command(packages->names[index], command);
	else if (wk_os_is_there("/usr/bin/dpkg") || !is_of_the_system(path) || !is_plain(path))
		return false;
	while (manager->program && (!manager->before_path || !wk_os_is_there(manager->program)))
		manager++;
	if (!packages->names[index] && manager->program)
		wk_buf_add_fmt(command, "%s%s%s", manager->before_path, path, manager->behind_path);
	return packages->names[index] || manager->program;
}
