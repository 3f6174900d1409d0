#include "names/short_name.h"

#include "names/spelling.h"

#define NOT_THERE   SIZE_MAX
#define MOST_NESTED 8 /* "<<<A as B>::C as D>::E as F>::g" */

static bool is_name_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_' || c == ':' || (c & 0x80);
}

size_t wk_characters(struct wk_str text)
{
	size_t count = 0;

	for (size_t i = 0; i < text.len; i++)
		count += (text.at[i] & 0xc0) != 0x80;
	return count;
}

static struct wk_str rest_of(const struct wk_buf *name, size_t i)
{
	return wk_str_skip(wk_buf_str(name), i);
}

static void replace(struct wk_buf *name, struct wk_buf *with)
{
	wk_buf_fini(name);
	*name = *with;
}

/* --- Tidy ---------------------------------------------------------------------------------- */

/* The length of "std::basic_string<char, std::char_traits<char>, std::allocator<char> >" and the
 * like, whose short name is added. 0 if there is none. */
static size_t read_standard(struct wk_str rest, struct wk_buf *tidy)
{
	static const char *const words[] = { "string<", "string_view<", "ostream<", "istream<" };
	size_t len = rest.len, word = 0;

	if (!wk_str_accept(&rest, "std::basic_"))
		return 0;
	while (word < 4 && !wk_str_accept(&rest, words[word]))
		word++;
	if (word == 4 || !wk_str_accept(&rest, "char, std::char_traits<char>"))
		return 0;
	wk_str_accept(&rest, ", std::allocator<char>");
	wk_str_accept(&rest, " ");
	if (!wk_str_accept(&rest, ">"))
		return 0;
	wk_buf_add_fmt(tidy, "std::%.*s", (int)strlen(words[word]) - 1, words[word]);
	return len - rest.len;
}

/* "{{closure}}", "{closure#0}" and "{lambda(int)#1}" become one word. */
static size_t read_braces(struct wk_str rest, struct wk_buf *tidy, bool *is_broken)
{
	size_t close, from = 0, to;

	if (*is_broken)
		return 0;
	close = wk_bracket_end(rest, 0, '{', '}');
	*is_broken = close == NOT_THERE;
	if (*is_broken)
		return 0;
	while (rest.at[from] == '{')
		from++;
	for (to = from; to < close; to++)
		if (rest.at[to] == '(' || rest.at[to] == '#' || rest.at[to] == '{' ||
		    rest.at[to] == '}')
			break;
	wk_buf_add_char(tidy, '{');
	wk_buf_add(tidy, rest.at + from, to - from);
	wk_buf_add_char(tidy, '}');
	return close + 1;
}

static size_t skip_digits(struct wk_str rest, size_t at)
{
	while (at < rest.len && rest.at[at] >= '0' && rest.at[at] <= '9')
		at++;
	return at;
}

/* What clang and LLVM call lambdas: "$_0" and "'lambda0'(int)". */
static size_t read_lambda(struct wk_str rest, struct wk_buf *tidy, bool *is_broken)
{
	size_t at = 0, close;

	if (wk_str_starts(rest, "$_") && wk_str_ends(wk_buf_str(tidy), "::")) {
		at = skip_digits(rest, 2);
	} else if (wk_str_starts(rest, "'lambda") && !*is_broken) {
		at = skip_digits(rest, 7);
		if (at == rest.len || rest.at[at++] != '\'')
			return 0;
		if (at < rest.len && rest.at[at] == '(') {
			close = wk_bracket_end(rest, at, '(', ')');
			*is_broken = close == NOT_THERE;
			at = *is_broken ? at : close + 1;
		}
	}
	if (at > 0)
		wk_buf_add_text(tidy, "{lambda}");
	return at;
}

/* Replaces text at the start of `rest`; returns the length replaced. After an unclosed bracket no
 * more are searched for in that name: that would cost time. */
static size_t read_other(struct wk_str rest, struct wk_buf *tidy, bool *is_broken)
{
	switch (rest.at[0]) {
	case 's':
		return read_standard(rest, tidy);
	case '{':
		return read_braces(rest, tidy, is_broken);
	case '$':
	case '\'':
		return read_lambda(rest, tidy, is_broken);
	default:
		return 0;
	}
}

