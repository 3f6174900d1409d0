#include "session/annotate/annotate.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/strtab.h"
#include "names/closure.h"
#include "os/os.h"
#include "session/annotate/instructions.h"
#include "session/annotate/source_rows.h"
#include "session/annotate/source_text.h"
#include "views/function_choice.h"
#include "views/shown_names.h"
#include "views/source_line.h"
#include "views/tree/flat.h"
#include "views/wall_clock.h"

/* A line with samples. */
struct hit {
	struct wk_str file;
	uint32_t line;
	wk_function_id function; /* one of those that share the line */
	uint64_t self, total;
	uint32_t samples;
};

struct annotator {
	const struct wk_annotate_query *query;
	const struct wk_model *model;
	struct wk_table *table;
	struct wk_source_rows rows;
	struct hit *hits;
	size_t count, cap;
	struct wk_str missing; /* a file that was not found */
	size_t missing_count;
	struct wk_str changed; /* the first file that was edited since */
	size_t changed_count;
};

static bool is_end_of_path(struct wk_str path, struct wk_str typed)
{
	size_t front = path.len - typed.len;

	if (path.len < typed.len || !wk_str_eq(wk_str_skip(path, front), typed))
		return false;
	return front == 0 || path.at[front - 1] == '/' || path.at[front - 1] == '\\';
}

/* A file as people type it: "../src/app.c" from another folder, and "src/app.c:57" of a table. */
static struct wk_str typed_file(const char *word)
{
	struct wk_str typed = wk_str_c(word);
	size_t end;

	while (wk_str_accept(&typed, "./") || wk_str_accept(&typed, "../"))
		;
	end = typed.len;
	while (end && typed.at[end - 1] >= '0' && typed.at[end - 1] <= '9')
		end--;
	if (end && end < typed.len && typed.at[end - 1] == ':')
		typed.len = end - 1;
	return typed;
}

static bool is_source_file(const struct wk_model *model, struct wk_str typed)
{
	for (wk_function_id id = 1; id < model->function_count; id++)
		if (is_end_of_path(wk_model_str(model, model->functions[id].file), typed))
			return true;
	return false;
}

static int by_place(const void *left, const void *right)
{
	const struct hit *a = left, *b = right;
	int order = wk_str_compare(a->file, b->file);

	return order ? order : (a->line > b->line) - (a->line < b->line);
}

/* Of the lines of the chosen functions; of those of the file if there are none. */
static void find_hits(struct annotator *annotator, const struct wk_flat *flat, bool is_of_functions)
{
	struct wk_str typed = typed_file(annotator->query->word);

	for (uint32_t i = 0; i < flat->count; i++) {
		const struct wk_flat_row *row = &flat->rows[i];
		struct wk_str file = wk_source_file(annotator->model, row->id);

		if (!file.len || (!is_of_functions && !is_end_of_path(file, typed)))
			continue;
		*WK_APPEND(annotator->hits, annotator->count, annotator->cap) = (struct hit){
			.file = file,
			.line = annotator->model->named_frames.line[row->id],
			.function = row->function,
			.self = row->self, .total = row->total, .samples = row->self_samples,
		};
	}
	if (annotator->count)
		qsort(annotator->hits, annotator->count, sizeof(*annotator->hits), by_place);
}

/* From the end of the lines already shown up to the context before the next line with samples. */
static uint32_t next_shown(const struct annotator *annotator, uint32_t shown, uint32_t line)
{
	uint32_t context = annotator->query->context;
	uint32_t first = line > context ? line - context : 1;

	if (annotator->query->shows_all || first <= shown + 2) /* no gap of a single line */
		return shown + 1;
	return first;
}

/* When the recording was made: by this machine's clock, otherwise when the file was written, which
 * may be a copy. 0: unknown. */
static uint64_t recorded_ns(const struct wk_model *model)
{
	struct wk_os_identity recording;
	struct wk_os_host here;
	struct wk_err err = { 0 };
	uint64_t wall_ns;

	wk_os_host(&here);
	if (wk_str_is(wk_model_fact(model, "host name"), here.name) &&
	    wk_wall_clock_of(model, &wall_ns))
		return wall_ns;
	return wk_os_identify(wk_model_input(model), &recording, &err) && recording.is_regular
		       ? recording.changed_ns
		       : 0;
}

