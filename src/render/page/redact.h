/* Takes out of the text of a page what names a person or a machine: the names in home directories,
 * of users and of the machine, wherever they appear as words; identifiers of Windows accounts; and
 * arguments of command lines, of which the program and the --crate-name of rustc stay.
 *
 *	wk_redaction_add(&redaction, model);           for each recording of the page
 *	wk_redact_json(&redaction, block, &redacted);
 *	wk_redaction_fini(&redaction);
 *
 * A name is only known if the recording says that it is one: a fact, the owner of a process, or a
 * home directory in a path or a command line. */
#ifndef WK_RENDER_PAGE_REDACT_H
#define WK_RENDER_PAGE_REDACT_H

#include "base/buf.h"
#include "model/model.h"

struct wk_redacted_name {
	struct wk_str name; /* borrowed from the model */
	bool is_host;
};

struct wk_redaction {
	struct wk_redacted_name *names;
	size_t count, cap;
};

void wk_redaction_add(struct wk_redaction *redaction, const struct wk_model *model);
void wk_redaction_fini(struct wk_redaction *redaction);

/* Adds the JSON with other strings. */
void wk_redact_json(const struct wk_redaction *redaction, struct wk_str json, struct wk_buf *to);

/* The same for plain text, and for HTML with such text. */
void wk_redact_text(const struct wk_redaction *redaction, struct wk_str text, struct wk_buf *to);

#endif
