#include "views/filter/preset_json.h"

#include "base/num.h"
#include "base/text/json.h"
#include "base/text/pattern.h"
#include "base/text/suggest.h"
#include "base/text/utf8.h"
#include "views/filter/expression.h"
#include "views/tree/annotations.h"
#include "views/tree/grouping.h"

#define MOST_TEXT_BYTES 8000
#define MOST_TABS       32
#define MOST_VIEWS      32

struct reading;

/* A key of an object, and the field of a struct for its value: const char *, bool, double, or the
 * address of the first of several structs. */
struct key {
	const char *name;
	enum wk_json_kind kind;
	size_t at;
	const char *what; /* for errors: what is expected */
	/* Fills `why` if the text is wrong. */
	bool (*is_right)(const char *text, struct wk_err *why);
	const struct object *of; /* of a list: its elements */
	size_t count_at;
};

struct object {
	const struct key *keys; /* the last one has no name */
	size_t size, most;
	/* What is missing; NULL: nothing. */
	const char *(*lacks)(const void *object);
};

struct reading {
	struct wk_json json;
	struct wk_arena *arena;
	struct wk_err *err;
};

/* ---- what is expected of texts */

static bool is_group(const char *text, struct wk_err *why)
{
	struct wk_grouping grouping;

	return wk_grouping_read(&grouping, wk_str_c(text), why);
}

static bool is_filter(const char *text, struct wk_err *why)
{
	struct wk_expr expr;

	if (!wk_expr_read(&expr, wk_str_c(text), why))
		return false;
	wk_expr_fini(&expr);
	return true;
}

static bool is_pattern(const char *text, struct wk_err *why)
{
	const char *cause;
	struct wk_pattern *pattern = wk_pattern_new(text, false, &cause);

	if (!pattern)
		return wk_fail(why, WK_EFORMAT, WK_NOWHERE, "pattern \"%s\": %s", text, cause);
	wk_pattern_free(pattern);
	return true;
}

/* "unknown WHAT "typed"; did you mean "near"?", or a list of what is known. */
static bool fail_unknown(const char *what, struct wk_suggestion *near, struct wk_buf *known,
			 struct wk_err *err)
{
	struct wk_buf others = { 0 };

	wk_buf_add_fmt(&others, "expected one of: %s", wk_buf_text(known));
	wk_fail(err, WK_EFORMAT, WK_NOWHERE, "unknown %s \"%.*s\"", what, WK_STR_ARG(near->typed));
	wk_suggestion_add(near, wk_buf_text(&others), err);
	WK_BUF_FINI_ALL(&others, known);
	return false;
}

static void add_known(const char *name, struct wk_suggestion *near, struct wk_buf *known)
{
	wk_suggestion_try(near, name);
	wk_buf_add_fmt(known, "%s%s", known->len ? ", " : "", name);
}

static bool is_tab(const char *text, struct wk_err *why)
{
	struct wk_suggestion near = wk_suggestion_for(wk_str_c(text));
	struct wk_buf known = { 0 };

	for (size_t i = 0; wk_preset_tab_names[i]; i++)
		if (wk_str_is(wk_str_c(text), wk_preset_tab_names[i]))
			return true;
	for (size_t i = 0; wk_preset_tab_names[i]; i++)
		add_known(wk_preset_tab_names[i], &near, &known);
	return fail_unknown("tab", &near, &known, why);
}

/* ---- the objects */

#define TEXT(type, key, field, what, is_right) \
	{ key, WK_JSON_STRING, offsetof(type, field), what, is_right, NULL, 0 }
#define FLAG(type, key, field) \
	{ key, WK_JSON_BOOL, offsetof(type, field), "true or false", NULL, NULL, 0 }
#define LIST(type, key, field, count, of) \
	{ key, WK_JSON_ARRAY, offsetof(type, field), "a list", NULL, of, offsetof(type, count) }

static const struct key view_keys[] = {
	TEXT(struct wk_preset_view, "title", title, "a text", NULL),
	TEXT(struct wk_preset_view, "event", source, "the name of an event", NULL),
	TEXT(struct wk_preset_view, "group", group, "columns such as \"process,stack\"", is_group),
	FLAG(struct wk_preset_view, "outstanding", outstanding),
	FLAG(struct wk_preset_view, "inverted", inverted),
	{ 0 },
};

