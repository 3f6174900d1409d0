/* The call chain that the kernel took by frame pointers at the moment of the sample, as the rest of
 * one that was unwound from a copy of the stack.
 *
 * Frame pointers lead from one stack to another. Code of Go's runtime leaves the goroutine's stack
 * (systemstack, mcall, morestack), so that no copy has its callers, but every goroutine keeps frame
 * pointers. The caller of such a switch is in neither: what follows it begins with its caller. */
#ifndef WK_STAGES_FRAME_POINTERS_H
#define WK_STAGES_FRAME_POINTERS_H

#include <stddef.h>
#include <stdint.h>

/* `chain` has addresses inside call instructions, and `kernel` return addresses. Both begin with
 * the current address. Replaces what follows the outermost frame that both have by the kernel's
 * frames, as far as `cap` allows. Returns the new number of frames, or 0 if they have none in
 * common: then `chain` is as it was. */
size_t wk_frame_pointers_continue(uint64_t *chain, size_t count, size_t cap, const uint64_t *kernel,
				  size_t kernel_count);

#endif
