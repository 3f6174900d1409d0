/* One search: through wick's own cache and then the sources in their order, as a state machine that
 * stops where it waits for a server. */
#include "fetch/fetcher_internal.h"

#include "base/mem.h"
#include "fetch/address.h"
#include "fetch/cache_folder.h"
#include "fetch/misses.h"

#define MOST_SAID        2000                 /* bytes of a message */
#define MOST_SMALL_BYTES ((uint64_t)64 << 10) /* of index2.txt */

void wk_search_say(struct wk_search *s, const char *who, const char *text)
{
	if (s->said.len < MOST_SAID)
		wk_buf_add_fmt(&s->said, "%s%s: %s", s->said.len ? "; " : "", who, text);
}

void wk_search_complain(struct wk_search *s, const char *text, bool is_remark)
{
	*WK_APPEND(s->complaints, s->complaint_count, s->complaint_cap) = (struct wk_complaint){
		.source = s->number, .text = wk_strndup(text, strlen(text)), .is_remark = is_remark };
}

static void discard_draft(struct wk_search *s)
{
	if (s->has_draft)
		wk_os_draft_end(&s->draft, false);
	s->has_draft = false;
}

void wk_search_reset(struct wk_search *s)
{
	if (s->is_found && !s->is_taken)
		wk_fetch_found_close(&s->found);
	for (size_t i = 0; i < s->complaint_count; i++)
		wk_free(s->complaints[i].text);
	wk_free(s->complaints);
	discard_draft(s);
	wk_free(s->path);
	WK_BUF_FINI_ALL(&s->spot.path, &s->key, &s->shown, &s->own, &s->misses_path, &s->said);
	*s = (struct wk_search){ .fetcher = s->fetcher, .want = s->want };
}

/* A file without a key is nowhere. */
static void begin(struct wk_search *s)
{
	struct wk_fetcher *f = s->fetcher;
	bool is_there = wk_fetcher_folder(f, false);

	s->sources = &f->sources[wk_fetch_family_of(&s->want)];
	wk_fetch_want_key(&s->want, &s->key);
	s->wish = (struct wk_symbol_wish){ s->want.name, wk_buf_str(&s->key), s->want.suffix };
	if (s->key.len && f->folder) {
		wk_buf_add_fmt(&s->own, "%s/", f->folder);
		wk_fetch_want_cache_name(&s->want, &s->own);
	}
	s->step = s->key.len == 0 || (is_there && wk_search_own_cache(s)) ? WK_SEARCH_ENDS
									  : WK_SEARCH_LOOKS;
}

static void go_to_next_source(struct wk_search *s)
{
	s->number++;
	s->step = WK_SEARCH_LOOKS;
}

static void remember(struct wk_search *s, const struct wk_outcome *outcome)
{
	enum wk_outcome_memory memory = wk_outcome_memory(outcome);

	if (memory == WK_REMEMBER_NOTHING || !s->misses_path.len)
		return;
	wk_misses_add(wk_buf_text(&s->misses_path), wk_search_source(s)->remembered_as,
		      memory == WK_REMEMBER_MISSING);
	s->fetcher->has_remembered = true;
}

static void report(struct wk_search *s, const struct wk_outcome *outcome)
{
	struct wk_buf text = { 0 };

	wk_outcome_add_text(outcome, &text);
	wk_search_say(s, wk_search_source(s)->shown, wk_buf_text(&text));
	if (wk_outcome_is_complaint(outcome))
		wk_search_complain(s, wk_buf_text(&text), false);
	wk_buf_fini(&text);
}

/* The file does not come from this source. */
static void conclude(struct wk_search *s, const struct wk_outcome *outcome)
{
	struct wk_source *source = wk_search_source(s);

	if (wk_outcome_ends_source(outcome) && !source->down.kind)
		source->down = *outcome;
	s->fetcher->was_stopped |= outcome->kind == WK_OUTCOME_STOPPED;
	report(s, outcome);
	remember(s, outcome);
	go_to_next_source(s);
}

/* Did it not have the file in an earlier run, or fail some minutes ago? */
static bool is_known_miss(struct wk_search *s)
{
	struct wk_miss miss;

	wk_buf_reset(&s->misses_path);
	if (s->own.len && wk_fetcher_folder(s->fetcher, true))
		wk_buf_add_fmt(&s->misses_path, "%s%s" WK_FETCH_MISSES_SUFFIX, wk_buf_text(&s->own),
			       wk_fetch_want_suffix(&s->want, false));
	if (!s->misses_path.len || !wk_misses_find(wk_buf_text(&s->misses_path),
						   wk_search_source(s)->remembered_as, &miss))
		return false;
	report(s, &(struct wk_outcome){ .kind = miss.is_missing ? WK_OUTCOME_KNOWN_MISSING
								: WK_OUTCOME_KNOWN_FAILED,
					.number = miss.ago_s, .left_s = miss.left_s });
	return true;
}

static void look_at_source(struct wk_search *s)
{
	if (s->number == s->sources->count)
		s->step = WK_SEARCH_ENDS;
	else if (!wk_source_is_server(wk_search_source(s)) && wk_search_folder(s))
		s->step = WK_SEARCH_ENDS;
	else if (!wk_source_is_server(wk_search_source(s)) || s->want.asks_no_server ||
		 s->fetcher->options.is_offline || is_known_miss(s))
		go_to_next_source(s);
	else
		s->step = WK_SEARCH_ASKS;
}

