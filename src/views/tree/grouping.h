/* Which levels a calling tree has: columns, the outermost first, as analysers of traces group by
 * them.
 *
 * Some columns say who ran: processes, threads, processors; some what a wait or a block was about,
 * and are no level of what is neither. The others say where: `module` and
 * `function` are those that a sample was in, and the last one may be the whole stack. A grouping
 * that says nothing of where ends in the stack; one that ends in `module` has the stack by
 * modules, in which functions of one file that follow each other are one frame. */
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
	WK_GROUP_REASON,   /* what for a thread waited */
	WK_GROUP_READIER,  /* the thread that ended the wait */
	WK_GROUP_HEAP,     /* that a block lies in */
	WK_GROUP_PART,     /* the part of the allocator that it is of */
	WK_GROUP_SIZE,     /* its size, from one power of two to the next */
	WK_GROUP_MODULE,   /* the file, and */
	WK_GROUP_FUNCTION, /* the function that a sample was in */
	WK_GROUP_STACK,    /* these two are last */
	WK_GROUP_MODULES,
	WK_GROUP_COLUMNS
};

#define WK_GROUPING_MOST 12

struct wk_grouping {
	uint8_t columns[WK_GROUPING_MOST]; /* enum wk_group_column, each at most once */
	uint8_t count;
};

bool wk_grouping_has(const struct wk_grouping *grouping, enum wk_group_column column);

/* False where it is there already, or there is no room. */
bool wk_grouping_add(struct wk_grouping *grouping, enum wk_group_column column);

/* The one that ends it. */
enum wk_group_column wk_grouping_last(const struct wk_grouping *grouping);

/* Adds the stack where nothing says where. */
void wk_grouping_finish(struct wk_grouping *grouping);

/* "process,thread,stack". */
bool wk_grouping_read(struct wk_grouping *grouping, struct wk_str text, struct wk_err *err);
void wk_grouping_write(const struct wk_grouping *grouping, struct wk_buf *text);

#endif
