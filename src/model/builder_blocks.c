#include "base/mem.h"
#include "event/blocks.h"
#include "model/builder_internal.h"

void wk_builder_forget_groups(struct wk_builder *builder)
{
	for (size_t i = 0; i < builder->group_count; i++)
		wk_free(builder->groups[i].stack);
	builder->group_count = 0;
	wk_heap_lifetimes_forget(builder->heaps);
}

/* Groups are numbered densely: there are as many as the largest number says. */
static void have_groups(struct wk_builder *builder, const struct wk_event_blocks *blocks)
{
	size_t count = builder->group_count;

	for (size_t i = 0; i < blocks->thread_count; i++)
		if (blocks->threads[i].group >= count)
			count = (size_t)blocks->threads[i].group + 1;
	WK_RESERVE(builder->groups, builder->groups_cap, count);
	while (builder->group_count < count)
		builder->groups[builder->group_count++] = (struct wk_stack_group){ 0 };
}

static void forget_stacks(struct wk_builder *builder, struct wk_stack_group *group)
{
	memset(group->stack, 0, group->cap * sizeof(*group->stack));
	wk_heap_lifetimes_forget(builder->heaps);
}

static struct wk_stack_group *group_of(struct wk_builder *builder,
				       const struct wk_block_thread *thread)
{
	struct wk_stack_group *group = &builder->groups[thread->group];
	uint64_t version = wk_spaces_version(builder->spaces, thread->pid);

	if (group->cap && group->version != version)
		forget_stacks(builder, group);
	group->version = version;
	return group;
}

static uint32_t owner_number(struct wk_builder *builder, wk_thread_id thread, uint32_t group)
{
	uint32_t *number = wk_map_at(&builder->owner_numbers, (uint64_t)thread << 32 | group);

	if (!*number)
		*number = ++builder->owner_count;
	return *number;
}

static void find_threads(struct wk_builder *builder, const struct wk_event_blocks *blocks)
{
	have_groups(builder, blocks);
	WK_RESERVE(builder->block_owners, builder->block_owners_cap, blocks->thread_count);
	WK_RESERVE(builder->block_groups, builder->block_groups_cap, blocks->thread_count);
	for (size_t i = 0; i < blocks->thread_count; i++) {
		const struct wk_block_thread *thread = &blocks->threads[i];
		wk_thread_id row = wk_builder_recent_thread(builder, thread->pid, thread->tid)->row;
		wk_process_id process = builder->model->threads[row].process;

		builder->block_owners[i] = (struct wk_heap_owner){
			.thread = row,
			.process = process,
			.heap = wk_heap_lifetimes_heap(builder->heaps, process, 0),
			.number = owner_number(builder, row, thread->group),
		};
		builder->block_groups[i] = group_of(builder, thread);
		wk_heap_lifetimes_loosen(builder->heaps, builder->block_owners[i].heap,
					 thread->has_loose_times);
	}
}

/* Looked up once. */
static wk_stack_id resolve(struct wk_builder *builder, const struct wk_event_blocks *blocks,
			   const struct wk_block_thread *thread, uint32_t stack)
{
	uint64_t chain[WK_BLOCK_MOST_FRAMES];
	struct wk_event_sample taken = { .user_chain = chain, .user_is_exact = true };

	taken.user_count =
		blocks->chain(blocks->context, thread->group, stack, chain, WK_BLOCK_MOST_FRAMES);
	if (!taken.user_count)
		return 0;
	return wk_builder_stack_of(
		builder, wk_builder_recent_thread(builder, thread->pid, thread->tid), &taken);
}

static wk_stack_id stack_of(struct wk_builder *builder, const struct wk_event_blocks *blocks,
			    const struct wk_event_block *block)
{
	struct wk_stack_group *group = builder->block_groups[block->thread];
	wk_stack_id *known;

	if (!block->stack)
		return 0;
	WK_RESERVE_ZEROED(group->stack, group->cap, (size_t)block->stack + 1);
	known = &group->stack[block->stack];
	if (!*known)
		*known = resolve(builder, blocks, &blocks->threads[block->thread], block->stack);
	return *known;
}

/* The same for all blocks of an event. */
struct batch {
	const struct wk_event_blocks *blocks;
	wk_text_id parts[UINT8_MAX + 1];
};

static uint32_t allocate(struct wk_builder *builder, const struct batch *batch,
			 const struct wk_event_block *block, struct wk_sample *who)
{
	const struct wk_event_blocks *blocks = batch->blocks;
	const struct wk_block_estimate *estimate =
		blocks->estimates ? &blocks->estimates[block - blocks->at] : NULL;
	struct wk_heap_allocated allocated = { .address = block->address,
					       .bytes = block->size_bytes,
					       .part = batch->parts[block->part] };

	if (estimate && estimate->blocks) {
		allocated.of_blocks = estimate->blocks;
		allocated.bytes = estimate->bytes;
	}
	who->stack = stack_of(builder, blocks, block);
	return wk_heap_lifetimes_allocate(builder->heaps, builder->block_owners[block->thread].heap,
					  &allocated, who);
}

static void add_block(struct wk_builder *builder, const struct batch *batch,
		      const struct wk_event_block *block, struct wk_sample *who)
{
	const struct wk_heap_owner *owner = &builder->block_owners[block->thread];
	uint32_t row;

	who->time_ns = block->time_ns;
	who->thread = owner->thread;
	who->stack = 0;
	if (block->is_freed) {
		wk_heap_lifetimes_free_block(builder->heaps, owner->heap, block->address, who);
	} else {
		row = allocate(builder, batch, block, who);
		if (row)
			wk_heap_lifetimes_remember(builder->heaps, block, owner, who->is_before,
						   row);
	}
	if (wk_heap_moments_are_requested(&builder->moments))
		wk_builder_add_due_snapshots(builder, owner->process, block->time_ns);
}

/* How many from the `from`th on resembled earlier ones, and were added. */
static size_t add_alike(struct wk_builder *builder, const struct wk_event_blocks *blocks,
			size_t from)
{
	if (blocks->estimates || wk_heap_moments_are_requested(&builder->moments))
		return 0;
	return wk_heap_lifetimes_add_alike(builder->heaps, blocks->at + from, blocks->count - from,
					   builder->block_owners, blocks->is_before);
}

void wk_builder_add_blocks(struct wk_builder *builder, const struct wk_event *event)
{
	const struct wk_event_blocks *blocks = &event->blocks;
	struct wk_model *model = builder->model;
	struct batch batch = { .blocks = blocks };
	struct wk_sample who = { .cpu = event->cpu, .is_before = blocks->is_before };
	uint64_t *distance = blocks->is_before ? &model->sample_bytes_before : &model->sample_bytes;
	size_t i = 0;

	if (blocks->sample_bytes > *distance)
		*distance = blocks->sample_bytes;
	find_threads(builder, blocks);
	for (size_t part = 0; part < blocks->part_count && part <= UINT8_MAX; part++)
		batch.parts[part] = wk_model_text(model, blocks->parts[part]);
	for (;;) {
		i += add_alike(builder, blocks, i);
		if (i >= blocks->count)
			break;
		add_block(builder, &batch, &blocks->at[i++], &who);
	}
}
