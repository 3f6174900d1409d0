/* Type checks would call the library by name. Newer headers deprecate options that an older
 * library, which may be the one loaded, needs. */
#define CURL_DISABLE_TYPECHECK
#define CURL_DISABLE_DEPRECATION
#include "fetch/transfer.h"

#include <assert.h>
#include <curl/curl.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/library_calls.h"
#include "base/mem.h"
#include "base/packed/unpack.h"
#include "os/os.h"

#define SECOND_NS       UINT64_C(1000000000)
#define CONNECT_SECONDS 15u
#define LEAST_RATE      1024L /* bytes a second */
#define MOST_REDIRECTS  8L
#define WAIT_MS         50
#define REPORT_NS       (SECOND_NS / 20)

/* The page that comes with a refusal is read, so that the connection can be used again. */
#define MOST_PAGE_BYTES ((uint64_t)64 << 10)
#define MOST_PAGE_US    2000000

#define CALLS(X)                                                                               \
	X(global_init)                                                                         \
	X(easy_init)                                                                           \
	X(easy_setopt)                                                                         \
	X(easy_getinfo)                                                                        \
	X(easy_strerror)                                                                       \
	X(easy_cleanup)                                                                        \
	X(multi_init)                                                                          \
	X(multi_add_handle)                                                                    \
	X(multi_remove_handle)                                                                 \
	X(multi_perform)                                                                       \
	X(multi_wait)                                                                          \
	X(multi_info_read)                                                                     \
	X(multi_cleanup)

/* The functions of libcurl that are used. */
struct library {
#define MEMBER(name) __typeof__(curl_##name) *name;
	CALLS(MEMBER)
};

struct wk_transfers {
	struct wk_fetch_options options;
	struct library library;
	bool is_loaded;
	struct wk_err why_broken;
	CURLM *multi; /* keeps the connections. NULL until the first file */
	struct wk_undo *undo;
	struct wk_transfer *active[WK_MOST_TRANSFERS];
	size_t active_count;
	uint64_t reported_ns;
	size_t done_jobs, job_count;
};

bool wk_transfers_are_possible(struct wk_err *err)
{
	(void)err;
	return true;
}

struct wk_transfers *wk_transfers_new(const struct wk_fetch_options *options)
{
	struct wk_transfers *t = wk_alloc_zeroed(1, sizeof(*t));

	t->options = *options;
	return t;
}

/* The library stays loaded: other libraries that it loads have exit handlers. */
void wk_transfers_free(struct wk_transfers *t)
{
	if (!t)
		return;
	while (t->active_count)
		wk_transfers_cancel(t->active[0]);
	if (t->multi) {
		t->library.multi_cleanup(t->multi);
		wk_undo_free(t->undo);
	}
	wk_free(t);
}

static bool find_calls(struct library *library, void *loaded, struct wk_err *err)
{
#define NAME(name) "curl_" #name,
	static const char *const names[] = { CALLS(NAME) };
	void *better;

	/* The struct has a pointer for each name. */
	static_assert(sizeof(*library) == sizeof(names), "only pointers");
	if (!wk_library_calls(loaded, "libcurl", names, sizeof(names) / sizeof(names[0]), library,
			      err))
		return false;
	/* It also waits before there is a connection; libraries before 7.66 do not have it. */
	better = dlsym(loaded, "curl_multi_poll");
	if (better)
		memcpy(&library->multi_wait, &better, sizeof(better));
	return true;
}

/* Debian has two, for different TLS libraries. */
static bool load(struct library *library, struct wk_err *err)
{
	void *loaded = dlopen("libcurl.so.4", RTLD_NOW | RTLD_LOCAL);

	if (!loaded)
		loaded = dlopen("libcurl-gnutls.so.4", RTLD_NOW | RTLD_LOCAL);
	if (!loaded)
		return wk_fail(err, WK_EUNSUPPORTED, WK_NOWHERE,
			       "libcurl.so.4 is missing, which asks symbol servers (package "
			       "libcurl4 or libcurl)");
	return find_calls(library, loaded, err) &&
	       (library->global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK ||
		wk_fail(err, WK_EUNSUPPORTED, WK_NOWHERE, "libcurl cannot be initialized"));
}

static void undo_multi(struct wk_undo *undo)
{
	struct wk_transfers *t = undo->at;

	t->library.multi_cleanup(t->multi);
}

static void make_multi(struct wk_transfers *t)
{
	t->undo = wk_undo_new();
	t->multi = t->library.multi_init();
	if (t->multi)
		wk_undo_arm(t->undo, undo_multi, t, 0);
	else
		wk_undo_free(t->undo);
}

