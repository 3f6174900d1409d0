/* A trace of a Windows machine with many modules, none of which is here.
 *
 *	windows_modules OUT NAME,KEY,STAMP,PID,SAMPLES...
 *
 * Each NAME was linked with a PDB of that name, which stores know by KEY ("-": the trace does not
 * tell it), and its file has the time STAMP and 0x5000 bytes. The process PID has it alone, and so
 * many samples at its RVA 0x1090, a millisecond each in the order of the words. */
#include <stdio.h>
#include <stdlib.h>

#include "../unit/etl_events.h"
#include "event/pdb_id.h"

#define BASE 0x140000000u
#define STEP 0x1000000u
#define MOST 1000

struct module {
	char name[64], key[64];
	unsigned stamp, pid, samples;
};

static uint64_t base_of(size_t number)
{
	return BASE + (uint64_t)number * STEP;
}

static void make_room(struct etl_maker *m)
{
	if (m->records.len > 3000)
		etl_end_buffer(m, 0);
}

static void add_process(struct etl_maker *m, const struct module *modules, size_t number)
{
	char name[32];

	for (size_t i = 0; i < number; i++)
		if (modules[i].pid == modules[number].pid)
			return;
	snprintf(name, sizeof(name), "p%u.exe", modules[number].pid);
	etl_process(m, 0x0304, 0, modules[number].pid, 4, 0x103, name);
	etl_thread(m, 0x0504, 0, modules[number].pid, modules[number].pid + 1, "");
}

static void add_module(struct etl_maker *m, const struct module *module, size_t number)
{
	const char *dot = strrchr(module->name, '.');
	char path[160], pdb[160];
	struct wk_pdb_id id;

	snprintf(path, sizeof(path), "\\Device\\HarddiskVolume3\\out\\%s", module->name);
	snprintf(pdb, sizeof(pdb), "c:\\out\\%.*s.pdb",
		 dot ? (int)(dot - module->name) : (int)strlen(module->name), module->name);
	etl_large_image(m, 0x1404, 0, module->pid, base_of(number), 0x100000, path);
	if (wk_pdb_id_read(wk_str_c(module->key), &id))
		etl_pdb_of(m, module->pid, base_of(number), id.guid, id.age, pdb);
	if (module->stamp)
		etl_key_of(m, module->pid, base_of(number), 0x5000, module->stamp, module->name);
}

static void add_samples(struct etl_maker *m, const struct module *module, size_t number,
			uint64_t *time_ms)
{
	uint64_t address = base_of(number) + 0x1090;

	for (unsigned i = 0; i < module->samples; i++) {
		uint64_t time = ++*time_ms * ETL_MS;

		make_room(m);
		etl_sampled(m, time, address, module->pid + 1, 0);
		etl_stacked(m, 0x1820, time, ETL_T0 + time, module->pid, module->pid + 1, &address,
			    1);
	}
}

static bool write_trace(FILE *out, const struct module *modules, size_t count)
{
	struct etl_maker m = { 0 };
	uint64_t time_ms = 0;
	bool ok;

	etl_begin_file(&m);
	etl_volume(&m, "\\Device\\HarddiskVolume3\\", "C:\\");
	etl_end_buffer(&m, 0);
	for (size_t i = 0; i < count; i++) {
		add_process(&m, modules, i);
		add_module(&m, &modules[i], i);
		make_room(&m);
	}
	etl_end_buffer(&m, 0);
	for (size_t i = 0; i < count; i++)
		add_samples(&m, &modules[i], i, &time_ms);
	etl_end_buffer(&m, 0);
	ok = fwrite(m.out.at, 1, m.out.len, out) == m.out.len;
	etl_fini(&m);
	return ok;
}

int main(int argc, char **argv)
{
	static struct module modules[MOST];
	size_t count = 0;
	FILE *out = argc > 2 && argc < MOST ? fopen(argv[1], "w") : NULL;
	bool ok = out != NULL;

	for (int i = 2; ok && i < argc; i++, count++)
		ok = sscanf(argv[i], "%63[^,],%63[^,],%x,%u,%u", modules[count].name,
			    modules[count].key, &modules[count].stamp, &modules[count].pid,
			    &modules[count].samples) == 5;
	ok = ok && write_trace(out, modules, count);
	if (out)
		ok &= fclose(out) == 0;
	return ok ? 0 : 2;
}
