#include "session/images/fetched_files.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "fetch/cache_folder.h"
#include "session/images/cached_rows.h"

struct row {
	char *name;
	uint64_t size_bytes, fetched_ns;
};

struct rows {
	struct row *at;
	size_t count, cap;
	uint64_t size_bytes;
};

static bool keep_row(void *context, const struct wk_fetch_cached *kept)
{
	struct rows *rows = context;

	*WK_APPEND(rows->at, rows->count, rows->cap) = (struct row){
		.name = wk_strndup(kept->name, strlen(kept->name)),
		.size_bytes = kept->size_bytes,
		.fetched_ns = kept->fetched_ns,
	};
	rows->size_bytes += kept->size_bytes;
	return true;
}

static int latest_first(const void *left, const void *right)
{
	const struct row *a = left, *b = right;

	if (a->fetched_ns != b->fetched_ns)
		return a->fetched_ns > b->fetched_ns ? -1 : 1;
	return strcmp(a->name, b->name);
}

static void add_row(struct wk_out *out, const struct row *row)
{
	wk_cached_rows_add_size_and_time(out, row->size_bytes, row->fetched_ns);
	wk_out_term(out, wk_str_c(row->name));
	wk_out_char(out, '\n');
}

static void add_sum(struct wk_out *out, uint64_t files, uint64_t size_bytes)
{
	wk_cached_rows_add_sum(out, files, "fetched ", size_bytes);
	wk_out_char(out, '\n');
}

static bool list(struct wk_out *out, struct wk_err *err)
{
	struct rows rows = { 0 };
	bool ok = wk_fetch_cache_each(NULL, keep_row, &rows, err);

	if (ok && rows.count) {
		qsort(rows.at, rows.count, sizeof(*rows.at), latest_first);
		wk_out_fmt(out, "\n%10s  %-16s  %s\n", "SIZE", "FETCHED (UTC)",
			   "FILE, BY BUILD ID");
		for (size_t i = 0; i < rows.count; i++)
			add_row(out, &rows.at[i]);
		add_sum(out, rows.count, rows.size_bytes);
	}
	for (size_t i = 0; i < rows.count; i++)
		wk_free(rows.at[i].name);
	wk_free(rows.at);
	return ok;
}

static bool clear(struct wk_out *out, struct wk_err *err)
{
	uint64_t files = 0, bytes = 0;
	bool ok = wk_fetch_cache_clear(NULL, &files, &bytes, err);

	if (files) {
		wk_out_text(out, "removed ");
		add_sum(out, files, bytes);
	}
	return ok;
}

bool wk_fetched_files(const char *word, struct wk_out *out, struct wk_err *err)
{
	return strcmp(word, "clear") == 0 ? clear(out, err) : list(out, err);
}
