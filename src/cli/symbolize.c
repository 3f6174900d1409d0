#include "cli/symbolize.h"

#include <string.h>

#include "base/arena.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/sort.h"
#include "cli/symbolize_json.h"
#include "symbols/demangle.h"

/* Texts as they are shown, by the place where the symbols keep them: the same text is always
 * at the same place. */
struct shown {
	struct wk_str words;
	bool is_plain; /* a function that is linked by the name that its source gives it */
};

struct shown_texts {
	struct wk_map ids;
	struct shown *rows; /* from 1 on */
	size_t count, cap;
};

struct answer {
	size_t at, len;
};

static const struct wk_str nameless = WK_STR("");

struct wk_answers {
	struct wk_answer_style style;
	struct wk_out *out;
	struct wk_arena arena;
	struct shown_texts functions, files;
	struct wk_buf scratch, escaped;
	struct wk_buf line; /* the answers that are being put together */
	struct answer *pieces;       /* of `line`, by question */
	struct wk_sort_key *order;
	size_t piece_cap, order_cap;
	struct wk_place places[WK_MOST_PLACES];
};

struct wk_answers *wk_answers_new(const struct wk_answer_style *style, struct wk_out *out)
{
	struct wk_answers *answers = wk_alloc_zeroed(1, sizeof(*answers));

	answers->style = *style;
	answers->out = out;
	answers->functions.count = answers->files.count = 1;
	return answers;
}

static void texts_fini(struct shown_texts *texts)
{
	wk_map_fini(&texts->ids);
	free(texts->rows);
}

void wk_answers_free(struct wk_answers *answers)
{
	if (!answers)
		return;
	texts_fini(&answers->functions);
	texts_fini(&answers->files);
	wk_buf_fini(&answers->scratch);
	wk_buf_fini(&answers->escaped);
	wk_buf_fini(&answers->line);
	free(answers->pieces);
	free(answers->order);
	wk_arena_fini(&answers->arena);
	free(answers);
}

/* Names come from files: nothing in them may reach the terminal as a command. */
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
	return wk_arena_copy(&answers->arena, wk_buf_str(&answers->escaped));
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
	else if (answers->style.no_demangle || !wk_demangle(name, &answers->scratch))
		wk_buf_add_str(&answers->scratch, name);
	wk_buf_add_text(&answers->scratch, behind);
	return escaped(answers, wk_buf_str(&answers->scratch), after);
}

static struct wk_str file_words(struct wk_answers *answers, struct wk_str path)
{
	if (path.len == 0)
		return answers->style.json ? wk_answer_json_unknown : wk_str_c("??:");
	return escaped(answers, answers->style.basenames ? wk_str_basename(path) : path, ":");
}

static struct shown *find(struct shown_texts *texts, struct wk_str text, bool *is_new)
{
	uint32_t *id = wk_map_at(&texts->ids, (uint64_t)(uintptr_t)text.at + 1);

	*is_new = *id == 0;
	if (*is_new) {
		texts->rows = wk_grow(texts->rows, &texts->cap, texts->count + 1,
				      sizeof(*texts->rows));
		texts->rows[texts->count] = (struct shown){ 0 };
		*id = (uint32_t)texts->count++;
	}
	return &texts->rows[*id];
}

static struct shown *shown_function(struct wk_answers *answers, struct wk_str name)
{
	bool is_new;
	struct shown *shown = find(&answers->functions, name.len ? name : nameless, &is_new);

	if (is_new)
		shown->words = function_words(answers, name, "");
	return shown;
}

static struct wk_str shown_file(struct wk_answers *answers, struct wk_str path)
{
	struct shown *shown;
	bool is_new;

	if (path.len == 0)
		return file_words(answers, path);
	shown = find(&answers->files, path, &is_new);
	if (is_new)
		shown->words = file_words(answers, path);
	return shown->words;
}

static char *put_text(char *at, struct wk_str text)
{
	memcpy(at, text.at, text.len);
	return at + text.len;
}

static char *put_number(char *at, uint32_t number)
{
	char digits[10];
	size_t count = 0;

	do {
		digits[count++] = (char)('0' + number % 10);
		number /= 10;
	} while (number);
	while (count)
		*at++ = digits[--count];
	return at;
}

