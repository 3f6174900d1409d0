#include "formats/perf/internal.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/num.h"

/* Features that describe the machine and the recording, each emitted as one or more facts. */

/* The distinct caches that are listed; machines have four or five. */
#define MOST_CACHES 32

struct wk_str wk_perf_feature_text(struct wk_bytes *in)
{
	struct wk_bytes padded = wk_bytes_slice(in, wk_u32(in));
	struct wk_str text = { (const char *)padded.at, wk_bytes_left(&padded) };
	const char *nul = text.len ? memchr(text.at, 0, text.len) : NULL;

	if (nul)
		text.len = (size_t)(nul - text.at);
	return text;
}

bool wk_perf_emit_fact(struct wk_perf *perf, const char *key, struct wk_str value)
{
	struct wk_event event = { .kind = WK_EVENT_SYSTEM, .cpu = WK_NO_CPU };

	if (value.len == 0)
		return true;
	event.system.key = wk_str_c(key);
	event.system.value = value;
	return wk_sink_emit(perf->sink, &event, perf->err);
}

static bool emit_number(struct wk_perf *perf, const char *key, uint64_t value)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRIu64, value);
	return wk_perf_emit_fact(perf, key, wk_str_c(text));
}

bool wk_perf_read_text(struct wk_perf *perf, struct wk_bytes *in, const char *key)
{
	struct wk_str text = wk_perf_feature_text(in);

	return in->bad || wk_perf_emit_fact(perf, key, text);
}

bool wk_perf_read_cpu_counts(struct wk_perf *perf, struct wk_bytes *in, const char *key)
{
	uint32_t configured = wk_u32(in), online = wk_u32(in);

	perf->cpus_configured = configured;
	return in->bad ||
	       (emit_number(perf, "cpus configured", configured) && emit_number(perf, key, online));
}

bool wk_perf_read_memory(struct wk_perf *perf, struct wk_bytes *in, const char *key)
{
	uint64_t memory_kb = wk_u64(in);

	return in->bad || memory_kb > UINT64_MAX / 1024 || emit_number(perf, key, memory_kb * 1024);
}

/* Emits the text in `value` and frees it; nothing is emitted of a damaged section. */
static bool emit_buf(struct wk_perf *perf, const struct wk_bytes *in, const char *key,
		     struct wk_buf *value)
{
	bool ok = in->bad || wk_perf_emit_fact(perf, key, wk_buf_str(value));

	wk_buf_fini(value);
	return ok;
}

static bool emit_made(struct wk_perf *perf, const struct wk_bytes *in, struct wk_buf *key,
		      struct wk_buf *value)
{
	bool ok = emit_buf(perf, in, wk_buf_text(key), value);

	wk_buf_fini(key);
	return ok;
}

/* Several texts as one fact, with blanks between. */
bool wk_perf_read_texts(struct wk_perf *perf, struct wk_bytes *in, const char *key)
{
	struct wk_buf all = { 0 };

	for (uint32_t i = 0, count = wk_u32(in); i < count && !in->bad; i++) {
		if (i > 0)
			wk_buf_add_char(&all, ' ');
		wk_buf_add_str(&all, wk_perf_feature_text(in));
	}
	return emit_buf(perf, in, key, &all);
}

/* The largest number in a column of the CPU table, which gives the minimum count. */
struct cpu_column {
	struct wk_map seen;
	size_t count;
};

static void see(struct cpu_column *column, uint64_t value)
{
	uint32_t *id = wk_map_at(&column->seen, value);

	column->count += *id == 0;
	*id = 1;
}

