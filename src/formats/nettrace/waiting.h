/* Methods of .NET in which a thread waits, by name: the profiler samples threads whether they run
 * or not, and what it says of that is wrong in most versions (docs/formats/nettrace.md). */
#ifndef WK_FORMATS_NETTRACE_WAITING_H
#define WK_FORMATS_NETTRACE_WAITING_H

#include <stdbool.h>

#include "base/str.h"

/* "System.Threading.WaitHandle.WaitOneNoCheck", for example. */
bool wk_nettrace_waits(struct wk_str method);

/* Code that the runtime generates around a call of native code. */
bool wk_nettrace_is_stub(struct wk_str method);

#endif
