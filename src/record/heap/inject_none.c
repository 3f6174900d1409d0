/* For machines whose registers are not known here. */
#include "record/heap/inject.h"

#include "record/recorder.h"

bool wk_heap_inject(const struct wk_remote *remote, struct wk_err *err)
{
	return wk_fail(err, WK_EUNSUPPORTED, WK_NOWHERE,
		       "%s has not loaded " WK_HEAP_LIBRARY_NAME ", and wick can load it into "
		       "processes on x86-64 only: start it with "
		       "LD_PRELOAD=$(wick doctor --heap-library) in its environment",
		       wk_buf_text(&remote->who));
}
