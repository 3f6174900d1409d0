#include "formats/perf/wick_sections.h"

#include "base/hash.h"
#include "base/mem.h"

#define MAGIC      0x6b636b77u /* "wkck" */
#define HEAD_CHECK 20          /* how much of the head its own checksum covers */

/* So much damage is not chance: give up rather than search on. */
#define MOST_DAMAGE 1000

/* Chunks begin at multiples of 8. */
static size_t padding(size_t len)
{
	return (8 - len % 8) % 8;
}

void wk_section_add_text(struct wk_section *section, struct wk_str text)
{
	if (text.len > WK_SECTION_TEXT) {
		text.len = WK_SECTION_TEXT;
		section->cut_texts++;
	}
	wk_buf_add_u32(&section->rows, (uint32_t)text.len);
	wk_buf_add_str(&section->rows, text);
}

void wk_section_add_known(struct wk_section *section, struct wk_str text)
{
	uint32_t number;

	if (!section->known)
		section->known = wk_strtab_new();
	number = wk_strtab_find(section->known, text);
	if (text.len == 0 || number) {
		wk_buf_add_u32(&section->rows, number + 1);
		return;
	}
	wk_strtab_add_str(section->known, text);
	wk_buf_add_u32(&section->rows, 0);
	wk_section_add_text(section, text);
}

void wk_section_add_build_id(struct wk_section *section, const struct wk_build_id *id)
{
	wk_buf_add_char(&section->rows, (char)id->size);
	wk_buf_add(&section->rows, id->bytes, id->size);
}

void wk_section_end_row(struct wk_section *section)
{
	section->row_count++;
	if (section->rows.len >= WK_SECTION_CHUNK)
		wk_section_close(section);
}

void wk_section_add_chunk(struct wk_buf *out, enum wk_section_subject subject, struct wk_str rows,
			  uint32_t row_count)
{
	size_t head = out->len;

	wk_buf_add_u32(out, MAGIC);
	wk_buf_add_u16(out, (uint16_t)subject);
	wk_buf_add_u16(out, WK_SECTION_VERSION);
	wk_buf_add_u32(out, (uint32_t)rows.len);
	wk_buf_add_u32(out, row_count);
	wk_buf_add_u32(out, wk_crc32(0, rows.at, rows.len));
	wk_buf_add_u32(out, wk_crc32(0, out->at + head, HEAD_CHECK));
	wk_buf_add_str(out, rows);
	memset(wk_buf_extend(out, padding(rows.len)), 0, padding(rows.len));
}

void wk_section_close(struct wk_section *section)
{
	if (section->row_count == 0)
		return;
	wk_section_add_chunk(&section->done, section->subject, wk_buf_str(&section->rows),
			     section->row_count);
	wk_buf_reset(&section->rows);
	section->row_count = 0;
	wk_strtab_free(section->known);
	section->known = NULL;
}

void wk_section_fini(struct wk_section *section)
{
	wk_strtab_free(section->known);
	WK_BUF_FINI_ALL(&section->done, &section->rows);
}

enum found {
	NO_CHUNK,
	BAD_ROWS, /* the header is valid, so its length is, and the window follows it */
	WHOLE_CHUNK,
};

static enum found chunk_at(struct wk_bytes *section, struct wk_section_chunk *chunk)
{
	struct wk_bytes in = *section;
	uint32_t magic = wk_u32le(&in), size, crc, head_crc;

	chunk->subject = (enum wk_section_subject)wk_u16le(&in);
	chunk->version = wk_u16le(&in);
	size = wk_u32le(&in);
	chunk->row_count = wk_u32le(&in);
	crc = wk_u32le(&in);
	head_crc = wk_u32le(&in);
	if (in.bad || magic != MAGIC || head_crc != wk_crc32(0, section->at, HEAD_CHECK))
		return NO_CHUNK;
	chunk->rows = wk_bytes_slice(&in, size);
	*section = in;
	wk_bytes_skip(section, padding(size));
	if (chunk->rows.bad || crc != wk_crc32(0, chunk->rows.at, wk_bytes_left(&chunk->rows)))
		return BAD_ROWS;
	return WHOLE_CHUNK;
}

struct wk_str wk_section_next_own(struct wk_bytes *section)
{
	struct wk_bytes head = *section, chunk;
	uint32_t size;

	wk_bytes_skip(&head, 4 + 2 + 2);
	size = wk_u32le(&head);
	chunk = wk_bytes_slice(section, HEAD_CHECK + 4 + (uint64_t)size + padding(size));
	return wk_bytes_str(chunk);
}

bool wk_section_next(struct wk_bytes *section, struct wk_section_chunk *chunk, uint64_t *damaged)
{
	while (wk_bytes_left(section) > 0 && *damaged < MOST_DAMAGE) {
		const uint8_t *next = section->at;

		switch (chunk_at(section, chunk)) {
		case WHOLE_CHUNK:
			return true;
		case BAD_ROWS:
			++*damaged;
			break;
		case NO_CHUNK:
			++*damaged;
			do
				next = memchr(next + 1, MAGIC & 0xff,
					      (size_t)(section->end - next) - 1);
			while (next && section->end - next >= 4 && memcmp(next, "wkck", 4) != 0);
			section->at = next ? next : section->end;
			break;
		}
	}
	return false;
}

struct wk_str wk_section_text(struct wk_bytes *rows)
{
	struct wk_bytes text = wk_bytes_slice(rows, wk_u32le(rows));

	return wk_str_of((const char *)text.at, wk_bytes_left(&text));
}

/* Number 0 is the empty text, as in the table that they were written from. */
void wk_section_known_begin(struct wk_section_known *known)
{
	WK_RESERVE(known->texts, known->cap, 1);
	known->texts[0] = (struct wk_str)WK_STR("");
	known->count = 1;
}

struct wk_str wk_section_known_text(struct wk_bytes *rows, struct wk_section_known *known)
{
	uint32_t number = wk_u32le(rows);

	if (number) {
		rows->bad |= number - 1 >= known->count;
		return rows->bad ? wk_str_c("") : known->texts[number - 1];
	}
	WK_RESERVE(known->texts, known->cap, known->count + 1);
	known->texts[known->count] = wk_section_text(rows);
	rows->bad |= known->texts[known->count].len > WK_SECTION_TEXT;
	return known->texts[known->count++];
}

void wk_section_known_fini(struct wk_section_known *known)
{
	wk_free(known->texts);
}

struct wk_build_id wk_section_build_id(struct wk_bytes *rows)
{
	struct wk_build_id id = { .size = wk_u8(rows) };

	if (id.size > sizeof(id.bytes)) {
		rows->bad = true;
		id.size = 0;
	}
	if (wk_bytes_need(rows, id.size)) {
		memcpy(id.bytes, rows->at, id.size);
		rows->at += id.size;
	} else {
		id.size = 0;
	}
	return id;
}
