#include "symbols/pdb_id.h"

#include <inttypes.h>

static bool has_guid(const struct wk_pdb_id *id)
{
	static const uint8_t none[16];

	return memcmp(id->guid, none, sizeof(none)) != 0;
}

/* The first three fields are numbers in little endian order, the rest is a row of bytes. */
static const uint8_t written_order[16] = {
	3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15,
};

void wk_pdb_id_add(struct wk_buf *buf, const struct wk_pdb_id *id)
{
	if (!has_guid(id))
		wk_buf_add_fmt(buf, "%08" PRIX32, id->signature);
	else
		for (int i = 0; i < 16; i++)
			wk_buf_add_fmt(buf, "%02X", id->guid[written_order[i]]);
	wk_buf_add_fmt(buf, "%" PRIx32, id->age);
}

bool wk_pdb_id_is_none(const struct wk_pdb_id *id)
{
	return !has_guid(id) && id->signature == 0;
}

bool wk_pdb_id_same_build(const struct wk_pdb_id *a, const struct wk_pdb_id *b)
{
	if (wk_pdb_id_is_none(a) || wk_pdb_id_is_none(b))
		return false;
	if (!has_guid(a) && !has_guid(b))
		return a->signature == b->signature;
	return memcmp(a->guid, b->guid, sizeof(a->guid)) == 0;
}

struct wk_build_id wk_pdb_id_as_build_id(const struct wk_pdb_id *id)
{
	struct wk_build_id build = { 0 };

	if (wk_pdb_id_is_none(id))
		return build;
	build.size = 20;
	memcpy(build.bytes, id->guid, 16);
	if (!has_guid(id))
		for (int i = 0; i < 4; i++)
			build.bytes[i] = (uint8_t)(id->signature >> 8 * i);
	for (int i = 0; i < 4; i++)
		build.bytes[16 + i] = (uint8_t)(id->age >> 8 * i);
	return build;
}
