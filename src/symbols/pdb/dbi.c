/* The DBI stream: the modules, the section contributions of each, and the numbers of the streams
 * with the rest. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/mem.h"
#include "symbols/pdb/outline.h"

#define DBI_STREAM    3
#define HEAD_BYTES    64
#define MODULE_BYTES  64 /* without its names */
#define FLAG_STRIPPED 2
#define MACHINE_X86   0x14c

enum {
	CONTRIBUTIONS_1 = 0xf12eba2d, /* rows of 28 bytes */
	CONTRIBUTIONS_2 = 0xf13151e4, /* rows of 32 bytes */
};

/* Parts of the stream in their order. */
enum part {
	PART_MODULES,
	PART_CONTRIBUTIONS,
	PART_SECTION_MAP,
	PART_SOURCES,
	PART_TYPE_SERVERS,
	PART_EDIT,
	PART_DEBUG,
	PART_COUNT
};

struct wk_pdb_contribution wk_pdb_read_contribution(struct wk_bytes *in)
{
	struct wk_pdb_contribution row = { .section = wk_u16le(in) };

	wk_bytes_skip(in, 2);
	row.offset = wk_u32le(in);
	row.size_bytes = wk_u32le(in);
	row.flags = wk_u32le(in);
	row.module = wk_u16le(in);
	wk_bytes_skip(in, 10);
	return row;
}

/* Two modules never have the same stream: a file could have it read many times over. */
static uint16_t read_stream(uint8_t *taken, uint16_t stream)
{
	uint8_t bit = (uint8_t)(1 << stream % 8);

	if (taken[stream / 8] & bit)
		return WK_PDB_NO_STREAM;
	taken[stream / 8] |= bit;
	return stream;
}

static void read_modules(struct wk_pdb *pdb, struct wk_bytes in)
{
	uint8_t taken[65536 / 8] = { 0 };
	const uint8_t *begin = in.at;

	while (wk_bytes_left(&in) >= MODULE_BYTES) {
		struct wk_pdb_module module = { 0 };

		wk_bytes_skip(&in, 4);
		module.first = wk_pdb_read_contribution(&in);
		wk_bytes_skip(&in, 2);
		module.stream = read_stream(taken, wk_u16le(&in));
		module.symbol_bytes = wk_u32le(&in);
		module.old_line_bytes = wk_u32le(&in);
		module.line_bytes = wk_u32le(&in);
		wk_bytes_skip(&in, 16);
		wk_bytes_text(&in);
		wk_bytes_text(&in);
		if (in.bad)
			return;
		wk_bytes_skip(&in, (size_t)(begin - in.at) % 4);
		*WK_APPEND(pdb->modules, pdb->module_count, pdb->module_cap) = module;
	}
}

static void read_contributions(struct wk_pdb *pdb, struct wk_bytes in)
{
	uint32_t version = wk_u32le(&in);

	if (in.bad || (version != CONTRIBUTIONS_1 && version != CONTRIBUTIONS_2))
		return;
	pdb->contribution_bytes = version == CONTRIBUTIONS_1 ? 28 : 32;
	pdb->contributions = in;
}

static void read_debug_streams(struct wk_pdb *pdb, struct wk_bytes in)
{
	size_t count = sizeof(pdb->debug_streams) / sizeof(pdb->debug_streams[0]);

	for (size_t i = 0; i < count; i++)
		pdb->debug_streams[i] = wk_bytes_left(&in) >= 2 ? wk_u16le(&in) : WK_PDB_NO_STREAM;
}

static bool read_head(struct wk_pdb *pdb, struct wk_bytes *in, uint32_t *sizes, struct wk_err *err)
{
	uint32_t mark = wk_u32le(in);

	wk_bytes_skip(in, 4);
	pdb->id.age = wk_u32le(in);
	wk_bytes_skip(in, 4);
	pdb->publics_stream = wk_u16le(in);
	wk_bytes_skip(in, 2);
	pdb->symbol_stream = wk_u16le(in);
	wk_bytes_skip(in, 2);
	for (int i = 0; i < PART_EDIT; i++)
		sizes[i] = wk_u32le(in);
	wk_bytes_skip(in, 4);
	sizes[PART_DEBUG] = wk_u32le(in);
	sizes[PART_EDIT] = wk_u32le(in);
	pdb->is_stripped = wk_u16le(in) & FLAG_STRIPPED;
	pdb->is_x86 = wk_u16le(in) == MACHINE_X86;
	wk_bytes_skip(in, 4);
	if (in->bad)
		return wk_fail(err, WK_ECORRUPT, WK_NOWHERE,
			       "the DBI stream has %" PRIu64 " bytes "
			       "and not the %d of its header",
			       wk_bytes_offset(in), HEAD_BYTES);
	if (mark != UINT32_MAX)
		return wk_fail(err, WK_EUNSUPPORTED, WK_NOWHERE,
			       "not supported: a DBI stream from "
			       "before Visual C++ 4.1");
	return true;
}

bool wk_pdb_read_dbi(struct wk_pdb *pdb, struct wk_err *err)
{
	struct wk_bytes in, parts[PART_COUNT];
	uint32_t sizes[PART_COUNT];

	if (wk_msf_stream_bytes(&pdb->msf, DBI_STREAM) == 0)
		return wk_fail(err, WK_ENOTFOUND, WK_NOWHERE,
			       "this PDB describes no program: it "
			       "has types only");
	if (!wk_msf_read(&pdb->msf, DBI_STREAM, &pdb->dbi, err))
		return false;
	in = pdb->dbi.bytes;
	if (!read_head(pdb, &in, sizes, err))
		return false;
	for (int i = 0; i < PART_COUNT; i++)
		parts[i] = wk_bytes_slice(&in, sizes[i]);
	if (in.bad)
		return wk_fail(err, WK_ECORRUPT, WK_NOWHERE,
			       "the parts of the DBI stream are "
			       "larger than its %zu bytes",
			       wk_bytes_left(&pdb->dbi.bytes));
	read_modules(pdb, parts[PART_MODULES]);
	read_contributions(pdb, parts[PART_CONTRIBUTIONS]);
	read_debug_streams(pdb, parts[PART_DEBUG]);
	return true;
}

void wk_pdb_dbi_fini(struct wk_pdb *pdb)
{
	wk_msf_stream_fini(&pdb->dbi);
	for (size_t i = 0; i < pdb->module_count; i++)
		wk_pdb_outline_free(pdb->modules[i].outline);
	wk_free(pdb->modules);
}

bool wk_pdb_is_x86(const struct wk_pdb *pdb)
{
	return pdb->is_x86;
}

bool wk_pdb_is_stripped(const struct wk_pdb *pdb)
{
	if (pdb->is_minimal || pdb->is_stripped)
		return true;
	for (size_t i = 0; i < pdb->module_count; i++)
		if (pdb->modules[i].stream != WK_PDB_NO_STREAM && pdb->modules[i].line_bytes > 0)
			return false;
	return true;
}

bool wk_pdb_refers_to_objects(const struct wk_pdb *pdb)
{
	return pdb->is_minimal;
}

const char *wk_pdb_why_stripped(const struct wk_pdb *pdb)
{
	if (pdb->is_minimal)
		return "it was linked with /DEBUG:FASTLINK, which leaves functions, lines and "
		       "inlined calls in the objects; with /DEBUG:FULL they are in the PDB";
	return pdb->is_stripped ? "it was stripped"
				: "what it was linked from had no debug information";
}
