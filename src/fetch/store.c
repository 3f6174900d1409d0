#include "fetch/store.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/text/file_name.h"
#include "event/image_kind.h"
#include "event/pdb_id.h"
#include "fetch/store_search.h"
#include "os/os.h"
#include "symbols/object/pe.h"

#define MOST_PATH 4096 /* bytes; longer ones are not looked for */
#define DELETED   " (deleted)"

bool wk_store_same_id(const struct wk_build_id *a, const struct wk_build_id *b)
{
	uint8_t most = a->size > b->size ? a->size : b->size;

	if (a->size == 0 || b->size == 0)
		return false;
	for (uint8_t i = 0; i < most; i++)
		if ((i < a->size ? a->bytes[i] : 0) != (i < b->size ? b->bytes[i] : 0))
			return false;
	return true;
}

void wk_store_add_id_path(struct wk_buf *path, const struct wk_build_id *id)
{
	struct wk_build_id rest = { .size = (uint8_t)(id->size - 1) };

	memcpy(rest.bytes, id->bytes + 1, rest.size);
	wk_buf_add_fmt(path, "/.build-id/%02x/", id->bytes[0]);
	wk_build_id_add(path, &rest, false);
}

const char *wk_store_perf_dir(struct wk_buf *dir)
{
	const char *home = wk_os_env("HOME");

	if (!home || home[0] != '/')
		return NULL;
	wk_buf_add_fmt(dir, "%s/.debug", home);
	return wk_buf_text(dir);
}

bool wk_store_is_name(struct wk_str name)
{
	return name.len > 0 && name.len <= 255 && !wk_str_is(name, ".") && !wk_str_is(name, "..") &&
	       !memchr(name.at, '/', name.len) && !memchr(name.at, '\0', name.len) &&
	       (!wk_os_has_drives() || wk_file_name_is_windows(name));
}

bool wk_store_is_below(struct wk_str path)
{
	struct wk_str name;
	bool is_more;

	if (!wk_str_starts(path, "/"))
		return false;
	path = wk_str_skip(path, 1);
	do {
		is_more = wk_str_split(path, '/', &name, &path);
		if (!wk_store_is_name(name))
			return false;
	} while (is_more);
	return true;
}

struct wk_str wk_store_without_root(struct wk_str path)
{
	struct wk_str rest = wk_str_skip(path, strlen("/proc/"));

	if (!wk_str_starts(path, "/proc/"))
		return path;
	while (rest.len > 0 && rest.at[0] >= '0' && rest.at[0] <= '9')
		rest = wk_str_skip(rest, 1);
	return wk_str_starts(rest, "/root/") ? wk_str_skip(rest, strlen("/root")) : path;
}

/* ---- files */

void wk_store_close(struct wk_store_file *file)
{
	wk_obj_free(file->obj);
	wk_os_close(&file->bytes);
	wk_free(file->path);
	wk_buf_fini(&file->plain);
	*file = (struct wk_store_file){ 0 };
}

bool wk_store_open(const char *path, struct wk_store_file *file, struct wk_err *err)
{
	*file = (struct wk_store_file){ 0 };
	if (!wk_os_open_named(path, &file->bytes, &file->identity, err))
		return false;
	file->obj = wk_obj_parse(file->bytes.at, file->bytes.size_bytes, err);
	if (!file->obj) {
		wk_os_close(&file->bytes);
		return wk_err_in(err, path);
	}
	file->path = wk_strndup(path, strlen(path));
	return true;
}

bool wk_store_has(const char *format, ...)
{
	char path[MOST_PATH];
	va_list values;
	int len;

	va_start(values, format);
	len = vsnprintf(path, sizeof(path), format, values);
	va_end(values);
	return len > 0 && len < MOST_PATH && wk_os_is_there(path);
}

struct wk_store_search wk_store_search_of(struct wk_store_file *file, struct wk_buf *why)
{
	*file = (struct wk_store_file){ 0 };
	wk_buf_reset(why);
	return (struct wk_store_search){ .file = file, .why = why, .state = WK_IMAGE_MISSING };
}

bool wk_store_report(struct wk_store_search *s, enum wk_image_state state, const char *format, ...)
{
	char text[MOST_PATH + 512];
	va_list values;

	if (s->state != WK_IMAGE_MISSING)
		return false;
	va_start(values, format);
	vsnprintf(text, sizeof(text), format, values);
	va_end(values);
	s->state = state;
	wk_buf_reset(s->why);
	wk_buf_add_text(s->why, text);
	return false;
}

/* Below the /proc/PID/root of a process that has ended there is nothing, but its files are still at
 * their paths. Makes `path` such a path; false if it was no path of an ended process. */
