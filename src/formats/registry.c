#include "formats/reader.h"

#include "base/mem.h"
#include "base/out.h"
#include "base/packed/unpack.h"
#include "base/text/json.h"
#include "base/text/suggest.h"
#include "base/text/utf16.h"
#include "formats/archive/archive.h"
#include "formats/lines.h"

#define ADDRESS_OF(name) &wk_reader_##name,

static const struct wk_reader *const readers[] = { WK_READERS(ADDRESS_OF) NULL };

/* Kinds of files that no reader knows: their first bytes, and what to do. */
struct known_other {
	const char *magic;
	const char *is;
};

static const struct known_other others[] = {
	{ "BZh", "compressed with bzip2: unpack it first (bunzip2)" },
	{ "PK\x03\x04", "a zip archive: unpack it first (unzip)" },
	{ "PTQFILE4.10",
	  "a file of Qt Creator's profiler (.ptq), whose format is not documented: open the perf.data "
	  "that it was made from" },
	{ "\x7f" "ELF",
	  "a program or library (ELF), not a recording; `wick record -- PROGRAM` makes one" },
	{ "MZ", "a Windows program (PE), not a recording; `wick doctor` checks it" },
	{ "Microsoft C/C++ ",
	  "debug information of a Windows program (PDB), not a recording; `wick doctor` checks it" },
};

const struct wk_reader *const *wk_readers(void)
{
	return readers;
}

int wk_reader_probe(const struct wk_reader *reader, struct wk_bytes first)
{
	const struct wk_line_sign *sign = reader->signs;

	if (!sign)
		return reader->probe(first);
	while (sign->certainty && !(wk_probe_lines(first, sign->is_one) &&
				    (!sign->and_one || wk_probe_lines(first, sign->and_one))))
		sign++;
	return sign->certainty;
}

static bool has_suffix(const struct wk_reader *reader, const char *name)
{
	static const char *const packed[] = { ".gz", ".xz", ".zst" };
	struct wk_str bare = wk_str_c(name);

	for (size_t i = 0; i < sizeof(packed) / sizeof(packed[0]); i++)
		if (wk_str_ends(wk_str_c(name), packed[i]))
			bare.len -= strlen(packed[i]);
	for (size_t i = 0; reader->suffixes && reader->suffixes[i]; i++)
		if (wk_str_ends(bare, reader->suffixes[i]) ||
		    wk_str_ends(wk_str_c(name), reader->suffixes[i]))
			return true;
	return false;
}

static const struct wk_reader *by_name(const char *format, struct wk_err *err)
{
	struct wk_suggestion near = wk_suggestion_for(wk_str_c(format));

	for (size_t i = 0; readers[i]; i++) {
		if (strcmp(readers[i]->name, format) == 0)
			return readers[i];
		wk_suggestion_try(&near, readers[i]->name);
	}
	wk_fail(err, WK_EUSAGE, WK_NOWHERE, "there is no format \"%.60s\"", format);
	wk_suggestion_add(&near, "`wick formats` lists them", err);
	return NULL;
}

/* The first bytes as text, or in hexadecimal. */
static void describe(struct wk_bytes bytes, struct wk_buf *out)
{
	size_t len = wk_bytes_left(&bytes) < 16 ? wk_bytes_left(&bytes) : 16;
	size_t plain = 0;
	bool is_all;

	while (plain < len && bytes.at[plain] >= 0x20 && bytes.at[plain] < 0x7f)
		plain++;
	is_all = plain == wk_bytes_left(&bytes) - (plain < len && bytes.at[plain] == '\n');
	if (plain >= 4 || (plain && is_all)) {
		wk_buf_add_text(out, "begins with the text \"");
		wk_buf_add(out, bytes.at, plain);
		wk_buf_add_char(out, '"');
		return;
	}
	wk_buf_add_text(out, "begins with the bytes");
	for (size_t i = 0; i < len; i++)
		wk_buf_add_fmt(out, " %02x", bytes.at[i]);
}

/* A flame graph drawn by wick or the older tools: text with an SVG element near its start. */
static bool is_picture(struct wk_str text)
{
	for (size_t i = 0; i < text.len && i < 1024; i++)
		if (text.at[i] == '<' && wk_str_starts(wk_str_skip(text, i), "<svg"))
			return true;
	return false;
}

