/* Events of heaps for tests of their rows and views, after built_model.h. Each caller is a stack.
 */
#ifndef WK_TESTS_HEAP_EVENTS_H
#define WK_TESTS_HEAP_EVENTS_H

struct call {
	uint64_t time_ns;
	uint32_t tid;
	uint64_t caller; /* 0: no stack is known */
};

static inline void heap_event(struct built *f, struct call call, struct wk_event_heap heap)
{
	uint64_t chain[] = { call.caller };

	if (call.caller) {
		heap.sample.user_chain = chain;
		heap.sample.user_count = 1;
	}
	built_give(f, (struct wk_event){ .kind = WK_EVENT_HEAP, .time_ns = call.time_ns, .pid = 7,
					 .tid = call.tid, .heap = heap });
}

static inline void allocate(struct built *f, struct call call, uint64_t address, uint64_t size)
{
	heap_event(f, call, (struct wk_event_heap){ .change = WK_HEAP_ALLOCATE,
						    .address = address, .size_bytes = size });
}

static inline void release(struct built *f, struct call call, uint64_t address)
{
	heap_event(f, call, (struct wk_event_heap){ .change = WK_HEAP_FREE, .address = address });
}

static inline void reallocate(struct built *f, struct call call, uint64_t old, uint64_t address,
			      uint64_t size)
{
	heap_event(f, call, (struct wk_event_heap){ .change = WK_HEAP_REALLOCATE,
						    .address = address, .size_bytes = size,
						    .old_address = old });
}

static inline void snapshot_of(struct built *f, uint64_t time_ns, uint32_t pid, const char *label)
{
	built_give(f, (struct wk_event){
		.kind = WK_EVENT_SNAPSHOT, .time_ns = time_ns, .pid = pid, .tid = pid,
		.snapshot = { wk_str_c(label), WK_SNAPSHOT_USER } });
}

#endif
