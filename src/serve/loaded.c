#include "serve/loaded.h"

#include "base/mem.h"
#include "base/packed/pack.h"
#include "render/page/page.h"
#include "session/annotate/annotate.h"
#include "session/images/image_table.h"

#define CONTEXT_LINES 5
#define MANY_SAMPLES  2000000 /* that a page does not read all of */

struct wk_loaded_block {
	struct wk_buf name, bytes;
	bool is_packed;
};

static struct wk_report_page *make_page(struct wk_loaded *loaded,
					const struct wk_view_options *options,
					const struct wk_messages *messages, struct wk_err *err)
{
	const struct wk_report inputs = { .model = loaded->model,
					  .paths = options->paths,
					  .before = loaded->before,
					  .before_paths = options->before_paths };
	struct wk_report_page *report = wk_report_page_new(&inputs, options->report, err);
	struct wk_out page = wk_out_to_buf(&loaded->page);
	const struct wk_page_served served = {
		.generation = loaded->generation,
		.sends_trees = loaded->sends_trees,
	};

	if (!report)
		return NULL;
	wk_report_page_serve(report, &served, &loaded->policy, &page);
	wk_out_end(&page);
	wk_selection_report(wk_report_page_selection(report), messages);
	return report;
}

/* The other recording has symbols of its own: it can be of another build at the same path. */
static bool open_models(struct wk_loaded *loaded, const struct wk_view_options *options,
			const struct wk_open_options *open, const struct wk_messages *messages,
			struct wk_err *err)
{
	loaded->model =
		wk_open_paths(options->paths, open, loaded->symbolizer.symbols, messages, err);
	if (loaded->model && options->before_paths)
		loaded->before = wk_open_paths(options->before_paths, open, NULL, messages, err);
	return loaded->model && (loaded->before || !options->before_paths);
}

struct wk_loaded *wk_loaded_new(const struct wk_view_options *options,
				const struct wk_open_options *open,
				struct wk_symbolizer *symbolizer, unsigned generation,
				const struct wk_messages *messages, struct wk_err *err)
{
	struct wk_loaded *loaded = wk_alloc_zeroed(1, sizeof(*loaded));

	loaded->generation = generation;
	loaded->users = 1;
	loaded->symbolizer = *symbolizer;
	*symbolizer = (struct wk_symbolizer){ 0 };
	if (open_models(loaded, options, open, messages, err)) {
		loaded->sends_trees =
			options->sends_trees || loaded->model->samples.count > MANY_SAMPLES;
		loaded->report = make_page(loaded, options, messages, err);
	}
	if (!loaded->report) {
		wk_loaded_free(loaded);
		return NULL;
	}
	loaded->aggregates = wk_aggregates_new(loaded->report);
	return loaded;
}

void wk_loaded_free(struct wk_loaded *loaded)
{
	for (size_t i = 0; i < loaded->block_count; i++)
		WK_BUF_FINI_ALL(&loaded->blocks[i].name, &loaded->blocks[i].bytes);
	wk_aggregates_free(loaded->aggregates);
	wk_report_page_free(loaded->report);
	wk_model_free(loaded->before);
	wk_model_free(loaded->model);
	wk_symbolizer_close(&loaded->symbolizer);
	WK_BUF_FINI_ALL(&loaded->page, &loaded->policy, &loaded->modules);
	WK_FREE_ALL(loaded->blocks, loaded);
}

/* ---- blocks */

static bool pack(struct wk_buf *bytes)
{
	struct wk_buf packed = { 0 };
	struct wk_out to = wk_out_to_buf(&packed);
	struct wk_err err = { 0 };
	struct wk_out *packer = wk_can_pack() ? wk_packer_new(&to, &err) : NULL;

	if (!packer)
		return false;
	wk_out_str(packer, wk_buf_str(bytes));
	wk_packer_end(packer);
	wk_out_end(&to);
	wk_buf_fini(bytes);
	*bytes = packed;
	return true;
}

