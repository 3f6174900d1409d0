#include "event/pdb_id.h"

#include <inttypes.h>

#include "base/bytes.h"
#include "base/num.h"

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

static bool read_hex(struct wk_str *key, size_t digits, uint64_t *value)
{
	struct wk_str part = wk_str_of(key->at, digits < key->len ? digits : key->len);

	*key = wk_str_skip(*key, part.len);
	return part.len > 0 && wk_num_hex(part, value);
}

bool wk_pdb_id_read(struct wk_str key, struct wk_pdb_id *id)
{
	bool is_long = key.len > 32;
	uint64_t value;

	*id = (struct wk_pdb_id){ 0 };
	for (int i = 0; is_long && i < 16; i++) {
		if (!read_hex(&key, 2, &value))
			return false;
		id->guid[written_order[i]] = (uint8_t)value;
	}
	if (!is_long && (key.len <= 8 || !read_hex(&key, 8, &value)))
		return false;
	if (!is_long)
		id->signature = (uint32_t)value;
	if (key.len > 8 || !read_hex(&key, 8, &value))
		return false;
	id->age = (uint32_t)value;
	return true;
}

bool wk_pdb_id_is_none(const struct wk_pdb_id *id)
{
	return !has_guid(id) && id->signature == 0;
}

bool wk_pdb_id_same_build(const struct wk_pdb_id *a, const struct wk_pdb_id *b)
{
	if (wk_pdb_id_is_none(a) || wk_pdb_id_is_none(b))
		return false;
	if (has_guid(a) && has_guid(b))
		return memcmp(a->guid, b->guid, sizeof(a->guid)) == 0;
	return a->signature != 0 && a->signature == b->signature;
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

struct wk_pdb_id wk_pdb_id_of_build_id(const struct wk_build_id *build)
{
	struct wk_bytes in = wk_bytes_of(build->bytes, build->size);
	struct wk_pdb_id id = { 0 };
	uint32_t signature;

	if (build->size != 20)
		return id;
	memcpy(id.guid, build->bytes, sizeof(id.guid));
	signature = wk_u32le(&in);
	wk_bytes_skip(&in, 12);
	id.age = wk_u32le(&in);
	/* No GUID ends in twelve zeros. */
	if (memcmp(id.guid + 4, (const uint8_t[12]){ 0 }, 12) == 0) {
		memset(id.guid, 0, sizeof(id.guid));
		id.signature = signature;
	}
	return id;
}

void wk_build_id_add(struct wk_buf *buf, const struct wk_build_id *id, bool is_of_pdb)
{
	struct wk_pdb_id pdb = { 0 };

	if (is_of_pdb)
		pdb = wk_pdb_id_of_build_id(id);
	if (!wk_pdb_id_is_none(&pdb)) {
		wk_pdb_id_add(buf, &pdb);
		return;
	}
	for (uint8_t i = 0; i < id->size && i < sizeof(id->bytes); i++)
		wk_buf_add_fmt(buf, "%02x", id->bytes[i]);
}
