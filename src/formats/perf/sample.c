#include "formats/perf/internal.h"

#include "base/hash.h"
#include "base/mem.h"
#include "event/machine.h"

/* The owner of a part of a call chain. */
enum owner {
	KERNEL,
	USER,
	OTHER, /* a hypervisor or a guest */
};

static bool samples(const struct wk_perf_attr *attr, uint64_t bit)
{
	return attr->sample_type & bit;
}

static unsigned group_entry_words(const struct wk_perf_attr *attr)
{
	return 1 + !!(attr->read_format & WK_PERF_READ_ID) +
	       !!(attr->read_format & WK_PERF_READ_LOST);
}

static void read_counters(const struct wk_perf_attr *attr, struct wk_bytes *body,
			  struct wk_perf_fields *out)
{
	unsigned times = !!(attr->read_format & WK_PERF_READ_ENABLED) +
			 !!(attr->read_format & WK_PERF_READ_RUNNING);
	unsigned entry = 8 * group_entry_words(attr);

	if (!(attr->read_format & WK_PERF_READ_GROUP)) {
		out->counter_value = wk_u64(body);
		wk_bytes_skip(body, 8 * times);
		out->counter_id = attr->read_format & WK_PERF_READ_ID ? wk_u64(body) : 0;
		wk_bytes_skip(body, attr->read_format & WK_PERF_READ_LOST ? 8 : 0);
		return;
	}
	out->group_count = wk_u64(body);
	wk_bytes_skip(body, 8 * times);
	if (out->group_count > wk_bytes_left(body) / entry) {
		body->bad = true;
		return;
	}
	out->group = wk_bytes_slice(body, out->group_count * entry);
}

/* `count` items of `size` bytes each; the count comes from the file. */
static struct wk_bytes read_many(struct wk_bytes *body, uint64_t count, unsigned size)
{
	return wk_bytes_slice(body,
			      count <= wk_bytes_left(body) / size ? count * size : UINT64_MAX);
}

static void read_branches(const struct wk_perf_attr *attr, struct wk_bytes *body,
			  struct wk_perf_fields *out)
{
	uint64_t count = wk_u64(body);

	if (attr->branch_sample_type & WK_PERF_BRANCH_HW_INDEX)
		wk_u64(body);
	out->branches = read_many(body, count, 24);
	if (attr->branch_sample_type & WK_PERF_BRANCH_COUNTERS)
		read_many(body, count, 8);
}

static void read_stack(const struct wk_perf_attr *attr, struct wk_bytes *body,
		       struct wk_perf_fields *out)
{
	if (samples(attr, WK_PERF_SAMPLE_REGS_USER)) {
		out->register_set = wk_u64(body);
		if (out->register_set != 0)
			out->registers = read_many(
				body, (uint64_t)__builtin_popcountll(attr->user_registers), 8);
	}
	if (samples(attr, WK_PERF_SAMPLE_STACK_USER)) {
		uint64_t size = wk_u64(body);

		out->stack = wk_bytes_slice(body, size);
		out->stack_used = size ? wk_u64(body) : 0;
	}
}

/* Everything up to the user's stack; wk_perf_details reads what follows it. */
static bool read_fields(const struct wk_perf_attr *attr, struct wk_bytes body,
			struct wk_perf_fields *out)
{
	out->cpu = WK_NO_CPU;
	out->period = attr->period;
	if (attr->flags & WK_PERF_FLAG_FREQ || out->period == 0)
		out->period = 1; /* not a period but a frequency */
	if (samples(attr, WK_PERF_SAMPLE_IDENTIFIER))
		out->id = wk_u64(&body);
	if (samples(attr, WK_PERF_SAMPLE_IP))
		out->address = wk_u64(&body);
	if (samples(attr, WK_PERF_SAMPLE_TID)) {
		out->pid = wk_u32(&body);
		out->tid = wk_u32(&body);
	}
	if (samples(attr, WK_PERF_SAMPLE_TIME))
		wk_u64(&body);
	if (samples(attr, WK_PERF_SAMPLE_ADDR))
		out->data_address = wk_u64(&body);
	if (samples(attr, WK_PERF_SAMPLE_ID))
		out->id = wk_u64(&body);
	if (samples(attr, WK_PERF_SAMPLE_STREAM_ID))
		wk_u64(&body);
	if (samples(attr, WK_PERF_SAMPLE_CPU)) {
		out->cpu = wk_u32(&body);
		wk_u32(&body);
	}
	if (samples(attr, WK_PERF_SAMPLE_PERIOD))
		out->period = wk_u64(&body);
	if (samples(attr, WK_PERF_SAMPLE_READ))
		read_counters(attr, &body, out);
	if (samples(attr, WK_PERF_SAMPLE_CALLCHAIN))
		out->chain = read_many(&body, wk_u64(&body), 8);
	if (samples(attr, WK_PERF_SAMPLE_RAW))
		out->raw = wk_bytes_slice(&body, wk_u32(&body));
	if (samples(attr, WK_PERF_SAMPLE_BRANCH_STACK))
		read_branches(attr, &body, out);
	read_stack(attr, &body, out);
	out->rest = body;
	return !body.bad;
}

