#include "session/images/cached_rows.h"

#include "base/num.h"
#include "os/os.h"

void wk_cached_rows_add_size_and_time(struct wk_out *out, uint64_t size_bytes, uint64_t time_ns)
{
	struct wk_buf size = { 0 };
	char when[32] = "";
	struct tm tm;

	if (wk_os_utc_time(time_ns / 1000000000, &tm))
		strftime(when, sizeof(when), "%Y-%m-%d %H:%M", &tm);
	wk_num_add_bytes(&size, size_bytes);
	wk_out_fmt(out, "%10s  %-16s  ", wk_buf_text(&size), when);
	wk_buf_fini(&size);
}

void wk_cached_rows_add_sum(struct wk_out *out, uint64_t files, const char *what,
			    uint64_t size_bytes)
{
	struct wk_buf text = { 0 };

	wk_num_add_grouped(&text, files);
	wk_buf_add_fmt(&text, " %s%s, ", what, files == 1 ? "file" : "files");
	wk_num_add_bytes(&text, size_bytes);
	wk_out_str(out, wk_buf_str(&text));
	wk_buf_fini(&text);
}
