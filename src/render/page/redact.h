/* Takes out of the text of a page what names a person or a machine: the names in home directories,
 * of users and of the machine, wherever they appear as words; identifiers of Windows accounts; and
 * arguments of command lines, of which the program and the --crate-name of rustc stay.
 *
 *	wk_redaction_add(&redaction, model);           for each recording of the page
 *	wk_redact_json(&redaction, block, &redacted);
 *	wk_redaction_fini(&redaction);
 *
 * A name is only known if the recording says that it is one: a fact, the owner of a process, or a
 * home directory or a server in any of its texts. JSON and HTML are redacted by value: unescaped,
 * redacted as plain text, and escaped again. */
#ifndef WK_RENDER_PAGE_REDACT_H
#define WK_RENDER_PAGE_REDACT_H

#include "base/buf.h"
#include "model/model.h"

enum wk_redacted_as { WK_REDACTED_AS_USER, WK_REDACTED_AS_HOST, WK_REDACTED_AS_COMMAND };

struct wk_redacted_name {
	struct wk_str name; /* borrowed from the model */
	enum wk_redacted_as as;
	uint32_t next; /* of the same list: one more than its index, 0 for none */
};

struct wk_redaction {
	struct wk_redacted_name *names;
	size_t count, cap;
	uint32_t lists[256]; /* by first letter, in lower case, 0x80 for all outside ASCII: as
				`next` */
};

void wk_redaction_add(struct wk_redaction *redaction, const struct wk_model *model);
void wk_redaction_fini(struct wk_redaction *redaction);

/* Adds the names in the home directories and servers of a text, which must stay. */
void wk_redaction_learn(struct wk_redaction *redaction, struct wk_str text);

/* Adds the JSON with other strings. Keys, and values that the page needs as they are, stay. */
void wk_redact_json(const struct wk_redaction *redaction, struct wk_str json, struct wk_buf *to);

/* The same for text of HTML, with its tags. */
void wk_redact_text(const struct wk_redaction *redaction, struct wk_str html, struct wk_buf *to);

/* The same for plain text, and for a command line. */
void wk_redact_plain(const struct wk_redaction *redaction, struct wk_str text, struct wk_buf *to);
void wk_redact_command(const struct wk_redaction *redaction, struct wk_str command,
		       struct wk_buf *to);

#endif
