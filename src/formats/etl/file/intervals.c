#include "formats/etl/file/intervals.h"

#include "base/mem.h"

static void add(struct wk_etl_intervals *all, uint64_t time, uint64_t interval)
{
	if (all->count && all->at[all->count - 1].interval == interval)
		return;
	*WK_APPEND(all->at, all->count, all->cap) = (struct wk_etl_since){ time, interval };
}

void wk_etl_intervals_add(struct wk_etl_intervals *all, uint64_t time, uint64_t before,
			  uint64_t interval)
{
	if (!all->count)
		add(all, 0, before ? before : interval);
	add(all, time, interval);
}

uint64_t wk_etl_intervals_at(struct wk_etl_intervals *all, uint64_t time, uint64_t otherwise)
{
	if (!all->count)
		return otherwise;
	if (time < all->at[all->now].time)
		all->now = 0;
	while (all->now + 1 < all->count && all->at[all->now + 1].time <= time)
		all->now++;
	return all->at[all->now].interval;
}
