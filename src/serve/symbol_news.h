/* What is going on with the symbols of a recording that is shown: which files are being fetched,
 * and how far that is. One thread writes it, others read it. */
#ifndef WK_SERVE_SYMBOL_NEWS_H
#define WK_SERVE_SYMBOL_NEWS_H

#include "base/out.h"
#include "fetch/fetch_options.h"

struct wk_symbol_news;

struct wk_symbol_news *wk_symbol_news_new(void);
void wk_symbol_news_free(struct wk_symbol_news *news);

/* Servers are asked from now on, until the end. */
void wk_symbol_news_begin(struct wk_symbol_news *news);
void wk_symbol_news_fetch(struct wk_symbol_news *news, const struct wk_fetch_status *status);
void wk_symbol_news_complain(struct wk_symbol_news *news, const char *sentence);
void wk_symbol_news_end(struct wk_symbol_news *news);

/* Grows with each of these calls; 1 at first. */
uint64_t wk_symbol_news_change(struct wk_symbol_news *news);

/* Members of a JSON object: "change":3,"state":"done" ... */
void wk_symbol_news_write(struct wk_symbol_news *news, struct wk_out *out);

#endif
