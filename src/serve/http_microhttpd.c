#include "serve/http.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <microhttpd.h>

#include "base/library_calls.h"
#include "base/mem.h"
#include "os/os.h"

#define LIBRARY "libmicrohttpd.so.12"

/* Loaded when it is first needed, as most runs of wick do not. */
#define CALLS(_)                                                                                   \
	_(start_daemon) _(stop_daemon) _(run_wait) _(get_daemon_info) _(get_connection_info)       \
	_(get_connection_values) _(suspend_connection) _(resume_connection) _(queue_response)      \
	_(create_response_from_buffer) _(add_response_header) _(destroy_response)

struct library {
#define POINTER(name) __typeof__(MHD_##name) *name;
	CALLS(POINTER)
};

#define SECOND_NS UINT64_C(1000000000)

#define MOST_CONNECTIONS  256u /* beyond them the system makes clients wait */
#define MANY_CONNECTIONS  192u /* beyond them idle ones are closed */
#define MOST_HEADER_BYTES ((size_t)32 << 10)
#define REQUEST_NS        (15 * SECOND_NS) /* for a request to be complete */
#define ANSWER_SECONDS    30u              /* for a client that reads nothing of its answer */

/* Those without a complete request are in a list, the one that waits longest first. */
struct connection {
	struct connection *prev, *next;
	uint64_t since_ns;
	int fd;
	bool is_idle;
};

enum state { IN_HEADERS, IN_BODY, WAITS, IS_ANSWERED };

struct wk_http_exchange {
	struct wk_http_exchange *prev, *next; /* of all */
	struct wk_http *http;
	struct MHD_Connection *connection;
	struct wk_request request;
	struct wk_http_answer answer;
	enum state state;
};

struct wk_http {
	struct library library;
	struct wk_http_options options;
	struct wk_site site;
	struct MHD_Daemon *daemon;
	struct wk_buf address;
	struct wk_http_exchange exchanges; /* the ends of its list */
	struct connection connections;
	unsigned connection_count;
	bool is_ending; /* requests are refused */
};

/* ---- connections */

static void unlink_connection(struct connection *connection)
{
	connection->prev->next = connection->next;
	connection->next->prev = connection->prev;
}

static void link_idle(struct wk_http *http, struct connection *connection)
{
	connection->is_idle = true;
	connection->since_ns = wk_os_clock_ns();
	connection->prev = http->connections.prev;
	connection->next = &http->connections;
	connection->prev->next = connection->next->prev = connection;
}

static void set_busy(struct connection *connection)
{
	if (connection->is_idle)
		unlink_connection(connection);
	connection->is_idle = false;
}

/* The library notices, and closes it. */
static void shut_idle(struct wk_http *http)
{
	uint64_t now_ns = wk_os_clock_ns();
	unsigned count = http->connection_count;

	for (struct connection *oldest = http->connections.next; oldest != &http->connections;
	     oldest = oldest->next) {
		if (now_ns - oldest->since_ns < REQUEST_NS && count <= MANY_CONNECTIONS)
			return;
		shutdown(oldest->fd, SHUT_RDWR);
		count--;
	}
}

/* ---- callbacks of the library, which must not be left by a jump: base/mem.h */

struct call {
	struct wk_http *http;
	struct MHD_Connection *connection;
	void **state; /* of the connection or the request */
	const char *text;
	size_t size_bytes;
	enum MHD_Result result;
};

static enum MHD_Result guarded(void (*run)(void *call), struct call *call)
{
	call->result = MHD_NO;
	return wk_heap_run(wk_heap_current(), run, call) ? call->result : MHD_NO;
}

struct peer {
	uint16_t port, own_port;
	bool is_foreign;
};

static void look_at_peer(void *context)
{
	struct peer *peer = context;

	peer->is_foreign = wk_os_is_foreign_peer(peer->port, peer->own_port);
}

/* Other users of the machine can see the address of the page in the list of processes while the
 * browser is started, so the token alone does not keep them out. */
