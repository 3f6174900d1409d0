#include "serve/symbol_news.h"

#include <inttypes.h>
#include <string.h>

#include "base/arena.h"
#include "base/mem.h"
#include "os/os.h"

#define MOST_FILES 1000

struct file {
	struct wk_str url, name; /* without a name: empty */
	uint64_t done_bytes, whole_bytes;
	bool is_done;
};

struct wk_symbol_news {
	struct wk_os_lock *lock; /* of all of this */
	struct wk_arena texts;
	uint64_t change;
	bool has_begun, has_ended;
	size_t done_jobs, job_count;
	struct file *files;
	size_t file_count, files_cap;
	struct wk_str *complaints;
	size_t complaint_count, complaints_cap;
};

struct wk_symbol_news *wk_symbol_news_new(void)
{
	struct wk_symbol_news *news = wk_alloc_zeroed(1, sizeof(*news));

	news->lock = wk_os_lock_new();
	news->change = 1;
	return news;
}

void wk_symbol_news_free(struct wk_symbol_news *news)
{
	if (!news)
		return;
	wk_arena_fini(&news->texts);
	wk_os_lock_free(news->lock);
	WK_FREE_ALL(news->files, news->complaints, news);
}

static void begin_change(struct wk_symbol_news *news)
{
	wk_os_lock_acquire(news->lock);
	news->change++;
}

static void end_change(struct wk_symbol_news *news)
{
	wk_os_lock_leave(news->lock);
}

void wk_symbol_news_begin(struct wk_symbol_news *news)
{
	begin_change(news);
	news->has_begun = true;
	end_change(news);
}

void wk_symbol_news_end(struct wk_symbol_news *news)
{
	begin_change(news);
	news->has_ended = true;
	end_change(news);
}

void wk_symbol_news_complain(struct wk_symbol_news *news, const char *sentence)
{
	begin_change(news);
	*WK_APPEND(news->complaints, news->complaint_count, news->complaints_cap) =
		wk_arena_copy(&news->texts, wk_str_c(sentence));
	end_change(news);
}

/* The last ones first: those are being fetched. NULL if there are too many. */
static struct file *file_of(struct wk_symbol_news *news, const char *url, const char *name)
{
	struct file *file;

	for (size_t i = news->file_count; i-- > 0;)
		if (wk_str_is(news->files[i].url, url))
			return &news->files[i];
	if (news->file_count == MOST_FILES)
		return NULL;
	file = WK_APPEND(news->files, news->file_count, news->files_cap);
	*file = (struct file){ .url = wk_arena_copy(&news->texts, wk_str_c(url)) };
	if (name)
		file->name = wk_arena_copy(&news->texts, wk_str_c(name));
	return file;
}

void wk_symbol_news_fetch(struct wk_symbol_news *news, const struct wk_fetch_status *status)
{
	struct file *file;

	begin_change(news);
	if (status->job_count) {
		news->done_jobs = status->done_jobs;
		news->job_count = status->job_count;
	}
	file = status->url ? file_of(news, status->url, status->name) : NULL;
	if (file) {
		file->done_bytes = status->done_bytes;
		file->whole_bytes = status->whole_bytes;
		file->is_done = status->is_done;
	}
	end_change(news);
}

uint64_t wk_symbol_news_change(struct wk_symbol_news *news)
{
	uint64_t change;

	wk_os_lock_acquire(news->lock);
	change = news->change;
	wk_os_lock_leave(news->lock);
	return change;
}

static void write_file(const struct file *file, struct wk_out *out)
{
	wk_out_text(out, "{\"name\":");
	wk_out_json_quoted(out, file->name);
	wk_out_text(out, ",\"source\":");
	wk_out_json_quoted(out, file->url);
	wk_out_fmt(out, ",\"bytes\":%" PRIu64 ",\"size\":", file->done_bytes);
	if (file->whole_bytes)
		wk_out_u64(out, file->whole_bytes);
	else
		wk_out_text(out, "null");
	wk_out_fmt(out, ",\"done\":%s}", file->is_done ? "true" : "false");
}

static const char *state_of(const struct wk_symbol_news *news)
{
	return news->has_begun && !news->has_ended ? "searching" : "done";
}

void wk_symbol_news_write(struct wk_symbol_news *news, struct wk_out *out)
{
	wk_os_lock_acquire(news->lock);
	wk_out_fmt(out, "\"change\":%" PRIu64 ",\"state\":\"%s\",\"searched\":%zu,\"searches\":%zu",
		   news->change, state_of(news), news->done_jobs, news->job_count);
	wk_out_text(out, ",\n\"files\":[");
	for (size_t i = 0; i < news->file_count; i++) {
		wk_out_text(out, i ? ",\n" : "\n");
		write_file(&news->files[i], out);
	}
	wk_out_text(out, "],\n\"complaints\":[");
	for (size_t i = 0; i < news->complaint_count; i++) {
		wk_out_text(out, i ? "," : "");
		wk_out_json_quoted(out, news->complaints[i]);
	}
	wk_out_char(out, ']');
	wk_os_lock_leave(news->lock);
}
