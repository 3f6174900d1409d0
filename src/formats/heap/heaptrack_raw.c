#include "base/mem.h"
#include "formats/heap/heaptrack.h"
#include "formats/scan.h"

#define MOST_FRAMES 1024 /* heaptrack itself records 64 */
#define PAGE_BYTES  4096

void wk_heaptrack_raw_fini(struct wk_heaptrack_raw *raw)
{
	WK_FREE_ALL(raw->calls, raw->chain);
}

bool wk_heaptrack_raw_set_program(struct wk_heaptrack_raw *raw, struct wk_str rest, bool has_sizes)
{
	return wk_heaptrack_text(&rest, has_sizes, false, &raw->program);
}

/* "7f41f7c62b9f 0": an address, and the trace of its callers. */
bool wk_heaptrack_raw_add_call(struct wk_heaptrack_raw *raw, struct wk_str rest)
{
	struct wk_heaptrack_call call = { 0 };
	size_t parent = 0;
	bool ok = wk_heaptrack_number(&rest, &call.address) &&
		  wk_heaptrack_index(&rest, raw->call_count, &parent);

	call.parent = (uint32_t)parent;
	*WK_APPEND(raw->calls, raw->call_count, raw->call_cap) = call;
	return ok;
}

/* Parents precede their children, so this ends. The byte before a return address is in the call. */
static void set_chain(struct wk_heaptrack_raw *raw, size_t trace)
{
	raw->chain_trace = trace;
	raw->chain_count = 0;
	while (trace && raw->chain_count < MOST_FRAMES) {
		const struct wk_heaptrack_call *call = &raw->calls[trace - 1];

		*WK_APPEND(raw->chain, raw->chain_count, raw->chain_cap) =
			call->address ? call->address - 1 : 0;
		trace = call->parent;
	}
	raw->cut += trace != 0;
}

void wk_heaptrack_raw_chain(struct wk_heaptrack_raw *raw, size_t trace,
			    struct wk_event_sample *sample)
{
	if (!trace)
		return;
	if (trace != raw->chain_trace)
		set_chain(raw, trace);
	sample->address = raw->chain[0];
	sample->user_chain = raw->chain;
	sample->user_count = raw->chain_count;
	sample->user_is_exact = true;
	sample->chain_number = trace;
}

/* Where a segment is in its file is not recorded. Linkers place each one behind the one before, at
 * the same offset within a page as in memory. */
static uint64_t file_offset_of(uint64_t address, uint64_t end_of_previous)
{
	return end_of_previous + ((address - end_of_previous) & (PAGE_BYTES - 1));
}

static struct wk_str path_of(const struct wk_heaptrack_raw *raw, struct wk_str name)
{
	return wk_str_is(name, "x")                   ? raw->program
	       : wk_str_starts(name, "linux-vdso.so") ? wk_str_c("[vdso]")
						      : name;
}

/* "9 /srv/x.so 7f41f7c46000 0 1522 2000 382": where it was loaded, and the address in the file and
 * the size of each segment. "1 -": a list of all modules follows. */
bool wk_heaptrack_raw_emit_module(const struct wk_heaptrack_raw *raw, struct wk_str rest,
				  bool has_sizes, uint32_t pid, uint64_t time_ns,
				  struct wk_stack_writer *writer)
{
	uint64_t base, address, size, offset = 0;
	struct wk_str name;

	if (!wk_heaptrack_text(&rest, has_sizes, true, &name))
		return false;
	if (wk_str_is(name, "-"))
		return true;
	if (!wk_heaptrack_number(&rest, &base))
		return false;
	while (wk_trim(rest).len) {
		struct wk_event event = { .kind = WK_EVENT_IMAGE, .time_ns = time_ns, .pid = pid,
					  .tid = pid, .cpu = WK_NO_CPU };

		if (!wk_heaptrack_number(&rest, &address) || !wk_heaptrack_number(&rest, &size))
			return false;
		offset = file_offset_of(address, offset);
		event.image = (struct wk_event_image){ .start = base + address, .size_bytes = size,
						       .file_offset = offset,
						       .path = path_of(raw, name) };
		if (address > UINT64_MAX - base || size > UINT64_MAX - event.image.start)
			return false;
		if (size)
			wk_stack_writer_event(writer, &event);
		offset += size;
	}
	return true;
}