static enum MHD_Result accept_connection(void *context, const struct sockaddr *from,
					 socklen_t from_bytes)
{
	const struct wk_http *http = context;
	struct sockaddr_in address = { 0 };
	struct peer peer = { .own_port = http->site.port, .is_foreign = true };

	if (from_bytes == sizeof(address))
		memcpy(&address, from, sizeof(address));
	/* From 127.0.0.2, say, it would not be found. */
	if (address.sin_addr.s_addr != htonl(INADDR_LOOPBACK))
		return MHD_NO;
	peer.port = ntohs(address.sin_port);
	return wk_heap_run(wk_heap_current(), look_at_peer, &peer) && !peer.is_foreign ? MHD_YES
										       : MHD_NO;
}

static void add_connection(void *context)
{
	struct call *call = context;
	struct connection *connection = wk_alloc_zeroed(1, sizeof(*connection));
	const union MHD_ConnectionInfo *info = call->http->library.get_connection_info(
		call->connection, MHD_CONNECTION_INFO_CONNECTION_FD);

	connection->fd = info ? info->connect_fd : -1;
	link_idle(call->http, connection);
	call->http->connection_count++;
	*call->state = connection;
}

static void remove_connection(struct wk_http *http, struct connection *connection)
{
	if (!connection)
		return;
	set_busy(connection);
	http->connection_count--;
	wk_free(connection);
}

static void note_connection(void *context, struct MHD_Connection *connection, void **state,
			    enum MHD_ConnectionNotificationCode code)
{
	struct call call = { .http = context, .connection = connection, .state = state };

	if (code == MHD_CONNECTION_NOTIFY_STARTED)
		guarded(add_connection, &call);
	else
		remove_connection(context, *state);
}

static void begin_exchange(void *context)
{
	struct call *call = context;
	struct wk_http_exchange *exchange = wk_alloc_zeroed(1, sizeof(*exchange));
	struct wk_http_exchange *ends = &call->http->exchanges;

	*exchange = (struct wk_http_exchange){
		.http = call->http, .connection = call->connection, .prev = ends->prev, .next = ends };
	exchange->prev->next = ends->prev = exchange;
	*call->state = exchange;
	wk_buf_add_text(&exchange->request.target, call->text);
}

/* A request begins: its line was read, and the target in it is as it was sent. */
static void *note_target(void *context, const char *target, struct MHD_Connection *connection)
{
	void *exchange = NULL;
	struct call call = { .http = context, .connection = connection, .state = &exchange,
			     .text = target };

	guarded(begin_exchange, &call);
	return exchange;
}

static struct connection *connection_of(const struct wk_http_exchange *exchange)
{
	const union MHD_ConnectionInfo *info = exchange->http->library.get_connection_info(
		exchange->connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);

	return info ? info->socket_context : NULL;
}

/* The answer was sent, or the client went away. */
static void end_exchange(void *context, struct MHD_Connection *connection, void **state,
			 enum MHD_RequestTerminationCode code)
{
	struct wk_http_exchange *exchange = *state;
	struct connection *idle;

	(void)connection;
	(void)code;
	if (!exchange)
		return;
	idle = connection_of(exchange);
	if (idle) {
		set_busy(idle);
		link_idle(context, idle);
	}
	if (exchange->answer.release)
		exchange->answer.release(exchange->answer.owner);
	exchange->prev->next = exchange->next;
	exchange->next->prev = exchange->prev;
	wk_request_fini(&exchange->request);
	wk_free(exchange);
}

/* ---- answers */

static const struct {
	const char *name, *value;
} headers[] = {
	{ "X-Content-Type-Options", "nosniff" },
	{ "Referrer-Policy", "no-referrer" },
	{ "Cross-Origin-Resource-Policy", "same-origin" },
	{ "Cross-Origin-Opener-Policy", "same-origin" },
	{ "X-Frame-Options", "DENY" },
	{ "Cache-Control", "no-store" },
};

static enum MHD_Result send_answer(struct wk_http_exchange *exchange)
{
	const struct library *mhd = &exchange->http->library;
	const struct wk_http_answer *answer = &exchange->answer;
	struct MHD_Response *response = mhd->create_response_from_buffer(
		answer->body.len, (void *)(uintptr_t)answer->body.at, MHD_RESPMEM_PERSISTENT);
	enum MHD_Result result;

