#include "serve/view.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/text/utf8.h"
#include "os/os.h"
#include "render/page/page.h"
#include "serve/aggregates.h"
#include "serve/http.h"
#include "serve/loaded.h"
#include "serve/symbol_news.h"
#include "serve/worker.h"
#include "session/query/query.h"

#define TICK_MS         200
#define END_MS          200                         /* that each thread gets to end */
#define NEWS_NS         (20 * UINT64_C(1000000000)) /* after which symbols are reported anyway */
#define MOST_ROWS       100000
#define MOST_TEXT_BYTES ((size_t)64 << 20)

/* A request for news that waits for some. */
struct waiter {
	struct wk_http_exchange *exchange;
	uint64_t after; /* the last change that the client knows */
	uint64_t until_ns;
};

struct wk_view_server {
	struct wk_view_options options;
	struct wk_http *http;
	struct wk_worker *reader, *aggregator, *queries, *fetcher;
	struct wk_symbol_news *news;
	struct wk_os_lock *lock; /* of the next, and of its users */
	struct wk_loaded *loaded;
	struct waiter *waiters;
	size_t waiter_count, waiters_cap;
	struct wk_symbolizer remote; /* for the names of servers; zero: none is asked */
	struct wk_messages remote_messages;
	struct wk_buf policy; /* of all answers */
	atomic_bool is_ending;
	atomic_uint last_query; /* the number of the one that came last: it ends those before, and
				 * so does "cancel" */
};

static bool is_ending(void *context)
{
	return atomic_load(&((struct wk_view_server *)context)->is_ending);
}

/* ---- what is shown */

static struct wk_loaded *take_loaded(struct wk_view_server *server)
{
	struct wk_loaded *loaded;

	wk_os_lock_acquire(server->lock);
	loaded = server->loaded;
	loaded->users++;
	wk_os_lock_leave(server->lock);
	return loaded;
}

/* One more user of what is taken already. */
static struct wk_loaded *share_loaded(struct wk_view_server *server, struct wk_loaded *loaded)
{
	wk_os_lock_acquire(server->lock);
	loaded->users++;
	wk_os_lock_leave(server->lock);
	return loaded;
}

static void leave_loaded(struct wk_view_server *server, struct wk_loaded *loaded)
{
	bool is_last;

	wk_os_lock_acquire(server->lock);
	is_last = --loaded->users == 0;
	wk_os_lock_leave(server->lock);
	if (is_last)
		wk_loaded_free(loaded);
}

/* From now on this is shown. */
static void replace_loaded(struct wk_view_server *server, struct wk_loaded *loaded)
{
	struct wk_loaded *before;

	wk_os_lock_acquire(server->lock);
	before = server->loaded;
	server->loaded = loaded;
	wk_os_lock_leave(server->lock);
	leave_loaded(server, before);
}

/* ---- answers */

/* What is freed once an answer was sent: text of its own, or what it is a part of. */
struct answer {
	struct wk_view_server *server;
	struct wk_loaded *loaded; /* or NULL */
	struct wk_buf text;
};

static void release_answer(void *owner)
{
	struct answer *answer = owner;

	if (answer->loaded)
		leave_loaded(answer->server, answer->loaded);
	wk_buf_fini(&answer->text);
	wk_free(answer);
}

static void answer_with(struct wk_http_exchange *exchange, unsigned status, const char *type,
			struct wk_str body, bool is_packed, const struct answer *answer)
{
	struct answer *owner = wk_alloc(sizeof(*owner));

	*owner = *answer;
	wk_http_answer(exchange, &(struct wk_http_answer){ .status = status,
							   .type = type,
							   .body = body,
							   .is_packed = is_packed,
							   .release = release_answer,
							   .owner = owner });
}

static void send_json(struct wk_http_exchange *exchange, unsigned status, const struct wk_buf *json)
{
	answer_with(exchange, status, "application/json", wk_buf_str(json), false,
		    &(struct answer){ .text = *json });
}

