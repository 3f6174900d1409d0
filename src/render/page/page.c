#include "render/page/page.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "render/page/block.h"
#include "render/page/page_internal.h"
#include "render/page/redact.h"

/* Built from web/page: see meson.build. */
static const char template[] =
#include "page.html.inc"
	;

/* The blocks of a recording that is compared with the page's have this before their names. */
static const char before_prefix[] = "before/";

/* A block, and what makes it: a part of a recording, its event, or a table. */
struct block {
	char name[64];
	const struct wk_page_parts *parts;
	void (*make)(const struct wk_page_parts *parts, struct wk_buf *block);
	void (*make_event)(const struct wk_page_parts *parts, wk_source_id source,
			   struct wk_buf *block);
	wk_source_id source;
	const struct wk_table *table;
};

/* Names of tables are short, and ours. */
struct wk_page_blocks {
	struct wk_page_parts parts[2]; /* of the page, and of what it is compared with */
	unsigned parts_count;
	bool is_redacted;
	struct wk_redaction redaction;
	struct block *at;
	size_t count, cap;
};

static struct block *add_block(struct wk_page_blocks *blocks, const char *prefix, const char *name)
{
	struct block *block = WK_APPEND(blocks->at, blocks->count, blocks->cap);

	*block = (struct block){ .parts = &blocks->parts[blocks->parts_count] };
	snprintf(block->name, sizeof(block->name), "%s%s", prefix, name);
	return block;
}

static struct block *add_numbered(struct wk_page_blocks *blocks, const char *prefix,
				  const char *name, wk_source_id source)
{
	struct block *block;
	char numbered[32];

	snprintf(numbered, sizeof(numbered), "%s-%" PRIu32, name, source);
	block = add_block(blocks, prefix, numbered);
	block->source = source;
	return block;
}

static void add_event(struct wk_page_blocks *blocks, const char *prefix, wk_source_id source)
{
	const struct wk_page_parts *parts = &blocks->parts[blocks->parts_count];
	const uint32_t *first = parts->rows.first;

	if (first[source] == first[source + 1])
		return;
	add_numbered(blocks, prefix, "samples", source)->make_event = wk_page_samples;
	if (parts->model->sources[source].has_lifetimes)
		add_numbered(blocks, prefix, "ends", source)->make_event = wk_page_ends;
}

static wk_source_id source_of_blocks(const struct wk_model *model)
{
	wk_source_id id = 1;

	while (id < model->source_count && !model->sources[id].is_of_blocks)
		id++;
	return id < model->source_count ? id : 0;
}

static void parts_init(struct wk_page_parts *parts, const struct wk_page *page)
{
	parts->page = page;
	parts->model = page->model;
	parts->blocks = source_of_blocks(page->model);
	wk_page_rows_init(&parts->rows, page);
	wk_page_ids_init(&parts->ids, page->model, &parts->rows);
	wk_page_use_init(&parts->use, page, &parts->rows, &parts->ids);
	parts->ends_before = wk_page_ends_before(parts, parts->blocks);
}

static void parts_fini(struct wk_page_parts *parts)
{
	wk_free(parts->ends_before);
	wk_page_use_fini(&parts->use);
	wk_page_ids_fini(&parts->ids);
	wk_page_rows_fini(&parts->rows);
}

static void add_recording(struct wk_page_blocks *blocks, const struct wk_page *page,
			  const char *prefix)
{
	const struct wk_model *model = page->model;

	parts_init(&blocks->parts[blocks->parts_count], page);
	add_block(blocks, prefix, "head")->make = wk_page_head;
	add_block(blocks, prefix, "names")->make = wk_page_names;
	add_block(blocks, prefix, "frames")->make = wk_page_frames;
	add_block(blocks, prefix, "stacks")->make = wk_page_stacks;
	for (wk_source_id source = 1; source < model->source_count; source++)
		add_event(blocks, prefix, source);
	if (model->use_count)
		add_block(blocks, prefix, "uses")->make = wk_page_uses;
	blocks->parts_count++;
}

static void add_table(struct wk_page_blocks *blocks, const struct wk_table *table)
{
	char name[32];

	snprintf(name, sizeof(name), "%.*s", WK_STR_ARG(table->name));
	add_block(blocks, "table-", name)->table = table;
}

static void learn_names(struct wk_page_blocks *blocks, const struct wk_page *page)
{
	wk_redaction_add(&blocks->redaction, page->model);
	if (page->before)
		wk_redaction_add(&blocks->redaction, page->before->model);
}

struct wk_page_blocks *wk_page_blocks_new(const struct wk_page *page)
{
	struct wk_page_blocks *blocks = wk_alloc_zeroed(1, sizeof(*blocks));

	blocks->is_redacted = page->is_redacted;
	if (page->is_redacted)
		learn_names(blocks, page);
	add_recording(blocks, page, "");
	for (size_t i = 0; i < page->table_count; i++)
		add_table(blocks, &page->tables[i]);
	if (page->before)
		add_recording(blocks, page->before, before_prefix);
	return blocks;
}

void wk_page_blocks_free(struct wk_page_blocks *blocks)
{
	for (unsigned i = 0; i < blocks->parts_count; i++)
		parts_fini(&blocks->parts[i]);
	wk_redaction_fini(&blocks->redaction);
	WK_FREE_ALL(blocks->at, blocks);
}