static const struct object views = { view_keys, sizeof(struct wk_preset_view), MOST_VIEWS, NULL };

static const struct key tab_keys[] = {
	TEXT(struct wk_preset_tab, "tab", tab, "the name of a tab", is_tab),
	TEXT(struct wk_preset_tab, "title", title, "a text", NULL),
	LIST(struct wk_preset_tab, "views", views, view_count, &views),
	{ 0 },
};

static const char *tab_lacks(const void *object)
{
	return ((const struct wk_preset_tab *)object)->tab ? NULL : "the key \"tab\"";
}

static const struct object tabs = { tab_keys, sizeof(struct wk_preset_tab), MOST_TABS, tab_lacks };

static const struct key rule_keys[] = {
	TEXT(struct wk_annotation_rule, "label", label, "a text", NULL),
	TEXT(struct wk_annotation_rule, "function", function, "a pattern", is_pattern),
	TEXT(struct wk_annotation_rule, "module", module, "a pattern", is_pattern),
	{ 0 },
};

static const char *rule_lacks(const void *object)
{
	const struct wk_annotation_rule *rule = object;

	if (!rule->label)
		return "the key \"label\"";
	return rule->function || rule->module ? NULL : "the key \"function\" or \"module\"";
}

static const struct object rules = { rule_keys, sizeof(struct wk_annotation_rule),
				     WK_ANNOTATIONS_MOST, rule_lacks };

static const struct key group_keys[] = {
	TEXT(struct wk_annotation_rule, "label", label, "a text", NULL),
	TEXT(struct wk_annotation_rule, "function", function, "a pattern", is_pattern),
	{ 0 },
};

static const char *group_lacks(const void *object)
{
	const struct wk_annotation_rule *group = object;

	return !group->label     ? "the key \"label\""
	       : group->function ? NULL
				 : "the key \"function\"";
}

static const struct object groups = { group_keys, sizeof(struct wk_annotation_rule),
				      WK_ANNOTATIONS_MOST, group_lacks };

static const struct key preset_keys[] = {
	TEXT(struct wk_preset, "name", name, "a text", NULL),
	TEXT(struct wk_preset, "title", title, "a text", NULL),
	TEXT(struct wk_preset, "summary", summary, "a text", NULL),
	TEXT(struct wk_preset, "filter", filter, "an expression as for --filter", is_filter),
	TEXT(struct wk_preset, "event", view.source, "the name of an event", NULL),
	TEXT(struct wk_preset, "group", view.group, "columns such as \"process,stack\"", is_group),
	FLAG(struct wk_preset, "outstanding", view.outstanding),
	FLAG(struct wk_preset, "inverted", view.inverted),
	{ "min", WK_JSON_NUMBER, offsetof(struct wk_preset, min_percent),
	  "a number of percent from 0 to 100", NULL, NULL, 0 },
	LIST(struct wk_preset, "tabs", tabs, tab_count, &tabs),
	LIST(struct wk_preset, "annotations", rules, rule_count, &rules),
	LIST(struct wk_preset, "groups", groups, group_count, &groups),
	{ 0 },
};

static const struct object preset = { preset_keys, sizeof(struct wk_preset), 1, NULL };

/* ---- reading */

/* Puts "line N" in front of the sentence. */
static bool fail_at(struct reading *r, const uint8_t *at, const char *sentence)
{
	struct wk_buf place = { 0 };
	unsigned line = 1;

	for (const uint8_t *c = r->json.start; c < at; c++)
		line += *c == '\n';
	wk_buf_add_fmt(&place, "line %u", line);
	wk_fail(r->err, WK_EFORMAT, WK_NOWHERE, "%s", sentence);
	wk_err_in(r->err, wk_buf_text(&place));
	wk_buf_fini(&place);
	return false;
}

static bool fail_key(struct reading *r, const struct key *key, const uint8_t *at,
		     const char *sentence)
{
	struct wk_buf text = { 0 };

	wk_buf_add_fmt(&text, "\"%s\": %s", key->name, sentence);
	fail_at(r, at, wk_buf_text(&text));
	wk_buf_fini(&text);
	return false;
}

