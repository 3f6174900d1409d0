/* Attributes that a picture gives to functions: a link, a title, a class.
 *
 * The file has one function a line, as for flamegraph.pl: the name, then "key=value", each after a
 * tab; a value may be quoted. Only harmless attributes are used: title, href (to http, https,
 * mailto, ftp or a target without a scheme), target, rel, hreflang, class, id and stroke styles.
 * Others are left out and reported. */
#ifndef WK_RENDER_SVG_NAME_ATTRIBUTES_H
#define WK_RENDER_SVG_NAME_ATTRIBUTES_H

#include "base/arena.h"
#include "base/map.h"
#include "base/str.h"

struct wk_name_attribute {
	struct wk_str key, value;
};

/* What one function has. */
struct wk_name_entry {
	struct wk_str name;
	struct wk_name_attribute *attributes;
	uint32_t count;
};

struct wk_name_attributes {
	struct wk_name_entry *entries;
	uint32_t count;
	size_t cap;
	struct wk_index index;
	struct wk_arena arena;
};

/* Called for each rejected attribute: `why` is "duplicate attribute", "invalid attribute" or
 * "unsafe attribute", and precedes the text found. */
typedef void (*wk_name_attributes_report)(void *context, const char *why, struct wk_str name,
					  struct wk_str attribute);

/* Reads the whole text; nothing in it is an error. `report` may be NULL. */
void wk_name_attributes_init(struct wk_name_attributes *attributes, struct wk_str text,
			     wk_name_attributes_report report, void *context);
void wk_name_attributes_fini(struct wk_name_attributes *attributes);

/* NULL for a name that has none; `attributes` may be NULL. */
const struct wk_name_entry *wk_name_attributes_find(const struct wk_name_attributes *attributes,
						    struct wk_str name);

/* The value of `key`; empty if there is none or `entry` is NULL. */
struct wk_str wk_name_entry_get(const struct wk_name_entry *entry, const char *key);

#endif
