#include "fetch/store.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/text/file_name.h"
#include "event/pdb_id.h"
#include "os/os.h"
#include "symbols/object/pe.h"

#define DELETED " (deleted)"

/* A search for one image: the best it found so far, and why what it found was not it. */
struct search {
	const struct wk_image_key *key;
	struct wk_str path; /* without DELETED */
	bool was_deleted;   /* as recorded */
	struct wk_store_file *file;
	enum wk_image_state state;
	struct wk_buf *why;
};

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

void wk_store_add_id(struct wk_buf *buf, const struct wk_build_id *id)
{
	wk_build_id_add(buf, id, false);
}

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

/* What is there but not right says more than that nothing is there, so it is what is told. */
static void report(struct search *s, enum wk_image_state state, const char *sentence)
{
	if (s->state != WK_IMAGE_MISSING)
		return;
	s->state = state;
	wk_buf_reset(s->why);
	wk_buf_add_text(s->why, sentence);
}

static void report_error(struct search *s, const struct wk_err *err)
{
	if (err->code != WK_ENOTFOUND)
		report(s, WK_IMAGE_UNREADABLE, err->text);
}

static void report_other_id(struct search *s, const char *path, const struct wk_build_id *found)
{
	struct wk_buf text = { 0 };

	wk_buf_add_fmt(&text, "%s is another build than the one recorded: build id ", path);
	if (found->size > 0)
		wk_store_add_id(&text, found);
	else
		wk_buf_add_text(&text, "none");
	wk_buf_add_text(&text, ", recorded ");
	wk_store_add_id(&text, &s->key->build_id);
	report(s, WK_IMAGE_DIFFERS, wk_buf_text(&text));
	wk_buf_fini(&text);
}

static void report_other_inode(struct search *s, const char *path, uint64_t inode)
{
	struct wk_buf text = { 0 };

	wk_buf_add_fmt(&text,
		       "%s was replaced since: inode %" PRIu64 ", recorded %" PRIu64
		       " (the recording has no build id to compare)",
		       path, inode, s->key->inode);
	report(s, WK_IMAGE_DIFFERS, wk_buf_text(&text));
	wk_buf_fini(&text);
}

static void report_other_stamp(struct search *s, const char *path, uint32_t time_stamp)
{
	struct wk_buf text = { 0 };

	wk_buf_add_fmt(&text,
		       "%s is another build than the one recorded: time stamp %08" PRIX32
		       ", recorded %08" PRIX32,
		       path, time_stamp, s->key->time_stamp);
	report(s, WK_IMAGE_DIFFERS, wk_buf_text(&text));
	wk_buf_fini(&text);
}

static void report_other_size(struct search *s, const char *path, uint32_t image_bytes)
{
	struct wk_buf text = { 0 };

	wk_buf_add_fmt(&text,
		       "%s is another build than the one recorded: it takes %" PRIu32
		       " bytes in memory, recorded %" PRIu32,
		       path, image_bytes, s->key->image_bytes);
	report(s, WK_IMAGE_DIFFERS, wk_buf_text(&text));
	wk_buf_fini(&text);
}

/* Linux says where in a mapped file code lies, and a PE's addresses are those in memory: they are
 * the same where its sections are laid out for that. */
static bool lies_as_in_file(const struct wk_obj *obj)
{
	for (uint32_t i = 0; i < obj->segment_count; i++)
		if (obj->kind == WK_OBJ_PE && obj->segments[i].flags & WK_PF_X &&
		    obj->segments[i].offset != obj->segments[i].vaddr)
			return false;
	return true;
}

static void report_layout(struct search *s, const char *path)
{
	struct wk_buf text = { 0 };

	wk_buf_add_fmt(&text,
		       "%s is a program for Windows whose code lies elsewhere in memory than in "
		       "the file, and the recording says where in the file it was",
		       path);
	report(s, WK_IMAGE_UNREADABLE, wk_buf_text(&text));
	wk_buf_fini(&text);
}

static void report_other_kind(struct search *s, const char *path)
{
	struct wk_buf text = { 0 };

	wk_buf_add_fmt(&text, "%s is no program for Windows, and the one recorded was", path);
	report(s, WK_IMAGE_DIFFERS, wk_buf_text(&text));
	wk_buf_fini(&text);
}