/* What a file that is no recording is; NULL if that is not known. */
static const char *known_other(struct wk_str start)
{
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (wk_str_starts(start, others[i].magic))
			return others[i].is;
	return NULL;
}

/* A short piece of JSON may be too little to recognise what it is. */
static bool is_cut_json(struct wk_bytes bytes)
{
	struct wk_json json = wk_json_of(bytes);

	if (wk_bytes_left(&bytes) > WK_PROBE_BYTES || !wk_json_looks_like(bytes))
		return false;
	wk_json_skip(&json);
	return wk_json_end(&json, NULL) && json.is_cut;
}

static bool fail_unknown(struct wk_bytes bytes, struct wk_err *err)
{
	struct wk_str start = wk_bytes_str(bytes);
	const char *other = known_other(start);
	struct wk_buf seen = { 0 };

	if (is_picture(start))
		return wk_fail(
			err, WK_EFORMAT, WK_NOWHERE,
			"this is a flame graph (SVG); open the recording or the stacks that it "
			"was drawn from");
	if (other)
		return wk_fail(err, WK_EFORMAT, WK_NOWHERE, "this is %s", other);
	if (wk_packing_of(bytes) != WK_NOT_PACKED)
		return wk_fail(err, WK_EFORMAT, WK_NOWHERE,
			       "it was packed twice, inside with %s: unpack it once",
			       wk_packing_name(wk_packing_of(bytes)));
	if (is_cut_json(bytes))
		return wk_fail(err, WK_EFORMAT, WK_NOWHERE,
			       "the file is truncated: it is JSON that ends before its content "
			       "shows the format");
	describe(bytes, &seen);
	wk_fail(err, WK_EFORMAT, WK_NOWHERE,
		"not a format that wick reads: it %s; `wick formats` lists those it reads",
		wk_buf_text(&seen));
	wk_buf_fini(&seen);
	return false;
}

static const struct wk_reader *by_bytes(struct wk_bytes bytes, const char *name, struct wk_err *err)
{
	const struct wk_reader *best = NULL;
	struct wk_bytes first = bytes;
	int best_score = 0;

	if (wk_bytes_left(&bytes) == 0) {
		wk_fail(err, WK_EFORMAT, WK_NOWHERE, "the file is empty");
		return NULL;
	}
	if (wk_bytes_left(&first) > WK_PROBE_BYTES)
		first.end = first.at + WK_PROBE_BYTES;
	for (size_t i = 0; readers[i]; i++) {
		int score = 2 * wk_reader_probe(readers[i], first);

		if (score > 0 && has_suffix(readers[i], name))
			score++;
		if (score > best_score) {
			best_score = score;
			best = readers[i];
		}
	}
	if (!best)
		fail_unknown(bytes, err);
	return best;
}

static bool is_binary(struct wk_bytes bytes)
{
	size_t len = wk_bytes_left(&bytes);

	return len && memchr(bytes.at, 0, len < WK_PROBE_BYTES ? len : WK_PROBE_BYTES);
}

/* Readers of text would find lines in a program or a recording that look like theirs. */
static const struct wk_reader *by_text_format(struct wk_bytes bytes, const char *name,
					      const struct wk_reader *wanted, struct wk_err *err)
{
	const char *is = known_other(wk_bytes_str(bytes));
	const struct wk_reader *other;
	struct wk_buf seen = { 0 };

	if (!is_binary(bytes))
		return wanted;
	other = by_bytes(bytes, name, NULL);
	if (is)
		wk_buf_add_fmt(&seen, "is %s", is);
	else if (other && other->reads_binary)
		wk_buf_add_fmt(&seen, "is a recording (%s), which is read without --format",
			       other->name);
	else
		describe(bytes, &seen);
	wk_fail(err, WK_EFORMAT, WK_NOWHERE, "the format %s is text, but this %s", wanted->name,
		wk_buf_text(&seen));
	wk_buf_fini(&seen);
	return NULL;
}

