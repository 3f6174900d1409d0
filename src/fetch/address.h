/* Addresses of servers: what may be shown of them, and file names in them. */
#ifndef WK_FETCH_ADDRESS_H
#define WK_FETCH_ADDRESS_H

#include "base/buf.h"
#include "base/str.h"

/* Does it begin with http:// or https://, in any case? */
bool wk_address_is_url(struct wk_str text);

/* "https://user:word@host/x?key" for display: without the part before the host, and with "?..." for
 * the query, since either may be secret. */
void wk_address_add_shown(struct wk_buf *text, struct wk_str url);

/* Some digits that differ for addresses with another query; nothing without one. */
void wk_address_add_difference(struct wk_buf *text, struct wk_str url);

/* File names come from recordings: all but the plainest bytes are escaped. */
void wk_address_add_escaped(struct wk_buf *url, struct wk_str name);

#endif
