#include "serve/arguments.h"

#include <inttypes.h>

#include "base/mem.h"
#include "base/num.h"

bool wk_argument_text(const struct wk_request *request, const char *name, struct wk_buf *value,
		      struct wk_err *err)
{
	return !wk_request_has(request, name) || wk_request_argument(request, name, value) ||
	       wk_fail(err, WK_EUSAGE, WK_NOWHERE, "the argument \"%s\" is not text in UTF-8",
		       name);
}

/* Reads an argument by `read`; `form` describes those that it accepts. */
static bool argument(const struct wk_request *request, const char *name,
		     bool (*read)(struct wk_str text, void *value), void *value, const char *form,
		     struct wk_err *err)
{
	struct wk_buf text = { 0 };
	bool ok = !wk_request_has(request, name) ||
		  (wk_request_argument(request, name, &text) && read(wk_buf_str(&text), value));

	wk_buf_fini(&text);
	return ok ||
	       wk_fail(err, WK_EUSAGE, WK_NOWHERE, "the argument \"%s\" is not %s", name, form);
}

static bool read_flag(struct wk_str text, void *value)
{
	*(bool *)value = wk_str_is(text, "1");
	return wk_str_is(text, "0") || wk_str_is(text, "1");
}

bool wk_argument_flag(const struct wk_request *request, const char *name, bool *value,
		      struct wk_err *err)
{
	return argument(request, name, read_flag, value, "0 or 1", err);
}

static bool read_number(struct wk_str text, void *value)
{
	uint64_t number;

	if (!wk_num_u64(text, &number) || number > UINT32_MAX)
		return false;
	*(uint32_t *)value = (uint32_t)number;
	return true;
}

bool wk_argument_number(const struct wk_request *request, const char *name, uint32_t least,
			uint32_t most, uint32_t *value, struct wk_err *err)
{
	if (!argument(request, name, read_number, value, "a number", err))
		return false;
	return (*value >= least && *value <= most) ||
	       wk_fail(err, WK_EUSAGE, WK_NOWHERE,
		       "the argument \"%s\" is not from %" PRIu32 " to %" PRIu32, name, least,
		       most);
}

static bool read_share(struct wk_str text, void *value)
{
	return wk_num_real(text, value) && *(double *)value >= 0 && *(double *)value <= 1;
}

bool wk_argument_share(const struct wk_request *request, const char *name, double *value,
		       struct wk_err *err)
{
	return argument(request, name, read_share, value, "from 0 to 1", err);
}

/* Moves a moment; those beyond the clock become its first or last one. */
static bool read_moment(struct wk_str text, void *value)
{
	uint64_t *moment = value, since;

	if (wk_str_accept(&text, "-")) {
		if (!wk_num_u64(text, &since))
			return false;
		*moment = since < *moment ? *moment - since : 0;
	} else {
		if (!wk_num_u64(text, &since))
			return false;
		*moment = since < UINT64_MAX - *moment ? *moment + since : UINT64_MAX;
	}
	return true;
}

bool wk_argument_moment(const struct wk_request *request, const char *name, uint64_t begin_ns,
			uint64_t *value, struct wk_err *err)
{
	if (wk_request_has(request, name))
		*value = begin_ns;
	return argument(request, name, read_moment, value, "a number of nanoseconds", err);
}

static bool read_numbers(struct wk_str text, void *value)
{
	struct wk_number_list *list = value;
	struct wk_str piece;
	uint32_t number;
	bool is_more = text.len > 0;

	while (is_more) {
		is_more = wk_str_split(text, ',', &piece, &text);
		if (!read_number(piece, &number))
			return false;
		*WK_APPEND(list->at, list->count, list->cap) = number;
	}
	return true;
}

bool wk_argument_numbers(const struct wk_request *request, const char *name, size_t most,
			 struct wk_number_list *list, struct wk_err *err)
{
	if (!argument(request, name, read_numbers, list, "a list of numbers", err))
		return false;
	return list->count <= most ||
	       wk_fail(err, WK_EUSAGE, WK_NOWHERE, "the argument \"%s\" has more than %zu numbers",
		       name, most);
}

bool wk_argument_word(const struct wk_request *request, const char *name, const char *const *words,
		      unsigned *value, struct wk_err *err)
{
	struct wk_buf text = { 0 };
	bool ok = wk_argument_text(request, name, &text, err);
	unsigned number = 0;

	if (ok && wk_request_has(request, name)) {
		while (words[number] && !wk_str_is(wk_buf_str(&text), words[number]))
			number++;
		ok = words[number] ||
		     wk_fail(err, WK_EUSAGE, WK_NOWHERE, "the argument \"%s\" cannot be \"%s\"",
			     name, wk_buf_text(&text));
		*value = number;
	}
	wk_buf_fini(&text);
	return ok;
}
