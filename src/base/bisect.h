/* Binary search.
 *
 * WK_BISECT moves `low` to the first number up to `high` for which `is_before`, an expression of
 * `middle`, is false. It must be true for all smaller numbers.
 *
 *	size_t low = 0, high = count;
 *
 *	WK_BISECT(low, high, rows[middle].start <= address);
 */
#ifndef WK_BASE_BISECT_H
#define WK_BASE_BISECT_H

#define WK_BISECT(low, high, is_before) \
	while ((low) < (high)) { \
		__typeof__(low) middle = (low) + ((high) - (low)) / 2; \
\
		if (is_before) \
			(low) = middle + 1; \
		else \
			(high) = middle; \
	}

#endif
