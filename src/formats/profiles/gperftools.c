/* Profiles of gperftools (tcmalloc's heap profiles, CPU profiles, and what `pprof --raw` makes
 * of both: the same with names in front). docs/formats/gperftools.md */
#include <inttypes.h>

#include "base/buf.h"
#include "base/mem.h"
#include "formats/heap/counts.h"
#include "formats/stack_text.h"

#define PROCESS 1 /* the profiles do not contain its number */

enum { IN_USE, OBJECTS, ALLOCATED, ALLOCATIONS };

struct state {
	struct wk_stack_text text;
	struct wk_strtab *names; /* of `pprof --raw` */
	struct wk_map symbols;   /* address to name; empty: wick looks names up itself */
	struct wk_heap_chain chain;
	uint64_t period_bytes; /* of a sampled heap; 0: every allocation was recorded */
};

static const char heap_head[] = "heap profile: ";
static const char symbol_head[] = "--- symbol";

/* The header of a CPU profile: five words, 0 3 0 period 0. */
static bool read_cpu_head(struct wk_bytes *bytes, uint64_t *period_us)
{
	uint64_t words[5];

	for (size_t i = 0; i < 5; i++)
		words[i] = wk_u64le(bytes);
	*period_us = words[3];
	return !bytes->bad && words[0] == 0 && words[1] == 3 && words[2] == 0 && words[4] == 0;
}

/* Go's heap profiles begin alike and are read by their own reader. */
static bool is_heap_head(struct wk_str text)
{
	return wk_str_starts(text, heap_head) && !wk_str_has(wk_scan_line(&text), "@ heap/");
}

static int probe(struct wk_bytes first)
{
	struct wk_str text = wk_bytes_str(first);
	uint64_t period_us;

	return is_heap_head(text) || wk_str_starts(text, symbol_head) ||
			       read_cpu_head(&first, &period_us)
		       ? 95
		       : 0;
}

static void add_address(struct state *state, uint64_t address)
{
	*WK_APPEND(state->chain.at, state->chain.count, state->chain.cap) = address;
}

/* pprof lists callers by the byte before their return address, but the innermost by its own; the
 * keys are addresses + 1. */
static uint32_t symbol_of(const struct state *state, uint64_t address)
{
	uint32_t name = wk_map_find(&state->symbols, address + 1);

	if (!name)
		name = wk_map_find(&state->symbols, address);
	return name ? name : wk_map_find(&state->symbols, address + 2);
}

static uint32_t named_stack(struct state *state)
{
	uint32_t stack = 0;

	for (size_t i = state->chain.count; i-- > 0;) {
		uint64_t address = state->chain.at[i];
		uint32_t name = symbol_of(state, address);
		struct wk_event_frame frame = { .name = wk_strtab_str(state->names, name),
						.address = address, .is_lasting = true };
		struct wk_buf digits = { 0 };

		if (!name) {
			wk_buf_add_fmt(&digits, "0x%" PRIx64, address);
			frame.name = wk_buf_str(&digits);
			frame.is_unnamed = true;
		}
		stack = wk_stack_writer_push(state->text.writer, stack, &frame);
		wk_buf_fini(&digits);
	}
	return stack;
}

/* "0x00005567b2398195 leak<0000000000001189>": the number in brackets is its start. */
static void add_symbol(struct state *state, struct wk_str line)
{
	uint64_t address;
	size_t open;

	if (!wk_str_starts(line, "0x") || !wk_scan_hex(&line, &address) || !wk_scan_blanks(&line))
		return;
	open = wk_str_find_last(line, '<');
	if (open != SIZE_MAX && open > 0 && line.len - open == 18 && wk_str_ends(line, ">"))
		line.len = open;
	if (line.len)
		wk_map_set(&state->symbols, address + 1, wk_strtab_add_str(state->names, line));
}

