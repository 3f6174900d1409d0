/* Maps printed by bpftrace whose keys contain stacks. docs/formats/bpftrace.md */
#include "formats/text/bpf_frame.h"

#include "base/buf.h"
#include "base/num.h"

struct state {
	struct wk_stack_text text;
	bool in_entry;
	struct wk_strtab *maps; /* names of maps: source numbers + 1 */
	uint32_t source;        /* of this entry */
	struct wk_buf keys;     /* of this entry, other than stacks */
};

/* "@stacks["; `line` becomes the rest. */
static bool read_map(struct wk_str *line, struct wk_str *name)
{
	struct wk_str rest = *line;

	if (!wk_str_accept(&rest, "@"))
		return false;
	while (rest.len && (rest.at[0] == '_' || wk_is_digit(rest.at[0]) ||
			    ((rest.at[0] | 0x20) >= 'a' && (rest.at[0] | 0x20) <= 'z')))
		rest = wk_str_skip(rest, 1);
	*name = wk_str_of(line->at, line->len - rest.len);
	if (!wk_str_accept(&rest, "["))
		return false;
	*line = rest;
	return true;
}

/* "... ]: 12" at the end of an entry; `before` is the text before the bracket. */
static bool read_end(struct wk_str line, struct wk_str *before, struct wk_str *value)
{
	size_t end = wk_str_find_last_text(line, "]: ");

	if (end == SIZE_MAX)
		return false;
	*before = wk_str_of(line.at, end);
	*value = wk_str_skip(line, end + 3);
	return true;
}

static bool is_entry(struct wk_str line)
{
	struct wk_str name, before, value;

	return read_map(&line, &name) &&
	       (!read_end(line, &before, &value) || wk_str_starts(before, ", "));
}

static bool is_end(struct wk_str line)
{
	struct wk_str before, value;
	uint64_t count;

	return read_end(line, &before, &value) && wk_scan_number(&value, &count);
}

static int probe(struct wk_bytes first)
{
	struct wk_str all = wk_bytes_str(first);
	struct wk_str line = wk_scan_line(&all);

	if (!wk_probe_lines(first, is_entry))
		return 0;
	return wk_str_starts(line, "Attach") || wk_probe_lines(first, is_end) ? 85 : 30;
}

static uint32_t source_of(struct state *state, struct wk_str map)
{
	uint32_t source = wk_strtab_find(state->maps, map);
	struct wk_event_source emitted = { .name = map.len > 1 ? map : wk_str_c("samples"),
					.unit = wk_str_c("samples") };

	if (source)
		return source - 1;
	emitted.source = wk_strtab_add_str(state->maps, map) - 1;
	wk_stack_writer_emit_source(state->text.writer, &emitted);
	return emitted.source;
}

/* Keys before, between and after stacks, separated by ", ". */
static void add_keys(struct state *state, struct wk_str keys)
{
	keys = wk_trim(keys);
	if (wk_str_accept(&keys, ","))
		keys = wk_trim(keys);
	if (wk_str_ends(keys, ","))
		keys.len--;
	if (keys.len == 0)
		return;
	if (state->keys.len)
		wk_buf_add_text(&state->keys, ", ");
	wk_buf_add_str(&state->keys, keys);
}

static void end_entry(struct state *state, struct wk_str value)
{
	uint64_t count;

	if (state->keys.len)
		wk_stack_text_name(&state->text, wk_buf_str(&state->keys));
	if (wk_num_u64(value, &count))
		wk_stack_text_sample(&state->text, WK_NO_PID, WK_NO_PID, state->source, count);
	else
		wk_stack_text_bad(&state->text, "a count after the stack");
	state->text.count = 0;
	wk_buf_reset(&state->keys);
	state->in_entry = false;
}

static void begin_entry(struct state *state, struct wk_str line, struct wk_str map)
{
	struct wk_str before, value;
	bool is_whole = read_end(line, &before, &value);

	/* A map without stacks is not read. */
	if (is_whole && !wk_str_starts(before, ", "))
		return;
	state->text.count = 0;
	wk_buf_reset(&state->keys);
	state->in_entry = true;
	state->source = source_of(state, map);
	add_keys(state, is_whole ? before : line);
	if (is_whole)
		end_entry(state, value);
}

static void read_line(struct state *state, struct wk_str line)
{
	struct wk_str map, before, value, rest = line;
	struct wk_event_frame frame;

	if (read_map(&rest, &map)) {
		if (state->in_entry)
			wk_stack_text_bad(&state->text,
					  "the end of the entry before: \"]: count\"");
		begin_entry(state, rest, map);
	} else if (!state->in_entry) {
		return;
	} else if (wk_scan_blanks(&rest) && rest.len) {
		frame = wk_bpf_frame(rest);
		wk_stack_text_frame(&state->text, &frame);
	} else if (read_end(line, &before, &value)) {
		add_keys(state, before);
		end_entry(state, value);
	} else if (wk_str_starts(line, ",")) {
		add_keys(state, line);
	} else if (rest.len) {
		wk_stack_text_bad(&state->text, "an indented frame or \"]: count\"");
	}
}

/* The last "]: " before a digit, and the digits; without the comma and blank around keys. */
static bool collapsed_end(struct wk_str line, struct wk_str *last, uint64_t *count)
{
	struct wk_str before = line, digits;

	while ((before.len = wk_str_find_last_text(before, "]: ")) != SIZE_MAX) {
		digits = wk_str_skip(line, before.len + 3);
		if (!wk_scan_number(&digits, count))
			continue;
		wk_str_accept(&before, ",");
		if (before.len && (before.at[0] == ' ' || before.at[0] == '\t'))
			before = wk_str_skip(before, 1);
		*last = before;
		return true;
	}
	return false;
}

/* As the older tool, which reads only the unnamed map whose first key is a stack. */
static void read_collapsed(struct state *state, struct wk_str line)
{
	struct wk_str last;
	uint64_t count;

	if (!state->in_entry) {
		state->in_entry = wk_str_is(line, "@[");
		if ((wk_str_accept(&line, "@[, ") || wk_str_accept(&line, "@[,\t")) &&
		    collapsed_end(line, &last, &count)) {
			wk_stack_text_name(
				&state->text,
				wk_str_of(line.at, (size_t)(last.at + last.len - line.at)));
			wk_stack_text_count(&state->text, count);
		}
		return;
	}
	if (!collapsed_end(line, &last, &count)) {
		wk_scan_blanks(&line);
		wk_stack_text_name(&state->text, line);
		return;
	}
	if (last.len)
		wk_stack_text_name(&state->text, last);
	wk_stack_text_count(&state->text, count);
	state->in_entry = false;
}

static bool read_maps(const struct wk_input *input, const struct wk_sink *sink, struct wk_err *err)
{
	struct state state = { .maps = wk_strtab_new() };
	struct wk_str line;

	wk_stack_text_begin(&state.text, input, sink, input->options.collapse ? "samples" : NULL);
	while (wk_stack_text_next(&state.text, &line)) {
		if (state.text.collapse)
			read_collapsed(&state, line);
		else
			read_line(&state, line);
	}
	if (state.in_entry)
		wk_stack_text_bad(&state.text, "the end of the last entry: \"]: count\"");
	wk_strtab_free(state.maps);
	wk_buf_fini(&state.keys);
	return wk_stack_text_end(&state.text, "stacks of bpftrace: \"@[\", frames, \"]: count\"",
				 err);
}

const struct wk_reader wk_reader_bpftrace = {
	.name = "bpftrace",
	.summary = "stacks in maps of bpftrace",
	.probe = probe,
	.read = read_maps,
};