static void send_error(struct wk_http_exchange *exchange, unsigned status, const char *sentence)
{
	struct wk_buf json = { 0 };
	struct wk_out out = wk_out_to_buf(&json);

	wk_out_text(&out, "{\"error\":");
	wk_out_json_quoted(&out, wk_str_c(sentence));
	wk_out_text(&out, "}\n");
	wk_out_end(&out);
	send_json(exchange, status, &json);
}

/* ---- jobs of threads */

struct task {
	struct wk_view_server *server;
	struct wk_http_exchange *exchange;
	void (*run)(const struct task *task, struct wk_loaded *loaded);
	unsigned query; /* its number, of a query */
};

/* Whether the client knows what is shown: ids of another generation mean something else. */
static bool knows(const struct task *task, const struct wk_loaded *loaded)
{
	struct wk_buf known = { 0 }, shown = { 0 };
	bool knows;

	wk_buf_add_fmt(&shown, "%u", loaded->generation);
	knows = !wk_request_argument(wk_http_request(task->exchange), "generation", &known) ||
		wk_str_eq(wk_buf_str(&known), wk_buf_str(&shown));
	WK_BUF_FINI_ALL(&known, &shown);
	return knows;
}

static void run_task(void *context)
{
	struct task *task = context;
	struct wk_loaded *loaded = take_loaded(task->server);

	if (is_ending(task->server))
		send_error(task->exchange, 503, "wick is ending");
	else if (!knows(task, loaded))
		send_error(task->exchange, 410, "the recording has got new names since");
	else
		task->run(task, loaded);
	leave_loaded(task->server, loaded);
	wk_free(task);
}

static void add_task(struct wk_view_server *server, struct wk_worker *worker,
		     struct wk_http_exchange *exchange,
		     void (*run)(const struct task *task, struct wk_loaded *loaded))
{
	struct task *task = wk_alloc(sizeof(*task));

	*task = (struct task){ server, exchange, run, 0 };
	if (worker == server->queries)
		task->query = atomic_fetch_add(&server->last_query, 1) + 1;
	if (wk_worker_add(worker, run_task, task))
		return;
	wk_free(task);
	send_error(exchange, 503, "too many requests wait; try again");
}

/* "block/NAME" */
static void send_block(const struct task *task, struct wk_loaded *loaded)
{
	const struct wk_request *request = wk_http_request(task->exchange);
	struct wk_str name = wk_str_skip(wk_request_route(request), strlen("block/")), bytes;
	bool is_packed = wk_request_accepts_gzip(request);

	if (!wk_loaded_block(loaded, name, &is_packed, &bytes)) {
		send_error(task->exchange, 404, "the recording has no such block");
		return;
	}
	answer_with(task->exchange, 200, "application/octet-stream", bytes, is_packed,
		    &(struct answer){ .server = task->server,
				      .loaded = share_loaded(task->server, loaded) });
}

/* "tree", "bins", "search" */
static void send_aggregate(const struct task *task, struct wk_loaded *loaded)
{
	struct answer answer = { 0 };
	struct wk_err err = { 0 };
	const char *type;

	if (wk_aggregates_answer(loaded->aggregates, wk_http_request(task->exchange), &answer.text,
				 &type, &err))
		answer_with(task->exchange, 200, type, wk_buf_str(&answer.text), false, &answer);
	else
		send_error(task->exchange, 400, err.text);
}

/* ---- queries */

static void send_table(struct wk_http_exchange *exchange, const struct wk_table *table)
{
	struct wk_buf json = { 0 };

	wk_page_json_table(table, &json);
	send_json(exchange, 200, &json);
}

/* Its reader is gone, or wants to know something else. */
static bool is_replaced(void *context)
{
	const struct task *task = context;

	return is_ending(task->server) || atomic_load(&task->server->last_query) != task->query;
}

/* Not 503, after which a client asks again: that would end the query that came instead. */
static unsigned query_status(enum wk_code code)
{
	if (code == WK_ESTOPPED)
		return 409;
	return code == WK_EUSAGE ? 400 : 500;
}

