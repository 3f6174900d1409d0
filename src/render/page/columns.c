#include "render/page/columns.h"

#include <inttypes.h>

static void take_steps(int64_t *values, uint32_t rows)
{
	for (uint32_t i = rows; i-- > 1;)
		values[i] -= values[i - 1];
}

/* 1 if all are 0. */
static int64_t common_divisor(const int64_t *values, uint32_t rows)
{
	int64_t divisor = 0;

	for (uint32_t i = 0; i < rows && divisor != 1; i++) {
		int64_t rest = values[i] < 0 ? -values[i] : values[i];

		while (rest) {
			int64_t next = divisor % rest;

			divisor = rest;
			rest = next;
		}
	}
	return divisor ? divisor : 1;
}

/* Divides all, and subtracts the smallest, which is returned; `*most` is the largest that is left.
 */
static int64_t reduce(int64_t *values, uint32_t rows, int64_t divisor, uint64_t *most)
{
	int64_t least = INT64_MAX, largest = INT64_MIN;

	for (uint32_t i = 0; i < rows; i++) {
		if (divisor > 1)
			values[i] /= divisor;
		least = values[i] < least ? values[i] : least;
		largest = values[i] > largest ? values[i] : largest;
	}
	for (uint32_t i = 0; i < rows; i++)
		values[i] -= least;
	*most = rows ? (uint64_t)(largest - least) : 0;
	return rows ? least : 0;
}

static unsigned bytes_of(uint64_t most)
{
	return most ? (71 - (unsigned)__builtin_clzll(most)) / 8 : 0;
}

static void add_plane(struct wk_buf *planes, const int64_t *values, uint32_t rows, unsigned shift)
{
	uint8_t *to = wk_buf_extend(planes, rows);

	for (uint32_t i = 0; i < rows; i++)
		to[i] = (uint8_t)((uint64_t)values[i] >> shift);
}

void wk_columns_add(struct wk_columns *columns, const char *name, int64_t *values, uint32_t rows,
		    bool by_steps)
{
	int64_t divisor, least;
	uint64_t most;
	unsigned bytes;

	if (by_steps)
		take_steps(values, rows);
	divisor = common_divisor(values, rows);
	least = reduce(values, rows, divisor, &most);
	bytes = bytes_of(most);
	wk_buf_add_fmt(&columns->list, "%s{\"name\":\"%s\",\"rows\":%" PRIu32 ",\"bytes\":%u",
		       columns->list.len ? "," : "", name, rows, bytes);
	if (least)
		wk_buf_add_fmt(&columns->list, ",\"base\":%" PRId64, least);
	if (divisor > 1)
		wk_buf_add_fmt(&columns->list, ",\"scale\":%" PRId64, divisor);
	wk_buf_add_text(&columns->list, by_steps ? ",\"delta\":true}" : "}");
	for (unsigned i = 0; i < bytes; i++)
		add_plane(&columns->planes, values, rows, 8 * i);
}

void wk_columns_write(struct wk_columns *columns, struct wk_buf *block)
{
	wk_buf_add_u32(block, (uint32_t)columns->list.len + 2);
	wk_buf_add_char(block, '[');
	wk_buf_add_str(block, wk_buf_str(&columns->list));
	wk_buf_add_char(block, ']');
	wk_buf_add_str(block, wk_buf_str(&columns->planes));
	WK_BUF_FINI_ALL(&columns->list, &columns->planes);
}
