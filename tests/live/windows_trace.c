/* A trace of a Windows machine with one program in it, whose PDB is not here.
 *
 *	windows_trace OUT PDB KEY STAMP SIZE RVA...
 *
 * PDB is its path as it was linked and KEY what stores know it by; STAMP and SIZE are the key of
 *the image, and 0 where the trace has none. Each RVA becomes a sample. */
#include <stdio.h>
#include <stdlib.h>

#include "../unit/etl_events.h"
#include "event/pdb_id.h"

#define BASE 0x140000000u

static uint64_t number(const char *text)
{
	return strtoull(text, NULL, 16);
}

static void add_samples(struct etl_maker *m, char **rvas, int count)
{
	for (int i = 0; i < count; i++) {
		uint64_t address = BASE + number(rvas[i]), time = (uint64_t)(i + 1) * ETL_MS;

		if (m->records.len > 3000)
			etl_end_buffer(m, 0);
		etl_sampled(m, time, address, 101, 0);
		etl_stacked(m, 0x1820, time, ETL_T0 + time, 100, 101, &address, 1);
	}
	etl_end_buffer(m, 0);
}

static void add_image(struct etl_maker *m, const char *pdb, const char *key, uint32_t time_stamp,
		      uint32_t size_bytes)
{
	struct wk_pdb_id id;

	etl_process(m, 0x0304, 0, 100, 4, 0x103, "app.exe");
	etl_thread(m, 0x0504, 0, 100, 101, "");
	etl_large_image(m, 0x1404, 0, 100, BASE, 0x100000,
			"\\Device\\HarddiskVolume3\\out\\app.exe");
	if (wk_pdb_id_read(wk_str_c(key), &id))
		etl_pdb_of(m, 100, BASE, id.guid, id.age, pdb);
	if (time_stamp)
		etl_key_of(m, 100, BASE, size_bytes, time_stamp, "app.exe");
	etl_end_buffer(m, 0);
}

int main(int argc, char **argv)
{
	struct etl_maker m = { 0 };
	FILE *out = argc > 6 ? fopen(argv[1], "w") : NULL;
	bool ok;

	if (!out)
		return 2;
	etl_begin_file(&m);
	etl_volume(&m, "\\Device\\HarddiskVolume3\\", "C:\\");
	etl_end_buffer(&m, 0);
	add_image(&m, argv[2], argv[3], (uint32_t)number(argv[4]), (uint32_t)number(argv[5]));
	add_samples(&m, argv + 6, argc - 6);
	ok = fwrite(m.out.at, 1, m.out.len, out) == m.out.len;
	ok &= fclose(out) == 0;
	etl_fini(&m);
	return ok ? 0 : 1;
}
