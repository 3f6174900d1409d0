#include "stages/unwind_stage.h"

#include <inttypes.h>

#include "base/mem.h"
#include "base/strtab.h"
#include "event/image_kind.h"
#include "names/root_name.h"
#include "os/os.h"
#include "stages/embed.h"
#include "stages/frame_pointers.h"
#include "stages/heap_addresses.h"
#include "stages/jit/jit_stage.h"
#include "stages/outer_stacks.h"
#include "stages/process_memory.h"
#include "stages/space.h"
#include "stages/stack_ends.h"
#include "symbols/unwind/unwind.h"

/* The most user frames of one chain: a record of perf.data holds 65,535 bytes, and no stack
 * copy can hold more return addresses than that. */
#define CHAIN_CAP 8000

/* The kernel ends longer chains here (sysctl kernel.perf_event_max_stack). */
#define MOST_KERNEL_FRAMES 127

/* After this many stacks the memory of the images' pages is released: results stay in the tables,
 * and a library of 150 MB is touched everywhere while they fill. */
#define RELEASE_STACKS 1024

/* An image of `images` (same id) and what unwinding needs of it. */
struct stage_image {
	struct wk_image_symbols *symbols;
	const struct wk_obj *obj;
	struct wk_unwind_table *table; /* NULL if the image has no file */
	bool is_ready;                 /* table and file are final: a stack went through it */
};

struct wk_unwind_stage {
	struct wk_unwind_options options;
	struct wk_symbols *symbols;
	struct wk_sink next;
	struct wk_strtab *images;   /* what identifies each; their ids are the numbers of images */
	struct stage_image *staged; /* by number of the image */
	size_t staged_cap;
	uint32_t staged_count;
	struct wk_spaces *spaces;
	struct wk_unwinder *unwinder;
	struct wk_process_memory *memory; /* NULL unless the processes are alive; as the next */
	struct wk_outer_stacks *outer;
	struct wk_stack_ends *ends;
	bool uses_outer; /* before the memory of the process, in this walk */
	struct wk_embedder *embedder;
	struct wk_heap_addresses *heap;       /* NULL before the first row of the heap */
	bool met_code;                        /* that no file holds, in this walk */
	struct wk_image_symbols *met_missing; /* a file that is not here, in this walk; or NULL */
	uint32_t pid, tid;                    /* whose stack is being walked */
	uint32_t since_release;               /* stacks */
	struct wk_unwind_counts counts;
	uint64_t chain[CHAIN_CAP];
};

/* The distance between addresses and the file's own: a mapping shows one part of the file, and that
 * part's segment has its preferred address. */
static uint64_t bias_of(const struct stage_image *staged, const struct wk_mapping *mapping,
			uint64_t address)
{
	uint64_t offset = address - mapping->start + mapping->file_offset;
	uint64_t vaddr;

	if (staged->obj && wk_obj_vaddr_of(staged->obj, offset, &vaddr))
		return address - vaddr;
	return mapping->start - mapping->file_offset;
}

/* Most images never appear in a stack: slow work waits until one does. */
static void make_ready(struct stage_image *staged)
{
	staged->is_ready = true;
	if (!staged->symbols)
		return;
	if (!staged->obj) {
		wk_image_fetch(staged->symbols);
		staged->obj = wk_image_obj(staged->symbols);
	}
	staged->table = wk_image_unwind(staged->symbols);
}

static bool find_image(void *context, uint64_t address, struct wk_unwind_image *image)
{
	struct wk_unwind_stage *stage = context;
	const struct wk_mapping *mapping = wk_spaces_find(stage->spaces, stage->pid, address);
	struct stage_image *staged;

	if (!mapping)
		return false;
	staged = &stage->staged[mapping->image];
	if (!staged->is_ready)
		make_ready(staged);
	if (!staged->symbols && stage->options.jit) {
		stage->met_code = true;
		if (wk_jit_stage_find(stage->options.jit, stage->pid, address, image))
			return true;
	}
	if (staged->symbols && !staged->obj && !stage->met_missing)
		stage->met_missing = staged->symbols;
	image->table = staged->table;
	image->start = mapping->start;
	image->end = mapping->end;
	image->bias = bias_of(staged, mapping, address);
	return true;
}

