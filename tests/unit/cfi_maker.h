/* Writes call frame information for tests: sections, entries, programs.
 *
 * maker_begin starts an entry and maker_end writes its length and pads it, as assemblers do.
 * What lies between is added byte by byte or with the helpers. */
#ifndef WK_TESTS_CFI_MAKER_H
#define WK_TESTS_CFI_MAKER_H

#include "base/buf.h"

struct maker {
	struct wk_buf out;
	bool is_debug, is_dwarf64;
	uint64_t vaddr; /* of the section */
	size_t length_at, cie_at;
};

static inline void maker_bytes(struct maker *m, const void *bytes, size_t len)
{
	wk_buf_add(&m->out, bytes, len);
}

static inline void maker_u8(struct maker *m, uint8_t value)
{
	wk_buf_add(&m->out, &value, 1);
}

static inline void maker_uleb(struct maker *m, uint64_t value)
{
	while (value >= 0x80) {
		maker_u8(m, (uint8_t)(value | 0x80));
		value >>= 7;
	}
	maker_u8(m, (uint8_t)value);
}

static inline void maker_sleb(struct maker *m, int64_t value)
{
	while (value < -64 || value > 63) {
		maker_u8(m, (uint8_t)((value & 0x7f) | 0x80));
		value >>= 7;
	}
	maker_u8(m, value & 0x7f);
}

/* Returns the entry's offset. */
static inline size_t maker_begin(struct maker *m)
{
	size_t offset = m->out.len;

	if (m->is_dwarf64) {
		wk_buf_add_u32(&m->out, 0xffffffff);
		wk_buf_add_u64(&m->out, 0);
	} else {
		wk_buf_add_u32(&m->out, 0);
	}
	m->length_at = m->out.len;
	return offset;
}

static inline void maker_end(struct maker *m)
{
	uint64_t length;

	while ((m->out.len - m->length_at) % 8 != 4)
		maker_u8(m, 0);
	length = m->out.len - m->length_at;
	if (m->is_dwarf64)
		memcpy(m->out.at + m->length_at - 8, &length, 8);
	else
		memcpy(m->out.at + m->length_at - 4, &length, 4);
}

static inline void maker_id(struct maker *m, uint64_t id)
{
	if (m->is_debug && m->is_dwarf64)
		wk_buf_add_u64(&m->out, id);
	else
		wk_buf_add_u32(&m->out, (uint32_t)id);
}

/* A CIE up to its instructions; `encoding` is that of the "R" letter, if there is one. */
static inline void maker_cie_head(struct maker *m, uint8_t version, const char *augmentation,
				  uint8_t encoding, int64_t data_align, uint8_t return_address)
{
	m->cie_at = maker_begin(m);
	maker_id(m, m->is_debug ? UINT64_MAX : 0);
	maker_u8(m, version);
	maker_bytes(m, augmentation, strlen(augmentation) + 1);
	if (version == 4) {
		maker_u8(m, 8);
		maker_u8(m, 0);
	}
	maker_uleb(m, 1);
	maker_sleb(m, data_align);
	maker_u8(m, return_address);
	if (augmentation[0] == 'z') {
		maker_uleb(m, strchr(augmentation, 'R') ? 1 : 0);
		if (strchr(augmentation, 'R'))
			maker_u8(m, encoding);
	}
}

/* What x86-64 compilers begin with: CFA = rsp + 8, the return address at CFA - 8. */
static inline void maker_x86_cie(struct maker *m, const char *augmentation)
{
	static const uint8_t initial[] = { 0x0c, 7, 8, 0x90, 1 };

	maker_cie_head(m, m->is_debug ? 4 : 1, augmentation, 0x1b, -8, 16);
	maker_bytes(m, initial, sizeof(initial));
	maker_end(m);
}

/* An FDE of the last CIE up to its address range. */
static inline size_t maker_fde_head(struct maker *m)
{
	size_t offset = maker_begin(m);

	maker_id(m, m->is_debug ? m->cie_at : m->out.len - m->cie_at);
	return offset;
}

/* A whole FDE: addresses are pc-relative in four bytes, or absolute in .debug_frame. */
static inline size_t maker_fde(struct maker *m, uint64_t start, uint64_t size, const void *program,
			       size_t len)
{
	size_t offset = maker_fde_head(m);

	if (m->is_debug) {
		wk_buf_add_u64(&m->out, start);
		wk_buf_add_u64(&m->out, size);
	} else {
		wk_buf_add_u32(&m->out, (uint32_t)(start - (m->vaddr + m->out.len)));
		wk_buf_add_u32(&m->out, (uint32_t)size);
		maker_uleb(m, 0);
	}
	maker_bytes(m, program, len);
	maker_end(m);
	return offset;
}

#endif