static bool make_ready(struct wk_transfers *t, struct wk_outcome *outcome)
{
	if (!t->is_loaded && !t->why_broken.code)
		t->is_loaded = load(&t->library, &t->why_broken);
	if (t->is_loaded && !t->multi)
		make_multi(t);
	if (t->multi || wk_outcome_lacks_descriptors(outcome))
		return t->multi != NULL;
	*outcome = (struct wk_outcome){ .kind = WK_OUTCOME_NO_LIBRARY,
					.text = "libcurl cannot be initialized" };
	if (!t->is_loaded)
		memcpy(outcome->text, t->why_broken.text, sizeof(outcome->text));
	return false;
}

static bool is_stopped(const struct wk_transfers *t)
{
	return t->options.is_stopped && t->options.is_stopped(t->options.context);
}

static long status_of(const struct wk_transfer *transfer)
{
	long status = 0;

	transfer->owner->library.easy_getinfo(transfer->easy, CURLINFO_RESPONSE_CODE, &status);
	return status;
}

/* Servers may compress what they send, and a few bytes can become gigabytes. */
static bool is_in_proportion(const struct wk_transfer *transfer, size_t len)
{
	curl_off_t packed = 0;

	transfer->owner->library.easy_getinfo(transfer->easy, CURLINFO_SIZE_DOWNLOAD_T, &packed);
	return transfer->done_bytes + len <= wk_unpack_limit_of(packed > 0 ? (uint64_t)packed : 0);
}

static uint64_t time_us_of(const struct wk_transfer *transfer, CURLINFO which)
{
	curl_off_t time_us = 0;

	transfer->owner->library.easy_getinfo(transfer->easy, which, &time_us);
	return time_us > 0 ? (uint64_t)time_us : 0;
}

static void note_size(struct wk_transfer *transfer)
{
	curl_off_t whole = 0;

	transfer->owner->library.easy_getinfo(transfer->easy, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T,
					      &whole);
	transfer->whole_bytes = whole > 0 ? (uint64_t)whole : 0;
}

/* Of all files that are being fetched and whose sizes were not announced. */
static uint64_t sum_without_an_end(const struct wk_transfers *t)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < t->active_count; i++)
		sum += t->active[i]->whole_bytes ? 0 : t->active[i]->done_bytes;
	return sum;
}

static size_t abort_with(struct wk_transfer *transfer, enum wk_outcome_kind kind, uint64_t number)
{
	transfer->outcome.kind = kind;
	transfer->outcome.number = number;
	return 0;
}

/* The page that comes with an HTTP error is thrown away. */
static size_t on_page(struct wk_transfer *transfer, size_t len)
{
	transfer->page_bytes += len;
	if (time_us_of(transfer, CURLINFO_TOTAL_TIME_T) >=
	    time_us_of(transfer, CURLINFO_STARTTRANSFER_TIME_T) + MOST_PAGE_US)
		return abort_with(transfer, WK_OUTCOME_DRIPPING_PAGE, 0);
	return transfer->page_bytes <= MOST_PAGE_BYTES ? len : 0;
}

/* libcurl calls it: it must not allocate, since a jump over libcurl (base/heap.h) would leave that
 * in the middle of its work. */
static size_t on_bytes(char *bytes, size_t size, size_t count, void *context)
{
	struct wk_transfer *transfer = context;
	const struct wk_fetch_options *options = &transfer->owner->options;
	size_t len = size * count;

	if (status_of(transfer) >= 400)
		return on_page(transfer, len);
	if (!is_in_proportion(transfer, len))
		return abort_with(transfer, WK_OUTCOME_BOMB, 0);
	if (len > transfer->most_bytes - transfer->done_bytes)
		return abort_with(transfer, WK_OUTCOME_ENDLESS, transfer->most_bytes);
	if (!transfer->done_bytes)
		note_size(transfer);
	if (!transfer->whole_bytes &&
	    len + sum_without_an_end(transfer->owner) > 2 * options->most_bytes)
		return abort_with(transfer, WK_OUTCOME_ENDLESS, transfer->most_bytes);
	if (!options->whole_seconds &&
	    wk_transfer_is_hopeless(time_us_of(transfer, CURLINFO_TOTAL_TIME_T) * 1000,
				    transfer->done_bytes))
		return abort_with(transfer, WK_OUTCOME_SLOW, 0);
	if (!wk_os_write(transfer->fd, bytes, len))
		return abort_with(transfer, WK_OUTCOME_NOT_WRITTEN,
				  (uint64_t)(errno ? errno : EIO));
	transfer->done_bytes += len;
	return len;
}

