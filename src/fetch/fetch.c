/* Without the checks of types, which would call the library by name; and with options that newer
 * libraries call old, since the one that is loaded may be older than the header. */
#define CURL_DISABLE_TYPECHECK
#define CURL_DISABLE_DEPRECATION
#include "fetch/fetch.h"

#include <curl/curl.h>
#include <dlfcn.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/packed/unpack.h"
#include "fetch/fetch_workers.h"
#include "os/os.h"

#define SECOND_NS       UINT64_C(1000000000)
#define CONNECT_SECONDS 15L
#define LEAST_RATE      1024 /* bytes a second: what is slower never ends */
#define MOST_REDIRECTS  8L
#define WAIT_MS         100 /* until somebody may stop us */

/* The page that comes with a refusal is read, so that the connection may be used again. */
#define MOST_PAGE_BYTES ((uint64_t)64 << 10)
#define MOST_PAGE_NS    (2 * SECOND_NS)
#define MOST_STEP_NS    (SECOND_NS / 2) /* from one look to the next */

#define AGENT "wick/" WICK_VERSION

/* What is called of the library. */
struct library {
	CURLcode (*global_init)(long flags);
	CURL *(*init)(void);
	CURLcode (*setopt)(CURL *easy, CURLoption option, ...);
	CURLcode (*getinfo)(CURL *easy, CURLINFO info, ...);
	const char *(*strerror)(CURLcode code);
	void (*cleanup)(CURL *easy);
	CURLM *(*multi_init)(void);
	CURLMcode (*multi_add)(CURLM *multi, CURL *easy);
	CURLMcode (*multi_remove)(CURLM *multi, CURL *easy);
	CURLMcode (*multi_perform)(CURLM *multi, int *running);
	CURLMcode (*multi_wait)(CURLM *multi, struct curl_waitfd *more, unsigned more_count,
				int most_ms, int *ready);
	CURLMsg *(*multi_read)(CURLM *multi, int *left);
	CURLMcode (*multi_cleanup)(CURLM *multi);
};

struct wk_fetcher {
	struct library library;
	CURL *easy;   /* NULL until the first file */
	CURLM *multi; /* keeps its connections */
	bool is_loaded, is_impossible;
	struct wk_err why_impossible;

	uint64_t most_of_any, most_bytes;
	unsigned wait_seconds, whole_seconds;
	void (*progress)(void *context, const struct wk_remote_progress *progress);
	bool (*is_stopped)(void *context);
	void *context;
	uint64_t free_bytes;
	bool (*wait_for_turn)(void *context, const struct wk_fetch *fetch); /* or NULL */
	void *turns;

	/* Of the file at hand. */
	const struct wk_fetch *fetch;
	uint64_t done_bytes, whole_bytes;
	uint64_t window_ns, window_bytes; /* since when, and with how many, the rate is measured */
	uint64_t begun_ns;
	uint64_t page_bytes;            /* that came with a refusal, ... */
	uint64_t page_ns, page_seen_ns; /* ... how long that took, as last seen; 0: no refusal */
	bool is_too_large, is_too_slow, is_too_long, is_bomb;
	bool is_page_slow; /* the page of the refusal drips */
	bool has_turn, has_no_turn;
	int write_errno;
	char message[CURL_ERROR_SIZE];
};

bool wk_fetch_is_possible(struct wk_err *err)
{
	(void)err;
	return true;
}

struct wk_fetcher *wk_fetcher_new(const struct wk_remote_options *options)
{
	struct wk_fetcher *f = wk_alloc_zeroed(1, sizeof(*f));

	f->most_of_any = options->most_bytes;
	f->wait_seconds = options->wait_seconds;
	f->whole_seconds = options->whole_seconds;
	f->progress = options->progress;
	f->is_stopped = options->is_stopped;
	f->context = options->context;
	return f;
}

void wk_fetcher_share(struct wk_fetcher *f, uint64_t free_bytes,
		      bool (*wait_for_turn)(void *context, const struct wk_fetch *fetch),
		      void *context)
{
	if (!f)
		return;
	f->free_bytes = free_bytes;
	f->wait_for_turn = wait_for_turn;
	f->turns = context;
}

