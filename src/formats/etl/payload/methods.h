/* Code that programs made at run time, as .NET's runtime and engines of JavaScript tell it: which
 * method lies where in which process, and since when.
 *
 * What a session met when it began, or still had when it ended, was there all the time, unless an
 * event says that it was made in between; what goes has a name, too, for the time before. Where
 * code goes and other code comes to the same place, the later event names it from then on.
 *
 * Order of calls: new; scan for every record of the first pass that has such a hook; tell_seen;
 * tell for every such record of the second. */
#ifndef WK_FORMATS_ETL_PAYLOAD_METHODS_H
#define WK_FORMATS_ETL_PAYLOAD_METHODS_H

#include "event/sink.h"
#include "formats/etl/file/file.h"
#include "formats/etl/payload/modules.h"

struct wk_etl_methods;

struct wk_etl_methods *wk_etl_methods_new(void);
void wk_etl_methods_free(struct wk_etl_methods *methods);

/* False where the payload is too short. */
bool wk_etl_methods_scan(struct wk_etl_methods *methods, const struct wk_etl_record *record,
			 uint32_t hook);

/* As SYMBOL events of time 0. All modules have been scanned: they say whose code it is. */
bool wk_etl_methods_emit_seen(const struct wk_etl_methods *methods,
			      const struct wk_etl_modules *modules, const struct wk_sink *sink,
			      struct wk_err *err);

/* One that is made now. */
bool wk_etl_methods_emit(const struct wk_etl_methods *methods, const struct wk_etl_modules *modules,
			 const struct wk_etl_record *record, uint32_t hook, uint64_t time_ns,
			 const struct wk_sink *sink, struct wk_err *err);

#endif
