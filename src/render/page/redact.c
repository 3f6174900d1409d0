#include "render/page/redact.h"

#include <string.h>

#include "base/mem.h"

#define MOST_NAMES 256 /* a recording with more is of a server with very many accounts */
#define LEAST_NAME 2   /* characters: shorter ones would be found everywhere */

static bool is_word(char c)
{
	return (c >= '0' && c <= '9') || (wk_lower(c) >= 'a' && wk_lower(c) <= 'z') || c == '_' ||
	       (unsigned char)c >= 0x80;
}

/* ---- names */

/* Those that each system has name no person. */
static bool is_of_system(struct wk_str name)
{
	static const char *const names[] = { "root", "system", "public", "default", "all users",
					     "local service", "network service", "nt authority",
					     "localhost", "user", "host" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (wk_str_eq_any_case(name, wk_str_c(names[i])))
			return true;
	return false;
}

static void add_name(struct wk_redaction *redaction, struct wk_str name, bool is_host)
{
	if (name.len < LEAST_NAME || redaction->count >= MOST_NAMES || is_of_system(name))
		return;
	for (size_t i = 0; i < redaction->count; i++)
		if (wk_str_eq_any_case(redaction->names[i].name, name))
			return;
	*WK_APPEND(redaction->names, redaction->count, redaction->cap) =
		(struct wk_redacted_name){ name, is_host };
}

static bool is_separator(char c)
{
	return c == '/' || c == '\\';
}

static size_t until(struct wk_str text, const char *ends)
{
	size_t len = 0;

	while (len < text.len && text.at[len] && !strchr(ends, text.at[len]))
		len++;
	return len;
}

/* How long the name of a home directory is. On Windows it may have spaces: then another separator
 * ends it. */
static size_t home_length(struct wk_str rest, bool may_have_spaces)
{
	size_t len = until(rest, "/\\\"'<>|:;,()\n\r\t");

	if (may_have_spaces && len < rest.len && is_separator(rest.at[len]))
		return len;
	return until(rest, "/\\\"'<>|:;,()\n\r\t ");
}

/* Does the text continue with "/home/", "/Users/" or "\Users\"? Then `len` gets the length of that.
 * In JSON, a backslash is two. */
static bool is_home(struct wk_str text, size_t *len, bool *is_windows)
{
	static const char *const folders[] = { "home", "users", "documents and settings" };
	size_t at = 0;

	while (at < text.len && is_separator(text.at[at]))
		at++;
	if (!at || at > 2)
		return false;
	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
		struct wk_str rest = wk_str_skip(text, at), folder = wk_str_c(folders[i]);
		size_t end = folder.len;

		if (rest.len <= end || !wk_str_eq_any_case(wk_str_of(rest.at, end), folder) ||
		    !is_separator(rest.at[end]))
			continue;
		*is_windows = rest.at[end] == '\\';
		while (end < rest.len && is_separator(rest.at[end]) && end < folder.len + 2)
			end++;
		*len = at + end;
		return true;
	}
	return false;
}