	if (!response)
		return MHD_NO;
	for (size_t i = 0; i < sizeof(headers) / sizeof(headers[0]); i++)
		mhd->add_response_header(response, headers[i].name, headers[i].value);
	mhd->add_response_header(response, "Content-Security-Policy",
				 exchange->http->options.policy);
	mhd->add_response_header(response, "Content-Type", answer->type);
	if (answer->is_packed)
		mhd->add_response_header(response, "Content-Encoding", "gzip");
	if (answer->status == MHD_HTTP_METHOD_NOT_ALLOWED)
		mhd->add_response_header(response, "Allow", "GET, POST");
	result = mhd->queue_response(exchange->connection, answer->status, response);
	mhd->destroy_response(response);
	return result;
}

static const char *refusal_text(unsigned status)
{
	switch (status) {
	case 403:
		return "the Host or Origin of the request is not this server\n";
	case 404:
		return "not found\n";
	case 405:
		return "only GET and POST are answered\n";
	case 411:
		return "a POST needs a Content-Length\n";
	case 413:
		return "the request is larger than 1 MiB\n";
	}
	return status == 503 ? "wick is ending\n" : "the request is not valid\n";
}

static struct wk_http_answer refusal(unsigned status)
{
	return (struct wk_http_answer){
		.status = status,
		.type = "text/plain; charset=utf-8",
		.body = wk_str_c(refusal_text(status)),
	};
}

const struct wk_request *wk_http_request(const struct wk_http_exchange *exchange)
{
	return &exchange->request;
}

void wk_http_answer(struct wk_http_exchange *exchange, const struct wk_http_answer *answer)
{
	assert(exchange->state == WAITS);
	exchange->answer = *answer;
	exchange->state = IS_ANSWERED;
	exchange->http->library.resume_connection(exchange->connection);
}

/* ---- requests */

static enum MHD_Result take_header(void *request, enum MHD_ValueKind kind, const char *name,
				   const char *value)
{
	(void)kind;
	wk_request_header(request, name, value ? value : "");
	return MHD_YES;
}

static void check_headers(struct wk_http_exchange *exchange, const char *method)
{
	const struct wk_http *http = exchange->http;
	unsigned status;

	exchange->request.method = wk_str_c(method);
	http->library.get_connection_values(exchange->connection, MHD_HEADER_KIND, take_header,
					    &exchange->request);
	status = http->is_ending ? 503 : wk_request_refuse(&exchange->request, &http->site);
	exchange->state = status ? IS_ANSWERED : IN_BODY;
	if (status)
		exchange->answer = refusal(status);
}

/* Another thread may answer before `route` returns: the library allows to resume at any time. */
static void pass_on(void *context)
{
	struct call *call = context;
	struct wk_http_exchange *exchange = *call->state;

	exchange->state = WAITS;
	call->http->library.suspend_connection(exchange->connection);
	call->http->options.route(call->http->options.context, exchange);
	call->result = MHD_YES;
}

static void add_to_body(void *context)
{
	struct call *call = context;
	struct wk_http_exchange *exchange = *call->state;

	wk_buf_add(&exchange->request.body, call->text, call->size_bytes);
	call->result = MHD_YES;
}

/* Called for the headers, for each part of the body, at its end, and once there is an answer. A
 * body is not longer than its header said. */
static enum MHD_Result handle(void *context, struct MHD_Connection *connection, const char *path,
			      const char *method, const char *version, const char *part,
			      size_t *part_bytes, void **state)
{
	struct wk_http_exchange *exchange = *state;
	struct call call = { .http = context, .connection = connection, .state = state,
			     .text = part, .size_bytes = *part_bytes };
	struct connection *idle;

	(void)path;
	(void)version;
	if (!exchange)
		return MHD_NO;
	if (exchange->state == IN_HEADERS) {
		check_headers(exchange, method);
		return exchange->state == IS_ANSWERED ? send_answer(exchange) : MHD_YES;
	}
	if (exchange->state == IS_ANSWERED)
		return send_answer(exchange);
	*part_bytes = 0;
	if (call.size_bytes)
		return guarded(add_to_body, &call);
	idle = connection_of(exchange);
	if (idle)
		set_busy(idle);
	return guarded(pass_on, &call);
}