/* Looks after a byte order mark. Two bytes of UTF-16 become at least one of UTF-8. */
static const struct wk_reader *by_content(struct wk_bytes bytes, const char *name,
					  const struct wk_reader *wanted, struct wk_err *err)
{
	const struct wk_reader *reader;
	struct wk_buf text = { 0 };

	if (wk_bytes_left(&bytes) > 2 * WK_PROBE_BYTES)
		bytes.end = bytes.at + 2 * WK_PROBE_BYTES;
	bytes = wk_utf16_plain(bytes, &text);
	reader = wanted ? by_text_format(bytes, name, wanted, err) : by_bytes(bytes, name, err);
	wk_buf_fini(&text);
	return reader;
}

/* The reader of a packed file by its first bytes. `wanted` is named by the user, or NULL. */
static const struct wk_reader *by_packed(struct wk_bytes bytes, const char *name,
					 const struct wk_reader *wanted, struct wk_err *err)
{
	const struct wk_reader *reader = NULL;
	struct wk_buf plain = { 0 };

	if (wk_unpack_first(bytes, 2 * WK_PROBE_BYTES, &plain, err)) {
		if (plain.len)
			reader = by_content(wk_bytes_of(plain.at, plain.len), name, wanted, err);
		else
			wk_fail(err, WK_EFORMAT, WK_NOWHERE,
				"packed with %s, but empty or truncated",
				wk_packing_name(wk_packing_of(bytes)));
	}
	if (!reader && err)
		err->code = WK_EFORMAT;
	wk_buf_fini(&plain);
	return reader;
}

const struct wk_reader *wk_reader_for(struct wk_bytes bytes, const char *name, const char *format,
				      struct wk_err *err)
{
	const struct wk_reader *wanted = format ? by_name(format, err) : NULL;

	if (format && (!wanted || wanted->reads_binary))
		return wanted;
	if (wk_packing_of(bytes) == WK_NOT_PACKED)
		return by_content(bytes, name, wanted, err);
	return by_packed(bytes, name, wanted, err);
}

/* What the caller chose, and whether bytes that are not text are passed to any reader. */
struct wanted {
	const char *name, *format;
	bool checks_nothing;
};

static const struct wk_reader *reader_for(struct wk_bytes bytes, const struct wanted *wanted,
					  struct wk_err *err)
{
	if (wanted->format && wanted->checks_nothing)
		return by_name(wanted->format, err);
	return wk_reader_for(bytes, wanted->name, wanted->format, err);
}

bool wk_reader_check_text(struct wk_bytes bytes, const char *name, struct wk_err *err)
{
	const struct wk_reader *reader;

	if (!is_binary(bytes))
		return true;
	reader = by_bytes(bytes, name, err);
	return reader &&
	       wk_fail(err, WK_EFORMAT, WK_NOWHERE,
		       "this is a recording (%s), not folded stacks; `wick flame` draws it",
		       reader->name);
}

static bool is_known(void *context, const void *first, size_t len, struct wk_err *err)
{
	const struct wanted *wanted = context;

	if (wk_zip_is(wk_bytes_of(first, len)))
		return true;
	return reader_for(wk_bytes_of(first, len), wanted, err) != NULL;
}

bool wk_opened_fail(const struct wk_opened *opened, struct wk_err *err)
{
	const char *path = opened->input.name;

	return wk_err_in(err, strcmp(path, "-") == 0 ? "standard input" : path);
}

/* The packed bytes are not needed once they are unpacked. */
static void use_plain(struct wk_opened *opened)
{
	opened->input.bytes = wk_bytes_of(wk_buf_text(&opened->plain), opened->plain.len);
	opened->input.file = NULL;
	wk_os_close(&opened->file);
}

static bool unpack_input(struct wk_opened *opened, struct wk_err *err)
{
	if (wk_packing_of(opened->input.bytes) == WK_NOT_PACKED)
		return true;
	if (!wk_unpack(opened->input.bytes, &opened->plain, err))
		return false;
	use_plain(opened);
	return true;
}

/* A member of an archive is read like any other input, but packed members are refused. */
static bool open_archive(struct wk_opened *opened, struct wk_err *err)
{
	if (!wk_zip_is(opened->input.bytes))
		return true;
	if (!wk_archive_open(opened->input.bytes, &opened->plain, &opened->input.parts, err))
		return false;
	use_plain(opened);
	if (wk_packing_of(opened->input.bytes) == WK_NOT_PACKED)
		return true;
	return wk_fail(err, WK_EFORMAT, WK_NOWHERE,
		       "the archive contains a packed file: unpack it first");
}

