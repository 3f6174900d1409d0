/* The configuration in a Windows trace: facts about the machine and the trace in sections, and
 * services.
 *
 * Windows logs its configuration when a session ends (group 0x0b of the kernel's events), and the
 * merging of files adds what xperf and WPR know (SystemConfigEx, WinSAT). The table in hooks.c has
 * a reader for each of these records. When all have been read, wk_etl_config_facts returns the
 * facts in the order of display: the machine first, long lists last.
 *
 * Memory in proportion to the records; texts are in the arena that the config points to. */
#ifndef WK_FORMATS_ETL_CONFIG_CONFIG_H
#define WK_FORMATS_ETL_CONFIG_CONFIG_H

#include "base/arena.h"
#include "base/map.h"
#include "event/event.h"
#include "formats/etl/file/file.h"
#include "formats/etl/payload/payload.h"

/* In the order of display. */
enum wk_etl_part {
	WK_ETL_PART_MACHINE,
	WK_ETL_PART_TRACE,
	WK_ETL_PART_PLATFORM,
	WK_ETL_PART_POWER,
	WK_ETL_PART_DISPLAY,
	WK_ETL_PART_DISKS,
	WK_ETL_PART_VOLUMES,
	WK_ETL_PART_PATHS,
	WK_ETL_PART_NETWORK,
	WK_ETL_PART_WINSAT,
	WK_ETL_PART_SCORES, /* of WinSAT */
	WK_ETL_PART_PROCESSORS,
	WK_ETL_PART_IDE,
	WK_ETL_PART_INTERRUPTS,
	WK_ETL_PART_SERVICES,
	WK_ETL_PART_DEVICES,
};

struct wk_etl_fact {
	enum wk_etl_part part;
	struct wk_event_system event;
};

/* As the service manager numbers them. */
enum wk_etl_service_state {
	WK_ETL_SERVICE_STOPPED = 1,
	WK_ETL_SERVICE_RUNNING = 4,
};

struct wk_etl_service {
	uint32_t pid;   /* 0: in none */
	uint32_t state; /* enum wk_etl_service_state, or another value */
	uint32_t tag;   /* of its threads */
	struct wk_str name;
	size_t next;          /* of the same process, + 1 */
	struct wk_str joined; /* of the last one of a process: all names, after the first call */
};

#define WK_ETL_KERNEL_MASKS 8

struct wk_etl_config {
	struct wk_arena *texts;
	struct wk_etl_form form; /* of the record that is read */
	uint16_t id;             /* its hook's */
	struct wk_etl_fact *facts;
	size_t fact_count, fact_cap;
	struct wk_etl_service *services;
	size_t service_count, service_cap;
	struct wk_map service_of_tag;    /* row + 1 */
	struct wk_map services_of_pid;   /* the last one's row + 1; others by `next` */
	struct wk_str product, cpu_name; /* the name of Windows; of the first processor */
	uint32_t kernel_masks[WK_ETL_KERNEL_MASKS]; /* the events that the kernel logs */
	uint64_t winsat_seen;                       /* a bit for the id of each of its records */
};

void wk_etl_config_fini(struct wk_etl_config *config);

/* Reads one record of the config's `form`; false if it is too short. */
typedef bool wk_etl_config_read(struct wk_etl_config *config, struct wk_bytes in);

/* Adds facts of the header, and which of the kernel's events were on. */
void wk_etl_config_handle_header(struct wk_etl_config *config, const struct wk_etl_header *header);

/* In order; sorts wk_etl_config.facts. */
const struct wk_etl_fact *wk_etl_config_facts(struct wk_etl_config *config, size_t *count);

/* The name of the service that owns threads of a tag; empty if unknown. */
struct wk_str wk_etl_service_of_tag(const struct wk_etl_config *config, uint32_t tag);

/* The services of a process, joined by ", ", at most a few dozen; empty without any. */
struct wk_str wk_etl_services_of(const struct wk_etl_config *config, uint32_t pid);

#endif
