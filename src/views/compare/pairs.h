/* Matches the two sides of a comparison.
 *
 * Two builds of a program are in two folders, or have two names; text formats have no images at
 * all. A function is searched for on the other side in the same image, then in images whose files
 * have the same name, then by its name alone: each time only functions without a partner are
 * paired. A function without a known image is merged with all of its name. Functions without a name
 * ("app+0x1160") are paired only in files with the same contents. Last come C++ functions whose
 * parameters one side does not have (names/bare_name.h): a pair if there is one such function on
 * each side.
 *
 * If one side has processes and the other, like folded text, has their names as outermost frames,
 * those frames represent the processes. */
#ifndef WK_VIEWS_COMPARE_PAIRS_H
#define WK_VIEWS_COMPARE_PAIRS_H

#include "views/filter/filter.h"

/* The sides that something was met on, as bits. */
enum { WK_SIDE_BEFORE = 1, WK_SIDE_AFTER = 2, WK_SIDE_BOTH = 3 };

struct wk_pairs {
	wk_function_id *shown; /* [function_count]: the function that each is shown as */
	uint8_t *is_process;   /* [function_count]: as an outermost frame it is not a function but
				* the process of that name; NULL: none is */
	uint8_t *stack_sides;  /* [named.count]: of the samples in view */
	wk_thread_id *thread;  /* [thread_count]: the thread that each is shown as: the first of
				* its name in processes of one name, since its number differs
				* from recording to recording */
	bool has_processes;    /* a level for them makes both sides alike */
	wk_text_id renamed, renamed_to; /* the one process that has another name after */
};

/* `across_images` and `across_files` as in views/tree/merge.h: what is merged within one side. */
void wk_pairs_init(struct wk_pairs *pairs, const struct wk_model *model,
		   const struct wk_filter *filter, bool across_images, bool across_files);
void wk_pairs_fini(struct wk_pairs *pairs);

/* The name that a process is shown under. */
static inline wk_text_id wk_pairs_process_name(const struct wk_pairs *pairs, wk_text_id name)
{
	return pairs && name == pairs->renamed ? pairs->renamed_to : name;
}

/* The thread that one is shown as. */
static inline wk_thread_id wk_pairs_thread(const struct wk_pairs *pairs, wk_thread_id thread)
{
	return pairs ? pairs->thread[thread] : thread;
}

#endif
