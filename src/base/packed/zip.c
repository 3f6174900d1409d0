#include "base/packed/zip.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/packed/unpack.h"
#include "base/sort.h"

/* The marks that begin each kind of record. */
#define LOCAL_MARK     "PK\3\4"
#define MEMBER_MARK    "PK\1\2"
#define END_MARK       "PK\5\6"
#define END64_MARK     "PK\6\6"
#define LOCATOR64_MARK "PK\6\7"
#define SPLIT_MARK     "PK\7\10"
#define MARK_BYTES     4

/* Sizes of the fixed parts, marks included. */
#define LOCAL_BYTES     30
#define END_BYTES       22
#define END64_BYTES     56
#define LOCATOR64_BYTES 20

#define MOST_COMMENT 65535 /* bytes that may follow the end of the directory */

#define EXTRA_ZIP64 1

enum {
	FLAG_ENCRYPTED = 1,
	FLAG_STRONGLY_ENCRYPTED = 1 << 6,
	FLAG_MASKED = 1 << 13, /* the directory itself is encrypted */
};

/* The contents of the end record of the directory. */
struct directory {
	uint64_t at, size_bytes; /* `at` from the archive's own beginning, as written */
	uint64_t member_count;
	uint64_t end;  /* the latest possible end, in the file */
	uint64_t base; /* start of the archive in the file */
	bool is_split;
};

struct reading {
	struct wk_bytes in;
	struct directory directory;
	struct wk_zip *zip;
	struct wk_sort_key *begins; /* of the members' headers, for overlaps */
	struct wk_err *err;
};

static bool has_mark(struct wk_bytes bytes, const char *mark)
{
	return wk_bytes_left(&bytes) >= MARK_BYTES && memcmp(bytes.at, mark, MARK_BYTES) == 0;
}

static bool has_mark_at(const struct wk_bytes *in, uint64_t at, const char *mark)
{
	return has_mark(wk_bytes_at(in, at, MARK_BYTES), mark);
}

static uint64_t size_of(const struct wk_bytes *in)
{
	return (uint64_t)(in->end - in->start);
}

bool wk_zip_is(struct wk_bytes first)
{
	return has_mark(first, LOCAL_MARK) || has_mark(first, END_MARK) ||
	       has_mark(first, SPLIT_MARK);
}

/* Its last four bytes before the comment are the comment's length. */
static uint64_t comment_bytes(const struct wk_bytes *in, uint64_t end_at)
{
	struct wk_bytes length = wk_bytes_at(in, end_at + END_BYTES - 2, 2);

	return wk_u16le(&length);
}

/* The position of the record that ends the directory: the last one whose comment ends with the
 * file, or otherwise (if something was appended) the last one whose comment is complete. */
static bool find_end(const struct wk_bytes *in, uint64_t *end_at)
{
	uint64_t size = size_of(in), at, first;
	bool is_found = false;

	if (size < END_BYTES)
		return false;
	at = size - END_BYTES;
	first = at > MOST_COMMENT ? at - MOST_COMMENT : 0;
	for (at++; at-- > first;) {
		uint64_t behind = size - at - END_BYTES;

		if (!has_mark_at(in, at, END_MARK) || comment_bytes(in, at) > behind)
			continue;
		if (!is_found || comment_bytes(in, at) == behind)
			*end_at = at;
		is_found = true;
		if (comment_bytes(in, at) == behind)
			break;
	}
	return is_found;
}

static void read_end(struct wk_bytes end, struct directory *directory)
{
	uint16_t disk, first_disk;

	wk_bytes_skip(&end, MARK_BYTES);
	disk = wk_u16le(&end);
	first_disk = wk_u16le(&end);
	directory->is_split =
		(disk && disk != UINT16_MAX) || (first_disk && first_disk != UINT16_MAX);
	wk_bytes_skip(&end, 2);
	directory->member_count = wk_u16le(&end);
	directory->size_bytes = wk_u32le(&end);
	directory->at = wk_u32le(&end);
}

