/* What the reader of Windows traces tells of a made one, as lines. */
#ifndef WK_TEST_ETL_LINES_H
#define WK_TEST_ETL_LINES_H

#include "etl_maker.h"
#include "event/dump.h"
#include "formats/reader.h"

/* What the reader tells, a line an event. */
static inline void read_made_as(const struct etl_maker *m, struct wk_read_options options,
				struct wk_buf *text)
{
	struct wk_input input = { .bytes = etl_bytes(m), .name = "made.etl", .options = options };
	struct wk_out out = wk_out_to_buf(text);
	struct wk_sink sink = wk_dump_sink(&out);
	struct wk_err err = { 0 };

	if (!wk_reader_etl.read(&input, &sink, &err))
		fail_msg("%s", err.text);
	wk_out_end(&out);
}

/* The same of what was made, which ends with this. */
static inline void read_trace(struct etl_maker *m, struct wk_buf *text)
{
	read_made_as(m, (struct wk_read_options){ 0 }, text);
	etl_fini(m);
}

/* And of what is still in its last buffer. */
static inline void end_trace(struct etl_maker *m, struct wk_buf *text)
{
	etl_end_buffer(m, 0);
	read_trace(m, text);
}

static inline void assert_line(const struct wk_buf *text, const char *line)
{
	if (!strstr(wk_buf_text((struct wk_buf *)text), line))
		fail_msg("expected a line with: %s\nin:\n%s", line,
			 wk_buf_text((struct wk_buf *)text));
}

static inline void assert_no_line(const struct wk_buf *text, const char *line)
{
	if (strstr(wk_buf_text((struct wk_buf *)text), line))
		fail_msg("expected no line with: %s\nin:\n%s", line,
			 wk_buf_text((struct wk_buf *)text));
}

#endif
