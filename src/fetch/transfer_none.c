/* Of a wick that was built without libcurl. */
#include "fetch/transfer.h"

#include <string.h>

#define MISSING "wick was built without libcurl and cannot ask symbol servers"

bool wk_transfers_are_possible(struct wk_err *err)
{
	return wk_fail(err, WK_EUNSUPPORTED, WK_NOWHERE, MISSING);
}

struct wk_transfers *wk_transfers_new(const struct wk_fetch_options *options)
{
	(void)options;
	return NULL;
}

void wk_transfers_free(struct wk_transfers *transfers)
{
	(void)transfers;
}

bool wk_transfers_start(struct wk_transfers *transfers, struct wk_transfer *transfer)
{
	(void)transfers;
	transfer->outcome = (struct wk_outcome){ .kind = WK_OUTCOME_NO_LIBRARY, .text = MISSING };
	return false;
}

void wk_transfers_cancel(struct wk_transfer *transfer)
{
	(void)transfer;
}

void wk_transfers_run(struct wk_transfers *transfers)
{
	(void)transfers;
}

void wk_transfers_end_turn(struct wk_transfers *transfers, size_t job)
{
	(void)transfers;
	(void)job;
}

void wk_transfers_set_jobs(struct wk_transfers *transfers, size_t done, size_t count)
{
	(void)transfers;
	(void)done;
	(void)count;
}

void wk_transfers_report(const struct wk_transfers *transfers)
{
	(void)transfers;
}