static size_t read_memory(void *context, uint64_t address, void *bytes, size_t size)
{
	struct wk_unwind_stage *stage = context;
	size_t count = stage->uses_outer ? wk_outer_stacks_read(stage->outer, stage->tid, address,
								bytes, size)
					 : 0;

	if (count == size)
		return count;
	return wk_process_memory_read(stage->memory, stage->pid, address, bytes, size);
}

struct wk_unwind_stage *wk_unwind_stage_new(struct wk_symbols *symbols, struct wk_sink next,
					    struct wk_unwind_options options)
{
	struct wk_unwind_stage *stage = wk_alloc_zeroed(1, sizeof(*stage));

	stage->options = options;
	stage->symbols = symbols;
	stage->next = next;
	stage->images = wk_strtab_new();
	stage->spaces = wk_spaces_new();
	stage->unwinder = wk_unwinder_new(find_image, stage);
	stage->embedder = wk_embedder_new(options.embeds_names, options.is_live);
	if (options.is_live) {
		stage->memory = wk_process_memory_new();
		stage->outer = wk_outer_stacks_new();
		stage->ends = wk_stack_ends_new();
		wk_unwinder_set_memory(stage->unwinder, read_memory, stage);
	}
	return stage;
}

void wk_unwind_stage_free(struct wk_unwind_stage *stage)
{
	if (!stage)
		return;
	wk_free(stage->staged);
	wk_unwinder_free(stage->unwinder);
	wk_process_memory_free(stage->memory);
	wk_outer_stacks_free(stage->outer);
	wk_stack_ends_free(stage->ends);
	wk_spaces_free(stage->spaces);
	wk_heap_addresses_free(stage->heap);
	wk_embedder_free(stage->embedder);
	wk_strtab_free(stage->images);
	wk_free(stage);
}

static void open_image(struct wk_unwind_stage *stage, const struct wk_event *event, uint32_t id)
{
	struct stage_image *staged = &stage->staged[id];
	struct wk_image_key key = wk_image_key_of(event);

	bool is_memory = wk_image_kind_of(&event->image) == WK_IMAGE_ANONYMOUS;

	if (is_memory && !(stage->options.is_live && wk_image_is_memfd(event->image.path)))
		return;
	staged->symbols = wk_symbols_image(stage->symbols, &key);
	if (!event->image.is_kernel)
		staged->obj = wk_image_obj(staged->symbols);
	/* Most such memory is code made at run time. */
	if (is_memory && !staged->obj)
		staged->symbols = NULL;
}

/* Images are the same if kind, inode, device, build id and path are. */
static uint32_t number_of(struct wk_unwind_stage *stage, const struct wk_event *event)
{
	const struct wk_event_image *image = &event->image;
	struct wk_buf identity = { 0 };
	uint32_t number;

	wk_buf_add_fmt(&identity, "%d %d %d %" PRIu64 " %" PRIu32 " %" PRIu32 " %d ",
		       wk_image_kind_of(image), event->pid == WK_KERNEL_PID,
		       wk_image_key_of(event).vdso32_start != 0, image->inode, image->device_major,
		       image->device_minor, image->build_id.size);
	wk_buf_add(&identity, image->build_id.bytes, image->build_id.size);
	wk_buf_add_str(&identity, image->path);
	number = wk_strtab_add_str(stage->images, wk_buf_str(&identity));
	wk_buf_fini(&identity);
	return number;
}

/* Passes the event on with the build id of the file that is mapped now: a later reader can then
 * distinguish this file from another at the same path. For an older recording only the inode shows
 * that the file is still the recorded one. */
static bool handle_image(struct wk_unwind_stage *stage, const struct wk_event *event,
			 struct wk_err *err)
{
	uint32_t id = number_of(stage, event);
	struct wk_event identified = *event;
	bool is_new = false;

	if (id >= stage->staged_count) {
		WK_RESERVE(stage->staged, stage->staged_cap, (size_t)id + 1);
		while (stage->staged_count <= id)
			stage->staged[stage->staged_count++] = (struct stage_image){ 0 };
		open_image(stage, event, id);
		is_new = true;
	}
	wk_spaces_update(stage->spaces, event, id);
	if (identified.image.build_id.size == 0 && stage->staged[id].obj &&
	    (stage->options.is_live || event->image.inode != 0))
		identified.image.build_id = stage->staged[id].obj->build_id;
	if (is_new)
		wk_embedder_image(stage->embedder, id, &identified, stage->staged[id].symbols);
	return wk_sink_emit(&stage->next, &identified, err);
}

