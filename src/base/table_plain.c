#include "base/mem.h"

void *wk_alloc_table(size_t size_bytes)
{
	return wk_alloc(size_bytes);
}