/* The names of `pprof --raw`, up to the head of the profile itself. */
static void read_symbols(struct state *state, struct wk_str *rest)
{
	while (rest->len) {
		struct wk_str line = wk_scan_line(rest);

		if (wk_str_starts(line, "--- ") && !wk_str_is(line, symbol_head))
			return;
		add_symbol(state, line);
	}
}

static struct wk_event_sample sample_of_chain(const struct state *state, uint32_t stack,
					      bool is_exact)
{
	struct wk_event_sample sample = { .named_stack = stack, .address = state->chain.at[0] };

	if (!stack) {
		sample.user_chain = state->chain.at;
		sample.user_count = state->chain.count;
		sample.user_is_exact = is_exact;
	}
	return sample;
}

/* `is_exact`: every address of the chain is already inside its call. */
static void emit(struct state *state, uint32_t stack, bool is_exact, uint32_t source,
		 uint64_t weight)
{
	struct wk_event event = { .kind = WK_EVENT_SAMPLE, .cpu = WK_NO_CPU,
				  .pid = PROCESS, .tid = PROCESS };

	if (weight == 0 || state->chain.count == 0)
		return;
	event.sample = sample_of_chain(state, stack, is_exact);
	event.sample.source = source;
	event.sample.weight = weight;
	wk_stack_writer_event(state->text.writer, &event);
}

/* "10:    45100 [    10:    45100] @ 0x5567b2398195 0x5567b23981a0 ...", of which the innermost
 * address is in the caller of malloc. */
static bool read_allocation(struct state *state, struct wk_str line)
{
	struct wk_heap_counts counts;
	struct wk_event_sample sample;
	uint32_t stack;

	state->chain.count = 0;
	if (!wk_heap_counts_read(&line, &counts) || !wk_str_accept(&line, " @") ||
	    !wk_heap_chain_read(&state->chain, line))
		return false;
	wk_heap_counts_scale(&counts, state->period_bytes);
	stack = state->symbols.count ? named_stack(state) : 0;
	emit(state, stack, true, IN_USE, counts.used_bytes);
	emit(state, stack, true, OBJECTS, counts.used_blocks);
	emit(state, stack, true, ALLOCATED, counts.made_bytes);
	emit(state, stack, true, ALLOCATIONS, counts.made_blocks);
	sample = sample_of_chain(state, stack, true);
	wk_heap_counts_emit(state->text.writer, PROCESS, PROCESS, &sample, &counts);
	return true;
}

/* "heap profile: 1: 16 [1: 16] @ heap_v2/524288": one allocation for about that number of bytes. */
static uint64_t sampling_period(struct wk_str head)
{
	size_t at = wk_str_find(head, "@ heap_v2/");
	uint64_t period_bytes;

	if (at == SIZE_MAX)
		return 0;
	head = wk_str_skip(head, at + strlen("@ heap_v2/"));
	return wk_scan_number(&head, &period_bytes) ? period_bytes : 0;
}

static void read_heap(struct state *state, struct wk_str rest)
{
	size_t maps = wk_str_find(rest, WK_MAPS_HEAD);
	struct wk_str line;

	wk_stack_writer_source(state->text.writer, IN_USE, "memory in use", "bytes", false);
	wk_stack_writer_source(state->text.writer, OBJECTS, "objects in use", "objects", false);
	wk_stack_writer_source(state->text.writer, ALLOCATED, "memory allocated", "bytes", false);
	wk_stack_writer_source(state->text.writer, ALLOCATIONS, "allocations", "objects", false);
	if (maps != SIZE_MAX)
		wk_maps_emit(&state->text, PROCESS, wk_str_skip(rest, maps));
	/* From here on lines are counted, for words about those that make no sense. */
	state->text.lines = (struct wk_lines){ rest.at, rest.at + rest.len, 0 };
	if (wk_stack_text_next(&state->text, &line))
		state->period_bytes = sampling_period(line);
	wk_heap_counts_note(state->text.writer, state->period_bytes);
	while (wk_stack_text_next(&state->text, &line)) {
		if (wk_str_starts(line, WK_MAPS_HEAD))
			return;
		if (wk_trim(line).len && !read_allocation(state, line))
			wk_stack_text_bad(&state->text, "\"1: 16 [1: 16] @ 0x... 0x...\"");
	}
}