/* Notes the places whose names travel with the recording: return addresses point behind their
 * call, and a later reader looks one byte before. */
static void remember(struct wk_unwind_stage *stage, uint32_t pid, const uint64_t *chain,
		     size_t count, bool is_exact)
{
	for (size_t i = 0; i < count; i++) {
		uint64_t address = chain[i] - (i > 0 && !is_exact && chain[i] > 0);
		const struct wk_mapping *mapping = wk_spaces_find(stage->spaces, pid, address);

		if (mapping && wk_embedder_wants(stage->embedder, mapping->image))
			wk_embedder_address(stage->embedder, mapping->image,
					    pid == WK_KERNEL_PID ? address
								 : address - mapping->start +
									   mapping->file_offset);
	}
}

static void count_end(struct wk_unwind_counts *counts, enum wk_unwind_end end)
{
	counts->whole += end == WK_UNWIND_ROOT;
	counts->cut += end == WK_UNWIND_CUT || end == WK_UNWIND_FULL;
	counts->broken += end == WK_UNWIND_BROKEN;
}

static size_t walk(struct wk_unwind_stage *stage, const struct wk_event *event,
		   enum wk_unwind_end *end)
{
	stage->pid = event->pid;
	stage->tid = event->tid;
	stage->met_code = false;
	stage->met_missing = NULL;
	wk_unwinder_set_space(stage->unwinder, wk_spaces_version(stage->spaces, event->pid));
	return wk_unwind(stage->unwinder, event->sample.stack, stage->chain, CHAIN_CAP, end);
}

/* Updates the tables of JIT code to the event's time. */
static bool advance(struct wk_unwind_stage *stage, const struct wk_event *event, bool *is_changed,
		    struct wk_err *err)
{
	*is_changed = false;
	if (!stage->options.jit)
		return true;
	if (!wk_jit_stage_advance(stage->options.jit, event->pid, event->time_ns, stage->met_code,
				  is_changed, err))
		return false;
	if (*is_changed)
		wk_spaces_touch(stage->spaces, event->pid);
	return true;
}

/* The first walk that meets such code requests its tables, and is repeated. */
static bool walk_through_all(struct wk_unwind_stage *stage, const struct wk_event *event,
			     size_t *count, enum wk_unwind_end *end, struct wk_err *err)
{
	bool is_changed;

	stage->met_code = false;
	if (!advance(stage, event, &is_changed, err))
		return false;
	*count = walk(stage, event, end);
	if (!stage->met_code)
		return true;
	if (!advance(stage, event, &is_changed, err))
		return false;
	if (is_changed)
		*count = walk(stage, event, end);
	return true;
}

/* The process may have ended or moved on since the sample. What was read sooner may help; if not,
 * the chain is the same again. */
static size_t walk_on_by_outer(struct wk_unwind_stage *stage, const struct wk_event *event,
			       size_t count, bool was_completed, enum wk_unwind_end *end)
{
	bool is_whole = *end == WK_UNWIND_ROOT;

	if (!stage->outer)
		return count;
	if (event->sample.stack->is_full)
		wk_outer_stacks_need(stage->outer, event->tid, !is_whole || was_completed);
	if (is_whole || !wk_outer_stacks_has(stage->outer, event->tid))
		return count;
	stage->uses_outer = true;
	count = walk(stage, event, end);
	stage->uses_outer = false;
	return count;
}

/* A copy that was not full and did not suffice may have been shortened to a wrong end. */
static void learn_end(struct wk_unwind_stage *stage, const struct wk_event *event,
		      bool was_completed, enum wk_unwind_end end)
{
	uint64_t value, highest = wk_unwinder_highest(stage->unwinder, &value);

	if (!stage->ends)
		return;
	if (end == WK_UNWIND_ROOT && !was_completed && highest)
		wk_stack_ends_learn(stage->ends, event->tid, highest, value);
	else if (!event->sample.stack->is_full)
		wk_stack_ends_doubt(stage->ends, event->tid);
}

/* By its tables or by its name. */
static bool is_root(struct wk_unwind_stage *stage, uint64_t address)
{
	struct wk_unwind_image image = { 0 };

	return find_image(stage, address, &image) && image.table &&
	       (wk_unwind_is_root(image.table, address - image.bias) ||
		wk_name_is_root(wk_unwind_name(image.table, address - image.bias)));
}

