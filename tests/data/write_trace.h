/* What the makers of traces of Windows have in common. */
#ifndef TEST_WRITE_TRACE_H
#define TEST_WRITE_TRACE_H

#include "../unit/etl_maker.h"
#include "write_file.h"

/* For main(): writes the trace that `make` makes to the file that argv[1] names. */
static inline int write_trace(int argc, char **argv, void (*make)(struct etl_maker *m))
{
	struct etl_maker m = { .packing = 3 };
	bool ok;

	if (argc != 2)
		return 2;
	make(&m);
	ok = write_file(argv[1], &m.out);
	etl_fini(&m);
	return ok ? 0 : 1;
}

#endif
