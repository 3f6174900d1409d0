#include "model/heap/internal.h"

#define AHEAD 16 /* events whose blocks are looked up at once */

/* What stays while blocks are added: nothing here grows a table. */
struct context {
	struct wk_model *model;
	struct wk_heap_rows *rows;
	struct wk_block_row *row_at;
	struct wk_block_process *processes;
	struct wk_pending_end *pending;
	struct wk_heap *heaps;
	struct wk_last_block *last_of_thread;
	const struct wk_heap_site *sites;
	const struct wk_heap_owner *owners;
	const struct wk_heap_order *order;
	uint64_t kind;     /* of all sites */
	uint64_t until_ns; /* before it no interval ends */
	bool is_before;
};

/* Changes with each interval that ends. */
static uint64_t common_kind(const struct wk_heap_lifetimes *lifetimes, bool is_before)
{
	return (wk_heap_rows_generation(lifetimes->rows) + lifetimes->forgotten) << 17 |
	       (uint64_t)is_before << 16;
}

static inline struct wk_heap_site site_of(const struct wk_event_block *block, uint32_t owner,
					  uint64_t kind)
{
	return (struct wk_heap_site){
		.stack_owner = (uint64_t)block->stack << 32 | owner,
		.kind = kind | (uint64_t)block->part << 8 | wk_power_of(block->size_bytes),
	};
}

static inline size_t place_of(const struct wk_heap_site *site)
{
	uint64_t hash = site->stack_owner * 0x9e3779b97f4a7c15u + site->kind * 0xbf58476d1ce4e5b9u;

	return hash >> (64 - WK_SITE_BITS);
}

void wk_heap_lifetimes_remember(struct wk_heap_lifetimes *lifetimes,
				const struct wk_event_block *block,
				const struct wk_heap_owner *owner, bool is_before, uint32_t row)
{
	struct wk_heap_site site = site_of(block, owner->number, common_kind(lifetimes, is_before));

	site.row = row;
	lifetimes->sites[place_of(&site)] = site;
}

void wk_heap_lifetimes_forget(struct wk_heap_lifetimes *lifetimes)
{
	lifetimes->forgotten++;
}

static inline void pass(const struct context *context, uint64_t time_ns)
{
	if (time_ns > context->rows->last_ns)
		context->rows->last_ns = time_ns;
}

/* A row of memory for a block, if no other block is at the address. */
static inline uint32_t add_block(struct wk_heap_blocks *blocks, uint32_t *slot, uint64_t address)
{
	uint32_t id;

	for (id = *slot; id; id = blocks->at[id].next)
		if (blocks->at[id].address == address)
			return 0;
	id = blocks->unused;
	if (id)
		blocks->unused = blocks->at[id].next;
	else if (blocks->row_count + 1 < blocks->cap)
		id = ++blocks->row_count;
	else
		return 0;
	blocks->at[id].address = address;
	blocks->at[id].next = *slot;
	*slot = id;
	blocks->count++;
	return id;
}

static inline bool allocate(const struct context *context, const struct wk_event_block *event,
			    uint32_t *slot)
{
	const struct wk_heap_owner *owner = &context->owners[event->thread];
	struct wk_heap *heap = &context->heaps[owner->heap];
	struct wk_heap_site wanted = site_of(event, owner->number, context->kind);
	const struct wk_heap_site *site = &context->sites[place_of(&wanted)];
	struct wk_heap_block *block;
	uint32_t id;

	if (site->stack_owner != wanted.stack_owner || site->kind != wanted.kind ||
	    event->size_bytes > context->model->weight_left ||
	    event->time_ns >= context->until_ns ||
	    event->time_ns < context->order->releases.until_ns ||
	    heap->blocks.count >= heap->blocks.most || heap->blocks.sampled_cap ||
	    !heap->is_listed || (id = add_block(&heap->blocks, slot, event->address)) == 0)
		return false;
	block = &heap->blocks.at[id];
	block->weight = event->size_bytes;
	block->time_ns = event->time_ns;
	block->row = site->row;
	context->model->weight_left -= event->size_bytes;
	pass(context, event->time_ns);
	wk_block_row_allocate(&context->row_at[site->row], &context->processes[owner->process],
			      block, 1);
	wk_heap_rows_see(context->rows, context->is_before, event->time_ns);
	wk_heap_totals_allocate(context->model, owner->heap, event->size_bytes, event->time_ns);
	context->last_of_thread[owner->thread] =
		(struct wk_last_block){ owner->heap, event->address };
	return true;
}

/* The link to a block; NULL: there is none. */
static inline uint32_t *find_block(const struct wk_heap_blocks *blocks, uint32_t *link,
				   uint64_t address)
{
	while (*link && blocks->at[*link].address != address)
		link = &blocks->at[*link].next;
	return *link ? link : NULL;
}

static inline bool is_temporary(const struct context *context, const struct wk_block_row *row,
				wk_heap_id heap, uint64_t address)
{
	const struct wk_last_block *last = &context->last_of_thread[row->thread];

	return last->address == address && last->heap == heap;
}

