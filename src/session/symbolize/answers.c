#include "session/symbolize/answers.h"

#include <string.h>

#include "base/arena.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/sort.h"
#include "names/demangle/demangle.h"
#include "names/function_name.h"
#include "session/symbolize/answers_json.h"
#include "session/symbolize/shown_texts.h"

/* The number of questions that are looked up before they are answered: the results stay in the
 * processor's caches. */
#define BATCH 2048

/* The memory for a search is prefetched this number of searches before it. */
#define AHEAD 8

/* The most bytes of a line, a column and what surrounds them. */
#define NUMBER_BYTES 32

struct image_texts {
	struct wk_image_symbols *image; /* or NULL */
	struct wk_shown_texts functions, files;
	bool has_unknown; /* an address in it had no answer */
};

/* The places of a question in `found`: an empty one if there are none. */
struct span {
	size_t first;
	uint32_t count;
	bool is_known;
};

struct wk_answers {
	struct wk_answer_style style;
	struct wk_out *out;
	struct wk_arena arena;
	struct wk_shown *unknown_file, *inlined_by;
	struct wk_map image_ids;
	struct image_texts **images; /* from 1 on */
	size_t image_count, image_cap;
	struct image_texts *last_image;
	struct wk_map symbol_ids;  /* by the address of the name in the symbol table */
	struct wk_shown **symbols; /* from 1 on */
	size_t symbol_count, symbol_cap;
	struct wk_buf scratch, escaped;
	struct wk_place_ids *found;
	size_t found_count, found_cap;
	struct wk_sort_key order[BATCH];
	struct span spans[BATCH];
};

/* --- Words --------------------------------------------------------------------------------- */

/* Names come from files: no control character reaches the terminal. Valid until the next call. */
static struct wk_str escaped(struct wk_answers *answers, struct wk_str text, const char *behind)
{
	struct wk_out out = wk_out_to_buf(&answers->escaped);

	wk_buf_reset(&answers->escaped);
	if (answers->style.json) {
		wk_out_json_quoted(&out, text);
	} else {
		wk_out_term(&out, text);
		wk_out_text(&out, behind);
	}
	wk_out_end(&out);
	return wk_buf_str(&answers->escaped);
}

static struct wk_str function_words(struct wk_answers *answers, struct wk_str name,
				    const char *behind)
{
	const char *after = answers->style.pretty ? " at " : "\n";

	wk_buf_reset(&answers->scratch);
	if (name.len == 0 && answers->style.json)
		return wk_answer_json_unknown;
	if (name.len == 0)
		wk_buf_add_text(&answers->scratch, "??");
	else if (answers->style.no_demangle)
		wk_buf_add_str(&answers->scratch, name);
	else if (!wk_function_demangle(name, &answers->scratch))
		wk_buf_add_str(&answers->scratch, wk_name_without_clones(name));
	wk_buf_add_text(&answers->scratch, behind);
	return escaped(answers, wk_buf_str(&answers->scratch), after);
}

static struct wk_str file_words(struct wk_answers *answers, struct wk_str path)
{
	if (path.len == 0 && answers->style.json)
		return wk_answer_json_unknown;
	if (path.len == 0)
		return escaped(answers, wk_str_c("??"), ":");
	return escaped(answers, answers->style.basenames ? wk_str_basename(path) : path, ":");
}

struct wk_answers *wk_answers_new(const struct wk_answer_style *style, struct wk_out *out)
{
	struct wk_answers *answers = wk_alloc_zeroed(1, sizeof(*answers));

	answers->style = *style;
	answers->out = out;
	answers->symbol_count = answers->image_count = 1;
	answers->unknown_file = wk_shown_new(&answers->arena, file_words(answers, wk_str_c("")));
	answers->inlined_by = wk_shown_new(&answers->arena, wk_str_c(" (inlined by) "));
	return answers;
}

void wk_answers_free(struct wk_answers *answers)
{
	if (!answers)
		return;
	for (size_t i = 1; i < answers->image_count; i++) {
		wk_shown_texts_fini(&answers->images[i]->functions);
		wk_shown_texts_fini(&answers->images[i]->files);
	}
	wk_map_fini(&answers->image_ids);
	wk_map_fini(&answers->symbol_ids);
	WK_BUF_FINI_ALL(&answers->scratch, &answers->escaped);
	wk_arena_fini(&answers->arena);
	WK_FREE_ALL(answers->images, answers->symbols, answers->found, answers);
}

static void add_image(struct wk_answers *answers, struct wk_image_symbols *image)
{
	struct image_texts *texts = wk_arena_alloc(&answers->arena, sizeof(*texts));

	*texts = (struct image_texts){ .image = image };
	wk_shown_texts_init(&texts->functions);
	wk_shown_texts_init(&texts->files);
	*WK_APPEND(answers->images, answers->image_count, answers->image_cap) = texts;
}

