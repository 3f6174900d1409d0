#include "record/tracefs.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <unistd.h>

#include "base/num.h"
#include "os/os.h"
#include "record/perf_names.h"
#include "record/pmu.h"

#define TRACEFS "/sys/kernel/tracing"

static bool is_readable(const char *root, int *error_number)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/events", root);
	if (access(path, R_OK | X_OK) == 0)
		return true;
	*error_number = errno;
	return false;
}

/* Since Linux 5.17 the group of the mount is that of its files, which others may not read. */
static bool fail_no_right(struct wk_err *err)
{
	return wk_fail(
		err, WK_EPERM, WK_NOWHERE,
		"tracepoints are readable by root only: run as root, or have an administrator run: "
		"mount -o remount,mode=750,gid=%u " TRACEFS,
		(unsigned)getgid());
}

const char *wk_tracefs_root(struct wk_err *err)
{
	static const char *const places[] = { TRACEFS, "/sys/kernel/debug/tracing" };
	int error_number = ENOENT;

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		int cause = ENOENT;

		if (is_readable(places[i], &cause))
			return places[i];
		if (cause == EACCES)
			error_number = EACCES;
	}
	if (error_number == ENOENT &&
	    mount("tracefs", TRACEFS, "tracefs", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL) == 0 &&
	    is_readable(TRACEFS, &error_number))
		return TRACEFS;
	if (error_number == EACCES)
		fail_no_right(err);
	else
		wk_fail(err, WK_EPERM, WK_NOWHERE,
			"the kernel's trace file system is not mounted; as root run: "
			"mount -t tracefs tracefs " TRACEFS);
	return NULL;
}

/* The entry of a folder whose name is near to `name`, in `best`; false if there is none. */
static bool nearest_entry(const char *folder, const char *name, char best[WK_PERF_NAME_MAX])
{
	DIR *dir = opendir(folder);
	struct wk_suggestion suggestion = wk_suggestion_for(wk_str_c(name));

	if (!dir)
		return false;
	for (struct dirent *entry = readdir(dir); entry; entry = readdir(dir))
		wk_perf_name_try(&suggestion, best, entry->d_name);
	closedir(dir);
	return suggestion.best != NULL;
}

static bool not_there(const char *root, const char *system, const char *point, struct wk_err *err)
{
	char folder[512], best[WK_PERF_NAME_MAX];

	snprintf(folder, sizeof(folder), "%s/events/%s", root, system);
	if (access(folder, F_OK) == 0) {
		if (nearest_entry(folder, point, best))
			return wk_fail(err, WK_EUSAGE, WK_NOWHERE,
				       "tracepoint \"%s:%s\" is not known to this kernel; did you "
				       "mean \"%s:%s\"?",
				       system, point, system, best);
	} else {
		snprintf(folder, sizeof(folder), "%s/events", root);
		if (nearest_entry(folder, system, best))
			return wk_fail(err, WK_EUSAGE, WK_NOWHERE,
				       "this kernel has no tracepoints called \"%s:...\"; did you "
				       "mean \"%s:%s\"?",
				       system, best, point);
	}
	return wk_fail(err, WK_EUSAGE, WK_NOWHERE,
		       "tracepoint \"%s:%s\" is not known to this kernel; %s/events lists them",
		       system, point, root);
}

bool wk_tracepoint_id_at(const char *root, const char *system, const char *point, uint64_t *id,
			 struct wk_err *err)
{
	struct wk_buf text = { 0 };
	char path[512];
	struct wk_str digits;
	bool ok;

	snprintf(path, sizeof(path), "%s/events/%s/%s/id", root, system, point);
	ok = wk_os_read_small(path, &text);
	digits = wk_buf_str(&text);
	digits = wk_str_cut(&digits, '\n');
	if (!ok && errno == EACCES)
		fail_no_right(err);
	else if (!ok)
		not_there(root, system, point, err);
	else if (!(ok = wk_num_u64(digits, id)))
		wk_fail(err, WK_ECORRUPT, WK_NOWHERE, "%s holds no number", path);
	wk_buf_fini(&text);
	return ok;
}

bool wk_tracepoint_id(const char *system, const char *point, uint64_t *id, struct wk_err *err)
{
	const char *root = wk_tracefs_root(err);

	return root && wk_tracepoint_id_at(root, system, point, id, err);
}

/* Only folders: the files next to them enable whole systems. */
static int is_folder(const struct dirent *entry)
{
	return entry->d_type == DT_DIR && entry->d_name[0] != '.';
}

bool wk_tracepoints_each(void (*list)(void *context, const char *system, const char *point),
			 void *context, struct wk_err *err)
{
	const char *root = wk_tracefs_root(err);
	char path[512];

	if (!root)
		return false;
	snprintf(path, sizeof(path), "%s/events", root);
	return wk_pmu_each_below(path, "", is_folder, list, context) ||
	       wk_fail_os(err, errno, "cannot read %s", path);
}
