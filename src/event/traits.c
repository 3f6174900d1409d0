#include "event/traits.h"

#include <stddef.h>

const struct wk_traits wk_traits_linux = {
	.leaves_blocks = true,
	.system_code = "native libraries",
	.fixed_pids = (const struct wk_fixed_pid[]){ { 0, "swapper" }, { 0, NULL } },
	.advice = WK_ADVICE_LINUX,
};

const struct wk_traits wk_traits_windows = {
	.times_from_start = true,
	.ignores_case = true,
	.is_system_wide = true,
	.logs_events = true,
	.samples_idle = true,
	.walks_stacks = true,
	.has_accounts = true,
	.has_parent_zero = true,
	.has_status_codes = true,
	.kernel_is_file = true,
	.has_symbol_files = true,
	.root_image = "ntdll.dll", /* every thread starts there */
	.system_code = "system libraries",
	.fixed_pids = (const struct wk_fixed_pid[]){ { 0, "Idle" }, { 4, "System" }, { 0, NULL } },
	.advice = WK_ADVICE_WINDOWS,
};

const struct wk_traits wk_traits_dotnet = {
	.logs_events = true,
	.walks_stacks = true,
	.has_whole_stacks = true,
	.system_code = "native libraries",
	.fixed_pids = (const struct wk_fixed_pid[]){ { 0, NULL } },
	.advice = WK_ADVICE_DOTNET,
};