static void make_whole_block(const struct block *block, struct wk_buf *bytes)
{
	if (block->make)
		block->make(block->parts, bytes);
	else if (block->make_event)
		block->make_event(block->parts, block->source, bytes);
	else
		wk_page_json_table(block->table, bytes);
}

static bool is_json(const struct block *block)
{
	return block->table || block->make == wk_page_head || block->make == wk_page_names;
}

static void make_block(const struct wk_page_blocks *blocks, const struct block *block,
		       struct wk_buf *bytes)
{
	struct wk_buf whole = { 0 };

	if (!blocks->is_redacted || !is_json(block)) {
		make_whole_block(block, bytes);
		return;
	}
	make_whole_block(block, &whole);
	wk_redact_json(&blocks->redaction, wk_buf_str(&whole), bytes);
	wk_buf_fini(&whole);
}

bool wk_page_block_make(const struct wk_page_blocks *blocks, struct wk_str name,
			struct wk_buf *bytes)
{
	for (size_t i = 0; i < blocks->count; i++)
		if (wk_str_is(name, blocks->at[i].name)) {
			make_block(blocks, &blocks->at[i], bytes);
			return true;
		}
	return false;
}

bool wk_page_snapshot_row(const struct wk_page_blocks *blocks, uint32_t place, uint32_t *row)
{
	const struct wk_page_parts *parts = &blocks->parts[0];

	for (*row = 0; *row < parts->model->snapshot_count; ++*row)
		if (wk_page_shows_snapshot(parts, *row) && --place == 0)
			return true;
	return false;
}

static void write_blocks(const struct wk_page_blocks *blocks, struct wk_out *out)
{
	struct wk_buf bytes = { 0 };

	for (size_t i = 0; i < blocks->count && !out->failed; i++) {
		make_block(blocks, &blocks->at[i], &bytes);
		wk_page_block(out, blocks->at[i].name, &bytes);
	}
	wk_page_block(out, "end", &bytes);
}

/* ---- the template */

/* Writes it up to a mark, and returns what is behind that. */
static const char *write_to(const char *from, const char *mark, struct wk_out *out)
{
	const char *at = strstr(from, mark);

	assert(at);
	wk_out_bytes(out, from, (size_t)(at - from));
	return at + strlen(mark);
}

/* The title, and the table for readers without script. */
static void write_text(const struct wk_page_blocks *blocks, struct wk_buf *text, struct wk_out *out)
{
	struct wk_buf redacted = { 0 };

	if (blocks->is_redacted)
		wk_redact_text(&blocks->redaction, wk_buf_str(text), &redacted);
	else
		wk_buf_add_str(&redacted, wk_buf_str(text));
	wk_out_bytes(out, redacted.at, redacted.len);
	WK_BUF_FINI_ALL(&redacted, text);
}

static const char *write_to_data(const struct wk_page *page, const struct wk_page_blocks *blocks,
				 const char *from, struct wk_out *out)
{
	struct wk_buf title = { 0 }, table = { 0 };
	struct wk_out to_title = wk_out_to_buf(&title), to_table = wk_out_to_buf(&table);

	wk_out_xml(&to_title, page->title);
	wk_out_end(&to_title);
	wk_page_html_table(page->hottest, &to_table);
	wk_out_end(&to_table);
	from = write_to(from, "<!--wick:title-->", out);
	write_text(blocks, &title, out);
	from = write_to(from, "<!--wick:table-->", out);
	write_text(blocks, &table, out);
	return write_to(from, "<!--wick:data-->", out);
}

void wk_page_write(const struct wk_page *page, struct wk_out *out)
{
	struct wk_page_blocks *blocks = wk_page_blocks_new(page);
	const char *rest = write_to_data(page, blocks, template, out);

	write_blocks(blocks, out);
	wk_out_text(out, rest);
	wk_page_blocks_free(blocks);
}

static void write_served_head(const struct wk_page_blocks *blocks,
			      const struct wk_page_served *served, struct wk_out *out)
{
	struct wk_buf bytes = { 0 };

	wk_buf_add_fmt(&bytes, "{\"served\":true,\"generation\":%u,\"trees\":%s,\"blocks\":[",
		       served->generation, served->sends_trees ? "true" : "false");
	for (size_t i = 0; i < blocks->count; i++)
		wk_buf_add_fmt(&bytes, "%s\"%s\"", i ? "," : "", blocks->at[i].name);
	wk_buf_add_text(&bytes, "]}\n");
	wk_page_block(out, "head", &bytes);
	wk_page_block(out, "end", &bytes);
}

/* The element with the policy is left out: its policy would apply in addition to the server's. */
void wk_page_write_served(const struct wk_page *page, const struct wk_page_blocks *blocks,
			  const struct wk_page_served *served, struct wk_buf *policy,
			  struct wk_out *out)
{
	static const char end_mark[] = "\">\n";
	const char *from =
		write_to(template, "<meta http-equiv=\"Content-Security-Policy\" content=\"", out);
	const char *end = strstr(from, end_mark);

	assert(end);
	wk_buf_add(policy, from, (size_t)(end - from));
	from = write_to_data(page, blocks, end + strlen(end_mark), out);
	write_served_head(blocks, served, out);
	wk_out_text(out, from);
}