static void read_end64(struct wk_bytes end, struct directory *directory)
{
	wk_bytes_skip(&end, MARK_BYTES + 8 + 2 + 2);
	directory->is_split = wk_u32le(&end) != 0;
	directory->is_split |= wk_u32le(&end) != 0;
	wk_bytes_skip(&end, 8);
	directory->member_count = wk_u64le(&end);
	directory->size_bytes = wk_u64le(&end);
	directory->at = wk_u64le(&end);
}

/* Zip64 has its own record, and a second one right before the old one with its position: relative
 * to the start of the archive, so data before the archive shifts it. */
static bool find_end64(const struct wk_bytes *in, uint64_t end_at, uint64_t *end64_at)
{
	uint64_t locator_at = end_at - LOCATOR64_BYTES;
	struct wk_bytes locator;

	if (end_at < LOCATOR64_BYTES || !has_mark_at(in, locator_at, LOCATOR64_MARK))
		return false;
	locator = wk_bytes_at(in, locator_at + MARK_BYTES + 4, 8);
	*end64_at = wk_u64le(&locator);
	if (locator_at >= END64_BYTES && *end64_at <= locator_at - END64_BYTES &&
	    has_mark_at(in, *end64_at, END64_MARK))
		return true;
	*end64_at = locator_at - END64_BYTES;
	return locator_at >= END64_BYTES && has_mark_at(in, *end64_at, END64_MARK);
}

/* Right before its end record, which gives the size of what precedes the archive; or at the stored
 * position, if something else (a signature) is in between. */
static bool place_directory(const struct wk_bytes *in, struct directory *d)
{
	uint64_t at = d->end - d->size_bytes;

	if (d->size_bytes > d->end)
		return false;
	if (at >= d->at && (d->size_bytes == 0 || has_mark_at(in, at, MEMBER_MARK))) {
		d->base = at - d->at;
		return true;
	}
	return d->at <= at && has_mark_at(in, d->at, MEMBER_MARK);
}

static bool find_directory(struct reading *r)
{
	struct directory *d = &r->directory;
	uint64_t end_at = 0, end64_at;

	if (!find_end(&r->in, &end_at))
		return wk_fail(r->err, wk_zip_is(r->in) ? WK_ECORRUPT : WK_EFORMAT, WK_NOWHERE,
			       "the zip archive has no directory at its end; %s",
			       wk_zip_is(r->in) ? "the file was cut" : "it is none");
	d->end = end_at;
	read_end(wk_bytes_at(&r->in, end_at, END_BYTES), d);
	if (find_end64(&r->in, end_at, &end64_at)) {
		d->end = end64_at;
		read_end64(wk_bytes_at(&r->in, end64_at, END64_BYTES), d);
	}
	if (d->is_split)
		return wk_fail(r->err, WK_EUNSUPPORTED, end_at,
			       "this is one part of a zip archive that was split; join them first "
			       "(zip -s 0)");
	return place_directory(&r->in, d) || wk_fail(r->err, WK_ECORRUPT, end_at,
						     "the zip directory claims %" PRIu64
						     " bytes at %" PRIu64 ", and there is none",
						     d->size_bytes, d->at);
}

/* Fields of the member's record that have no place in wk_zip_member. */
struct record {
	uint64_t packed_bytes, header_at;
};

/* 64-bit values have a fixed order, but only those whose 32-bit field is full are present. */
static void read_zip64(struct wk_bytes extra, struct wk_zip_member *member, struct record *record)
{
	while (wk_bytes_left(&extra) >= 4) {
		uint16_t id = wk_u16le(&extra);
		struct wk_bytes field = wk_bytes_slice(&extra, wk_u16le(&extra));

		if (id != EXTRA_ZIP64)
			continue;
		if (member->size_bytes == UINT32_MAX && wk_bytes_left(&field) >= 8)
			member->size_bytes = wk_u64le(&field);
		if (record->packed_bytes == UINT32_MAX && wk_bytes_left(&field) >= 8)
			record->packed_bytes = wk_u64le(&field);
		if (record->header_at == UINT32_MAX && wk_bytes_left(&field) >= 8)
			record->header_at = wk_u64le(&field);
		return;
	}
}