static enum owner owner_of_mode(uint32_t misc)
{
	switch (misc & WK_PERF_MISC_CPUMODE) {
	case WK_PERF_MISC_KERNEL:
		return KERNEL;
	case WK_PERF_MISC_HYPERVISOR:
	case WK_PERF_MISC_GUEST_KERNEL:
	case WK_PERF_MISC_GUEST_USER:
		return OTHER;
	default:
		return USER;
	}
}

static enum owner owner_of_mark(uint64_t mark)
{
	if (mark == WK_PERF_CONTEXT_KERNEL)
		return KERNEL;
	return mark == WK_PERF_CONTEXT_USER ? USER : OTHER;
}

/* The user's part of the chain came in a record of its own. Returns its length. */
static size_t read_deferred(struct wk_perf *perf, uint64_t cookie)
{
	const struct wk_perf_deferred *deferred = wk_perf_find_deferred(perf, cookie);

	if (!deferred) {
		wk_perf_odd(perf, WK_PERF_ODD_DEFERRED, NULL);
		return 0;
	}
	perf->user_chain = wk_grow(perf->user_chain, &perf->user_cap, deferred->count + 1, 8);
	memcpy(perf->user_chain, deferred->chain, deferred->count * 8);
	return deferred->count;
}

/* Splits the chain at its marks; entries before the first have the mode of the sample. */
static void split_chain(struct wk_perf *perf, struct wk_bytes chain, enum owner owner,
			struct wk_event_sample *sample)
{
	size_t count = wk_bytes_left(&chain) / 8, kernel = 0, user = 0;

	perf->kernel_chain = wk_grow(perf->kernel_chain, &perf->kernel_cap, count + 1, 8);
	perf->user_chain = wk_grow(perf->user_chain, &perf->user_cap, count + 1, 8);
	while (wk_bytes_left(&chain) >= 8) {
		uint64_t entry = wk_u64(&chain);

		if (entry == WK_PERF_CONTEXT_DEFERRED) {
			user = read_deferred(perf, wk_u64(&chain));
			break; /* it is the chain's last part */
		}
		if (entry >= WK_PERF_CONTEXT_LEAST)
			owner = owner_of_mark(entry);
		else if (owner == KERNEL)
			perf->kernel_chain[kernel++] = entry;
		else if (owner == USER)
			perf->user_chain[user++] = entry;
	}
	/* The kernel's part may be left out although the sample was taken there. */
	if (sample->in_kernel && kernel == 0 && user > 0)
		perf->kernel_chain[kernel++] = sample->address;
	sample->kernel_chain = perf->kernel_chain;
	sample->kernel_count = kernel;
	sample->user_chain = perf->user_chain;
	sample->user_count = user;
}

/* The machine that the process saw: a 64-bit one may run code of its smaller brother. */
static enum wk_machine machine_of(const struct wk_perf *perf, const struct wk_perf_attr *attr,
				  uint64_t register_set)
{
	enum wk_machine machine = perf->machine;

	/* Without an architecture the set of registers decides: only x86-64 ends at bit 23. */
	if (machine == WK_MACHINE_UNKNOWN)
		machine = attr->user_registers >> 24 ? WK_MACHINE_AARCH64 : WK_MACHINE_X86_64;
	if (register_set == 1 && machine == WK_MACHINE_X86_64)
		return WK_MACHINE_X86;
	if (register_set == 1 && machine == WK_MACHINE_AARCH64)
		return WK_MACHINE_ARM;
	return machine;
}

