#include "symbols/unwind/cfi.h"

#include <stdlib.h>

#include "base/mem.h"
#include "symbols/unwind/frame.h"

/* Pointer encodings (LSB, DWARF extensions): the low half is a form, the high half says what
 * to add to it. */
enum {
	ENC_ABSOLUTE = 0x00,
	ENC_ULEB = 0x01,
	ENC_UDATA2,
	ENC_UDATA4,
	ENC_UDATA8,
	ENC_SLEB = 0x09,
	ENC_SDATA2,
	ENC_SDATA4,
	ENC_SDATA8,
	ENC_PCREL = 0x10,
	ENC_TEXTREL = 0x20,
	ENC_DATAREL = 0x30,
	ENC_ALIGNED = 0x50,
	ENC_INDIRECT = 0x80,
	ENC_OMIT = 0xff,
};

/* How many entries before the one that a search lands on are tried as well: sections may
 * hold empty entries, and damaged ones overlap. */
#define STEPS_BACK 8

/* The largest accepted entries. Real ones are far smaller, and a search may have to read several,
 * so this limits the cost of a damaged section. */
#define CIE_LIMIT 4096
#define FDE_LIMIT (256 * 1024)

static uint64_t read_form(struct wk_bytes *b, uint8_t form, uint8_t address_size)
{
	switch (form) {
	case ENC_ABSOLUTE:
		return address_size == 4 ? wk_u32(b) : wk_u64(b);
	case ENC_ULEB:
		return wk_uleb(b);
	case ENC_UDATA2:
		return wk_u16(b);
	case ENC_UDATA4:
		return wk_u32(b);
	case ENC_UDATA8:
	case ENC_SDATA8:
		return wk_u64(b);
	case ENC_SLEB:
		return (uint64_t)wk_sleb(b);
	case ENC_SDATA2:
		return (uint64_t)(int16_t)wk_u16(b);
	case ENC_SDATA4:
		return (uint64_t)(int32_t)wk_u32(b);
	default:
		b->bad = true;
		return 0;
	}
}

/* Zero for forms of varying length. */
static size_t form_bytes(uint8_t form, uint8_t address_size)
{
	switch (form) {
	case ENC_ABSOLUTE:
		return address_size;
	case ENC_UDATA2:
	case ENC_SDATA2:
		return 2;
	case ENC_UDATA4:
	case ENC_SDATA4:
		return 4;
	case ENC_UDATA8:
	case ENC_SDATA8:
		return 8;
	default:
		return 0;
	}
}

bool wk_cfi_pointer(struct wk_bytes *b, uint8_t encoding, uint8_t address_size, uint64_t vaddr,
		    uint64_t text_vaddr, uint64_t data_vaddr, uint64_t *value)
{
	uint64_t base = 0;

	if (encoding == ENC_OMIT || encoding & ENC_INDIRECT)
		return false;
	switch (encoding & 0x70) {
	case 0:
		break;
	case ENC_PCREL:
		base = vaddr;
		break;
	case ENC_TEXTREL:
		base = text_vaddr;
		break;
	case ENC_DATAREL:
		base = data_vaddr;
		break;
	case ENC_ALIGNED:
		wk_bytes_skip(b, -vaddr & (address_size - 1u));
		break;
	default:
		return false;
	}
	*value = base + read_form(b, encoding & 0x0f, address_size);
	if (address_size == 4)
		*value = (uint32_t)*value;
	return !b->bad;
}

bool wk_cfi_read_header(struct wk_bytes bytes, uint64_t vaddr, uint8_t address_size,
			struct wk_cfi_header *header)
{
	uint8_t version = wk_u8(&bytes), pointer_encoding = wk_u8(&bytes);
	uint8_t count_encoding = wk_u8(&bytes);
	uint64_t count, where;

