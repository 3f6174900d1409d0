#include "formats/nettrace/file.h"

#include <inttypes.h>

#define MAGIC "Nettrace"

/* Versions 4 and 5: tags of objects, and the text that both they and .netperf begin with. */
enum { TAG_NONE = 1, TAG_OBJECT = 5, TAG_END = 6 };
#define SERIALIZER   "!FastSerialization.1"
#define TRACE_BYTES  48 /* of the Trace object, the only one without a size */
#define MOST_NAME    64
#define NEWEST_V4    5
#define NEWEST_MAJOR 6

static bool read_serializer(struct wk_bytes *bytes)
{
	uint32_t len = wk_u32le(bytes);
	struct wk_bytes text = wk_bytes_slice(bytes, len);

	return !bytes->bad && wk_str_is(wk_bytes_str(text), SERIALIZER);
}

bool wk_nettrace_is(struct wk_bytes first)
{
	return wk_str_starts(wk_bytes_str(first), MAGIC) || read_serializer(&first);
}

/* "Trace" is followed by the version that a reader needs to know. */
static bool check_v4(struct wk_bytes rest, struct wk_err *err)
{
	uint32_t version;

	wk_bytes_skip(&rest, 3);
	wk_u32le(&rest);
	version = wk_u32le(&rest);
	return version <= NEWEST_V4 ||
	       wk_fail(err, WK_EUNSUPPORTED, WK_NOWHERE,
		       "this is a .NET trace of version %" PRIu32 ", but wick reads 4 to 6",
		       version);
}

bool wk_nettrace_open(struct wk_bytes bytes, struct wk_nettrace_file *file, struct wk_err *err)
{
	struct wk_bytes rest = bytes, v4;
	uint32_t major;

	if (read_serializer(&rest))
		return wk_fail(err, WK_EUNSUPPORTED, WK_NOWHERE,
			       "this is a trace of .NET Core 2 (.netperf), which wick does not "
			       "read; .NET Core 3 and later write .nettrace");
	rest = bytes;
	if (!wk_str_starts(wk_bytes_str(rest), MAGIC))
		return wk_fail(err, WK_EFORMAT, WK_NOWHERE,
			       "not a .NET trace: it does not begin with \"" MAGIC "\"");
	wk_bytes_skip(&rest, sizeof(MAGIC) - 1);
	v4 = rest;
	*file = (struct wk_nettrace_file){ .rest = rest };
	if (read_serializer(&v4)) {
		file->rest = v4;
		return check_v4(v4, err);
	}
	if (wk_u32le(&rest) != 0)
		return wk_fail(err, WK_ECORRUPT, 8,
			       "neither version 4 nor version 6 of the format");
	major = wk_u32le(&rest);
	wk_u32le(&rest); /* the minor version */
	if (rest.bad)
		return wk_fail(err, WK_ECORRUPT, WK_NOWHERE,
			       "the trace is truncated in its header");
	if (major != NEWEST_MAJOR)
		return wk_fail(err, WK_EUNSUPPORTED, WK_NOWHERE,
			       "this is a .NET trace of version %" PRIu32 ", but wick reads 4 to 6",
			       major);
	file->rest = rest;
	file->is_v6 = true;
	return true;
}

static bool stop(struct wk_nettrace_file *file, uint64_t offset, const char *fault)
{
	file->is_ended = true;
	if (fault) {
		file->fault = fault;
		file->fault_offset = offset;
	} else {
		file->is_cut = true;
	}
	return false;
}

/* The next `size` bytes, or those that are there. */
static struct wk_bytes take(struct wk_nettrace_file *file, uint64_t size)
{
	size_t left = wk_bytes_left(&file->rest);

	if (size > left) {
		file->is_cut = file->is_ended = true;
		size = left;
	}
	return wk_bytes_slice(&file->rest, size);
}

/* ---- versions 4 and 5 */

static const struct {
	const char *name;
	enum wk_nettrace_kind kind;
} objects[] = {
	{ "Trace", WK_NETTRACE_TRACE },
	{ "EventBlock", WK_NETTRACE_EVENTS },
	{ "MetadataBlock", WK_NETTRACE_METADATA },
	{ "StackBlock", WK_NETTRACE_STACKS },
	{ "SPBlock", WK_NETTRACE_SEQUENCE_POINT },
};

static uint32_t kind_of(struct wk_str name)
{
	for (size_t i = 0; i < sizeof(objects) / sizeof(objects[0]); i++)
		if (wk_str_is(name, objects[i].name))
			return objects[i].kind;
	return WK_NETTRACE_KINDS;
}

/* A type: the versions of the object, its name. */
static bool read_type(struct wk_bytes *rest, struct wk_str *name)
{
	struct wk_bytes text;
	uint32_t len;

	if (wk_u8(rest) != TAG_OBJECT || wk_u8(rest) != TAG_NONE)
		return false;
	wk_bytes_skip(rest, 8);
	len = wk_u32le(rest);
	if (len > MOST_NAME)
		return false;
	text = wk_bytes_slice(rest, len);
	*name = wk_bytes_str(text);
	return wk_u8(rest) == TAG_END;
}

/* All but the first object begin with a size, and are aligned in the file. */
static uint64_t content_size(struct wk_nettrace_file *file, uint32_t kind)
{
	uint32_t size;

	if (kind == WK_NETTRACE_TRACE)
		return TRACE_BYTES;
	size = wk_u32le(&file->rest);
	wk_bytes_skip(&file->rest, -wk_bytes_offset(&file->rest) & 3);
	return size;
}

static bool next_object(struct wk_nettrace_file *file, struct wk_nettrace_block *block)
{
	uint64_t offset = wk_bytes_offset(&file->rest);
	struct wk_str name = { 0 };
	uint8_t tag = wk_u8(&file->rest);

	if (tag == TAG_NONE && !file->rest.bad) {
		file->is_ended = true;
		return false;
	}
	if (tag != TAG_OBJECT || !read_type(&file->rest, &name))
		return stop(file, offset, file->rest.bad ? NULL : "no object begins here");
	block->kind = kind_of(name);
	block->content = take(file, content_size(file, block->kind));
	offset = wk_bytes_offset(&file->rest);
	if (!file->is_ended && wk_u8(&file->rest) != TAG_END)
		stop(file, offset, file->rest.bad ? NULL : "the object does not end here");
	return true;
}

/* ---- version 6 */

static bool next_block(struct wk_nettrace_file *file, struct wk_nettrace_block *block)
{
	uint32_t head = wk_u32le(&file->rest);

	if (file->rest.bad)
		return stop(file, 0, NULL);
	block->kind = head >> 24;
	if (block->kind == WK_NETTRACE_END) {
		file->is_ended = true;
		return false;
	}
	block->content = take(file, head & 0xffffff);
	return true;
}

bool wk_nettrace_next(struct wk_nettrace_file *file, struct wk_nettrace_block *block)
{
	if (file->is_ended)
		return false;
	return file->is_v6 ? next_block(file, block) : next_object(file, block);
}
