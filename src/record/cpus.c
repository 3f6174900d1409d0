#include "record/cpus.h"

#include "base/mem.h"
#include "base/num.h"
#include "os/os.h"

#define MOST_CPUS 65536

static bool read_cpu(struct wk_str text, uint64_t *cpu)
{
	return wk_num_u64(text, cpu) && *cpu < MOST_CPUS;
}

size_t wk_cpus_parse(struct wk_str list, uint32_t **cpus)
{
	size_t count = 0, cap = 0;
	uint64_t first, last;

	*cpus = NULL;
	list = wk_str_cut(&list, '\n');
	while (list.len) {
		struct wk_str from, to;
		bool is_range = wk_str_split(wk_str_cut(&list, ','), '-', &from, &to);

		if (!read_cpu(from, &first) || !read_cpu(is_range ? to : from, &last))
			break;
		for (uint64_t cpu = first; cpu <= last && count < MOST_CPUS; cpu++)
			*WK_APPEND(*cpus, count, cap) = (uint32_t)cpu;
	}
	return count;
}

size_t wk_cpus_online(uint32_t **cpus)
{
	struct wk_buf text = { 0 };
	size_t count = 0;

	*cpus = NULL;
	if (wk_os_read_small("/sys/devices/system/cpu/online", &text))
		count = wk_cpus_parse(wk_buf_str(&text), cpus);
	wk_buf_fini(&text);
	if (count)
		return count;
	count = wk_os_cpu_count();
	*cpus = wk_alloc(count * sizeof(**cpus));
	for (size_t i = 0; i < count; i++)
		(*cpus)[i] = (uint32_t)i;
	return count;
}
