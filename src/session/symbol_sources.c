#include "session/symbol_sources.h"

#include <string.h>

#include "base/arena.h"
#include "base/num.h"
#include "os/os.h"

static const char *environment(const char *name)
{
	const char *value = wk_os_env(name);

	return value && value[0] ? value : NULL;
}

/* The words of a variable. Those that say how elfutils trusts a URL ("ima:enforcing") are no
 * servers. */
static void add_words(struct wk_text_list *list, const char *words, struct wk_arena *texts)
{
	for (const char *at = words; at && *(at += strspn(at, " \t\n"));) {
		size_t len = strcspn(at, " \t\n");

		if (strncmp(at, "ima:", strlen("ima:")) != 0)
			wk_text_list_add(list, wk_arena_copy(texts, (struct wk_str){ at, len }).at);
		at += len;
	}
}

/* As elfutils reads them: nothing and nonsense are 0. */
static uint64_t number(const char *name)
{
	const char *value = environment(name);
	uint64_t read = 0;

	return value && wk_num_u64(wk_str_c(value), &read) ? read : 0;
}

static unsigned seconds(const char *name)
{
	uint64_t value = number(name);

	return value < 1000000 ? (unsigned)value : 1000000;
}

static bool is_switched_on(const char *name)
{
	const char *value = environment(name);

	return value && strcmp(value, "0") != 0;
}

static bool add_debuginfod(struct wk_text_list *list, struct wk_arena *texts, struct wk_err *err)
{
	const char *urls = environment("DEBUGINFOD_URLS");

	add_words(list, urls, texts);
	return urls || wk_fail(err, WK_EUSAGE, WK_NOWHERE,
			       "debuginfod: DEBUGINFOD_URLS, the list of servers, is not "
			       "set; set it, or name a server with --symbol-server");
}

/* Without servers as well, for files that were fetched before. */
static struct wk_fetcher *new_fetcher(const struct wk_messages *messages, bool is_offline)
{
	return wk_fetcher_new(&(struct wk_fetch_options){
		.most_bytes = number("DEBUGINFOD_MAXSIZE"),
		.wait_seconds = seconds("DEBUGINFOD_TIMEOUT"),
		.whole_seconds = seconds("DEBUGINFOD_MAXTIME"),
		.is_offline = is_offline,
		.progress = messages ? messages->progress : NULL,
		.is_stopped = messages ? messages->is_stopped : NULL,
		.context = messages ? messages->context : NULL,
	});
}

/* A warning for each element that makes no sense; those after it are still used. */
static void add_variable(struct wk_symbol_sources *sources, const char *name)
{
	struct wk_str path = wk_str_c(environment(name));
	bool is_more = path.len > 0;
	struct wk_str element;

	while (is_more) {
		struct wk_err fault = { 0 };

		is_more = wk_str_split(path, ';', &element, &path);
		if (wk_fetcher_add_path(sources->fetcher, element, &fault))
			continue;
		wk_err_in(&fault, name);
		wk_warn(sources->messages, fault.text);
	}
}

/* The options' path is searched before the environment's. */
static bool add_paths(struct wk_symbol_sources *sources,
		      const struct wk_symbol_source_options *options, struct wk_err *err)
{
	for (size_t i = 0; i < options->symbol_paths.count; i++)
		if (!wk_fetcher_add_path(sources->fetcher, wk_str_c(options->symbol_paths.at[i]),
					 err))
			return false;
	add_variable(sources, "_NT_SYMBOL_PATH");
	add_variable(sources, "_NT_ALT_SYMBOL_PATH");
	return true;
}

static bool add_servers(struct wk_fetcher *fetcher, const struct wk_symbol_source_options *options,
			struct wk_err *err)
{
	struct wk_text_list list = { 0 };
	struct wk_arena texts = { 0 };
	bool ok = true;

	for (size_t i = 0; i < options->servers.count; i++)
		wk_text_list_add(&list, options->servers.at[i]);
	add_words(&list, environment("WICK_SYMBOL_SERVERS"), &texts);
	if (options->debuginfod || is_switched_on("WICK_DEBUGINFOD"))
		ok = add_debuginfod(&list, &texts, err);
	if (ok && list.count)
		ok = wk_fetcher_add_servers(fetcher, list.at, err);
	wk_text_list_fini(&list);
	wk_arena_fini(&texts);
	return ok;
}

bool wk_symbol_sources_open(struct wk_symbol_sources *sources,
			    const struct wk_symbol_source_options *options,
			    const struct wk_messages *messages, struct wk_err *err)
{
	bool is_required = options->debuginfod || options->servers.count > 0;
	struct wk_err fault = { 0 };

	*sources = (struct wk_symbol_sources){
		.fetcher = new_fetcher(messages, options->offline),
		.messages = messages,
	};
	if (!add_paths(sources, options, err))
		return false;
	if (options->offline || add_servers(sources->fetcher, options, &fault))
		return true;
	if (is_required)
		*err = fault;
	else
		wk_warn(messages, fault.text);
	return !is_required;
}

static void warn_of_few(const struct wk_messages *messages, unsigned at_once)
{
	unsigned limit;

	wk_os_files_left(0, &limit);
	wk_warn_fmt(messages,
		    "fetching only %u file%s at a time, because this process may have only %u open "
		    "files; `ulimit -n` raises the limit",
		    at_once, at_once == 1 ? "" : "s", limit);
}

void wk_symbol_sources_close(struct wk_symbol_sources *sources)
{
	static const char *const kinds[] = { [WK_FETCH_FOR_ELF] = "symbol server",
					     [WK_FETCH_FOR_WINDOWS] = "symbol path" };
	struct wk_fetch_source source;

	if (wk_fetcher_few_at_once(sources->fetcher))
		warn_of_few(sources->messages, wk_fetcher_few_at_once(sources->fetcher));
	for (int family = 0; family < WK_FETCH_FAMILIES; family++)
		for (size_t i = 0; wk_fetcher_source(sources->fetcher, family, i, &source); i++)
			if (source.complaint)
				wk_warn_fmt(sources->messages, "%s %s: %s", kinds[family],
					    source.shown, source.complaint);
	wk_fetcher_free(sources->fetcher);
	*sources = (struct wk_symbol_sources){ 0 };
}
