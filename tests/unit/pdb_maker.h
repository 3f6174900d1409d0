/* Small program databases for tests.
 *
 * Order of calls: fill a struct pdb_spec (all zero is a PDB of one empty module), pdb_write, then
 * pdb_spec_fini. What is inside a stream is put there with the functions below. Section 1 lies at
 * RVA 0x1000, section 2 at 0x3000,
 * section 3 at 0x4000; before code was moved (OMAP), section 1 was at 0x8000. */
#ifndef WK_TESTS_PDB_MAKER_H
#define WK_TESTS_PDB_MAKER_H

#include <string.h>

#include "base/buf.h"

#define PDB_MODULES   2
#define PDB_NO_STREAM 0xffff
#define PDB_CODE      0x60000020u /* of a section */

enum {
	PDB_STREAM_OLD,
	PDB_STREAM_INFO,
	PDB_STREAM_TYPES,
	PDB_STREAM_DBI,
	PDB_STREAM_IDS,
	PDB_STREAM_NAMES,
	PDB_STREAM_RECORDS,
	PDB_STREAM_PUBLICS,
	PDB_STREAM_SECTIONS,
	PDB_STREAM_MOVED,
	PDB_STREAM_MOVED_BACK,
	PDB_STREAM_SOURCE_SECTIONS,
	PDB_STREAM_ID_HASH,
	PDB_STREAM_MODULE,
	PDB_STREAMS = PDB_STREAM_MODULE + PDB_MODULES,
};

struct pdb_spec {
	uint32_t block_bytes;   /* 0: 512 */
	uint32_t empty_streams; /* behind the others: they make the directory large */
	bool is_scattered;      /* no block follows the one before */
	bool shares_blocks;     /* the second module has a block of the first */
	bool is_minimal;
	bool has_wide_contributions;
	uint16_t dbi_flags, machine;                            /* machine 0: x86-64 */
	struct wk_buf symbols[PDB_MODULES], lines[PDB_MODULES]; /* of modules */
	struct wk_buf contributions;
	struct wk_buf names, records, by_address;
	struct wk_buf moved, moved_back;    /* to the image, and from it */
	struct wk_buf types, ids, id_pairs; /* records from 0x1000 on */
};

static inline void pdb_set_u16(struct wk_buf *buf, size_t at, uint16_t value)
{
	buf->at[at] = (char)value;
	buf->at[at + 1] = (char)(value >> 8);
}

static inline void pdb_set_u32(struct wk_buf *buf, size_t at, uint32_t value)
{
	pdb_set_u16(buf, at, (uint16_t)value);
	pdb_set_u16(buf, at + 2, (uint16_t)(value >> 16));
}

static inline void pdb_align(struct wk_buf *buf)
{
	while (buf->len % 4 != 0)
		wk_buf_add_char(buf, 0);
}

static inline void pdb_zeros(struct wk_buf *buf, size_t count)
{
	while (count-- > 0)
		wk_buf_add_char(buf, 0);
}

static inline void pdb_text(struct wk_buf *buf, const char *text)
{
	wk_buf_add(buf, text, strlen(text) + 1);
}

/* A record: its kind, what the caller adds, and its end. */
static inline size_t pdb_record(struct wk_buf *buf, uint16_t kind)
{
	size_t at = buf->len;

	wk_buf_add_u16(buf, 0);
	wk_buf_add_u16(buf, kind);
	return at;
}

static inline void pdb_end(struct wk_buf *buf, size_t at)
{
	while ((buf->len - at) % 4 != 0)
		wk_buf_add_char(buf, 0);
	pdb_set_u16(buf, at, (uint16_t)(buf->len - at - 2));
}

static inline void pdb_bare(struct wk_buf *buf, uint16_t kind)
{
	pdb_end(buf, pdb_record(buf, kind));
}

static inline void pdb_function(struct wk_buf *buf, uint32_t offset, uint32_t size,
				const char *name)
{
	size_t at = pdb_record(buf, 0x1110);

	pdb_zeros(buf, 12);
	wk_buf_add_u32(buf, size);
	pdb_zeros(buf, 12);
	wk_buf_add_u32(buf, offset);
	wk_buf_add_u16(buf, 1);
	wk_buf_add_char(buf, 0);
	pdb_text(buf, name);
	pdb_end(buf, at);
}

static inline void pdb_function_end(struct wk_buf *buf)
{
	pdb_bare(buf, 0x0006);
}