	*header = (struct wk_cfi_header){ .vaddr = vaddr, .encoding = wk_u8(&bytes) };
	if (bytes.bad || version != 1)
		return false;
	where = vaddr + wk_bytes_offset(&bytes);
	if (!wk_cfi_pointer(&bytes, pointer_encoding, address_size, where, 0, vaddr,
			    &header->eh_frame_vaddr))
		return false;
	where = vaddr + wk_bytes_offset(&bytes);
	if (!wk_cfi_pointer(&bytes, count_encoding, address_size, where, 0, vaddr, &count))
		return true;
	header->table_vaddr = vaddr + wk_bytes_offset(&bytes);
	header->table = bytes;
	if (header->encoding != ENC_OMIT)
		header->entry_bytes = 2 * form_bytes(header->encoding & 0x0f, address_size);
	if (header->entry_bytes && count <= wk_bytes_left(&bytes) / header->entry_bytes)
		header->count = (size_t)count;
	return true;
}

/* The pointer that begins `place` bytes into the search table. */
static bool table_pointer(const struct wk_cfi *cfi, size_t place, uint64_t *value)
{
	const struct wk_cfi_header *h = &cfi->header;
	struct wk_bytes b = h->table;

	wk_bytes_skip(&b, place);
	return wk_cfi_pointer(&b, h->encoding, cfi->address_size, h->table_vaddr + place, 0,
			      h->vaddr, value);
}

/* The common header of CIE and FDE. */
struct entry {
	uint64_t offset, next;
	uint64_t id, id_offset;
	struct wk_bytes body; /* behind the id */
	bool is_cie;
};

/* False at the end of the section or if the length exceeds it. A length of zero, the terminator
 * that linkers may leave in the middle, gives an entry with an empty body. */
static bool read_entry(const struct wk_cfi *cfi, uint64_t offset, struct entry *entry)
{
	struct wk_bytes b = cfi->bytes;
	uint64_t size = (uint64_t)(b.end - b.start), length;
	bool is_dwarf64 = false;

	if (offset >= size)
		return false;
	b.at = b.start + offset;
	length = wk_u32(&b);
	if (length == 0xffffffff) {
		is_dwarf64 = true;
		length = wk_u64(&b);
	}
	*entry = (struct entry){ .offset = offset, .body = wk_bytes_slice(&b, length) };
	if (b.bad || entry->body.bad)
		return false;
	entry->next = wk_bytes_offset(&b);
	if (length == 0)
		return true;
	entry->id_offset = wk_bytes_offset(&entry->body);
	if (cfi->is_debug && is_dwarf64) {
		entry->id = wk_u64(&entry->body);
		entry->is_cie = entry->id == UINT64_MAX;
	} else {
		/* In .eh_frame the id has four bytes, whatever the length's form. */
		entry->id = wk_u32(&entry->body);
		entry->is_cie = entry->id == (cfi->is_debug ? 0xffffffff : 0);
	}
	return !entry->body.bad && length <= (entry->is_cie ? CIE_LIMIT : FDE_LIMIT);
}

/* The letters after 'z', each with its part of the data. An unknown letter ends the reading: the
 * length of the data gives the start of the instructions. */
static bool read_augmentation(const struct wk_cfi *cfi, struct wk_str letters,
			      struct wk_bytes *data, struct wk_cfi_cie *cie)
{
	uint64_t ignored;
	uint8_t encoding;

	for (size_t i = 1; i < letters.len; i++) {
		switch (letters.at[i]) {
		case 'L':
			wk_u8(data);
			break;
		case 'P':
			encoding = wk_u8(data) & (uint8_t)~ENC_INDIRECT;
			wk_cfi_pointer(data, encoding, cie->address_size,
				       cfi->vaddr + wk_bytes_offset(data), 0, 0, &ignored);
			break;
		case 'R':
			cie->pointer_encoding = wk_u8(data);
			break;
		case 'S':
			cie->is_signal = true;
			break;
		case 'B': /* aarch64: signed with the B key */
		case 'G': /* aarch64: tagged memory */
			break;
		default:
			return !data->bad;
		}
	}
	return !data->bad;
}