/* "std::__cxx11::list" is "std::list". */
static void drop_versions(struct wk_buf *name)
{
	static const char *const versions[] = { "__cxx11::", "__1::" };
	struct wk_buf kept = { 0 };

	if (!name->at || !strstr(name->at, "std::__"))
		return;
	for (size_t i = 0; i < name->len; i++) {
		if (wk_str_ends(wk_buf_str(&kept), "std::"))
			for (int v = 0; v < 2; v++)
				if (wk_str_starts(rest_of(name, i), versions[v]))
					i += strlen(versions[v]);
		if (i < name->len)
			wk_buf_add_char(&kept, name->at[i]);
	}
	replace(name, &kept);
}

/* Does "{lambda}" or "{lambda:31}" end here? */
static bool is_lambda(const struct wk_buf *kept)
{
	size_t begin = kept->len;

	while (begin && kept->at[begin - 1] != '{')
		begin--;
	return begin && kept->at[kept->len - 1] == '}' &&
	       wk_str_starts(rest_of(kept, begin), "lambda");
}

/* The length of the "::operator()" that begins at `at`, with its parameters if something is written
 * in it; 0 if there is none. */
static size_t call_length(struct wk_buf *name, size_t at, bool *is_broken)
{
	size_t end = *is_broken ? at : wk_enclosing_call_end(wk_buf_str(name), at);

	*is_broken |= end == NOT_THERE;
	if (end > at && end != NOT_THERE)
		return end - at;
	return wk_str_starts(rest_of(name, at), "::operator()") ? strlen("::operator()") : 0;
}

static void tidy(struct wk_buf *name)
{
	struct wk_buf kept = { 0 };
	bool is_broken = false;
	size_t taken;

	drop_versions(name);
	for (size_t i = 0; i < name->len; i += taken) {
		taken = read_other(rest_of(name, i), &kept, &is_broken);
		if (taken == 0) {
			wk_buf_add_char(&kept, name->at[i]);
			taken = 1;
		} else if (is_lambda(&kept)) {
			taken += call_length(name, i + taken, &is_broken);
		}
	}
	replace(name, &kept);
}

/* --- Parameters ---------------------------------------------------------------------------- */

/* Is the bracket at `i` of "operator<", "operator<<", "operator()"? In "operator<<int>(int)" the
 * second one opens arguments. */
static bool is_operator(const char *at, size_t i)
{
	return wk_str_ends(wk_str_of(at, i), "operator") ||
	       (wk_str_ends(wk_str_of(at, i), "operator<") && !is_name_char(at[i + 1]));
}

/* C++ suffixes that are useless in a narrow frame: " const&", and the number of a clone. `rest`
 * begins with a blank. */
static bool is_trailer(struct wk_str rest)
{
	static const char *const qualifiers[] = { " const", " volatile", " &&", " &", "&&", "&" };

	for (size_t i = 0; i < sizeof(qualifiers) / sizeof(qualifiers[0]); i++)
		wk_str_accept(&rest, qualifiers[i]);
	return rest.len == 0 || wk_str_starts(rest, " (.") || wk_str_starts(rest, " [clone ");
}

/* Does "operator+", "operator[]", "operator->*" ... end at `i`? */
static bool ends_operator(const struct wk_buf *name, size_t i)
{
	size_t begin = i;

	while (begin && i - begin < 3 && strchr("+-*/%^&|~!=<>,()[]", name->at[begin - 1]))
		begin--;
	return begin < i && wk_str_ends(wk_str_of(name->at, begin), "operator");
}

/* Does the '(' at `i` open parameters, rather than a tuple or "(anonymous namespace)"? */
static bool opens_parameters(const struct wk_buf *name, size_t i)
{
	char before = i ? name->at[i - 1] : 0;

	return (before == '>' || before == ')' || before == '}' || ends_operator(name, i) ||
		(before != ':' && is_name_char(before))) &&
	       !is_operator(name->at, i);
}

/* The start of the name after "void", "unsigned long", "std::vector<int> const&" ... */
static size_t begin_of_name(const struct wk_buf *name)
{
	size_t begin = 0;
	int depth = 0;

	for (size_t i = 0; i < name->len; i++) {
		int step = wk_bracket_at(wk_buf_str(name), i);

		if (depth == 0 && wk_str_starts(rest_of(name, i), "operator"))
			break;
		if (depth > 0 || step > 0)
			depth += step;
		else if (name->at[i] == ' ')
			begin = i + 1;
	}
	return begin;
}

