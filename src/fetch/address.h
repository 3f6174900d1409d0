/* Addresses of servers: what of them may be shown, and names of files in them. */
#ifndef WK_FETCH_ADDRESS_H
#define WK_FETCH_ADDRESS_H

#include "base/buf.h"
#include "base/str.h"

/* Does it begin with http:// or https://, in any case? */
bool wk_address_is_url(struct wk_str text);

/* "https://user:word@host/x?key" for people: without what precedes the host, and with "?..." for
 * what follows the path, since either may be secret. */
void wk_address_add_shown(struct wk_buf *text, struct wk_str url);

/* Some digits that tell it from addresses with another query, or nothing. */
void wk_address_add_difference(struct wk_buf *text, struct wk_str url);

/* Names of files come from recordings: all but the plainest bytes are escaped. */
void wk_address_add_escaped(struct wk_buf *url, struct wk_str name);

#endif
