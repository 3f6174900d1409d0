#include "record/pmu.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/num.h"
#include "os/os.h"

/* The content of UNIT/FOLDER/NAME, or UNIT/NAME if FOLDER is empty, without the newline. */
static bool read_file(const char *root, const char *unit, const char *folder, struct wk_str name,
		      struct wk_buf *text)
{
	char path[512];

	snprintf(path, sizeof(path), "%s/%s/%s%s%.*s", root, unit, folder, *folder ? "/" : "",
		 WK_STR_ARG(name));
	if (!wk_os_read_small(path, text))
		return false;
	while (text->len && (text->at[text->len - 1] == '\n' || text->at[text->len - 1] == ' '))
		text->len--;
	return true;
}

static bool read_number(struct wk_str text, uint64_t *value)
{
	if (wk_str_starts(text, "0x") || wk_str_starts(text, "0X"))
		return wk_num_hex(wk_str_skip(text, 2), value);
	return wk_num_u64(text, value);
}

/* The attribute word that the field belongs to. */
static uint64_t *word_of(struct wk_perf_event *event, struct wk_str name)
{
	if (wk_str_is(name, "config"))
		return &event->config;
	if (wk_str_is(name, "config1"))
		return &event->config1;
	return wk_str_is(name, "config2") ? &event->config2 : NULL;
}

/* "0-7,32-35": the value's lowest bits belong to the first range. False if it has more bits. */
static bool scatter(struct wk_str bits, uint64_t value, uint64_t *word)
{
	while (bits.len) {
		struct wk_str range, from, to;
		uint64_t first, last;

		wk_str_split(bits, ',', &range, &bits);
		if (!wk_str_split(range, '-', &from, &to))
			to = from;
		if (!wk_num_u64(from, &first) || !wk_num_u64(to, &last) || first > last ||
		    last > 63)
			return false;
		for (; first <= last; first++, value >>= 1)
			*word |= (value & 1) << first;
	}
	return value == 0;
}

static bool set_term(const char *root, struct wk_perf_event *event, struct wk_str name,
		     uint64_t value, struct wk_err *err)
{
	struct wk_buf format = { 0 };
	struct wk_str where, bits;
	uint64_t *word = word_of(event, name);
	bool ok = true;

	if (word) {
		*word = value;
	} else if (!read_file(root, event->system, "format", name, &format)) {
		ok = wk_fail(err, WK_EUSAGE, WK_NOWHERE,
			     "event \"%s\": %s knows no \"%.*s\"; %s/%s/events and /format list "
			     "what it knows",
			     event->name, event->system, WK_STR_ARG(name), root, event->system);
	} else {
		wk_str_split(wk_buf_str(&format), ':', &where, &bits);
		word = word_of(event, where);
		ok = (word && scatter(bits, value, word)) ||
		     wk_fail(err, WK_EUSAGE, WK_NOWHERE,
			     "event \"%s\": %.*s has no room for 0x%llx", event->name,
			     WK_STR_ARG(name), (unsigned long long)value);
	}
	wk_buf_fini(&format);
	return ok;
}

/* "event=0x3c,umask=0x01,edge" */
static bool set_terms(const char *root, struct wk_perf_event *event, struct wk_str terms,
		      struct wk_err *err)
{
	while (terms.len) {
		struct wk_str term, name, number;
		uint64_t value = 1;

		wk_str_split(terms, ',', &term, &terms);
		if (wk_str_split(term, '=', &name, &number) && !read_number(number, &value))
			return wk_fail(err, WK_EUSAGE, WK_NOWHERE,
				       "event \"%s\": %.*s needs a number, such as %.*s=0x3c",
				       event->name, WK_STR_ARG(term), WK_STR_ARG(name));
		if (!set_term(root, event, name, value, err))
			return false;
	}
	return true;
}

bool wk_pmu_find(const char *root, struct wk_perf_event *event, struct wk_err *err)
{
	struct wk_buf type = { 0 }, terms = { 0 };
	uint64_t number;
	bool ok;

	event->config = event->config1 = event->config2 = 0;
	ok = (read_file(root, event->system, "", wk_str_c("type"), &type) &&
	      wk_num_u64(wk_buf_str(&type), &number) && number <= UINT32_MAX) ||
	     wk_fail(err, WK_EUSAGE, WK_NOWHERE,
		     "event \"%s\": this machine has nothing called \"%s\" that counts; %s lists "
		     "what it has",
		     event->name, event->system, root);
	if (ok) {
		event->type = (uint32_t)number;
		ok = set_terms(
			root, event,
			read_file(root, event->system, "events", wk_str_c(event->point), &terms)
				? wk_buf_str(&terms)
				: wk_str_c(event->point),
			err);
	}
	WK_BUF_FINI_ALL(&type, &terms);
	return ok;
}

static int is_unit(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

bool wk_pmu_each_below(const char *root, const char *behind, int (*is_event)(const struct dirent *),
		       void (*list)(void *context, const char *unit, const char *event),
		       void *context)
{
	struct dirent **units, **events;
	char path[512];
	int count = scandir(root, &units, is_unit, alphasort);

	if (count < 0)
		return false;
	for (int i = 0; i < count; i++) {
		int event_count;

		snprintf(path, sizeof(path), "%s/%s%s", root, units[i]->d_name, behind);
		event_count = scandir(path, &events, is_event, alphasort);
		for (int k = 0; k < event_count; k++) {
			list(context, units[i]->d_name, events[k]->d_name);
			free(events[k]);
		}
		if (event_count >= 0)
			free(events);
		free(units[i]);
	}
	free(units);
	return true;
}

/* NAME may be accompanied by NAME.scale, NAME.unit and the like, for events that are counted and
 * not sampled. */
static int is_event(const struct dirent *entry)
{
	return !strchr(entry->d_name, '.');
}

void wk_pmu_events_each(const char *root,
			void (*list)(void *context, const char *unit, const char *event),
			void *context)
{
	wk_pmu_each_below(root, "/events", is_event, list, context);
}
