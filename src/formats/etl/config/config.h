/* What a Windows trace says of the machine and of itself: facts in sections, and services.
 *
 * Windows logs its configuration when a session ends (group 0x0b of the kernel's events), and the
 * merging of files adds what xperf and WPR know (SystemConfigEx, WinSAT). Each record that is one
 * of those is given to wk_etl_config_handle as it comes; when all have come, wk_etl_config_facts
 * gives what they said in the order in which a person reads it: the machine first, long lists last.
 * etl_config.c holds the list of the readers, etl_config_*.c a file a subject.
 *
 * Memory in proportion to the records; texts live in the arena that the config was given. */
#ifndef WK_FORMATS_ETL_CONFIG_CONFIG_H
#define WK_FORMATS_ETL_CONFIG_CONFIG_H

#include "base/arena.h"
#include "base/map.h"
#include "event/event.h"
#include "formats/etl/file/file.h"
#include "formats/etl/payload/payload.h"

/* In the order in which they are told. */
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
	WK_ETL_PART_SCORES, /* which are WinSAT's, too */
	WK_ETL_PART_PROCESSORS,
	WK_ETL_PART_IDE,
	WK_ETL_PART_INTERRUPTS,
	WK_ETL_PART_SERVICES,
	WK_ETL_PART_DEVICES,
};

struct wk_etl_fact {
	enum wk_etl_part part;
	struct wk_event_system told;
};

/* As the service manager numbers them. */
enum wk_etl_service_state {
	WK_ETL_SERVICE_STOPPED = 1,
	WK_ETL_SERVICE_RUNNING = 4,
};

struct wk_etl_service {
	uint32_t pid;   /* 0: in none */
	uint32_t state; /* enum wk_etl_service_state, or another of theirs */
	uint32_t tag;   /* of its threads */
	struct wk_str name;
	size_t next;          /* of the same process, + 1 */
	struct wk_str joined; /* of the last of a process: all of its names, once asked for */
};

#define WK_ETL_KERNEL_MASKS 8

struct wk_etl_config {
	struct wk_arena *texts;
	struct wk_etl_fact *facts;
	size_t fact_count, fact_cap;
	struct wk_etl_service *services;
	size_t service_count, service_cap;
	struct wk_map service_of_tag;    /* row + 1 */
	struct wk_map services_of_pid;   /* the last one's row + 1; others by `next` */
	struct wk_str product, cpu_name; /* as Windows calls itself; of the first processor */
	uint32_t kernel_masks[WK_ETL_KERNEL_MASKS]; /* what the kernel was asked for */
	uint8_t winsat_read;                        /* a bit for each record that came */
};

void wk_etl_config_fini(struct wk_etl_config *config);

/* Is a record of this hook (formats/etl/trace.h) one of those? */
bool wk_etl_config_knows(uint32_t hook);

/* What a record says, by its hook. False where it is too short for what it
 * should say; of another hook nothing is taken. */
bool wk_etl_config_handle(struct wk_etl_config *config, uint32_t hook,
			  const struct wk_etl_record *record);

/* What the header says of the trace, and which of the kernel's events were on. */
void wk_etl_config_handle_header(struct wk_etl_config *config, const struct wk_etl_header *header);

/* In order; wk_etl_config.facts is sorted by it. */
const struct wk_etl_fact *wk_etl_config_facts(struct wk_etl_config *config, size_t *count);

/* The name of the service that threads of a tag work for, or an empty text. */
struct wk_str wk_etl_service_of_tag(const struct wk_etl_config *config, uint32_t tag);

/* Those of a process, joined by ", ", the first few dozens; or an empty text. */
struct wk_str wk_etl_services_of(const struct wk_etl_config *config, uint32_t pid);

#endif