static bool parse_cie(const struct wk_cfi *cfi, struct wk_bytes *b, struct wk_cfi_cie *cie)
{
	uint8_t version = wk_u8(b);
	struct wk_str letters = wk_bytes_text(b);
	uint64_t column;

	cie->address_size = cfi->address_size;
	if (version != 1 && version != 3 && version != 4)
		return false;
	if (version == 4) {
		cie->address_size = wk_u8(b);
		if (wk_u8(b) != 0)
			return false; /* segmented addresses */
	}
	if (cie->address_size != 4 && cie->address_size != 8)
		return false;
	if (wk_str_is(letters, "eh"))
		wk_bytes_skip(b, cie->address_size);
	cie->code_align = wk_uleb(b);
	cie->data_align = wk_sleb(b);
	column = version == 1 ? wk_u8(b) : wk_uleb(b);
	if (b->bad || column >= WK_REGISTERS)
		return false;
	cie->return_address = (uint8_t)column;
	cie->pointer_encoding = ENC_ABSOLUTE;
	if (wk_str_starts(letters, "z")) {
		uint64_t length = wk_uleb(b);
		struct wk_bytes data = wk_bytes_slice(b, length);

		cie->has_sized_augmentation = true;
		return !b->bad && read_augmentation(cfi, letters, &data, cie);
	}
	return letters.len == 0 || wk_str_is(letters, "eh");
}

static const struct wk_cfi_cie *find_cie(struct wk_cfi *cfi, uint64_t offset)
{
	struct wk_cfi_cie *slot = &cfi->cies[offset / 4 % WK_CFI_CIES];
	struct entry entry;
	struct wk_cfi_cie cie = { .offset = offset + 1 };

	if (slot->offset == offset + 1)
		return slot;
	if (!read_entry(cfi, offset, &entry) || !entry.is_cie)
		return NULL;
	if (!parse_cie(cfi, &entry.body, &cie) || !wk_cfi_run_initial(cfi, &cie, entry.body))
		return NULL;
	*slot = cie;
	return slot;
}

static bool parse_fde(struct wk_cfi *cfi, const struct entry *entry, struct wk_cfi_fde *fde)
{
	struct wk_bytes b = entry->body;
	uint64_t vaddr = cfi->vaddr + wk_bytes_offset(&b);
	const struct wk_cfi_cie *cie;
	uint8_t encoding;

	if (!cfi->is_debug && entry->id > entry->id_offset)
		return false;
	cie = find_cie(cfi, cfi->is_debug ? entry->id : entry->id_offset - entry->id);
	if (!cie)
		return false;
	encoding = cie->pointer_encoding;
	*fde = (struct wk_cfi_fde){ .offset = entry->offset, .cie = cie };
	if (!wk_cfi_pointer(&b, encoding, cie->address_size, vaddr, cfi->text_vaddr,
			    cfi->data_vaddr, &fde->start))
		return false;
	/* The size is in the same form, but a plain number. */
	if (!wk_cfi_pointer(&b, encoding & 0x07, cie->address_size, 0, 0, 0, &fde->size_bytes))
		return false;
	if (cie->has_sized_augmentation)
		wk_bytes_skip(&b, wk_uleb(&b));
	fde->program = b;
	return !b.bad;
}

bool wk_cfi_entry_at(struct wk_cfi *cfi, uint64_t offset, struct wk_cfi_fde *fde)
{
	struct entry entry;

	return read_entry(cfi, offset, &entry) && entry.id_offset && !entry.is_cie &&
	       parse_fde(cfi, &entry, fde);
}