static void send_query(const struct task *task, struct wk_loaded *loaded)
{
	struct wk_view_server *server = task->server;
	struct task own = *task;
	const struct wk_query_limits limits = {
		.most_ns = server->options.query_ns,
		.most_rows = MOST_ROWS,
		.most_text_bytes = MOST_TEXT_BYTES,
		.is_stopped = is_replaced,
		.context = &own,
	};
	const struct wk_buf *statement = &wk_http_request(task->exchange)->body;
	struct wk_err err = { 0 };
	struct wk_table table;

	wk_table_init(&table, "query");
	if (!wk_utf8_is_text(wk_buf_str(statement)))
		send_error(task->exchange, 400, "a query is text in UTF-8");
	else if (wk_query_fill(&table, loaded->model, wk_buf_text(statement), &limits, &err))
		send_table(task->exchange, &table);
	else
		send_error(task->exchange, query_status(err.code), err.text);
	wk_table_fini(&table);
}

static void cancel_query(struct wk_view_server *server, struct wk_http_exchange *exchange)
{
	struct wk_buf json = { 0 };

	atomic_fetch_add(&server->last_query, 1);
	wk_buf_add_text(&json, "{}\n");
	send_json(exchange, 200, &json);
}

/* ---- source code */

/* Which samples count: as the view was started, and what the request narrows. */
struct asked_filter {
	struct wk_buf process, thread, time, expression, event;
};

static struct wk_filter_spec filter_of(const struct task *task, struct asked_filter *asked)
{
	struct wk_filter_spec filter = *task->server->options.report->filter;
	const struct {
		const char *name;
		struct wk_buf *text;
		const char **field;
	} arguments[] = {
		{ "process", &asked->process, &filter.process },
		{ "thread", &asked->thread, &filter.thread },
		{ "time", &asked->time, &filter.time },
		{ "filter", &asked->expression, &filter.expression },
		{ "by", &asked->event, &filter.source },
	};

	for (size_t i = 0; i < sizeof(arguments) / sizeof(arguments[0]); i++)
		if (wk_request_argument(wk_http_request(task->exchange), arguments[i].name,
					arguments[i].text))
			*arguments[i].field = wk_buf_text(arguments[i].text);
	return filter;
}

static void asked_filter_fini(struct asked_filter *asked)
{
	WK_BUF_FINI_ALL(&asked->process, &asked->thread, &asked->time, &asked->expression,
			&asked->event);
}

static void send_annotation(const struct task *task, struct wk_loaded *loaded)
{
	struct asked_filter asked = { 0 };
	struct wk_filter_spec filter = filter_of(task, &asked);
	struct wk_buf function = { 0 }, json = { 0 };
	struct wk_out out = wk_out_to_buf(&json);

	if (wk_request_argument(wk_http_request(task->exchange), "function", &function) &&
	    function.len) {
		wk_loaded_annotate(loaded, wk_buf_text(&function), &filter,
				   task->server->options.folders, &out);
		wk_out_end(&out);
		send_json(task->exchange, 200, &json);
	} else {
		send_error(task->exchange, 400, "the argument \"function\" is missing");
	}
	wk_buf_fini(&function);
	asked_filter_fini(&asked);
}

/* ---- symbols */

static void send_symbols(const struct task *task, struct wk_loaded *loaded)
{
	const char *const *paths = task->server->options.paths;
	struct wk_buf json = { 0 };
	struct wk_out out = wk_out_to_buf(&json);

	wk_out_fmt(&out, "{\"generation\":%u,", loaded->generation);
	wk_symbol_news_write(task->server->news, &out);
	wk_out_text(&out, ",\n\"modules\":");
	wk_out_str(&out, wk_loaded_modules(loaded, paths[0]));
	wk_out_text(&out, "}\n");
	wk_out_end(&out);
	send_json(task->exchange, 200, &json);
}