static bool fail_value(struct reading *r, const struct key *key, const uint8_t *at)
{
	struct wk_buf text = { 0 };

	wk_buf_add_fmt(&text, "expected %s", key->what);
	fail_key(r, key, at, wk_buf_text(&text));
	wk_buf_fini(&text);
	return false;
}

/* A value as it is written. */
static struct wk_str raw_value(struct reading *r)
{
	struct wk_json value = wk_json_value(&r->json);
	struct wk_str text = wk_str_of((const char *)value.at, (size_t)(value.end - value.at));

	wk_json_end(&value, NULL);
	return text;
}

static bool read_text(struct reading *r, const struct key *key, const char **value)
{
	const uint8_t *at = r->json.at;
	struct wk_str text = wk_json_text(&r->json);
	struct wk_err why = { 0 };

	if (text.len == 0)
		return fail_value(r, key, at);
	if (text.len > MOST_TEXT_BYTES || !wk_utf8_is_text(text))
		return fail_key(r, key, at, "the text is too long, or not UTF-8 without NULs");
	*value = wk_arena_copy(r->arena, text).at;
	return !key->is_right || key->is_right(*value, &why) || fail_key(r, key, at, why.text);
}

static bool read_flag(struct reading *r, const struct key *key, bool *value)
{
	const uint8_t *at = r->json.at;
	struct wk_str word = raw_value(r);

	*value = wk_str_is(word, "true");
	return *value || wk_str_is(word, "false") || fail_value(r, key, at);
}

static bool read_percent(struct reading *r, const struct key *key, double *value)
{
	const uint8_t *at = r->json.at;

	return (wk_num_real(raw_value(r), value) && *value >= 0 && *value <= 100) ||
	       fail_value(r, key, at);
}

static bool read_object(struct reading *r, const struct object *object, void *value);

static bool read_list(struct reading *r, const struct key *key, void *owner)
{
	const struct object *of = key->of;
	size_t count = 0, cap = 0;
	char *at = NULL;

	wk_json_enter_array(&r->json);
	while (wk_json_next_element(&r->json)) {
		if (wk_json_peek(&r->json) != WK_JSON_OBJECT)
			return fail_key(r, key, r->json.at, "expected an object in the list");
		if (count == of->most)
			return fail_key(r, key, r->json.at, "the list is too long");
		at = wk_arena_grow(r->arena, at, count, &cap, of->size);
		memset(at + count * of->size, 0, of->size);
		if (!read_object(r, of, at + count++ * of->size))
			return false;
	}
	memcpy((char *)owner + key->at, &at, sizeof(at));
	memcpy((char *)owner + key->count_at, &count, sizeof(count));
	return true;
}

static bool read_value(struct reading *r, const struct key *key, void *owner)
{
	char *value = (char *)owner + key->at;

	if (wk_json_peek(&r->json) != key->kind)
		return fail_value(r, key, r->json.at);
	switch (key->kind) {
	case WK_JSON_STRING:
		return read_text(r, key, (const char **)(void *)value);
	case WK_JSON_BOOL:
		return read_flag(r, key, (bool *)value);
	case WK_JSON_NUMBER:
		return read_percent(r, key, (double *)(void *)value);
	default:
		return read_list(r, key, owner);
	}
}

static bool fail_unknown_key(struct reading *r, const struct key *keys, struct wk_str name,
			     const uint8_t *at)
{
	struct wk_suggestion near = wk_suggestion_for(name);
	struct wk_buf known = { 0 };
	struct wk_err why = { 0 };

	for (; keys->name; keys++)
		add_known(keys->name, &near, &known);
	fail_unknown("key", &near, &known, &why);
	return fail_at(r, at, why.text);
}

/* The tables of keys set how deep this nests. */
static bool read_object(struct reading *r, const struct object *object, void *value)
{
	const uint8_t *from = r->json.at;
	const char *lacks = NULL;
	struct wk_buf sentence = { 0 };
	struct wk_str name;

	wk_json_enter_object(&r->json);
	while (wk_json_next_key(&r->json, &name)) {
		const struct key *key = object->keys;

		while (key->name && !wk_str_is(name, key->name))
			key++;
		if (!key->name)
			return fail_unknown_key(r, object->keys, name, r->json.at);
		if (!read_value(r, key, value))
			return false;
	}
	if (object->lacks && !r->json.expected && !r->json.is_cut)
		lacks = object->lacks(value);
	if (!lacks)
		return true;
	wk_buf_add_fmt(&sentence, "expected %s in the object", lacks);
	fail_at(r, from, wk_buf_text(&sentence));
	wk_buf_fini(&sentence);
	return false;
}

