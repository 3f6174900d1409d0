/* The levels of a calling tree: columns, the outermost first, as trace analysers group by them.
 *
 * Some columns are about who ran: processes, threads, processors; some about the subject of a wait
 * or a block, and other samples skip them. `annotation` is a label of the stack. The others are
 * locations: `module` and `function` are those of the sample, and the last one may be the whole
 * stack. If no location column is given, `stack` is appended; a grouping that ends in `module` has
 * the stack by modules, in which consecutive functions of one file are one frame. */
#ifndef WK_VIEWS_TREE_GROUPING_H
#define WK_VIEWS_TREE_GROUPING_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"

enum wk_group_column {
	WK_GROUP_PROCESS, /* processes of one name are one */
	WK_GROUP_PID,     /* each process by itself */
	WK_GROUP_THREAD,
	WK_GROUP_CPU,
	WK_GROUP_REASON,     /* what for a thread waited */
	WK_GROUP_READIER,    /* the thread that ended the wait */
	WK_GROUP_HEAP,       /* that contains a block */
	WK_GROUP_PART,       /* the part of the allocator that it is of */
	WK_GROUP_SIZE,       /* its size, from one power of two to the next */
	WK_GROUP_ANNOTATION, /* the label of the stack by rules (views/tree/annotations.h) */
	WK_GROUP_MODULE,     /* the file, and */
	WK_GROUP_FUNCTION,   /* the function that a sample was in */
	WK_GROUP_STACK,      /* these two are last */
	WK_GROUP_MODULES,
	WK_GROUP_COLUMNS
};

#define WK_GROUPING_MOST 12

struct wk_grouping {
	uint8_t columns[WK_GROUPING_MOST]; /* enum wk_group_column, each at most once */
	uint8_t count;
};

bool wk_grouping_has(const struct wk_grouping *grouping, enum wk_group_column column);

/* False if it is present already, or there is no space. */
bool wk_grouping_add(struct wk_grouping *grouping, enum wk_group_column column);

/* The one that ends it. */
enum wk_group_column wk_grouping_last(const struct wk_grouping *grouping);

/* Appends the stack if there is no location column. */
void wk_grouping_finish(struct wk_grouping *grouping);

/* "process,thread,stack". */
bool wk_grouping_read(struct wk_grouping *grouping, struct wk_str text, struct wk_err *err);
void wk_grouping_write(const struct wk_grouping *grouping, struct wk_buf *text);

#endif