static void add_waiter(struct wk_view_server *server, struct wk_http_exchange *exchange)
{
	struct wk_buf text = { 0 };
	uint64_t after = 0;

	if (wk_request_argument(wk_http_request(exchange), "after", &text) &&
	    !wk_num_u64(wk_buf_str(&text), &after))
		send_error(exchange, 400, "\"after\" is not a number");
	else
		*WK_APPEND(server->waiters, server->waiter_count, server->waiters_cap) =
			(struct waiter){ exchange, after, wk_os_clock_ns() + NEWS_NS };
	wk_buf_fini(&text);
}

/* Those for whom there is something new, or who waited long enough. */
static void answer_waiters(struct wk_view_server *server)
{
	uint64_t change = server->waiter_count ? wk_symbol_news_change(server->news) : 0;
	uint64_t now_ns = wk_os_clock_ns();
	size_t kept = 0;

	for (size_t i = 0; i < server->waiter_count; i++) {
		struct waiter *waiter = &server->waiters[i];

		if (change == waiter->after && now_ns < waiter->until_ns)
			server->waiters[kept++] = *waiter;
		else
			add_task(server, server->reader, waiter->exchange, send_symbols);
	}
	server->waiter_count = kept;
}

static void report_progress(void *context, const struct wk_fetch_status *status)
{
	wk_symbol_news_fetch(((struct wk_view_server *)context)->news, status);
}

static void note_complaints(struct wk_view_server *server, const struct wk_fetcher *fetcher)
{
	struct wk_fetch_source source;

	for (int family = 0; family < WK_FETCH_FAMILIES; family++)
		for (size_t i = 0; wk_fetcher_source(fetcher, family, i, &source); i++)
			if (source.complaint) {
				struct wk_buf words = { 0 };

				wk_buf_add_fmt(&words, "%s: %s", source.shown, source.complaint);
				wk_symbol_news_complain(server->news, wk_buf_text(&words));
				wk_buf_fini(&words);
			}
}

/* Opens the recording again, with names of servers. */
static void fetch(void *context)
{
	struct wk_view_server *server = context;
	struct wk_err err = { 0 };
	struct wk_loaded *loaded;

	loaded = wk_loaded_new(&server->options, server->options.open, &server->remote, 2,
			       &server->remote_messages, &err);
	if (loaded)
		note_complaints(server, loaded->symbolizer.remote.fetcher);
	else
		wk_symbol_news_complain(server->news, err.text);
	if (loaded)
		replace_loaded(server, loaded);
	wk_symbol_news_end(server->news);
}

/* ---- routes */

static void send_page(struct wk_view_server *server, struct wk_http_exchange *exchange)
{
	struct wk_loaded *loaded = take_loaded(server);

	answer_with(exchange, 200, "text/html; charset=utf-8", wk_buf_str(&loaded->page), false,
		    &(struct answer){ .server = server, .loaded = loaded });
}

static bool is_posted(struct wk_str path)
{
	return wk_str_is(path, "query") || wk_str_is(path, "cancel");
}

static void route(void *context, struct wk_http_exchange *exchange)
{
	struct wk_view_server *server = context;
	const struct wk_request *request = wk_http_request(exchange);
	struct wk_str path = wk_request_route(request);

	if (is_posted(path) != wk_request_is_post(request))
		send_error(exchange, 405, "queries are sent by POST, all else is read by GET");
	else if (wk_str_is(path, ""))
		send_page(server, exchange);
	else if (wk_str_starts(path, "block/"))
		add_task(server, server->reader, exchange, send_block);
	else if (wk_aggregates_has(path))
		add_task(server, server->aggregator, exchange, send_aggregate);
	else if (wk_str_is(path, "query"))
		add_task(server, server->queries, exchange, send_query);
	else if (wk_str_is(path, "cancel"))
		cancel_query(server, exchange);
	else if (wk_str_is(path, "annotate"))
		add_task(server, server->reader, exchange, send_annotation);
	else if (wk_str_is(path, "symbols"))
		add_waiter(server, exchange);
	else
		send_error(exchange, 404, "not found");
}

/* ---- the server */

static bool is_read_once(const char *const *paths)
{
	bool is_once = false;

	for (; *paths; paths++)
		is_once |= strcmp(*paths, "-") == 0;
	return is_once;
}

