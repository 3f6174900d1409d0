/* Buffers: their start, their fill, and their records unpacked. */
#include <stdarg.h>
#include <stdio.h>

#include "base/mem.h"
#include "formats/etl/internal.h"
#include "formats/etl/packed/xpress.h"

#define LEAST_LIMIT (64u << 10) /* the limit of any unpacked buffer */
#define MOST_RATIO  300
#define HAS_INDEX   0x20

void wk_etl_damaged(struct wk_etl_damage *damage, uint32_t file, uint64_t offset, uint64_t *count,
		    const char *format, ...)
{
	int used = 0;
	va_list args;

	if (count)
		++*count;
	if (damage->first_words[0])
		return;
	damage->first_offset = offset;
	if (file)
		used = snprintf(damage->first_words, sizeof(damage->first_words),
				"file %u: ", file + 1);
	va_start(args, format);
	vsnprintf(damage->first_words + used, sizeof(damage->first_words) - (size_t)used, format,
		  args);
	va_end(args);
}

/* Before Windows 8 the upper byte is an alignment. */
static uint16_t processor(uint16_t number, uint16_t flags)
{
	return flags & HAS_INDEX ? number & 0x7ff : number & 0xff;
}

static bool can_be_size(uint32_t size_bytes)
{
	return size_bytes >= WK_ETL_BUFFER_HEAD && size_bytes <= WK_ETL_MOST_BUFFER;
}

static uint32_t claimed_size(const struct wk_etl_input *input, uint64_t offset)
{
	struct wk_bytes head = wk_bytes_at(&input->bytes, offset, 4);

	return wk_u32le(&head);
}

static bool could_begin(const struct wk_etl_input *input, uint64_t offset)
{
	struct wk_bytes head = wk_bytes_at(&input->bytes, offset, 8);
	bool is_end = offset == wk_bytes_left(&input->bytes);

	return is_end || (can_be_size(wk_u32le(&head)) && wk_u32le(&head) <= WK_ETL_MOST_BUFFER);
}

/* In plain files all buffers have one size. Another size is accepted only if only that leads to a
 * next buffer. */
static uint32_t believed_size(const struct wk_etl_input *input, uint64_t offset)
{
	uint32_t claimed = claimed_size(input, offset);

	if (input->packing != WK_ETL_PLAIN)
		return claimed;
	if (claimed != input->step && can_be_size(claimed) &&
	    could_begin(input, offset + claimed) && !could_begin(input, offset + input->step))
		return claimed;
	return input->step;
}

/* Windows 7 does not set the fill of the first buffer; its next free offset is used. */
void wk_etl_buffer_at(const struct wk_etl_input *input, uint64_t offset,
		      struct wk_etl_buffer *buffer)
{
	struct wk_bytes head = wk_bytes_at(&input->bytes, offset, WK_ETL_BUFFER_HEAD);
	uint64_t left = head.bad ? 0 : (uint64_t)(input->bytes.end - head.at);
	uint32_t current;
	uint16_t number;

	*buffer = (struct wk_etl_buffer){ .offset = offset };
	buffer->size_bytes = believed_size(input, offset);
	wk_bytes_skip(&head, 4);
	buffer->filled_bytes = wk_u32le(&head);
	current = wk_u32le(&head);
	if (buffer->filled_bytes == 0)
		buffer->filled_bytes = current;
	wk_bytes_skip(&head, 12);
	buffer->sequence = wk_u64le(&head);
	wk_bytes_skip(&head, 8);
	number = wk_u16le(&head);
	buffer->logger = wk_u16le(&head);
	wk_bytes_skip(&head, 8);
	buffer->flags = wk_u16le(&head);
	buffer->cpu = processor(number, buffer->flags);
	buffer->is_cut = buffer->size_bytes > left;
	if (buffer->is_cut)
		buffer->size_bytes = (uint32_t)left;
}

static void count_cut(struct wk_etl_walk *walk, uint64_t offset)
{
	wk_etl_damaged(walk->damage, walk->input->number, offset, &walk->damage->cut_buffers,
		       "the file ends inside a buffer");
}

/* The fields of a buffer header. */
static void check(struct wk_etl_walk *walk, const struct wk_etl_buffer *buffer, uint32_t claimed)
{
	struct wk_etl_damage *damage = walk->damage;
	uint32_t number = walk->input->number;

	for (; walk->holes; walk->holes--)
		wk_etl_damaged(damage, number, buffer->offset, &damage->broken_buffers,
			       "a buffer was not written");
	if (buffer->is_cut)
		count_cut(walk, buffer->offset);
	if (claimed != buffer->size_bytes && !buffer->is_cut)
		wk_etl_damaged(damage, number, buffer->offset, &damage->broken_buffers,
			       "the size of a buffer is %u bytes instead of %u", claimed,
			       buffer->size_bytes);
	if (buffer->flags & (WK_ETL_EVENTS_LOST | WK_ETL_BUFFER_LOST))
		damage->lossy_buffers++;
}

