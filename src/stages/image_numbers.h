/* A number for each distinct image of a stream of events, from 1 on.
 *
 * Images are the same if path, kind, build id, inode and device are. */
#ifndef WK_STAGES_IMAGE_NUMBERS_H
#define WK_STAGES_IMAGE_NUMBERS_H

#include "event/event.h"

struct wk_image_numbers;

struct wk_image_numbers *wk_image_numbers_new(void);
void wk_image_numbers_free(struct wk_image_numbers *numbers);

/* `event` is an image event. A number that was never returned before is the next one. */
uint32_t wk_image_numbers_add(struct wk_image_numbers *numbers, const struct wk_event *event);

#endif