static void set_up(struct wk_transfer *transfer)
{
	const struct wk_fetch_options *options = &transfer->owner->options;
	__typeof__(curl_easy_setopt) *set = transfer->owner->library.easy_setopt;
	CURL *easy = transfer->easy;
	bool is_https = strncasecmp(transfer->url, "https:", strlen("https:")) == 0;
	long either = CURLPROTO_HTTP | CURLPROTO_HTTPS;

	set(easy, CURLOPT_NOSIGNAL, 1L);
	set(easy, CURLOPT_FOLLOWLOCATION, 1L);
	set(easy, CURLOPT_MAXREDIRS, MOST_REDIRECTS);
	set(easy, CURLOPT_PROTOCOLS, either);
	set(easy, CURLOPT_REDIR_PROTOCOLS, is_https ? (long)CURLPROTO_HTTPS : either);
	set(easy, CURLOPT_SSL_VERIFYPEER, 1L);
	set(easy, CURLOPT_SSL_VERIFYHOST, 2L);
	set(easy, CURLOPT_CONNECTTIMEOUT,
	    (long)(options->wait_seconds < CONNECT_SECONDS ? options->wait_seconds
							   : CONNECT_SECONDS));
	set(easy, CURLOPT_LOW_SPEED_LIMIT, LEAST_RATE);
	set(easy, CURLOPT_LOW_SPEED_TIME, (long)options->wait_seconds);
	set(easy, CURLOPT_TIMEOUT, (long)options->whole_seconds); /* 0: none */
	set(easy, CURLOPT_ACCEPT_ENCODING, "");
	set(easy, CURLOPT_USERAGENT, "wick/" WICK_VERSION);
	set(easy, CURLOPT_WRITEFUNCTION, on_bytes);
	set(easy, CURLOPT_WRITEDATA, transfer);
	set(easy, CURLOPT_ERRORBUFFER, transfer->message);
	set(easy, CURLOPT_PRIVATE, transfer);
	set(easy, CURLOPT_URL, transfer->url);
	set(easy, CURLOPT_MAXFILESIZE_LARGE, (curl_off_t)transfer->most_bytes);
}

/* The transfer itself may be gone by then. */
static void undo_easy(struct wk_undo *undo)
{
	struct wk_transfers *t = (struct wk_transfers *)(uintptr_t)undo->number;

	t->library.multi_remove_handle(t->multi, undo->at);
	t->library.easy_cleanup(undo->at);
}

bool wk_transfers_start(struct wk_transfers *t, struct wk_transfer *transfer)
{
	static_assert(sizeof(transfer->message) >= CURL_ERROR_SIZE, "libcurl writes so much");
	transfer->owner = t;
	transfer->outcome = (struct wk_outcome){ 0 };
	if (is_stopped(t)) {
		transfer->outcome.kind = WK_OUTCOME_STOPPED;
		return false;
	}
	if (!make_ready(t, &transfer->outcome))
		return false;
	transfer->undo = wk_undo_new();
	transfer->easy = t->library.easy_init();
	if (!transfer->easy) {
		wk_undo_free(transfer->undo);
		transfer->outcome.kind = WK_OUTCOME_FAILED;
		return false;
	}
	if (!transfer->most_bytes)
		transfer->most_bytes = t->options.most_bytes;
	set_up(transfer);
	wk_undo_arm(transfer->undo, undo_easy, transfer->easy, (uintptr_t)t);
	t->library.multi_add_handle(t->multi, transfer->easy);
	t->active[t->active_count++] = transfer;
	return true;
}

static void report(const struct wk_transfers *t, struct wk_transfer *transfer, bool is_done)
{
	struct wk_fetch_status status = {
		.done_jobs = t->done_jobs, .job_count = t->job_count, .is_done = is_done };

	if (transfer && !is_done)
		note_size(transfer);
	if (transfer) {
		status.url = transfer->shown_url;
		status.name = transfer->name;
		status.done_bytes = transfer->done_bytes;
		status.whole_bytes = transfer->whole_bytes;
	}
	if (t->options.progress)
		t->options.progress(t->options.context, &status);
}

/* What libcurl also reports if it could open no socket or read no certificates. */
static bool may_lack_descriptors(CURLcode code)
{
	return code == CURLE_COULDNT_CONNECT || code == CURLE_COULDNT_RESOLVE_HOST ||
	       code == CURLE_COULDNT_RESOLVE_PROXY || code == CURLE_FAILED_INIT ||
	       code == CURLE_OUT_OF_MEMORY || code == CURLE_SSL_CACERT_BADFILE;
}

static bool is_unreachable(CURLcode code)
{
	return code == CURLE_COULDNT_CONNECT || code == CURLE_COULDNT_RESOLVE_HOST ||
	       code == CURLE_COULDNT_RESOLVE_PROXY || code == CURLE_SSL_CONNECT_ERROR ||
	       code == CURLE_PEER_FAILED_VERIFICATION;
}

static enum wk_outcome_kind kind_of_status(long status)
{
	if (status == 404 || status == 410)
		return WK_OUTCOME_MISSING;
	return status == 401 || status == 403 ? WK_OUTCOME_FORBIDDEN : WK_OUTCOME_REFUSED;
}