static bool find_block(const struct wk_loaded *loaded, struct wk_str name, bool is_packed,
		       struct wk_str *bytes)
{
	for (size_t i = 0; i < loaded->block_count; i++) {
		const struct wk_loaded_block *block = &loaded->blocks[i];

		if (block->is_packed != is_packed || !wk_str_eq(wk_buf_str(&block->name), name))
			continue;
		*bytes = wk_buf_str(&block->bytes);
		return true;
	}
	return false;
}

bool wk_loaded_block(struct wk_loaded *loaded, struct wk_str name, bool *is_packed,
		     struct wk_str *bytes)
{
	struct wk_loaded_block block = { 0 };

	*is_packed &= wk_can_pack();
	if (find_block(loaded, name, *is_packed, bytes))
		return true;
	if (!wk_report_page_block(loaded->report, name, &block.bytes))
		return false;
	block.is_packed = *is_packed && pack(&block.bytes);
	*is_packed = block.is_packed;
	wk_buf_add_str(&block.name, name);
	*bytes = wk_buf_str(&block.bytes);
	*WK_APPEND(loaded->blocks, loaded->block_count, loaded->blocks_cap) = block;
	return true;
}

/* ---- symbols */

struct wk_str wk_loaded_modules(struct wk_loaded *loaded, const char *recording)
{
	const struct wk_image_context about = {
		.model = loaded->model,
		.symbols = loaded->symbolizer.symbols,
		.fetcher = loaded->symbolizer.remote.fetcher,
		.recording = recording,
		.omits_fixes = true,
	};
	struct wk_images_facts facts = { 0 };
	struct wk_table table;

	if (loaded->modules.len)
		return wk_buf_str(&loaded->modules);
	wk_images_facts_gather(&facts, &about, &wk_report_page_selection(loaded->report)->filter);
	wk_table_init(&table, "symbols");
	wk_image_table_fill(&table, loaded->model, &facts, true);
	wk_page_json_table(&table, &loaded->modules);
	wk_table_fini(&table);
	wk_images_facts_fini(&facts);
	return wk_buf_str(&loaded->modules);
}

/* ---- source code */

static void note_words(struct wk_table *table, const struct wk_buf *words)
{
	if (words->len)
		wk_table_note(table, "%s", wk_buf_text(words));
}

static void write_error(struct wk_out *out, const struct wk_err *err)
{
	wk_out_text(out, "{\"error\":");
	wk_out_json_quoted(out, wk_str_c(err->text));
	wk_out_char(out, '}');
}

/* A table, or the reason why there is none. */
static void write_annotation(struct wk_loaded *loaded, const struct wk_annotate_query *query,
			     struct wk_out *out)
{
	struct wk_annotation annotation;
	struct wk_buf json = { 0 };
	struct wk_err err = { 0 };

	if (!wk_annotation_open(&annotation, query, loaded->model, loaded->symbolizer.symbols,
				&err)) {
		write_error(out, &err);
		return;
	}
	note_words(&annotation.table, &annotation.missing);
	note_words(&annotation.table, &annotation.changed);
	wk_page_json_table(&annotation.table, &json);
	wk_out_str(out, wk_buf_str(&json));
	wk_buf_fini(&json);
	wk_annotation_fini(&annotation);
}

void wk_loaded_annotate(struct wk_loaded *loaded, const char *function,
			const struct wk_filter_spec *filter, const char *const *folders,
			struct wk_out *out)
{
	const struct wk_view_choice choice = { .filter = *filter };
	struct wk_annotate_query query = {
		.word = function,
		.folders = folders,
		.choice = &choice,
		.context = CONTEXT_LINES,
	};

	wk_out_text(out, "{\"function\":");
	wk_out_json_quoted(out, wk_str_c(function));
	wk_out_text(out, ",\n\"source\":");
	write_annotation(loaded, &query, out);
	query.has_code = true;
	wk_out_text(out, ",\n\"instructions\":");
	write_annotation(loaded, &query, out);
	wk_out_text(out, "}\n");
}
