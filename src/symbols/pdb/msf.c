#include "symbols/pdb/msf.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define MAGIC_BYTES 32
#define MAP_AT      0x34 /* of the super block: numbers of the blocks that list the directory */
#define NOT_THERE   UINT32_MAX

static const char magic[MAGIC_BYTES] = "Microsoft C/C++ MSF 7.00\r\n\x1a"
				       "DS\0\0";

static const struct {
	const char *begin, *kind;
} others[] = {
	{ "Microsoft C/C++ program database 2.00",
	  "a PDB of Visual C++ 6 or older (version 2.00)" },
	{ "BSJB", "a portable PDB of .NET, which has no machine code" },
};

static bool fail_kind(struct wk_bytes file, struct wk_err *err)
{
	struct wk_str text = wk_str_of((const char *)file.at, wk_bytes_left(&file));

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (wk_str_starts(text, others[i].begin))
			return wk_fail(err, WK_EUNSUPPORTED, 0, "not supported: %s",
				       others[i].kind);
	return wk_fail(err, WK_EFORMAT, 0,
		       "not a PDB: it does not begin with \"Microsoft C/C++ "
		       "MSF 7.00\"");
}

static uint64_t blocks_of(const struct wk_msf *msf, uint64_t size_bytes)
{
	return (size_bytes + msf->block_bytes - 1) / msf->block_bytes;
}

/* Block numbers, wherever those are listed. */
struct list {
	const uint8_t *at;
	uint64_t count;
};

static uint32_t number_at(const struct list *list, uint64_t n)
{
	struct wk_bytes bytes = wk_bytes_of(list->at + n * 4, 4);

	return wk_u32le(&bytes);
}

static bool follow_one_another(const struct list *list)
{
	uint32_t first = list->count ? number_at(list, 0) : 0;

	for (uint64_t i = 1; i < list->count; i++)
		if (number_at(list, i) != first + i)
			return false;
	return true;
}

/* The used part of the n-th block; bad if the file does not have all of it. */
static struct wk_bytes block_of(const struct wk_msf *msf, const struct list *list, uint64_t n,
				uint64_t size_bytes)
{
	uint64_t begin = n * msf->block_bytes, left = size_bytes - begin;
	uint32_t number = number_at(list, n);
	struct wk_bytes bytes;

	bytes = wk_bytes_at(&msf->file, (uint64_t)number * msf->block_bytes,
			    left < msf->block_bytes ? left : msf->block_bytes);
	if (number == 0 || number >= msf->block_count)
		bytes.bad = true;
	return bytes;
}

/* All are looked at before anything is allocated for them. */
static bool are_there(const struct wk_msf *msf, const struct list *list, uint64_t size_bytes,
		      struct wk_err *err)
{
	for (uint64_t i = 0; i < list->count; i++) {
		struct wk_bytes block = block_of(msf, list, i, size_bytes);

		if (block.bad)
			return wk_fail(err, WK_ECORRUPT,
				       (uint64_t)number_at(list, i) * msf->block_bytes,
				       "block %" PRIu32 " of %" PRIu32 " is not in the file",
				       number_at(list, i), msf->block_count);
	}
	return true;
}

/* `list` names as many blocks as `size_bytes` need. */
static bool gather(const struct wk_msf *msf, const struct list *list, uint64_t size_bytes,
		   struct wk_msf_stream *out, struct wk_err *err)
{
	uint8_t *to;

	*out = (struct wk_msf_stream){ .bytes = wk_bytes_of("", 0) };
	if (size_bytes == 0)
		return true;
	if (!are_there(msf, list, size_bytes, err))
		return false;
	if (follow_one_another(list)) {
		const uint8_t *at =
			msf->file.start + (uint64_t)number_at(list, 0) * msf->block_bytes;

		out->bytes = wk_bytes_of(at, size_bytes);
		return true;
	}
	to = out->copy = wk_alloc(size_bytes);
	for (uint64_t i = 0; i < list->count; i++) {
		struct wk_bytes block = block_of(msf, list, i, size_bytes);

		memcpy(to, block.at, wk_bytes_left(&block));
		to += wk_bytes_left(&block);
	}
	out->bytes = wk_bytes_of(out->copy, size_bytes);
	return true;
}

static bool read_head(struct wk_msf *msf, uint32_t *directory_bytes, struct wk_err *err)
{
	struct wk_bytes head = msf->file;

	if (wk_bytes_left(&head) < MAGIC_BYTES || memcmp(head.at, magic, MAGIC_BYTES) != 0)
		return fail_kind(head, err);
	wk_bytes_skip(&head, MAGIC_BYTES);
	msf->block_bytes = wk_u32le(&head);
	wk_bytes_skip(&head, 4); /* which of the two maps of free blocks counts */
	msf->block_count = wk_u32le(&head);
	*directory_bytes = wk_u32le(&head);
	wk_bytes_skip(&head, 4);
	if (head.bad)
		return wk_fail(err, WK_ECORRUPT, MAGIC_BYTES, "the PDB ends inside its header");
	if (msf->block_bytes < 512 || msf->block_bytes > 32768 ||
	    (msf->block_bytes & (msf->block_bytes - 1)) != 0)
		return wk_fail(err, WK_ECORRUPT, MAGIC_BYTES,
			       "blocks of %" PRIu32 " bytes; a PDB "
			       "has a power of two from 512 to 32768",
			       msf->block_bytes);
	if (*directory_bytes < 4 || *directory_bytes > wk_bytes_left(&msf->file))
		return wk_fail(err, WK_ECORRUPT, 0x2c,
			       "a directory of %" PRIu32 " bytes in a "
			       "file of %zu",
			       *directory_bytes, wk_bytes_left(&msf->file));
	return true;
}