/* The library stays loaded: what it brings with it has things to do when the program ends. */
void wk_fetcher_free(struct wk_fetcher *f)
{
	if (!f)
		return;
	if (f->easy)
		f->library.cleanup(f->easy);
	if (f->multi)
		f->library.multi_cleanup(f->multi);
	wk_free(f);
}

static bool find_calls(struct library *library, void *loaded, struct wk_err *err)
{
	static const struct {
		const char *name;
		size_t at;
	} calls[] = {
		{ "curl_global_init", offsetof(struct library, global_init) },
		{ "curl_easy_init", offsetof(struct library, init) },
		{ "curl_easy_setopt", offsetof(struct library, setopt) },
		{ "curl_easy_getinfo", offsetof(struct library, getinfo) },
		{ "curl_easy_strerror", offsetof(struct library, strerror) },
		{ "curl_easy_cleanup", offsetof(struct library, cleanup) },
		{ "curl_multi_init", offsetof(struct library, multi_init) },
		{ "curl_multi_add_handle", offsetof(struct library, multi_add) },
		{ "curl_multi_remove_handle", offsetof(struct library, multi_remove) },
		{ "curl_multi_perform", offsetof(struct library, multi_perform) },
		{ "curl_multi_wait", offsetof(struct library, multi_wait) },
		{ "curl_multi_info_read", offsetof(struct library, multi_read) },
		{ "curl_multi_cleanup", offsetof(struct library, multi_cleanup) },
	};
	void *better;

	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		void *call = dlsym(loaded, calls[i].name);

		if (!call)
			return wk_fail(err, WK_EUNSUPPORTED, WK_NOWHERE, "libcurl has no %s",
				       calls[i].name);
		memcpy((char *)library + calls[i].at, &call, sizeof(call));
	}
	/* It waits also where there is no connection yet; libraries before 7.66 do not have it. */
	better = dlsym(loaded, "curl_multi_poll");
	if (better)
		memcpy(&library->multi_wait, &better, sizeof(better));
	return true;
}

/* Debian has it twice, for one TLS library or another. */
static bool load(struct library *library, struct wk_err *err)
{
	void *loaded = dlopen("libcurl.so.4", RTLD_NOW | RTLD_LOCAL);

	if (!loaded)
		loaded = dlopen("libcurl-gnutls.so.4", RTLD_NOW | RTLD_LOCAL);
	if (!loaded && wk_fetch_lacks_files(err))
		return false;
	if (!loaded)
		return wk_fail(err, WK_EUNSUPPORTED, WK_NOWHERE,
			       "libcurl.so.4 is missing, which asks symbol servers (package "
			       "libcurl4 or libcurl)");
	return find_calls(library, loaded, err);
}

static long status_of(const struct wk_fetcher *f)
{
	long status = 0;

	f->library.getinfo(f->easy, CURLINFO_RESPONSE_CODE, &status);
	return status;
}

/* Servers may pack what they send, and little can be much. What came is counted a piece late at
 * most. */
static bool is_in_proportion(const struct wk_fetcher *f, size_t len)
{
	curl_off_t packed = 0;

	f->library.getinfo(f->easy, CURLINFO_SIZE_DOWNLOAD_T, &packed);
	return f->done_bytes + len <= wk_unpack_limit_of(packed > 0 ? (uint64_t)packed : 0);
}

/* The time in which it waits for others is not the server's. */
static bool wait_for_turn(struct wk_fetcher *f)
{
	uint64_t begun_ns = wk_os_clock_ns(), waited_ns;

	f->has_turn = f->wait_for_turn(f->turns, f->fetch);
	f->has_no_turn = !f->has_turn;
	waited_ns = wk_os_clock_ns() - begun_ns;
	f->begun_ns += waited_ns;
	f->window_ns += waited_ns;
	return f->has_turn;
}

