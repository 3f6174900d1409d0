#include "base/hash.h"

#include <assert.h>
#include "base/mem.h"
#include "model/builder_internal.h"

void wk_builder_add_image(struct wk_builder *builder, const struct wk_event *event)
{
	wk_image_id image = 0;

	if (!event->image.is_gone)
		image = wk_model_add_image(builder->model, wk_image_kind_of(&event->image),
					   &event->image, event->pid, event->time_ns);

	if (event->image.is_kernel && !builder->kernel)
		builder->kernel = image;
	wk_spaces_update(builder->spaces, event, image);
}

/* For kernel code in no image: a kernel without an image of its own, or an unknown one. */
static wk_image_id kernel_image(struct wk_builder *builder)
{
	static const struct wk_event_image kernel = { .path = WK_STR("[kernel.kallsyms]"),
						      .is_kernel = true };
	static const struct wk_event_image unknown = { .path = WK_STR("[unknown kernel]") };
	bool is_file = builder->model->traits->kernel_is_file;

	if (!builder->kernel)
		builder->kernel = wk_model_add_image(
			builder->model, is_file ? WK_IMAGE_UNKNOWN : WK_IMAGE_KERNEL,
			is_file ? &unknown : &kernel, WK_KERNEL_PID, 0);
	return builder->kernel;
}

static wk_image_id unknown_image(struct wk_builder *builder)
{
	struct wk_event_image image = { .path = WK_STR("[unknown]") };

	if (!builder->unknown)
		builder->unknown =
			wk_model_add_image(builder->model, WK_IMAGE_UNKNOWN, &image, 0, 0);
	return builder->unknown;
}

/* Code in no file may have been named by the program that generated it. */
static wk_frame_id frame_made_at_run_time(struct wk_builder *builder, uint32_t pid,
					  uint64_t address, const struct wk_mapping *mapping)
{
	wk_image_id kernel = 0;

	if (pid == WK_KERNEL_PID)
		kernel = mapping ? mapping->image : kernel_image(builder);
	return wk_jit_code_frame(builder->code, pid, address, kernel);
}

/* Named memory has a different address in each process, as files have. */
static bool has_offsets(const struct wk_model *model, const struct wk_image *image)
{
	struct wk_str path = wk_model_str(model, image->path);

	return image->kind == WK_IMAGE_FILE || image->kind == WK_IMAGE_VDSO ||
	       wk_str_starts(path, "/memfd:") || wk_str_starts(path, "/SYSV");
}

/* A place is identified by its offset in the mapping, otherwise by its address. */
static uint64_t frame_address(const struct wk_model *model, const struct wk_mapping *mapping,
			      uint64_t address)
{
	assert(mapping->image < model->image_count && address >= mapping->start);
	if (!has_offsets(model, &model->images[mapping->image]))
		return address;
	return address - mapping->start + mapping->file_offset;
}

static wk_frame_id new_frame(struct wk_builder *builder, uint32_t pid, uint64_t address)
{
	const struct wk_mapping *mapping = wk_spaces_find(builder->spaces, pid, address);
	enum wk_image_kind kind =
		mapping ? builder->model->images[mapping->image].kind : WK_IMAGE_UNKNOWN;
	wk_frame_id frame = 0;

	if (kind != WK_IMAGE_FILE && kind != WK_IMAGE_VDSO)
		frame = frame_made_at_run_time(builder, pid, address, mapping);
	if (frame)
		return frame;
	if (!mapping)
		return wk_model_add_frame(builder->model,
					  pid == WK_KERNEL_PID ? kernel_image(builder)
							       : unknown_image(builder),
					  address);
	return wk_model_add_frame(builder->model, mapping->image,
				  frame_address(builder->model, mapping, address));
}

static wk_frame_id frame_of(struct wk_builder *builder, uint32_t pid, uint64_t version,
			    uint64_t address)
{
	size_t slot = (size_t)(wk_hash_pair(address, version) % WK_FRAME_CACHE);
	struct wk_cached_frame *cached = &builder->cache[slot];

	if (cached->address != address || cached->version != version)
		*cached = (struct wk_cached_frame){ address, version,
						 new_frame(builder, pid, address) };
	return cached->frame;
}

