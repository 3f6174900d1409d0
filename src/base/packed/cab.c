#include "base/packed/cab.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/packed/lzx.h"
#include "base/packed/unpack.h"

#define FILE_BYTES   16 /* of a file's row, without its name */
#define FOLDER_BYTES 8

#define MOST_BLOCK 32768 /* plain bytes of a block */

enum {
	FLAG_PREVIOUS = 1,
	FLAG_NEXT = 2,
	FLAG_RESERVE = 4,
};

enum { ATTRIBUTE_UTF8 = 0x80 };

enum {
	METHOD_NONE = 0,
	METHOD_MSZIP = 1,
	METHOD_QUANTUM = 2,
	METHOD_LZX = 3,
	METHOD_MASK = 15,
};

struct head {
	uint32_t files_at;
	uint16_t folder_count, file_count, flags;
	uint8_t folder_reserve;
};

bool wk_cab_is(struct wk_bytes first)
{
	return wk_bytes_left(&first) >= 4 && memcmp(first.at, "MSCF", 4) == 0;
}

static void read_head(struct wk_bytes *in, struct wk_cab *cab, struct head *head)
{
	uint16_t head_reserve;

	wk_bytes_skip(in, 4 + 4 + 4 + 4);
	head->files_at = wk_u32le(in);
	wk_bytes_skip(in, 4 + 1 + 1);
	head->folder_count = wk_u16le(in);
	head->file_count = wk_u16le(in);
	head->flags = wk_u16le(in);
	wk_bytes_skip(in, 2 + 2);
	if (head->flags & FLAG_RESERVE) {
		head_reserve = wk_u16le(in);
		head->folder_reserve = wk_u8(in);
		cab->block_reserve = wk_u8(in);
		wk_bytes_skip(in, head_reserve);
	}
	/* Names of the cabinets before and behind, and of the disks they are on. */
	for (int i = 0; i < 2; i++)
		if (head->flags & FLAG_PREVIOUS)
			wk_bytes_text(in);
	for (int i = 0; i < 2; i++)
		if (head->flags & FLAG_NEXT)
			wk_bytes_text(in);
}

static bool read_folders(struct wk_bytes *in, const struct head *head, struct wk_cab *cab,
			 struct wk_err *err)
{
	if (!wk_bytes_need(in,
			   (uint64_t)head->folder_count * (FOLDER_BYTES + head->folder_reserve)))
		return wk_fail(err, WK_ECORRUPT, wk_bytes_offset(in),
			       "the cabinet claims %u folders and ends before them",
			       head->folder_count);
	cab->folders = wk_alloc_zeroed(head->folder_count, sizeof(*cab->folders));
	for (; cab->folder_count < head->folder_count; cab->folder_count++) {
		struct wk_cab_folder *folder = &cab->folders[cab->folder_count];
		uint64_t at = wk_u32le(in), size = (uint64_t)(in->end - in->start);

		folder->block_count = wk_u16le(in);
		folder->method = wk_u16le(in);
		folder->blocks = wk_bytes_at(in, at, at < size ? size - at : 0);
		wk_bytes_skip(in, head->folder_reserve);
	}
	return true;
}

static bool read_files(struct wk_bytes in, const struct head *head, struct wk_cab *cab,
		       struct wk_err *err)
{
	if (!wk_bytes_need(&in, (uint64_t)head->file_count * (FILE_BYTES + 1)))
		return wk_fail(err, WK_ECORRUPT, WK_NOWHERE,
			       "the cabinet claims %u files and ends before their list",
			       head->file_count);
	cab->files = wk_alloc_zeroed(head->file_count, sizeof(*cab->files));
	for (; cab->file_count < head->file_count; cab->file_count++) {
		struct wk_cab_file *file = &cab->files[cab->file_count];

		file->size_bytes = wk_u32le(&in);
		file->offset = wk_u32le(&in);
		file->folder = wk_u16le(&in);
		wk_bytes_skip(&in, 2 + 2);
		file->is_utf8 = wk_u16le(&in) & ATTRIBUTE_UTF8;
		file->name = wk_bytes_text(&in);
	}
	return !in.bad || wk_fail(err, WK_ECORRUPT, WK_NOWHERE,
				  "the cabinet's list of files ends in the middle");
}