/* The directory's blocks are listed in blocks that the super block lists. */
static bool read_directory(struct wk_msf *msf, uint32_t directory_bytes, struct wk_err *err)
{
	uint64_t map_bytes = blocks_of(msf, directory_bytes) * 4;
	struct list pages = { NULL, blocks_of(msf, map_bytes) }, blocks;
	struct wk_msf_stream map, directory;
	struct wk_bytes listed = wk_bytes_at(&msf->file, MAP_AT, pages.count * 4);
	bool ok;

	if (listed.bad || MAP_AT + pages.count * 4 > msf->block_bytes)
		return wk_fail(err, WK_ECORRUPT, MAP_AT,
			       "the list of the directory's blocks does "
			       "not fit in the first block");
	pages.at = listed.at;
	if (!gather(msf, &pages, map_bytes, &map, err))
		return false;
	blocks = (struct list){ map.bytes.at, map_bytes / 4 };
	ok = gather(msf, &blocks, directory_bytes, &directory, err);
	wk_msf_stream_fini(&map);
	if (!ok)
		return false;
	msf->directory = directory.bytes;
	msf->directory_copy = directory.copy;
	return true;
}

static bool list_streams(struct wk_msf *msf, struct wk_err *err)
{
	struct wk_bytes sizes = msf->directory;
	uint64_t words = wk_bytes_left(&sizes) / 4, next;

	msf->stream_count = wk_u32le(&sizes);
	next = (uint64_t)msf->stream_count + 1;
	if (next > words) {
		wk_fail(err, WK_ECORRUPT, WK_NOWHERE,
			"the directory claims %" PRIu32 " streams "
			"and has %" PRIu64 " words",
			msf->stream_count, words);
		msf->stream_count = 0;
		return false;
	}
	msf->streams = wk_alloc_zeroed(next, sizeof(*msf->streams));
	for (uint32_t i = 0; i < msf->stream_count; i++) {
		uint32_t size = wk_u32le(&sizes);

		size = size == NOT_THERE ? 0 : size;
		if (blocks_of(msf, size) > words - next)
			return wk_fail(err, WK_ECORRUPT, WK_NOWHERE,
				       "stream %" PRIu32 " claims "
				       "%" PRIu32 " bytes, more blocks than are listed",
				       i, size);
		msf->streams[i] = (struct wk_msf_row){ size, (uint32_t)next, false };
		next += blocks_of(msf, size);
	}
	return true;
}

static struct list list_of(const struct wk_msf *msf, const struct wk_msf_row *row)
{
	return (struct list){ msf->directory.start + (uint64_t)row->first * 4,
			      blocks_of(msf, row->size_bytes) };
}

/* Stream 0 is an old directory: it is not read, and its blocks may be reused. */
static void find_shared(struct wk_msf *msf)
{
	uint64_t present = blocks_of(msf, wk_bytes_left(&msf->file));
	uint8_t *taken = wk_alloc_zeroed(present / 8 + 1, 1);

	for (uint32_t i = 1; i < msf->stream_count; i++) {
		struct list list = list_of(msf, &msf->streams[i]);

		for (uint64_t k = 0; k < list.count; k++) {
			uint32_t number = number_at(&list, k);
			uint8_t bit = (uint8_t)(1 << number % 8);

			if (number >= present)
				continue;
			if (taken[number / 8] & bit)
				msf->streams[i].is_shared = true;
			taken[number / 8] |= bit;
		}
	}
	wk_free(taken);
}

bool wk_msf_open(struct wk_msf *msf, const void *at, size_t size_bytes, struct wk_err *err)
{
	uint32_t directory_bytes = 0;

	*msf = (struct wk_msf){ .file = wk_bytes_of(at, size_bytes) };
	if (!read_head(msf, &directory_bytes, err) || !read_directory(msf, directory_bytes, err) ||
	    !list_streams(msf, err)) {
		wk_msf_fini(msf);
		return false;
	}
	find_shared(msf);
	return true;
}

void wk_msf_fini(struct wk_msf *msf)
{
	WK_FREE_ALL(msf->directory_copy, msf->streams);
	*msf = (struct wk_msf){ 0 };
}

uint32_t wk_msf_stream_bytes(const struct wk_msf *msf, uint32_t stream)
{
	return stream > 0 && stream < msf->stream_count ? msf->streams[stream].size_bytes : 0;
}

bool wk_msf_read(const struct wk_msf *msf, uint32_t stream, struct wk_msf_stream *out,
		 struct wk_err *err)
{
	struct wk_err why = { 0 };
	struct list list;

	*out = (struct wk_msf_stream){ .bytes = wk_bytes_of("", 0) };
	if (wk_msf_stream_bytes(msf, stream) == 0)
		return wk_fail(err, WK_ENOTFOUND, WK_NOWHERE, "there is no stream %" PRIu32,
			       stream);
	if (msf->streams[stream].is_shared)
		return wk_fail(err, WK_ECORRUPT, WK_NOWHERE,
			       "stream %" PRIu32 " has a block that "
			       "is another stream's",
			       stream);
	list = list_of(msf, &msf->streams[stream]);
	if (!gather(msf, &list, msf->streams[stream].size_bytes, out, &why))
		return wk_fail(err, why.code, why.offset, "stream %" PRIu32 ": %s", stream,
			       why.text);
	return true;
}

void wk_msf_stream_fini(struct wk_msf_stream *stream)
{
	wk_free(stream->copy);
	*stream = (struct wk_msf_stream){ .bytes = wk_bytes_of("", 0) };
}