static void fill_stack(const struct wk_perf *perf, const struct wk_perf_attr *attr,
		       const struct wk_perf_fields *fields, struct wk_event_stack *out)
{
	struct wk_bytes registers = fields->registers;
	uint64_t size = wk_bytes_left(&fields->stack);

	*out = (struct wk_event_stack){ .machine = machine_of(perf, attr, fields->register_set) };
	for (uint64_t left = attr->user_registers; left; left &= left - 1) {
		int number = wk_machine_register(out->machine, (unsigned)__builtin_ctzll(left));
		uint64_t value = wk_u64(&registers);

		if (number < 0)
			continue;
		out->value[number] = value;
		out->valid |= (uint64_t)1 << number;
	}
	out->bytes = fields->stack.at;
	out->size_bytes = fields->stack_used < size ? fields->stack_used : size;
	out->is_full = size > 0 && fields->stack_used >= size;
}

/* Inherited counters have one id, and a value in each thread. */
static uint64_t counter_key(const struct wk_perf_attr *attr, const struct wk_perf_fields *fields,
			    uint64_t id)
{
	return attr->flags & WK_PERF_FLAG_INHERIT ? id ^ wk_hash_u64(fields->tid) : id;
}

/* How much a counter grew since it was last read. One that shrank began again. */
static uint64_t counter_growth(struct wk_perf *perf, uint64_t key, uint64_t value)
{
	uint32_t *index = wk_map_at(&perf->counter_of_id, key);
	uint64_t last;

	if (!*index) {
		*WK_APPEND(perf->counters, perf->counter_count, perf->counter_cap) = 0;
		*index = (uint32_t)perf->counter_count;
	}
	last = perf->counters[*index - 1];
	perf->counters[*index - 1] = value;
	return value >= last ? value - last : value;
}

static bool is_counter_of(const struct wk_perf *perf, uint64_t id, const struct wk_perf_attr *attr)
{
	uint32_t index = wk_map_find(&perf->attr_of_id, id);

	return index && &perf->attrs[index - 1] == attr;
}

/* The counter of the sample's own event, if it was read. */
static bool find_own_counter(const struct wk_perf *perf, const struct wk_perf_attr *attr,
			     const struct wk_perf_fields *fields, uint64_t *id, uint64_t *value)
{
	struct wk_bytes group = fields->group;

	if (!samples(attr, WK_PERF_SAMPLE_READ) || !(attr->read_format & WK_PERF_READ_ID))
		return false;
	*id = fields->counter_id;
	*value = fields->counter_value;
	if (!(attr->read_format & WK_PERF_READ_GROUP))
		return is_counter_of(perf, *id, attr);
	for (uint64_t i = 0; i < fields->group_count; i++) {
		*value = wk_u64(&group);
		*id = wk_u64(&group);
		if (attr->read_format & WK_PERF_READ_LOST)
			wk_u64(&group);
		if (is_counter_of(perf, *id, attr))
			return true;
	}
	return false;
}

/* A sample whose own counter was read weighs what that counted since the last time: the period may
 * be only the one that was requested. */
static uint64_t weight_of(struct wk_perf *perf, const struct wk_perf_attr *attr,
			  const struct wk_perf_fields *fields)
{
	uint64_t id, value;

	return find_own_counter(perf, attr, fields, &id, &value)
		       ? counter_growth(perf, counter_key(attr, fields, id), value)
		       : fields->period;
}

/* The leader of a group was sampled and the others were read: each of them that counted since the
 * last time gets a sample of its own at the same place. */
static bool emit_group(struct wk_perf *perf, const struct wk_perf_attr *attr,
		       const struct wk_perf_fields *fields, struct wk_event *event)
{
	struct wk_bytes group = fields->group;

	if (!(attr->read_format & WK_PERF_READ_ID))
		return true;
	for (uint64_t i = 0; i < fields->group_count; i++) {
		uint64_t value = wk_u64(&group), id = wk_u64(&group), growth;
		uint32_t index = wk_map_find(&perf->attr_of_id, id);

		if (attr->read_format & WK_PERF_READ_LOST)
			wk_u64(&group);
		if (!index || &perf->attrs[index - 1] == attr)
			continue;
		growth = counter_growth(perf, counter_key(attr, fields, id), value);
		if (growth == 0)
			continue;
		event->sample.source = index - 1;
		event->sample.weight = growth;
		if (!wk_perf_announce(perf, &perf->attrs[index - 1]) || !wk_perf_give(perf, event))
			return false;
	}
	return true;
}