static bool leave_ended_process(char *path)
{
	struct wk_str inside = wk_store_without_root(wk_str_c(path));
	char *root_end = path + strlen(path) - inside.len;
	bool has_ended;

	if (root_end == path)
		return false;
	*root_end = '\0';
	has_ended = !wk_os_is_there(path);
	*root_end = '/';
	if (has_ended)
		memmove(path, root_end, inside.len + 1);
	return has_ended;
}

bool wk_store_try(struct wk_store_search *s, const char *format, ...)
{
	char path[MOST_PATH];
	struct wk_store_file file;
	struct wk_err err = { 0 };
	va_list values;
	int len;

	va_start(values, format);
	len = vsnprintf(path, sizeof(path), format, values);
	va_end(values);
	if (len <= 0 || (size_t)len >= sizeof(path))
		return false;
	if (!wk_store_open(path, &file, &err) &&
	    !(err.code == WK_ENOTFOUND && leave_ended_process(path) &&
	      wk_store_open(path, &file, &err)))
		return err.code != WK_ENOTFOUND &&
		       wk_store_report(s, WK_IMAGE_UNREADABLE, "%s", err.text);
	s->is_unproven = false;
	if (s->fits && !s->fits(s, path, &file)) {
		wk_store_close(&file);
		return false;
	}
	file.is_unproven = s->is_unproven;
	*s->file = file;
	s->state = WK_IMAGE_NAMED;
	wk_buf_reset(s->why);
	return true;
}

/* ---- images */

struct image_search {
	struct wk_store_search search;
	const struct wk_image_key *key;
	struct wk_str path; /* as recorded, without DELETED */
	bool was_deleted;
};

/* Linux records where in a mapped file code is, and a PE's addresses are those in memory: they are
 * equal only if its sections are laid out alike. */
static bool has_layout_of_file(const struct wk_obj *obj)
{
	for (uint32_t i = 0; i < obj->segment_count; i++)
		if (obj->kind == WK_OBJ_PE && obj->segments[i].flags & WK_PF_X &&
		    obj->segments[i].offset != obj->segments[i].vaddr)
			return false;
	return true;
}

/* What a recording of Windows contains about a file, in addition to its PDB. */
static bool has_recorded_key(struct wk_store_search *s, const char *path,
			     const struct wk_image_key *key, const struct wk_pe *pe)
{
	if (key->time_stamp == 0)
		return true;
	if (!pe)
		return wk_store_report(s, WK_IMAGE_DIFFERS,
				       "%s is not a Windows program, but the recorded one was",
				       path);
	if (pe->time_stamp != key->time_stamp)
		return wk_store_report(s, WK_IMAGE_DIFFERS,
				       "%s is another build than the one recorded: time stamp "
				       "%08" PRIX32 ", recorded %08" PRIX32,
				       path, pe->time_stamp, key->time_stamp);
	return !key->image_bytes || pe->image_bytes == key->image_bytes ||
	       wk_store_report(s, WK_IMAGE_DIFFERS,
			       "%s is another build than the one recorded: it needs %" PRIu32
			       " bytes in memory, recorded %" PRIu32,
			       path, pe->image_bytes, key->image_bytes);
}

static bool has_recorded_id(struct wk_store_search *s, const char *path,
			    const struct wk_image_key *key, const struct wk_build_id *id)
{
	struct wk_buf has = { 0 }, recorded = { 0 };

	if (wk_store_same_id(id, &key->build_id))
		return true;
	wk_build_id_add(&has, id, false);
	wk_build_id_add(&recorded, &key->build_id, false);
	wk_store_report(s, WK_IMAGE_DIFFERS,
			"%s is another build than the one recorded: build id %s, recorded %s", path,
			has.len ? wk_buf_text(&has) : "none", wk_buf_text(&recorded));
	WK_BUF_FINI_ALL(&has, &recorded);
	return false;
}

#define PAGE 4096 /* smaller than those of any system is enough: the recorded one is larger */

/* Has the file a segment where it was mapped from, of the same number of pages? The first mapping
 * of all segments covers them together. */
static bool has_recorded_mapping(const struct wk_obj *obj, const struct wk_image_key *key)
{
	uint64_t end = 0;

	for (uint32_t i = 0; i < obj->segment_count; i++) {
		const struct wk_obj_segment *load = &obj->segments[i];
		uint64_t start = load->offset / PAGE * PAGE;

		if (load->type == WK_PT_LOAD && load->vaddr + load->memory_size > end)
			end = load->vaddr + load->memory_size;
		if (load->type == WK_PT_LOAD && start == key->map_offset &&
		    (load->offset - start + load->file_size + PAGE - 1) / PAGE ==
			    key->map_bytes / PAGE)
			return true;
	}
	return key->map_offset == 0 && (end + PAGE - 1) / PAGE == key->map_bytes / PAGE;
}

