/* A machine whose code is not changed. */
#include "preload/internal.h"

struct wk_channel_patch wk_patch_list[WK_CHANNEL_PATCHES];
__thread uintptr_t wk_patched_frame WK_INITIAL_EXEC;

void wk_patched_begin(uint64_t patches)
{
	(void)patches;
}

void wk_patched_look_again(void)
{
}