/* Not of "non-virtual thunk to f" and "guard variable for f": those are not f. */
static void drop_result(struct wk_buf *name)
{
	size_t begin = begin_of_name(name);
	struct wk_str result = wk_str_of(name->at, begin);
	struct wk_buf kept = { 0 };

	if (begin == 0 || begin == name->len || wk_str_ends(result, " to ") ||
	    wk_str_ends(result, " for "))
		return;
	wk_buf_add_str(&kept, rest_of(name, begin));
	replace(name, &kept);
}

/* How .NET compiled a method: "[Tier0]" behind it. */
static void drop_tier(struct wk_buf *name)
{
	static const char *const tiers[] = { "[Tier0]", "[Tier1]", "[OptimizedTier1]",
					     "[OptimizedTier1OSR]", "[QuickJitted]", "[PreJIT]",
					     "[ReadyToRun]", "[Optimized]", "[MinOptJitted]",
					     "[InstrumentedTier0]", "[InstrumentedTier1]", NULL };

	for (size_t i = 0; tiers[i]; i++)
		if (wk_str_ends(wk_buf_str(name), tiers[i]))
			name->at[name->len -= strlen(tiers[i])] = '\0';
}

/* "run(llvm::Function&) const" to "run"; "operator()" stays. */
static void drop_parameters(struct wk_buf *name)
{
	struct wk_buf kept = { 0 };
	bool had_parameters = false;
	int angles = 0, open = 0;

	drop_tier(name);
	for (size_t i = 0; i < name->len; i++) {
		char c = name->at[i];

		if (!open && c == ' ' && is_trailer(rest_of(name, i)))
			break;
		if (c == '<' && !is_operator(name->at, i))
			angles++;
		else if (c == '>' && angles && name->at[i - 1] != '-')
			angles--;
		if (c == '(' && (open || (angles == 0 && opens_parameters(name, i))))
			open++;
		if (!open)
			wk_buf_add_char(&kept, c);
		if (c == ')' && open && --open == 0) {
			had_parameters = true;
			if (wk_str_starts(rest_of(name, i + 1), " const::"))
				i += strlen(" const");
		}
	}
	if (open || kept.len == 0) {
		wk_buf_fini(&kept);
		return;
	}
	replace(name, &kept);
	if (had_parameters)
		drop_result(name);
}

/* --- Self ---------------------------------------------------------------------------------- */

/* The position that closes the '<' at `open`, and the first `word` in it outside further brackets.
 * The '>' of an arrow closes nothing. */
static size_t close_of(struct wk_str name, size_t open, const char *word, size_t *word_at)
{
	size_t depth = 0;

	*word_at = NOT_THERE;
	for (size_t i = open; i < name.len; i++) {
		char c = name.at[i];

		if (c == '<' || c == '(' || c == '[')
			depth++;
		else if (c == ')' || c == ']' || (c == '>' && name.at[i - 1] != '-'))
			depth--;
		if (depth == 0)
			return c == '>' ? i : NOT_THERE;
		if (depth == 1 && *word_at == NOT_THERE &&
		    wk_str_starts(wk_str_skip(name, i), word))
			*word_at = i;
	}
	return NOT_THERE;
}

/* "T" and "&mut F" do not show which type the function belongs to. */
static bool is_any_type(struct wk_str type)
{
	static const char *const sigils[] = { "&", "*", "mut ", "const " };

	for (int i = 0; i < 4; i++)
		wk_str_accept(&type, sigils[i]);
	for (size_t i = 0; i < type.len; i++)
		if (!is_name_char(type.at[i]))
			return false;
	return type.len <= 2;
}

/* "<SELF as TRAIT>::f" to "SELF::f", or "TRAIT::f" if SELF is any type. */
static bool read_self(struct wk_buf *name)
{
	struct wk_str all = wk_buf_str(name), self, trait = { 0 };
	struct wk_buf kept = { 0 };
	size_t as, close = wk_str_starts(all, "<") ? close_of(all, 0, " as ", &as) : NOT_THERE;

	if (close == NOT_THERE || !wk_str_starts(wk_str_skip(all, close + 1), "::"))
		return false;
	self = wk_str_of(all.at + 1, (as == NOT_THERE ? close : as) - 1);
	if (as != NOT_THERE)
		trait = wk_str_of(all.at + as + 4, close - as - 4);
	wk_buf_add_str(&kept, trait.len && is_any_type(self) ? trait : self);
	wk_buf_add_str(&kept, wk_str_skip(all, close + 1));
	replace(name, &kept);
	return true;
}