/* How many of the outermost entries of the chain (innermost first) are cached. The innermost entry
 * is the current address, the others are return addresses: an address that was innermost is another
 * frame as a caller. */
static size_t count_known(const struct wk_chain_cache *cache, const uint64_t *chain, size_t count)
{
	size_t least = count < cache->count ? count : cache->count, known = 0;

	while (known < least && cache->address[known] == chain[count - 1 - known])
		known++;
	if (known == least && known && count != cache->count)
		known--;
	return known;
}

/* Adds one part of a chain on top of `base`, outermost frame first. Return addresses point after
 * their call, so all but the innermost are looked up one byte before. */
static wk_stack_id add_chain(struct wk_builder *builder, struct wk_chain_cache *cache,
			     wk_stack_id base, uint32_t pid, const uint64_t *chain, size_t count,
			     bool is_exact)
{
	uint64_t version = wk_spaces_version(builder->spaces, pid);
	wk_stack_id stack = base;
	size_t known = 0;

	if (cache->version == version && cache->base == base && cache->is_exact == is_exact)
		known = count_known(cache, chain, count);
	cache->version = version;
	cache->base = base;
	cache->is_exact = is_exact;
	cache->count = count;
	WK_RESERVE(cache->address, cache->address_cap, count + 1);
	WK_RESERVE(cache->stack, cache->stack_cap, count + 1);
	if (known)
		stack = cache->stack[known - 1];
	for (size_t i = count - known; i-- > 0;) {
		uint64_t address = chain[i] - (i > 0 && !is_exact && chain[i] > 0);

		stack = wk_model_add_stack(builder->model, stack,
					   frame_of(builder, pid, version, address));
		cache->address[count - 1 - i] = chain[i];
		cache->stack[count - 1 - i] = stack;
	}
	return stack;
}

static wk_stack_id find_stack(struct wk_builder *builder, struct wk_recent_thread *recent,
			      const struct wk_event_sample *taken)
{
	wk_stack_id stack = 0;

	if (taken->user_count)
		stack = add_chain(builder, &recent->user, 0, recent->pid, taken->user_chain,
				  taken->user_count, taken->user_is_exact);
	if (taken->kernel_count)
		stack = add_chain(builder, &recent->kernel, stack, WK_KERNEL_PID,
				  taken->kernel_chain, taken->kernel_count, false);
	if (taken->user_count == 0 && taken->kernel_count == 0)
		stack = add_chain(builder, taken->in_kernel ? &recent->kernel : &recent->user, 0,
				  taken->in_kernel ? WK_KERNEL_PID : recent->pid, &taken->address,
				  1, true);
	return stack;
}

/* A number, as long as what is mapped at its addresses stays. */
static uint64_t key_of_number(struct wk_builder *builder, uint32_t pid,
			      const struct wk_event_sample *taken)
{
	uint64_t version = wk_spaces_version(builder->spaces, pid);

	if (taken->kernel_count)
		version = wk_hash_pair(version, wk_spaces_version(builder->spaces, WK_KERNEL_PID));
	return wk_hash_pair(wk_hash_pair(taken->chain_number, pid), version);
}

wk_stack_id wk_builder_stack_of(struct wk_builder *builder, struct wk_recent_thread *recent,
				const struct wk_event_sample *taken)
{
	uint64_t key;
	wk_stack_id stack;

	if (taken->chain_number == 0)
		return find_stack(builder, recent, taken);
	key = key_of_number(builder, recent->pid, taken);
	stack = wk_map_find(&builder->numbered, key);
	if (stack)
		return stack;
	stack = find_stack(builder, recent, taken);
	if (builder->numbered.count >= WK_MOST_NUMBERED)
		wk_map_fini(&builder->numbered);
	wk_map_set(&builder->numbered, key, stack);
	return stack;
}
