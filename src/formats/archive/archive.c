#include "formats/archive/archive.h"

#include "base/mem.h"

#define MOST_NAMED 5

bool wk_archive_is_trace(const struct wk_zip_member *member)
{
	struct wk_str name = member->name;

	return name.len >= 4 && wk_str_is_any_case(wk_str_skip(name, name.len - 4), ".etl");
}

/* .NET's perfcollect packs a perf.data and, with the names of all code that ran, its text. */
static const struct wk_zip_member *find_perf_text(const struct wk_zip *zip)
{
	for (size_t i = 0; i < zip->count; i++)
		if (wk_str_is(wk_str_basename(zip->members[i].name), "perf.data.txt"))
			return &zip->members[i];
	return NULL;
}

static bool is_file(const struct wk_zip_member *member)
{
	return member->name.len && !wk_str_ends(member->name, "/");
}

size_t wk_archive_choose(const struct wk_zip *zip,
			 const struct wk_zip_member *wanted[WK_ARCHIVE_MOST])
{
	const struct wk_zip_member *perf_text = find_perf_text(zip);
	size_t count = 0, files = 0;

	for (size_t i = 0; i < zip->count && count < WK_ARCHIVE_MOST; i++)
		if (wk_archive_is_trace(&zip->members[i]))
			wanted[count++] = &zip->members[i];
	if (!count && perf_text)
		wanted[count++] = perf_text;
	for (size_t i = 0; i < zip->count && !count; i++)
		files += is_file(&zip->members[i]);
	for (size_t i = 0; i < zip->count && files == 1 && !count; i++)
		if (is_file(&zip->members[i]))
			wanted[count++] = &zip->members[i];
	return count;
}

static bool fail_nothing(const struct wk_zip *zip, struct wk_err *err)
{
	struct wk_buf names = { 0 };

	for (size_t i = 0; i < zip->count && i < MOST_NAMED; i++) {
		wk_buf_add_text(&names, i ? ", " : "");
		wk_buf_add_str(&names, zip->members[i].name);
	}
	if (zip->count > MOST_NAMED)
		wk_buf_add_text(&names, " ...");
	wk_fail(err, WK_EFORMAT, WK_NOWHERE,
		"an archive of %zu files, expected event traces (.etl), a perf.data.txt or one "
		"recording: %s",
		zip->count, wk_buf_text(&names));
	wk_buf_fini(&names);
	return false;
}

static bool read_member(const struct wk_zip_member *member, struct wk_buf *plain,
			struct wk_err *err)
{
	struct wk_buf name = { 0 };
	bool ok = wk_zip_read(member, plain, err);

	if (!ok) {
		wk_buf_add_str(&name, member->name);
		wk_err_in(err, wk_buf_text(&name));
		wk_buf_fini(&name);
	}
	return ok;
}

static bool add_part(const struct wk_zip_member *member, struct wk_parts *parts, struct wk_err *err)
{
	struct wk_buf plain = { 0 };
	bool ok = read_member(member, &plain, err);

	if (ok)
		wk_parts_add(parts, &(struct wk_os_file){ .at = (const uint8_t *)plain.at,
							  .size_bytes = plain.len,
							  .is_heap = true });
	else
		wk_buf_fini(&plain);
	return ok;
}

bool wk_archive_open(struct wk_bytes archive, struct wk_buf *plain, struct wk_parts *parts,
		     struct wk_err *err)
{
	const struct wk_zip_member *wanted[WK_ARCHIVE_MOST];
	struct wk_zip zip = { 0 };
	size_t count;
	bool ok;

	if (!wk_zip_open(archive, &zip, err))
		return false;
	count = wk_archive_choose(&zip, wanted);
	ok = count ? read_member(wanted[0], plain, err) : fail_nothing(&zip, err);
	for (size_t i = 1; ok && i < count; i++)
		ok = add_part(wanted[i], parts, err);
	wk_zip_close(&zip);
	return ok;
}
