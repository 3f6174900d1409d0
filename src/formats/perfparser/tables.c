#include "formats/perfparser/internal.h"

#include "base/hash.h"
#include "base/mem.h"

/* The smallest records with their sizes: no number of a definition can be above the input's bytes
 * divided by these, because numbers count from 0 without a gap. */
#define LEAST_STRING     13
#define LEAST_LOCATION   37
#define LEAST_ATTRIBUTES 34

/* The sizes of records of a fixed size in all known versions. Each version added fields at the end
 * of what the one before had. A 0 ends a list. */
static const uint32_t known_sizes[WK_HOTSPOT_TYPES][6] = {
	[WK_HOTSPOT_THREAD_START] = { 21, 25 },
	[WK_HOTSPOT_THREAD_END] = { 21 },
	[WK_HOTSPOT_COMMAND] = { 25 },
	[WK_HOTSPOT_LOCATION] = { 33, 41 },
	[WK_HOTSPOT_SYMBOL] = { 18, 34, 38, 39 },
	[WK_HOTSPOT_LOST] = { 21, 29 },
	[WK_HOTSPOT_ATTRIBUTES] = { 30 },
	[WK_HOTSPOT_SWITCH] = { 22 },
};

static const char *const type_names[WK_HOTSPOT_TYPES] = {
	"thread start", "thread end",      "command",       "location",
	"symbol",       "string",          "lost",          "features",
	"error",        "progress",        "tracepoint",    "attributes",
	"switch",       "sample",          "trace sample",  "download",
};

bool wk_hotspot_next(struct wk_hotspot *hotspot, struct wk_bytes *rest,
		     struct wk_hotspot_record *record)
{
	uint32_t size;

	if (wk_bytes_left(rest) == 0)
		return false;
	record->offset = wk_bytes_offset(rest);
	size = wk_u32le(rest);
	record->body = wk_bytes_slice(rest, size);
	if (rest->bad) {
		hotspot->is_cut = true;
		return false;
	}
	record->body.big_endian = true;
	record->type = wk_u8(&record->body);
	if (record->body.bad)
		record->type = WK_HOTSPOT_TYPES;
	return true;
}

struct wk_str wk_hotspot_string(const struct wk_hotspot *hotspot, int32_t number)
{
	if (number < 0 || (size_t)number >= hotspot->string_count)
		return (struct wk_str){ 0 };
	return hotspot->strings[number];
}

/* A length of all ones stands for no text, and the one before it for a length of 64 bits. */
struct wk_bytes wk_hotspot_blob(struct wk_bytes *body)
{
	uint64_t len = wk_u32(body);

	if (len == UINT32_MAX)
		len = 0;
	else if (len == UINT32_MAX - 1)
		len = wk_u64(body);
	return wk_bytes_slice(body, len);
}

struct wk_bytes wk_hotspot_many(struct wk_bytes *body, unsigned size)
{
	uint64_t count = wk_u32(body);

	return wk_bytes_slice(body, count * size);
}

bool wk_hotspot_happens(uint8_t type)
{
	switch (type) {
	case WK_HOTSPOT_THREAD_START:
	case WK_HOTSPOT_THREAD_END:
	case WK_HOTSPOT_COMMAND:
	case WK_HOTSPOT_LOST:
	case WK_HOTSPOT_SWITCH:
	case WK_HOTSPOT_SAMPLE:
	case WK_HOTSPOT_TRACE_SAMPLE:
		return true;
	default:
		return false;
	}
}

/* --- Definitions --------------------------------------------------------------------------- */

static bool is_possible(const struct wk_hotspot *hotspot, int32_t number, unsigned least_bytes)
{
	return number >= 0 && (uint64_t)number <= wk_bytes_left(&hotspot->input) / least_bytes;
}

static bool read_string(struct wk_hotspot *hotspot, struct wk_bytes *body)
{
	int32_t number = (int32_t)wk_u32(body);
	struct wk_str text = wk_bytes_str(wk_hotspot_blob(body));

	if (body->bad || !is_possible(hotspot, number, LEAST_STRING))
		return false;
	WK_RESERVE_ZEROED(hotspot->strings, hotspot->string_cap, (size_t)number + 1);
	hotspot->strings[number] = text;
	if ((size_t)number >= hotspot->string_count)
		hotspot->string_count = (size_t)number + 1;
	return true;
}

static const struct wk_hotspot_symbol no_symbol = { .name = WK_HOTSPOT_NONE,
						    .binary = WK_HOTSPOT_NONE,
						    .path = WK_HOTSPOT_NONE };

/* A location is defined after its parent, so that chains of them end. */
static bool read_location(struct wk_hotspot *hotspot, struct wk_bytes *body)
{
	int32_t number = (int32_t)wk_u32(body);
	struct wk_hotspot_location location = { .address = wk_u64(body) };

	location.file = (int32_t)wk_u32(body);
	location.pid = wk_u32(body);
	location.line = (int32_t)wk_u32(body);
	wk_u32(body); /* column */
	location.parent = (int32_t)wk_u32(body);
	if (body->bad || !is_possible(hotspot, number, LEAST_LOCATION) ||
	    location.parent < WK_HOTSPOT_NONE || location.parent >= number)
		return false;
	while (hotspot->location_count <= (size_t)number)
		*WK_APPEND(hotspot->locations, hotspot->location_count, hotspot->location_cap) =
			(struct wk_hotspot_location){ .parent = WK_HOTSPOT_NONE,
						      .symbol = no_symbol };
	location.symbol = hotspot->locations[number].symbol;
	hotspot->locations[number] = location;
	return true;
}

