#include "names/rust_escapes.h"

#include "names/demangle/rust.h"

#define HASH_LEN 19 /* "::h" and 16 digits */

static bool is_hex(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

static bool ends_in_hash(struct wk_str name)
{
	struct wk_str hash;

	if (name.len <= HASH_LEN)
		return false;
	hash = wk_str_skip(name, name.len - HASH_LEN);
	for (size_t i = 3; i < hash.len; i++)
		if (!is_hex(hash.at[i]))
			return false;
	return wk_str_starts(hash, "::h");
}

struct wk_str wk_rust_name(struct wk_str name, struct wk_buf *buf)
{
	struct wk_rust_out out = { .buf = buf };

	if (!ends_in_hash(name))
		return name;
	wk_buf_reset(buf);
	wk_rust_put_element(&out, wk_str_of(name.at, name.len - HASH_LEN));
	return out.failed ? name : wk_buf_str(buf);
}
