/* Writes input.etl of tests/golden/etl/managed-code (README.md): a trace of Windows with samples of
 * code that .NET compiled of a program's file, of the program's copy of a library, and of its own.
 *
 *	managed_trace OUT */
#include "../unit/etl_kernel_events.h"
#include "../unit/etl_programs.h"
#include "write_trace.h"

#define SHOP 100

static void sampled(struct etl_maker *m, uint64_t ms, const uint64_t *frames, size_t count)
{
	etl_sampled(m, ms * ETL_MS, frames[0], SHOP + 1, 0);
	etl_stacked(m, 0x1820, ms * ETL_MS + 5, ETL_T0 + ms * ETL_MS, SHOP, SHOP + 1, frames,
		    count);
}

static void work(struct etl_maker *m)
{
	static const uint64_t frames[] = { 0x50100, 0x905010, 0x904010, 0x903010, 0x902010,
					   0x901010 };

	for (uint64_t i = 0; i < 6; i++)
		sampled(m, 10 + i, frames + i, 6 - i);
	etl_end_buffer(m, 0);
}

/* That methods were there is told when the session ends, as a rundown does. */
static void tell(struct etl_maker *m)
{
	static const struct etl_method methods[] = {
		{ 144, SHOP, 90 * ETL_MS, 0x901000, 1, "Shop.Program", "Main" },
		{ 144, SHOP, 90 * ETL_MS, 0x902000, 1, "System.Linq.Enumerable", "Sum" },
		{ 144, SHOP, 90 * ETL_MS, 0x903000, 2, "Microsoft.Oven.Door", "Open" },
		{ 144, SHOP, 90 * ETL_MS, 0x904000, 3, "Microsoft.Win32.Registry", "GetValue" },
		{ 144, SHOP, 90 * ETL_MS, 0x905000, 1, "dynamicClass", "IL_STUB_PInvoke" },
	};

	for (size_t i = 0; i < sizeof(methods) / sizeof(methods[0]); i++)
		etl_method(m, &methods[i]);
	etl_module(m, 1, "C:\\Shop\\shop.exe", "");
	etl_module(m, 2, "C:\\Shop\\Microsoft.Oven.dll", "");
	etl_module(m, 3, "C:\\Windows\\Microsoft.NET\\Framework64\\mscorlib.dll", "");
	etl_end_buffer(m, 0);
}

static void make(struct etl_maker *m)
{
	etl_begin_file(m);
	etl_process(m, 0x0303, 0, SHOP, 4, 0x103, "shop.exe");
	etl_thread(m, 0x0503, 0, SHOP, SHOP + 1, "");
	etl_image(m, 0x1403, 0, SHOP, 0x50000, "C:\\Windows\\System32\\ntdll.dll");
	work(m);
	tell(m);
}

int main(int argc, char **argv)
{
	return write_trace(argc, argv, make);
}
