/* Any bytes as JSON: walked into as deep as a caller goes, and every value asked for as every
 * kind. Whatever they are, the walk ends, and texts lie in the input or in the reader. */
#include <stdint.h>
#include <stdlib.h>

#include "base/text/json.h"

#define MOST_DEPTH 6

static volatile uint64_t sum;

static void touch(struct wk_str text)
{
	for (size_t i = 0; i < text.len; i++)
		sum += (unsigned char)text.at[i];
}

static void walk(struct wk_json *json, int depth);

static void walk_container(struct wk_json *json, enum wk_json_kind kind, int depth)
{
	struct wk_str key;

	if (kind == WK_JSON_ARRAY && wk_json_enter_array(json))
		while (wk_json_next_element(json))
			walk(json, depth + 1);
	else if (kind == WK_JSON_OBJECT && wk_json_enter_object(json))
		while (wk_json_next_key(json, &key)) {
			touch(key);
			walk(json, depth + 1);
		}
}

static void walk(struct wk_json *json, int depth)
{
	enum wk_json_kind kind = wk_json_peek(json);
	const uint8_t *before = json->at;

	if ((kind == WK_JSON_ARRAY || kind == WK_JSON_OBJECT) && depth < MOST_DEPTH) {
		walk_container(json, kind, depth);
	} else if (kind == WK_JSON_STRING) {
		touch(wk_json_text(json));
	} else if (kind == WK_JSON_NUMBER && depth % 2 == 0) {
		sum += (uint64_t)wk_json_scaled(json, (unsigned)depth * 2);
	} else if (kind == WK_JSON_NUMBER) {
		sum += wk_json_u64(json);
	} else {
		struct wk_json value = wk_json_value(json);

		wk_json_skip(&value);
		wk_json_end_value(&value, json);
	}
	if (kind != WK_JSON_NONE && json->at <= before)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct wk_bytes bytes = wk_bytes_of(data, size);
	struct wk_json json = wk_json_of(bytes);

	sum += wk_json_looks_like(bytes) + wk_json_has_key(bytes, "a");
	walk(&json, 0);
	wk_json_end(&json, NULL);
	return 0;
}