/* Without tables only frame pointers lead on. */
static bool has_no_tables(struct wk_unwind_stage *stage, uint64_t address)
{
	struct wk_unwind_image image = { 0 };

	return find_image(stage, address, &image) &&
	       (!image.table || wk_unwind_has_no_tables(image.table));
}

/* Did the kernel reach the outermost frame by frame pointers? */
static bool has_whole_chain(struct wk_unwind_stage *stage, const struct wk_event_sample *sample)
{
	uint64_t last;

	if (sample->user_count < 2 ||
	    sample->user_count + sample->kernel_count >= MOST_KERNEL_FRAMES)
		return false;
	last = sample->user_chain[sample->user_count - 1] - 1;
	return has_no_tables(stage, last) || is_root(stage, last);
}

/* Frame pointers may lead from a stack that ends nowhere to the outermost frame. */
static size_t walk_by_frame_pointers(struct wk_unwind_stage *stage,
				     const struct wk_event_sample *sample, size_t count,
				     enum wk_unwind_end *end)
{
	size_t continued = count;

	if (*end == WK_UNWIND_ROOT || count == 0)
		return count;
	if (!is_root(stage, stage->chain[count - 1]))
		continued =
			has_whole_chain(stage, sample)
				? wk_frame_pointers_continue(stage->chain, count, CHAIN_CAP,
							     sample->user_chain, sample->user_count)
				: 0;
	if (!continued)
		return count;
	*end = WK_UNWIND_ROOT;
	return continued;
}

/* What the walk met may be a matter of luck: rules are cached after the first lookup. So the file
 * of any frame decides. */
static bool is_missing(struct wk_unwind_stage *stage, size_t count)
{
	struct wk_unwind_image image;

	for (size_t i = 0; i < count && !stage->met_missing; i++)
		find_image(stage, stage->chain[i], &image);
	return stage->met_missing != NULL;
}

static bool is_in_exec(struct wk_unwind_stage *stage, uint64_t address)
{
	struct wk_unwind_image image = { 0 };

	return find_image(stage, address, &image) && image.table &&
	       wk_name_is_exec(wk_unwind_name(image.table, address - image.bias));
}

/* In execve, when the stack of the old program is gone. Elsewhere there is no copy either if the
 * stack is about to grow by a page. As in model/resolve.c. */
static bool is_between_programs(struct wk_unwind_stage *stage, const struct wk_event_sample *sample,
				size_t count)
{
	if (sample->kernel_count == 0 || count != 1)
		return false;
	return !wk_spaces_find(stage->spaces, stage->pid, stage->chain[0]) ||
	       (sample->stack->size_bytes == 0 && is_in_exec(stage, stage->chain[0]));
}

static bool keep_stack(struct wk_unwind_stage *stage, struct wk_event *event, struct wk_err *err)
{
	if (stage->counts.kept++ == 0)
		stage->counts.missing_reason = wk_image_reason(stage->met_missing);
	remember(stage, WK_KERNEL_PID, event->sample.kernel_chain, event->sample.kernel_count,
		 false);
	remember(stage, event->pid, stage->chain, event->sample.user_count, true);
	event->sample.user_count = 0; /* what the copy says better */
	return wk_sink_emit(&stage->next, event, err);
}

static bool handle_sample(struct wk_unwind_stage *stage, const struct wk_event *event,
			  struct wk_err *err)
{
	struct wk_event unwound = *event;
	const struct wk_event_sample *sample = &event->sample;

	if (sample->stack) {
		uint64_t completed = wk_unwinder_completed(stage->unwinder);
		bool was_completed;
		enum wk_unwind_end end;

		if (!walk_through_all(stage, event, &unwound.sample.user_count, &end, err))
			return false;
		was_completed = wk_unwinder_completed(stage->unwinder) != completed;
		learn_end(stage, event, was_completed, end);
		unwound.sample.user_count = walk_on_by_outer(
			stage, event, unwound.sample.user_count, was_completed, &end);
		unwound.sample.user_count =
			walk_by_frame_pointers(stage, sample, unwound.sample.user_count, &end);
		if (stage->options.keeps_stacks && is_missing(stage, unwound.sample.user_count))
			return keep_stack(stage, &unwound, err);
		unwound.sample.user_chain = stage->chain;
		unwound.sample.user_is_exact = true;
		unwound.sample.stack = NULL;
		stage->counts.frames += unwound.sample.user_count;
		if (!is_between_programs(stage, sample, unwound.sample.user_count))
			count_end(&stage->counts, end);
		if (++stage->since_release == RELEASE_STACKS) {
			wk_symbols_release_pages(stage->symbols);
			stage->since_release = 0;
		}
	}
	remember(stage, WK_KERNEL_PID, sample->kernel_chain, sample->kernel_count, false);
	remember(stage, event->pid, unwound.sample.user_chain, unwound.sample.user_count,
		 unwound.sample.user_is_exact);
	return wk_sink_emit(&stage->next, &unwound, err);
}

