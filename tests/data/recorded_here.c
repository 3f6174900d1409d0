/* Writes FOLDER/here.etl, device.etl and shop.exe (README.md): traces of Windows whose images are
 *told with the keys of their files, and such a file.
 *
 *	recorded_here FOLDER */
#include <stdio.h>

#include "../unit/etl_kernel_events.h"
#include "../unit/pe_writer.h"
#include "write_file.h"

#define SHOP        100
#define STAMP       0x5f5f5f5fu
#define IMAGE_BYTES 0x3000u

struct image {
	const char *path, *name;
	uint64_t base;
	uint32_t time_stamp;
	const char *pdb; /* or NULL */
};

static void add_image(struct etl_maker *m, const struct image *image)
{
	static const uint8_t guid[16] = { 1, 2, 3, 4 };

	etl_large_image(m, 0x1403, 0, SHOP, image->base, IMAGE_BYTES, image->path);
	etl_key_of(m, SHOP, image->base, IMAGE_BYTES, image->time_stamp, image->name);
	if (image->pdb)
		etl_pdb_of(m, SHOP, image->base, guid, 1, image->pdb);
}

static void make_trace(struct etl_maker *m, const struct image *images, size_t count)
{
	etl_begin_file(m);
	etl_process(m, 0x0303, 0, SHOP, 4, 0x103, "shop.exe");
	etl_thread(m, 0x0503, 0, SHOP, SHOP + 1, "till");
	for (size_t i = 0; i < count; i++)
		add_image(m, &images[i]);
	for (size_t i = 0; i < count; i++)
		etl_sampled(m, (10 + i) * ETL_MS, images[i].base + 0x1018, SHOP + 1, 0);
	etl_end_buffer(m, 0);
}

/* One function, count_coins, at 0x1010. */
static void make_program(struct pe_spec *spec, struct wk_buf *code, struct wk_buf *out)
{
	spec->machine = 0x8664;
	spec->time_stamp = STAMP;
	spec->image_bytes = IMAGE_BYTES;
	pe_fill(code, 0x100);
	pe_section(spec, 1, ".text", PE_CODE, 0x1000, wk_buf_str(code));
	pe_add_symbol(spec, "count_coins", 1, 0x10, 0x20, 2, 0);
	pe_write(spec, out);
}

static bool write_in(const char *folder, const char *name, const struct wk_buf *bytes)
{
	char path[1000];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return write_file(path, bytes);
}

static bool write_trace(const char *folder, const char *name, const struct image *images,
			size_t count)
{
	struct etl_maker m = { .packing = 3 };
	bool ok;

	make_trace(&m, images, count);
	ok = write_in(folder, name, &m.out);
	etl_fini(&m);
	return ok;
}

int main(int argc, char **argv)
{
	static const struct image here[] = {
		{ "C:\\wick-here\\shop.exe", "shop.exe", 0x10000, STAMP, NULL },
		{ "C:\\wick-here\\old.dll", "old.dll", 0x20000, STAMP - 1, NULL },
	};
	static const struct image devices[] = {
		{ "C:\\app\\com1.dll", "com1.dll", 0x10000, STAMP, NULL },
		{ "C:\\app\\till.dll", "till.dll", 0x20000, STAMP, "d:\\out\\CON.pdb" },
	};
	struct pe_spec spec = { 0 };
	struct wk_buf code = { 0 }, program = { 0 };
	bool ok;

	if (argc != 2)
		return 2;
	make_program(&spec, &code, &program);
	ok = write_in(argv[1], "shop.exe", &program) && write_trace(argv[1], "here.etl", here, 2) &&
	     write_trace(argv[1], "device.etl", devices, 2);
	wk_buf_fini(&spec.symbols);
	wk_buf_fini(&spec.strings);
	wk_buf_fini(&code);
	wk_buf_fini(&program);
	return ok ? 0 : 1;
}