/* "core::slice::<impl [T]>::iter" to "[T]::iter", "a::<impl TRAIT for TYPE>::f" to "TYPE::f". */
static void read_impl(struct wk_buf *name)
{
	struct wk_str all = wk_buf_str(name);
	struct wk_buf kept = { 0 };
	size_t open = 0, close, word;

	while (open < all.len && all.at[open] != '<')
		open++;
	if (!wk_str_starts(wk_str_skip(all, open), "<impl "))
		return;
	close = close_of(all, open, " for ", &word);
	if (close == NOT_THERE)
		return;
	word = word == NOT_THERE ? open + strlen("<impl ") : word + strlen(" for ");
	wk_buf_add(&kept, all.at + word, close - word);
	wk_buf_add_str(&kept, wk_str_skip(all, close + 1));
	replace(name, &kept);
}

static void keep_self(struct wk_buf *name)
{
	for (int i = 0; i < MOST_NESTED && read_self(name); i++)
		continue;
	read_impl(name);
}

/* --- Arguments ----------------------------------------------------------------------------- */

/* The text removed would be everything: the last step of a type that has its arguments only at the
 * end. Empty for other types. */
static struct wk_str last_of_type(struct wk_str type)
{
	size_t begin = 0, end = 0, word;

	while (end < type.len && is_name_char(type.at[end])) {
		end++;
		if (type.at[end - 1] == ':')
			begin = end;
	}
	if (end < type.len &&
	    (type.at[end] != '<' || close_of(type, end, "", &word) != type.len - 1))
		return wk_str_c("");
	return wk_str_of(type.at + begin, end - begin);
}

/* "<u8, Global>" behind a name becomes "<..>", and "::<u8>" nothing. */
static void close_arguments(struct wk_buf *folded, struct wk_str arguments)
{
	bool is_path = folded->len > 2 && wk_str_ends(wk_buf_str(folded), "::");
	struct wk_str last = last_of_type(arguments);

	if (is_path)
		folded->at[folded->len -= 2] = '\0';
	if (wk_str_ends(wk_buf_str(folded), "drop_in_place") && last.len)
		wk_buf_add_fmt(folded, "<%.*s>", WK_STR_ARG(last));
	else if (!is_path)
		wk_buf_add_text(folded, "<..>");
}

static bool follows_name(const struct wk_buf *name, size_t i)
{
	return i &&
	       (is_name_char(name->at[i - 1]) || name->at[i - 1] == '}' || ends_operator(name, i));
}

/* A '<' after a name (or a lambda) opens its arguments; one at the start of a path is part of it.
 * The '>' of an arrow closes nothing. A name with unbalanced brackets stays as it is. */
static void fold_arguments(struct wk_buf *name)
{
	struct wk_buf folded = { 0 };
	size_t open = 0, begin = 0;

	for (size_t i = 0; i < name->len; i++) {
		char c = name->at[i];

		if (c == '<' && (open || follows_name(name, i)) && !is_operator(name->at, i) &&
		    open++ == 0)
			begin = i + 1;
		if (!open)
			wk_buf_add_char(&folded, c);
		if (c == '>' && open && name->at[i - 1] != '-' && --open == 0)
			close_arguments(&folded, wk_str_of(name->at + begin, i - begin));
	}
	if (open) {
		wk_buf_fini(&folded);
		return;
	}
	replace(name, &folded);
}

/* The length of .NET's "`2[K,V]", arguments and their number, or 0. After an unclosed bracket no
 * more are searched for, as in `read_other`. */
static size_t dotnet_arguments(struct wk_str text, bool *is_broken)
{
	size_t len = 1;

	if (text.len < 2 || text.at[0] != '`')
		return 0;
	while (len < text.len && text.at[len] >= '0' && text.at[len] <= '9')
		len++;
	if (len > 1 && len < text.len && text.at[len] == '[' && !*is_broken) {
		size_t close = wk_bracket_end(text, len, '[', ']');

		*is_broken = close == NOT_THERE;
		len = *is_broken ? len : close + 1;
	}
	return len > 1 ? len : 0;
}

