#include "fetch/outcome.h"

#include <inttypes.h>
#include <string.h>

#include "base/num.h"
#include "os/os.h"

#define FEW_FILES 3 /* with fewer left, the lack of them may have caused any failure */

enum { QUIET = 1, ENDS_SOURCE = 2 };

/* In a sentence, $n is the outcome's number, $b the same in bytes, $e the error of that number, $t
 * its text, $d the number and $l `left_s` as durations. */
static const struct row {
	enum wk_outcome_memory memory;
	unsigned flags;
	const char *sentence;
} rows[WK_OUTCOME_KINDS] = {
	[WK_OUTCOME_NONE] = { 0, QUIET, "" },
	[WK_OUTCOME_DONE] = { 0, QUIET, "" },
	[WK_OUTCOME_MISSING] = { WK_REMEMBER_MISSING, QUIET, "it does not have it" },
	[WK_OUTCOME_FORBIDDEN] = { WK_REMEMBER_FAILED, 0, "it answered with HTTP status $n" },
	[WK_OUTCOME_REFUSED] = { WK_REMEMBER_FAILED, 0, "it answered with HTTP status $n" },
	[WK_OUTCOME_DRIPPING_PAGE] = { WK_REMEMBER_FAILED, ENDS_SOURCE,
				       "its answer with HTTP status $n did not end within 2 "
				       "seconds, so "
				       "it is not asked again" },
	[WK_OUTCOME_TOO_LARGE] = { WK_REMEMBER_FAILED, 0, "it is larger than $b" },
	[WK_OUTCOME_ENDLESS] = { WK_REMEMBER_FAILED, ENDS_SOURCE,
				 "it sent more than $b without an end, so it is not asked again" },
	[WK_OUTCOME_BOMB] = { WK_REMEMBER_FAILED, ENDS_SOURCE,
			      "its answer unpacks to hundreds of times its size, so it is not "
			      "asked again" },
	[WK_OUTCOME_SILENT] = { WK_REMEMBER_FAILED, ENDS_SOURCE, "it sent nothing for $n seconds" },
	[WK_OUTCOME_STALLED] = { WK_REMEMBER_FAILED, ENDS_SOURCE,
				 "it sent almost nothing for $n seconds" },
	[WK_OUTCOME_LATE] = { WK_REMEMBER_FAILED, 0, "it took longer than $n seconds" },
	[WK_OUTCOME_SLOW] = { WK_REMEMBER_FAILED, 0,
			      "it sent less than 32 KiB a second for a quarter of an hour" },
	[WK_OUTCOME_NOT_WRITTEN] = { WK_REMEMBER_FAILED, 0, "its file cannot be written: $e" },
	[WK_OUTCOME_UNREACHABLE] = { WK_REMEMBER_FAILED, ENDS_SOURCE, "$t" },
	[WK_OUTCOME_FAILED] = { WK_REMEMBER_FAILED, 0, "$t" },
	[WK_OUTCOME_UNFIT] = { WK_REMEMBER_FAILED, 0, "$t" },
	[WK_OUTCOME_NO_FOLDER] = { 0, ENDS_SOURCE,
				   "not asked, since there is no folder for files: neither a "
				   "cache nor TMPDIR: $e" },
	[WK_OUTCOME_NO_DESCRIPTORS] = { 0, ENDS_SOURCE,
					"not asked, since this process may have only $n files open "
					"at once (`ulimit -n` raises that)" },
	[WK_OUTCOME_NO_LIBRARY] = { 0, ENDS_SOURCE, "$t" },
	[WK_OUTCOME_STOPPED] = { 0, ENDS_SOURCE, "fetching was stopped" },
	[WK_OUTCOME_CANCELLED] = { 0, QUIET, "" },
	[WK_OUTCOME_KNOWN_MISSING] = { 0, QUIET,
				       "it did not have it $d ago, and is asked again in $l" },
	[WK_OUTCOME_KNOWN_FAILED] = { 0, 0, "it failed $d ago, and is asked again in $l" },
};

bool wk_outcome_ends_source(const struct wk_outcome *outcome)
{
	return rows[outcome->kind].flags & ENDS_SOURCE;
}

bool wk_outcome_is_complaint(const struct wk_outcome *outcome)
{
	return !(rows[outcome->kind].flags & QUIET);
}

enum wk_outcome_memory wk_outcome_memory(const struct wk_outcome *outcome)
{
	return rows[outcome->kind].memory;
}

static void add_duration(struct wk_buf *text, uint64_t seconds)
{
	uint64_t unit = seconds >= 3600 ? 3600 : seconds >= 60 ? 60 : 1;
	const char *name = unit == 3600 ? "hour" : unit == 60 ? "minute" : "second";

	wk_buf_add_fmt(text, "%" PRIu64 " %s%s", seconds / unit, name,
		       seconds / unit == 1 ? "" : "s");
}

static void add_value(const struct wk_outcome *outcome, char form, struct wk_buf *text)
{
	if (form == 'n')
		wk_buf_add_fmt(text, "%" PRIu64, outcome->number);
	else if (form == 'b')
		wk_num_add_bytes(text, outcome->number);
	else if (form == 'e')
		wk_buf_add_text(text, strerror((int)outcome->number));
	else if (form == 't')
		wk_buf_add_text(text, outcome->text);
	else
		add_duration(text, form == 'd' ? outcome->number : outcome->left_s);
}

void wk_outcome_add_text(const struct wk_outcome *outcome, struct wk_buf *text)
{
	for (const char *at = rows[outcome->kind].sentence; *at; at++)
		if (*at == '$')
			add_value(outcome, *++at, text);
		else
			wk_buf_add_char(text, *at);
}

bool wk_outcome_lacks_descriptors(struct wk_outcome *outcome)
{
	unsigned limit;

	if (wk_os_files_left(FEW_FILES, &limit) >= FEW_FILES)
		return false;
	*outcome = (struct wk_outcome){ .kind = WK_OUTCOME_NO_DESCRIPTORS, .number = limit };
	return true;
}