/* Which CPUs belong to which core; newer recorders append the sockets and dies. */
bool wk_perf_read_topology(struct wk_perf *perf, struct wk_bytes *in, const char *key)
{
	struct cpu_column cores = { 0 }, sockets = { 0 };
	struct wk_buf text = { 0 };
	bool ok = wk_perf_read_texts(perf, in, "cpu cores") &&
		  wk_perf_read_texts(perf, in, "cpu threads");
	uint32_t cpus = perf->cpus_configured;

	if (cpus > wk_bytes_left(in) / 8)
		cpus = 0;
	for (uint32_t i = 0; i < cpus; i++) {
		uint32_t core = wk_u32(in), socket = wk_u32(in);

		if (core == UINT32_MAX || socket == UINT32_MAX)
			continue; /* offline */
		see(&cores, (uint64_t)socket << 32 | core);
		see(&sockets, socket);
	}
	if (cores.count)
		wk_buf_add_fmt(&text, "%zu core%s, %zu socket%s", cores.count,
			       cores.count == 1 ? "" : "s", sockets.count,
			       sockets.count == 1 ? "" : "s");
	wk_map_fini(&cores.seen);
	wk_map_fini(&sockets.seen);
	ok = emit_buf(perf, in, key, &text) && ok;
	if (ok && cpus && wk_bytes_left(in) >= 4)
		ok = wk_perf_read_texts(perf, in, "cpu dies");
	return ok;
}

bool wk_perf_read_numa(struct wk_perf *perf, struct wk_bytes *in, const char *key)
{
	bool ok = true;

	for (uint32_t i = 0, count = wk_u32(in); i < count && !in->bad && ok; i++) {
		struct wk_buf node = { 0 }, value = { 0 };

		wk_buf_add_fmt(&node, "%s %" PRIu32, key, wk_u32(in));
		wk_buf_add_fmt(&value, "%" PRIu64 " kB, cpus ", wk_u64(in));
		wk_u64(in); /* free at that time */
		wk_buf_add_str(&value, wk_perf_feature_text(in));
		ok = emit_made(perf, in, &node, &value);
	}
	return ok;
}

struct cache {
	uint32_t level, line, sets, ways;
	struct wk_str type, size;
	uint32_t count;
};

static struct cache read_cache(struct wk_bytes *in)
{
	struct cache cache = { .level = wk_u32(in), .count = 1 };

	cache.line = wk_u32(in);
	cache.sets = wk_u32(in);
	cache.ways = wk_u32(in);
	cache.type = wk_perf_feature_text(in);
	cache.size = wk_perf_feature_text(in);
	wk_perf_feature_text(in); /* its CPUs */
	return cache;
}

static bool same_cache(const struct cache *a, const struct cache *b)
{
	return a->level == b->level && a->line == b->line && a->sets == b->sets &&
	       a->ways == b->ways && wk_str_eq(a->type, b->type) && wk_str_eq(a->size, b->size);
}

static bool emit_cache(struct wk_perf *perf, const struct wk_bytes *in, const char *key,
		       const struct cache *cache)
{
	struct wk_buf name = { 0 }, value = { 0 };

	wk_buf_add_fmt(&name, "%s L%" PRIu32 " %.*s", key, cache->level, WK_STR_ARG(cache->type));
	wk_buf_add_fmt(&value,
		       "%" PRIu32 " of %.*s, %" PRIu32 " ways, %" PRIu32 " sets, lines of %" PRIu32
		       " bytes",
		       cache->count, WK_STR_ARG(cache->size), cache->ways, cache->sets,
		       cache->line);
	return emit_made(perf, in, &name, &value);
}

/* Each cache is listed with its CPUs; equal ones are emitted as one. */
bool wk_perf_read_caches(struct wk_perf *perf, struct wk_bytes *in, const char *key)
{
	struct cache caches[MOST_CACHES];
	size_t found = 0;
	uint32_t version = wk_u32(in), count = wk_u32(in);
	bool ok = true;

	for (uint32_t i = 0; version == 1 && i < count && !in->bad; i++) {
		struct cache cache = read_cache(in);
		size_t at = 0;

		while (at < found && !same_cache(&caches[at], &cache))
			at++;
		if (at < found)
			caches[at].count++;
		else if (found < MOST_CACHES)
			caches[found++] = cache;
	}
	for (size_t i = 0; i < found && ok; i++)
		ok = emit_cache(perf, in, key, &caches[i]);
	return ok;
}

