/* Small ELF files for tests, of either class and byte order.
 *
 * Order of calls: fill a struct elf_spec, elf_write. Sections are laid one behind the other
 * from section 1 on (section 0 and .shstrtab are added); a segment spans from one section to
 * another. Text sections are made with elf_add_name, symbols with elf_add_symbol. */
#ifndef WK_TESTS_ELF_WRITER_H
#define WK_TESTS_ELF_WRITER_H

#include <string.h>

#include "base/buf.h"
#include "symbols/object/object.h"

#define ELF_MOST_SECTIONS 16

struct elf_section_spec {
	const char *name;
	uint32_t type, link, info;
	uint64_t flags, vaddr, entry_size;
	const void *at;
	size_t size_bytes;
	bool is_empty_in_file; /* SHT_NOBITS-like: size counts, bytes do not */
	uint64_t offset;       /* filled by elf_write */
};

struct elf_segment_spec {
	uint32_t type, flags;
	unsigned first, last; /* sections */
};

struct elf_spec {
	bool is_32, big_endian;
	uint16_t type, machine;
	uint64_t entry;
	struct elf_section_spec sections[ELF_MOST_SECTIONS]; /* [0] is unused; ends with no name */
	struct elf_segment_spec segments[ELF_MOST_SECTIONS]; /* ends with type 0 */
	bool has_no_section_headers;
};

static inline void elf_put(struct wk_buf *out, bool big_endian, uint64_t value, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++) {
		unsigned place = big_endian ? bytes - 1 - i : i;

		wk_buf_add_char(out, place < 8 ? (char)(value >> 8 * place) : 0);
	}
}

static inline void elf_put_word(const struct elf_spec *spec, struct wk_buf *out, uint64_t value)
{
	elf_put(out, spec->big_endian, value, spec->is_32 ? 4 : 8);
}

static inline void elf_align(struct wk_buf *out)
{
	while (out->len % 8 != 0)
		wk_buf_add_char(out, 0);
}

/* Adds a name to a string section and gives its offset; the first byte is a NUL. */
static inline uint32_t elf_add_name(struct wk_buf *names, const char *name)
{
	uint32_t at;

	if (names->len == 0)
		wk_buf_add_char(names, 0);
	at = (uint32_t)names->len;
	wk_buf_add(names, name, strlen(name) + 1);
	return at;
}

/* Adds a symbol to a symbol section; the empty symbol 0 comes by itself. */
static inline void elf_add_symbol(const struct elf_spec *spec, struct wk_buf *out, uint32_t name,
				  uint64_t value, uint64_t size, unsigned binding, unsigned type,
				  unsigned section)
{
	bool big = spec->big_endian;

	if (out->len == 0)
		for (int i = 0; i < (spec->is_32 ? 16 : 24); i++)
			wk_buf_add_char(out, 0);
	elf_put(out, big, name, 4);
	if (spec->is_32) {
		elf_put(out, big, value, 4);
		elf_put(out, big, size, 4);
	}
	elf_put(out, big, binding << 4 | type, 1);
	elf_put(out, big, 0, 1);
	elf_put(out, big, section, 2);
	if (!spec->is_32) {
		elf_put(out, big, value, 8);
		elf_put(out, big, size, 8);
	}
}

/* A GNU build id note. */
static inline void elf_add_build_id(const struct elf_spec *spec, struct wk_buf *out, const char *id,
				    size_t len)
{
	elf_put(out, spec->big_endian, 4, 4);
	elf_put(out, spec->big_endian, len, 4);
	elf_put(out, spec->big_endian, 3, 4);
	wk_buf_add(out, "GNU", 4);
	wk_buf_add(out, id, len);
}

/* Describes section `index`; what else it has (link, entry_size ...) is set in the result. */
static inline struct elf_section_spec *elf_section(struct elf_spec *spec, unsigned index,
						   const char *name, uint32_t type, uint64_t flags,
						   uint64_t vaddr, struct wk_str content)
{
	struct elf_section_spec *s = &spec->sections[index];

	*s = (struct elf_section_spec){
		.name = name,
		.type = type,
		.flags = flags,
		.vaddr = vaddr,
		.at = content.at,
		.size_bytes = content.len,
	};
	return s;
}

static inline unsigned elf_count_sections(const struct elf_spec *spec)
{
	unsigned count = 1;

	while (count < ELF_MOST_SECTIONS && spec->sections[count].name)
		count++;
	return count;
}

static inline unsigned elf_count_segments(const struct elf_spec *spec)
{
	unsigned count = 0;

	while (count < ELF_MOST_SECTIONS && spec->segments[count].type != 0)
		count++;
	return count;
}