/* What a recording of Windows tells of a file, beside its PDB. */
static bool has_recorded_key(struct search *s, const char *path, const struct wk_pe *pe)
{
	const struct wk_image_key *key = s->key;

	if (key->time_stamp == 0)
		return true;
	if (!pe)
		report_other_kind(s, path);
	else if (pe->time_stamp != key->time_stamp)
		report_other_stamp(s, path, pe->time_stamp);
	else if (key->image_bytes && pe->image_bytes != key->image_bytes)
		report_other_size(s, path, pe->image_bytes);
	else
		return true;
	return false;
}

/* Devices are not compared: on overlay and btrfs a mapping names another device than stat. */
static bool is_recorded(struct search *s, const char *path, const struct wk_store_file *file)
{
	struct wk_os_identity identity;

	if (s->key->inode != 0 && !lies_as_in_file(file->obj)) {
		report_layout(s, path);
		return false;
	}
	if (!has_recorded_key(s, path, file->obj->pe))
		return false;
	if (s->key->build_id.size > 0) {
		if (wk_store_same_id(&file->obj->build_id, &s->key->build_id))
			return true;
		report_other_id(s, path, &file->obj->build_id);
		return false;
	}
	if (s->key->inode == 0 || !wk_os_identify(path, &identity, NULL) ||
	    identity.inode == s->key->inode)
		return true;
	report_other_inode(s, path, identity.inode);
	return false;
}

static bool try_path(struct search *s, const char *path)
{
	struct wk_store_file file;
	struct wk_err err = { 0 };

	if (!wk_store_open(path, &file, &err)) {
		report_error(s, &err);
		return false;
	}
	if (!is_recorded(s, path, &file)) {
		wk_store_close(&file);
		return false;
	}
	*s->file = file;
	s->state = WK_IMAGE_NAMED;
	wk_buf_reset(s->why);
	return true;
}

static bool has_identity(const struct wk_image_key *key)
{
	return key->build_id.size > 0 || key->inode != 0;
}

static bool try_paths(struct search *s)
{
	struct wk_buf path = { 0 };
	bool found = false;

	/* Where a deleted file was, another may lie now, and nothing would tell. */
	if (s->was_deleted && !has_identity(s->key))
		return false;
	if (s->key->pid != 0) {
		wk_buf_add_fmt(&path, "/proc/%" PRIu32 "/root", s->key->pid);
		wk_buf_add_str(&path, s->path);
		found = try_path(s, wk_buf_text(&path));
		wk_buf_reset(&path);
		/* The number may be another process' by now, or one of another machine. */
		if (!found && s->state == WK_IMAGE_UNREADABLE) {
			s->state = WK_IMAGE_MISSING;
			wk_buf_reset(s->why);
		}
	}
	if (!found) {
		wk_buf_add_str(&path, s->path);
		found = try_path(s, wk_buf_text(&path));
	}
	wk_buf_fini(&path);
	return found;
}

/* One line of /proc/PID/maps: "start-end protection offset major:minor inode   path". */
struct maps_line {
	struct wk_str range, path;
	uint64_t inode;
};

static struct wk_str next_word(struct wk_str *line)
{
	struct wk_str word;
	size_t len = 0;

	while (line->len > 0 && line->at[0] == ' ')
		*line = wk_str_skip(*line, 1);
	while (len < line->len && line->at[len] != ' ')
		len++;
	word = wk_str_of(line->at, len);
	*line = wk_str_skip(*line, len);
	return word;
}

static struct maps_line read_maps_line(struct wk_str line)
{
	struct maps_line m = { .range = next_word(&line) };

	next_word(&line);
	next_word(&line);
	next_word(&line);
	wk_num_u64(next_word(&line), &m.inode);
	while (line.len > 0 && line.at[0] == ' ')
		line = wk_str_skip(line, 1);
	m.path = line;
	return m;
}

