/* Events of programs and drivers: as text for who looks at a trace event by event, and as samples
 * where they have a stack.
 *
 * A stack stands beside the payload (extended items), comes for the CLR's events as an event of its
 * own by the same thread just behind, or in two halves of one number. The first pass puts them
 * together and notes which kinds of events have any; each of those names is a source of its own,
 * "Provider/Event", and each event with a stack a sample of it.
 *
 * Order of calls: new; scan for every record of the first pass, settle once; then tell_sources,
 * tell for every record of the second, count, tell_end. */
#ifndef WK_FORMATS_ETL_USER_H
#define WK_FORMATS_ETL_USER_H

#include "event/sink.h"
#include "formats/etl/counts.h"
#include "formats/etl/file/file.h"
#include "formats/etl/providers.h"
#include "formats/etl/schema/schema.h"
#include "formats/etl/sums.h"

struct wk_etl_user;

struct wk_etl_user *wk_etl_user_new(struct wk_etl_schemas *schemas);
void wk_etl_user_free(struct wk_etl_user *user);

/* A record of the first pass: the one that the file gave last. */
struct wk_etl_event {
	struct wk_etl_file *file;
	const struct wk_etl_record *record;
	uint32_t kind; /* as the schemas number it; 0 of the kernel's */
	enum wk_etl_provider provider;
	bool is_counted; /* if it has a stack: that is all that has to be known of it */
};

/* Keeps the buffers of events that have a stack and are not only counted. */
void wk_etl_user_scan(struct wk_etl_user *user, const struct wk_etl_event *event);

/* Marks in `counts` the kinds that have a source. */
void wk_etl_user_settle(struct wk_etl_user *user, struct wk_etl_counts *counts);

/* Sources are numbered from `first` up: behind those of the kernel. */
#define WK_ETL_FIRST_EVENT_SOURCE 100000
bool wk_etl_user_emit_sources(struct wk_etl_user *user, uint32_t first, const struct wk_sink *sink,
			      struct wk_err *err);

/* The sample, if it is one; the mark; and with `in_full` the event and its fields. */
bool wk_etl_user_emit(struct wk_etl_user *user, const struct wk_etl_record *record,
		      uint64_t time_ns, bool in_full, const struct wk_sink *sink,
		      struct wk_err *err);

/* Those that were only counted. */
void wk_etl_user_count(const struct wk_etl_user *user, struct wk_etl_sums *sums);

/* What could not be said of events that were told in full. */
bool wk_etl_user_emit_end(const struct wk_etl_user *user, const struct wk_sink *sink,
			  struct wk_err *err);

#endif
