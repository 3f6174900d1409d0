/* Whether the code of a module is part of .NET or of the program. */
#ifndef WK_FORMATS_CLR_OWNERS_H
#define WK_FORMATS_CLR_OWNERS_H

#include "base/bytes.h"
#include "base/map.h"
#include "base/str.h"

/* All zero is empty. */
struct wk_clr_owners {
	struct wk_map owner_of; /* process and number of the module, hashed */
};

void wk_clr_owners_fini(struct wk_clr_owners *owners);

/* The path of a module, UTF-16. */
void wk_clr_owners_add(struct wk_clr_owners *owners, uint32_t pid, uint64_t module,
		       struct wk_bytes path);

/* Is a method of the module of that number part of the program? Modules in the folders of Windows
 * and .NET are not, nor is System.*.dll, which some programs bring along. If the recording does not
 * contain the module's path, the namespace of the `method` decides. */
bool wk_clr_owners_is_program(const struct wk_clr_owners *owners, uint32_t pid, uint64_t module,
			      struct wk_str method);

#endif
