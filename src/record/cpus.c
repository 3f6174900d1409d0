#include "record/cpus.h"

#include "base/mem.h"
#include "base/num.h"
#include "os/os.h"

#define MOST_CPUS 65536

/* Reads a number from the front of `text`. */
static bool handle_number(struct wk_str *text, uint64_t *value)
{
	size_t digits = 0;

	while (digits < text->len && text->at[digits] >= '0' && text->at[digits] <= '9')
		digits++;
	if (!digits || !wk_num_u64(wk_str_of(text->at, digits), value) || *value >= MOST_CPUS)
		return false;
	*text = wk_str_skip(*text, digits);
	return true;
}

static bool handle_char(struct wk_str *text, char c)
{
	if (text->len == 0 || text->at[0] != c)
		return false;
	*text = wk_str_skip(*text, 1);
	return true;
}

size_t wk_cpus_parse(struct wk_str list, uint32_t **cpus)
{
	size_t count = 0, cap = 0;
	uint64_t first, last;

	*cpus = NULL;
	do {
		if (!handle_number(&list, &first))
			break;
		last = first;
		if (handle_char(&list, '-') && !handle_number(&list, &last))
			break;
		for (uint64_t cpu = first; cpu <= last && count < MOST_CPUS; cpu++) {
			WK_RESERVE(*cpus, cap, count + 1);
			(*cpus)[count++] = (uint32_t)cpu;
		}
	} while (handle_char(&list, ','));
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
