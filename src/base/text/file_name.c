#include "base/text/file_name.h"

static bool is_one_of(struct wk_str text, const char *const *words)
{
	for (; *words; words++)
		if (wk_str_is_any_case(text, *words))
			return true;
	return false;
}

/* One digit; the small raised ones of Latin-1 count as well. */
static bool is_port_number(struct wk_str text)
{
	if (text.len == 1)
		return text.at[0] >= '0' && text.at[0] <= '9';
	return wk_str_is(text, "\xc2\xb9") || wk_str_is(text, "\xc2\xb2") ||
	       wk_str_is(text, "\xc2\xb3");
}

/* The part after the first dot, and blanks before it. */
static bool is_device(struct wk_str name)
{
	static const char *const devices[] = { "con", "prn",	"aux",	   "nul",
					       "conin$", "conout$", NULL };
	static const char *const numbered[] = { "com", "lpt", NULL };
	const char *dot = memchr(name.at, '.', name.len);

	if (dot)
		name.len = (size_t)(dot - name.at);
	while (name.len > 0 && name.at[name.len - 1] == ' ')
		name.len--;
	return is_one_of(name, devices) ||
	       (name.len > 3 && is_one_of(wk_str_of(name.at, 3), numbered) &&
		is_port_number(wk_str_skip(name, 3)));
}

static bool is_letter(char c)
{
	return (unsigned char)c >= ' ' && !strchr("<>:\"/\\|?*", c);
}

static bool is_name(struct wk_str name)
{
	for (size_t i = 0; i < name.len; i++)
		if (!is_letter(name.at[i]))
			return false;
	return name.len > 0 && name.at[name.len - 1] != '.' && name.at[name.len - 1] != ' ' &&
	       !is_device(name);
}

bool wk_file_name_is_windows(struct wk_str name)
{
	return name.len <= 255 && is_name(name);
}

static bool is_slash(char c)
{
	return c == '/' || c == '\\';
}

static bool has_drive(struct wk_str path)
{
	return path.len > 1 && path.at[1] == ':' && wk_lower(path.at[0]) >= 'a' &&
	       wk_lower(path.at[0]) <= 'z';
}

/* "\\?\C:\a" is a path as it is without that, and longer than others may be; "\\?\UNC\a" is a
 * share. */
static struct wk_str without_prefix(struct wk_str path)
{
	struct wk_str rest = wk_str_skip(path, 4);

	if (!wk_str_starts(path, "\\\\?\\"))
		return path;
	if (wk_str_starts(rest, "UNC\\"))
		return wk_str_skip(rest, 4);
	return has_drive(rest) ? rest : path;
}

/* As in "\\.\pipe\a". */
static bool leads_to_device(struct wk_str path)
{
	return path.len > 2 && is_slash(path.at[0]) && is_slash(path.at[1]) && path.at[2] == '.';
}

bool wk_file_path_is_windows(struct wk_str path)
{
	if (leads_to_device(path))
		return false;
	path = without_prefix(path);
	if (has_drive(path))
		path = wk_str_skip(path, 2);
	while (path.len > 0) {
		struct wk_str name;
		size_t len = 0;

		while (len < path.len && !is_slash(path.at[len]))
			len++;
		name = wk_str_of(path.at, len);
		if (len > 0 && !wk_str_is(name, ".") && !wk_str_is(name, "..") && !is_name(name))
			return false;
		path = wk_str_skip(path, len + (len < path.len));
	}
	return true;
}
