#include "fetch/outcome.h"

#include <inttypes.h>
#include <string.h>

#include "base/num.h"
#include "os/os.h"

#define FEW_FILES 3 /* with fewer left, whatever failed may have failed for the lack of them */

/* `@` stands for the number, size or text of the outcome. */
static const struct row {
	const char *sentence;
	enum { PLAIN, NUMBER, SIZE, CAUSE, TEXT, AGO } form;
	enum wk_outcome_memory memory;
	bool ends_source, is_quiet;
} rows[WK_OUTCOME_KINDS] = {
	[WK_OUTCOME_NONE] = { .sentence = "", .is_quiet = true },
	[WK_OUTCOME_DONE] = { .sentence = "", .is_quiet = true },
	[WK_OUTCOME_MISSING] = { .sentence = "it does not have it",
				 .form = PLAIN,
				 .memory = WK_REMEMBER_MISSING,
				 .is_quiet = true },
	[WK_OUTCOME_FORBIDDEN] = { .sentence = "it answered with HTTP status @",
				   .form = NUMBER,
				   .memory = WK_REMEMBER_FAILED },
	[WK_OUTCOME_REFUSED] = { .sentence = "it answered with HTTP status @",
				 .form = NUMBER,
				 .memory = WK_REMEMBER_FAILED },
	[WK_OUTCOME_DRIPPING_PAGE] = { .sentence = "it answered with HTTP status @ and came to no "
						   "end of it "
						   "within 2 seconds, so it is not "
						   "asked again",
				       .form = NUMBER,
				       .memory = WK_REMEMBER_FAILED,
				       .ends_source = true },
	[WK_OUTCOME_TOO_LARGE] = { .sentence = "it is larger than @",
				   .form = SIZE,
				   .memory = WK_REMEMBER_FAILED },
	[WK_OUTCOME_ENDLESS] = { .sentence =
					 "it sent more than @ and no end, so it is not asked again",
				 .form = SIZE,
				 .memory = WK_REMEMBER_FAILED,
				 .ends_source = true },
	[WK_OUTCOME_BOMB] = { .sentence = "what it sent unpacks to hundreds of times its size, so "
					  "it is not "
					  "asked again",
			      .form = PLAIN,
			      .memory = WK_REMEMBER_FAILED,
			      .ends_source = true },
	[WK_OUTCOME_SILENT] = { .sentence = "it sent nothing for @ seconds",
				.form = NUMBER,
				.memory = WK_REMEMBER_FAILED,
				.ends_source = true },
	[WK_OUTCOME_STALLED] = { .sentence = "it sent next to nothing for @ seconds",
				 .form = NUMBER,
				 .memory = WK_REMEMBER_FAILED,
				 .ends_source = true },
	[WK_OUTCOME_LATE] = { .sentence = "it took longer than @ seconds",
			      .form = NUMBER,
			      .memory = WK_REMEMBER_FAILED },
	[WK_OUTCOME_SLOW] = { .sentence =
				      "it sent less than 32 KiB a second for a quarter of an hour",
			      .form = PLAIN,
			      .memory = WK_REMEMBER_FAILED },
	[WK_OUTCOME_NOT_WRITTEN] = { .sentence = "what it sent cannot be kept: @",
				     .form = CAUSE,
				     .memory = WK_REMEMBER_FAILED },
	[WK_OUTCOME_UNREACHABLE] = { .sentence = "@",
				     .form = TEXT,
				     .memory = WK_REMEMBER_FAILED,
				     .ends_source = true },
	[WK_OUTCOME_FAILED] = { .sentence = "@", .form = TEXT, .memory = WK_REMEMBER_FAILED },
	[WK_OUTCOME_UNFIT] = { .sentence = "@", .form = TEXT, .memory = WK_REMEMBER_FAILED },
	[WK_OUTCOME_NO_FOLDER] = { .sentence = "not asked, since there is no folder for what "
					       "comes: neither a "
					       "cache nor TMPDIR: @",
				   .form = CAUSE,
				   .ends_source = true },
	[WK_OUTCOME_NO_DESCRIPTORS] = { .sentence = "not asked, since this process may have only @ "
						    "files open "
						    "at once (`ulimit -n` raises that)",
					.form = NUMBER,
					.ends_source = true },
	[WK_OUTCOME_NO_LIBRARY] = { .sentence = "@", .form = TEXT, .ends_source = true },
	[WK_OUTCOME_QUOTA] = { .sentence = "not asked for more, since without a cache what was "
					   "fetched is kept "
					   "for this run alone, and that is @ already "
					   "(WICK_CACHE_SIZE)",
			       .form = SIZE },
	[WK_OUTCOME_STOPPED] = { .sentence = "fetching was stopped", .ends_source = true },
	[WK_OUTCOME_CANCELLED] = { .sentence = "", .is_quiet = true },
	[WK_OUTCOME_KNOWN_MISSING] = { .sentence = "it did not have it @",
				       .form = AGO,
				       .is_quiet = true },
	[WK_OUTCOME_KNOWN_FAILED] = { .sentence = "it failed @", .form = AGO },
};

bool wk_outcome_ends_source(const struct wk_outcome *outcome)
{
	return rows[outcome->kind].ends_source;
}

bool wk_outcome_is_complaint(const struct wk_outcome *outcome)
{
	return !rows[outcome->kind].is_quiet;
}

enum wk_outcome_memory wk_outcome_memory(const struct wk_outcome *outcome)
{
	return rows[outcome->kind].memory;
}

static void add_duration(struct wk_buf *text, uint64_t seconds)
{
	static const struct {
		uint64_t seconds;
		const char *name;
	} units[] = { { 3600, "hour" }, { 60, "minute" }, { 1, "second" } };
	size_t i = 0;

	while (i < 2 && seconds < units[i].seconds)
		i++;
	seconds /= units[i].seconds;
	wk_buf_add_fmt(text, "%" PRIu64 " %s%s", seconds, units[i].name, seconds == 1 ? "" : "s");
}

static void add_value(const struct wk_outcome *outcome, int form, struct wk_buf *text)
{
	if (form == NUMBER)
		wk_buf_add_fmt(text, "%" PRIu64, outcome->number);
	else if (form == SIZE)
		wk_num_add_bytes(text, outcome->number);
	else if (form == CAUSE)
		wk_buf_add_text(text, strerror((int)outcome->number));
	else if (form == TEXT)
		wk_buf_add_text(text, outcome->text);
	else
		add_duration(text, outcome->number);
}

void wk_outcome_add_text(const struct wk_outcome *outcome, struct wk_buf *text)
{
	const struct row *row = &rows[outcome->kind];

	for (const char *at = row->sentence; *at; at++)
		if (*at == '@')
			add_value(outcome, row->form, text);
		else
			wk_buf_add_char(text, *at);
	if (row->form == AGO) {
		wk_buf_add_text(text, " ago, and is asked again in ");
		add_duration(text, outcome->left_s);
	}
}

bool wk_outcome_lacks_descriptors(struct wk_outcome *outcome)
{
	unsigned limit;

	if (wk_os_files_left(FEW_FILES, &limit) >= FEW_FILES)
		return false;
	*outcome = (struct wk_outcome){ .kind = WK_OUTCOME_NO_DESCRIPTORS, .number = limit };
	return true;
}