static bool read_all(struct wk_bytes in, struct wk_cab *cab, struct wk_err *err)
{
	struct head head = { 0 };
	uint64_t size = wk_bytes_left(&in);

	if (!wk_cab_is(in))
		return wk_fail(err, WK_EFORMAT, 0, "this is no cabinet");
	read_head(&in, cab, &head);
	if (in.bad)
		return wk_fail(err, WK_ECORRUPT, WK_NOWHERE,
			       "the cabinet ends in its header; the file was cut");
	return read_folders(&in, &head, cab, err) &&
	       read_files(wk_bytes_at(&in, head.files_at,
				      head.files_at < size ? size - head.files_at : 0),
			  &head, cab, err);
}

bool wk_cab_open(struct wk_bytes bytes, struct wk_cab *cab, struct wk_err *err)
{
	*cab = (struct wk_cab){ 0 };
	if (read_all(wk_bytes_of(bytes.at, wk_bytes_left(&bytes)), cab, err))
		return true;
	wk_cab_close(cab);
	return false;
}

void wk_cab_close(struct wk_cab *cab)
{
	WK_FREE_ALL(cab->files, cab->folders);
	*cab = (struct wk_cab){ 0 };
}

/* The exclusive or of all 32-bit words; the remaining bytes are in reverse order. */
static uint32_t sum_of(struct wk_bytes bytes, uint32_t sum)
{
	uint32_t rest = 0;

	while (wk_bytes_left(&bytes) >= 4)
		sum ^= wk_u32le(&bytes);
	while (wk_bytes_left(&bytes) > 0)
		rest = rest << 8 | wk_u8(&bytes);
	return sum ^ rest;
}

struct block {
	struct wk_bytes packed;
	uint16_t size_bytes; /* plain */
};

static bool read_block(const struct wk_cab *cab, struct wk_bytes *in, struct block *block,
		       struct wk_err *err)
{
	uint64_t at = wk_bytes_offset(in);
	uint32_t sum = wk_u32le(in);
	struct wk_bytes summed = *in;
	uint16_t packed_bytes = wk_u16le(in);

	block->size_bytes = wk_u16le(in);
	wk_bytes_skip(in, cab->block_reserve);
	summed.end = in->at;
	block->packed = wk_bytes_slice(in, packed_bytes);
	if (in->bad)
		return wk_fail(err, WK_ECORRUPT, at,
			       "the cabinet ends in the middle of a block; the file was cut");
	if (block->size_bytes > MOST_BLOCK)
		return wk_fail(err, WK_ECORRUPT, at,
			       "a block of the cabinet claims %u bytes, and none has more than "
			       "%u",
			       block->size_bytes, MOST_BLOCK);
	/* Half of a block that continues in another cabinet has no size. */
	if (block->size_bytes == 0)
		return wk_fail(err, WK_EUNSUPPORTED, at,
			       "the cabinet goes on in another one, and only whole ones are "
			       "read");
	return sum == 0 || sum == sum_of(summed, sum_of(block->packed, 0)) ||
	       wk_fail(err, WK_ECORRUPT, at, "a block of the cabinet is broken: its sum differs");
}

static bool add_stored(const struct block *block, struct wk_buf *plain, struct wk_err *err)
{
	size_t size = wk_bytes_left(&block->packed);

	if (size != block->size_bytes)
		return wk_fail(err, WK_ECORRUPT, wk_bytes_offset(&block->packed),
			       "a block of the cabinet claims %u bytes and has %zu",
			       block->size_bytes, size);
	wk_buf_add(plain, block->packed.at, size);
	return true;
}

/* `known_bytes` of the folder were unpacked before. */
static bool add_mszip(struct block *block, size_t known_bytes, struct wk_buf *plain,
		      struct wk_err *err)
{
	uint64_t at = wk_bytes_offset(&block->packed);

	if (wk_u8(&block->packed) != 'C' || wk_u8(&block->packed) != 'K')
		return wk_fail(err, WK_ECORRUPT, at,
			       "a block of the cabinet does not begin as MSZIP does");
	return wk_unpack_block(block->packed, known_bytes, block->size_bytes, plain, err);
}