/* The range of the image's first mapping that the process still has. */
static bool find_range(const struct search *s, struct wk_str maps, struct wk_str *range)
{
	while (maps.len > 0) {
		const char *newline = memchr(maps.at, '\n', maps.len);
		size_t len = newline ? (size_t)(newline - maps.at) : maps.len;
		struct maps_line m = read_maps_line(wk_str_of(maps.at, len));

		maps = wk_str_skip(maps, len + 1);
		if (m.inode == 0 || (s->key->inode != 0 && m.inode != s->key->inode))
			continue;
		if (s->key->inode == 0 && !wk_str_eq(m.path, s->key->path) &&
		    !(wk_str_starts(m.path, "/") && m.path.len == s->path.len + strlen(DELETED) &&
		      memcmp(m.path.at, s->path.at, s->path.len) == 0 &&
		      wk_str_ends(m.path, DELETED)))
			continue;
		*range = m.range;
		return true;
	}
	return false;
}

/* Links of /proc lead to the file itself, wherever its name went. map_files takes more rights
 * than exe, so a program's own file is tried by exe first. */
static bool try_living(struct search *s)
{
	struct wk_buf path = { 0 }, maps = { 0 };
	struct wk_str range;
	bool found = false;

	if (s->key->pid == 0)
		return false;
	wk_buf_add_fmt(&path, "/proc/%" PRIu32 "/maps", s->key->pid);
	if (!wk_os_read_small(wk_buf_text(&path), &maps) ||
	    !find_range(s, wk_buf_str(&maps), &range))
		goto out;
	if (has_identity(s->key)) {
		wk_buf_reset(&path);
		wk_buf_add_fmt(&path, "/proc/%" PRIu32 "/exe", s->key->pid);
		found = try_path(s, wk_buf_text(&path));
	}
	if (!found) {
		wk_buf_reset(&path);
		wk_buf_add_fmt(&path, "/proc/%" PRIu32 "/map_files/%.*s", s->key->pid,
			       WK_STR_ARG(range));
		found = try_path(s, wk_buf_text(&path));
	}
out:
	wk_buf_fini(&maps);
	wk_buf_fini(&path);
	return found;
}

void wk_store_id_path(struct wk_buf *path, const char *dir, const struct wk_build_id *id,
		      const char *behind)
{
	struct wk_build_id rest = { .size = (uint8_t)(id->size - 1) };

	memcpy(rest.bytes, id->bytes + 1, rest.size);
	wk_buf_reset(path);
	wk_buf_add_fmt(path, "%s/.build-id/%02x/", dir, id->bytes[0]);
	wk_store_add_id(path, &rest);
	wk_buf_add_text(path, behind);
}

const char *wk_store_perf_dir(struct wk_buf *dir)
{
	const char *home = wk_os_env("HOME");

	if (!home || home[0] != '/')
		return NULL;
	wk_buf_add_fmt(dir, "%s/.debug", home);
	return wk_buf_text(dir);
}

static bool try_cache(struct search *s)
{
	struct wk_buf dir = { 0 }, path = { 0 };
	bool found = false;

	if (s->key->build_id.size > 1 && wk_store_perf_dir(&dir)) {
		wk_store_id_path(&path, wk_buf_text(&dir), &s->key->build_id, "/elf");
		found = try_path(s, wk_buf_text(&path));
	}
	wk_buf_fini(&path);
	wk_buf_fini(&dir);
	return found;
}

/* Names that the kernel gives to memory without a file behind it. */
static bool is_anonymous(struct wk_str path)
{
	return !wk_os_is_absolute(path) || wk_str_starts(path, "//") ||
	       wk_str_starts(path, "/dev/") || wk_str_starts(path, "/memfd:") ||
	       wk_str_starts(path, "/SYSV") || wk_str_starts(path, "/anon_hugepage");
}

/* The recorded path, without what the kernel says behind it. */
static struct search begin_search(const struct wk_image_key *key, struct wk_store_file *file,
				  struct wk_buf *why)
{
	struct search s = {
		.key = key,
		.path = key->path,
		.file = file,
		.state = WK_IMAGE_MISSING,
		.why = why,
	};

	*file = (struct wk_store_file){ 0 };
	wk_buf_reset(why);
	if (wk_str_ends(s.path, DELETED)) {
		s.path.len -= strlen(DELETED);
		s.was_deleted = true;
	}
	return s;
}