static inline void pdb_site(struct wk_buf *buf, uint32_t inlinee, const void *annotations,
			    size_t len)
{
	size_t at = pdb_record(buf, 0x114d);

	pdb_zeros(buf, 8);
	wk_buf_add_u32(buf, inlinee);
	wk_buf_add(buf, annotations, len);
	pdb_end(buf, at);
}

static inline void pdb_site_end(struct wk_buf *buf)
{
	pdb_bare(buf, 0x114e);
}

/* Part of the function at `parent` of section 1. */
static inline void pdb_part_apart(struct wk_buf *buf, uint32_t offset, uint32_t size,
				  uint32_t parent)
{
	size_t at = pdb_record(buf, 0x1132);

	pdb_zeros(buf, 8);
	wk_buf_add_u32(buf, size);
	wk_buf_add_u32(buf, 0);
	wk_buf_add_u32(buf, offset);
	wk_buf_add_u32(buf, parent);
	wk_buf_add_u16(buf, 1);
	wk_buf_add_u16(buf, 1);
	pdb_end(buf, at);
}

/* To `records`; gives its offset there. */
static inline uint32_t pdb_public(struct wk_buf *buf, uint16_t section, uint32_t offset,
				  const char *name)
{
	size_t at = pdb_record(buf, 0x110e);

	wk_buf_add_u32(buf, 2);
	wk_buf_add_u32(buf, offset);
	wk_buf_add_u16(buf, section);
	pdb_text(buf, name);
	pdb_end(buf, at);
	return (uint32_t)at;
}

/* To `names`; gives its offset there. */
static inline uint32_t pdb_name(struct wk_buf *buf, const char *name)
{
	uint32_t at;

	if (buf->len == 0)
		wk_buf_add_char(buf, 0);
	at = (uint32_t)buf->len;
	pdb_text(buf, name);
	return at;
}

/* A part of a module's lines: the kind, what the caller adds, and its end. */
static inline size_t pdb_part(struct wk_buf *buf, uint32_t kind)
{
	wk_buf_add_u32(buf, kind);
	wk_buf_add_u32(buf, 0);
	return buf->len;
}

static inline void pdb_part_end(struct wk_buf *buf, size_t at)
{
	pdb_set_u32(buf, at - 4, (uint32_t)(buf->len - at));
	pdb_align(buf);
}

/* Files 0, 8, 16 ... of a module, by their names. */
static inline void pdb_files(struct wk_buf *buf, const uint32_t *names, size_t count)
{
	size_t at = pdb_part(buf, 0xf4);

	for (size_t i = 0; i < count; i++) {
		wk_buf_add_u32(buf, names[i]);
		wk_buf_add_u32(buf, 0);
	}
	pdb_part_end(buf, at);
}

/* Pairs of an offset and a line, all in one file. */
static inline void pdb_lines(struct wk_buf *buf, uint32_t offset, uint32_t size, uint32_t file,
			     const uint32_t (*rows)[2], uint32_t count)
{
	size_t at = pdb_part(buf, 0xf2);

	wk_buf_add_u32(buf, offset);
	wk_buf_add_u16(buf, 1);
	wk_buf_add_u16(buf, 0);
	wk_buf_add_u32(buf, size);
	wk_buf_add_u32(buf, file);
	wk_buf_add_u32(buf, count);
	wk_buf_add_u32(buf, 12 + count * 8);
	for (uint32_t i = 0; i < count; i++) {
		wk_buf_add_u32(buf, rows[i][0]);
		wk_buf_add_u32(buf, rows[i][1] | 0x80000000);
	}
	pdb_part_end(buf, at);
}

struct pdb_inlinee {
	uint32_t id, file, line;
};

static inline void pdb_inlinees(struct wk_buf *buf, const struct pdb_inlinee *rows, size_t count)
{
	size_t at = pdb_part(buf, 0xf6);

	wk_buf_add_u32(buf, 0);
	for (size_t i = 0; i < count; i++) {
		wk_buf_add_u32(buf, rows[i].id);
		wk_buf_add_u32(buf, rows[i].file);
		wk_buf_add_u32(buf, rows[i].line);
	}
	pdb_part_end(buf, at);
}

/* LF_FUNC_ID */
static inline void pdb_function_id(struct wk_buf *buf, uint32_t scope, const char *name)
{
	size_t at = pdb_record(buf, 0x1601);

	wk_buf_add_u32(buf, scope);
	wk_buf_add_u32(buf, 0);
	pdb_text(buf, name);
	pdb_end(buf, at);
}

/* LF_MFUNC_ID */
static inline void pdb_member_id(struct wk_buf *buf, uint32_t type, const char *name)
{
	size_t at = pdb_record(buf, 0x1602);

	wk_buf_add_u32(buf, type);
	wk_buf_add_u32(buf, 0);
	pdb_text(buf, name);
	pdb_end(buf, at);
}