/* A folder while it is unpacked. */
struct unpacking {
	const struct wk_cab *cab;
	const struct wk_cab_folder *folder;
	unsigned method;
	struct wk_lzx *lzx;
	size_t before; /* bytes of the buffer that are not the folder's */
	struct wk_buf *plain;
	struct wk_err *err;
};

static bool begin(struct unpacking *u)
{
	unsigned window_bits = u->folder->method >> 8 & 31;

	switch (u->method) {
	case METHOD_NONE:
	case METHOD_MSZIP:
		return true;
	case METHOD_LZX:
		u->lzx = wk_lzx_new(window_bits);
		return u->lzx || wk_fail(u->err, WK_ECORRUPT, WK_NOWHERE,
					 "the cabinet claims an LZX window of 2^%u bytes, and "
					 "there is none like that",
					 window_bits);
	case METHOD_QUANTUM:
		return wk_fail(u->err, WK_EUNSUPPORTED, WK_NOWHERE,
			       "the cabinet is packed with Quantum; only MSZIP and LZX are read: "
			       "unpack it first (cabextract, expand)");
	default:
		return wk_fail(u->err, WK_EUNSUPPORTED, WK_NOWHERE,
			       "the cabinet is packed by method %u, which is not known", u->method);
	}
}

static bool add_block(struct unpacking *u, struct block *block)
{
	switch (u->method) {
	case METHOD_NONE:
		return add_stored(block, u->plain, u->err);
	case METHOD_MSZIP:
		return add_mszip(block, u->plain->len - u->before, u->plain, u->err);
	default:
		return wk_lzx_block(u->lzx, block->packed, block->size_bytes, u->plain, u->err);
	}
}

/* The folder's first `need` bytes and what more is in the last block of them. */
static bool add_blocks(struct unpacking *u, uint64_t need)
{
	struct wk_bytes in = u->folder->blocks;
	struct block block;

	for (unsigned i = 0; u->plain->len - u->before < need; i++) {
		if (i == u->folder->block_count)
			return wk_fail(u->err, WK_ECORRUPT, wk_bytes_offset(&in),
				       "the cabinet's folder has %zu bytes, and a file in it "
				       "claims to end at %" PRIu64,
				       u->plain->len - u->before, need);
		if (!read_block(u->cab, &in, &block, u->err) || !add_block(u, &block))
			return false;
	}
	return true;
}

static bool unpack_folder(const struct wk_cab *cab, const struct wk_cab_folder *folder,
			  uint64_t need, struct wk_buf *plain, struct wk_err *err)
{
	struct unpacking u = { .cab = cab, .folder = folder, .plain = plain, .before = plain->len,
			       .method = folder->method & METHOD_MASK, .err = err };
	bool ok = begin(&u) && add_blocks(&u, need);

	wk_lzx_free(u.lzx);
	return ok;
}

static bool read_file(const struct wk_cab *cab, const struct wk_cab_file *file,
		      struct wk_buf *plain, struct wk_err *err)
{
	uint64_t need = (uint64_t)file->offset + file->size_bytes;
	const struct wk_cab_folder *folder;

	if (file->folder >= cab->folder_count)
		return wk_fail(err, WK_EUNSUPPORTED, WK_NOWHERE,
			       "the file is in another cabinet, in part or as a whole, and only "
			       "whole ones are read");
	folder = &cab->folders[file->folder];
	if (need > wk_unpack_limit(folder->blocks))
		return wk_fail(err, WK_ECORRUPT, WK_NOWHERE,
			       "%zu bytes of a cabinet claim to be %" PRIu64 " bytes of plain data",
			       wk_bytes_left(&folder->blocks), need);
	return unpack_folder(cab, folder, need, plain, err);
}

bool wk_cab_read(const struct wk_cab *cab, const struct wk_cab_file *file, struct wk_buf *plain,
		 struct wk_err *err)
{
	size_t before = plain->len, size = file->size_bytes;
	bool ok = read_file(cab, file, plain, err);

	if (!ok)
		size = 0;
	else if (size && file->offset)
		memmove(plain->at + before, plain->at + before + file->offset, size);
	plain->len = before + size;
	if (plain->at)
		plain->at[plain->len] = '\0';
	return ok;
}