/* Devices are not compared: on overlay and btrfs a mapping has another device than stat reports. */
static bool is_recorded(struct wk_store_search *s, const char *path,
			const struct wk_store_file *file)
{
	const struct wk_image_key *key = s->context;
	struct wk_os_identity identity;
	bool is_same;

	if (key->inode != 0 && !has_layout_of_file(file->obj))
		return wk_store_report(
			s, WK_IMAGE_UNREADABLE,
			"%s is a Windows program whose code has other addresses in "
			"memory than in the file, and the recording contains those in "
			"the file",
			path);
	if (key->any_build)
		return true;
	if (!has_recorded_key(s, path, key, file->obj->pe))
		return false;
	if (key->build_id.size > 0)
		return has_recorded_id(s, path, key, &file->obj->build_id);
	if (key->inode == 0 || !wk_os_identify(path, &identity, NULL))
		return true;
	is_same = identity.inode == key->inode;
	/* A linker's new file often has the inode of the one that it replaces. */
	if ((is_same || s->is_at_path) && key->mapped_wall_ns &&
	    identity.changed_ns > key->mapped_wall_ns)
		return wk_store_report(s, WK_IMAGE_DIFFERS,
				       "%s was written to after it was recorded (the recording has "
				       "no build id to compare); --any-build uses it all the same",
				       path);
	if (is_same)
		return true;
	s->is_unproven = !s->needs_inode && has_recorded_mapping(file->obj, key);
	return s->is_unproven ||
	       wk_store_report(s, WK_IMAGE_DIFFERS,
			       "%s was replaced since: its inode and the size of its segments are "
			       "others (the recording has no build id to compare); --any-build "
			       "uses it all the same",
			       path);
}

static struct image_search begin_search(const struct wk_image_key *key, struct wk_store_file *file,
					struct wk_buf *why)
{
	struct image_search s = {
		.search = wk_store_search_of(file, why), .key = key, .path = key->path };

	s.search.fits = is_recorded;
	s.search.context = key;
	s.was_deleted = wk_str_ends(s.path, DELETED);
	if (s.was_deleted)
		s.path.len -= strlen(DELETED);
	return s;
}

static bool has_identity(const struct wk_image_key *key)
{
	return key->build_id.size > 0 || key->inode != 0;
}

static bool try_recorded_path(struct image_search *s)
{
	bool found;

	s->search.is_at_path = true;
	found = (s->key->pid != 0 && wk_store_try(&s->search, "/proc/%" PRIu32 "/root%.*s",
						  s->key->pid, WK_STR_ARG(s->path)));
	/* The number may be another process' by now, or one of another machine. */
	if (!found && s->search.state == WK_IMAGE_UNREADABLE) {
		s->search.state = WK_IMAGE_MISSING;
		wk_buf_reset(s->search.why);
	}
	found = found || wk_store_try(&s->search, "%.*s", WK_STR_ARG(s->path));
	s->search.is_at_path = false;
	return found;
}

static bool try_paths(struct image_search *s)
{
	/* Another file may have replaced a deleted one, and nothing would show it. */
	if (s->was_deleted && !has_identity(s->key))
		return false;
	return try_recorded_path(s);
}

/* A deleted file's mapping is marked as such. */
static bool is_mapped_as(const struct image_search *s, struct wk_str path)
{
	if (wk_str_eq(path, s->key->path))
		return true;
	if (!wk_str_ends(path, DELETED))
		return false;
	path.len -= strlen(DELETED);
	return wk_str_eq(path, s->path);
}

/* Memory of memfd_create has small numbers, as files elsewhere do. */
static bool is_mapping_of(const struct image_search *s, uint64_t inode, struct wk_str path)
{
	if (s->key->inode && inode != s->key->inode)
		return false;
	return (s->key->inode && !wk_image_is_memfd(s->path)) || is_mapped_as(s, path);
}

/* The range of the first mapping of the image in /proc/PID/maps, whose lines are "start-end rights
 * offset major:minor inode   path". */
static bool find_range(const struct image_search *s, struct wk_str maps, struct wk_str *range)
{
	struct wk_str line, word;
	uint64_t inode;

	while (maps.len > 0) {
		wk_str_split(maps, '\n', &line, &maps);
		wk_str_split(line, ' ', range, &line);
		for (int i = 0; i < 4; i++)
			wk_str_split(line, ' ', &word, &line);
		while (line.len > 0 && line.at[0] == ' ')
			line = wk_str_skip(line, 1);
		if (wk_num_u64(word, &inode) && inode != 0 && is_mapping_of(s, inode, line))
			return true;
	}
	return false;
}

/* Any image of the process is looked for there, so it must be the very file. */
static bool try_program(struct image_search *s, uint32_t pid)
{
	bool found;

	s->search.needs_inode = true;
	found = has_identity(s->key) && wk_store_try(&s->search, "/proc/%" PRIu32 "/exe", pid);
	s->search.needs_inode = false;
	return found;
}

