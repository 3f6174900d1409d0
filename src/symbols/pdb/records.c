/* Symbols that begin code: functions, thunks, and separate parts of functions. */
#include "symbols/pdb/internal.h"

bool wk_pdb_begins_function(uint16_t kind)
{
	switch (kind) {
	case S_GPROC32:
	case S_LPROC32:
	case S_GPROC32_ID:
	case S_LPROC32_ID:
	case S_LPROC32_DPC:
	case S_LPROC32_DPC_ID:
	case S_THUNK32:
	case S_SEPCODE:
	case S_GMANPROC:
	case S_LMANPROC:
		return true;
	default:
		return false;
	}
}

static void read_thunk(struct wk_bytes *in, struct wk_pdb_function *function)
{
	wk_bytes_skip(in, 12);
	function->offset = wk_u32le(in);
	function->section = wk_u16le(in);
	function->size_bytes = wk_u16le(in);
	wk_bytes_skip(in, 1);
	function->name = wk_bytes_text(in);
}

static void read_part(struct wk_bytes *in, struct wk_pdb_function *function)
{
	wk_bytes_skip(in, 8);
	function->size_bytes = wk_u32le(in);
	wk_bytes_skip(in, 4);
	function->offset = wk_u32le(in);
	function->parent_offset = wk_u32le(in);
	function->section = wk_u16le(in);
	function->parent_section = wk_u16le(in);
}

static void read_whole(struct wk_bytes *in, struct wk_pdb_function *function)
{
	wk_bytes_skip(in, 12);
	function->size_bytes = wk_u32le(in);
	wk_bytes_skip(in, 12);
	function->offset = wk_u32le(in);
	function->section = wk_u16le(in);
	wk_bytes_skip(in, 1);
	function->name = wk_bytes_text(in);
}

bool wk_pdb_read_function(uint16_t kind, struct wk_bytes body, struct wk_pdb_function *function)
{
	*function = (struct wk_pdb_function){ .name = { "", 0 } };
	if (kind == S_GMANPROC || kind == S_LMANPROC)
		return false;
	if (kind == S_THUNK32)
		read_thunk(&body, function);
	else if (kind == S_SEPCODE)
		read_part(&body, function);
	else
		read_whole(&body, function);
	return !body.bad;
}

bool wk_pdb_function_start(const struct wk_pdb *pdb, const struct wk_pdb_function *function,
			   uint32_t *start)
{
	return wk_pdb_source_rva(pdb, function->section, function->offset, start) &&
	       function->size_bytes <= UINT32_MAX - *start;
}