static struct image_texts *texts_of(struct wk_answers *answers, struct wk_image_symbols *image)
{
	uint32_t *id;

	if (answers->last_image && answers->last_image->image == image)
		return answers->last_image;
	id = wk_map_at(&answers->image_ids, (uint64_t)(uintptr_t)image);
	if (!*id) {
		*id = (uint32_t)answers->image_count;
		add_image(answers, image);
	}
	answers->last_image = answers->images[*id];
	return answers->last_image;
}

static struct wk_shown *add_function(struct wk_answers *answers, struct image_texts *texts,
				     uint32_t id)
{
	struct wk_str name = id ? wk_image_text(texts->image, id) : wk_str_c("");
	struct wk_shown *shown =
		wk_shown_texts_add(&texts->functions, id, function_words(answers, name, ""));

	shown->is_final = wk_is_mangled(name);
	return shown;
}

static struct wk_shown *function_of(struct wk_answers *answers, struct image_texts *texts,
				    uint32_t id)
{
	struct wk_shown *shown = wk_shown_texts_find(&texts->functions, id);

	return shown ? shown : add_function(answers, texts, id);
}

static struct wk_shown *file_of(struct wk_answers *answers, struct image_texts *texts, uint32_t id)
{
	struct wk_shown *shown;

	if (id == 0)
		return answers->unknown_file;
	shown = wk_shown_texts_find(&texts->files, id);
	if (!shown)
		shown = wk_shown_texts_add(&texts->files, id,
					   file_words(answers, wk_image_text(texts->image, id)));
	return shown;
}

static struct wk_shown *symbol_of(struct wk_answers *answers, const struct wk_symbol *symbol)
{
	uint64_t key = (uint64_t)(uintptr_t)symbol->name.at << 1 | symbol->is_plt;
	uint32_t *id = wk_map_at(&answers->symbol_ids, key);
	struct wk_str words;

	if (*id)
		return answers->symbols[*id];
	words = function_words(answers, symbol->name, symbol->is_plt ? "@plt" : "");
	WK_RESERVE(answers->symbols, answers->symbol_cap, answers->symbol_count + 1);
	answers->symbols[answers->symbol_count] = wk_shown_new(&answers->arena, words);
	*id = (uint32_t)answers->symbol_count++;
	return answers->symbols[*id];
}

/* Compilers append to the names of parts of a function: x.cold. */
static bool is_linked_as(struct wk_str linked, struct wk_str name)
{
	if (linked.len > name.len && linked.at[name.len] == '.')
		linked.len = name.len;
	return wk_str_eq(linked, name);
}

/* The function that the machine ran. Debug information has no linked name for functions of one file
 * only, and then the symbol table has the better name (`shop::pay(int)` for `pay`). In C both are
 * equal, and the table is queried once for each name. */
static struct wk_shown *outermost_function(struct wk_answers *answers, struct image_texts *texts,
					   uint64_t vaddr, uint32_t id, bool *is_known)
{
	struct wk_shown *shown = function_of(answers, texts, id);
	struct wk_str name = { "", 0 };
	struct wk_symbol symbol;

	if (shown->is_final || !texts->image || !wk_image_find_of(texts->image, vaddr, &symbol))
		return shown;
	*is_known = true;
	if (id)
		name = wk_image_text(texts->image, id);
	if (name.len == 0 || wk_is_mangled(symbol.name))
		return symbol_of(answers, &symbol);
	shown->is_final = is_linked_as(symbol.name, name);
	return shown;
}

/* --- Answers ------------------------------------------------------------------------------- */

static char *put_number(char *at, uint32_t number)
{
	unsigned width = 1;

	for (uint64_t limit = 10; number >= limit; limit *= 10)
		width++;
	for (unsigned i = width; i-- > 0; number /= 10)
		at[i] = (char)('0' + number % 10);
	return at + width;
}

/* Line 0 is code without a line. For unknown addresses, addr2line prints 0. */
static char *put_line(const struct wk_answers *answers, char *at, const struct wk_place_ids *place,
		      bool is_known)
{
	if (place->line || !is_known)
		at = put_number(at, place->line);
	else
		*at++ = '?';
	if (answers->style.columns) {
		*at++ = ':';
		at = put_number(at, place->column);
	}
	*at++ = '\n';
	return at;
}

