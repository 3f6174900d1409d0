#include "symbols/object/symtab_packed.h"

#include <assert.h>
#include <string.h>

#include "base/bisect.h"
#include "symbols/cache/cache.h"

/* In front of the rows. In the byte order of the machine that wrote it. */
struct head {
	uint32_t magic, version;
	uint64_t base;
	uint32_t count, names_len;
};

#define MAGIC        0x79736b77 /* "wksy" */
#define VERSION      1
#define LONGEST_NAME ((size_t)1 << 20) /* a damaged file could make one name of all */

/* The bits of a row: distance in rows to the enclosing one (0: none, or too far), then binding,
 * type and whether it is a PLT slot. */
enum { BACK_BITS = 23, BINDING_AT = 23, TYPE_AT = 27, PLT_AT = 31 };

void wk_symtab_packer_begin(struct wk_symtab_packer *packer, uint64_t base, uint32_t count,
			    struct wk_buf *out)
{
	*packer = (struct wk_symtab_packer){ .out = out, .begin = out->len, .base = base };
	wk_buf_extend(out,
		      sizeof(struct head) + (size_t)count * sizeof(struct wk_symtab_packed_row));
	packer->names = out->len;
	wk_buf_add_char(out, '\0');
}

void wk_symtab_packer_add(struct wk_symtab_packer *packer, const struct wk_obj_symbol *symbol,
			  uint32_t around)
{
	uint32_t back = around ? packer->count + 1 - around : 0;
	size_t name = packer->out->len - packer->names;
	struct wk_symtab_packed_row row = {
		.start = (uint32_t)(symbol->vaddr - packer->base),
		.size_bytes = symbol->size_bytes < UINT32_MAX ? (uint32_t)symbol->size_bytes
							      : UINT32_MAX,
		.name = symbol->name.len ? (uint32_t)name : 0,
		.bits = (back >> BACK_BITS ? 0 : back) |
			(symbol->binding & 15u) << BINDING_AT | (symbol->type & 15u) << TYPE_AT |
			(uint32_t)symbol->is_plt << PLT_AT,
	};

	if (symbol->vaddr - packer->base > UINT32_MAX || name + symbol->name.len >= UINT32_MAX) {
		packer->does_not_fit = true;
		return;
	}
	assert(packer->begin + sizeof(struct head) + (packer->count + 1) * sizeof(row) <=
	       packer->names);
	memcpy(packer->out->at + packer->begin + sizeof(struct head) + packer->count * sizeof(row),
	       &row, sizeof(row));
	packer->count++;
	wk_buf_add(packer->out, symbol->name.at, symbol->name.len);
	wk_buf_add_char(packer->out, '\0');
}

bool wk_symtab_packer_end(struct wk_symtab_packer *packer)
{
	struct wk_buf *out = packer->out;
	struct head head = {
		MAGIC, VERSION, packer->base, packer->count, (uint32_t)(out->len - packer->names),
	};

	if (packer->does_not_fit)
		out->len = packer->begin;
	else
		memcpy(out->at + packer->begin, &head, sizeof(head));
	return !packer->does_not_fit;
}

bool wk_symtab_packed_open(struct wk_symtab_packed *packed, struct wk_bytes bytes,
			   struct wk_err *err)
{
	const struct head *head = (const struct head *)(const void *)bytes.at;
	uint64_t left = wk_bytes_left(&bytes);

	*packed = (struct wk_symtab_packed){ 0 };
	if (!wk_cache_check_head(bytes, sizeof(*head), MAGIC, VERSION, "symbol table", err))
		return false;
	left -= sizeof(*head);
	if (head->count > left / sizeof(*packed->rows) ||
	    head->names_len > left - head->count * sizeof(*packed->rows))
		return wk_fail(err, WK_ECORRUPT, 16,
			       "a saved symbol table claims %u rows and %u "
			       "bytes of names, and has %zu bytes",
			       head->count, head->names_len, (size_t)left);
	packed->base = head->base;
	packed->rows = (const struct wk_symtab_packed_row *)(head + 1);
	packed->count = head->count;
	packed->names = (const char *)(packed->rows + head->count);
	packed->names_len = head->names_len;
	return true;
}

static struct wk_str name_of(const struct wk_symtab_packed *packed, uint32_t name)
{
	size_t left = name < packed->names_len ? packed->names_len - name : 0;

	if (left == 0)
		return wk_str_c("");
	return wk_str_of(packed->names + name,
			 strnlen(packed->names + name, left < LONGEST_NAME ? left : LONGEST_NAME));
}

struct wk_obj_symbol wk_symtab_packed_at(const struct wk_symtab_packed *packed, uint32_t row)
{
	const struct wk_symtab_packed_row *at = &packed->rows[row];

	return (struct wk_obj_symbol){
		.name = name_of(packed, at->name),
		.vaddr = packed->base + at->start,
		.size_bytes = at->size_bytes,
		.binding = at->bits >> BINDING_AT & 15,
		.type = at->bits >> TYPE_AT & 15,
		.is_plt = at->bits >> PLT_AT,
	};
}

static uint32_t rows_up_to(const struct wk_symtab_packed *packed, uint32_t start)
{
	uint32_t low = 0, high = packed->count;

	WK_BISECT(low, high, packed->rows[middle].start <= start);
	return low;
}

bool wk_symtab_packed_find(const struct wk_symtab_packed *packed, uint64_t vaddr, int most_nested,
			   struct wk_obj_symbol *symbol)
{
	uint64_t start = vaddr - packed->base;
	uint32_t row;

	if (vaddr < packed->base)
		return false;
	row = rows_up_to(packed, start < UINT32_MAX ? (uint32_t)start : UINT32_MAX);
	for (int depth = 0; row > 0 && depth < most_nested; depth++) {
		const struct wk_symtab_packed_row *at = &packed->rows[row - 1];
		uint32_t back = at->bits & ((1u << BACK_BITS) - 1);

		if (start - at->start < at->size_bytes) {
			*symbol = wk_symtab_packed_at(packed, row - 1);
			return symbol->name.len > 0;
		}
		row = back && back < row ? row - back : 0;
	}
	return false;
}
