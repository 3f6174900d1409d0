/* The facts of a trace's configuration in order. */
#include "formats/etl/config/config.h"

#include "base/mem.h"
#include "base/sort.h"

void wk_etl_config_fini(struct wk_etl_config *config)
{
	WK_FREE_ALL(config->facts, config->services);
	wk_map_fini(&config->service_of_tag);
	wk_map_fini(&config->services_of_pid);
	*config = (struct wk_etl_config){ 0 };
}

const struct wk_etl_fact *wk_etl_config_facts(struct wk_etl_config *config, size_t *count)
{
	struct wk_sort_key *keys = WK_SORT_ORDER(config->facts, config->fact_count, part);

	config->facts =
		wk_sort_gather(config->facts, keys, config->fact_count, sizeof(*config->facts));
	config->fact_cap = config->fact_count;
	wk_free(keys);
	*count = config->fact_count;
	return config->facts;
}
