#include "formats/perfparser/internal.h"

#include <inttypes.h>

#include "base/hash.h"
#include "base/text/utf16.h"

/* The facts have the keys of the perf.data reader. */

static void emit_fact(struct wk_hotspot *hotspot, const char *key, struct wk_str value)
{
	struct wk_event event = { .kind = WK_EVENT_SYSTEM, .cpu = WK_NO_CPU };

	event.system.key = wk_str_c(key);
	event.system.value = value;
	if (value.len)
		wk_stack_writer_event(hotspot->writer, &event);
}

static void emit_text(struct wk_hotspot *hotspot, const char *key, struct wk_bytes *body)
{
	emit_fact(hotspot, key, wk_bytes_str(wk_hotspot_blob(body)));
}

static void emit_number(struct wk_hotspot *hotspot, const char *key, uint64_t number)
{
	struct wk_buf text = { 0 };

	wk_buf_add_fmt(&text, "%" PRIu64, number);
	if (number)
		emit_fact(hotspot, key, wk_buf_str(&text));
	wk_buf_fini(&text);
}

static void emit_texts(struct wk_hotspot *hotspot, const char *key, struct wk_bytes *body)
{
	struct wk_buf all = { 0 };

	for (uint32_t i = 0, count = wk_u32(body); i < count && !body->bad; i++) {
		if (i)
			wk_buf_add_char(&all, ' ');
		wk_buf_add_str(&all, wk_bytes_str(wk_hotspot_blob(body)));
	}
	if (!body->bad)
		emit_fact(hotspot, key, wk_buf_str(&all));
	wk_buf_fini(&all);
}

static void skip_build_ids(struct wk_bytes *body)
{
	for (uint32_t i = 0, count = wk_u32(body); i < count && !body->bad; i++) {
		wk_u32(body); /* process */
		wk_hotspot_blob(body);
		wk_hotspot_blob(body); /* path */
	}
}

static void emit_nodes(struct wk_hotspot *hotspot, struct wk_bytes *body)
{
	for (uint32_t i = 0, count = wk_u32(body); i < count && !body->bad; i++) {
		struct wk_buf key = { 0 }, value = { 0 };

		wk_buf_add_fmt(&key, "numa node %" PRIu32, wk_u32(body));
		wk_buf_add_fmt(&value, "%" PRIu64 " kB, cpus ", wk_u64(body));
		wk_u64(body); /* free at that time */
		wk_buf_add_str(&value, wk_bytes_str(wk_hotspot_blob(body)));
		if (!body->bad)
			emit_fact(hotspot, wk_buf_text(&key), wk_buf_str(&value));
		WK_BUF_FINI_ALL(&key, &value);
	}
}

static void emit_counter_types(struct wk_hotspot *hotspot, struct wk_bytes *body)
{
	struct wk_buf text = { 0 };

	for (uint32_t i = 0, count = wk_u32(body); i < count && !body->bad; i++) {
		uint32_t type = wk_u32(body);
		struct wk_str name = wk_bytes_str(wk_hotspot_blob(body));

		wk_buf_add_fmt(&text, "%s%.*s %" PRIu32, i ? ", " : "", WK_STR_ARG(name), type);
	}
	if (!body->bad)
		emit_fact(hotspot, "counter types", wk_buf_str(&text));
	wk_buf_fini(&text);
}

void wk_hotspot_emit_features(struct wk_hotspot *hotspot, struct wk_bytes body)
{
	uint32_t online, available;
	uint64_t memory_kb;

	emit_text(hotspot, "host name", &body);
	emit_text(hotspot, "kernel", &body);
	emit_text(hotspot, "recorder", &body);
	emit_text(hotspot, "machine", &body);
	online = wk_u32(&body);
	available = wk_u32(&body);
	emit_number(hotspot, "cpus configured", available);
	emit_number(hotspot, "cpus", online);
	emit_text(hotspot, "cpu", &body);
	emit_text(hotspot, "cpu id", &body);
	memory_kb = wk_u64(&body);
	if (memory_kb <= UINT64_MAX / 1024)
		emit_number(hotspot, "memory", memory_kb * 1024);
	emit_texts(hotspot, "command line", &body);
	skip_build_ids(&body);
	emit_texts(hotspot, "cpu cores", &body);
	emit_texts(hotspot, "cpu threads", &body);
	emit_nodes(hotspot, &body);
	emit_counter_types(hotspot, &body);
	hotspot->bad_records += body.bad;
}

/* --- What hotspot's parser complained of --------------------------------------------------- */

/* The first is of broken or misordered data, the second of files that were not found. */
static const char *const kinds[WK_HOTSPOT_COMPLAINTS] = {
	"messages of hotspot's parser",
	"messages of hotspot's parser on the recording",
	"files that hotspot's parser did not find, so their functions have no names",
	"messages of hotspot's parser on names of the kernel",
};

#define MOST_QUOTED 1000 /* bytes of UTF-16 */

void wk_hotspot_complain(struct wk_hotspot *hotspot, struct wk_bytes body)
{
	uint32_t kind = wk_u32(&body);
	struct wk_bytes text = wk_hotspot_blob(&body);
	struct wk_hotspot_complaint *complaint;
	uint32_t *is_known;

	if (body.bad) {
		hotspot->bad_records++;
		return;
	}
	complaint = &hotspot->complaints[kind < WK_HOTSPOT_COMPLAINTS ? kind : 0];
	is_known =
		wk_map_at(&hotspot->complained, wk_hash_bytes(text.at, wk_bytes_left(&text)) | 1);
	if (*is_known)
		return;
	*is_known = 1;
	if (complaint->count++ == 0)
		complaint->first = text;
}

void wk_hotspot_emit_complaints(struct wk_hotspot *hotspot)
{
	for (size_t i = 0; i < WK_HOTSPOT_COMPLAINTS; i++) {
		const struct wk_hotspot_complaint *complaint = &hotspot->complaints[i];
		struct wk_bytes first = complaint->first;
		struct wk_event event = { .kind = WK_EVENT_NOTE, .cpu = WK_NO_CPU };
		struct wk_buf text = { 0 };

		if (complaint->count == 0)
			continue;
		if (wk_bytes_left(&first) > MOST_QUOTED)
			first.end = first.at + MOST_QUOTED;
		wk_buf_add_fmt(&text, "%s: %" PRIu64 ", the first: ", kinds[i], complaint->count);
		wk_utf16_add(&text, first, true);
		event.note = (struct wk_event_note){ .offset = WK_NOWHERE,
						     .text = wk_buf_str(&text),
						     .severity = WK_NOTE_REMARK };
		wk_stack_writer_event(hotspot->writer, &event);
		wk_buf_fini(&text);
	}
}
