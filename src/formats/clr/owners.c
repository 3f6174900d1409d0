#include "formats/clr/owners.h"

#include "base/buf.h"
#include "base/hash.h"
#include "base/text/utf16.h"
#include "formats/scan.h"

enum owner { UNKNOWN, FRAMEWORKS, PROGRAMS };

void wk_clr_owners_fini(struct wk_clr_owners *owners)
{
	wk_map_fini(&owners->owner_of);
}

static bool has_one_of(struct wk_str text, const char *const *parts)
{
	for (; *parts; parts++)
		if (wk_str_find(text, *parts) != SIZE_MAX)
			return true;
	return false;
}

/* `path` in lower case. A module in memory only has a name, but no folder. */
static enum owner owner_by_path(struct wk_str path)
{
	static const char *const folders[] = { "\\windows\\", "\\program files\\dotnet\\",
					       "\\program files (x86)\\dotnet\\", NULL };
	static const char *const others[] = { "\\dotnet\\shared\\", "/shared/microsoft.", NULL };
	static const char *const files[] = { "system.", "mscorlib.", "netstandard.", NULL };

	if (!memchr(path.at, '\\', path.len) && !memchr(path.at, '/', path.len))
		return UNKNOWN;
	if (path.len > 1 && path.at[1] == ':' &&
	    wk_str_starts_one_of(wk_str_skip(path, 2), folders))
		return FRAMEWORKS;
	return wk_str_starts_one_of(wk_str_basename(path), files) || has_one_of(path, others)
		       ? FRAMEWORKS
		       : PROGRAMS;
}

void wk_clr_owners_add(struct wk_clr_owners *owners, uint32_t pid, uint64_t module,
		       struct wk_bytes utf16)
{
	struct wk_buf path = { 0 };
	enum owner owner;

	wk_utf16_add(&path, utf16, false);
	for (size_t i = 0; i < path.len; i++)
		path.at[i] = wk_lower(path.at[i]);
	owner = owner_by_path(wk_buf_str(&path));
	if (owner != UNKNOWN)
		wk_map_set(&owners->owner_of, wk_hash_pair(module, pid), (uint32_t)owner);
	wk_buf_fini(&path);
}

bool wk_clr_owners_is_program(const struct wk_clr_owners *owners, uint32_t pid, uint64_t module,
			      struct wk_str method)
{
	static const char *const spaces[] = { "Microsoft.", "MS.", "Internal.", NULL };
	uint32_t owner = wk_map_find(&owners->owner_of, wk_hash_pair(module, pid));

	/* Generics of .NET for types of the program are listed under the program's module. The
	 * runtime generates the stubs between managed and native code. */
	if (wk_str_starts(method, "System.") || wk_str_find(method, ".IL_STUB") != SIZE_MAX)
		return false;
	return owner == UNKNOWN ? !wk_str_starts_one_of(method, spaces) : owner == PROGRAMS;
}
