/* The members of an archive, a line each: name, plain size and CRC-32 of what was read.
 * What tests/oracle/test_archives.py compares with other tools. */
#include <inttypes.h>
#include <stdio.h>

#include "base/hash.h"
#include "base/zip.h"
#include "os/os.h"

static bool print_member(const struct wk_zip_member *member, struct wk_err *err)
{
	struct wk_buf plain = { 0 };
	bool ok = wk_zip_read(member, &plain, err);

	if (ok)
		printf("%.*s\t%zu\t%08" PRIx32 "\n", WK_STR_ARG(member->name), plain.len,
		       wk_crc32(0, plain.at, plain.len));
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

int main(int argc, char **argv)
{
	struct wk_os_file file;
	struct wk_err err = { 0 };

	if (argc != 2 || !wk_os_open(argv[1], &file, &err) ||
	    !print_zip(wk_bytes_of(file.at, file.size_bytes), &err)) {
		fprintf(stderr, "members: %s\n", err.text);
		return 1;
	}
	wk_os_close(&file);
	return 0;
}
