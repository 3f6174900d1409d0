/* For a wick that was built without libcurl. */
#include "fetch/transfer.h"

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

void wk_transfers_run(struct wk_transfers *transfers, size_t done_jobs, size_t job_count)
{
	(void)transfers;
	(void)done_jobs;
	(void)job_count;
}
