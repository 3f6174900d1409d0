#include "render/page/redact.h"

#include <string.h>

#include "base/mem.h"
#include "base/out.h"
#include "base/text/utf8.h"

#define MOST_NAMES 1024 /* a recording with more is of a server with very many accounts */
#define LEAST_NAME 2    /* characters: shorter ones would be found everywhere */

static bool is_letter(char c)
{
	return wk_lower(c) >= 'a' && wk_lower(c) <= 'z';
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* A name may have '_' next to it: "s_box17". */
static bool is_word(char c)
{
	return is_digit(c) || is_letter(c) || (unsigned char)c >= 0x80;
}

static bool is_identifier(char c)
{
	return is_word(c) || c == '_';
}

static bool is_blank(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

static bool is_one_of(char c, const char *all)
{
	return c && strchr(all, c);
}

static bool starts_any_case(struct wk_str text, const char *start)
{
	size_t len = strlen(start);

	return text.len >= len && wk_str_is_any_case(wk_str_of(text.at, len), start);
}

static bool contains(struct wk_str text, const char *part)
{
	for (size_t i = 0; i < text.len; i++)
		if (wk_str_starts(wk_str_skip(text, i), part))
			return true;
	return false;
}

/* ---- home directories */

/* Between the folders of a path, which may be percent-encoded. 0: there is none. */
static size_t separator(struct wk_str text)
{
	if (starts_any_case(text, "%2f") || starts_any_case(text, "%5c"))
		return 3;
	return text.len && (text.at[0] == '/' || text.at[0] == '\\');
}

/* "/", "//", "/./" */
static size_t separators(struct wk_str text)
{
	size_t len = separator(text), more = len;

	while (more) {
		struct wk_str rest = wk_str_skip(text, len);

		more = rest.len && rest.at[0] == '.' && separator(wk_str_skip(rest, 1))
			       ? 1
			       : separator(rest);
		len += more;
	}
	return len;
}

/* The folders with a home directory for each user. Those that are one anywhere may have a number:
 * "/home2/alice". */
static const struct homes {
	const char *folder;
	enum { ANYWHERE, AT_ROOT, AT_DRIVE } place;
} all_homes[] = {
	{ "home", ANYWHERE },
	{ "homes", ANYWHERE },
	{ "users", ANYWHERE },
	{ "documents and settings", ANYWHERE },
	{ "dokumente und einstellungen", ANYWHERE },
	{ "u", AT_ROOT },
	{ "media", AT_ROOT },
	{ "run/media", AT_ROOT },
	{ "profiles", AT_DRIVE },
};

/* Is there "C:" before this place? */
static bool is_at_drive(struct wk_str text, size_t at)
{
	return at >= 2 && text.at[at - 1] == ':' && is_letter(text.at[at - 2]) &&
	       (at == 2 || !is_word(text.at[at - 3]));
}

static bool is_at_root(struct wk_str text, size_t at)
{
	return !at || !(is_identifier(text.at[at - 1]) || is_one_of(text.at[at - 1], ".-)>"));
}

/* The length of "/home/", "/Users/" or "\Users\" at this place, which begins with separators. 0: it
 * is no home directory. */
static size_t homes_length(struct wk_str text, size_t at, bool *is_windows)
{
	size_t first = separators(wk_str_skip(text, at));

	for (size_t i = 0; i < sizeof(all_homes) / sizeof(all_homes[0]); i++) {
		const struct homes *homes = &all_homes[i];
		size_t len = first + strlen(homes->folder);
		size_t last;

		while (homes->place == ANYWHERE && at + len < text.len &&
		       is_digit(text.at[at + len]))
			len++;
		last = separators(wk_str_skip(text, at + len));
		if (!last || !starts_any_case(wk_str_skip(text, at + first), homes->folder) ||
		    (homes->place == AT_ROOT && !is_at_root(text, at)) ||
		    (homes->place == AT_DRIVE && !is_at_drive(text, at)))
			continue;
		*is_windows =
			is_at_drive(text, at) || text.at[at] == '\\' || text.at[at + len] == '\\';
		return len + last;
	}
	return 0;
}

static size_t trimmed(struct wk_str text, size_t len, const char *ends)
{
	while (len && is_one_of(text.at[len - 1], ends))
		len--;
	return len;
}

static size_t first_word(struct wk_str text)
{
	size_t len = 0;

	while (len < text.len && !is_blank(text.at[len]) && !is_one_of(text.at[len], ":;,()&?#"))
		len++;
	return trimmed(text, len, ".'`");
}

/* The length of the name of a home directory. All up to the next separator is the name, unless it
 * looks like more than a name: then the name is a word, but it may have spaces on Windows. */
static size_t home_length(struct wk_str text, bool is_windows)
{
	size_t len = 0;
	struct wk_str name;

	while (len < text.len && !is_one_of(text.at[len], "\"<>|:*?\n\r\t") && text.at[len] &&
	       !separator(wk_str_skip(text, len)))
		len++;
	name = wk_str_of(text.at, len);
	if (separator(wk_str_skip(text, len)) && len && !is_one_of(name.at[len - 1], " ='(") &&
	    !contains(name, " -"))
		return trimmed(name, len, ",;");
	return is_windows && !contains(name, " -") ? trimmed(name, len, " ,;.)'`")
						   : first_word(name);
}

/* ---- names */

/* Those that each system has name no person. */
static bool is_of_system(struct wk_str name)
{
	static const char *const names[] = { "root", "system", "public", "default", "all users",
					     "local service", "network service", "nt authority",
					     "localhost", "wsl.localhost", "shared",
					      "default user", "user", "host" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (wk_str_eq_any_case(name, wk_str_c(names[i])))
			return true;
	return false;
}

static bool has_word(struct wk_str text)
{
	for (size_t i = 0; i < text.len; i++)
		if (is_word(text.at[i]))
			return true;
	return false;
}

/* The lower case of Latin, Greek and Cyrillic letters, as far as both cases have the same number of
 * bytes. */
static uint32_t lower_case(uint32_t c)
{
	static const struct {
		uint32_t first, last, distance;
	} ranges[] = {
		{ 0xc0, 0xd6, 32 },   { 0xd8, 0xde, 32 },   { 0x391, 0x3a1, 32 },
		{ 0x3a3, 0x3a9, 32 }, { 0x400, 0x40f, 80 }, { 0x410, 0x42f, 32 },
	};
	bool is_odd = c & 1;

	if (c < 0x80)
		return (uint32_t)wk_lower((char)c);
	for (size_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++)
		if (c >= ranges[i].first && c <= ranges[i].last)
			return c + ranges[i].distance;
	if ((c >= 0x139 && c <= 0x148) || (c >= 0x179 && c <= 0x17e))
		return c + is_odd;
	if (c >= 0x100 && c <= 0x177 && c != 0x130 && c != 0x131 && c != 0x138)
		return c + !is_odd;
	return c;
}

/* But for the case of letters. Bytes that are no text are only the same as a whole. */
static bool is_same_name(struct wk_str a, struct wk_str b)
{
	if (wk_str_eq(a, b))
		return true;
	while (a.len && b.len) {
		bool is_ascii = !((a.at[0] | b.at[0]) & 0x80);
		uint32_t of_a = is_ascii ? (uint32_t)a.at[0] : wk_utf8_next(&a);
		uint32_t of_b = is_ascii ? (uint32_t)b.at[0] : wk_utf8_next(&b);

		if (of_a == WK_UTF8_BROKEN || lower_case(of_a) != lower_case(of_b))
			return false;
		if (is_ascii) {
			a = wk_str_skip(a, 1);
			b = wk_str_skip(b, 1);
		}
	}
	return !a.len && !b.len;
}

/* The names with the same first letter are a list, and so are those that begin without ASCII. */
static size_t list_of(char first)
{
	return first & 0x80 ? 0x80 : (unsigned char)wk_lower(first);
}

static void add(struct wk_redaction *redaction, struct wk_str name, enum wk_redacted_as as)
{
	uint32_t *list;

	if (name.len < LEAST_NAME || redaction->count >= MOST_NAMES || is_of_system(name) ||
	    !has_word(name))
		return;
	list = &redaction->lists[list_of(name.at[0])];
	for (uint32_t i = *list; i; i = redaction->names[i - 1].next)
		if (is_same_name(redaction->names[i - 1].name, name))
			return;
	*WK_APPEND(redaction->names, redaction->count, redaction->cap) =
		(struct wk_redacted_name){ name, as, *list };
	*list = (uint32_t)redaction->count;
}

static void add_name(struct wk_redaction *redaction, struct wk_str name, bool is_host)
{
	add(redaction, name, is_host ? WK_REDACTED_AS_HOST : WK_REDACTED_AS_USER);
}

/* "Jane Doe" as a whole, "Jane" and "Doe". Without Windows, what follows the first word may be a
 * sentence and no name. */
static void add_home(struct wk_redaction *redaction, struct wk_str name, bool is_windows)
{
	add_name(redaction, name, false);
	do {
		size_t len = first_word(name);

		add_name(redaction, wk_str_of(name.at, len), false);
		name = wk_str_skip(name, len + 1);
	} while (name.len && is_windows);
}

/* The name in "\\server\share\...", which is at the start of a text or a word. */
static struct wk_str server_of(struct wk_str text, size_t at)
{
	struct wk_str rest = wk_str_skip(text, at);
	size_t len = 0;

	if (at && !is_blank(text.at[at - 1]) && !is_one_of(text.at[at - 1], "\"'(=,;"))
		return wk_str_c("");
	if (!wk_str_accept(&rest, "\\\\?\\UNC\\") && !wk_str_accept(&rest, "\\\\"))
		return wk_str_c("");
	while (len < rest.len && (is_word(rest.at[len]) || is_one_of(rest.at[len], "-._")))
		len++;
	return wk_str_of(rest.at, len > 1 && len < rest.len && rest.at[len] == '\\' ? len : 0);
}

/* The machine, and its domain, of which "corp.example.com" and "example.com" are names. */
static void add_host(struct wk_redaction *redaction, struct wk_str host)
{
	struct wk_str first, rest;

	add_name(redaction, host, true);
	if (!wk_str_split(host, '.', &first, &rest) || !rest.len || is_digit(rest.at[0]))
		return; /* "10.0.0.1" */
	add_name(redaction, first, true);
	while (memchr(rest.at, '.', rest.len)) {
		add_name(redaction, rest, true);
		wk_str_split(rest, '.', &first, &rest);
	}
}

void wk_redaction_learn(struct wk_redaction *redaction, struct wk_str text)
{
	for (size_t i = 0, len; i < text.len; i += len) {
		struct wk_str rest;
		bool is_windows;
		size_t homes;

		len = separators(wk_str_skip(text, i));
		if (!len) {
			len = 1;
			continue;
		}
		rest = server_of(text, i);
		if (rest.len)
			add_host(redaction, rest);
		homes = homes_length(text, i, &is_windows);
		rest = wk_str_skip(text, i + homes);
		if (homes)
			add_home(redaction, wk_str_of(rest.at, home_length(rest, is_windows)),
				 is_windows);
	}
}

/* "DOMAIN\name": the domain names a company or a machine. */
static void add_owner(struct wk_redaction *redaction, struct wk_str owner)
{
	struct wk_str domain, name;

	if (!wk_str_split(owner, '\\', &domain, &name)) {
		add_name(redaction, owner, false);
		return;
	}
	if (is_of_system(domain))
		return;
	add_name(redaction, domain, true);
	add_name(redaction, name, false);
}

static void add_facts(struct wk_redaction *redaction, const struct wk_model *model)
{
	for (uint32_t i = 0; i < model->fact_count; i++) {
		struct wk_str key = wk_model_str(model, model->facts[i].key);
		struct wk_str value = wk_model_str(model, model->facts[i].value);

		if (wk_str_is(key, "host name") || wk_str_is(key, "domain"))
			add_host(redaction, value);
		else if (wk_str_is(key, "user"))
			add_owner(redaction, value);
	}
}

/* The length of "NAME=" at the start. 0: there is none. */
static size_t assigned_length(struct wk_str command)
{
	size_t len = 0;

	while (len < command.len && is_identifier(command.at[len]))
		len++;
	return len && len < command.len && !is_digit(command.at[0]) && command.at[len] == '='
		       ? len + 1
		       : 0;
}

/* Names of processes and threads that are command lines are replaced as a whole. */
static bool is_command_line(struct wk_str name)
{
	size_t len = 0;

	while (len < name.len && !is_blank(name.at[len]))
		len++;
	if (assigned_length(name))
		return true;
	return len < name.len && (is_one_of(name.at[0], "/\"'") || contains(name, " -") ||
				  contains(name, "://") || memchr(name.at, '=', name.len));
}

static void add_command(struct wk_redaction *redaction, struct wk_str name)
{
	size_t folder = 0;

	if (!is_command_line(name))
		return;
	add(redaction, name, WK_REDACTED_AS_COMMAND);
	for (size_t i = 0; i < name.len && !is_blank(name.at[i]); i++)
		folder = name.at[i] == '/' ? i + 1 : folder;
	add(redaction, wk_str_skip(name, folder), WK_REDACTED_AS_COMMAND);
}

void wk_redaction_add(struct wk_redaction *redaction, const struct wk_model *model)
{
	struct wk_str text;

	add_facts(redaction, model);
	for (uint32_t i = 1; i < model->process_count; i++) {
		add_owner(redaction, wk_model_str(model, model->processes[i].user));
		add_command(redaction, wk_model_str(model, model->processes[i].name));
	}
	for (uint32_t i = 1; i < model->thread_count; i++)
		add_command(redaction, wk_model_str(model, model->threads[i].name));
	for (uint32_t i = 1; (text = wk_strtab_str(model->text, i)).len; i++)
		wk_redaction_learn(redaction, text);
}

void wk_redaction_fini(struct wk_redaction *redaction)
{
	wk_free(redaction->names);
	*redaction = (struct wk_redaction){ 0 };
}

/* ---- text */

/* The longest name that the text begins with as a word. */
static const struct wk_redacted_name *name_at(const struct wk_redaction *redaction,
					      struct wk_str text)
{
	const struct wk_redacted_name *found = NULL;
	uint32_t next = redaction->lists[list_of(text.at[0])];

	while (next) {
		const struct wk_redacted_name *name = &redaction->names[next - 1];
		size_t len = name->name.len;

		if (text.len >= len && (text.len == len || !is_word(text.at[len])) &&
		    is_same_name(wk_str_of(text.at, len), name->name) &&
		    (!found || len > found->name.len))
			found = name;
		next = name->next;
	}
	return found;
}

/* "S-1-5-21-...", "S-1-12-1-...": the numbers are those of a machine and an account. 0: the text is
 * none. */
static size_t account_length(struct wk_str text)
{
	size_t len = 0;

	if (!starts_any_case(text, "S-1-5-21-") && !starts_any_case(text, "S-1-12-1-"))
		return 0;
	while (len < text.len && (!len || text.at[len] == '-' || is_digit(text.at[len])))
		len++;
	return len;
}

static size_t replace_home(struct wk_str text, size_t at, struct wk_buf *to)
{
	bool is_windows;
	size_t len = homes_length(text, at, &is_windows), home;
	struct wk_str rest = wk_str_skip(text, at + len);

	if (!len)
		return 0;
	home = home_length(rest, is_windows);
	wk_buf_add(to, text.at + at, len);
	wk_buf_add_text(to, home ? "user" : "");
	return len + home;
}

/* Replaces what begins at this place, where a word or a path begins. 0: nothing does. */
static size_t replace(const struct wk_redaction *redaction, struct wk_str text, size_t at,
		      struct wk_buf *to)
{
	static const char *const replacements[] = { "user", "host", "S-1-5-21-0" };
	struct wk_str rest = wk_str_skip(text, at);
	const struct wk_redacted_name *name = name_at(redaction, rest);
	size_t len = account_length(rest);

	if (name && name->as == WK_REDACTED_AS_COMMAND)
		wk_redact_command(redaction, name->name, to);
	else if (name || len)
		wk_buf_add_text(to, replacements[name ? (int)name->as : 2]);
	else
		return separator(rest) ? replace_home(text, at, to) : 0;
	return name ? name->name.len : len;
}

void wk_redact_plain(const struct wk_redaction *redaction, struct wk_str text, struct wk_buf *to)
{
	bool is_start = true;

	for (size_t i = 0, len; i < text.len; i += len) {
		struct wk_str rest = wk_str_skip(text, i);
		size_t separated = separators(rest);

		len = is_start || separated ? replace(redaction, text, i, to) : 0;
		is_start = true;
		if (len)
			continue;
		len = separated ? separated : 1;
		wk_buf_add(to, rest.at, len);
		is_start = separated || !is_word(rest.at[0]);
	}
}

/* ---- command lines */

static size_t past_quote(struct wk_str text, size_t at)
{
	const char *end = memchr(text.at + at + 1, text.at[at], text.len - at - 1);

	return end ? (size_t)(end - text.at) + 1 : 0;
}

/* The first word; with its quotes, if it is in quotes that end. */
static size_t program_length(struct wk_str command)
{
	size_t len = 0;

	if (command.len && is_one_of(command.at[0], "\"'"))
		len = past_quote(command, 0);
	while (len < command.len && !is_blank(command.at[len]))
		len++;
	return len;
}

/* Of what is assigned, which may have quotes anywhere; of quotes that do not end, all. */
static size_t value_length(struct wk_str command)
{
	size_t len = 0;

	while (len < command.len && !is_blank(command.at[len])) {
		if (is_one_of(command.at[len], "\"'")) {
			len = past_quote(command, len);
			if (!len)
				return command.len;
		} else {
			len += command.at[len] == '\\' && len + 1 < command.len ? 2 : 1;
		}
	}
	return len;
}

/* The name behind --crate-name; empty if there is none. */
static struct wk_str crate_of(struct wk_str command)
{
	size_t len = 0;

	for (size_t i = 0; i < command.len; i++) {
		struct wk_str rest = wk_str_skip(command, i + 1);

		if (!is_blank(command.at[i]) || !wk_str_accept(&rest, "--crate-name") ||
		    !rest.len || !(is_blank(rest.at[0]) || rest.at[0] == '='))
			continue;
		rest = wk_str_skip(rest, 1);
		while (len < rest.len && is_identifier(rest.at[len]))
			len++;
		return wk_str_of(rest.at, len);
	}
	return wk_str_c("");
}

void wk_redact_command(const struct wk_redaction *redaction, struct wk_str command,
		       struct wk_buf *to)
{
	struct wk_str crate = crate_of(command);
	size_t len;

	while ((len = assigned_length(command)) > 0) {
		wk_redact_plain(redaction, wk_str_of(command.at, len), to);
		wk_buf_add_text(to, "...");
		command = wk_str_skip(command, len);
		command = wk_str_skip(command, value_length(command));
		while (command.len && is_blank(command.at[0]))
			command = wk_str_skip(command, 1);
		wk_buf_add_text(to, command.len ? " " : "");
	}
	len = program_length(command);
	wk_redact_plain(redaction, wk_str_of(command.at, len), to);
	if (crate.len) {
		wk_buf_add_text(to, " --crate-name ");
		wk_redact_plain(redaction, crate, to);
	}
	wk_buf_add_text(to, len < command.len ? " ..." : "");
}

/* ---- JSON */

struct reader {
	struct wk_str key;   /* of the value that follows */
	struct wk_str title; /* what a row of the table of the system is about */
	bool is_of_wick;     /* columns, kinds of code and presets, by whose names the page works */
	bool is_of_preset;   /* whose titles and labels are only shown */
	struct wk_buf plain, redacted;
};

static bool is_command(const struct reader *reader)
{
	static const char *const keys[] = { "command", "command_line", NULL };
	static const char *const titles[] = { "command line", "recorded", "arguments", "command",
					      "environment", NULL };

	return wk_str_is_one_of(reader->key, keys) ||
	       (wk_str_is(reader->key, "value") && wk_str_is_one_of(reader->title, titles));
}

static bool is_structure(const struct reader *reader)
{
	static const char *const keys[] = { "unit", "kind", "key", "row", "group", "table",
					    "cause", "wick", NULL };
	static const char *const shown[] = { "title", "label", "summary", NULL };

	if (reader->is_of_preset && wk_str_is_one_of(reader->key, shown))
		return false;
	return reader->is_of_wick || wk_str_is_one_of(reader->key, keys);
}

static void read_key(struct reader *reader, struct wk_str key)
{
	static const char *const starts[] = { "columns", "kinds", "presets", NULL };
	static const char *const ends[] = { "rows", "lacks", NULL };

	reader->key = key;
	if (wk_str_is_one_of(key, starts)) {
		reader->is_of_wick = true;
		reader->is_of_preset = wk_str_is(key, "presets");
	} else if (wk_str_is_one_of(key, ends)) {
		reader->is_of_wick = reader->is_of_preset = false;
	}
}

/* The length of a string up to its closing quote. */
static size_t string_length(struct wk_str text)
{
	size_t len = 0;

	while (len < text.len && text.at[len] != '"')
		len += text.at[len] == '\\' && len + 1 < text.len ? 2 : 1;
	return len;
}

static uint32_t hex_number(struct wk_str digits)
{
	uint32_t number = 0;

	for (size_t i = 0; i < digits.len; i++) {
		char c = wk_lower(digits.at[i]);

		number = number * 16 + (uint32_t)(is_digit(c) ? c - '0' : c - 'a' + 10);
	}
	return number;
}

/* As wk_out_json escapes it. */
static void unescape_json(struct wk_str text, struct wk_buf *to)
{
	while (text.len) {
		bool is_escape = text.at[0] == '\\' && text.len > 1;
		char c = text.at[is_escape];

		if (is_escape && c == 'u' && text.len >= 6) {
			wk_utf8_add(to, hex_number(wk_str_of(text.at + 2, 4)));
			text = wk_str_skip(text, 6);
			continue;
		}
		wk_buf_add_char(to, is_escape && c == 'n'   ? '\n'
				    : is_escape && c == 't' ? '\t'
							    : c);
		text = wk_str_skip(text, is_escape ? 2 : 1);
	}
}

static void redact_string(const struct wk_redaction *redaction, struct reader *reader,
			  struct wk_str text, struct wk_out *out)
{
	if (wk_str_is(reader->key, "key"))
		reader->title = text;
	if (is_structure(reader)) {
		wk_out_str(out, text);
		return;
	}
	wk_buf_reset(&reader->plain);
	wk_buf_reset(&reader->redacted);
	unescape_json(text, &reader->plain);
	(is_command(reader) ? wk_redact_command : wk_redact_plain)(
		redaction, wk_buf_str(&reader->plain), &reader->redacted);
	wk_out_json(out, wk_buf_str(&reader->redacted));
}

void wk_redact_json(const struct wk_redaction *redaction, struct wk_str json, struct wk_buf *to)
{
	struct wk_out out = wk_out_to_buf(to);
	struct reader reader = { 0 };
	struct wk_str between, text;

	while (wk_str_split(json, '"', &between, &json)) {
		wk_out_str(&out, between);
		wk_out_char(&out, '"');
		text = wk_str_of(json.at, string_length(json));
		json = wk_str_skip(json, text.len + 1);
		if (wk_str_starts(json, ":")) {
			read_key(&reader, text);
			wk_out_str(&out, text);
		} else {
			redact_string(redaction, &reader, text, &out);
		}
		wk_out_char(&out, '"');
	}
	wk_out_str(&out, between);
	wk_out_end(&out);
	WK_BUF_FINI_ALL(&reader.plain, &reader.redacted);
}

/* ---- HTML */

/* As wk_out_xml escapes it. */
static void unescape_html(struct wk_str text, struct wk_buf *to)
{
	static const struct {
		const char *escape;
		char plain;
	} escapes[] = { { "&lt;", '<' },
			{ "&gt;", '>' },
			{ "&amp;", '&' },
			{ "&quot;", '"' },
			{ "&#39;", '\'' } };

	while (text.len) {
		char c = text.at[0];
		size_t len = 1;

		for (size_t i = 0; i < sizeof(escapes) / sizeof(escapes[0]) && c == '&'; i++)
			if (wk_str_starts(text, escapes[i].escape)) {
				c = escapes[i].plain;
				len = strlen(escapes[i].escape);
				break;
			}
		wk_buf_add_char(to, c);
		text = wk_str_skip(text, len);
	}
}

void wk_redact_text(const struct wk_redaction *redaction, struct wk_str html, struct wk_buf *to)
{
	struct wk_out out = wk_out_to_buf(to);
	struct wk_buf plain = { 0 }, redacted = { 0 };
	struct wk_str text, tag;

	while (html.len) {
		bool is_tag = wk_str_split(html, '<', &text, &html);

		wk_buf_reset(&plain);
		wk_buf_reset(&redacted);
		unescape_html(text, &plain);
		wk_redact_plain(redaction, wk_buf_str(&plain), &redacted);
		wk_out_xml(&out, wk_buf_str(&redacted));
		if (!is_tag)
			break;
		wk_str_split(html, '>', &tag, &html);
		wk_out_char(&out, '<');
		wk_out_str(&out, tag);
		wk_out_char(&out, '>');
	}
	wk_out_end(&out);
	WK_BUF_FINI_ALL(&plain, &redacted);
}