/* Line 0 is code that has no line of its own. Where nothing is known, addr2line says 0. */
static char *put_line(const struct wk_answers *answers, char *at, const struct wk_place *place,
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

#define INLINED_BY " (inlined by) "

/* The pieces are put together in place: this is what a hundred thousand answers live on. */
static void add_place(struct wk_answers *answers, struct wk_str function,
		      const struct wk_place *place, bool is_caller, bool is_known)
{
	struct wk_str file = shown_file(answers, place->file);
	struct wk_str caller = { "", 0 };
	struct wk_buf *line = &answers->line;
	char *at;

	if (is_caller && answers->style.pretty)
		caller = wk_str_c(INLINED_BY);
	if (answers->style.no_functions)
		function.len = 0;
	at = wk_buf_extend(line, caller.len + function.len + file.len + 32);
	at = put_text(at, caller);
	at = put_text(at, function);
	at = put_text(at, file);
	at = put_line(answers, at, place, is_known);
	line->len = (size_t)(at - line->at);
}

static bool is_mangled(struct wk_str name)
{
	return wk_str_starts(name, "_Z") || wk_str_starts(name, "_R");
}

/* The function that the machine ran. Debug information has no linked name for what only one
 * file sees, and then says less (`pay` for `shop::pay(int)`) than the table of symbols does. In
 * C both say the same, and the table is asked once for each name. */
static struct wk_str outermost_function(struct wk_answers *answers,
					const struct wk_image_symbols *image, uint64_t vaddr,
					struct wk_str name, bool *is_known)
{
	struct shown *shown = shown_function(answers, name);
	struct wk_symbol symbol;

	if (shown->is_plain || is_mangled(name) || !image ||
	    !wk_image_find_of(image, vaddr, &symbol))
		return shown->words;
	*is_known = true;
	shown->is_plain = name.len && wk_str_eq(name, symbol.name);
	if (name.len && !is_mangled(symbol.name))
		return shown->words;
	if (symbol.is_plt)
		return function_words(answers, symbol.name, "@plt");
	return shown_function(answers, symbol.name)->words;
}

static void add_frame(struct wk_answers *answers, struct wk_str function,
		      const struct wk_place *place, bool is_inlined, bool is_first)
{
	struct wk_answer_frame frame = {
		.function = answers->style.no_functions ? wk_str_c("") : function,
		.file = shown_file(answers, place->file),
		.place = place,
		.is_inlined = is_inlined,
		.is_first = is_first,
	};

	wk_answer_json_frame(&answers->line, &frame);
}

/* Whether anything is known of it. */
static bool add_places(struct wk_answers *answers, const struct wk_image_symbols *image,
		       uint64_t vaddr)
{
	struct wk_place *places = answers->places;
	size_t count = image ? wk_image_places_of(image, vaddr, places, WK_MOST_PLACES) : 0;
	size_t first = answers->style.no_inlined && count ? count - 1 : 0;
	bool is_known = count > 0;

	if (count == 0)
		places[count++] = (struct wk_place){ 0 };
	for (size_t i = first; i < count; i++) {
		struct wk_str function = places[i].function;

		if (i + 1 < count)
			function = shown_function(answers, function)->words;
		else
			function = outermost_function(answers, image, vaddr, function, &is_known);
		if (!answers->style.json)
			add_place(answers, function, &places[i], i > first, is_known);
		else if (is_known)
			add_frame(answers, function, &places[i], i + 1 < count, i == first);
	}
	return is_known;
}

static void add_address(struct wk_answers *answers, uint64_t vaddr)
{
	char text[18] = "0x";

	for (int i = 0; i < 16; i++)
		text[2 + i] = "0123456789abcdef"[vaddr >> (60 - 4 * i) & 15];
	wk_buf_add(&answers->line, text, sizeof(text));
	wk_buf_add_text(&answers->line, answers->style.pretty ? ": " : "\n");
}

static void add_object(struct wk_answers *answers, const struct wk_question *question)
{
	bool is_known;

	wk_answer_json_begin(&answers->line, question);
	is_known = add_places(answers, question->image, question->vaddr);
	wk_answer_json_end(&answers->line, question, is_known);
}

static void add_answer(struct wk_answers *answers, const struct wk_question *question)
{
	if (answers->style.json) {
		add_object(answers, question);
		return;
	}
	if (answers->style.shows_address)
		add_address(answers, question->vaddr);
	add_places(answers, question->image, question->vaddr);
}

/* By address, so that tables far larger than the processor's caches are gone through once. */
static void make_order(struct wk_answers *answers, const struct wk_question *questions,
		       size_t count)
{
	answers->order = wk_grow(answers->order, &answers->order_cap, count,
				 sizeof(*answers->order));
	answers->pieces = wk_grow(answers->pieces, &answers->piece_cap, count,
				  sizeof(*answers->pieces));
	for (size_t i = 0; i < count; i++)
		answers->order[i] = (struct wk_sort_key){ questions[i].vaddr, (uint32_t)i };
	if (count > 1)
		wk_sort_keys(answers->order, count);
}

void wk_answers_say(struct wk_answers *answers, const struct wk_question *questions, size_t count)
{
	struct wk_buf *line = &answers->line;

	if (count == 0)
		return;
	make_order(answers, questions, count);
	wk_buf_reset(line);
	for (size_t i = 0; i < count; i++) {
		uint32_t row = answers->order[i].row;
		size_t at = line->len;

		add_answer(answers, &questions[row]);
		answers->pieces[row] = (struct answer){ at, line->len - at };
	}
	for (size_t i = 0; i < count; i++)
		wk_out_bytes(answers->out, line->at + answers->pieces[i].at,
			     answers->pieces[i].len);
}