static uint64_t times(uint64_t a, uint64_t b)
{
	uint64_t product;

	return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

/* One record: how often, how deep, the addresses. False at the end, which is a count of 0 or
 * simply the end, or a record that is not whole: then `records` is bad. */
static bool read_record(struct wk_bytes *records, uint64_t *count, struct wk_bytes *addresses)
{
	uint64_t depth;

	if (wk_bytes_left(records) == 0)
		return false;
	*count = wk_u64le(records);
	depth = wk_u64le(records);
	*addresses = wk_bytes_slice(records, depth > UINT64_MAX / 8 ? UINT64_MAX : depth * 8);
	return !records->bad && *count > 0;
}

/* The mappings follow the records. */
static void emit_cpu_mappings(struct state *state, struct wk_bytes records)
{
	struct wk_bytes addresses;
	uint64_t count;

	while (read_record(&records, &count, &addresses))
		;
	wk_maps_emit(&state->text, PROCESS, wk_bytes_str(records));
}

/* `pprof --raw` always writes a period of 1: then only counts are known. */
static bool read_cpu(struct state *state, struct wk_bytes bytes, struct wk_err *err)
{
	struct wk_bytes addresses;
	uint64_t period_us, count, ns;

	if (!read_cpu_head(&bytes, &period_us))
		return wk_fail(err, WK_EFORMAT, wk_bytes_offset(&bytes),
			       "neither a heap profile nor a CPU profile of 64-bit "
			       "little-endian words");
	ns = period_us > 1 ? times(period_us, 1000) : 1;
	wk_stack_writer_source(state->text.writer, 0, period_us > 1 ? "CPU time" : "samples",
			       period_us > 1 ? "ns" : "samples", false);
	emit_cpu_mappings(state, bytes);
	while (read_record(&bytes, &count, &addresses)) {
		state->chain.count = 0;
		while (wk_bytes_left(&addresses))
			add_address(state, wk_u64le(&addresses));
		emit(state, state->symbols.count ? named_stack(state) : 0, false, 0,
		     times(count, ns));
	}
	if (bytes.bad && wk_stack_writer_samples(state->text.writer) == 0)
		return wk_fail(err, WK_EFORMAT, WK_NOWHERE,
			       "the profile is truncated before its first sample");
	if (bytes.bad)
		wk_note(state->text.writer, "the profile ends within a record");
	return true;
}

static bool read_profile(const struct wk_input *input, const struct wk_sink *sink,
			 struct wk_err *err)
{
	struct state state = { .names = wk_strtab_new() };
	struct wk_str rest = wk_bytes_str(input->bytes);
	bool ok = true;

	wk_stack_text_begin(&state.text, input, sink, NULL);
	if (wk_str_starts(rest, symbol_head))
		read_symbols(&state, &rest);
	if (wk_str_starts(rest, heap_head))
		read_heap(&state, rest);
	else
		ok = read_cpu(&state, wk_bytes_of(rest.at, rest.len), err);
	wk_strtab_free(state.names);
	wk_map_fini(&state.symbols);
	wk_free(state.chain.at);
	return wk_stack_text_end(&state.text, "a heap profile of gperftools, or a CPU profile",
				 err) &&
	       ok;
}

const struct wk_reader wk_reader_gperftools = {
	.name = "gperftools",
	.summary = "heap and CPU profiles of gperftools, and pprof --raw",
	.suffixes = (const char *const[]){ ".heap", NULL },
	.probe = probe,
	.read = read_profile,
	.reads_binary = true,
};