static inline void count_temporary(const struct context *context, const struct wk_block_row *row,
				   uint64_t weight, uint64_t time_ns)
{
	context->model->weight_left -= weight;
	wk_block_row_count(&context->row_at[row->temporary_row], weight, 1);
	wk_heap_rows_see(context->rows, wk_block_row_is_before(row), time_ns);
}

static inline void remove_block(struct wk_heap_blocks *blocks, uint32_t *link)
{
	uint32_t id = *link;

	*link = blocks->at[id].next;
	blocks->at[id].next = blocks->unused;
	blocks->unused = id;
	blocks->count--;
}

static inline bool release(const struct context *context, const struct wk_event_block *event,
			   uint32_t *slot)
{
	const struct wk_heap_owner *owner = &context->owners[event->thread];
	struct wk_heap *heap = &context->heaps[owner->heap];
	uint32_t *link = find_block(&heap->blocks, slot, event->address), lived;
	const struct wk_recent_end *end;
	struct wk_heap_block *block;
	struct wk_block_row *row;
	uint64_t weight, life_ns;
	bool counts_temporary;

	if (!link || heap->blocks.sampled_cap || event->time_ns >= context->until_ns ||
	    event->time_ns < context->order->blocks.until_ns)
		return false;
	block = &heap->blocks.at[*link];
	weight = block->weight;
	row = &context->row_at[block->row];
	life_ns = event->time_ns > block->time_ns ? event->time_ns - block->time_ns : 0;
	lived = wk_power_of(life_ns);
	end = wk_heap_rows_recent_end(context->rows, block->row, lived);
	counts_temporary = is_temporary(context, row, owner->heap, event->address);
	if (end->key != wk_recent_end_key(block->row, lived) ||
	    row->free_mark !=
		    wk_block_free_mark(context->rows, owner->thread, context->is_before) ||
	    (counts_temporary && row->temporary_mark != context->rows->mark) ||
	    weight > context->model->weight_left / 2)
		return false;
	pass(context, event->time_ns);
	remove_block(&heap->blocks, link);
	wk_heap_totals_free(context->model, owner->heap, &heap->lives, weight, life_ns);
	wk_block_row_release(row, &context->processes[owner->process], block, 1);
	wk_pending_end_add(&context->pending[end->pending], weight, 1);
	context->model->weight_left -= weight;
	wk_block_row_count(&context->row_at[row->free_row], weight, 1);
	wk_heap_rows_see(context->rows, context->is_before, event->time_ns);
	if (counts_temporary)
		count_temporary(context, row, weight, event->time_ns);
	context->last_of_thread[owner->thread].heap = 0;
	return true;
}

static inline struct wk_heap_blocks *blocks_of(const struct context *context,
					       const struct wk_event_block *event)
{
	return &context->heaps[context->owners[event->thread].heap].blocks;
}

/* The slots of blocks, which are loaded meanwhile, and what is in them: which of allocation and
 * release an event is cannot be guessed, and each wrong guess would wait for both. Less than
 * `count`: the next one's heap has no slots. */
static size_t look_ahead(const struct context *context, const struct wk_event_block *blocks,
			 size_t count, uint32_t **slots)
{
	size_t found = 0;

	for (; found < count; found++) {
		const struct wk_heap_blocks *of = blocks_of(context, &blocks[found]);

		if (!of->slot_count)
			break;
		slots[found] = wk_heap_blocks_slot(of, blocks[found].address);
		__builtin_prefetch(slots[found]);
	}
	for (size_t i = 0; i < found; i++)
		__builtin_prefetch(&blocks_of(context, &blocks[i])->at[*slots[i]]);
	return found;
}

/* At most AHEAD. */
static size_t add_some(const struct context *context, const struct wk_event_block *blocks,
		       size_t count)
{
	uint32_t *slots[AHEAD];
	size_t i = 0;

	count = look_ahead(context, blocks, count, slots);
	while (i < count && (blocks[i].is_freed ? release(context, &blocks[i], slots[i])
						: allocate(context, &blocks[i], slots[i])))
		i++;
	return i;
}

size_t wk_heap_lifetimes_add_alike(struct wk_heap_lifetimes *lifetimes,
				   const struct wk_event_block *blocks, size_t count,
				   const struct wk_heap_owner *owners, bool is_before)
{
	const struct context context = {
		.model = lifetimes->model,
		.rows = lifetimes->rows,
		.row_at = lifetimes->rows->rows,
		.processes = lifetimes->rows->processes,
		.pending = lifetimes->rows->pending,
		.heaps = lifetimes->heaps,
		.last_of_thread = lifetimes->last_of_thread,
		.sites = lifetimes->sites,
		.owners = owners,
		.order = &lifetimes->order,
		.kind = common_kind(lifetimes, is_before),
		.until_ns = lifetimes->model->slices_blocks ? lifetimes->rows->slice_end_ns
							    : UINT64_MAX,
		.is_before = is_before,
	};
	size_t done = 0, some, added;

	if (lifetimes->model->sums_from_ns || lifetimes->model->sums_to_ns)
		return 0;
	do {
		some = count - done < AHEAD ? count - done : AHEAD;
		added = add_some(&context, blocks + done, some);
		done += added;
	} while (added == some && done < count);
	return done;
}
