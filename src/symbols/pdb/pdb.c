#include "symbols/pdb/pdb.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/mem.h"
#include "symbols/pdb/block.h"

#define INFO_STREAM 1

/* How many bytes of names may be created for each byte of the file. */
#define MOST_ROUNDS  8
#define SMALL_BUDGET (64 * 1024)

enum {
	FEATURE_VC110 = 20091201,
	FEATURE_MINIMAL = 0x494e494d, /* /DEBUG:FASTLINK */
};

bool wk_pdb_charge(struct wk_pdb *pdb, uint64_t bytes)
{
	if (pdb->text_budget <= bytes) {
		pdb->text_budget = 0;
		return false;
	}
	pdb->text_budget -= bytes;
	return true;
}

uint32_t wk_pdb_text(struct wk_pdb *pdb, struct wk_str text)
{
	return wk_pdb_charge(pdb, text.len) ? wk_code_index_text(pdb->index, text) : 0;
}

/* A table of bits, as many words of them as it says. */
static void skip_bits(struct wk_bytes *in)
{
	wk_bytes_skip(in, (uint64_t)wk_u32le(in) * 4);
}

static struct wk_str text_at(struct wk_bytes texts, uint32_t offset)
{
	wk_bytes_skip(&texts, offset);
	if (wk_bytes_left(&texts) > 64)
		texts.end = texts.at + 64; /* no requested name is longer */
	return wk_bytes_text(&texts);
}

/* Streams that are known by name. */
static void read_named_streams(struct wk_pdb *pdb, struct wk_bytes *in)
{
	struct wk_bytes texts = wk_bytes_slice(in, wk_u32le(in));
	uint32_t count = wk_u32le(in);

	texts = wk_bytes_of(texts.at, wk_bytes_left(&texts));
	wk_bytes_skip(in, 4);
	skip_bits(in);
	skip_bits(in);
	for (uint32_t i = 0; i < count && !in->bad; i++) {
		uint32_t offset = wk_u32le(in), stream = wk_u32le(in);

		if (!in->bad && wk_str_is(text_at(texts, offset), "/names"))
			pdb->names_stream = stream;
	}
}

static void read_features(struct wk_pdb *pdb, struct wk_bytes *in)
{
	while (wk_bytes_left(in) >= 4) {
		uint32_t feature = wk_u32le(in);

		if (feature == FEATURE_VC110)
			return; /* what follows means something else */
		if (feature == FEATURE_MINIMAL)
			pdb->is_minimal = true;
	}
}

static bool read_info(struct wk_pdb *pdb, struct wk_err *err)
{
	struct wk_msf_stream info;
	struct wk_bytes in;
	bool ok;

	if (!wk_msf_read(&pdb->msf, INFO_STREAM, &info, err))
		return false;
	in = info.bytes;
	wk_bytes_skip(&in, 4); /* the version */
	pdb->id.signature = wk_u32le(&in);
	wk_bytes_skip(&in, 4); /* an age; the DBI stream's counts */
	if (wk_bytes_left(&in) >= sizeof(pdb->id.guid))
		memcpy(pdb->id.guid, in.at, sizeof(pdb->id.guid));
	wk_bytes_skip(&in, sizeof(pdb->id.guid));
	ok = !in.bad || wk_fail(err, WK_ECORRUPT, WK_NOWHERE,
				"the PDB's information stream has "
				"%" PRIu64 " bytes: too few to hold a GUID",
				wk_bytes_offset(&in));
	read_named_streams(pdb, &in);
	read_features(pdb, &in);
	wk_msf_stream_fini(&info);
	return ok;
}

size_t wk_pdb_module_count(const struct wk_pdb *pdb)
{
	return pdb->module_count;
}

bool wk_pdb_is(struct wk_bytes file)
{
	struct wk_str text = wk_str_of((const char *)file.at, wk_bytes_left(&file));

	return wk_str_starts(text, "Microsoft C/C++ ") || wk_str_starts(text, "BSJB");
}

bool wk_pdb_is_whole(struct wk_bytes pdb)
{
	struct wk_bytes head = wk_bytes_at(&pdb, 32, 12);
	uint64_t page_bytes = wk_u32le(&head), pages;

	wk_u32le(&head);
	pages = wk_u32le(&head);
	return head.bad || pages == 0 || (pages - 1) * page_bytes < wk_bytes_left(&pdb);
}

struct wk_pdb *wk_pdb_open(const void *at, size_t size_bytes, struct wk_err *err)
{
	struct wk_pdb *pdb = wk_alloc_zeroed(1, sizeof(*pdb));

	pdb->piece_bytes = WK_PDB_PIECE;
	if (!wk_msf_open(&pdb->msf, at, size_bytes, err) || !read_info(pdb, err) ||
	    !wk_pdb_read_dbi(pdb, err) || !wk_pdb_read_sections(pdb, err)) {
		wk_pdb_free(pdb);
		return NULL;
	}
	return pdb;
}

