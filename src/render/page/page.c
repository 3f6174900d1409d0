#include "render/page/page.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "render/page/block.h"
#include "render/page/page_internal.h"

/* Built from web/page: see meson.build. */
static const char template[] =
#include "page.html.inc"
	;

/* The blocks of a recording that is compared with the page's have this before their names. */
static const char before_prefix[] = "before/";

struct writing {
	struct wk_page_parts parts;
	const char *prefix;
	struct wk_out *out;
	struct wk_buf bytes; /* of the block at hand */
};

/* The block is empty then. */
static void write_block(struct writing *w, const char *name)
{
	struct wk_buf whole = { 0 };

	wk_buf_add_fmt(&whole, "%s%s", w->prefix, name);
	wk_page_block(w->out, wk_buf_text(&whole), &w->bytes);
	wk_buf_fini(&whole);
}

static void write_event(struct writing *w, wk_source_id source)
{
	const uint32_t *first = w->parts.rows.first;
	char name[32];

	if (first[source] == first[source + 1])
		return;
	wk_page_samples(&w->parts, source, &w->bytes);
	snprintf(name, sizeof(name), "samples-%" PRIu32, source);
	write_block(w, name);
	if (!w->parts.model->sources[source].has_lifetimes)
		return;
	wk_page_ends(&w->parts, source, &w->bytes);
	snprintf(name, sizeof(name), "ends-%" PRIu32, source);
	write_block(w, name);
}

static void write_parts(struct writing *w)
{
	static const struct {
		const char *name;
		void (*write)(const struct wk_page_parts *parts, struct wk_buf *block);
	} blocks[] = {
		{ "head", wk_page_head },
		{ "names", wk_page_names },
		{ "frames", wk_page_frames },
		{ "stacks", wk_page_stacks },
	};

	for (size_t i = 0; i < sizeof(blocks) / sizeof(blocks[0]); i++) {
		blocks[i].write(&w->parts, &w->bytes);
		write_block(w, blocks[i].name);
	}
	for (wk_source_id source = 1; source < w->parts.model->source_count; source++)
		write_event(w, source);
	if (w->parts.model->use_count) {
		wk_page_uses(&w->parts, &w->bytes);
		write_block(w, "uses");
	}
}

static wk_source_id source_of_blocks(const struct wk_model *model)
{
	wk_source_id id = 1;

	while (id < model->source_count && !model->sources[id].is_of_blocks)
		id++;
	return id < model->source_count ? id : 0;
}

static void write_recording(const struct wk_page *page, const char *prefix, struct wk_out *out)
{
	struct writing w = {
		.parts = { .page = page,
			   .model = page->model,
			   .blocks = source_of_blocks(page->model) },
		.prefix = prefix,
		.out = out,
	};

	wk_page_rows_init(&w.parts.rows, page);
	wk_page_ids_init(&w.parts.ids, page->model, &w.parts.rows);
	wk_page_use_init(&w.parts.use, page, &w.parts.rows, &w.parts.ids);
	w.parts.ends_before = wk_page_ends_before(&w.parts, w.parts.blocks);
	write_parts(&w);
	wk_free(w.parts.ends_before);
	wk_page_use_fini(&w.parts.use);
	wk_page_ids_fini(&w.parts.ids);
	wk_page_rows_fini(&w.parts.rows);
}

static void write_tables(const struct wk_page *page, struct wk_out *out)
{
	struct wk_buf bytes = { 0 }, name = { 0 };

	for (size_t i = 0; i < page->table_count; i++) {
		wk_buf_reset(&name);
		wk_buf_add_text(&name, "table-");
		wk_buf_add_str(&name, page->tables[i].name);
		wk_page_json_table(&page->tables[i], &bytes);
		wk_page_block(out, wk_buf_text(&name), &bytes);
	}
	wk_buf_fini(&name);
}

static void write_blocks(const struct wk_page *page, struct wk_out *out)
{
	struct wk_buf nothing = { 0 };

	write_recording(page, "", out);
	write_tables(page, out);
	if (page->before)
		write_recording(page->before, before_prefix, out);
	wk_page_block(out, "end", &nothing);
}

static void write_title(const struct wk_page *page, struct wk_out *out)
{
	wk_out_xml(out, page->title);
}

static void write_table(const struct wk_page *page, struct wk_out *out)
{
	wk_page_html_table(page->hottest, out);
}

/* What replaces the marks of the template, in their order there. */
void wk_page_write(const struct wk_page *page, struct wk_out *out)
{
	static const struct {
		const char *mark;
		void (*write)(const struct wk_page *page, struct wk_out *out);
	} marks[] = {
		{ "<!--wick:title-->", write_title },
		{ "<!--wick:table-->", write_table },
		{ "<!--wick:data-->", write_blocks },
	};
	const char *rest = template;

	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++) {
		const char *at = strstr(rest, marks[i].mark);

		assert(at);
		wk_out_bytes(out, rest, (size_t)(at - rest));
		marks[i].write(page, out);
		rest = at + strlen(marks[i].mark);
	}
	wk_out_text(out, rest);
}