/* The address is at s->spot.path. False, with an outcome, if it was over at once. */
static bool start(struct wk_search *s, uint64_t most_bytes)
{
	struct wk_fetcher *f = s->fetcher;

	wk_buf_reset(&s->shown);
	wk_address_add_shown(&s->shown, wk_buf_str(&s->spot.path));
	s->transfer = (struct wk_transfer){
		.url = wk_buf_text(&s->spot.path),
		.shown_url = wk_buf_text(&s->shown),
		.name = s->want.name.len ? s->want.name.at : NULL,
		.most_bytes = most_bytes,
	};
	if (!wk_search_open_draft(s, &s->transfer.outcome))
		return false;
	s->transfer.fd = s->draft.fd;
	if (!f->transfers)
		f->transfers = wk_transfers_new(&f->options);
	return wk_transfers_start(f->transfers, &s->transfer);
}

static bool lacks_tiers(const struct wk_source *source)
{
	return source->place.tiers == WK_SYMBOL_TIERS_UNKNOWN && !source->tiers_are_known;
}

/* The mark of stores with three tiers is asked for once; the other searches wait. */
static void ask(struct wk_search *s)
{
	struct wk_source *source = wk_search_source(s);

	if (source->down.kind) {
		conclude(s, &source->down);
	} else if (lacks_tiers(source) && source->tiers_asked_by) {
		s->step = WK_SEARCH_AWAITS_TIERS;
	} else if (lacks_tiers(source)) {
		wk_symbol_tiers_mark(&source->place, &s->spot.path);
		source->tiers_asked_by = s;
		start(s, MOST_SMALL_BYTES);
		s->step = WK_SEARCH_GETS_TIERS;
	} else {
		s->next_spot = 0;
		s->forbidden = (struct wk_outcome){ 0 };
		s->step = WK_SEARCH_PICKS_SPOT;
	}
}

static void get_tiers(struct wk_search *s)
{
	struct wk_source *source = wk_search_source(s);
	const struct wk_outcome *outcome = &s->transfer.outcome;

	discard_draft(s);
	source->tiers_asked_by = NULL;
	source->tiers_are_known = true;
	if (outcome->kind == WK_OUTCOME_DONE)
		source->place.tiers = WK_SYMBOL_THREE_TIERS;
	else if (outcome->kind == WK_OUTCOME_MISSING)
		source->place.tiers = WK_SYMBOL_TWO_TIERS;
	else if (wk_outcome_ends_source(outcome) && !source->down.kind)
		source->down = *outcome;
	s->step = WK_SEARCH_ASKS;
}

static void pick_spot(struct wk_search *s)
{
	static const struct wk_outcome missing = { .kind = WK_OUTCOME_MISSING };

	do {
		if (!wk_search_spot(s, s->next_spot++)) {
			conclude(s, s->forbidden.kind ? &s->forbidden : &missing);
			return;
		}
	} while (!s->spot.path.len);
	start(s, 0);
	s->step = WK_SEARCH_GETS_FILE;
}

/* The bytes stay mapped after the draft is closed. */
static void accept(struct wk_search *s)
{
	struct wk_outcome *outcome = &s->transfer.outcome;
	struct wk_err err = { 0 };

	s->found = (struct wk_fetch_found){ 0 };
	s->is_found = wk_os_open_fd(s->draft.fd, wk_buf_text(&s->spot.path), 0,
				    &s->found.file.bytes, &err) &&
		      wk_fetch_found_open(&s->found, &s->want, &err);
	if (s->is_found) {
		wk_search_copy(s);
		s->step = WK_SEARCH_ENDS;
		if (!s->is_temporary || !s->path)
			discard_draft(s);
		return;
	}
	*outcome = (struct wk_outcome){ .kind = WK_OUTCOME_UNFIT };
	memcpy(outcome->text, err.text, sizeof(outcome->text));
	discard_draft(s);
	conclude(s, outcome);
}

/* A server that forbids a file may have it at another place: some answer so for all files that they
 * do not have. */
static void get_file(struct wk_search *s)
{
	struct wk_outcome *outcome = &s->transfer.outcome;

	if (outcome->kind == WK_OUTCOME_DONE) {
		accept(s);
		return;
	}
	discard_draft(s);
	if (outcome->kind == WK_OUTCOME_FORBIDDEN && !s->forbidden.kind)
		s->forbidden = *outcome;
	if (outcome->kind == WK_OUTCOME_MISSING || outcome->kind == WK_OUTCOME_FORBIDDEN)
		s->step = WK_SEARCH_PICKS_SPOT;
	else if (outcome->kind == WK_OUTCOME_CANCELLED)
		conclude(s, &wk_search_source(s)->down);
	else
		conclude(s, outcome);
}

static bool is_waiting(const struct wk_search *s)
{
	return s->step == WK_SEARCH_AWAITS_TIERS ? wk_search_source(s)->tiers_asked_by != NULL
						 : s->transfer.easy != NULL;
}

void wk_search_advance(struct wk_search *s, bool is_local)
{
	static void (*const steps[])(struct wk_search *) = {
		[WK_SEARCH_BEGINS] = begin,
		[WK_SEARCH_LOOKS] = look_at_source,
		[WK_SEARCH_ASKS] = ask,
		[WK_SEARCH_GETS_TIERS] = get_tiers,
		[WK_SEARCH_AWAITS_TIERS] = ask,
		[WK_SEARCH_PICKS_SPOT] = pick_spot,
		[WK_SEARCH_GETS_FILE] = get_file,
	};

	while (s->step != WK_SEARCH_ENDS && !is_waiting(s) &&
	       !(is_local && s->step == WK_SEARCH_ASKS))
		steps[s->step](s);
}