/* False if the directory has no further record. */
static bool read_record(struct wk_bytes *in, struct wk_zip_member *member, struct record *record)
{
	uint16_t flags, name_bytes, extra_bytes, comment;
	struct wk_bytes name, extra;

	*member = (struct wk_zip_member){ 0 };
	*record = (struct record){ 0 };
	if (!has_mark(*in, MEMBER_MARK))
		return false;
	wk_bytes_skip(in, MARK_BYTES + 2 + 2);
	flags = wk_u16le(in);
	member->is_encrypted = flags & (FLAG_ENCRYPTED | FLAG_STRONGLY_ENCRYPTED | FLAG_MASKED);
	member->method = wk_u16le(in);
	wk_bytes_skip(in, 4);
	member->crc = wk_u32le(in);
	record->packed_bytes = wk_u32le(in);
	member->size_bytes = wk_u32le(in);
	name_bytes = wk_u16le(in);
	extra_bytes = wk_u16le(in);
	comment = wk_u16le(in);
	wk_bytes_skip(in, 2 + 2 + 4);
	record->header_at = wk_u32le(in);
	name = wk_bytes_slice(in, name_bytes);
	extra = wk_bytes_slice(in, extra_bytes);
	wk_bytes_skip(in, comment);
	member->name = wk_bytes_str(name);
	read_zip64(extra, member, record);
	return !in->bad;
}

/* The header in front of the member's bytes has a name and extra fields of its own length. */
static bool find_bytes(struct reading *r, struct wk_zip_member *member, struct record *record)
{
	uint64_t most = r->directory.base + r->directory.at;
	uint64_t at = r->directory.base + record->header_at;
	struct wk_bytes header, lengths;

	if (record->header_at > r->directory.at || !has_mark_at(&r->in, at, LOCAL_MARK))
		return wk_fail(r->err, WK_ECORRUPT, at,
			       "the zip directory claims that \"%.*s\" is here, and it is not",
			       (int)(member->name.len < 80 ? member->name.len : 80),
			       member->name.at);
	lengths = wk_bytes_at(&r->in, at + LOCAL_BYTES - 4, 4);
	header = wk_bytes_at(&r->in, at, most - at);
	wk_bytes_skip(&header, LOCAL_BYTES + (uint64_t)wk_u16le(&lengths) + wk_u16le(&lengths));
	member->packed = wk_bytes_slice(&header, record->packed_bytes);
	return !header.bad ||
	       wk_fail(r->err, WK_ECORRUPT, at,
		       "a zip member claims %" PRIu64 " bytes, and the directory begins before "
		       "their end",
		       record->packed_bytes);
}

static bool read_directory(struct reading *r)
{
	const struct directory *d = &r->directory;
	struct wk_bytes in = wk_bytes_at(&r->in, d->base + d->at, d->size_bytes);
	struct wk_zip_member member;
	struct record record;

	while (wk_bytes_left(&in) > 0 && r->zip->count < UINT32_MAX &&
	       read_record(&in, &member, &record)) {
		if (!find_bytes(r, &member, &record))
			return false;
		*WK_APPEND(r->zip->members, r->zip->count, r->zip->cap) = member;
	}
	/* Old writers of many members let the count of 16 bits run over. */
	return r->zip->count == d->member_count ||
	       (r->zip->count & UINT16_MAX) == d->member_count ||
	       wk_fail(r->err, WK_ECORRUPT, wk_bytes_offset(&in),
		       "the zip directory has %zu members and claims %" PRIu64, r->zip->count,
		       d->member_count);
}

/* Bytes that serve many members are how a small archive unpacks to petabytes; no writer of
 * archives makes such. A member without bytes shares none. */
