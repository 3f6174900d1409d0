/* Reads the elements of an XML text with expat.
 *
 * If the build has no expat, wk_xml_read fails with a message that names it. Only XML's five
 * predefined entities are accepted: none can expand, and no other file is opened. */
#ifndef WK_FORMATS_REPORTS_XML_H
#define WK_FORMATS_REPORTS_XML_H

#include <stdbool.h>

#include "base/bytes.h"
#include "base/err.h"
#include "base/str.h"

/* All are called with the same `context`; their arguments are valid for the call only. */
struct wk_xml_handler {
	/* `attributes` alternates names and values, ended by NULL. */
	void (*start)(void *context, const char *name, const char *const *attributes);
	void (*end)(void *context, const char *name);
	/* A piece of text between tags; a text may come in several pieces. May be NULL. */
	void (*text)(void *context, struct wk_str text);
};

/* Was wick built with expat? */
bool wk_xml_is_read(void);

/* The value of an attribute, or NULL. */
const char *wk_xml_attribute(const char *const *attributes, const char *name);

/* False, with the place and reason, if the text is not well-formed. */
bool wk_xml_read(struct wk_bytes bytes, const struct wk_xml_handler *handler, void *context,
		 struct wk_err *err);

#endif