static size_t on_bytes(char *bytes, size_t size, size_t count, void *context)
{
	struct wk_fetcher *f = context;
	size_t len = size * count;

	if (status_of(f) >= 400) {
		f->page_bytes += len;
		return f->page_bytes <= MOST_PAGE_BYTES ? len : 0;
	}
	f->is_bomb = !is_in_proportion(f, len);
	if (f->is_bomb)
		return 0;
	if (len > f->most_bytes - f->done_bytes) {
		f->is_too_large = true;
		return 0;
	}
	if (f->wait_for_turn && !f->has_turn && f->done_bytes + len > f->free_bytes &&
	    !wait_for_turn(f))
		return 0;
	if (!wk_os_write(f->fetch->fd, bytes, len)) {
		f->write_errno = errno ? errno : EIO;
		return 0;
	}
	f->done_bytes += len;
	return len;
}

static bool is_stopped(const struct wk_fetcher *f)
{
	return f->is_stopped && f->is_stopped(f->context);
}

/* Time in which this machine had something else to do is not the server's. */
static bool page_goes_on(struct wk_fetcher *f, uint64_t now_ns)
{
	uint64_t step_ns = f->page_seen_ns ? now_ns - f->page_seen_ns : 0;

	f->page_seen_ns = now_ns;
	f->page_ns += step_ns < MOST_STEP_NS ? step_ns : MOST_STEP_NS;
	f->is_page_slow = f->page_ns >= MOST_PAGE_NS;
	return !f->is_page_slow;
}

/* Is there something to wait for? Asked about once a second, also where nothing comes. */
static bool goes_on(struct wk_fetcher *f)
{
	uint64_t now_ns = wk_os_clock_ns();
	uint64_t came = f->done_bytes - f->window_bytes, for_ns = now_ns - f->begun_ns;

	f->is_too_long = f->whole_seconds ? for_ns > f->whole_seconds * SECOND_NS
					  : wk_fetch_is_hopeless(for_ns, f->done_bytes);
	if (status_of(f) >= 400)
		return page_goes_on(f, now_ns);
	if (now_ns - f->window_ns > f->wait_seconds * SECOND_NS) {
		f->is_too_slow = came < (uint64_t)f->wait_seconds * LEAST_RATE;
		f->window_ns = now_ns;
		f->window_bytes = f->done_bytes;
	}
	return !f->is_too_slow && !f->is_too_long;
}

static void report_progress(const struct wk_fetcher *f, bool is_done)
{
	struct wk_remote_progress progress = {
		.url = f->fetch->shown_url,
		.name = f->fetch->name,
		.done_bytes = f->done_bytes,
		.whole_bytes = f->whole_bytes,
		.is_done = is_done,
	};

	if (f->progress)
		f->progress(f->context, &progress);
}

static int on_progress(void *context, curl_off_t whole, curl_off_t done, curl_off_t up_whole,
		       curl_off_t up_done)
{
	struct wk_fetcher *f = context;

	(void)done;
	(void)up_whole;
	(void)up_done;
	f->whole_bytes = whole > 0 ? (uint64_t)whole : 0;
	report_progress(f, false);
	return goes_on(f) && !is_stopped(f) ? 0 : 1;
}

static void set_up(struct wk_fetcher *f)
{
	CURLcode (*set)(CURL * easy, CURLoption option, ...) = f->library.setopt;
	CURL *easy = f->easy;

	set(easy, CURLOPT_NOSIGNAL, 1L);
	set(easy, CURLOPT_FOLLOWLOCATION, 1L);
	set(easy, CURLOPT_MAXREDIRS, MOST_REDIRECTS);
	set(easy, CURLOPT_PROTOCOLS, (long)(CURLPROTO_HTTP | CURLPROTO_HTTPS));
	set(easy, CURLOPT_SSL_VERIFYPEER, 1L);
	set(easy, CURLOPT_SSL_VERIFYHOST, 2L);
	set(easy, CURLOPT_CONNECTTIMEOUT, CONNECT_SECONDS);
	set(easy, CURLOPT_ACCEPT_ENCODING, "");
	set(easy, CURLOPT_USERAGENT, AGENT);
	set(easy, CURLOPT_WRITEFUNCTION, on_bytes);
	set(easy, CURLOPT_WRITEDATA, f);
	set(easy, CURLOPT_NOPROGRESS, 0L);
	set(easy, CURLOPT_XFERINFOFUNCTION, on_progress);
	set(easy, CURLOPT_XFERINFODATA, f);
	set(easy, CURLOPT_ERRORBUFFER, f->message);
}