static void add_place(struct wk_answers *answers, const struct wk_answer_frame *frame,
		      bool is_known)
{
	size_t most = answers->inlined_by->len + frame->function.len + frame->file.len;
	char *at = wk_out_reserve(answers->out, most + NUMBER_BYTES + WK_SHOWN_PIECE);

	if (answers->style.pretty && !frame->is_first)
		at = wk_shown_put(at, wk_shown_words(answers->inlined_by));
	at = wk_shown_put(at, frame->function);
	at = wk_shown_put(at, frame->file);
	wk_out_took(answers->out, put_line(answers, at, frame->place, is_known));
}

/* False if nothing is known. */
static bool add_places(struct wk_answers *answers, const struct wk_address_lookup *question,
		       const struct span *span)
{
	struct image_texts *texts = texts_of(answers, question->image);
	const struct wk_place_ids *places = answers->found + span->first;
	uint32_t last = span->count - 1, first = answers->style.no_inlined ? last : 0;
	bool is_known = span->is_known;

	for (uint32_t i = first; i <= last; i++) {
		const struct wk_place_ids *place = &places[i];
		struct wk_shown *function =
			i < last ? function_of(answers, texts, place->function)
				 : outermost_function(answers, texts, question->vaddr,
						      place->function, &is_known);
		struct wk_answer_frame frame = {
			.function = wk_shown_words(function),
			.file = wk_shown_words(file_of(answers, texts, place->file)),
			.place = place,
			.is_inlined = i < last,
			.is_first = i == first,
		};

		if (answers->style.no_functions)
			frame.function.len = 0;
		if (!answers->style.json)
			add_place(answers, &frame, is_known);
		else if (is_known)
			wk_answer_json_frame(answers->out, &frame);
	}
	texts->has_unknown |= !is_known;
	return is_known;
}

static void add_address(struct wk_answers *answers, uint64_t vaddr)
{
	static const char plain[] = "0x0000000000000000\n", pretty[] = "0x0000000000000000: ";
	size_t len = answers->style.pretty ? sizeof(pretty) - 1 : sizeof(plain) - 1;
	char *text = wk_out_reserve(answers->out, sizeof(pretty));

	memcpy(text, answers->style.pretty ? pretty : plain, len);
	for (char *at = text + strlen("0x0000000000000000"); vaddr; vaddr >>= 4)
		*--at = "0123456789abcdef"[vaddr & 15];
	wk_out_took(answers->out, text + len);
}

static void add_answer(struct wk_answers *answers, const struct wk_address_lookup *question,
		       const struct span *span)
{
	bool is_known;

	if (answers->style.json)
		wk_answer_json_begin(answers->out, question);
	else if (answers->style.shows_address)
		add_address(answers, question->shown);
	is_known = add_places(answers, question, span);
	if (answers->style.json)
		wk_answer_json_end(answers->out, question, is_known);
}

static void expect(const struct wk_address_lookup *question)
{
	if (question->image)
		wk_image_expect(question->image, question->vaddr);
}

static struct span look_up(struct wk_answers *answers, const struct wk_address_lookup *question)
{
	struct span span = { answers->found_count, 0, false };
	struct wk_place_ids *places;

	WK_RESERVE(answers->found, answers->found_cap, span.first + WK_MOST_PLACES);
	places = answers->found + span.first;
	if (question->image)
		span.count = (uint32_t)wk_image_place_ids_of(question->image, question->vaddr,
							     places, WK_MOST_PLACES);
	span.is_known = span.count > 0;
	if (span.count == 0)
		places[span.count++] = (struct wk_place_ids){ 0 };
	answers->found_count += span.count;
	return span;
}

/* Looked up in the order of addresses, so that tables larger than the processor's caches are read
 * once. */
static void say_batch(struct wk_answers *answers, const struct wk_address_lookup *questions,
		      size_t count)
{
	for (size_t i = 0; i < count; i++)
		answers->order[i] = (struct wk_sort_key){ questions[i].vaddr, (uint32_t)i };
	wk_sort_keys(answers->order, count);
	answers->found_count = 0;
	for (size_t i = 0; i < count; i++) {
		uint32_t row = answers->order[i].row;

		if (i + AHEAD < count)
			expect(&questions[answers->order[i + AHEAD].row]);
		answers->spans[row] = look_up(answers, &questions[row]);
	}
	for (size_t i = 0; i < count; i++)
		add_answer(answers, &questions[i], &answers->spans[i]);
}

bool wk_answers_lack(const struct wk_answers *answers, struct wk_image_symbols *image)
{
	for (size_t i = 1; i < answers->image_count; i++)
		if (answers->images[i]->image == image)
			return answers->images[i]->has_unknown;
	return false;
}

void wk_answers_say(struct wk_answers *answers, const struct wk_address_lookup *questions,
		    size_t count)
{
	for (size_t done = 0; done < count; done += BATCH)
		say_batch(answers, questions + done, count - done < BATCH ? count - done : BATCH);
}
