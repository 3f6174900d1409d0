#include "formats/clr/payload.h"

#include "base/text/utf16.h"

bool wk_clr_read_method(struct wk_bytes in, struct wk_clr_method *method)
{
	*method = (struct wk_clr_method){ 0 };
	wk_bytes_skip(&in, 8); /* the number of the method */
	method->module = wk_u64le(&in);
	method->start = wk_u64le(&in);
	method->size_bytes = wk_u32le(&in);
	wk_bytes_skip(&in, 8); /* token, flags */
	if (in.bad)
		return false;
	method->space = wk_utf16_text(&in);
	method->name = wk_utf16_text(&in);
	return true;
}

void wk_clr_method_name(const struct wk_clr_method *method, struct wk_buf *name)
{
	wk_utf16_add(name, method->space, false);
	if (name->len)
		wk_buf_add_char(name, '.');
	wk_utf16_add(name, method->name, false);
}

static void read_pdb(struct wk_bytes *in, struct wk_clr_pdb *pdb)
{
	struct wk_bytes guid = wk_bytes_slice(in, sizeof(pdb->guid));

	pdb->age = wk_u32le(in);
	if (!guid.bad)
		memcpy(pdb->guid, guid.at, sizeof(pdb->guid));
	pdb->path = wk_utf16_text(in);
}

bool wk_clr_read_module(struct wk_bytes in, struct wk_clr_module *module)
{
	*module = (struct wk_clr_module){ .number = wk_u64le(&in) };
	wk_bytes_skip(&in, 16); /* the assembly's number, flags */
	if (in.bad)
		return false;
	module->il_path = wk_utf16_text(&in);
	module->native_path = wk_utf16_text(&in);
	wk_u16le(&in); /* which of the process's runtimes */
	read_pdb(&in, &module->managed);
	read_pdb(&in, &module->native);
	module->has_pdbs = !in.bad;
	return true;
}
