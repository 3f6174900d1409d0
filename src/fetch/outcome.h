/* How a request to one source ended. Decisions depend on the kind; the message is generated from it
 * at the end. */
#ifndef WK_FETCH_OUTCOME_H
#define WK_FETCH_OUTCOME_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

enum wk_outcome_kind {
	WK_OUTCOME_NONE, /* not known yet */
	WK_OUTCOME_DONE,
	WK_OUTCOME_MISSING,   /* the source does not have the file */
	WK_OUTCOME_FORBIDDEN, /* `number`: HTTP status. Some servers answer so if it is missing */
	WK_OUTCOME_REFUSED,   /* `number`: HTTP status */
	WK_OUTCOME_DRIPPING_PAGE,  /* a page that comes with status `number` and does not end */
	WK_OUTCOME_TOO_LARGE,      /* the server announced more than `number` bytes */
	WK_OUTCOME_ENDLESS,        /* it sent more than `number` bytes without announcing a size */
	WK_OUTCOME_BOMB,           /* it unpacks to far more than was sent */
	WK_OUTCOME_SILENT,         /* nothing came for `number` seconds */
	WK_OUTCOME_STALLED,        /* almost nothing did */
	WK_OUTCOME_LATE,           /* it took longer than `number` seconds */
	WK_OUTCOME_SLOW,           /* below the least rate, for a long time */
	WK_OUTCOME_NOT_WRITTEN,    /* `number`: errno */
	WK_OUTCOME_UNREACHABLE,    /* `text`: by libcurl */
	WK_OUTCOME_FAILED,         /* the same */
	WK_OUTCOME_UNFIT,          /* what came is not the wanted file. `text`: why */
	WK_OUTCOME_NO_FOLDER,      /* no folder for downloads. `number`: errno */
	WK_OUTCOME_NO_DESCRIPTORS, /* this process may have only `number` files open */
	WK_OUTCOME_NO_LIBRARY,     /* `text`: why */
	WK_OUTCOME_STOPPED,        /* by the user */
	WK_OUTCOME_CANCELLED,      /* the source failed for another file meanwhile */
	WK_OUTCOME_KNOWN_MISSING,  /* as an earlier run found, `number` seconds ago */
	WK_OUTCOME_KNOWN_FAILED,   /* the same */
	WK_OUTCOME_KINDS,
};

struct wk_outcome {
	enum wk_outcome_kind kind;
	uint64_t number, left_s; /* left: until it is asked again */
	char text[sizeof(((struct wk_err *)0)->text)];
};

enum wk_outcome_memory { WK_REMEMBER_NOTHING, WK_REMEMBER_MISSING, WK_REMEMBER_FAILED };

/* Is the source skipped for all other files in this run? */
bool wk_outcome_ends_source(const struct wk_outcome *outcome);

/* Is it reported at the end of the run, whether or not the file is found elsewhere? */
bool wk_outcome_is_complaint(const struct wk_outcome *outcome);

/* What is written to the negative cache. */
enum wk_outcome_memory wk_outcome_memory(const struct wk_outcome *outcome);

void wk_outcome_add_text(const struct wk_outcome *outcome, struct wk_buf *text);

/* True if this process can open hardly any more files, which then is the outcome. Must be called
 * before the files that are open are closed. */
bool wk_outcome_lacks_descriptors(struct wk_outcome *outcome);

#endif