/* The kinds of counters of the machine, with their type numbers in attrs. */
bool wk_perf_read_pmus(struct wk_perf *perf, struct wk_bytes *in, const char *key)
{
	struct wk_buf text = { 0 };

	for (uint32_t i = 0, count = wk_u32(in); i < count && !in->bad; i++) {
		uint32_t type = wk_u32(in);
		struct wk_str name = wk_perf_feature_text(in);

		wk_buf_add_fmt(&text, "%s%.*s %" PRIu32, i ? ", " : "", WK_STR_ARG(name), type);
	}
	return emit_buf(perf, in, key, &text);
}

static void add_capabilities(struct wk_bytes *in, struct wk_buf *text)
{
	for (uint32_t i = 0, count = wk_u32(in); i < count && !in->bad; i++) {
		struct wk_str name = wk_perf_feature_text(in), value = wk_perf_feature_text(in);

		wk_buf_add_fmt(text, "%s%.*s %.*s", i ? ", " : "", WK_STR_ARG(name),
			       WK_STR_ARG(value));
	}
}

bool wk_perf_read_cpu_capabilities(struct wk_perf *perf, struct wk_bytes *in, const char *key)
{
	struct wk_buf text = { 0 };

	add_capabilities(in, &text);
	return emit_buf(perf, in, key, &text);
}

bool wk_perf_read_capabilities(struct wk_perf *perf, struct wk_bytes *in, const char *key)
{
	bool ok = true;

	for (uint32_t i = 0, count = wk_u32(in); i < count && !in->bad && ok; i++) {
		struct wk_buf name = { 0 }, text = { 0 };

		add_capabilities(in, &text);
		wk_buf_add_fmt(&name, "%s ", key);
		wk_buf_add_str(&name, wk_perf_feature_text(in));
		ok = emit_made(perf, in, &name, &text);
	}
	return ok;
}

bool wk_perf_read_hybrid(struct wk_perf *perf, struct wk_bytes *in, const char *key)
{
	bool ok = true;

	for (uint32_t i = 0, count = wk_u32(in); i < count && !in->bad && ok; i++) {
		struct wk_buf name = { 0 }, cpus = { 0 };

		wk_buf_add_fmt(&name, "%s ", key);
		wk_buf_add_str(&name, wk_perf_feature_text(in));
		wk_buf_add_str(&cpus, wk_perf_feature_text(in));
		ok = emit_made(perf, in, &name, &cpus);
	}
	return ok;
}

static struct wk_str name_of_attr(const struct wk_perf *perf, uint32_t index)
{
	return index < perf->attr_count ? perf->attrs[index].name : wk_str_c("");
}

/* Groups are runs of adjacent events: the number of the leader and the number of events. */
bool wk_perf_read_groups(struct wk_perf *perf, struct wk_bytes *in, const char *key)
{
	uint64_t end = 0; /* of the group before */
	bool ok = true;

	for (uint32_t i = 0, count = wk_u32(in); i < count && !in->bad && ok; i++) {
		struct wk_buf text = { 0 };
		struct wk_str name = wk_perf_feature_text(in);
		uint32_t leader = wk_u32(in), members = wk_u32(in);

		in->bad |= leader < end || (uint64_t)leader + members > perf->attr_count;
		end = (uint64_t)leader + members;
		if (!wk_str_is(name, "{anon_group}"))
			wk_buf_add_fmt(&text, "%.*s: ", WK_STR_ARG(name));
		for (uint32_t j = 0; j < members && !in->bad; j++) {
			struct wk_str member = name_of_attr(perf, leader + j);

			wk_buf_add_fmt(&text, "%s%.*s", j ? ", " : "", WK_STR_ARG(member));
		}
		ok = emit_buf(perf, in, key, &text);
	}
	return ok;
}

