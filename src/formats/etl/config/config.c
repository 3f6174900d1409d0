/* Which record of a trace's configuration is read by whom. */
#include "formats/etl/config/config.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/sort.h"
#include "formats/etl/config/facts.h"
#include "formats/etl/trace.h"

static const struct {
	uint32_t hook;
	wk_etl_config_read *read;
} readers[] = {
	{ WK_ETL_KERNEL_MASKS_ON, wk_etl_read_kernel_masks },
	{ WK_ETL_KERNEL_MASKS_END, wk_etl_read_kernel_masks },
	{ WK_ETL_CPU, wk_etl_read_cpu },
	{ 0x0b0b, wk_etl_read_disk },
	{ 0x0b0c, wk_etl_read_volume },
	{ 0x0b0d, wk_etl_read_adapter },
	{ 0x0b0e, wk_etl_read_video },
	{ 0x0b0f, wk_etl_read_service },
	{ 0x0b10, wk_etl_read_power },
	{ 0x0b11, wk_etl_read_network_settings },
	{ 0x0b12, wk_etl_read_optical },
	{ 0x0b15, wk_etl_read_irq },
	{ 0x0b16, wk_etl_read_device },
	{ 0x0b17, wk_etl_read_ide },
	{ 0x0b18, wk_etl_read_numa },
	{ 0x0b19, wk_etl_read_platform },
	{ 0x0b1a, wk_etl_read_groups },
	{ 0x0b1b, wk_etl_read_processor_numbers },
	{ 0x0b1c, wk_etl_read_dpi },
	{ 0x0b1d, wk_etl_read_integrity },
	{ 0x0b1e, wk_etl_read_machine_id },
	{ 0x0b21, wk_etl_read_family },
	{ 0x0b22, wk_etl_read_flights },
	{ WK_ETL_CPU_NAME, wk_etl_read_processor },
	{ 0x0b24, wk_etl_read_virtualization },
	{ 0x0b25, wk_etl_read_boot },
	{ WK_ETL_BUILD, wk_etl_read_build },
	{ WK_ETL_SYSTEM_PATHS, wk_etl_read_system_paths },
	{ WK_ETL_VOLUME_UNMAPPED, wk_etl_read_unmapped },
	{ WK_ETL_VOLUME, wk_etl_read_volume_path },
	{ WK_ETL_INTERFACE, wk_etl_read_interface },
	{ WK_ETL_WINSAT_SCORES, wk_etl_read_winsat_scores },
	{ WK_ETL_WINSAT_METRICS, wk_etl_read_winsat_metrics },
	{ WK_ETL_WINSAT_SYSTEM, wk_etl_read_winsat_system },
};

void wk_etl_config_fini(struct wk_etl_config *config)
{
	wk_free(config->facts);
	wk_free(config->services);
	wk_map_fini(&config->service_of_tag);
	wk_map_fini(&config->services_of_pid);
	*config = (struct wk_etl_config){ 0 };
}

/* Asked of every record: nearly all are of other groups. */
static bool may_know(uint32_t hook)
{
	return hook >> 8 == 0x0b || hook == WK_ETL_KERNEL_MASKS_ON ||
	       hook == WK_ETL_KERNEL_MASKS_END ||
	       (hook >= WK_ETL_VOLUME && hook <= WK_ETL_WINSAT_SYSTEM);
}

bool wk_etl_config_knows(uint32_t hook)
{
	if (!may_know(hook))
		return false;
	for (size_t i = 0; i < sizeof(readers) / sizeof(readers[0]); i++)
		if (readers[i].hook == hook)
			return true;
	return false;
}

bool wk_etl_config_handle(struct wk_etl_config *config, uint32_t hook,
			  const struct wk_etl_record *record)
{
	struct wk_etl_form form = { (uint8_t)record->version, record->pointer_bytes };

	for (size_t i = 0; i < sizeof(readers) / sizeof(readers[0]); i++)
		if (readers[i].hook == hook)
			return readers[i].read(config, record->payload, form);
	return true;
}

const struct wk_etl_fact *wk_etl_config_facts(struct wk_etl_config *config, size_t *count)
{
	struct wk_sort_key *keys = wk_alloc(config->fact_count * sizeof(*keys));

	for (size_t i = 0; i < config->fact_count; i++)
		keys[i] = (struct wk_sort_key){ config->facts[i].part, (uint32_t)i };
	wk_sort_keys(keys, config->fact_count);
	config->facts =
		wk_sort_gather(config->facts, keys, config->fact_count, sizeof(*config->facts));
	config->fact_cap = config->fact_count;
	wk_free(keys);
	*count = config->fact_count;
	return config->facts;
}