/* LF_STRING_ID */
static inline void pdb_string_id(struct wk_buf *buf, const char *name)
{
	size_t at = pdb_record(buf, 0x1605);

	wk_buf_add_u32(buf, 0);
	pdb_text(buf, name);
	pdb_end(buf, at);
}

/* LF_STRUCTURE, of a size that needs four bytes */
static inline void pdb_class(struct wk_buf *buf, const char *name)
{
	size_t at = pdb_record(buf, 0x1505);

	pdb_zeros(buf, 16);
	wk_buf_add_u16(buf, 0x8004);
	wk_buf_add_u32(buf, 100000);
	pdb_text(buf, name);
	pdb_end(buf, at);
}

static inline void pdb_contribution(const struct pdb_spec *spec, struct wk_buf *buf,
				    uint32_t offset, uint32_t size, uint16_t module)
{
	wk_buf_add_u16(buf, 1);
	wk_buf_add_u16(buf, 0);
	wk_buf_add_u32(buf, offset);
	wk_buf_add_u32(buf, size);
	wk_buf_add_u32(buf, 0x60000020);
	wk_buf_add_u16(buf, module);
	pdb_zeros(buf, spec->has_wide_contributions ? 14 : 10);
}

static inline void pdb_section(struct wk_buf *buf, uint32_t rva, uint32_t size, uint32_t in_file,
			       uint32_t flags)
{
	pdb_zeros(buf, 8);
	wk_buf_add_u32(buf, size);
	wk_buf_add_u32(buf, rva);
	wk_buf_add_u32(buf, in_file);
	pdb_zeros(buf, 16);
	wk_buf_add_u32(buf, flags);
}

static inline void pdb_put_info(const struct pdb_spec *spec, struct wk_buf *out)
{
	wk_buf_add_u32(out, 20000404);
	wk_buf_add_u32(out, 0x5f5f5f5f);
	wk_buf_add_u32(out, 7); /* not the age that counts */
	for (int i = 1; i <= 16; i++)
		wk_buf_add_char(out, (char)i);
	wk_buf_add_u32(out, 7);
	wk_buf_add(out, "/names", 7);
	wk_buf_add_u32(out, 1);
	wk_buf_add_u32(out, 1);
	wk_buf_add_u32(out, 1);
	wk_buf_add_u32(out, 1);
	wk_buf_add_u32(out, 0);
	wk_buf_add_u32(out, 0);
	wk_buf_add_u32(out, PDB_STREAM_NAMES);
	wk_buf_add_u32(out, 20140508);
	if (spec->is_minimal)
		wk_buf_add_u32(out, 0x494e494d);
}

static inline void pdb_put_types(const struct wk_buf *records, uint16_t hash,
				 const struct wk_buf *pairs, struct wk_buf *out)
{
	wk_buf_add_u32(out, 20040203);
	wk_buf_add_u32(out, 56);
	wk_buf_add_u32(out, 0x1000);
	wk_buf_add_u32(out, 0x1000);
	wk_buf_add_u32(out, (uint32_t)records->len);
	wk_buf_add_u16(out, hash);
	wk_buf_add_u16(out, PDB_NO_STREAM);
	pdb_zeros(out, 16);
	wk_buf_add_u32(out, 0);
	wk_buf_add_u32(out, pairs ? (uint32_t)pairs->len : 0);
	pdb_zeros(out, 8);
	wk_buf_add_str(out, wk_buf_str(records));
}

static inline void pdb_put_module(const struct pdb_spec *spec, int i, struct wk_buf *out)
{
	size_t symbol_bytes = spec->symbols[i].len ? 4 + spec->symbols[i].len : 0;

	pdb_zeros(out, 34);
	wk_buf_add_u16(out, symbol_bytes ? (uint16_t)(PDB_STREAM_MODULE + i) : PDB_NO_STREAM);
	wk_buf_add_u32(out, (uint32_t)symbol_bytes);
	wk_buf_add_u32(out, 0);
	wk_buf_add_u32(out, (uint32_t)spec->lines[i].len);
	pdb_zeros(out, 16);
	pdb_text(out, "module.obj");
	pdb_text(out, "library.lib");
	pdb_align(out);
}

