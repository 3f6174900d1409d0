#include "symbols/jit/perf_map.h"

#include "base/num.h"

struct wk_perf_map wk_perf_map_of(const void *bytes, size_t size_bytes)
{
	const char *at = bytes ? bytes : "", *hole = memchr(at, '\0', size_bytes);

	return (struct wk_perf_map){ .at = at, .end = hole ? hole : at + size_bytes };
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static struct wk_str skip_blanks(struct wk_str text)
{
	while (text.len && is_blank(text.at[0]))
		text = wk_str_skip(text, 1);
	return text;
}

/* Reads one number and the blanks around it from the front of `rest`. */
static bool read_hex(struct wk_str *rest, uint64_t *value)
{
	struct wk_str word;

	*rest = skip_blanks(*rest);
	if (wk_str_starts(*rest, "0x") || wk_str_starts(*rest, "0X"))
		*rest = wk_str_skip(*rest, 2);
	word = wk_str_of(rest->at, 0);
	while (word.len < rest->len && !is_blank(rest->at[word.len]))
		word.len++;
	*rest = skip_blanks(wk_str_skip(*rest, word.len));
	return wk_num_hex(word, value);
}

static bool read_line(struct wk_str line, struct wk_perf_map_row *row)
{
	if (line.len && line.at[line.len - 1] == '\r')
		line.len--;
	if (!read_hex(&line, &row->start) || !read_hex(&line, &row->size_bytes))
		return false;
	row->name = line;
	return row->size_bytes <= UINT64_MAX - row->start && line.len > 0;
}

static void pass_over(struct wk_perf_map *map, struct wk_str line)
{
	if (line.len == 0)
		return;
	if (map->bad_lines++ == 0)
		map->first_bad = line;
}

bool wk_perf_map_next(struct wk_perf_map *map, struct wk_perf_map_row *row)
{
	while (map->at < map->end) {
		const char *feed = memchr(map->at, '\n', (size_t)(map->end - map->at));
		struct wk_str line;

		if (!feed) {
			map->at = map->end;
			return false;
		}
		line = wk_str_of(map->at, (size_t)(feed - map->at));
		map->at = feed + 1;
		if (!read_line(line, row))
			pass_over(map, line);
		else if (row->size_bytes)
			return true;
	}
	return false;
}
