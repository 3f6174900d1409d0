/* Small PE files for tests, of 32 and of 64 bits.
 *
 * Order of calls: fill a struct pe_spec (sections with pe_section, symbols with pe_add_symbol),
 * pe_write. Headers come first, then the sections' bytes, then symbols and strings. */
#ifndef WK_TESTS_PE_WRITER_H
#define WK_TESTS_PE_WRITER_H

#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "symbols/object/pe.h"

#define PE_MOST_SECTIONS 16

#define PE_CODE 0x60000020u
#define PE_DATA 0x40000040u

/* Where pe_write puts the PE header. */
#define PE_HEADER_AT 0x40

struct pe_section_spec {
	const char *name; /* any length; longer ones go into the strings */
	uint32_t rva, memory_bytes, flags;
	struct wk_str content;
	bool is_empty_in_file;
};

struct pe_spec {
	bool is_32;
	uint16_t machine, flags;
	uint32_t time_stamp, image_bytes, entry;
	uint64_t image_base;
	struct wk_pe_range directories[WK_PE_DIRECTORIES];
	struct pe_section_spec sections[PE_MOST_SECTIONS]; /* [0] is section 1; ends with no name */
	struct wk_buf symbols, strings;
	uint32_t symbol_count; /* with what belongs to them */
};

static inline void pe_put(struct wk_buf *out, uint64_t value, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++)
		wk_buf_add_char(out, i < 8 ? (char)(value >> 8 * i) : 0);
}

static inline void pe_fill(struct wk_buf *out, size_t len)
{
	while (out->len < len)
		wk_buf_add_char(out, 0);
}

/* The offset of a text in the strings, which begin with their size. */
static inline uint32_t pe_add_string(struct pe_spec *spec, const char *text)
{
	uint32_t at = (uint32_t)spec->strings.len + 4;

	wk_buf_add(&spec->strings, text, strlen(text) + 1);
	return at;
}

static inline void pe_add_name(struct pe_spec *spec, struct wk_buf *out, const char *name)
{
	char field[8] = { 0 };

	if (strlen(name) > 8) {
		pe_put(out, 0, 4);
		pe_put(out, pe_add_string(spec, name), 4);
		return;
	}
	memcpy(field, name, strlen(name));
	wk_buf_add(out, field, sizeof(field));
}

/* `more`: so many entries of zeros behind it. */
static inline void pe_add_symbol(struct pe_spec *spec, const char *name, unsigned section,
				 uint32_t value, unsigned type, unsigned storage, unsigned more)
{
	struct wk_buf *out = &spec->symbols;

	pe_add_name(spec, out, name);
	pe_put(out, value, 4);
	pe_put(out, section, 2);
	pe_put(out, type, 2);
	pe_put(out, storage, 1);
	pe_put(out, more, 1);
	pe_fill(out, out->len + more * 18);
	spec->symbol_count += 1 + more;
}

/* Section `number`, from 1 on; what else it has is set in the result. */
static inline struct pe_section_spec *pe_section(struct pe_spec *spec, unsigned number,
						 const char *name, uint32_t flags, uint32_t rva,
						 struct wk_str content)
{
	struct pe_section_spec *s = &spec->sections[number - 1];

	*s = (struct pe_section_spec){
		.name = name,
		.flags = flags,
		.rva = rva,
		.memory_bytes = (uint32_t)content.len,
		.content = content,
	};
	return s;
}

static inline uint32_t pe_round(uint64_t bytes)
{
	return (uint32_t)((bytes + 511) / 512 * 512);
}

static inline unsigned pe_count_sections(const struct pe_spec *spec)
{
	unsigned count = 0;

	while (count < PE_MOST_SECTIONS && spec->sections[count].name)
		count++;
	return count;
}

static inline void pe_put_optional(const struct pe_spec *spec, struct wk_buf *out)
{
	pe_put(out, spec->is_32 ? 0x10b : 0x20b, 2);
	pe_put(out, 0, 14);
	pe_put(out, spec->entry, 4);
	pe_put(out, 0x1000, 4);
	if (spec->is_32)
		pe_put(out, 0, 4);
	pe_put(out, spec->image_base, spec->is_32 ? 4 : 8);
	pe_put(out, 0x1000, 4);
	pe_put(out, 512, 4);
	pe_fill(out, out->len + 16);
	pe_put(out, spec->image_bytes, 4);
	pe_put(out, 1024, 4);
	pe_fill(out, out->len + (spec->is_32 ? 28 : 44));
	pe_put(out, WK_PE_DIRECTORIES, 4);
	for (int i = 0; i < WK_PE_DIRECTORIES; i++) {
		pe_put(out, spec->directories[i].rva, 4);
		pe_put(out, spec->directories[i].size_bytes, 4);
	}
}

static inline uint32_t pe_file_bytes(const struct pe_section_spec *s)
{
	return s->is_empty_in_file ? 0 : pe_round(s->content.len);
}

static inline void pe_put_section(struct pe_spec *spec, struct wk_buf *out,
				  const struct pe_section_spec *s, uint32_t at)
{
	char name[9];

	if (strlen(s->name) > 8) {
		snprintf(name, sizeof(name), "/%u",
			 (unsigned)pe_add_string(spec, s->name) % 1000000);
		pe_add_name(spec, out, name);
	} else {
		pe_add_name(spec, out, s->name);
	}
	pe_put(out, s->memory_bytes, 4);
	pe_put(out, s->rva, 4);
	pe_put(out, pe_file_bytes(s), 4);
	pe_put(out, pe_file_bytes(s) ? at : 0, 4);
	pe_fill(out, out->len + 12);
	pe_put(out, s->flags, 4);
}

static inline void pe_write(struct pe_spec *spec, struct wk_buf *out)
{
	unsigned count = pe_count_sections(spec);
	uint32_t at = 1024, symbols_at = at;

	for (unsigned i = 0; i < count; i++)
		symbols_at += pe_file_bytes(&spec->sections[i]);
	wk_buf_add(out, "MZ", 2);
	pe_fill(out, 0x3c);
	pe_put(out, PE_HEADER_AT, 4);
	wk_buf_add(out, "PE\0", 4);
	pe_put(out, spec->machine, 2);
	pe_put(out, count, 2);
	pe_put(out, spec->time_stamp, 4);
	pe_put(out, symbols_at, 4);
	pe_put(out, spec->symbol_count, 4);
	pe_put(out, (spec->is_32 ? 96 : 112) + 8 * WK_PE_DIRECTORIES, 2);
	pe_put(out, spec->flags, 2);
	pe_put_optional(spec, out);
	for (unsigned i = 0; i < count; i++) {
		pe_put_section(spec, out, &spec->sections[i], at);
		at += pe_file_bytes(&spec->sections[i]);
	}
	pe_fill(out, 1024);
	for (unsigned i = 0; i < count; i++) {
		if (!spec->sections[i].is_empty_in_file)
			wk_buf_add_str(out, spec->sections[i].content);
		pe_fill(out, pe_round(out->len));
	}
	wk_buf_add_str(out, wk_buf_str(&spec->symbols));
	pe_put(out, spec->strings.len + 4, 4);
	wk_buf_add_str(out, wk_buf_str(&spec->strings));
}

static inline void pe_spec_fini(struct pe_spec *spec)
{
	wk_buf_fini(&spec->symbols);
	wk_buf_fini(&spec->strings);
}

#endif