/* The processor followed calls and returns of user code: the source of each branch is a call that
 * has not returned yet. That is deeper than frame pointers if code has none. */
static void use_call_branches(struct wk_perf *perf, const struct wk_perf_fields *fields,
			      struct wk_event_sample *sample)
{
	size_t count = wk_perf_read_branches(perf, fields);
	uint64_t innermost;

	if (count < sample->user_count || count == 0)
		return;
	if (sample->user_count)
		innermost = sample->user_chain[0];
	else
		innermost = sample->in_kernel ? perf->branches[0].to : sample->address;
	perf->user_chain = wk_grow(perf->user_chain, &perf->user_cap, count + 1, 8);
	perf->user_chain[0] = innermost;
	for (size_t i = 0; i < count; i++)
		perf->user_chain[i + 1] = perf->branches[i].from;
	sample->user_chain = perf->user_chain;
	sample->user_count = count + 1;
	sample->user_is_exact = true;
}

/* What the attr has no field for was cleared when its first sample came. */
static struct wk_perf_fields *fields_for(struct wk_perf *perf, const struct wk_perf_attr *attr)
{
	if (perf->fields_of != attr)
		perf->fields = (struct wk_perf_fields){ 0 };
	perf->fields_of = attr;
	return &perf->fields;
}

/* The parts of the stack, and how exact they are. */
static void fill_chains(struct wk_perf *perf, const struct wk_perf_attr *attr, enum owner owner,
			const struct wk_perf_fields *fields, struct wk_event_sample *sample)
{
	split_chain(perf, fields->chain, owner, sample);
	/* How wick marks chains that it unwound itself: see docs/formats/perf-data.md. */
	sample->user_is_exact = attr->flags & WK_PERF_FLAG_EXCLUDE_CALLCHAIN_USER &&
				sample->user_count > 0 && !sample->stack;
	if (attr->branch_sample_type & WK_PERF_BRANCH_CALL_STACK && !sample->stack)
		use_call_branches(perf, fields, sample);
}

bool wk_perf_emit_sample(struct wk_perf *perf, const struct wk_perf_record *record,
			 uint64_t time_ns)
{
	struct wk_perf_attr *attr = wk_perf_attr_of(perf, record);
	struct wk_perf_fields *fields = fields_for(perf, attr);
	enum owner owner = owner_of_mode(record->misc);
	struct wk_event *event = &perf->sample;
	struct wk_event_stack stack;

	if (!attr || !read_fields(attr, record->body, fields)) {
		wk_perf_odd(perf, attr ? WK_PERF_ODD_SHORT : WK_PERF_ODD_NO_ATTR, record->at);
		return true;
	}
	if (owner == OTHER)
		wk_perf_odd(perf, WK_PERF_ODD_GUEST, record->at);
	event->kind = WK_EVENT_SAMPLE;
	event->time_ns = time_ns;
	event->pid = fields->pid;
	event->tid = fields->tid;
	event->cpu = fields->cpu;
	event->sample.source = (uint32_t)(attr - perf->attrs);
	event->sample.weight = weight_of(perf, attr, fields);
	event->sample.address = fields->address;
	event->sample.in_kernel = owner != USER;
	event->sample.stack = NULL;
	if (fields->register_set != 0 && samples(attr, WK_PERF_SAMPLE_STACK_USER)) {
		fill_stack(perf, attr, fields, &stack);
		event->sample.stack = &stack;
	}
	fill_chains(perf, attr, owner, fields, &event->sample);
	if (wk_perf_is_heap_call(perf, attr))
		return wk_perf_emit_heap(perf, attr, fields, event);
	if (!perf->skips_details)
		event->sample.details = wk_perf_details(perf, attr, fields);
	return wk_perf_announce(perf, attr) && wk_perf_give(perf, event) &&
	       wk_perf_emit_memory(perf, attr, fields, event) &&
	       emit_group(perf, attr, fields, event);
}