/* ---- the server */

static bool load(struct library *library, struct wk_err *err)
{
#define NAME(name) "MHD_" #name,
	static const char *const names[] = { CALLS(NAME) };
	void *loaded = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);

	/* The struct has a pointer for each name. */
	static_assert(sizeof(*library) == sizeof(names), "only pointers");
	if (loaded)
		return wk_library_calls(loaded, LIBRARY, names, sizeof(names) / sizeof(names[0]),
					library, err);
	return wk_fail(err, WK_EUNSUPPORTED, WK_NOWHERE,
		       "%s is missing, which serves the page (package libmicrohttpd12); `wick "
		       "report -o page.html` writes the page to a file",
		       LIBRARY);
}

static bool start(struct wk_http *http, struct wk_err *err)
{
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_port = htons(http->options.port) };
	const union MHD_DaemonInfo *info;

	at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	errno = 0;
	http->daemon = http->library.start_daemon(
		MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME, 0, accept_connection, http, handle, http,
		MHD_OPTION_SOCK_ADDR, &at, MHD_OPTION_CONNECTION_LIMIT, MOST_CONNECTIONS,
		MHD_OPTION_CONNECTION_MEMORY_LIMIT, MOST_HEADER_BYTES,
		MHD_OPTION_CONNECTION_TIMEOUT, ANSWER_SECONDS, MHD_OPTION_URI_LOG_CALLBACK,
		note_target, http, MHD_OPTION_NOTIFY_CONNECTION, note_connection, http,
		MHD_OPTION_NOTIFY_COMPLETED, end_exchange, http, MHD_OPTION_END);
	if (!http->daemon)
		return wk_fail_os(err, errno ? errno : EIO, "cannot listen on port %u of 127.0.0.1",
				  (unsigned)http->options.port);
	info = http->library.get_daemon_info(http->daemon, MHD_DAEMON_INFO_BIND_PORT);
	http->site.port = info ? info->port : http->options.port;
	return true;
}

struct wk_http *wk_http_new(const struct wk_http_options *options, struct wk_err *err)
{
	struct wk_http *http = wk_alloc_zeroed(1, sizeof(*http));

	http->options = *options;
	http->exchanges.prev = http->exchanges.next = &http->exchanges;
	http->connections.prev = http->connections.next = &http->connections;
	if (!load(&http->library, err))
		goto fail;
	if (!wk_site_init(&http->site)) {
		wk_fail(err, WK_EIO, WK_NOWHERE, "the system has no random bytes for a token");
		goto fail;
	}
	if (!start(http, err))
		goto fail;
	wk_buf_add_fmt(&http->address, "http://127.0.0.1:%u/%s/", (unsigned)http->site.port,
		       http->site.token);
	return http;
fail:
	wk_free(http);
	return NULL;
}

void wk_http_free(struct wk_http *http)
{
	const struct wk_http_answer ending = refusal(503);

	if (!http)
		return;
	http->is_ending = true;
	for (struct wk_http_exchange *each = http->exchanges.next; each != &http->exchanges;
	     each = each->next)
		if (each->state == WAITS)
			wk_http_answer(each, &ending);
	/* Once to continue the connections, once to write to them. */
	for (int i = 0; i < 2; i++)
		http->library.run_wait(http->daemon, 0);
	http->library.stop_daemon(http->daemon);
	wk_buf_fini(&http->address);
	wk_free(http);
}

const char *wk_http_address(const struct wk_http *http)
{
	return wk_buf_text(&http->address);
}

/* The library does not always notice that another thread has answered. */
#define ANSWER_MS 5

static bool is_waited_for(const struct wk_http *http)
{
	return http->exchanges.next != &http->exchanges;
}

void wk_http_run(struct wk_http *http, unsigned milliseconds)
{
	if (is_waited_for(http) && milliseconds > ANSWER_MS)
		milliseconds = ANSWER_MS;
	http->library.run_wait(http->daemon, (int32_t)milliseconds);
	wk_heap_check();
	shut_idle(http);
}