static inline void elf_put_header(const struct elf_spec *spec, struct wk_buf *out,
				  uint64_t sections_at)
{
	bool big = spec->big_endian;
	unsigned sections = spec->has_no_section_headers ? 0 : elf_count_sections(spec) + 1;

	wk_buf_add(out, "\177ELF", 4);
	elf_put(out, big, spec->is_32 ? 1 : 2, 1);
	elf_put(out, big, big ? 2 : 1, 1);
	elf_put(out, big, 1, 1);
	wk_buf_add(out, "\0\0\0\0\0\0\0\0", 9);
	elf_put(out, big, spec->type, 2);
	elf_put(out, big, spec->machine, 2);
	elf_put(out, big, 1, 4);
	elf_put_word(spec, out, spec->entry);
	elf_put_word(spec, out, spec->is_32 ? 52 : 64);
	elf_put_word(spec, out, sections ? sections_at : 0);
	elf_put(out, big, 0, 4);
	elf_put(out, big, spec->is_32 ? 52 : 64, 2);
	elf_put(out, big, spec->is_32 ? 32 : 56, 2);
	elf_put(out, big, elf_count_segments(spec), 2);
	elf_put(out, big, spec->is_32 ? 40 : 64, 2);
	elf_put(out, big, sections, 2);
	elf_put(out, big, sections ? sections - 1 : 0, 2);
}

static inline void elf_put_segment(const struct elf_spec *spec, struct wk_buf *out,
				   const struct elf_segment_spec *segment)
{
	const struct elf_section_spec *first = &spec->sections[segment->first];
	const struct elf_section_spec *last = &spec->sections[segment->last];
	uint64_t size =
		last->offset + (last->is_empty_in_file ? 0 : last->size_bytes) - first->offset;
	bool big = spec->big_endian;

	elf_put(out, big, segment->type, 4);
	if (!spec->is_32)
		elf_put(out, big, segment->flags, 4);
	elf_put_word(spec, out, first->offset);
	elf_put_word(spec, out, first->vaddr);
	elf_put_word(spec, out, first->vaddr);
	elf_put_word(spec, out, size);
	elf_put_word(spec, out, size);
	if (spec->is_32)
		elf_put(out, big, segment->flags, 4);
	elf_put_word(spec, out, 0x1000);
}

static inline void elf_put_section(const struct elf_spec *spec, struct wk_buf *out, uint32_t name,
				   const struct elf_section_spec *s)
{
	bool big = spec->big_endian;

	elf_put(out, big, name, 4);
	elf_put(out, big, s->type, 4);
	elf_put_word(spec, out, s->flags);
	elf_put_word(spec, out, s->vaddr);
	elf_put_word(spec, out, s->offset);
	elf_put_word(spec, out, s->size_bytes);
	elf_put(out, big, s->link, 4);
	elf_put(out, big, s->info, 4);
	elf_put_word(spec, out, 1);
	elf_put_word(spec, out, s->entry_size);
}

static inline void elf_place_sections(struct elf_spec *spec, uint64_t at)
{
	for (unsigned i = 1; i < elf_count_sections(spec); i++) {
		struct elf_section_spec *s = &spec->sections[i];

		s->offset = at;
		if (!s->is_empty_in_file)
			at = (at + s->size_bytes + 7) & ~7ull;
	}
}

/* `out` is emptied first. */
static inline void elf_write(struct elf_spec *spec, struct wk_buf *out)
{
	unsigned sections = elf_count_sections(spec), segments = elf_count_segments(spec);
	uint64_t begin = (spec->is_32 ? 52 + segments * 32 : 64 + segments * 56) + 7;
	struct elf_section_spec none = { 0 }, names_section = { .type = 3 };
	struct wk_buf names = { 0 }, body = { 0 };
	uint32_t name_at[ELF_MOST_SECTIONS];

	begin &= ~7ull;
	elf_place_sections(spec, begin);
	for (unsigned i = 1; i < sections; i++) {
		const struct elf_section_spec *s = &spec->sections[i];

		name_at[i] = elf_add_name(&names, s->name);
		if (!s->is_empty_in_file)
			wk_buf_add(&body, s->at, s->size_bytes);
		elf_align(&body);
	}
	names_section.offset = begin + body.len;
	name_at[0] = elf_add_name(&names, ".shstrtab");
	names_section.size_bytes = names.len;
	wk_buf_add(&body, names.at, names.len);
	elf_align(&body);

	wk_buf_reset(out);
	elf_put_header(spec, out, begin + body.len);
	for (unsigned i = 0; i < segments; i++)
		elf_put_segment(spec, out, &spec->segments[i]);
	elf_align(out);
	wk_buf_add(out, body.at, body.len);
	if (!spec->has_no_section_headers) {
		elf_put_section(spec, out, 0, &none);
		for (unsigned i = 1; i < sections; i++)
			elf_put_section(spec, out, name_at[i], &spec->sections[i]);
		elf_put_section(spec, out, name_at[0], &names_section);
	}
	wk_buf_fini(&names);
	wk_buf_fini(&body);
}

#endif
