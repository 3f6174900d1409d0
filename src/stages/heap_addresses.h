/* The addresses of the heap's stacks on their way through a recorder, whose names are to be
 * embedded.
 *
 * Rows of the heap come in front of the records of their time, so mappings of their moment may not
 * be known yet: addresses wait here until the records have come. */
#ifndef WK_STAGES_HEAP_ADDRESSES_H
#define WK_STAGES_HEAP_ADDRESSES_H

#include <stdint.h>

#include "base/str.h"

struct wk_heap_addresses;

typedef void (*wk_heap_address_fn)(void *context, uint32_t pid, uint64_t address);

struct wk_heap_addresses *wk_heap_addresses_new(void);
void wk_heap_addresses_free(struct wk_heap_addresses *addresses);

/* The rows of a HEAP_STREAM event. */
void wk_heap_addresses_add(struct wk_heap_addresses *addresses, struct wk_str rows);

/* Hands out what waits. */
void wk_heap_addresses_take(struct wk_heap_addresses *addresses, wk_heap_address_fn take,
			    void *context);

/* Only that of a process, and only of the program that it ran before `before_ns`. */
void wk_heap_addresses_take_of(struct wk_heap_addresses *addresses, uint32_t pid,
			       uint64_t before_ns, wk_heap_address_fn take, void *context);

#endif