static void remember_heap(void *context, uint32_t pid, uint64_t address)
{
	remember(context, pid, &address, 1, true);
}

static bool handle_heap_stream(struct wk_unwind_stage *stage, const struct wk_event *event,
			       struct wk_err *err)
{
	if (!stage->heap)
		stage->heap = wk_heap_addresses_new();
	wk_heap_addresses_take(stage->heap, remember_heap, stage);
	wk_heap_addresses_add(stage->heap, event->heap_stream.rows);
	return wk_sink_emit(&stage->next, event, err);
}

/* The mappings of a program that ends, or that another one replaces, are known for the last time.
 */
static void end_program(struct wk_unwind_stage *stage, const struct wk_event *event)
{
	if (stage->heap &&
	    (event->process.change == WK_PROCESS_EXEC || event->process.change == WK_PROCESS_EXIT))
		wk_heap_addresses_take_of(stage->heap, event->pid, event->time_ns, remember_heap,
					  stage);
}

static bool take(void *context, const struct wk_event *event, struct wk_err *err)
{
	struct wk_unwind_stage *stage = context;

	if (event->kind == WK_EVENT_SAMPLE)
		return handle_sample(stage, event, err);
	if (event->kind == WK_EVENT_IMAGE)
		return handle_image(stage, event, err);
	if (event->kind == WK_EVENT_HEAP_STREAM)
		return handle_heap_stream(stage, event, err);
	if (event->kind == WK_EVENT_PROCESS)
		end_program(stage, event);
	if (stage->ends &&
	    (event->kind == WK_EVENT_PROCESS ||
	     (event->kind == WK_EVENT_THREAD && event->thread.change != WK_THREAD_NAME)))
		wk_stack_ends_forget(stage->ends, event->tid);
	wk_embedder_supplied(stage->embedder, event);
	wk_spaces_update(stage->spaces, event, 0);
	return wk_sink_emit(&stage->next, event, err);
}

struct wk_sink wk_unwind_stage_sink(struct wk_unwind_stage *stage)
{
	return (struct wk_sink){
		.take = take, .context = stage, .stacks = stage->next.stacks,
		.accepts_blocks = stage->next.accepts_blocks,
		.accepts_lists = stage->next.accepts_lists };
}

void wk_unwind_stage_full_stack(struct wk_unwind_stage *stage, uint32_t pid, uint32_t tid,
				const struct wk_event_stack *stack)
{
	uint64_t sp;

	if (stage->outer && wk_unwind_stack_pointer(stack, &sp))
		wk_outer_stacks_look(stage->outer, pid, tid, sp, wk_os_clock_ns());
}

bool wk_unwind_stage_stack_end(const struct wk_unwind_stage *stage, uint32_t tid,
			       struct wk_stack_end *end)
{
	return stage->ends && wk_stack_ends_find(stage->ends, tid, end);
}

struct wk_embed_counts wk_unwind_stage_names(const struct wk_unwind_stage *stage)
{
	return wk_embed_counts(stage->embedder);
}

#define WERE_COMPLETED \
	" deeper than the copy taken of it; the outermost frames were read from the process a " \
	"moment later"

/* A recording says which of its stacks are not from one single moment. */
static bool emit_completed(struct wk_unwind_stage *stage, struct wk_err *err)
{
	return wk_sink_note_count(&stage->next, WK_NOTE_REMARK,
				  wk_unwinder_completed(stage->unwinder),
				  " stack was" WERE_COMPLETED, " stacks were" WERE_COMPLETED, err);
}

bool wk_unwind_stage_finish(struct wk_unwind_stage *stage, struct wk_err *err)
{
	if (stage->heap)
		wk_heap_addresses_take(stage->heap, remember_heap, stage);
	return wk_embedder_emit(stage->embedder, &stage->next, err) && emit_completed(stage, err);
}

struct wk_unwind_counts wk_unwind_stage_counts(const struct wk_unwind_stage *stage)
{
	return stage->counts;
}
