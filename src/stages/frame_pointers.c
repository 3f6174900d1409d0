#include "stages/frame_pointers.h"

/* The kernel leaves out frames, but never adds one: the same frame is not further out there. In a
 * recursion it is the outermost of those. */
static size_t find(uint64_t return_address, size_t at_most, const uint64_t *kernel,
		   size_t kernel_count)
{
	size_t i = at_most < kernel_count ? at_most + 1 : kernel_count;

	while (i-- > 1)
		if (kernel[i] == return_address)
			return i;
	return 0;
}

size_t wk_frame_pointers_continue(uint64_t *chain, size_t count, size_t cap, const uint64_t *kernel,
				  size_t kernel_count)
{
	while (count-- > 1) {
		size_t found = find(chain[count] + 1, count, kernel, kernel_count);

		if (!found)
			continue;
		for (count++, found++; found < kernel_count && count < cap; found++)
			chain[count++] = kernel[found] - 1;
		return count;
	}
	return 0;
}
