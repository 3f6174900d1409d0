/* Which CPUs are there to be recorded. */
#ifndef WK_RECORD_CPUS_H
#define WK_RECORD_CPUS_H

#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

/* The numbers of the CPUs that are online, in a new array that the caller frees; at least
 * one. */
size_t wk_cpus_online(uint32_t **cpus);

/* A list in the kernel's format, "0-3,8,10-11"; anything else ends it. */
size_t wk_cpus_parse(struct wk_str list, uint32_t **cpus);

#endif
