/* The data source of a memory access, as `perf script -F data_src` prints it. */
#include <inttypes.h>

#include "render/perf_script/internal.h"

#define PERF_WIDTH 99

#define COUNT_OF(table) (sizeof(table) / sizeof((table)[0]))

static unsigned bits_at(uint64_t source, unsigned first, unsigned count)
{
	return (unsigned)(source >> first & ((1u << count) - 1));
}

static const char *operation(unsigned bits)
{
	static const char *const names[] = { "N/A", "LOAD", "STORE", "PFETCH", "EXEC" };

	for (unsigned i = 0; i < COUNT_OF(names); i++)
		if (bits >> i & 1)
			return names[i];
	return "No";
}

/* "a or b", of the bits that are set. */
static void add_any(unsigned bits, const char *const *names, size_t count, unsigned *written,
		    struct wk_buf *out)
{
	for (unsigned i = 0; i < count; i++) {
		if (!(bits >> i & 1))
			continue;
		wk_buf_add_fmt(out, "%s%s", *written ? " or " : "", names[i]);
		*written += 1;
	}
}

static void add_level_number(unsigned number, struct wk_buf *out)
{
	static const char *const names[16] = {
		[9] = "CXL", [10] = "I/O", [11] = "Any cache", [12] = "LFB/MAB", [13] = "RAM",
		[14] = "PMEM", [15] = "N/A",
	};

	if (names[number])
		wk_buf_add_text(out, names[number]);
	else
		wk_buf_add_fmt(out, "L%u", number);
}

static void add_hit_or_miss(unsigned level, struct wk_buf *out)
{
	if (level & 2)
		wk_buf_add_text(out, " hit");
	if (level & 4)
		wk_buf_add_text(out, " miss");
}

static void add_level(uint64_t source, struct wk_buf *out)
{
	static const char *const names[] = {
		"N/A", "", "", "L1", "LFB/MAB", "L2", "L3", "Local RAM", "Remote RAM (1 hop)",
		"Remote RAM (2 hops)", "Remote Cache (1 hop)", "Remote Cache (2 hops)", "I/O",
		"Uncached" };
	static const char *const hops[] = { "N/A", "core, same node", "node, same socket",
					    "socket, same board", "board" };
	unsigned level = bits_at(source, 5, 14), number = bits_at(source, 33, 4);
	unsigned hop = bits_at(source, 43, 3), written = 0;
	size_t before = out->len;

	if (bits_at(source, 37, 1))
		wk_buf_add_text(out, "Remote ");
	if (hop > 0 && hop < COUNT_OF(hops)) {
		wk_buf_add_fmt(out, "%s ", hops[hop]);
	} else {
		add_any(level & ~6u, names, COUNT_OF(names), &written, out);
	}
	if (number) {
		wk_buf_add_text(out, written ? " or " : "");
		add_level_number(number, out);
	}
	if (out->len == before)
		wk_buf_add_text(out, "N/A");
	add_hit_or_miss(level, out);
}

static void add_snoop(uint64_t source, struct wk_buf *out)
{
	static const char *const names[] = { "N/A", "None", "Hit", "Miss", "HitM" };
	static const char *const more[] = { "Fwd", "Peer" };
	unsigned written = 0;

	add_any(bits_at(source, 19, 5), names, COUNT_OF(names), &written, out);
	add_any(bits_at(source, 38, 2), more, COUNT_OF(more), &written, out);
	if (!written)
		wk_buf_add_text(out, "N/A");
}

static void add_translation(uint64_t source, struct wk_buf *out)
{
	static const char *const names[] = { "N/A", "", "", "L1", "L2", "Walker", "Fault" };
	unsigned bits = bits_at(source, 26, 7), written = 0;

	add_any(bits & ~6u, names, COUNT_OF(names), &written, out);
	if (!written)
		wk_buf_add_text(out, "N/A");
	add_hit_or_miss(bits, out);
}

static const char *lock(unsigned bits)
{
	if (bits & 1)
		return "N/A";
	return bits & 2 ? "Yes" : "No";
}

static void add_blocked(unsigned bits, struct wk_buf *out)
{
	if (bits & 1 || bits == 0)
		wk_buf_add_text(out, " N/A");
	if (bits & 2)
		wk_buf_add_text(out, " Data");
	if (bits & 4)
		wk_buf_add_text(out, " Addr");
}

void wk_script_add_data_source(struct wk_perf_script *script, uint64_t source, struct wk_buf *out)
{
	size_t before = out->len;

	wk_buf_add_fmt(out, "%16" PRIx64 " |OP %s|LVL ", source, operation(bits_at(source, 0, 5)));
	add_level(source, out);
	wk_buf_add_text(out, "|SNP ");
	add_snoop(source, out);
	wk_buf_add_text(out, "|TLB ");
	add_translation(source, out);
	wk_buf_add_fmt(out, "|LCK %s|BLK ", lock(bits_at(source, 24, 2)));
	add_blocked(bits_at(source, 40, 3), out);
	/* As wide as the widest so far, up to perf's limit. */
	while (out->len - before < script->data_source_width)
		wk_buf_add_char(out, ' ');
	script->data_source_width = out->len - before < PERF_WIDTH ? out->len - before : PERF_WIDTH;
}
