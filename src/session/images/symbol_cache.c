#include "session/images/symbol_cache.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "fetch/store.h"
#include "session/images/cached_rows.h"
#include "symbols/cache/cache.h"

struct rows {
	struct wk_cache_row *at;
	size_t count, cap;
	uint64_t size_bytes;
};

static bool keep_row(void *context, const struct wk_cache_row *row)
{
	struct rows *rows = context;

	*WK_APPEND(rows->at, rows->count, rows->cap) = *row;
	rows->size_bytes += row->size_bytes;
	return true;
}

static int last_used_first(const void *left, const void *right)
{
	const struct wk_cache_row *a = left, *b = right;

	if (a->used_ns != b->used_ns)
		return a->used_ns > b->used_ns ? -1 : 1;
	return memcmp(a->id.bytes, b->id.bytes, sizeof(a->id.bytes));
}

/* Which file the image was, as its process saw it. Other versions of wick wrote that in another
 * way, and what they kept is made anew when it is needed. */
static void add_source(struct wk_out *out, struct wk_cache *cache, const struct wk_build_id *id)
{
	struct wk_bytes bytes = wk_cache_section(wk_cache_peek(cache, id), WK_CACHE_SOURCE,
						 WK_CACHE_SOURCE_VERSION);
	size_t len = wk_bytes_left(&bytes);
	const uint8_t *end = len ? memchr(bytes.at, '\n', len) : NULL;
	struct wk_str path =
		wk_str_of((const char *)bytes.at, end ? (size_t)(end - bytes.at) : len);

	if (path.len)
		wk_out_term(out, wk_store_without_root(path));
	else
		wk_out_text(out, "(kept by another version of wick)");
}

static void add_row(struct wk_out *out, struct wk_cache *cache, const struct wk_cache_row *row)
{
	for (size_t i = 0; i < sizeof(row->id.bytes); i++)
		wk_out_fmt(out, i < row->id.size ? "%02x" : "  ", row->id.bytes[i]);
	wk_out_text(out, "  ");
	wk_cached_rows_add_size_and_time(out, row->size_bytes, row->used_ns);
	add_source(out, cache, &row->id);
	wk_out_char(out, '\n');
}

static bool list(struct wk_cache *cache, struct wk_out *out, struct wk_err *err)
{
	struct rows rows = { 0 };
	bool ok = wk_cache_each(cache, keep_row, &rows, err);

	if (ok && rows.count > 0) {
		qsort(rows.at, rows.count, sizeof(*rows.at), last_used_first);
		wk_out_fmt(out, "%-40s  %10s  %-16s  %s\n", "BUILD ID", "SIZE", "USED (UTC)",
			   "IMAGE");
		for (size_t i = 0; i < rows.count; i++)
			add_row(out, cache, &rows.at[i]);
	}
	if (ok) {
		wk_cached_rows_add_sum(out, rows.count, "", rows.size_bytes);
		wk_out_text(out, " in ");
		wk_out_term(out, wk_str_c(wk_cache_folder(cache)));
		wk_out_char(out, '\n');
	}
	wk_free(rows.at);
	return ok;
}

static bool clear(struct wk_cache *cache, struct wk_out *out, struct wk_err *err)
{
	uint64_t files, bytes;
	bool ok = wk_cache_clear(cache, &files, &bytes, err);

	if (ok || files > 0) {
		wk_out_text(out, "removed ");
		wk_cached_rows_add_sum(out, files, "", bytes);
		wk_out_text(out, " from ");
		wk_out_term(out, wk_str_c(wk_cache_folder(cache)));
		wk_out_char(out, '\n');
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
			       "--cache takes list or clear, not \"%.40s\"", word);
	cache = wk_cache_open(NULL);
	if (!cache)
		return wk_fail(err, WK_EEMPTY, WK_NOWHERE,
			       "there is no symbol cache: WICK_CACHE_DIR is empty, or no HOME says "
			       "where one would be");
	ok = is_list ? list(cache, out, err) : clear(cache, out, err);
	wk_cache_close(cache);
	return ok;
}