/* Was the file edited after that? Several recordings are not compared. */
static bool is_newer(const struct wk_model *model, const struct wk_source_text *text)
{
	uint64_t at_ns = model->has_several_inputs || !model->input ? 0 : recorded_ns(model);

	return at_ns && text->changed_ns > at_ns;
}

/* Without the source: the lines by number, and for people the function in place of the text. */
static void add_lines(struct annotator *annotator, const struct hit *hits, size_t count)
{
	annotator->missing = hits[0].file;
	annotator->missing_count++;
	for (size_t i = 0; i < count; i++) {
		wk_source_rows_line(
			&annotator->rows, hits[i].line, wk_str_c(""),
			&(struct wk_row_weight){ hits[i].self, hits[i].total, hits[i].samples });
		wk_table_brief(annotator->table,
			       wk_function_shown_name(annotator->model, hits[i].function));
	}
}

static void add_source(struct annotator *annotator, const struct wk_source_text *text,
		       const struct hit *hits, size_t count)
{
	const struct wk_annotate_query *query = annotator->query;
	uint32_t shown = 0, last;

	for (size_t i = 0; i < count; i++) {
		uint32_t line = next_shown(annotator, shown, hits[i].line);

		if (shown && line > shown + 1)
			wk_source_rows_gap(&annotator->rows);
		for (; line < hits[i].line; line++)
			wk_source_rows_line(&annotator->rows, line, wk_source_text_line(text, line),
					    NULL);
		wk_source_rows_line(
			&annotator->rows, hits[i].line, wk_source_text_line(text, hits[i].line),
			&(struct wk_row_weight){ hits[i].self, hits[i].total, hits[i].samples });
		shown = hits[i].line;
		last = i + 1 < count ? hits[i + 1].line - 1 : UINT32_MAX;
		for (uint32_t left = query->shows_all ? UINT32_MAX : query->context;
		     left && shown < last && shown < text->count; left--) {
			shown++;
			wk_source_rows_line(&annotator->rows, shown,
					    wk_source_text_line(text, shown), NULL);
		}
	}
	if (is_newer(annotator->model, text) && annotator->changed_count++ == 0)
		annotator->changed = wk_table_keep(annotator->table, wk_buf_str(&text->path));
}

static void add_file(struct annotator *annotator, const struct hit *hits, size_t count)
{
	struct wk_source_text text;

	wk_source_rows_file(&annotator->rows, hits[0].file);
	if (wk_source_text_open(&text, hits[0].file, annotator->query->folders))
		add_source(annotator, &text, hits, count);
	else
		add_lines(annotator, hits, count);
	wk_source_text_close(&text);
}

static void add_files(struct annotator *annotator)
{
	size_t end;

	for (size_t i = 0; i < annotator->count; i = end) {
		for (end = i + 1; end < annotator->count; end++)
			if (!wk_str_eq(annotator->hits[i].file, annotator->hits[end].file))
				break;
		add_file(annotator, &annotator->hits[i], end - i);
	}
}

/* Where the source was searched. */
static void explain_missing(const struct annotator *annotator, struct wk_buf *sentence)
{
	const char *const *folders = annotator->query->folders;

	if (annotator->missing_count == 0)
		return;
	wk_buf_add_fmt(sentence, "source not found: %.*s", WK_STR_ARG(annotator->missing));
	if (annotator->missing_count > 1)
		wk_buf_add_fmt(sentence, " and %zu more files", annotator->missing_count - 1);
	for (size_t i = 0; folders[i]; i++)
		wk_buf_add_fmt(sentence, "%s%s",
			       i == 0           ? "; also searched below "
			       : folders[i + 1] ? ", "
						: " and ",
			       strcmp(folders[i], ".") == 0 ? "the current folder" : folders[i]);
	wk_buf_add_text(sentence, "; --source FOLDER searches there, --asm prints instructions");
}

static void explain_changed(const struct annotator *annotator, struct wk_buf *sentence)
{
	if (annotator->changed_count == 0)
		return;
	wk_buf_add_str(sentence, annotator->changed);
	if (annotator->changed_count == 1)
		wk_buf_add_text(sentence, " was");
	else
		wk_buf_add_fmt(sentence, " and %zu more were", annotator->changed_count - 1);
	wk_buf_add_text(sentence, " changed after the recording: lines below the change are not "
				  "those that were recorded");
}