static inline void pdb_put_dbi(const struct pdb_spec *spec, struct wk_buf *out)
{
	struct wk_buf modules = { 0 };
	const uint16_t streams[11] = {
		[3] = spec->moved_back.len ? PDB_STREAM_MOVED_BACK : 0,
		[4] = spec->moved.len ? PDB_STREAM_MOVED : 0,
		[5] = PDB_STREAM_SECTIONS,
		[10] = spec->moved.len || spec->moved_back.len ? PDB_STREAM_SOURCE_SECTIONS : 0,
	};

	for (int i = 0; i < PDB_MODULES; i++)
		pdb_put_module(spec, i, &modules);
	wk_buf_add_u32(out, UINT32_MAX);
	wk_buf_add_u32(out, 19990903);
	wk_buf_add_u32(out, 2); /* the age */
	wk_buf_add_u32(out, 0);
	wk_buf_add_u16(out, PDB_STREAM_PUBLICS);
	wk_buf_add_u16(out, 0);
	wk_buf_add_u16(out, PDB_STREAM_RECORDS);
	wk_buf_add_u16(out, 0);
	wk_buf_add_u32(out, (uint32_t)modules.len);
	wk_buf_add_u32(out, spec->contributions.len ? (uint32_t)spec->contributions.len + 4 : 0);
	pdb_zeros(out, 4 * 4);
	wk_buf_add_u32(out, 22);
	wk_buf_add_u32(out, 0);
	wk_buf_add_u16(out, spec->dbi_flags);
	wk_buf_add_u16(out, spec->machine ? spec->machine : 0x8664);
	wk_buf_add_u32(out, 0);
	wk_buf_add_str(out, wk_buf_str(&modules));
	if (spec->contributions.len)
		wk_buf_add_u32(out, spec->has_wide_contributions ? 0xf13151e4 : 0xf12eba2d);
	wk_buf_add_str(out, wk_buf_str(&spec->contributions));
	for (int i = 0; i < 11; i++)
		wk_buf_add_u16(out, streams[i] ? streams[i] : PDB_NO_STREAM);
	wk_buf_fini(&modules);
}

static inline void pdb_put_streams(const struct pdb_spec *spec, struct wk_buf *streams)
{
	struct wk_buf *names = &streams[PDB_STREAM_NAMES], *publics = &streams[PDB_STREAM_PUBLICS];

	pdb_put_info(spec, &streams[PDB_STREAM_INFO]);
	pdb_put_types(&spec->types, PDB_NO_STREAM, NULL, &streams[PDB_STREAM_TYPES]);
	pdb_put_types(&spec->ids, spec->id_pairs.len ? PDB_STREAM_ID_HASH : PDB_NO_STREAM,
		      &spec->id_pairs, &streams[PDB_STREAM_IDS]);
	pdb_put_dbi(spec, &streams[PDB_STREAM_DBI]);
	wk_buf_add_u32(names, 0xeffeeffe);
	wk_buf_add_u32(names, 1);
	wk_buf_add_u32(names, (uint32_t)spec->names.len);
	wk_buf_add_str(names, wk_buf_str(&spec->names));
	wk_buf_add_str(&streams[PDB_STREAM_RECORDS], wk_buf_str(&spec->records));
	wk_buf_add_u32(publics, 0);
	wk_buf_add_u32(publics, (uint32_t)spec->by_address.len);
	pdb_zeros(publics, 20);
	wk_buf_add_str(publics, wk_buf_str(&spec->by_address));
	pdb_section(&streams[PDB_STREAM_SECTIONS], 0x1000, 0x1000, 0x1200, PDB_CODE);
	pdb_section(&streams[PDB_STREAM_SECTIONS], 0x3000, 0x800, 0x800, 0x40000040);
	pdb_section(&streams[PDB_STREAM_SECTIONS], 0x4000, 0, 0x200, 0x40000040);
	pdb_section(&streams[PDB_STREAM_SOURCE_SECTIONS], 0x8000, 0x1000, 0, PDB_CODE);
	wk_buf_add_str(&streams[PDB_STREAM_MOVED], wk_buf_str(&spec->moved));
	wk_buf_add_str(&streams[PDB_STREAM_MOVED_BACK], wk_buf_str(&spec->moved_back));
	wk_buf_add_str(&streams[PDB_STREAM_ID_HASH], wk_buf_str(&spec->id_pairs));
	for (int i = 0; i < PDB_MODULES; i++) {
		struct wk_buf *module = &streams[PDB_STREAM_MODULE + i];

		if (spec->symbols[i].len == 0)
			continue;
		wk_buf_add_u32(module, 4);
		wk_buf_add_str(module, wk_buf_str(&spec->symbols[i]));
		wk_buf_add_str(module, wk_buf_str(&spec->lines[i]));
	}
}

