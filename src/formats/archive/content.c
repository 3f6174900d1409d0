#include "formats/archive/content.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/packed/zip.h"
#include "formats/archive/archive.h"
#include "formats/reader.h"

struct piece {
	uint64_t size_bytes; /* if it is not packed */
	uint32_t crc;
	bool has_crc;  /* an archive contains it for each file; for others it is computed on
			* demand */
	bool is_trace; /* and not whatever an archive has as its only file */
};

struct content {
	const char *path;
	bool is_archive;
	struct piece *pieces; /* none if nothing can be compared */
	size_t count, cap;
};

static void add_piece(struct content *content, const struct piece *piece)
{
	*WK_APPEND(content->pieces, content->count, content->cap) = *piece;
}

static void add_members(struct content *content, struct wk_bytes archive)
{
	const struct wk_zip_member *wanted[WK_ARCHIVE_MOST];
	struct wk_zip zip = { 0 };
	size_t count;

	if (!wk_zip_open(archive, &zip, NULL))
		return;
	count = wk_archive_choose(&zip, wanted);
	for (size_t i = 0; i < count; i++)
		add_piece(content, &(struct piece){ .size_bytes = wanted[i]->size_bytes,
						    .crc = wanted[i]->crc,
						    .has_crc = true,
						    .is_trace = wk_archive_is_trace(wanted[i]) });
	wk_zip_close(&zip);
}

static bool is_trace(struct wk_bytes first)
{
	return wk_reader_etl.probe(first) > 0 || wk_reader_perf_data.probe(first) > 0;
}

static void look(struct content *content, const char *path)
{
	struct wk_os_file file;
	struct wk_bytes bytes, first;

	*content = (struct content){ .path = path };
	if (!wk_os_open_named(path, &file, NULL, NULL))
		return;
	first = bytes = wk_file_bytes(&file);
	if (wk_bytes_left(&first) > WK_PROBE_BYTES)
		first = wk_bytes_of(bytes.at, WK_PROBE_BYTES);
	content->is_archive = wk_zip_is(first);
	if (content->is_archive)
		add_members(content, bytes);
	else if (is_trace(first))
		add_piece(content,
			  &(struct piece){ .size_bytes = file.size_bytes, .is_trace = true });
	wk_os_close(&file);
}

/* A copy, or a truncated one: the common part is equal. */
static bool is_copy(const char *a, const char *b)
{
	struct wk_os_file left, right;
	bool is_equal = false;

	if (!wk_os_open_named(a, &left, NULL, NULL))
		return false;
	if (wk_os_open_named(b, &right, NULL, NULL)) {
		size_t both =
			left.size_bytes < right.size_bytes ? left.size_bytes : right.size_bytes;

		is_equal = both && memcmp(left.at, right.at, both) == 0;
		wk_os_close(&right);
	}
	wk_os_close(&left);
	return is_equal;
}

/* For a file that is not an archive, and so is its only part. */
static void find_crc(struct content *content, struct piece *piece)
{
	struct wk_os_file file;

	if (piece->has_crc || !wk_os_open_named(content->path, &file, NULL, NULL))
		return;
	piece->crc = wk_crc32(0, file.at, file.size_bytes);
	piece->has_crc = file.size_bytes == piece->size_bytes;
	wk_os_close(&file);
}

static bool is_same(struct content *a, struct piece *of_a, struct content *b, struct piece *of_b)
{
	if (!a->is_archive && !b->is_archive)
		return is_copy(a->path, b->path);
	if (of_a->size_bytes != of_b->size_bytes || !(of_a->is_trace || of_b->is_trace))
		return false;
	find_crc(a, of_a);
	find_crc(b, of_b);
	return of_a->has_crc && of_b->has_crc && of_a->crc == of_b->crc;
}

static bool is_shared(struct content *a, struct content *b)
{
	for (size_t i = 0; i < a->count; i++)
		for (size_t j = 0; j < b->count; j++)
			if (is_same(a, &a->pieces[i], b, &b->pieces[j]))
				return true;
	return false;
}

bool wk_content_differs(const char *const *paths, size_t count, struct wk_err *err)
{
	struct content *contents = wk_alloc_zeroed(count, sizeof(*contents));
	bool ok = true;

	for (size_t i = 0; i < count && count > 1; i++)
		look(&contents[i], paths[i]);
	for (size_t i = 1; i < count && ok; i++)
		for (size_t j = 0; j < i && ok; j++)
			if (is_shared(&contents[i], &contents[j]))
				ok = wk_fail(err, WK_EUSAGE, WK_NOWHERE,
					     "\"%s\" has the same in it as \"%s\": all of that "
					     "would count twice",
					     paths[i], paths[j]);
	for (size_t i = 0; i < count; i++)
		wk_free(contents[i].pieces);
	wk_free(contents);
	return ok;
}