void wk_cfi_each(struct wk_cfi *cfi, bool (*take)(void *context, const struct wk_cfi_fde *fde),
		 void *context)
{
	struct entry entry;
	struct wk_cfi_fde fde;

	for (uint64_t offset = 0; read_entry(cfi, offset, &entry); offset = entry.next)
		if (entry.id_offset && !entry.is_cie && parse_fde(cfi, &entry, &fde) &&
		    !take(context, &fde))
			return;
}

struct index_maker {
	struct wk_cfi *cfi;
	size_t cap;
};

static bool add_to_index(void *context, const struct wk_cfi_fde *fde)
{
	struct index_maker *maker = context;
	struct wk_cfi *cfi = maker->cfi;

	if (fde->size_bytes == 0)
		return true;
	*WK_APPEND(cfi->index, cfi->index_count, maker->cap) =
		(struct wk_cfi_entry){ .start = fde->start, .offset = fde->offset };
	return true;
}

static int by_start(const void *a, const void *b)
{
	const struct wk_cfi_entry *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return (x->offset > y->offset) - (x->offset < y->offset);
}

static void make_index(struct wk_cfi *cfi)
{
	struct index_maker maker = { .cfi = cfi };

	cfi->is_indexed = true;
	wk_cfi_each(cfi, add_to_index, &maker);
	if (cfi->index_count)
		qsort(cfi->index, cfi->index_count, sizeof(*cfi->index), by_start);
}

/* The start of an entry, and its place in the section. */
static bool start_of(const struct wk_cfi *cfi, size_t i, uint64_t *start)
{
	if (cfi->header.count)
		return table_pointer(cfi, i * cfi->header.entry_bytes, start);
	*start = cfi->index[i].start;
	return true;
}

static bool offset_of(const struct wk_cfi *cfi, size_t i, uint64_t *offset)
{
	size_t bytes = cfi->header.entry_bytes;

	if (!cfi->header.count) {
		*offset = cfi->index[i].offset;
		return true;
	}
	if (!table_pointer(cfi, i * bytes + bytes / 2, offset))
		return false;
	*offset -= cfi->vaddr;
	return true;
}

/* What linkers write: pairs of 32-bit numbers, relative to the section. */
static bool has_plain_pairs(const struct wk_cfi *cfi)
{
	return cfi->header.count && cfi->header.encoding == (ENC_DATAREL | ENC_SDATA4) &&
	       cfi->address_size == 8 && !cfi->header.table.big_endian;
}

/* The same as count_below for them. */
static size_t count_pairs_below(const struct wk_cfi_header *header, uint64_t vaddr)
{
	size_t low = 0, high = header->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		uint32_t start;

		memcpy(&start, header->table.at + middle * 8, sizeof(start));
		if (header->vaddr + (uint64_t)(int32_t)WK_FROM_LE(32, start) <= vaddr)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* How many entries begin at or below `vaddr`. */
static size_t count_below(const struct wk_cfi *cfi, size_t count, uint64_t vaddr)
{
	size_t low = 0, high = count;
	uint64_t start;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (!start_of(cfi, middle, &start))
			return 0;
		if (start <= vaddr)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

bool wk_cfi_find(struct wk_cfi *cfi, uint64_t vaddr, struct wk_cfi_fde *fde)
{
	uint64_t offset;
	size_t below;

	if (!cfi->header.count && !cfi->is_indexed)
		make_index(cfi);
	if (has_plain_pairs(cfi))
		below = count_pairs_below(&cfi->header, vaddr);
	else
		below = count_below(cfi, cfi->header.count ? cfi->header.count : cfi->index_count,
				    vaddr);
	for (size_t i = below; i > 0 && below - i < STEPS_BACK; i--)
		if (offset_of(cfi, i - 1, &offset) && wk_cfi_entry_at(cfi, offset, fde) &&
		    fde->start <= vaddr && vaddr - fde->start < fde->size_bytes)
			return true;
	return false;
}

void wk_cfi_fini(struct wk_cfi *cfi)
{
	wk_free(cfi->index);
	cfi->index = NULL;
	cfi->index_count = 0;
}