/* Where this machine is the one that recorded, or has the same programs, the file lies there. On a
 * share it would be another machine that is asked. Another build is told of, and yet the file is
 * not here: all machines have some ntdll.dll at that path. */
static enum wk_image_state find_of_windows(struct search *s)
{
	bool is_on_drive = s->path.at[0] != '\\' && !memchr(s->path.at, '\0', s->path.len);
	struct wk_buf path = { 0 };

	wk_buf_add_str(&path, s->path);
	if (wk_os_has_drives() && is_on_drive && (s->key->time_stamp || has_identity(s->key)))
		try_path(s, wk_buf_text(&path));
	wk_buf_fini(&path);
	if (s->state == WK_IMAGE_MISSING) {
		wk_buf_add_str(s->why, s->path);
		wk_buf_add_text(s->why, " is not here: it is a file of a Windows machine");
	}
	return s->state == WK_IMAGE_DIFFERS ? WK_IMAGE_MISSING : s->state;
}

enum wk_image_state wk_store_image(const struct wk_image_key *key, struct wk_store_file *file,
				   struct wk_buf *why)
{
	struct search s = begin_search(key, file, why);

	if (wk_str_is_windows_path(s.path))
		return find_of_windows(&s);
	if (is_anonymous(s.path) || memchr(s.path.at, '\0', s.path.len)) {
		wk_buf_add_text(why, "memory without a file");
		return WK_IMAGE_NO_FILE;
	}
	if (try_paths(&s) || try_living(&s) || try_cache(&s))
		return WK_IMAGE_NAMED;
	if (s.state == WK_IMAGE_MISSING) {
		wk_buf_add_str(why, s.path);
		wk_buf_add_text(why, s.was_deleted ? " was deleted" : " is not here");
		wk_buf_add_text(why, ", and no copy of it was found");
	}
	return s.state;
}

enum wk_image_state wk_store_copy(const struct wk_image_key *key, const char *folder,
				  struct wk_store_file *file, struct wk_buf *why)
{
	struct search s = begin_search(key, file, why);
	struct wk_buf path = { 0 };
	bool found = false;

	if (wk_store_is_below(s.path) && !(s.was_deleted && !has_identity(key))) {
		wk_buf_add_fmt(&path, "%s%.*s", folder, WK_STR_ARG(s.path));
		found = try_path(&s, wk_buf_text(&path));
		wk_buf_reset(&path);
	}
	/* Another program may have the same name. */
	if (!found && wk_store_is_below(s.path) && has_identity(key)) {
		wk_buf_add_fmt(&path, "%s/%.*s", folder, WK_STR_ARG(wk_str_basename(s.path)));
		found = try_path(&s, wk_buf_text(&path));
	}
	wk_buf_fini(&path);
	return s.state;
}

bool wk_store_open_if_same(const char *path, const struct wk_build_id *id,
			   struct wk_store_file *file, struct wk_buf *why)
{
	struct wk_err err = { 0 };

	if (!wk_store_open(path, file, &err)) {
		wk_buf_add_text(why, err.text);
		return false;
	}
	if (wk_store_same_id(&file->obj->build_id, id))
		return true;
	wk_buf_add_fmt(why, "%s is of another build", path);
	wk_store_close(file);
	return false;
}

bool wk_store_is_name(struct wk_str name)
{
	return name.len > 0 && name.len <= 255 && !wk_str_is(name, ".") && !wk_str_is(name, "..") &&
	       !memchr(name.at, '/', name.len) && !memchr(name.at, '\0', name.len) &&
	       (!wk_os_has_drives() || wk_file_name_is_windows(name));
}

bool wk_store_is_below(struct wk_str path)
{
	if (!wk_str_starts(path, "/"))
		return false;
	while (path.len) {
		const char *slash;

		path = wk_str_skip(path, 1);
		slash = memchr(path.at, '/', path.len);
		if (!wk_store_is_name(slash ? wk_str_of(path.at, (size_t)(slash - path.at)) : path))
			return false;
		path = slash ? wk_str_skip(path, (size_t)(slash - path.at)) : wk_str_c("");
	}
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
