/* Windows' own assessment of the machine (WinSAT): XML in UTF-16, packed with LZNT1. */
#include <stdlib.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/text/utf16.h"
#include "formats/etl/config/facts.h"
#include "formats/etl/packed/xpress.h"
#include "formats/reports/xml.h"

/* Real ones unpack to at most 25 KiB, nine times their packed size. */
#define MOST_PLAIN (4u << 20)
#define MOST_RATIO 100

/* The elements that become facts. Those of memory modules are one fact. */
static const struct known_element {
	const char *path, *key;
	bool is_bytes;
} elements[] = {
	{ "/WinSPR/SystemScore", "score of the system", false },
	{ "/WinSPR/MemoryScore", "score of memory", false },
	{ "/WinSPR/CpuScore", "score of the processor", false },
	{ "/WinSPR/GraphicsScore", "score of graphics", false },
	{ "/WinSPR/GamingScore", "score of games", false },
	{ "/WinSPR/DiskScore", "score of the disk", false },
	{ "/Metrics/MemoryMetrics/Bandwidth", "memory bandwidth, MB/s", false },
	{ "/Metrics/CPUMetrics/CompressionMetric", "compression, MB/s", false },
	{ "/Metrics/CPUMetrics/EncryptionMetric", "encryption, MB/s", false },
	{ "/SystemConfig/OSVersion/OSName", "system", false },
	{ "/SystemConfig/OSVersion/BuildLab", "build lab", false },
	{ "/SystemConfig/System/MotherBoard/Manufacturer", "mainboard maker", false },
	{ "/SystemConfig/System/MotherBoard/Product", "mainboard", false },
	{ "/SystemConfig/System/BIOS/Vendor", "BIOS maker", false },
	{ "/SystemConfig/System/BIOS/Version", "BIOS version", false },
	{ "/SystemConfig/System/BIOS/ReleaseDate", "BIOS date", false },
	{ "/SystemConfig/System/Machine/Manufacturer", "machine maker", false },
	{ "/SystemConfig/System/Machine/ProductName", "machine", false },
	{ "/SystemConfig/Processor/Instance/ProcessorName", "processor", false },
	{ "/SystemConfig/Processor/Instance/NumCores", "cores", false },
	{ "/SystemConfig/Processor/Instance/NumCPUs", "logical processors", false },
	{ "/SystemConfig/Processor/Instance/L1Cache/Size", "first-level cache", true },
	{ "/SystemConfig/Processor/Instance/L2Cache/Size", "second-level cache", true },
	{ "/SystemConfig/Processor/Instance/L3Cache/Size", "third-level cache", true },
	{ "/SystemConfig/Memory/TotalPhysical/Bytes", "memory", true },
	{ "/SystemConfig/Memory/DIMM/PartNumber", "memory module", false },
	{ "/SystemConfig/Monitors/Monitor/Width", "monitor width", false },
	{ "/SystemConfig/Monitors/Monitor/Height", "monitor height", false },
	{ "/SystemConfig/Graphics/AdapterDescription", "graphics", false },
	{ "/SystemConfig/Graphics/DedicatedVideoMemory", "graphics memory", true },
	{ "/SystemConfig/Graphics/DriverVersion", "graphics driver", false },
	{ "/SystemConfig/Disk/SystemDisk/Model", "system disk", false },
	{ "/SystemConfig/Disk/SystemDisk/Size", "system disk size", true },
	{ 0 },
};

#define MOST_DEPTH 16 /* deeper elements are ignored */

struct reading {
	struct wk_etl_config *config;
	struct wk_buf path, text;
	size_t begin[MOST_DEPTH]; /* of the last parts of the path */
	unsigned depth;
	bool is_friendly; /* `text` is that of an attribute, which is more precise */
};

static void on_start(void *context, const char *name, const char *const *attributes)
{
	struct reading *reading = context;
	const char *friendly = wk_xml_attribute(attributes, "Friendly");

	if (reading->depth < MOST_DEPTH) {
		reading->begin[reading->depth] = reading->path.len;
		wk_buf_add_fmt(&reading->path, "/%.100s", name);
	}
	reading->depth++;
	wk_buf_reset(&reading->text);
	reading->is_friendly = friendly != NULL;
	if (friendly)
		wk_buf_add_text(&reading->text, friendly);
}

static void on_text(void *context, struct wk_str text)
{
	struct reading *reading = context;

	if (!reading->is_friendly)
		wk_buf_add_str(&reading->text, text);
}

static void emit(struct reading *reading, const struct known_element *what, struct wk_str text)
{
	bool is_machine = wk_str_starts(wk_str_c(what->path), "/SystemConfig/");
	struct wk_etl_section section = { is_machine ? WK_ETL_PART_WINSAT : WK_ETL_PART_SCORES,
					  WK_STR("assessment (WinSAT)") };
	uint64_t size_bytes;

	if (what->is_bytes && wk_num_u64(text, &size_bytes))
		wk_etl_fact_bytes(reading->config, section, what->key, size_bytes);
	else
		wk_etl_fact_add(reading->config, section, wk_str_c(what->key), text);
}

static void on_end(void *context, const char *name)
{
	struct reading *reading = context;

	(void)name;
	reading->depth--;
	if (reading->depth >= MOST_DEPTH)
		return;
	for (const struct known_element *what = elements; what->path; what++)
		if (wk_str_is(wk_buf_str(&reading->path), what->path))
			emit(reading, what, wk_buf_str(&reading->text));
	reading->path.len = reading->begin[reading->depth];
	wk_buf_reset(&reading->text);
}

/* If the text is broken, the part before is used; a build without expat uses nothing. */
static void read_xml(struct wk_etl_config *config, struct wk_bytes utf16)
{
	static const struct wk_xml_handler handler = { on_start, on_end, on_text };
	struct reading reading = { .config = config };
	struct wk_buf plain = { 0 };

	wk_utf16_add(&plain, utf16, false);
	wk_xml_read(wk_bytes_of(plain.at, plain.len), &handler, &reading, NULL);
	WK_BUF_FINI_ALL(&plain, &reading.path, &reading.text);
}

/* Of several records with one id the first is read. */
bool wk_etl_read_winsat(struct wk_etl_config *config, struct wk_bytes in)
{
	uint64_t seen = UINT64_C(1) << config->id; /* 33, 35 or 37 */
	uint32_t size;
	uint8_t *plain;
	size_t made;

	wk_u32le(&in);
	size = wk_u32le(&in);
	if (in.bad)
		return false;
	if (config->winsat_seen & seen || size > MOST_PLAIN ||
	    size / MOST_RATIO > wk_bytes_left(&in))
		return true;
	config->winsat_seen |= seen;
	plain = wk_alloc((size_t)size + 1);
	wk_lznt1(in, plain, size, &made);
	read_xml(config, wk_bytes_of(plain, made));
	wk_free(plain);
	return true;
}