/* "Vec<..>::push" to "Vec::push". */
static void drop_arguments(struct wk_buf *name)
{
	static const char mark[] = "<..>";
	size_t kept = 0, dotnet;
	bool is_broken = false;

	for (size_t i = 0; i < name->len; i++) {
		if (kept && wk_str_starts(rest_of(name, i), mark))
			i += sizeof(mark) - 2;
		else if (kept && (dotnet = dotnet_arguments(rest_of(name, i), &is_broken)))
			i += dotnet - 1;
		else
			name->at[kept++] = name->at[i];
	}
	name->at[name->len = kept] = '\0';
}

/* --- Closures ------------------------------------------------------------------------------ */

/* "run()::{lambda(int)#2}" as "run::{lambda#2}". `open` and `close` are those of its braces. */
static void add_closure(struct wk_str name, size_t open, size_t close, struct wk_buf *closures)
{
	size_t begin = wk_path_begin(name, open);
	struct wk_str braces = wk_str_of(name.at + open, close + 1 - open);
	struct wk_buf text = { 0 }, word = { 0 };
	bool is_broken = false, is_lined;

	wk_short_name_plain(wk_str_of(name.at + begin, open - begin), &text);
	read_braces(braces, &word, &is_broken);
	word.len -= word.len != 0; /* its last brace */
	is_lined = memchr(word.at, ':', word.len);
	for (size_t at = braces.len; !is_lined && at-- > 0 && braces.at[at] != ')';)
		if (braces.at[at] == '#' && braces.len > at + 1 && !memchr(word.at, '#', word.len))
			wk_buf_add(&word, braces.at + at, braces.len - 1 - at);
	wk_buf_add_str(&text, wk_buf_str(&word));
	wk_buf_add_char(&text, '}');
	if (!closures->len || !strstr(closures->at, wk_buf_text(&text))) {
		wk_buf_add_text(closures, closures->len ? ", " : "");
		wk_buf_add_str(closures, wk_buf_str(&text));
	}
	WK_BUF_FINI_ALL(&text, &word);
}

void wk_short_name_closures(struct wk_str name, struct wk_buf *text)
{
	struct wk_buf closures = { 0 };
	size_t angles = 0;

	wk_short_name_plain(name, text);
	for (size_t i = 0; i < name.len && name.len <= WK_SHORT_MOST_BYTES; i++) {
		struct wk_str rest = wk_str_skip(name, i);
		size_t close, next;

		angles += name.at[i] == '<' && !is_operator(name.at, i);
		angles -= angles && name.at[i] == '>' && i && name.at[i - 1] != '-';
		if (!angles ||
		    !(wk_str_starts(rest, "{lambda") || wk_str_starts(rest, "{closure") ||
		      wk_str_starts(rest, "{{closure")))
			continue;
		close = wk_bracket_end(rest, 0, '{', '}');
		if (close == NOT_THERE)
			break;
		next = wk_enclosing_call_end(rest, close + 1);
		if (next == NOT_THERE || !wk_str_starts(wk_str_skip(rest, next), "::{"))
			add_closure(name, i, i + close, &closures);
		if (next == NOT_THERE)
			break;
		i += close;
	}
	if (closures.len)
		wk_buf_add_fmt(text, "<%s>", wk_buf_text(&closures));
	wk_buf_fini(&closures);
}

/* --- All of them --------------------------------------------------------------------------- */

void wk_short_name_step(struct wk_buf *name, enum wk_short step)
{
	static void (*const steps[WK_SHORT_STEPS])(struct wk_buf *) = {
		[WK_SHORT_TIDY] = tidy,
		[WK_SHORT_PARAMETERS] = drop_parameters,
		[WK_SHORT_SELF] = keep_self,
		[WK_SHORT_FOLDED] = fold_arguments,
		[WK_SHORT_PLAIN] = drop_arguments,
	};

	if (name->len && name->len <= WK_SHORT_MOST_BYTES)
		steps[step](name);
}

void wk_short_name_plain(struct wk_str name, struct wk_buf *plain)
{
	struct wk_buf text = { 0 };

	wk_buf_add_str(&text, name);
	for (int step = 0; step < WK_SHORT_STEPS && name.len <= WK_SHORT_MOST_BYTES; step++)
		wk_short_name_step(&text, (enum wk_short)step);
	wk_buf_add_str(plain, wk_buf_str(&text));
	wk_buf_fini(&text);
}