/* Servers may take long: the page is shown before they are asked, if the recording can be read
 * twice. */
static struct wk_loaded *open_first(struct wk_view_server *server, struct wk_err *err)
{
	const struct wk_view_options *options = &server->options;
	struct wk_open_options open = *options->open;
	struct wk_symbolizer symbolizer;
	struct wk_loaded *loaded = NULL;

	server->remote_messages = (struct wk_messages){
		.progress = report_progress, .is_stopped = is_ending, .context = server };
	if (!wk_symbolizer_open(&server->remote, &open.naming, &server->remote_messages, err))
		return NULL;
	open.naming.remote.offline =
		wk_symbols_asks_machines(server->remote.symbols) && !is_read_once(options->paths) &&
		!(options->before_paths && is_read_once(options->before_paths));
	if (!open.naming.remote.offline)
		wk_symbolizer_close(&server->remote);
	if (wk_symbolizer_open(&symbolizer, &open.naming, options->messages, err))
		loaded = wk_loaded_new(options, &open, &symbolizer, 1, options->messages, err);
	wk_symbolizer_close(&symbolizer);
	return loaded;
}

/* While the browser starts. */
static void prepare(void *context)
{
	struct wk_view_server *server = context;
	struct wk_loaded *loaded = take_loaded(server);

	if (loaded->sends_trees && !is_ending(server))
		wk_aggregates_prepare(loaded->aggregates);
	leave_loaded(server, loaded);
}

static bool start_threads(struct wk_view_server *server, struct wk_err *err)
{
	server->reader = wk_worker_new();
	server->aggregator = wk_worker_new();
	server->queries = wk_worker_new();
	server->fetcher = wk_worker_new();
	return (server->reader && server->aggregator && server->queries && server->fetcher) ||
	       wk_fail(err, WK_EIO, WK_NOWHERE, "the system cannot create a thread");
}

struct wk_view_server *wk_view_server_new(const struct wk_view_options *options, struct wk_err *err)
{
	struct wk_view_server *server = wk_alloc_zeroed(1, sizeof(*server));
	struct wk_http_options http = { .port = options->port, .route = route, .context = server };

	server->options = *options;
	server->lock = wk_os_lock_new();
	server->news = wk_symbol_news_new();
	server->loaded = open_first(server, err);
	if (!server->loaded || !start_threads(server, err))
		goto fail;
	wk_buf_add_fmt(&server->policy, "%s; connect-src 'self'; frame-ancestors 'none'",
		       wk_buf_text(&server->loaded->policy));
	http.policy = wk_buf_text(&server->policy);
	server->http = wk_http_new(&http, err);
	if (!server->http)
		goto fail;
	wk_worker_add(server->aggregator, prepare, server);
	if (server->remote.symbols) {
		wk_symbol_news_begin(server->news);
		wk_worker_add(server->fetcher, fetch, server);
	}
	return server;
fail:
	wk_view_server_free(server);
	return NULL;
}

const char *wk_view_server_address(const struct wk_view_server *server)
{
	return wk_http_address(server->http);
}

void wk_view_server_run(struct wk_view_server *server)
{
	wk_http_run(server->http, TICK_MS);
	answer_waiters(server);
}

bool wk_view_server_free(struct wk_view_server *server)
{
	struct wk_worker *const workers[] = { server->reader, server->aggregator, server->queries,
					      server->fetcher };
	const size_t count = sizeof(workers) / sizeof(workers[0]);

	atomic_store(&server->is_ending, true);
	for (size_t i = 0; i < count; i++)
		if (workers[i] && !wk_worker_is_idle(workers[i], END_MS))
			return false;
	for (size_t i = 0; i < count; i++)
		wk_worker_free(workers[i]);
	wk_http_free(server->http);
	wk_symbolizer_close(&server->remote);
	if (server->loaded)
		leave_loaded(server, server->loaded);
	wk_symbol_news_free(server->news);
	wk_os_lock_free(server->lock);
	wk_buf_fini(&server->policy);
	WK_FREE_ALL(server->waiters, server);
	return true;
}