static bool fail_lines(const struct annotator *annotator, bool is_function, struct wk_err *err)
{
	if (!wk_has_source_lines(annotator->model) && annotator->model->came_named)
		return wk_fail(err, WK_EEMPTY, WK_NOWHERE, WK_NO_LINES_IN_INPUT);
	if (!wk_has_source_lines(annotator->model))
		return wk_fail(err, WK_EEMPTY, WK_NOWHERE,
			       "no source lines are known: no program of this recording has debug "
			       "information; `wick symbols %s` shows how to get it",
			       wk_model_one_input(annotator->model));
	return wk_fail(err, WK_EEMPTY, WK_NOWHERE,
		       is_function
			       ? "no source lines of %s are known in the samples in view; compile "
				 "with -g, or print its instructions with --asm"
			       : "no samples in view are in %s",
		       annotator->query->word);
}

static bool fill_source(struct annotator *annotator, const struct wk_filter *filter,
			const uint8_t *functions, struct wk_err *err)
{
	struct wk_tree_options shown = { 0 };
	struct wk_flat flat;
	bool ok = true;

	wk_view_shape(annotator->query->choice, &shown);
	wk_flat_init_places(&flat, annotator->model, filter, functions, &shown);
	find_hits(annotator, &flat, functions != NULL);
	wk_source_rows_init(&annotator->rows, annotator->table, annotator->model, filter->source,
			    flat.whole);
	if (annotator->count && wk_source_is_late(annotator->model, filter->source))
		wk_table_note(annotator->table, WK_SOURCE_IS_LATE);
	if (annotator->count)
		add_files(annotator);
	else
		ok = fail_lines(annotator, functions, err);
	wk_flat_fini(&flat);
	return ok;
}

static struct wk_str name_of(const struct wk_shown_names *names, wk_function_id id)
{
	return wk_shown_name(names, wk_model_str(names->model, names->model->functions[id].name));
}

/* Closures are written between the lines of their function. Short names, since those of debug
 * information lack the parameters that linked ones have. */
static void add_closures(const struct wk_model *model, uint8_t *functions)
{
	struct wk_strtab *homes = wk_strtab_new();
	struct wk_shown_names shown;

	wk_shown_names_init(&shown, model);
	for (wk_function_id id = 1; id < model->function_count; id++)
		if (functions[id])
			wk_strtab_add_str(homes, name_of(&shown, id));
	for (wk_function_id id = 1; id < model->function_count; id++) {
		struct wk_str home = wk_closure_home(name_of(&shown, id));

		functions[id] |= home.len && wk_strtab_find(homes, home);
	}
	wk_shown_names_fini(&shown);
	wk_strtab_free(homes);
}

static bool fill(struct annotator *annotator, const struct wk_filter *filter,
		 struct wk_symbols *symbols, struct wk_err *err)
{
	const struct wk_annotate_query *query = annotator->query;
	uint8_t *functions = NULL;
	bool ok;

	if (!query->has_code && is_source_file(annotator->model, typed_file(query->word)))
		return fill_source(annotator, filter, NULL, err);
	functions = wk_choose_functions(annotator->model, query->word,
					query->choice->filter.ignore_case, err);
	if (!functions)
		return false;
	if (!query->has_code)
		add_closures(annotator->model, functions);
	ok = query->has_code ? wk_instructions_fill(annotator->table, annotator->model, filter,
						    symbols, functions, query, err)
			     : fill_source(annotator, filter, functions, err);
	wk_free(functions);
	return ok;
}

bool wk_annotation_open(struct wk_annotation *annotation, const struct wk_annotate_query *query,
			const struct wk_model *model, struct wk_symbols *symbols,
			struct wk_err *err)
{
	struct annotator annotator = { .query = query, .model = model,
				       .table = &annotation->table };
	bool ok;

	*annotation = (struct wk_annotation){ 0 };
	wk_table_init(&annotation->table, "annotate");
	ok = wk_selection_open(&annotation->selection, model, &query->choice->filter, err) &&
	     wk_selection_expect(&annotation->selection, err) &&
	     fill(&annotator, &annotation->selection.filter, symbols, err);
	explain_missing(&annotator, &annotation->missing);
	explain_changed(&annotator, &annotation->changed);
	wk_free(annotator.hits);
	if (!ok)
		wk_annotation_fini(annotation);
	return ok;
}

void wk_annotation_fini(struct wk_annotation *annotation)
{
	WK_BUF_FINI_ALL(&annotation->missing, &annotation->changed);
	wk_table_fini(&annotation->table);
	wk_selection_fini(&annotation->selection);
}
