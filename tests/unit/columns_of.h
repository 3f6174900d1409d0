/* Reads columns as the page does: docs/report-format.md, "Columns". */
#ifndef WK_TESTS_COLUMNS_OF_H
#define WK_TESTS_COLUMNS_OF_H

#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"

struct column {
	char name[32];
	uint32_t rows;
	unsigned bytes;
	int64_t base, scale;
	bool is_delta;
};

/* The number behind "key": in the head of a column; `otherwise` if it has none. */
static inline int64_t number_of(const char *head, const char *key, int64_t otherwise)
{
	const char *end = strchr(head, '}'), *at = strstr(head, key);

	return at && at < end ? strtoll(at + strlen(key), NULL, 10) : otherwise;
}

/* Reads the column of that number, as docs/report-format.md says; returns its rows. */
static inline struct column decode(const struct wk_buf *block, unsigned number, int64_t *values)
{
	const uint8_t *bytes = (const uint8_t *)block->at;
	uint32_t length = (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
			  (uint32_t)bytes[3] << 24;
	char *list = wk_strndup(block->at + 4, length), *at = list;
	const uint8_t *plane = bytes + 4 + length;
	struct column column = { 0 };
	int64_t sum = 0;

	for (unsigned i = 0; i <= number; i++) {
		at = strstr(at, "{\"name\":\"");
		assert_non_null(at);
		plane += (size_t)column.rows * column.bytes;
		at += strlen("{\"name\":\"");
		column = (struct column){
			.rows = (uint32_t)number_of(at, "\"rows\":", 0),
			.bytes = (unsigned)number_of(at, "\"bytes\":", 0),
			.base = number_of(at, "\"base\":", 0),
			.scale = number_of(at, "\"scale\":", 1),
			.is_delta = strstr(at, "\"delta\":true") &&
				    strstr(at, "\"delta\":true") < strchr(at, '}'),
		};
		snprintf(column.name, sizeof(column.name), "%.*s", (int)strcspn(at, "\""), at);
	}
	assert_in_range(plane - bytes + (size_t)column.rows * column.bytes, 0, block->len);
	for (uint32_t i = 0; i < column.rows; i++) {
		uint64_t value = 0;

		for (unsigned b = 0; b < column.bytes; b++)
			value |= (uint64_t)plane[(size_t)b * column.rows + i] << (8 * b);
		values[i] = (int64_t)value + column.base;
		if (column.is_delta)
			values[i] = sum += values[i];
		values[i] *= column.scale;
	}
	wk_free(list);
	return column;
}

#endif