bool wk_fetcher_make_ready(struct wk_fetcher *f, struct wk_err *err)
{
	if (!f->is_loaded) {
		f->is_loaded = true;
		f->is_impossible = !load(&f->library, &f->why_impossible) ||
				   f->library.global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK;
	}
	if (!f->is_impossible && !f->easy) {
		f->easy = f->library.init();
		f->multi = f->library.multi_init();
		f->is_impossible = !f->easy || !f->multi;
		if (f->easy)
			set_up(f);
	}
	if (f->is_impossible && !wk_fetch_lacks_files(err))
		wk_fail(err, WK_EUNSUPPORTED, WK_NOWHERE, "%s",
			f->why_impossible.code ? f->why_impossible.text
					       : "libcurl cannot be made ready");
	return !f->is_impossible;
}

static void begin(struct wk_fetcher *f, const struct wk_fetch *fetch)
{
	bool is_https = strncmp(fetch->url, "https:", strlen("https:")) == 0;

	f->fetch = fetch;
	f->most_bytes = fetch->most_bytes ? fetch->most_bytes : f->most_of_any;
	f->done_bytes = f->whole_bytes = f->window_bytes = 0;
	f->begun_ns = f->window_ns = wk_os_clock_ns();
	f->page_bytes = f->page_ns = f->page_seen_ns = 0;
	f->is_too_large = f->is_too_slow = f->is_too_long = f->is_bomb = f->is_page_slow = false;
	f->has_turn = f->has_no_turn = false;
	f->write_errno = 0;
	f->message[0] = '\0';
	f->library.setopt(f->easy, CURLOPT_URL, fetch->url);
	f->library.setopt(f->easy, CURLOPT_MAXFILESIZE_LARGE, (curl_off_t)f->most_bytes);
	f->library.setopt(f->easy, CURLOPT_REDIR_PROTOCOLS,
			  is_https ? (long)CURLPROTO_HTTPS
				   : (long)(CURLPROTO_HTTP | CURLPROTO_HTTPS));
}

static enum wk_fetched too_large(const struct wk_fetcher *f, CURLcode code, struct wk_err *err)
{
	struct wk_buf most = { 0 };

	bool is_told = code == CURLE_FILESIZE_EXCEEDED || f->whole_bytes;

	wk_num_add_bytes(&most, f->most_bytes);
	wk_fail(err, WK_EIO, WK_NOWHERE,
		is_told ? "it is larger than %s"
			: "it sent more than %s and no end, so it is not asked again",
		wk_buf_text(&most));
	wk_buf_fini(&most);
	return is_told ? WK_FETCH_FAILED : WK_FETCH_ENDLESS;
}

static enum wk_fetched out_of_proportion(struct wk_err *err)
{
	wk_fail(err, WK_EIO, WK_NOWHERE,
		"what it sent unpacks to hundreds of times its size, so it is not asked again");
	return WK_FETCH_ENDLESS;
}

static enum wk_fetched too_slow(const struct wk_fetcher *f, struct wk_err *err)
{
	if (f->done_bytes == 0)
		wk_fail(err, WK_EIO, WK_NOWHERE, "it sent nothing for %u seconds", f->wait_seconds);
	else
		wk_fail(err, WK_EIO, WK_NOWHERE, "it sent next to nothing for %u seconds",
			f->wait_seconds);
	return WK_FETCH_UNREACHABLE;
}

static enum wk_fetched refused(long status, struct wk_err *err)
{
	if (status == 404 || status == 410) {
		wk_fail(err, WK_ENOTFOUND, WK_NOWHERE, "it does not have it");
		return WK_FETCH_NOT_THERE;
	}
	wk_fail(err, WK_EIO, WK_NOWHERE, "it answered with HTTP status %ld", status);
	return status == 401 || status == 403 ? WK_FETCH_FORBIDDEN : WK_FETCH_FAILED;
}

/* Who makes each of many files wait for a page that nobody reads says so once. */
static enum wk_fetched page_too_slow(long status, struct wk_err *err)
{
	wk_fail(err, WK_EIO, WK_NOWHERE,
		"it answered with HTTP status %ld and came to no end of it within %u seconds, so "
		"it is not asked again",
		status, (unsigned)(MOST_PAGE_NS / SECOND_NS));
	return WK_FETCH_ENDLESS;
}

