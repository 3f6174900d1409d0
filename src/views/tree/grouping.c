#include "views/tree/grouping.h"

#include "base/text/suggest.h"

/* As they are typed. */
static const char *const words[WK_GROUP_COLUMNS + 1] = {
	[WK_GROUP_PROCESS] = "process",   [WK_GROUP_PID] = "pid",
	[WK_GROUP_THREAD] = "thread",     [WK_GROUP_CPU] = "cpu",
	[WK_GROUP_REASON] = "wait-reason", [WK_GROUP_READIER] = "readied-by",
	[WK_GROUP_HEAP] = "heap",         [WK_GROUP_PART] = "allocator",
	[WK_GROUP_SIZE] = "size",         [WK_GROUP_ANNOTATION] = "annotation",
	[WK_GROUP_MODULE] = "module",     [WK_GROUP_FUNCTION] = "function",
	[WK_GROUP_STACK] = "stack",       [WK_GROUP_MODULES] = "module",
};

bool wk_grouping_has(const struct wk_grouping *grouping, enum wk_group_column column)
{
	for (unsigned i = 0; i < grouping->count; i++)
		if (grouping->columns[i] == column)
			return true;
	return false;
}

bool wk_grouping_add(struct wk_grouping *grouping, enum wk_group_column column)
{
	if (grouping->count == WK_GROUPING_MOST || wk_grouping_has(grouping, column))
		return false;
	grouping->columns[grouping->count++] = (uint8_t)column;
	return true;
}

enum wk_group_column wk_grouping_last(const struct wk_grouping *grouping)
{
	return grouping->count ? grouping->columns[grouping->count - 1] : WK_GROUP_STACK;
}

void wk_grouping_finish(struct wk_grouping *grouping)
{
	for (unsigned i = 0; i < grouping->count; i++)
		if (grouping->columns[i] >= WK_GROUP_MODULE)
			return;
	wk_grouping_add(grouping, WK_GROUP_STACK);
}

static bool unknown(struct wk_str word, struct wk_err *err)
{
	struct wk_suggestion near = wk_suggestion_for(word);
	struct wk_buf text = { 0 };

	for (int i = 0; i < WK_GROUP_MODULES; i++) {
		wk_suggestion_try(&near, words[i]);
		wk_buf_add_fmt(&text, "%s%s", i ? ", " : "", words[i]);
	}
	if (near.best)
		wk_fail(err, WK_EUSAGE, WK_NOWHERE,
			"unknown level \"%.*s\" of a grouping; did you mean \"%s\"?",
			WK_STR_ARG(word), near.best);
	else
		wk_fail(err, WK_EUSAGE, WK_NOWHERE,
			"unknown level \"%.*s\" of a grouping; expected one of: %s",
			WK_STR_ARG(word), wk_buf_text(&text));
	wk_buf_fini(&text);
	return false;
}

static bool read_word(struct wk_grouping *grouping, struct wk_str word, struct wk_err *err)
{
	if (wk_grouping_has(grouping, WK_GROUP_STACK))
		return wk_fail(err, WK_EUSAGE, WK_NOWHERE,
			       "`stack` must be the last level of a grouping; found %.*s after it",
			       WK_STR_ARG(word));
	for (int i = 0; i < WK_GROUP_MODULES; i++) {
		if (!wk_str_is(word, words[i]))
			continue;
		return wk_grouping_add(grouping, (enum wk_group_column)i) ||
		       wk_fail(err, WK_EUSAGE, WK_NOWHERE, "%s is there twice", words[i]);
	}
	return unknown(word, err);
}

bool wk_grouping_read(struct wk_grouping *grouping, struct wk_str text, struct wk_err *err)
{
	struct wk_str word;
	bool has_more = true;

	*grouping = (struct wk_grouping){ 0 };
	while (has_more) {
		has_more = wk_str_split(text, ',', &word, &text);
		if (!read_word(grouping, word, err))
			return false;
	}
	if (wk_grouping_last(grouping) == WK_GROUP_MODULE)
		grouping->columns[grouping->count - 1] = WK_GROUP_MODULES;
	wk_grouping_finish(grouping);
	return true;
}

void wk_grouping_write(const struct wk_grouping *grouping, struct wk_buf *text)
{
	for (unsigned i = 0; i < grouping->count; i++)
		wk_buf_add_fmt(text, "%s%s", i ? "," : "", words[grouping->columns[i]]);
}
