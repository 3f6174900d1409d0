/* Names for COUNT addresses of FILE's code, chosen by chance but alike at every run:
 * "vaddr start size name", in hexadecimal of 16 digits, "-" where nothing was found.
 * What tests/oracle/symbols.sh compares with what other tools say. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "os/os.h"
#include "symbols/image/symbols.h"
#include "symbols/object/object.h"

static uint64_t random_u64(uint64_t *seed)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return *seed >> 20;
}

static uint64_t code_bytes(const struct wk_obj *elf)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < elf->segment_count; i++)
		if (elf->segments[i].type == WK_PT_LOAD && elf->segments[i].flags & WK_PF_X)
			sum += elf->segments[i].file_size;
	return sum;
}

/* The file offset of byte number `index` of all code. */
static uint64_t code_at(const struct wk_obj *elf, uint64_t index)
{
	for (uint32_t i = 0; i < elf->segment_count; i++) {
		const struct wk_obj_segment *s = &elf->segments[i];

		if (s->type != WK_PT_LOAD || !(s->flags & WK_PF_X))
			continue;
		if (index < s->file_size)
			return s->offset + index;
		index -= s->file_size;
	}
	return 0;
}

static void print_at(struct wk_image_symbols *image, uint64_t offset)
{
	struct wk_symbol s;
	uint64_t vaddr;

	if (!wk_obj_vaddr_of(wk_image_obj(image), offset, &vaddr))
		return;
	if (!wk_image_find(image, offset, &s)) {
		printf("%016" PRIx64 " - - -\n", vaddr);
		return;
	}
	printf("%016" PRIx64 " %016" PRIx64 " %016" PRIx64 " %.*s%s\n", vaddr,
	       vaddr - (offset - s.start), s.size_bytes, WK_STR_ARG(s.name),
	       s.is_plt ? "@plt" : "");
}

int main(int argc, char **argv)
{
	struct wk_symbols *symbols = wk_symbols_new(NULL);
	struct wk_image_key key = { .path = wk_str_c(argc > 1 ? argv[1] : "") };
	struct wk_image_symbols *image = wk_symbols_image(symbols, &key);
	uint64_t count = argc > 2 ? strtoull(argv[2], NULL, 10) : 1000, seed = 7, bytes, begin;
	struct wk_symbol first;

	if (!wk_image_obj(image)) {
		fprintf(stderr, "symbol_at: %s\n", wk_image_reason(image));
		wk_symbols_free(symbols);
		return 1;
	}
	begin = wk_os_clock_ns();
	wk_image_find(image, 0, &first);
	fprintf(stderr, "first answer after %" PRIu64 " us; %s\n",
		(wk_os_clock_ns() - begin) / 1000, wk_image_reason(image));
	bytes = code_bytes(wk_image_obj(image));
	for (uint64_t i = 0; i < count && bytes > 0; i++)
		print_at(image, code_at(wk_image_obj(image), random_u64(&seed) % bytes));
	wk_symbols_free(symbols);
	return 0;
}
