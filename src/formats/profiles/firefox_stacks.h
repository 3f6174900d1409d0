/* The tables of stacks in a Firefox profile, and the stacks built from them.
 *
 *	while there are keys: wk_fx_tables_key(&maker, &tables, key, json)
 *	stack = wk_fx_stack(&maker, &shared, &tables, row);    of a sample
 *	wk_fx_tables_fini(&tables); */
#ifndef WK_FORMATS_PROFILES_FIREFOX_STACKS_H
#define WK_FORMATS_PROFILES_FIREFOX_STACKS_H

#include "base/map.h"
#include "base/strtab.h"
#include "formats/profiles/firefox_table.h"
#include "formats/stack_writer.h"

/* Texts by index. */
struct wk_fx_texts {
	uint32_t *at;
	size_t count, cap;
};

/* The parts of stacks. In new profiles all threads share them, in others each thread has its
 * own. */
struct wk_fx_tables {
	struct wk_fx_table stacks, frames, funcs, resources, symbols, sources;
	struct wk_fx_texts strings, libs;
	struct wk_fx_texts categories; /* of the shared tables only */
	uint32_t *number_of_frame;     /* of the writer, + 1 */
	uint32_t *number_of_stack;     /* + 1 */
};

/* What building them needs; the writer and the texts belong to the caller. */
struct wk_fx_maker {
	struct wk_stack_writer *writer;
	struct wk_strtab *texts;
	struct wk_map open_of; /* by text: see there */
	uint32_t *path;        /* scratch of walks to the root */
	size_t path_cap;
};

/* Reads the value of a key if it is one of the tables. */
void wk_fx_tables_key(struct wk_fx_maker *maker, struct wk_fx_tables *tables, struct wk_str key,
		      struct wk_json *json);
bool wk_fx_tables_have_stacks(const struct wk_fx_tables *tables);
void wk_fx_tables_fini(struct wk_fx_tables *tables);

/* The writer's number of the stack in a row of `tables`. Names that these have not are looked
 * up in `shared`. */
uint32_t wk_fx_stack(struct wk_fx_maker *maker, const struct wk_fx_tables *shared,
		     struct wk_fx_tables *tables, int64_t row);

#endif
