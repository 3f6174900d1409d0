#include "formats/profiles/v8_profile.h"

#include <inttypes.h>

#include "base/mem.h"

enum node_state {
	STACK_UNKNOWN,
	STACK_ON_PATH, /* being walked; to meet it again is a circle */
	STACK_KNOWN,
};

/* The fields of a node before its frame can be created. */
struct call_frame {
	struct wk_buf name, url;
	int64_t line; /* from 1; 0: unknown */
};

/* A node whose end was not met yet. */
struct open_node {
	uint32_t row;
	bool in_children;
	struct call_frame call;
};

void wk_v8_fini(struct wk_v8_profile *profile)
{
	wk_map_fini(&profile->row_of);
	WK_FREE_ALL(profile->nodes, profile->edges, profile->samples, profile->deltas,
		    profile->path);
	wk_buf_fini(&profile->anonymous);
}

/* One key of a call frame. The first line is `first_line` in the input. */
static void call_frame_key(struct call_frame *call, struct wk_str key, int64_t first_line,
			   struct wk_json *json)
{
	if (wk_str_is(key, "functionName")) {
		wk_json_copy_text(json, &call->name);
	} else if (wk_str_is(key, "url")) {
		wk_json_copy_text(json, &call->url);
	} else if (wk_str_is(key, "lineNumber")) {
		int64_t line = wk_json_scaled(json, 0);

		call->line = line >= first_line && line < UINT32_MAX ? line + 1 - first_line : 0;
	}
}

static void read_call_frame(struct call_frame *call, struct wk_json *json)
{
	struct wk_str key;

	if (!wk_json_enter_object(json))
		return;
	while (wk_json_next_key(json, &key))
		call_frame_key(call, key, 0, json);
}

/* Functions without a name are distinguished by their position, as in a debugger. */
static struct wk_str name_of_place(struct wk_v8_profile *profile,
				   const struct wk_event_frame *frame)
{
	struct wk_str file = wk_str_basename(frame->file);

	if (file.len == 0)
		return wk_str_c("(anonymous)");
	wk_buf_reset(&profile->anonymous);
	wk_buf_add_fmt(&profile->anonymous, "(anonymous) %.*s:%" PRIu32, WK_STR_ARG(file),
		       frame->line);
	return wk_buf_str(&profile->anonymous);
}

static uint32_t frame_of(struct wk_v8_profile *profile, const struct call_frame *call)
{
	struct wk_event_frame frame = {
		.name = wk_buf_str(&call->name), .file = wk_buf_str(&call->url) };

	if (wk_str_is(frame.name, "(root)"))
		return 0;
	if (wk_str_starts(frame.file, "file://"))
		frame.file = wk_str_skip(frame.file, 7);
	frame.line = (uint32_t)call->line;
	if (frame.name.len == 0)
		frame.name = name_of_place(profile, &frame);
	return wk_stack_writer_frame(profile->writer, &frame);
}

static void node_key(struct wk_v8_profile *profile, struct open_node *open, struct wk_str key,
		     struct wk_json *json)
{
	struct wk_v8_node *node = &profile->nodes[open->row - 1];

	if (wk_str_is(key, "id")) {
		wk_map_set(&profile->row_of, wk_json_u64(json) + 1, open->row);
	} else if (wk_str_is(key, "parent")) {
		node->parent_id = wk_json_u64(json);
	} else if (wk_str_is(key, "hitCount")) {
		node->hits = wk_json_u64(json);
	} else if (wk_str_is(key, "selfSize")) {
		profile->has_bytes = true;
		node->hits = wk_json_u64(json);
	} else if (wk_str_is(key, "callFrame")) {
		read_call_frame(&open->call, json);
	} else if (wk_str_is(key, "children")) {
		open->in_children = wk_json_enter_array(json);
	} else {
		call_frame_key(&open->call, key, 1, json);
	}
}

static void end_node(struct wk_v8_profile *profile, struct open_node *open)
{
	profile->nodes[open->row - 1].frame = frame_of(profile, &open->call);
	WK_BUF_FINI_ALL(&open->call.name, &open->call.url);
}

/* One step in a list of children: a number, or a node, which is then begun (true). */
static bool next_child(struct wk_v8_profile *profile, struct open_node *open, struct wk_json *json)
{
	if (!wk_json_next_element(json))
		open->in_children = false;
	else if (wk_json_peek(json) == WK_JSON_OBJECT)
		return wk_json_enter_object(json);
	else
		*WK_APPEND(profile->edges, profile->edge_count, profile->edge_cap) =
			(struct wk_v8_edge){ .child_id = wk_json_u64(json), .parent = open->row };
	return false;
}

void wk_v8_node(struct wk_v8_profile *profile, struct wk_json *json)
{
	struct open_node *open = NULL;
	size_t depth = 0, cap = 0;
	bool begins = wk_json_enter_object(json);
	struct wk_str key;

	while (begins || depth) {
		if (begins) {
			uint32_t parent = depth ? open[depth - 1].row : 0;

			*WK_APPEND(profile->nodes, profile->node_count, profile->node_cap) =
				(struct wk_v8_node){ .parent = parent };
			*WK_APPEND(open, depth, cap) =
				(struct open_node){ .row = (uint32_t)profile->node_count };
			begins = false;
		} else if (open[depth - 1].in_children) {
			begins = next_child(profile, &open[depth - 1], json);
		} else if (wk_json_next_key(json, &key)) {
			node_key(profile, &open[depth - 1], key, json);
		} else {
			end_node(profile, &open[--depth]);
		}
	}
	wk_free(open);
}

static void add_delta(struct wk_v8_profile *profile, int64_t delta_ns)
{
	*WK_APPEND(profile->deltas, profile->delta_count, profile->delta_cap) = delta_ns;
}