/* In a plain file the next buffer is one step away, whatever this one says. */
static bool next_plain(struct wk_etl_walk *walk, struct wk_etl_buffer *buffer)
{
	uint64_t size = wk_bytes_left(&walk->input->bytes);

	while (walk->offset + WK_ETL_BUFFER_HEAD <= size) {
		uint32_t claimed = claimed_size(walk->input, walk->offset);

		if (claimed == 0) {
			walk->holes++;
			walk->offset += walk->input->step;
			continue;
		}
		wk_etl_buffer_at(walk->input, walk->offset, buffer);
		check(walk, buffer, claimed);
		walk->offset += buffer->size_bytes;
		return true;
	}
	return false;
}

/* In a packed file only the buffer itself says where the next one starts. */
static bool next_packed(struct wk_etl_walk *walk, struct wk_etl_buffer *buffer)
{
	uint64_t size = wk_bytes_left(&walk->input->bytes), at = walk->offset;
	uint32_t claimed;

	if (at + WK_ETL_BUFFER_HEAD > size)
		return false;
	claimed = claimed_size(walk->input, at);
	if (!can_be_size(claimed)) {
		wk_etl_damaged(walk->damage, walk->input->number, at, &walk->damage->broken_buffers,
			       "a buffer claims %u bytes; the rest of the file is not read",
			       claimed);
		walk->damage->unread_bytes += size - at;
		walk->offset = size;
		return false;
	}
	wk_etl_buffer_at(walk->input, at, buffer);
	check(walk, buffer, claimed);
	walk->offset += buffer->size_bytes;
	return true;
}

/* Reading a header brings its neighbours into memory as well. */
static void release_walked(struct wk_etl_walk *walk)
{
	if (walk->offset - walk->released < WK_ETL_RELEASED_BYTES)
		return;
	wk_os_release_to(walk->input->mapped, walk->offset);
	walk->released = walk->offset;
}

bool wk_etl_walk_next(struct wk_etl_walk *walk, struct wk_etl_buffer *buffer)
{
	uint64_t size = wk_bytes_left(&walk->input->bytes);

	release_walked(walk);
	if (walk->input->packing == WK_ETL_PLAIN ? next_plain(walk, buffer)
						 : next_packed(walk, buffer))
		return true;
	if (walk->offset < size)
		count_cut(walk, walk->offset);
	walk->offset = size;
	return false;
}

/* The unpacked size of a packed buffer: its claim, limited by its packed size. */
static size_t plain_limit(size_t claim, size_t packed_bytes, size_t most)
{
	size_t limit = LEAST_LIMIT + MOST_RATIO * packed_bytes;

	limit = limit < most ? limit : most;
	limit = limit < WK_ETL_MOST_BUFFER ? limit : WK_ETL_MOST_BUFFER;
	return claim < limit ? claim : limit;
}

static bool unpack(enum wk_etl_packing packing, struct wk_bytes packed, uint8_t *plain,
		   size_t size_bytes, size_t *made)
{
	if (packing == WK_ETL_LZNT1)
		return wk_lznt1(packed, plain, size_bytes, made);
	if (packing == WK_ETL_HUFFMAN)
		return wk_xpress_huffman(packed, plain, size_bytes, made);
	return wk_xpress_plain(packed, plain, size_bytes, made);
}

/* The old content is not copied. */
static void resize(struct wk_etl_scratch *scratch, size_t size)
{
	if (scratch->at && size <= scratch->cap)
		return;
	wk_free(scratch->at);
	scratch->at = wk_alloc(size ? size : 1);
	scratch->cap = size;
}

static bool unpacked(enum wk_etl_packing packing, struct wk_bytes packed, size_t claim, size_t most,
		     struct wk_etl_scratch *scratch, struct wk_bytes *records)
{
	size_t size = plain_limit(claim, wk_bytes_left(&packed), most), made = 0;
	bool is_whole;

	resize(scratch, size);
	is_whole = unpack(packing, packed, scratch->at, size, &made);
	*records = wk_bytes_of(scratch->at, made);
	return is_whole && made == claim;
}

bool wk_etl_buffer_records(const struct wk_etl_input *input, const struct wk_etl_buffer *buffer,
			   size_t most, struct wk_etl_scratch *scratch, struct wk_bytes *records)
{
	struct wk_bytes all = wk_bytes_at(&input->bytes, buffer->offset, buffer->size_bytes);
	size_t claim = (size_t)buffer->filled_bytes - WK_ETL_BUFFER_HEAD, left;

	wk_bytes_skip(&all, WK_ETL_BUFFER_HEAD);
	*records = wk_bytes_of(all.at, 0);
	if (all.bad || buffer->filled_bytes < WK_ETL_BUFFER_HEAD)
		return false;
	if (input->packing != WK_ETL_PLAIN && buffer->flags & WK_ETL_PACKED_BUFFER)
		return unpacked(input->packing, all, claim, most, scratch, records);
	left = wk_bytes_left(&all);
	*records = wk_bytes_of(all.at, claim < left ? claim : left);
	return claim <= left;
}