static bool is_apart(struct reading *r)
{
	const struct wk_zip *zip = r->zip;
	const uint8_t *end = r->in.start;
	size_t count = 0;

	r->begins = wk_alloc(zip->count * sizeof(*r->begins));
	for (size_t i = 0; i < zip->count; i++)
		if (wk_bytes_left(&zip->members[i].packed) > 0)
			r->begins[count++] = (struct wk_sort_key){
				wk_bytes_offset(&zip->members[i].packed), (uint32_t)i };
	wk_sort_keys(r->begins, count);
	for (size_t i = 0; i < count; i++) {
		const struct wk_bytes *packed = &zip->members[r->begins[i].row].packed;

		if (packed->at < end)
			return wk_fail(r->err, WK_ECORRUPT, wk_bytes_offset(packed),
				       "two zip members have the same bytes, which only bombs "
				       "do");
		end = packed->end;
	}
	return true;
}

bool wk_zip_open(struct wk_bytes bytes, struct wk_zip *zip, struct wk_err *err)
{
	struct reading r = { .in = wk_bytes_of(bytes.at, wk_bytes_left(&bytes)), .zip = zip,
			     .err = err };
	bool ok;

	*zip = (struct wk_zip){ 0 };
	ok = find_directory(&r) && read_directory(&r) && is_apart(&r);
	wk_free(r.begins);
	if (!ok)
		wk_zip_close(zip);
	return ok;
}

void wk_zip_close(struct wk_zip *zip)
{
	wk_free(zip->members);
	*zip = (struct wk_zip){ 0 };
}

static const char *name_of_method(uint16_t method)
{
	static const char *const names[] = {
		[1] = "shrink", [6] = "implode", [9] = "Deflate64", [12] = "bzip2",
		[14] = "LZMA", [93] = "zstd", [95] = "xz", [98] = "PPMd",
	};

	return method < sizeof(names) / sizeof(names[0]) ? names[method] : NULL;
}

static bool fail_method(uint16_t method, struct wk_err *err)
{
	const char *name = name_of_method(method);

	if (name)
		return wk_fail(err, WK_EUNSUPPORTED, WK_NOWHERE,
			       "the zip member is packed with %s; only stored and deflated ones "
			       "are read: unpack it first",
			       name);
	return wk_fail(err, WK_EUNSUPPORTED, WK_NOWHERE,
		       "the zip member is packed by method %u, which is not known: unpack it first",
		       method);
}

static bool read_stored(const struct wk_zip_member *member, struct wk_buf *plain,
			struct wk_err *err)
{
	size_t stored = wk_bytes_left(&member->packed);

	if (stored != member->size_bytes)
		return wk_fail(err, WK_ECORRUPT, wk_bytes_offset(&member->packed),
			       "the zip member claims %" PRIu64 " bytes and has %zu",
			       member->size_bytes, stored);
	wk_buf_add(plain, member->packed.at, stored);
	return true;
}

static bool read_plain(const struct wk_zip_member *member, struct wk_buf *plain, struct wk_err *err)
{
	if (member->method == WK_ZIP_STORED)
		return read_stored(member, plain, err);
	return wk_unpack_as(WK_PACKED_DEFLATE, member->packed, member->size_bytes, plain, err);
}

static bool check(const struct wk_zip_member *member, struct wk_str plain, struct wk_err *err)
{
	uint32_t crc = wk_crc32(0, plain.at, plain.len);

	return crc == member->crc || wk_fail(err, WK_ECORRUPT, wk_bytes_offset(&member->packed),
					     "the zip member is broken: its CRC-32 is %08" PRIx32
					     " and was %08" PRIx32 " when it was packed",
					     crc, member->crc);
}

bool wk_zip_read(const struct wk_zip_member *member, struct wk_buf *plain, struct wk_err *err)
{
	size_t before = plain->len;

	if (member->is_encrypted)
		return wk_fail(err, WK_EUNSUPPORTED, WK_NOWHERE,
			       "the zip member is encrypted: unpack it first");
	if (member->method != WK_ZIP_STORED && member->method != WK_ZIP_DEFLATED)
		return fail_method(member->method, err);
	if (read_plain(member, plain, err) &&
	    check(member, wk_str_skip(wk_buf_str(plain), before), err))
		return true;
	plain->len = before;
	if (plain->at)
		plain->at[before] = '\0';
	return false;
}