static bool read_symbol(struct wk_hotspot *hotspot, struct wk_bytes *body)
{
	int32_t number = (int32_t)wk_u32(body);
	struct wk_hotspot_symbol symbol = { .name = (int32_t)wk_u32(body) };

	symbol.binary = (int32_t)wk_u32(body);
	symbol.path = (int32_t)wk_u32(body);
	symbol.in_kernel = wk_u8(body);
	symbol.is_defined = wk_hotspot_string(hotspot, symbol.name).len ||
			    wk_hotspot_string(hotspot, symbol.binary).len ||
			    wk_hotspot_string(hotspot, symbol.path).len;
	if (body->bad || number < 0 || (size_t)number >= hotspot->location_count)
		return false;
	hotspot->locations[number].symbol = symbol;
	return true;
}

static bool read_attributes(struct wk_hotspot *hotspot, struct wk_bytes *body)
{
	int32_t number = (int32_t)wk_u32(body);
	struct wk_hotspot_attributes attributes = { .type = wk_u32(body), .is_defined = true };
	bool is_frequency;

	attributes.config = wk_u64(body);
	attributes.name = (int32_t)wk_u32(body);
	is_frequency = wk_u8(body);
	attributes.period = wk_u64(body);
	if (is_frequency)
		attributes.period = 0;
	if (body->bad || !is_possible(hotspot, number, LEAST_ATTRIBUTES))
		return false;
	WK_RESERVE_ZEROED(hotspot->attributes, hotspot->attribute_cap, (size_t)number + 1);
	hotspot->attributes[number] = attributes;
	if ((size_t)number >= hotspot->attribute_count)
		hotspot->attribute_count = (size_t)number + 1;
	return true;
}

/* --- The pass over all records ------------------------------------------------------------- */

/* A CPU other than 0 shows that samples of an event contain CPUs. */
static void see_cpu(struct wk_hotspot *hotspot, uint8_t type, struct wk_bytes body)
{
	uint32_t number;

	if (type != WK_HOTSPOT_SAMPLE && type != WK_HOTSPOT_TRACE_SAMPLE) {
		hotspot->has_cpus = true;
		return;
	}
	wk_hotspot_many(&body, 4); /* locations */
	wk_u8(&body);
	wk_u32(&body); /* number of costs */
	number = wk_u32(&body);
	if (!body.bad && number < hotspot->attribute_count)
		hotspot->attributes[number].has_cpus = true;
}

/* Whether times are in order decides how the second pass goes. */
static void see_happening(struct wk_hotspot *hotspot, uint8_t type, struct wk_bytes body)
{
	uint64_t time_ns;
	uint32_t cpu;

	wk_bytes_skip(&body, 8); /* process and thread */
	time_ns = wk_u64(&body);
	cpu = wk_u32(&body);
	if (body.bad)
		return;
	if (cpu)
		see_cpu(hotspot, type, body);
	hotspot->is_disordered |= time_ns < hotspot->last_ns;
	hotspot->last_ns = time_ns;
	hotspot->happenings++;
}

static void see_progress(struct wk_hotspot *hotspot, struct wk_bytes body)
{
	uint64_t bits = wk_u64(&body);
	double progress;

	memcpy(&progress, &bits, sizeof(progress));
	if (!body.bad && progress >= 0 && progress <= 1)
		hotspot->progress = progress;
}

static bool is_known_size(uint8_t type, uint32_t size)
{
	const uint32_t *known = known_sizes[type];

	if (known[0] == 0)
		return true;
	for (size_t i = 0; i < 6 && known[i]; i++)
		if (known[i] == size)
			return true;
	return false;
}

/* The first record of each type shows the version; a later one of another size is damaged. */
static bool check_size(struct wk_hotspot *hotspot, const struct wk_hotspot_record *record,
		       bool *is_bad, struct wk_err *err)
{
	uint32_t size = (uint32_t)wk_bytes_left(&record->body) + 1;
	uint32_t *first = &hotspot->sizes[record->type];

	*is_bad = known_sizes[record->type][0] && *first && *first != size;
	if (*first)
		return true;
	*first = size;
	return is_known_size(record->type, size) ||
	       wk_fail(err, WK_EUNSUPPORTED, record->offset,
		       "written by a version of hotspot's parser that wick does not know: a %s "
		       "record of %u bytes; open the perf.data that it was made from",
		       type_names[record->type], size);
}

static bool read_record(struct wk_hotspot *hotspot, const struct wk_hotspot_record *record)
{
	struct wk_bytes body = record->body;

	switch (record->type) {
	case WK_HOTSPOT_STRING:
		return read_string(hotspot, &body);
	case WK_HOTSPOT_LOCATION:
		return read_location(hotspot, &body);
	case WK_HOTSPOT_SYMBOL:
		return read_symbol(hotspot, &body);
	case WK_HOTSPOT_ATTRIBUTES:
		return read_attributes(hotspot, &body);
	case WK_HOTSPOT_ERROR:
		wk_hotspot_complain(hotspot, body);
		return true;
	case WK_HOTSPOT_PROGRESS:
		see_progress(hotspot, body);
		return true;
	default:
		if (wk_hotspot_happens(record->type))
			see_happening(hotspot, record->type, body);
		return true;
	}
}

bool wk_hotspot_read_tables(struct wk_hotspot *hotspot, struct wk_err *err)
{
	struct wk_bytes rest = hotspot->input;
	struct wk_hotspot_record record;

	hotspot->progress = -1;
	while (wk_hotspot_next(hotspot, &rest, &record)) {
		bool is_bad = false;

		if (record.type >= WK_HOTSPOT_TYPES) {
			hotspot->unknown_records++;
			continue;
		}
		if (!check_size(hotspot, &record, &is_bad, err))
			return false;
		hotspot->bad_records += is_bad || !read_record(hotspot, &record);
	}
	return true;
}
