#include "session/images/symbol_cache.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/mem.h"
#include "base/num.h"
#include "fetch/cache_folder.h"
#include "fetch/store.h"
#include "os/os.h"
#include "symbols/cache/cache.h"

/* An image in the symbol cache, which has an id, or a fetched file, which has a name. */
struct row {
	struct wk_build_id id;
	struct wk_str name;
	uint64_t size_bytes, time_ns; /* when last used, or when fetched */
};

struct rows {
	struct row *at;
	size_t count, cap;
	uint64_t size_bytes;
	struct wk_arena names;
};

static void add_row(struct rows *rows, struct row row)
{
	*WK_APPEND(rows->at, rows->count, rows->cap) = row;
	rows->size_bytes += row.size_bytes;
}

static bool add_image(void *context, const struct wk_cache_row *image)
{
	add_row(context, (struct row){ .id = image->id, .size_bytes = image->size_bytes,
				       .time_ns = image->used_ns });
	return true;
}

static bool add_file(void *context, const struct wk_fetch_cached *file)
{
	struct rows *rows = context;

	add_row(rows, (struct row){ .name = wk_arena_copy(&rows->names, wk_str_c(file->name)),
				    .size_bytes = file->size_bytes, .time_ns = file->fetched_ns });
	return true;
}

static int latest_first(const void *left, const void *right)
{
	const struct row *a = left, *b = right;
	int order = memcmp(a->id.bytes, b->id.bytes, sizeof(a->id.bytes));

	if (a->time_ns != b->time_ns)
		return a->time_ns > b->time_ns ? -1 : 1;
	return order ? order : wk_str_compare(a->name, b->name);
}

/* "     1.2 MB  2026-01-31 10:20  " */
static void print_size_and_time(struct wk_out *out, const struct row *row)
{
	struct wk_buf size = { 0 };
	char when[32] = "";
	struct tm tm;

	if (wk_os_utc_time(row->time_ns / 1000000000, &tm))
		strftime(when, sizeof(when), "%Y-%m-%d %H:%M", &tm);
	wk_num_add_bytes(&size, row->size_bytes);
	wk_out_fmt(out, "%10s  %-16s  ", wk_buf_text(&size), when);
	wk_buf_fini(&size);
}

/* The path of the image as its process saw it. Other versions of wick wrote that differently, and
 * compute the entry again when they need it. */
static void print_image(struct wk_out *out, struct wk_cache *cache, const struct row *row)
{
	struct wk_bytes bytes = wk_cache_section(wk_cache_peek(cache, &row->id), WK_CACHE_SOURCE,
						 WK_CACHE_SOURCE_VERSION);
	struct wk_str text = wk_str_of((const char *)bytes.at, wk_bytes_left(&bytes)), path, rest;

	wk_str_split(text, '\n', &path, &rest);
	for (size_t i = 0; i < sizeof(row->id.bytes); i++)
		wk_out_fmt(out, i < row->id.size ? "%02x" : "  ", row->id.bytes[i]);
	wk_out_text(out, "  ");
	print_size_and_time(out, row);
	wk_out_term(out, path.len ? wk_store_without_root(path)
				  : wk_str_c("(written by another version of wick)"));
	wk_out_char(out, '\n');
}

/* "3 fetched files, 4.5 MB" and, if there is one, the folder. */
static void print_sum(struct wk_out *out, uint64_t files, const char *what, uint64_t size_bytes,
		      const char *in, const char *folder)
{
	struct wk_buf text = { 0 };

	wk_num_add_grouped(&text, files);
	wk_buf_add_fmt(&text, " %s%s, ", what, files == 1 ? "file" : "files");
	wk_num_add_bytes(&text, size_bytes);
	wk_out_fmt(out, "%s%s", wk_buf_text(&text), in);
	wk_out_term(out, wk_str_c(folder));
	wk_out_char(out, '\n');
	wk_buf_fini(&text);
}

static void print_images(struct rows *rows, struct wk_cache *cache, struct wk_out *out)
{
	if (rows->count) {
		qsort(rows->at, rows->count, sizeof(*rows->at), latest_first);
		wk_out_fmt(out, "%-40s  %10s  %-16s  %s\n", "BUILD ID", "SIZE", "USED (UTC)",
			   "IMAGE");
	}
	for (size_t i = 0; i < rows->count; i++)
		print_image(out, cache, &rows->at[i]);
	print_sum(out, rows->count, "", rows->size_bytes, " in ", wk_cache_folder(cache));
}

static void print_files(struct rows *rows, struct wk_out *out)
{
	if (!rows->count)
		return;
	qsort(rows->at, rows->count, sizeof(*rows->at), latest_first);
	wk_out_fmt(out, "\n%10s  %-16s  %s\n", "SIZE", "FETCHED (UTC)", "FILE, BY BUILD ID");
	for (size_t i = 0; i < rows->count; i++) {
		print_size_and_time(out, &rows->at[i]);
		wk_out_term(out, rows->at[i].name);
		wk_out_char(out, '\n');
	}
	print_sum(out, rows->count, "fetched ", rows->size_bytes, "", "");
}

static bool list(struct wk_cache *cache, struct wk_out *out, struct wk_err *err)
{
	struct rows images = { 0 }, files = { 0 };
	bool ok = wk_cache_each(cache, add_image, &images, err);

	if (ok)
		print_images(&images, cache, out);
	ok = ok && wk_fetch_cache_each(NULL, add_file, &files, err);
	if (ok)
		print_files(&files, out);
	WK_FREE_ALL(images.at, files.at);
	wk_arena_fini(&files.names);
	return ok;
}

static bool clear(struct wk_cache *cache, struct wk_out *out, struct wk_err *err)
{
	uint64_t files, bytes;
	bool ok = wk_cache_clear(cache, &files, &bytes, err);

	if (ok || files > 0) {
		wk_out_text(out, "removed ");
		print_sum(out, files, "", bytes, " from ", wk_cache_folder(cache));
	}
	if (!ok)
		return false;
	ok = wk_fetch_cache_clear(NULL, &files, &bytes, err);
	if (files) {
		wk_out_text(out, "removed ");
		print_sum(out, files, "fetched ", bytes, "", "");
	}
	return ok;
}

bool wk_symbol_cache(const char *word, struct wk_out *out, struct wk_err *err)
{
	bool is_list = strcmp(word, "list") == 0;
	struct wk_cache *cache;
	bool ok;

	if (!is_list && strcmp(word, "clear") != 0)
		return wk_fail(err, WK_EUSAGE, WK_NOWHERE,
			       "--cache accepts list or clear, not \"%.40s\"", word);
	cache = wk_cache_open(NULL);
	if (!cache)
		return wk_fail(err, WK_EEMPTY, WK_NOWHERE,
			       "there is no symbol cache: WICK_CACHE_DIR is empty, or HOME is not "
			       "set");
	ok = (is_list ? list : clear)(cache, out, err);
	wk_cache_close(cache);
	return ok;
}
