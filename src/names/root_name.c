#include "names/root_name.h"

#include <string.h>

bool wk_name_is_root(struct wk_str name)
{
	static const char *const roots[] = {
		"_start", "__start", "clone", "__clone", "clone3", "__clone3", "thread_start",
		"_dl_start_user", "__restore_rt", "__start_context", "ret_from_fork",
		/* Go: where goroutines, its threads and the program begin. */
		"runtime.goexit", "runtime.clone", "runtime.mstart", "runtime.rt0_go",
		"runtime.mcall", NULL,
	};

	if (wk_str_ends(name, ".abi0"))
		name.len -= strlen(".abi0");
	return wk_str_is_one_of(name, roots);
}

bool wk_name_is_exec(struct wk_str name)
{
	static const char *const names[] = {
		"execve", "__execve", "__GI___execve", "execveat", "__GI_execveat", NULL,
	};

	return wk_str_is_one_of(name, names);
}