uint64_t wk_v8_time(struct wk_json *json)
{
	int64_t time_ns = wk_json_scaled(json, 3);

	return time_ns > 0 ? (uint64_t)time_ns : 0;
}

void wk_v8_member(struct wk_v8_profile *profile, struct wk_str key, struct wk_json *json)
{
	if (wk_str_is(key, "startTime")) {
		profile->start_ns = wk_v8_time(json);
	} else if (wk_str_is(key, "nodes")) {
		if (wk_json_enter_array(json))
			while (wk_json_next_element(json))
				wk_v8_node(profile, json);
	} else if (wk_str_is(key, "samples")) {
		if (wk_json_enter_array(json))
			while (wk_json_next_element(json))
				*WK_APPEND(profile->samples, profile->sample_count,
					   profile->sample_cap) = wk_json_u64(json);
	} else if (wk_str_is(key, "timeDeltas")) {
		if (wk_json_enter_array(json))
			while (wk_json_next_element(json))
				add_delta(profile, wk_json_scaled(json, 3));
	}
}

void wk_v8_timestamps(struct wk_v8_profile *profile, struct wk_json *json)
{
	uint64_t last = 0;

	if (!wk_json_enter_array(json))
		return;
	while (wk_json_next_element(json)) {
		uint64_t now = wk_v8_time(json);

		if (last == 0)
			profile->start_ns = last = now;
		add_delta(profile, (int64_t)(now - last));
		last = now;
	}
}

/* --- Stacks -------------------------------------------------------------------------------- */

static void resolve_parents(struct wk_v8_profile *profile)
{
	for (size_t i = 0; i < profile->edge_count; i++) {
		uint32_t child = wk_map_find(&profile->row_of, profile->edges[i].child_id + 1);

		if (child && !profile->nodes[child - 1].parent)
			profile->nodes[child - 1].parent = profile->edges[i].parent;
	}
	for (size_t i = 0; i < profile->node_count; i++) {
		struct wk_v8_node *node = &profile->nodes[i];

		if (!node->parent && node->parent_id)
			node->parent = wk_map_find(&profile->row_of, node->parent_id + 1);
	}
	profile->edge_count = 0;
}

/* Walks towards the root to the first known stack, and back while adding them. Each node is visited
 * once, in any order and depth; a cycle is cut where it closes. */
static uint32_t stack_of(struct wk_v8_profile *profile, uint32_t row)
{
	size_t depth = 0;
	uint32_t stack = 0;

	while (row && profile->nodes[row - 1].state == STACK_UNKNOWN) {
		*WK_APPEND(profile->path, depth, profile->path_cap) = row;
		profile->nodes[row - 1].state = STACK_ON_PATH;
		row = profile->nodes[row - 1].parent;
	}
	if (row && profile->nodes[row - 1].state == STACK_KNOWN)
		stack = profile->nodes[row - 1].stack;
	while (depth) {
		struct wk_v8_node *node = &profile->nodes[profile->path[--depth] - 1];

		if (node->frame)
			stack = wk_stack_writer_stack(profile->writer, stack, node->frame);
		node->stack = stack;
		node->state = STACK_KNOWN;
	}
	return stack;
}

/* --- Emitting ------------------------------------------------------------------------------ */

void wk_v8_emit_source(struct wk_stack_writer *writer, uint32_t number)
{
	struct wk_event_source source = { .source = number, .name = WK_STR("cpu"),
					  .unit = WK_STR("ns"), .is_cpu_time = true };

	wk_stack_writer_emit_source(writer, &source);
}

static void emit_sample(struct wk_v8_profile *profile, uint32_t row, uint64_t time_ns,
			uint64_t weight)
{
	uint32_t stack = stack_of(profile, row);

	if (profile->on_sample)
		profile->on_sample(profile->sample_context, stack, time_ns, weight);
	else
		wk_stack_writer_sample(profile->writer, time_ns, WK_NO_PID, WK_NO_PID, 0, stack,
				       weight);
}

/* V8 writes samples that are a little out of order; time then stands still. */
static uint64_t step(uint64_t time_ns, int64_t delta_ns)
{
	if (delta_ns < 0 && (uint64_t) - (delta_ns + 1) >= time_ns)
		return 0;
	if (delta_ns > 0 && (uint64_t)delta_ns > (uint64_t)INT64_MAX - time_ns)
		return INT64_MAX;
	return time_ns + (uint64_t)delta_ns;
}

void wk_v8_emit(struct wk_v8_profile *profile)
{
	uint64_t raw = profile->start_ns <= INT64_MAX ? profile->start_ns : 0;
	uint64_t now;

	resolve_parents(profile);
	raw = profile->delta_count ? step(raw, profile->deltas[0]) : raw;
	now = raw;
	for (size_t i = 0; i < profile->sample_count; i++) {
		uint32_t row = wk_map_find(&profile->row_of, profile->samples[i] + 1);
		uint64_t next = now;

		if (i + 1 < profile->delta_count && i + 1 < profile->sample_count)
			raw = step(raw, profile->deltas[i + 1]);
		else if (i + 1 == profile->sample_count && profile->end_ns > now)
			raw = profile->end_ns;
		if (raw > now)
			next = raw;
		if (row)
			emit_sample(profile, row, now, next - now);
		profile->lost_samples += !row;
		now = next;
	}
}

void wk_v8_emit_hits(struct wk_v8_profile *profile)
{
	resolve_parents(profile);
	for (size_t i = 0; i < profile->node_count; i++)
		if (profile->nodes[i].hits)
			emit_sample(profile, (uint32_t)i + 1, 0, profile->nodes[i].hits);
}
