/* Disks, their volumes, and the kernel's names of both. */
#include <inttypes.h>

#include "formats/etl/config/facts.h"

enum { NAME_BYTES = 512, LETTER_BYTES = 8, SYSTEM_BYTES = 32 };

static const struct wk_etl_section paths = { WK_ETL_PART_PATHS, WK_STR("paths") };

/* The product of two numbers of the trace, or 0 on overflow. */
static uint64_t times(uint64_t a, uint64_t b)
{
	return b && a > UINT64_MAX / b ? 0 : a * b;
}

bool wk_etl_read_disk(struct wk_etl_config *config, struct wk_bytes in)
{
	uint32_t number = wk_u32le(&in), sector = wk_u32le(&in), per_track = wk_u32le(&in),
		 tracks = wk_u32le(&in);
	uint64_t cylinders = wk_u64le(&in), size_bytes;
	struct wk_etl_section disk;
	struct wk_bytes model;
	uint32_t partitions;
	uint8_t has_cache;

	wk_bytes_skip(&in, 16); /* bus and slot */
	model = wk_etl_field16(&in, NAME_BYTES);
	partitions = wk_u32le(&in);
	has_cache = wk_u8(&in);
	wk_bytes_skip(&in, 1);
	if (in.bad)
		return false;
	disk = wk_etl_section_fmt(config, WK_ETL_PART_DISKS, "disk %" PRIu32, number);
	wk_etl_fact_text(config, disk, "model", model);
	size_bytes = times(times(cylinders, tracks), (uint64_t)per_track * sector);
	if (size_bytes)
		wk_etl_fact_bytes(config, disk, "size", size_bytes);
	wk_etl_fact_fmt(config, disk, "sector", "%" PRIu32 " bytes", sector);
	wk_etl_fact_fmt(config, disk, "partitions", "%" PRIu32, partitions);
	wk_etl_fact_fmt(config, disk, "write cache", "%s", has_cache ? "on" : "off");
	wk_etl_fact_text(config, disk, "boot drive", wk_etl_field16(&in, 6));
	return true;
}

bool wk_etl_read_volume(struct wk_etl_config *config, struct wk_bytes in)
{
	uint64_t start = wk_u64le(&in), size_bytes = wk_u64le(&in), clusters, free_clusters;
	uint32_t disk = wk_u32le(&in), partition, per_cluster, sector;
	struct wk_etl_section volume;
	struct wk_str letter;

	wk_bytes_skip(&in, 8); /* its own size, its kind */
	letter = wk_utf16_copy(config->texts, wk_etl_field16(&in, LETTER_BYTES));
	wk_bytes_skip(&in, 4);
	partition = wk_u32le(&in);
	per_cluster = wk_u32le(&in);
	sector = wk_u32le(&in);
	wk_bytes_skip(&in, 4);
	free_clusters = wk_u64le(&in);
	clusters = wk_u64le(&in);
	if (in.bad)
		return false;
	if (letter.len)
		volume = wk_etl_section_fmt(config, WK_ETL_PART_VOLUMES, "volume %s", letter.at);
	else
		volume = wk_etl_section_fmt(config, WK_ETL_PART_VOLUMES,
					    "disk %" PRIu32 " partition %" PRIu32, disk, partition);
	wk_etl_fact_text(config, volume, "file system",
			 wk_etl_field16(&in, wk_bytes_left(&in) < SYSTEM_BYTES ? wk_bytes_left(&in)
									       : SYSTEM_BYTES));
	wk_etl_fact_bytes(config, volume, "size", size_bytes);
	if (clusters && free_clusters <= clusters)
		wk_etl_fact_bytes(config, volume, "free",
				  times(times(free_clusters, per_cluster), sector));
	wk_etl_fact_bytes(config, volume, "cluster", times(per_cluster, sector));
	wk_etl_fact_fmt(config, volume, "location",
			"disk %" PRIu32 ", partition %" PRIu32 ", from byte %" PRIu64, disk,
			partition, start);
	return true;
}

/* Names of drives are padded with blanks. */
bool wk_etl_read_optical(struct wk_etl_config *config, struct wk_bytes in)
{
	enum { HEAD_BYTES = 64 }; /* of its disk, if there is one */
	struct wk_etl_section drive;
	struct wk_str letter;
	struct wk_bytes files;

	wk_bytes_skip(&in, HEAD_BYTES);
	if (in.bad || wk_bytes_left(&in) < 2)
		return false;
	letter = wk_utf16_copy(config->texts, wk_utf16_text(&in));
	files = wk_utf16_text(&in);
	drive = wk_etl_section_fmt(config, WK_ETL_PART_VOLUMES, "optical drive %s", letter.at);
	wk_etl_fact_add(config, drive, wk_str_c("model"), wk_trim(wk_bytes_text(&in)));
	wk_etl_fact_add(config, drive, wk_str_c("maker"), wk_trim(wk_bytes_text(&in)));
	wk_etl_fact_text(config, drive, "file system", files);
	return true;
}

/* ---- the kernel's names */

static struct wk_str shown(struct wk_str text, const char *otherwise)
{
	return text.len ? text : wk_str_c(otherwise);
}

bool wk_etl_read_volume_path(struct wk_etl_config *config, struct wk_bytes in)
{
	struct wk_bytes kernel, people;

	if (!wk_etl_read_pair(in, &kernel, &people))
		return false;
	wk_etl_fact_add(config, paths, shown(wk_utf16_copy(config->texts, kernel), "(empty)"),
			shown(wk_utf16_copy(config->texts, people), "(nothing)"));
	return true;
}

bool wk_etl_read_unmapped(struct wk_etl_config *config, struct wk_bytes in)
{
	if (wk_bytes_left(&in) < 2)
		return false;
	wk_etl_fact_add(config, paths, wk_utf16_copy(config->texts, wk_utf16_text(&in)),
			wk_str_c("(no drive letter)"));
	return true;
}
