/* The mappings of every process, at the current position in the events.
 *
 * The owner numbers each mapped image (`image`), passes the process and image events in order of
 * time, and looks up the mapping that covers an address. A fork copies the parent's mappings, an
 * exec drops them, a later mapping replaces what it overlaps. The mappings of an ended process are
 * freed. Kernel mappings belong to WK_KERNEL_PID. */
#ifndef WK_STAGES_SPACE_H
#define WK_STAGES_SPACE_H

#include <stdbool.h>
#include <stdint.h>

#include "event/event.h"
#include "stages/mappings.h"

struct wk_spaces;

struct wk_spaces *wk_spaces_new(void);
void wk_spaces_free(struct wk_spaces *spaces);

/* Applies a PROCESS, THREAD or IMAGE event; ignores others. `image` is the owner's number for an
 * IMAGE event. */
void wk_spaces_update(struct wk_spaces *spaces, const struct wk_event *event, uint32_t image);

/* The mapping of process `pid` that covers `address`, or NULL. Valid until the next update. */
const struct wk_mapping *wk_spaces_find(struct wk_spaces *spaces, uint32_t pid, uint64_t address);

/* A number for the present mappings of a process: two processes, or two moments, with the same
 * number have the same mappings. Never 0. */
uint64_t wk_spaces_version(struct wk_spaces *spaces, uint32_t pid);

/* Gives the process a new such number: something else about its memory has changed. */
void wk_spaces_touch(struct wk_spaces *spaces, uint32_t pid);

#endif