bool wk_perf_read_memory_blocks(struct wk_perf *perf, struct wk_bytes *in, const char *key)
{
	uint64_t version = wk_u64(in), block_bytes = wk_u64(in), count = wk_u64(in);
	bool ok = true;

	for (uint64_t i = 0; version == 1 && i < count && !in->bad && ok; i++) {
		struct wk_buf name = { 0 }, text = { 0 };
		uint64_t node = wk_u64(in), bits = wk_u64(in), present = 0;

		if (bits / 64 > wk_bytes_left(in) / 8) {
			in->bad = true;
			break;
		}
		for (uint64_t word = 0; word < (bits + 63) / 64; word++)
			present += (uint64_t)__builtin_popcountll(wk_u64(in));
		wk_buf_add_fmt(&name, "%s %" PRIu64, key, node);
		wk_buf_add_fmt(&text, "%" PRIu64 " blocks of ", present);
		wk_num_add_bytes(&text, block_bytes);
		ok = emit_made(perf, in, &name, &text);
	}
	return ok;
}

bool wk_perf_read_clock(struct wk_perf *perf, struct wk_bytes *in, const char *key)
{
	uint32_t version = wk_u32(in), id = wk_u32(in);
	uint64_t wall_ns = wk_u64(in), clock_ns = wk_u64(in);
	struct wk_buf pair = { 0 };

	if (in->bad || version != 1)
		return true;
	wk_buf_add_fmt(&pair, "%" PRIu64 " %" PRIu64, clock_ns, wall_ns);
	return wk_perf_emit_fact(perf, key, wk_str_c(wk_perf_clock_name((int)id))) &&
	       emit_buf(perf, in, "clock pair", &pair);
}

bool wk_perf_read_clock_step(struct wk_perf *perf, struct wk_bytes *in, const char *key)
{
	uint64_t step_ns = wk_u64(in);
	struct wk_buf text = { 0 };

	if (step_ns != 1 || perf->is_header_only) /* nearly all have 1 */
		wk_buf_add_fmt(&text, "%" PRIu64 " ns", step_ns);
	return emit_buf(perf, in, key, &text);
}

bool wk_perf_read_compression(struct wk_perf *perf, struct wk_bytes *in, const char *key)
{
	struct wk_buf text = { 0 };
	uint32_t type, level, ratio;

	wk_u32(in); /* version */
	type = wk_u32(in);
	level = wk_u32(in);
	ratio = wk_u32(in);
	wk_u32(in); /* the size of the ring */
	if (type == 1)
		wk_buf_add_text(&text, "zstd");
	else
		wk_buf_add_fmt(&text, "type %" PRIu32, type);
	wk_buf_add_fmt(&text, ", level %" PRIu32 ", ratio %" PRIu32, level, ratio);
	return emit_buf(perf, in, key, &text);
}

/* The programs and tables themselves are only counted. */
bool wk_perf_read_count(struct wk_perf *perf, struct wk_bytes *in, const char *key)
{
	struct wk_buf text = { 0 };
	uint32_t count = wk_u32(in);

	if (count)
		wk_buf_add_fmt(&text, "%" PRIu32, count);
	return emit_buf(perf, in, key, &text);
}

bool wk_perf_read_layout(struct wk_perf *perf, struct wk_bytes *in, const char *key)
{
	struct wk_buf text = { 0 };

	wk_buf_add_fmt(&text, "a folder of files, version %" PRIu64, wk_u64(in));
	return emit_buf(perf, in, key, &text);
}

/* simpleperf's facts: names and values alternate. */
bool wk_perf_read_android(struct wk_perf *perf, struct wk_bytes *in, const char *key)
{
	bool ok = true;

	(void)key;
	while (wk_bytes_left(in) && !in->bad && ok) {
		struct wk_buf name = { 0 }, value = { 0 };

		wk_buf_add_str(&name, wk_bytes_text(in));
		wk_buf_add_str(&value, wk_bytes_text(in));
		ok = emit_made(perf, in, &name, &value);
	}
	return ok;
}
