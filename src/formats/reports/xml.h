/* The elements of an XML text, one after the other: the one door to expat.
 *
 * Expat may be missing from a build; then wk_xml_read fails with a sentence that names it. No
 * entities but XML's own five are taken: none can grow, and no other file is opened. */
#ifndef WK_FORMATS_REPORTS_XML_H
#define WK_FORMATS_REPORTS_XML_H

#include <stdbool.h>

#include "base/bytes.h"
#include "base/err.h"
#include "base/str.h"

/* All are told with the same `context`; what is pointed at is good for the call only. */
struct wk_xml_handler {
	/* `attributes` are names and values by turns, and a NULL. */
	void (*start)(void *context, const char *name, const char *const *attributes);
	void (*end)(void *context, const char *name);
	/* A piece of the text between tags; one text may come in several. */
	void (*text)(void *context, struct wk_str text);
};

/* Was wick built with expat? */
bool wk_xml_is_read(void);

/* The value of an attribute, or NULL. */
const char *wk_xml_attribute(const char *const *attributes, const char *name);

/* False with the place and the reason where the text is not well-formed. */
bool wk_xml_read(struct wk_bytes bytes, const struct wk_xml_handler *handler, void *context,
		 struct wk_err *err);

#endif
