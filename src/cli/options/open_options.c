#include "cli/options/open_options.h"

#include "base/mem.h"
#include "cli/terminal.h"
#include "os/os.h"

#define AT(field) offsetof(struct wk_open_options, field)

static const struct wk_opt options[] = {
	WK_TEXT(0, "format", "FORMAT", "read FILE as this format; `wick formats` lists them "
	  "[default: by content]", AT(format)),
	WK_FLAG(0, "no-inline", "hide inlined calls", AT(no_inlined)),
	WK_VALUE(0, "threads", "N", "threads for reading large text and Windows traces [default: "
	  "number of CPUs]", WK_OPT_COUNT, AT(threads)),
	WK_VALUE(0, "debug-dir", "DIR", "search for debug files in DIR, before /usr/lib/debug",
	  WK_OPT_LIST, AT(naming.debug_dirs)),
	WK_FLAG(0, "any-build", "use the programs at the recorded paths, even if they are other builds "
	  "than the recorded ones", AT(naming.any_build)),
	WK_FLAG(0, "debuginfod", "fetch missing files from the servers in DEBUGINFOD_URLS; "
	  "WICK_DEBUGINFOD=1 makes this the default", AT(naming.remote.debuginfod)),
	WK_VALUE(0, "symbol-server", "SERVER", "fetch missing files from this debuginfod server, "
	  "store:URL or store:FOLDER; WICK_SYMBOL_SERVERS sets defaults", WK_OPT_LIST,
	  AT(naming.remote.servers)),
	WK_VALUE(0, "symbol-path", "PATH", "search for PDBs and images of Windows programs here, "
	  "then in _NT_SYMBOL_PATH: folders, stores and srv*CACHE*URL, separated by ;", WK_OPT_LIST,
	  AT(naming.remote.symbol_paths)),
	WK_FLAG(0, "offline", "never use the network", AT(naming.remote.offline)),
	{ 0 },
};

static const struct wk_opt unnamed_options[] = {
	WK_FLAG(0, "addresses", "show functions without names by address, as app+0x1a00 [default: "
	  "one app!unknown for each program and library]", AT(separates_unnamed)),
	{ 0 },
};

const struct wk_opt_group wk_open_group = { "Reading", options };

const struct wk_opt_group wk_unnamed_group = { "Names", unnamed_options };

/* The last rows; their values are at the start of a wk_open_options. */
const struct wk_opt_group wk_naming_group = { "Search", options + 3 };

_Static_assert(offsetof(struct wk_open_options, naming) == 0, "rows serve both groups");

bool wk_has_default_recording(void)
{
	return wk_os_is_there(WK_DEFAULT_RECORDING);
}

const char *wk_input_path(const struct wk_words *words, struct wk_err *err)
{
	size_t count = words->count + words->rest_count;

	if (count == 1)
		return words->count ? words->at[0] : words->rest[0];
	if (count == 0 && wk_has_default_recording()) {
		if (wk_os_has_input(0))
			wk_say(WK_DEFAULT_RECORDING " is read instead of standard input; give "
						    "\"-\" as FILE to read standard input");
		return WK_DEFAULT_RECORDING;
	}
	if (count == 0)
		wk_fail(err, WK_EUSAGE, WK_NOWHERE,
			"no file " WK_DEFAULT_RECORDING " in this folder; create it with "
			"`wick record -- COMMAND`, or give a FILE (\"-\" is "
			"standard input)");
	else
		wk_fail(err, WK_EUSAGE, WK_NOWHERE, "expected one FILE, found %zu", count);
	return NULL;
}

const char **wk_input_paths(const struct wk_words *words, struct wk_err *err)
{
	const char **paths = wk_words_paths(words);

	if (!paths[0])
		paths[0] = wk_input_path(words, err);
	if (paths[0])
		return paths;
	wk_free(paths);
	return NULL;
}