static inline uint32_t pdb_blocks(uint32_t block_bytes, size_t size)
{
	return (uint32_t)((size + block_bytes - 1) / block_bytes);
}

/* The directory, of streams that begin at block `first`. Scattered: each lies backwards. */
static inline uint32_t pdb_put_directory(const struct pdb_spec *spec, const struct wk_buf *streams,
					 uint32_t block_bytes, uint32_t first, struct wk_buf *out)
{
	wk_buf_add_u32(out, PDB_STREAMS + spec->empty_streams);
	for (int i = 0; i < PDB_STREAMS; i++)
		wk_buf_add_u32(out, (uint32_t)streams[i].len);
	for (uint32_t i = 0; i < spec->empty_streams; i++)
		wk_buf_add_u32(out, UINT32_MAX);
	for (int i = 0; i < PDB_STREAMS; i++) {
		uint32_t count = pdb_blocks(block_bytes, streams[i].len);

		for (uint32_t k = 0; k < count; k++)
			wk_buf_add_u32(out, spec->is_scattered ? first + count - 1 - k : first + k);
		if (spec->shares_blocks && i == PDB_STREAM_MODULE + 1)
			pdb_set_u32(out, out->len - 4, first - 1);
		first += count;
	}
	return first;
}

static inline void pdb_to_block(struct wk_buf *out, uint32_t block_bytes)
{
	while (out->len % block_bytes != 0)
		wk_buf_add_char(out, 0);
}

static inline void pdb_put_stream(const struct pdb_spec *spec, const struct wk_buf *stream,
				  uint32_t block_bytes, struct wk_buf *out)
{
	uint32_t count = pdb_blocks(block_bytes, stream->len);

	for (uint32_t k = 0; k < count; k++) {
		size_t at = (size_t)(spec->is_scattered ? count - 1 - k : k) * block_bytes;
		size_t left = stream->len - at;

		wk_buf_add(out, stream->at + at, left < block_bytes ? left : block_bytes);
		pdb_to_block(out, block_bytes);
	}
}

/* Head, two blocks of free blocks, map pages, the directory, then the streams in their order. */
static inline void pdb_write(const struct pdb_spec *spec, struct wk_buf *out)
{
	static const char magic[32] = "Microsoft C/C++ MSF 7.00\r\n\x1a"
				      "DS\0\0";
	struct wk_buf streams[PDB_STREAMS] = { 0 }, directory = { 0 };
	uint32_t block_bytes = spec->block_bytes ? spec->block_bytes : 512;
	uint32_t blocks, pages, count;

	pdb_put_streams(spec, streams);
	pdb_put_directory(spec, streams, block_bytes, 0, &directory);
	blocks = pdb_blocks(block_bytes, directory.len);
	pages = pdb_blocks(block_bytes, blocks * 4);
	wk_buf_reset(&directory);
	count = pdb_put_directory(spec, streams, block_bytes, 3 + pages + blocks, &directory);
	wk_buf_add(out, magic, sizeof(magic));
	wk_buf_add_u32(out, block_bytes);
	wk_buf_add_u32(out, 1);
	wk_buf_add_u32(out, count);
	wk_buf_add_u32(out, (uint32_t)directory.len);
	wk_buf_add_u32(out, 0);
	for (uint32_t i = 0; i < pages; i++)
		wk_buf_add_u32(out, 3 + i);
	pdb_to_block(out, block_bytes);
	pdb_zeros(out, 2 * (size_t)block_bytes);
	for (uint32_t i = 0; i < blocks; i++)
		wk_buf_add_u32(out, 3 + pages + i);
	pdb_to_block(out, block_bytes);
	wk_buf_add_str(out, wk_buf_str(&directory));
	pdb_to_block(out, block_bytes);
	for (int i = 0; i < PDB_STREAMS; i++) {
		pdb_put_stream(spec, &streams[i], block_bytes, out);
		wk_buf_fini(&streams[i]);
	}
	wk_buf_fini(&directory);
}

static inline void pdb_spec_fini(struct pdb_spec *spec)
{
	for (int i = 0; i < PDB_MODULES; i++) {
		wk_buf_fini(&spec->symbols[i]);
		wk_buf_fini(&spec->lines[i]);
	}
	wk_buf_fini(&spec->contributions);
	wk_buf_fini(&spec->names);
	wk_buf_fini(&spec->records);
	wk_buf_fini(&spec->by_address);
	wk_buf_fini(&spec->moved);
	wk_buf_fini(&spec->moved_back);
	wk_buf_fini(&spec->types);
	wk_buf_fini(&spec->ids);
	wk_buf_fini(&spec->id_pairs);
}

#endif
