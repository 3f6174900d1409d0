/* Arguments of a request as values: "...&count=600&nodes=1,2".
 *
 * Each of these sets its value if there is such an argument, and leaves it as it is otherwise. They
 * return false for an argument that is something else, with a sentence that names it. */
#ifndef WK_SERVE_ARGUMENTS_H
#define WK_SERVE_ARGUMENTS_H

#include "base/err.h"
#include "serve/request.h"

struct wk_number_list {
	uint32_t *at; /* owned */
	size_t count, cap;
};

bool wk_argument_text(const struct wk_request *request, const char *name, struct wk_buf *value,
		      struct wk_err *err);

/* 0 or 1. */
bool wk_argument_flag(const struct wk_request *request, const char *name, bool *value,
		      struct wk_err *err);

bool wk_argument_number(const struct wk_request *request, const char *name, uint32_t least,
			uint32_t most, uint32_t *value, struct wk_err *err);

/* From 0 to 1. */
bool wk_argument_share(const struct wk_request *request, const char *name, double *value,
		       struct wk_err *err);

/* Nanoseconds after `begin_ns`, or before it with a minus sign, as a moment of the same clock. */
bool wk_argument_moment(const struct wk_request *request, const char *name, uint64_t begin_ns,
			uint64_t *value, struct wk_err *err);

/* Separated by commas, at most `most` of them. */
bool wk_argument_numbers(const struct wk_request *request, const char *name, size_t most,
			 struct wk_number_list *list, struct wk_err *err);

/* One of `words`, which end with NULL: its number. */
bool wk_argument_word(const struct wk_request *request, const char *name, const char *const *words,
		      unsigned *value, struct wk_err *err);

#endif