/* Neither are those of UTF-16. */
static void decode_input(struct wk_opened *opened)
{
	struct wk_bytes text = wk_utf16_plain(opened->input.bytes, &opened->text);

	if (text.at == opened->input.bytes.at)
		return;
	opened->input.bytes = text;
	if (opened->text.at) {
		opened->input.file = NULL;
		wk_os_close(&opened->file);
		wk_buf_fini(&opened->plain);
	}
}

/* Neither packed nor UTF-16. */
static bool is_plain(struct wk_bytes first)
{
	struct wk_buf decoded = { 0 };
	bool is_decoded;

	wk_utf16_plain(first, &decoded);
	is_decoded = decoded.at;
	wk_buf_fini(&decoded);
	return !is_decoded && wk_packing_of(first) == WK_NOT_PACKED;
}

/* The rest of a pipe, or all of a file, unless the reader is to read it by itself. */
static bool read_rest(struct wk_opened *opened, const struct wanted *wanted, bool may_stream,
		      struct wk_err *err)
{
	struct wk_bytes first = wk_file_bytes(&opened->file);
	const struct wk_reader *reader = NULL;

	if (wk_bytes_left(&first) > WK_PROBE_BYTES)
		first.end = first.at + WK_PROBE_BYTES;
	if (opened->rest.is_open && (may_stream || opened->rest.is_file) && is_plain(first))
		reader = reader_for(wk_file_bytes(&opened->file), wanted, NULL);
	if (!opened->rest.is_open ||
	    (reader && (opened->rest.is_file ? reader->in_pieces : reader->streams)))
		return true;
	if (!opened->rest.is_file)
		return wk_os_open_rest(wanted->name, &opened->file, &opened->rest, err);
	wk_os_stream_close(&opened->rest);
	return true;
}

static bool open_plain(struct wk_opened *opened, const struct wanted *wanted, struct wk_err *err)
{
	opened->input.bytes = wk_file_bytes(&opened->file);
	opened->input.file = &opened->file;
	opened->input.rest = opened->rest.is_open ? &opened->rest : NULL;
	if (open_archive(opened, err))
		opened->reader = reader_for(opened->input.bytes, wanted, err);
	if (!opened->reader || !unpack_input(opened, err))
		return false;
	decode_input(opened);
	return true;
}

static bool open_input(struct wanted *wanted, bool may_stream, struct wk_opened *opened,
		       struct wk_err *err)
{
	const char *path = wanted->name;
	char *first = wk_parts_first(path);
	bool ok;

	*opened = (struct wk_opened){ .input = { .name = path } };
	ok = wk_os_open_start(first ? first : path, is_known, wanted, &opened->file, &opened->rest,
			      err) &&
	     read_rest(opened, wanted, may_stream && !first, err);
	if (ok && first)
		ok = wk_parts_open(path, &opened->input.parts, err);
	wk_free(first);
	if (!ok) {
		wk_reader_close(opened);
		return err && err->code == WK_EFORMAT ? wk_opened_fail(opened, err) : false;
	}
	if (open_plain(opened, wanted, err))
		return true;
	wk_reader_close(opened);
	return wk_opened_fail(opened, err);
}

bool wk_reader_open(const char *path, const char *format, struct wk_opened *opened,
		    struct wk_err *err)
{
	return open_input(&(struct wanted){ path, format, false }, false, opened, err);
}

bool wk_reader_open_once(const char *path, const char *format, struct wk_opened *opened,
			 struct wk_err *err)
{
	return open_input(&(struct wanted){ path, format, false }, true, opened, err);
}

bool wk_reader_open_unchecked(const char *path, const char *format, bool may_stream,
			      struct wk_opened *opened, struct wk_err *err)
{
	return open_input(&(struct wanted){ path, format, true }, may_stream, opened, err);
}

void wk_reader_close(struct wk_opened *opened)
{
	wk_os_close(&opened->file);
	wk_os_stream_close(&opened->rest);
	wk_parts_close(&opened->input.parts);
	WK_BUF_FINI_ALL(&opened->plain, &opened->text);
}