/* Links of /proc lead to the file itself, wherever it was moved. map_files needs more rights than
 * exe, so a program's own file is tried by exe first. */
static bool try_living(struct image_search *s)
{
	struct wk_buf path = { 0 }, maps = { 0 };
	struct wk_str range;
	uint32_t pid = s->key->pid;
	bool found = false;

	wk_buf_add_fmt(&path, "/proc/%" PRIu32 "/maps", pid);
	if (pid != 0 && wk_os_read_small(wk_buf_text(&path), &maps) &&
	    find_range(s, wk_buf_str(&maps), &range))
		found = try_program(s, pid) ||
			wk_store_try(&s->search, "/proc/%" PRIu32 "/map_files/%.*s", pid,
				     WK_STR_ARG(range));
	WK_BUF_FINI_ALL(&maps, &path);
	return found;
}

static bool try_cache(struct image_search *s)
{
	struct wk_buf path = { 0 };
	bool found = false;

	if (s->key->build_id.size > 1 && wk_store_perf_dir(&path)) {
		wk_store_add_id_path(&path, &s->key->build_id);
		found = wk_store_try(&s->search, "%s/elf", wk_buf_text(&path));
	}
	wk_buf_fini(&path);
	return found;
}

/* /dev has ordinary files as well, in /dev/shm. /dev/zero is shared memory, even if it is
 * "deleted". */
static bool is_device(struct wk_str path)
{
	struct wk_buf text = { 0 };
	struct wk_os_identity identity;
	bool is_other = false;

	if (!wk_str_starts(path, "/dev/"))
		return false;
	wk_buf_add_str(&text, path);
	is_other = wk_os_identify(wk_buf_text(&text), &identity, NULL) && !identity.is_regular;
	wk_buf_fini(&text);
	return is_other || wk_str_starts(path, "/dev/zero");
}

/* Names that the kernel gives to memory without a file behind it. */
static bool is_anonymous(struct wk_str path)
{
	return !wk_os_is_absolute(path) || wk_str_starts(path, "//") || is_device(path) ||
	       wk_image_is_memfd(path) || wk_str_starts(path, "/SYSV") ||
	       wk_str_starts(path, "/anon_hugepage");
}

/* The file is at its path if this machine is the one that recorded, or has the same programs. A
 * share is on another machine. If the build differs, the file is missing all the same: every
 * machine has some ntdll.dll at that path. */
static enum wk_image_state find_of_windows(struct image_search *s)
{
	bool is_on_drive = s->path.at[0] != '\\' && !memchr(s->path.at, '\0', s->path.len);

	if (wk_os_has_drives() && is_on_drive && (s->key->time_stamp || has_identity(s->key)))
		wk_store_try(&s->search, "%.*s", WK_STR_ARG(s->path));
	if (s->search.state == WK_IMAGE_MISSING) {
		wk_buf_add_str(s->search.why, s->path);
		wk_buf_add_text(s->search.why, " is not here: it is a file of a Windows machine");
	}
	return s->search.state == WK_IMAGE_DIFFERS ? WK_IMAGE_MISSING : s->search.state;
}

enum wk_image_state wk_store_image(const struct wk_image_key *key, struct wk_store_file *file,
				   struct wk_buf *why)
{
	struct image_search s = begin_search(key, file, why);

	if (wk_str_is_windows_path(s.path))
		return find_of_windows(&s);
	if (wk_image_is_memfd(s.path) && try_living(&s))
		return WK_IMAGE_NAMED;
	if (is_anonymous(s.path) || memchr(s.path.at, '\0', s.path.len)) {
		wk_buf_reset(why);
		wk_buf_add_text(why, "memory without a file");
		return WK_IMAGE_NO_FILE;
	}
	if (try_paths(&s) || try_living(&s) || try_cache(&s))
		return WK_IMAGE_NAMED;
	if (s.search.state == WK_IMAGE_MISSING) {
		wk_buf_add_str(why, s.path);
		wk_buf_add_text(why, s.was_deleted ? " was deleted" : " is not here");
		wk_buf_add_text(why, ", and no copy of it was found");
	}
	return s.search.state;
}

enum wk_image_state wk_store_copy(const struct wk_image_key *key, const char *folder,
				  struct wk_store_file *file, struct wk_buf *why)
{
	struct image_search s = begin_search(key, file, why);

	if (!wk_store_is_below(s.path) || (s.was_deleted && !has_identity(key)))
		return s.search.state;
	/* By name alone, another program may have the same. */
	if (!wk_store_try(&s.search, "%s%.*s", folder, WK_STR_ARG(s.path)) && has_identity(key))
		wk_store_try(&s.search, "%s/%.*s", folder, WK_STR_ARG(wk_str_basename(s.path)));
	return s.search.state;
}
