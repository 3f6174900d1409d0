/* Services, their processes, and their threads. */
#include <inttypes.h>

#include "base/mem.h"
#include "formats/etl/config/facts.h"

#define MOST_NAME   256 /* characters that the service manager accepts */
#define MOST_LISTED 64  /* of a process; a dozen share one in real traces */

static const struct wk_etl_section services = { WK_ETL_PART_SERVICES, WK_STR("services") };

static const char *state_name(uint32_t state)
{
	static const char *const names[] = { NULL, "stopped", "starting", "stopping", "running",
					     "continuing", "pausing", "paused" };

	return state && state < sizeof(names) / sizeof(names[0]) ? names[state]
								 : "in no known state";
}

static void add_service(struct wk_etl_config *config, struct wk_etl_service service)
{
	size_t row = config->service_count;
	uint32_t *last;

	WK_RESERVE(config->services, config->service_cap, row + 1);
	if (service.pid) {
		last = wk_map_at(&config->services_of_pid, service.pid);
		service.next = *last;
		*last = (uint32_t)row + 1;
	}
	if (service.tag)
		wk_map_set(&config->service_of_tag, service.tag, (uint32_t)row + 1);
	config->services[row] = service;
	config->service_count++;
}

/* "running in process 1104 (svchost.exe): Themes, of the group ProfSvc_Group". */
static void describe(struct wk_buf *text, const struct wk_etl_service *service,
		     struct wk_str display, struct wk_str program, struct wk_str group)
{
	wk_buf_add_text(text, state_name(service->state));
	if (service->pid)
		wk_buf_add_fmt(text, " in process %" PRIu32, service->pid);
	if (program.len)
		wk_buf_add_fmt(text, " (%s)", program.at);
	if (display.len)
		wk_buf_add_fmt(text, ": %s", display.at);
	if (group.len)
		wk_buf_add_fmt(text, ", of the group %s", group.at);
}

/* Longer texts are not names of services, and would be repeated for each of their threads. */
static struct wk_bytes read_name(struct wk_bytes *in)
{
	struct wk_bytes name = wk_utf16_text(in);

	if (wk_bytes_left(&name) > 2 * MOST_NAME)
		name.end = name.at + 2 * MOST_NAME;
	return name;
}

/* Older versions have another layout; no file was available. */
bool wk_etl_read_service(struct wk_etl_config *config, struct wk_bytes in)
{
	struct wk_etl_service service = { .pid = wk_u32le(&in) };
	struct wk_str display, program, group;
	struct wk_buf text = { 0 };

	if (config->form.version < 2)
		return true;
	service.state = wk_u32le(&in);
	service.tag = wk_u32le(&in);
	if (in.bad || wk_bytes_left(&in) < 2)
		return false;
	service.name = wk_utf16_copy(config->texts, read_name(&in));
	display = wk_utf16_copy(config->texts, wk_utf16_text(&in));
	program = wk_utf16_copy(config->texts, wk_utf16_text(&in));
	group = wk_utf16_copy(config->texts, wk_utf16_text(&in));
	add_service(config, service);
	describe(&text, &service, display, program, group);
	wk_etl_fact_add(config, services, service.name, wk_buf_str(&text));
	wk_buf_fini(&text);
	return true;
}

struct wk_str wk_etl_service_of_tag(const struct wk_etl_config *config, uint32_t tag)
{
	uint32_t row = tag ? wk_map_find(&config->service_of_tag, tag) : 0;

	return row ? config->services[row - 1].name : (struct wk_str){ 0 };
}

static struct wk_str join_services(const struct wk_etl_config *config, size_t row)
{
	struct wk_buf text = { 0 };
	struct wk_str copy;

	for (unsigned listed = 0; row; row = config->services[row - 1].next) {
		wk_buf_add_text(&text, listed ? ", " : "");
		if (listed++ == MOST_LISTED) {
			wk_buf_add_text(&text, "...");
			break;
		}
		wk_buf_add_str(&text, config->services[row - 1].name);
	}
	copy = wk_arena_copy(config->texts, wk_buf_str(&text));
	wk_buf_fini(&text);
	return copy;
}

struct wk_str wk_etl_services_of(const struct wk_etl_config *config, uint32_t pid)
{
	size_t last = pid ? wk_map_find(&config->services_of_pid, pid) : 0;
	struct wk_str *joined;

	if (!last)
		return (struct wk_str){ 0 };
	joined = &config->services[last - 1].joined;
	if (!joined->at)
		*joined = join_services(config, last);
	return *joined;
}
