#include "cli/fetched_files.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/mem.h"
#include "base/num.h"
#include "symbols/remote.h"

struct row {
	char *name;
	uint64_t size_bytes, fetched_ns;
};

struct rows {
	struct row *at;
	size_t count, cap;
	uint64_t size_bytes;
};

static bool keep_row(void *context, const struct wk_remote_kept *kept)
{
	struct rows *rows = context;

	rows->at = wk_grow(rows->at, &rows->cap, rows->count + 1, sizeof(*rows->at));
	rows->at[rows->count++] = (struct row){
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
	time_t seconds = (time_t)(row->fetched_ns / 1000000000);
	struct wk_buf size = { 0 };
	char when[32] = "";
	struct tm tm;

	if (gmtime_r(&seconds, &tm))
		strftime(when, sizeof(when), "%Y-%m-%d %H:%M", &tm);
	wk_num_add_bytes(&size, row->size_bytes);
	wk_out_fmt(out, "%10s  %-16s  ", wk_buf_text(&size), when);
	wk_out_term(out, wk_str_c(row->name));
	wk_out_char(out, '\n');
	wk_buf_fini(&size);
}

static void add_sum(struct wk_out *out, uint64_t files, uint64_t bytes)
{
	struct wk_buf text = { 0 };

	wk_num_add_grouped(&text, files);
	wk_buf_add_text(&text, files == 1 ? " fetched file, " : " fetched files, ");
	wk_num_add_bytes(&text, bytes);
	wk_out_str(out, wk_buf_str(&text));
	wk_out_char(out, '\n');
	wk_buf_fini(&text);
}

static bool list(struct wk_out *out, struct wk_err *err)
{
	struct rows rows = { 0 };
	bool ok = wk_remote_each_kept(NULL, keep_row, &rows, err);

	if (ok && rows.count) {
		qsort(rows.at, rows.count, sizeof(*rows.at), latest_first);
		wk_out_fmt(out, "\n%10s  %-16s  %s\n", "SIZE", "FETCHED (UTC)",
			   "FILE, BY BUILD ID");
		for (size_t i = 0; i < rows.count; i++)
			add_row(out, &rows.at[i]);
		add_sum(out, rows.count, rows.size_bytes);
	}
	for (size_t i = 0; i < rows.count; i++)
		free(rows.at[i].name);
	free(rows.at);
	return ok;
}

static bool clear(struct wk_out *out, struct wk_err *err)
{
	uint64_t files = 0, bytes = 0;
	bool ok = wk_remote_clear(NULL, &files, &bytes, err);

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