/* What libcurl says, too, where it could have no socket, or read no certificates. */
static bool may_lack_files(CURLcode code)
{
	return code == CURLE_COULDNT_CONNECT || code == CURLE_COULDNT_RESOLVE_HOST ||
	       code == CURLE_COULDNT_RESOLVE_PROXY || code == CURLE_FAILED_INIT ||
	       code == CURLE_OUT_OF_MEMORY || code == CURLE_SSL_CACERT_BADFILE;
}

static enum wk_fetched failed(const struct wk_fetcher *f, CURLcode code, struct wk_err *err)
{
	if (f->is_too_long && f->whole_seconds)
		wk_fail(err, WK_EIO, WK_NOWHERE, "it took longer than %u seconds",
			f->whole_seconds);
	else if (f->is_too_long)
		wk_fail(err, WK_EIO, WK_NOWHERE,
			"it sent less than 32 KiB a second for a quarter of an hour");
	else if (f->write_errno)
		wk_fail_os(err, f->write_errno, "what it sent cannot be kept");
	else
		wk_fail(err, WK_EIO, WK_NOWHERE, "%s",
			f->message[0] ? f->message : f->library.strerror(code));
	return code == CURLE_COULDNT_CONNECT || code == CURLE_COULDNT_RESOLVE_HOST ||
			       code == CURLE_COULDNT_RESOLVE_PROXY ||
			       code == CURLE_OPERATION_TIMEDOUT ||
			       code == CURLE_SSL_CONNECT_ERROR ||
			       code == CURLE_PEER_FAILED_VERIFICATION
		       ? WK_FETCH_UNREACHABLE
		       : WK_FETCH_FAILED;
}

static enum wk_fetched outcome(const struct wk_fetcher *f, CURLcode code, struct wk_err *err)
{
	long status = status_of(f);

	if (status >= 400 && f->is_page_slow)
		return page_too_slow(status, err);
	if (status >= 400)
		return refused(status, err);
	if (code == CURLE_OK)
		return WK_FETCH_DONE;
	if (f->has_no_turn)
		return WK_FETCH_IN_VAIN;
	if (f->is_bomb)
		return out_of_proportion(err);
	if (f->is_too_large || code == CURLE_FILESIZE_EXCEEDED)
		return too_large(f, code, err);
	if (f->is_too_slow)
		return too_slow(f, err);
	if (may_lack_files(code) && wk_fetch_lacks_files(err))
		return WK_FETCH_IMPOSSIBLE;
	return failed(f, code, err);
}

static enum wk_fetched stopped(struct wk_err *err)
{
	wk_fail(err, WK_EIO, WK_NOWHERE, "fetching was stopped");
	return WK_FETCH_STOPPED;
}

/* Until it is there, or will not come. */
static CURLcode perform(struct wk_fetcher *f)
{
	const struct library *call = &f->library;
	CURLcode code = CURLE_ABORTED_BY_CALLBACK;
	const CURLMsg *message;
	int running = 1, left;

	if (call->multi_add(f->multi, f->easy) != CURLM_OK)
		return CURLE_FAILED_INIT;
	while (call->multi_perform(f->multi, &running) == CURLM_OK && running && !is_stopped(f))
		call->multi_wait(f->multi, NULL, 0, WAIT_MS, NULL);
	while ((message = call->multi_read(f->multi, &left)))
		if (message->msg == CURLMSG_DONE)
			code = message->data.result;
	call->multi_remove(f->multi, f->easy);
	return code;
}

enum wk_fetched wk_fetch(struct wk_fetcher *f, const struct wk_fetch *fetch, struct wk_err *err)
{
	CURLcode code;

	if (is_stopped(f))
		return stopped(err);
	if (!wk_fetcher_make_ready(f, err))
		return WK_FETCH_IMPOSSIBLE;
	begin(f, fetch);
	code = perform(f);
	report_progress(f, true);
	if (code != CURLE_OK && is_stopped(f))
		return stopped(err);
	return outcome(f, code, err);
}
