/* Kinds of events: a number for all events of one provider and id (TraceLogging: name), from 1 up
 * without a gap. Kernel events have none: they are known by their hooks.
 *
 * Memory: a row for each kind. Names longer than WK_ETL_MOST_NAME bytes are cut. */
#ifndef WK_FORMATS_ETL_KINDS_H
#define WK_FORMATS_ETL_KINDS_H

#include "base/buf.h"
#include "formats/etl/file/file.h"

#define WK_ETL_MOST_NAME 256

struct wk_etl_schemas;
struct wk_etl_kinds;

/* The id of a classic event is its opcode, its provider is its class. */
struct wk_etl_event_key {
	struct wk_guid provider;
	uint16_t id;
	uint8_t version;
	bool is_classic;
};

struct wk_etl_tally {
	uint64_t count;
	bool is_used;
};

struct wk_etl_event_kind {
	struct wk_etl_event_key key;
	uint8_t opcode;
	bool is_message, is_manifest_chunk;
	struct wk_str own_name;        /* of TraceLogging */
	struct wk_str provider, event; /* set by wk_etl_kinds_name */
	struct wk_etl_tally tally;     /* its records (counts.h) */
	bool has_stacks;               /* some of them (user.h) */
	uint32_t source;               /* of their samples; 0: none */
};

struct wk_etl_kinds *wk_etl_kinds_new(void);
void wk_etl_kinds_free(struct wk_etl_kinds *kinds);

/* The number of the record's kind, a new one if it is the first; 0 for kernel events. */
uint32_t wk_etl_kinds_add(struct wk_etl_kinds *kinds, const struct wk_etl_record *record);

/* Valid until the next add. */
struct wk_etl_event_kind *wk_etl_kinds_get(const struct wk_etl_kinds *kinds, uint32_t kind);
uint32_t wk_etl_kinds_count(const struct wk_etl_kinds *kinds);

/* "Microsoft-Windows-DotNETRuntime" and "GC/Start", or numbers if there is no name. Two kinds with
 * one name are two versions. Names are valid as long as `kinds`; call it once all
 * records have been added. */
void wk_etl_kinds_name(struct wk_etl_kinds *kinds, struct wk_etl_schemas *schemas, uint32_t kind,
		       struct wk_str *provider, struct wk_str *event);

/* Names a provider if it has no name yet. The text must be valid as long as `kinds`. */
void wk_etl_kinds_name_provider(struct wk_etl_kinds *kinds, const struct wk_guid *guid,
				struct wk_str name);

/* Appends "Task/Opcode" of two names, either of which may be empty, without "win:" and without the
 * opcode "Info". wk_etl_plain_word removes "win:" from one of them. */
void wk_etl_add_event_name(struct wk_buf *text, struct wk_str task, struct wk_str opcode);
struct wk_str wk_etl_plain_word(struct wk_str word);

uint64_t wk_etl_hash_guid(const struct wk_guid *guid);
uint64_t wk_etl_hash_key(const struct wk_etl_event_key *key);
bool wk_etl_is_same_key(const struct wk_etl_event_key *a, const struct wk_etl_event_key *b);

/* Part of a manifest rather than an event. */
static inline bool wk_etl_is_manifest_chunk(const struct wk_etl_record *record)
{
	return record->kind == WK_ETL_MANIFEST && record->id == 0xfffe && record->opcode == 254;
}

/* The data of an extended item; empty if there is none. */
struct wk_bytes wk_etl_item(const struct wk_etl_record *record, unsigned type);

/* The name of a TraceLogging event; empty for others. */
struct wk_str wk_etl_tracelogging_name(const struct wk_etl_record *record);

/* The parts of TraceLogging's items: their content by the size in front, and tags to skip, of which
 * each byte but the last has its highest bit set. */
struct wk_bytes wk_etl_tracelogging_open(struct wk_bytes item);
void wk_etl_tracelogging_skip_tags(struct wk_bytes *in);

#endif
