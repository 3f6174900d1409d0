/* Functions for the readers of a trace's configuration to add facts. For config/ and hooks.c. */
#ifndef WK_FORMATS_ETL_CONFIG_FACTS_H
#define WK_FORMATS_ETL_CONFIG_FACTS_H

#include "base/buf.h"
#include "formats/etl/config/config.h"
#include "formats/etl/config/date.h"

/* A part and the heading of its rows: "disk 0", "services" ... */
struct wk_etl_section {
	enum wk_etl_part part;
	struct wk_str name; /* valid as long as the config; empty: no heading */
};

/* A section with a formatted name, which is copied. */
struct wk_etl_section wk_etl_section_fmt(struct wk_etl_config *config, enum wk_etl_part part,
					 const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* A fact without a value is not added. Keys and values are copied. */
void wk_etl_fact_add(struct wk_etl_config *config, struct wk_etl_section section, struct wk_str key,
		     struct wk_str value);
void wk_etl_fact_text(struct wk_etl_config *config, struct wk_etl_section section, const char *key,
		      struct wk_bytes utf16);
void wk_etl_fact_fmt(struct wk_etl_config *config, struct wk_etl_section section, const char *key,
		     const char *format, ...) __attribute__((format(printf, 4, 5)));
/* "1.8 TiB (2,000,398,934,016 bytes)". */
void wk_etl_fact_bytes(struct wk_etl_config *config, struct wk_etl_section section, const char *key,
		       uint64_t size_bytes);

/* UTF-16 in a field of `size_bytes`, up to its first zero. */
struct wk_bytes wk_etl_field16(struct wk_bytes *in, size_t size_bytes);

/* The readers, by the table in hooks.c. */
wk_etl_config_read wk_etl_read_cpu, wk_etl_read_processor, wk_etl_read_platform, wk_etl_read_power,
	wk_etl_read_dpi, wk_etl_read_video, wk_etl_read_numa, wk_etl_read_groups,
	wk_etl_read_processor_numbers, wk_etl_read_integrity, wk_etl_read_machine_id,
	wk_etl_read_family, wk_etl_read_flights, wk_etl_read_virtualization, wk_etl_read_boot,
	wk_etl_read_build, wk_etl_read_system_paths;
wk_etl_config_read wk_etl_read_disk, wk_etl_read_volume, wk_etl_read_optical,
	wk_etl_read_volume_path, wk_etl_read_unmapped;
wk_etl_config_read wk_etl_read_adapter, wk_etl_read_network_settings, wk_etl_read_interface;
wk_etl_config_read wk_etl_read_service, wk_etl_read_irq, wk_etl_read_device, wk_etl_read_ide;
wk_etl_config_read wk_etl_read_kernel_masks;
wk_etl_config_read wk_etl_read_winsat;

#endif