static void add_homes(struct wk_redaction *redaction, struct wk_str text)
{
	bool is_windows;
	size_t len;

	for (size_t i = 0; i < text.len; i++) {
		struct wk_str rest = wk_str_skip(text, i);

		if (!is_separator(text.at[i]) || !is_home(rest, &len, &is_windows))
			continue;
		rest = wk_str_skip(rest, len);
		add_name(redaction, wk_str_of(rest.at, home_length(rest, is_windows)), false);
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

static void add_host(struct wk_redaction *redaction, struct wk_str host)
{
	struct wk_str first, rest;

	add_name(redaction, host, true);
	if (wk_str_split(host, '.', &first, &rest))
		add_name(redaction, first, true);
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
		else
			add_homes(redaction, value);
	}
}

void wk_redaction_add(struct wk_redaction *redaction, const struct wk_model *model)
{
	add_facts(redaction, model);
	for (uint32_t i = 1; i < model->process_count; i++) {
		add_owner(redaction, wk_model_str(model, model->processes[i].user));
		add_homes(redaction, wk_model_str(model, model->processes[i].command_line));
	}
	for (uint32_t i = 1; i < model->image_count; i++)
		add_homes(redaction, wk_model_str(model, model->images[i].path));
	for (uint32_t i = 1; i < model->function_count; i++)
		add_homes(redaction, wk_model_str(model, model->functions[i].file));
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

	for (size_t i = 0; i < redaction->count; i++) {
		const struct wk_redacted_name *name = &redaction->names[i];
		size_t len = name->name.len;

		if (text.len >= len && wk_lower(text.at[0]) == wk_lower(name->name.at[0]) &&
		    (text.len == len || !is_word(text.at[len])) &&
		    wk_str_eq_any_case(wk_str_of(text.at, len), name->name) &&
		    (!found || len > found->name.len))
			found = name;
	}
	return found;
}

/* "S-1-5-21-...": the numbers are those of a machine and an account. 0: the text is none. */
static size_t account_length(struct wk_str text)
{
	size_t len = strlen("S-1-5-21-");

	if (!wk_str_starts(text, "S-1-5-21-"))
		return 0;
	while (len < text.len &&
	       (text.at[len] == '-' || (text.at[len] >= '0' && text.at[len] <= '9')))
		len++;
	return len;
}

/* What is replaced at the start of the text, which is where a word may begin; 0: nothing is. */
static size_t replace(const struct wk_redaction *redaction, struct wk_str text, struct wk_buf *to)
{
	const struct wk_redacted_name *name;
	bool is_windows;
	size_t len;

	if (is_home(text, &len, &is_windows)) {
		size_t home = home_length(wk_str_skip(text, len), is_windows);

		wk_buf_add(to, text.at, len);
		wk_buf_add_text(to, home ? "user" : "");
		return len + home;
	}
	len = account_length(text);
	if (len) {
		wk_buf_add_text(to, "S-1-5-21-0");
		return len;
	}
	name = name_at(redaction, text);
	if (!name)
		return 0;
	wk_buf_add_text(to, name->is_host ? "host" : "user");
	return name->name.len;
}

/* An escape sequence of JSON, whose last letter belongs to no word. */
static size_t escape_length(struct wk_str text)
{
	size_t len = text.len > 1 && text.at[1] == 'u' ? 6 : 2;

	return len < text.len ? len : text.len;
}

static void redact(const struct wk_redaction *redaction, struct wk_str text, bool is_json,
		   struct wk_buf *to)
{
	bool is_start = true;

	for (size_t i = 0, len; i < text.len; i += len) {
		struct wk_str rest = wk_str_skip(text, i);

		len = is_start || is_separator(rest.at[0]) ? replace(redaction, rest, to) : 0;
		is_start = true;
		if (len)
			continue;
		len = is_json && rest.at[0] == '\\' ? escape_length(rest) : 1;
		wk_buf_add(to, rest.at, len);
		is_start = len > 1 || !is_word(rest.at[0]);
	}
}

void wk_redact_text(const struct wk_redaction *redaction, struct wk_str text, struct wk_buf *to)
{
	redact(redaction, text, false, to);
}

/* ---- command lines */

/* The first word with its quotes. In JSON, a quote is escaped. */
static size_t program_length(struct wk_str command)
{
	struct wk_str end = wk_str_starts(command, "\\\"") ? wk_str_c("\\\"")
			    : wk_str_starts(command, "'")  ? wk_str_c("'")
							   : wk_str_c(" ");
	size_t at = end.at[0] == ' ' ? 0 : end.len;

	while (at + end.len <= command.len && memcmp(command.at + at, end.at, end.len) != 0)
		at++;
	if (at + end.len > command.len)
		return command.len;
	return end.at[0] == ' ' ? at : at + end.len;
}

/* The name behind --crate-name; empty if there is none. */
static struct wk_str crate_of(struct wk_str command)
{
	static const char option[] = " --crate-name";
	size_t option_len = sizeof(option) - 1, len = 0;

	for (size_t i = 0; i + option_len < command.len; i++) {
		struct wk_str rest = wk_str_skip(command, i);

		if (!wk_str_starts(rest, option))
			continue;
		rest = wk_str_skip(rest, option_len + 1); /* a space or '=' */
		while (len < rest.len && is_word(rest.at[len]))
			len++;
		return wk_str_of(rest.at, len);
	}
	return wk_str_c("");
}

static void redact_command(const struct wk_redaction *redaction, struct wk_str command,
			   struct wk_buf *to)
{
	size_t len = program_length(command);
	struct wk_str crate = crate_of(command);

	redact(redaction, wk_str_of(command.at, len), true, to);
	if (crate.len) {
		wk_buf_add_text(to, " --crate-name ");
		redact(redaction, crate, true, to);
	}
	wk_buf_add_text(to, len < command.len ? " ..." : "");
}

/* ---- JSON */

struct reader {
	struct wk_str key;   /* of the value that follows */
	struct wk_str title; /* what a row of the table of the system is about */
};

static bool is_command(const struct reader *reader)
{
	static const char *const keys[] = { "command", "command_line", NULL };
	static const char *const titles[] = { "command line", "recorded", "arguments", "command",
					      "environment", NULL };

	return wk_str_is_one_of(reader->key, keys) ||
	       (wk_str_is(reader->key, "value") && wk_str_is_one_of(reader->title, titles));
}

/* The length of a string up to its closing quote. */
static size_t string_length(struct wk_str text)
{
	size_t len = 0;

	while (len < text.len && text.at[len] != '"')
		len += text.at[len] == '\\' && len + 1 < text.len ? 2 : 1;
	return len;
}

static void redact_string(const struct wk_redaction *redaction, struct reader *reader,
			  struct wk_str text, bool is_key, struct wk_buf *to)
{
	if (is_key) {
		reader->key = text;
		wk_buf_add_str(to, text);
		return;
	}
	if (wk_str_is(reader->key, "key"))
		reader->title = text;
	if (is_command(reader))
		redact_command(redaction, text, to);
	else
		redact(redaction, text, true, to);
}

void wk_redact_json(const struct wk_redaction *redaction, struct wk_str json, struct wk_buf *to)
{
	struct reader reader = { 0 };

	while (json.len) {
		struct wk_str plain, text;

		if (!wk_str_split(json, '"', &plain, &json)) {
			wk_buf_add_str(to, plain);
			return;
		}
		wk_buf_add_str(to, plain);
		wk_buf_add_char(to, '"');
		text = wk_str_of(json.at, string_length(json));
		json = wk_str_skip(json, text.len + 1);
		redact_string(redaction, &reader, text, wk_str_starts(json, ":"), to);
		wk_buf_add_char(to, '"');
	}
}