void wk_pdb_free(struct wk_pdb *pdb)
{
	if (!pdb)
		return;
	wk_pdb_block_free(pdb->block);
	WK_FREE_ALL(pdb->units, pdb->ranges);
	wk_pdb_sections_fini(pdb);
	wk_pdb_dbi_fini(pdb);
	wk_pdb_types_fini(&pdb->types);
	wk_pdb_types_fini(&pdb->ids);
	wk_pdb_publics_fini(&pdb->publics);
	wk_msf_stream_fini(&pdb->names_whole);
	wk_map_fini(&pdb->inlinee_names);
	wk_map_fini(&pdb->file_names);
	wk_msf_fini(&pdb->msf);
	wk_free(pdb);
}

const struct wk_pdb_id *wk_pdb_id(const struct wk_pdb *pdb)
{
	return &pdb->id;
}

/* Cached ids belong to one index. */
static void use_index(struct wk_pdb *pdb, struct wk_code_index *index)
{
	if (pdb->index == index)
		return;
	pdb->index = index;
	wk_map_fini(&pdb->inlinee_names);
	wk_map_fini(&pdb->file_names);
	pdb->text_budget = SMALL_BUDGET + MOST_ROUNDS * (uint64_t)wk_bytes_left(&pdb->msf.file);
}

/* Does the run say otherwise than the one before, and there is none before the first? */
static bool begins_span(const struct wk_pdb_block *b, size_t i)
{
	return i == 0 || b->runs[i - 1].node != b->runs[i].node;
}

static bool begins_line(const struct wk_pdb_block *b, size_t i)
{
	return i == 0 || b->runs[i - 1].file != b->runs[i].file ||
	       b->runs[i - 1].line != b->runs[i].line;
}

/* Spans and lines of the runs. */
static void add_block(struct wk_pdb_block *b, uint32_t unit, struct wk_code_index *index)
{
	struct wk_code_block block = { 0 };
	struct wk_code_span *span;
	struct wk_code_line *line;

	for (size_t i = 0; i < b->run_count; i++) {
		block.span_count += begins_span(b, i);
		block.line_count += begins_line(b, i);
	}
	block.spans = span = wk_code_maker_spans(&b->maker, block.span_count, block.line_count);
	block.lines = line = wk_code_maker_lines(&b->maker, block.span_count, block.line_count);
	for (size_t i = 0; i < b->run_count; i++) {
		const struct wk_pdb_run *run = &b->runs[i];

		if (begins_span(b, i))
			*span++ = (struct wk_code_span){ run->start, run->node };
		if (begins_line(b, i))
			*line++ = (struct wk_code_line){
				.start = run->start, .file = run->file, .line = run->line };
	}
	wk_code_index_add(index, unit, &b->maker, &block);
}

/* For a module in parts it stays for the other parts. */
static struct wk_pdb_outline *outline_of(struct wk_pdb *pdb, uint32_t number, struct wk_err *err)
{
	struct wk_pdb_module *module = &pdb->modules[number];

	if (!module->outline)
		module->outline = wk_pdb_outline_new(pdb, module, err);
	return module->outline;
}

static void done_with_outline(struct wk_pdb *pdb, uint32_t number)
{
	if (wk_pdb_is_cut(pdb, number))
		return;
	wk_pdb_outline_free(pdb->modules[number].outline);
	pdb->modules[number].outline = NULL;
}

static void read_unit(struct wk_pdb *pdb, const struct wk_pdb_unit *unit,
		      const struct wk_pdb_outline *outline)
{
	if (!pdb->block)
		pdb->block = wk_alloc_zeroed(1, sizeof(*pdb->block));
	wk_pdb_block_begin(pdb->block, outline, unit->low, unit->high);
	wk_pdb_read_lines(pdb, pdb->block);
	wk_pdb_read_scopes(pdb, pdb->block);
	wk_pdb_make_runs(pdb->block);
	wk_pdb_move_runs(pdb, pdb->block);
}

bool wk_pdb_load(struct wk_pdb *pdb, uint32_t number, struct wk_code_index *index,
		 struct wk_err *err)
{
	const struct wk_pdb_outline *outline;
	const struct wk_pdb_unit *unit;

	use_index(pdb, index);
	wk_pdb_make_units(pdb);
	if (number >= pdb->unit_count)
		return wk_fail(err, WK_ENOTFOUND, WK_NOWHERE, "there is no unit %" PRIu32, number);
	unit = &pdb->units[number];
	if (pdb->modules[unit->module].stream == WK_PDB_NO_STREAM) {
		wk_code_index_add_empty(index, number);
		return true;
	}
	outline = outline_of(pdb, unit->module, err);
	if (!outline) {
		wk_code_index_add_empty(index, number);
		return false;
	}
	read_unit(pdb, unit, outline);
	if (pdb->block->run_count > 0)
		add_block(pdb->block, number, index);
	else
		wk_code_index_add_empty(index, number);
	done_with_outline(pdb, unit->module);
	return true;
}
