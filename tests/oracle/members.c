/* The members of an archive, a line each: name, plain size and CRC-32 of what was read.
 * What tests/oracle/test_archives.py compares with other tools. */
#include <inttypes.h>
#include <stdio.h>

#include "base/hash.h"
#include "base/packed/cab.h"
#include "base/packed/zip.h"
#include "os/os.h"

static void print_line(struct wk_str name, const struct wk_buf *plain)
{
	printf("%.*s\t%zu\t%08" PRIx32 "\n", WK_STR_ARG(name), plain->len,
	       wk_crc32(0, plain->at, plain->len));
}

static bool print_member(const struct wk_zip_member *member, struct wk_err *err)
{
	struct wk_buf plain = { 0 };
	bool ok = wk_zip_read(member, &plain, err);

	if (ok)
		print_line(member->name, &plain);
	wk_buf_fini(&plain);
	return ok;
}

static bool print_zip(struct wk_bytes bytes, struct wk_err *err)
{
	struct wk_zip zip;
	bool ok = wk_zip_open(bytes, &zip, err);

	for (size_t i = 0; ok && i < zip.count; i++)
		ok = print_member(&zip.members[i], err);
	if (ok)
		wk_zip_close(&zip);
	return ok;
}

static bool print_file(const struct wk_cab *cab, const struct wk_cab_file *file, struct wk_err *err)
{
	struct wk_buf plain = { 0 };
	bool ok = wk_cab_read(cab, file, &plain, err);

	if (ok)
		print_line(file->name, &plain);
	wk_buf_fini(&plain);
	return ok;
}

static bool print_cab(struct wk_bytes bytes, struct wk_err *err)
{
	struct wk_cab cab;
	bool ok = wk_cab_open(bytes, &cab, err);

	for (size_t i = 0; ok && i < cab.file_count; i++)
		ok = print_file(&cab, &cab.files[i], err);
	if (ok)
		wk_cab_close(&cab);
	return ok;
}

static bool print_members(struct wk_bytes bytes, struct wk_err *err)
{
	return wk_cab_is(bytes) ? print_cab(bytes, err) : print_zip(bytes, err);
}

int main(int argc, char **argv)
{
	struct wk_os_file file;
	struct wk_err err = { 0 };

	if (argc != 2 || !wk_os_open(argv[1], &file, &err) ||
	    !print_members(wk_bytes_of(file.at, file.size_bytes), &err)) {
		fprintf(stderr, "members: %s\n", err.text);
		return 1;
	}
	wk_os_close(&file);
	return 0;
}