/* After the object there are blanks only. */
static bool check_end(struct reading *r)
{
	struct wk_json *json = &r->json;
	struct wk_buf sentence = { 0 };

	if (json->expected) {
		wk_buf_add_fmt(&sentence, "expected %s", json->expected);
		fail_at(r, json->start + json->fault_offset, wk_buf_text(&sentence));
		wk_buf_fini(&sentence);
		return false;
	}
	if (json->is_cut)
		return fail_at(r, json->at, "expected }, but the file ends here");
	while (json->at < json->end && *json->at <= ' ')
		json->at++;
	return json->at == json->end || fail_at(r, json->at, "expected nothing after the object");
}

bool wk_preset_json_read(struct wk_preset_json *json, struct wk_str text, struct wk_err *err)
{
	struct reading r = { .json = wk_json_of(wk_bytes_of(text.at, text.len)),
			     .arena = &json->arena, .err = err };
	bool ok;

	*json = (struct wk_preset_json){ 0 };
	if (wk_json_peek(&r.json) != WK_JSON_OBJECT)
		ok = fail_at(&r, r.json.at, "expected { and the keys of a preset");
	else
		ok = read_object(&r, &preset, &json->preset) && check_end(&r);
	wk_json_end(&r.json, NULL);
	if (!ok)
		wk_preset_json_fini(json);
	return ok;
}

void wk_preset_json_fini(struct wk_preset_json *json)
{
	wk_arena_fini(&json->arena);
	*json = (struct wk_preset_json){ 0 };
}

/* ---- writing */

static void write_object(const struct object *object, const char *value, unsigned depth,
			 struct wk_out *out);

static void write_list(const struct key *key, const char *at, size_t count, unsigned depth,
		       struct wk_out *out)
{
	wk_out_char(out, '[');
	for (size_t i = 0; i < count; i++) {
		wk_out_fmt(out, "%s\n%*s", i ? "," : "", (int)depth * 2 + 2, "");
		write_object(key->of, at + i * key->of->size, depth + 1, out);
	}
	wk_out_fmt(out, "\n%*s]", (int)depth * 2, "");
}

/* Of a text or a list, whatever its elements are. */
static const char *pointer_at(const char *field)
{
	const char *pointer;

	memcpy(&pointer, field, sizeof(pointer));
	return pointer;
}

/* Values that are not there, false and 0 are left out. */
static bool is_set(const struct key *key, const char *owner)
{
	const void *value = owner + key->at;

	if (key->kind == WK_JSON_BOOL)
		return *(const bool *)value;
	return key->kind == WK_JSON_NUMBER ? *(const double *)value > 0 : pointer_at(value) != NULL;
}

static void write_value(const struct key *key, const char *owner, unsigned depth,
			struct wk_out *out)
{
	const void *value = owner + key->at;

	switch (key->kind) {
	case WK_JSON_STRING:
		wk_out_json_quoted(out, wk_str_c(pointer_at(value)));
		break;
	case WK_JSON_BOOL:
		wk_out_text(out, "true");
		break;
	case WK_JSON_NUMBER:
		wk_out_fmt(out, "%g", *(const double *)value);
		break;
	default:
		write_list(key, pointer_at(value),
			   *(const size_t *)(const void *)(owner + key->count_at), depth, out);
	}
}

/* The outermost has a line for each key, the others are on one line but for their lists. */
static void write_object(const struct object *object, const char *value, unsigned depth,
			 struct wk_out *out)
{
	const char *between = depth ? " " : "\n  ";

	wk_out_char(out, '{');
	for (const struct key *key = object->keys; key->name; key++) {
		if (!is_set(key, value))
			continue;
		wk_out_fmt(out, "%s\"%s\": ", between, key->name);
		write_value(key, value, depth ? depth : 1, out);
		between = depth ? ", " : ",\n  ";
	}
	wk_out_text(out, depth ? " }" : "\n}");
}

void wk_preset_json_write(const struct wk_preset *written, struct wk_out *out)
{
	write_object(&preset, (const char *)written, 0, out);
	wk_out_char(out, '\n');
}
