/* JIT code, as .NET's runtime and engines of JavaScript log it: which method is at which address of
 * which process, and since when.
 *
 * Methods in a rundown existed all the time, unless an event logs their compilation. A method that
 * is unloaded has its name for the time before. If other code is placed at the same address, the
 * later event names it from then on.
 *
 * Order of calls: new; the handlers of the first pass; emit_seen; the handlers of the second. */
#ifndef WK_FORMATS_ETL_METHODS_H
#define WK_FORMATS_ETL_METHODS_H

#include <stdbool.h>

struct wk_etl_methods;
struct wk_etl_trace;

struct wk_etl_methods *wk_etl_methods_new(void);
void wk_etl_methods_free(struct wk_etl_methods *methods);

/* Methods that already existed, as SYMBOL events of time 0, once all modules have been scanned. */
bool wk_etl_methods_emit_seen(const struct wk_etl_trace *trace);

#endif