/* The limits of time are libcurl's. */
static void set_timed_out(struct wk_transfer *transfer)
{
	const struct wk_fetch_options *options = &transfer->owner->options;
	uint64_t seconds = (time_us_of(transfer, CURLINFO_TOTAL_TIME_T) + 500000) / 1000000;

	if (!time_us_of(transfer, CURLINFO_PRETRANSFER_TIME_T))
		abort_with(transfer, WK_OUTCOME_UNREACHABLE, 0);
	else if (options->whole_seconds && seconds >= options->whole_seconds)
		abort_with(transfer, WK_OUTCOME_LATE, options->whole_seconds);
	else
		abort_with(transfer, transfer->done_bytes ? WK_OUTCOME_STALLED : WK_OUTCOME_SILENT,
			   options->wait_seconds);
}

/* A size that was announced is known before all of it has come. */
static void set_failed(struct wk_transfer *transfer, CURLcode code)
{
	struct wk_outcome *outcome = &transfer->outcome;

	if (code == CURLE_FILESIZE_EXCEEDED ||
	    (outcome->kind == WK_OUTCOME_ENDLESS && transfer->whole_bytes))
		abort_with(transfer, WK_OUTCOME_TOO_LARGE, transfer->most_bytes);
	else if (!outcome->kind && code == CURLE_OPERATION_TIMEDOUT)
		set_timed_out(transfer);
	else if (!outcome->kind &&
		 (!may_lack_descriptors(code) || !wk_outcome_lacks_descriptors(outcome)))
		outcome->kind = is_unreachable(code) ? WK_OUTCOME_UNREACHABLE : WK_OUTCOME_FAILED;
}

static void set_outcome(struct wk_transfer *transfer, CURLcode code)
{
	struct wk_outcome *outcome = &transfer->outcome;
	long status = status_of(transfer);
	const char *message = transfer->message[0] ? transfer->message
						   : transfer->owner->library.easy_strerror(code);

	memcpy(outcome->text, message, strnlen(message, sizeof(outcome->text) - 1));
	if (code != CURLE_OK && is_stopped(transfer->owner))
		outcome->kind = WK_OUTCOME_STOPPED;
	else if (status >= 400 && code == CURLE_OPERATION_TIMEDOUT)
		abort_with(transfer, WK_OUTCOME_DRIPPING_PAGE, (uint64_t)status);
	else if (status >= 400)
		abort_with(transfer, outcome->kind ? outcome->kind : kind_of_status(status),
			   (uint64_t)status);
	else if (code == CURLE_OK)
		outcome->kind = WK_OUTCOME_DONE;
	else
		set_failed(transfer, code);
}

static void remove_transfer(struct wk_transfer *transfer)
{
	struct wk_transfers *t = transfer->owner;
	size_t i = 0;

	while (t->active[i] != transfer)
		i++;
	memmove(&t->active[i], &t->active[i + 1],
		(t->active_count - i - 1) * sizeof(struct wk_transfer *));
	t->active_count--;
	t->library.multi_remove_handle(t->multi, transfer->easy);
	t->library.easy_cleanup(transfer->easy);
	wk_undo_free(transfer->undo);
	transfer->easy = NULL;
}

static void finish(struct wk_transfer *transfer, CURLcode code)
{
	note_size(transfer);
	set_outcome(transfer, code);
	remove_transfer(transfer);
	report(transfer->owner, transfer, true);
}

void wk_transfers_cancel(struct wk_transfer *transfer)
{
	remove_transfer(transfer);
	transfer->outcome.kind = WK_OUTCOME_CANCELLED;
	report(transfer->owner, transfer, true);
}

static void finish_ended(struct wk_transfers *t)
{
	const CURLMsg *message;
	struct wk_transfer *transfer;
	int left;

	while ((message = t->library.multi_info_read(t->multi, &left))) {
		CURLcode code = message->data.result;

		if (message->msg != CURLMSG_DONE)
			continue;
		t->library.easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &transfer);
		finish(transfer, code);
	}
}

void wk_transfers_run(struct wk_transfers *t, size_t done_jobs, size_t job_count)
{
	uint64_t now_ns = wk_os_clock_ns();
	size_t count = t->active_count;
	int running;

	t->done_jobs = done_jobs;
	t->job_count = job_count;
	t->library.multi_perform(t->multi, &running);
	finish_ended(t);
	while (t->active_count && is_stopped(t))
		finish(t->active[0], CURLE_ABORTED_BY_CALLBACK);
	if (now_ns - t->reported_ns >= REPORT_NS) {
		t->reported_ns = now_ns;
		report(t, t->active_count ? t->active[0] : NULL, false);
	}
	if (t->active_count && t->active_count == count)
		t->library.multi_wait(t->multi, NULL, 0, WAIT_MS, NULL);
}
