#include "session/remote_config.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "cli/terminal.h"
#include "os/os.h"

/* Servers in the order in which they are asked; ends with NULL. */
struct list {
	char **at;
	size_t count, cap;
};

static void add(struct list *list, const char *word, size_t len)
{
	list->at = wk_grow(list->at, &list->cap, list->count + 2, sizeof(*list->at));
	list->at[list->count++] = wk_strndup(word, len);
	list->at[list->count] = NULL;
}

static void free_list(struct list *list)
{
	for (size_t i = 0; i < list->count; i++)
		wk_free(list->at[i]);
	wk_free(list->at);
}

static const char *environment(const char *name)
{
	const char *value = wk_os_env(name);

	return value && value[0] ? value : NULL;
}

/* The words of a variable. Those that elfutils has between its URLs to say how they are trusted
 * ("ima:enforcing") are no servers. */
static void add_words(struct list *list, const char *words)
{
	for (const char *at = words; at && *(at += strspn(at, " \t\n"));) {
		size_t len = strcspn(at, " \t\n");

		if (strncmp(at, "ima:", strlen("ima:")) != 0)
			add(list, at, len);
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

static bool add_debuginfod(struct list *list, struct wk_err *err)
{
	const char *urls = environment("DEBUGINFOD_URLS");

	add_words(list, urls);
	return urls || wk_fail(err, WK_EUSAGE, WK_NOWHERE,
			       "debuginfod: DEBUGINFOD_URLS, the list of servers, is not "
			       "set; set it, or name a server with --symbol-server");
}

/* Without servers, too: what was fetched before is used by all. */
static struct wk_fetcher *new_fetcher(struct wk_remote_config *asked, bool is_offline)
{
	bool is_shown = wk_fetch_progress_wanted();

	return wk_fetcher_new(&(struct wk_fetch_options){
		.most_bytes = number("DEBUGINFOD_MAXSIZE"),
		.wait_seconds = seconds("DEBUGINFOD_TIMEOUT"),
		.whole_seconds = seconds("DEBUGINFOD_MAXTIME"),
		.is_offline = is_offline,
		.progress = is_shown ? wk_fetch_progress_print : NULL,
		.is_stopped = is_shown ? wk_fetch_progress_is_stopped : NULL,
		.context = &asked->progress,
	});
}

/* An element that makes no sense is told of; those behind it are of use nevertheless. */
static void add_variable(struct wk_fetcher *fetcher, const char *name)
{
	struct wk_str path = wk_str_c(environment(name));
	bool is_more = path.len > 0;
	struct wk_str element;

	while (is_more) {
		struct wk_err fault = { 0 };

		is_more = wk_str_split(path, ';', &element, &path);
		if (wk_fetcher_add_path(fetcher, element, &fault))
			continue;
		wk_err_in(&fault, name);
		wk_say(fault.text);
	}
}

/* What was typed is asked before what the environment says. */
static bool add_paths(struct wk_fetcher *fetcher, const struct wk_remote_args *args,
		      struct wk_err *err)
{
	for (size_t i = 0; i < args->symbol_paths.count; i++)
		if (!wk_fetcher_add_path(fetcher, wk_str_c(args->symbol_paths.at[i]), err))
			return false;
	add_variable(fetcher, "_NT_SYMBOL_PATH");
	add_variable(fetcher, "_NT_ALT_SYMBOL_PATH");
	return true;
}

static bool collect(struct list *list, const struct wk_remote_args *args, struct wk_err *err)
{
	for (size_t i = 0; i < args->servers.count; i++)
		add(list, args->servers.at[i], strlen(args->servers.at[i]));
	add_words(list, environment("WICK_SYMBOL_SERVERS"));
	return !(args->debuginfod || is_switched_on("WICK_DEBUGINFOD")) ||
	       add_debuginfod(list, err);
}

static bool add_servers(struct wk_fetcher *fetcher, const struct wk_remote_args *args,
			struct wk_err *err)
{
	struct list list = { 0 };
	bool ok = collect(&list, args, err);

	if (ok && list.count)
		ok = wk_fetcher_add_servers(fetcher, (const char *const *)list.at, err);
	free_list(&list);
	return ok;
}

bool wk_remote_config_open(struct wk_remote_config *asked, const struct wk_remote_args *args,
			   struct wk_err *err)
{
	bool is_typed = args->debuginfod || args->servers.count > 0;
	struct wk_err fault = { 0 };

	*asked = (struct wk_remote_config){ 0 };
	asked->fetcher = new_fetcher(asked, args->offline);
	if (!add_paths(asked->fetcher, args, err))
		return false;
	if (args->offline || add_servers(asked->fetcher, args, &fault))
		return true;
	if (is_typed)
		*err = fault;
	else
		wk_say(fault.text);
	return !is_typed;
}

static void say_complaint(const char *what, const char *who, const char *complaint)
{
	struct wk_buf line = { 0 };

	wk_buf_add_fmt(&line, "%s %s: %s", what, who, complaint);
	wk_say(wk_buf_text(&line));
	wk_buf_fini(&line);
}

static void say_few(unsigned at_once)
{
	struct wk_buf line = { 0 };
	unsigned limit;

	wk_os_files_left(0, &limit);
	wk_buf_add_fmt(&line,
		       "fetching only %u file%s at a time, because this process may have "
		       "only %u open files; `ulimit -n` raises the limit",
		       at_once, at_once == 1 ? "" : "s", limit);
	wk_say(wk_buf_text(&line));
	wk_buf_fini(&line);
}

/* So that missing names have a reason. */
static void report_complaints(const struct wk_fetcher *fetcher)
{
	static const char *const kinds[] = { [WK_FETCH_FOR_ELF] = "symbol server",
					     [WK_FETCH_FOR_WINDOWS] = "symbol path" };
	struct wk_fetch_source source;

	if (wk_fetcher_few_at_once(fetcher))
		say_few(wk_fetcher_few_at_once(fetcher));
	for (int family = 0; family < WK_FETCH_FAMILIES; family++)
		for (size_t i = 0; wk_fetcher_source(fetcher, family, i, &source); i++)
			if (source.complaint)
				say_complaint(kinds[family], source.shown, source.complaint);
}

void wk_remote_config_close(struct wk_remote_config *asked)
{
	report_complaints(asked->fetcher);
	wk_fetcher_free(asked->fetcher);
	*asked = (struct wk_remote_config){ 0 };
}
