/* Payloads of the events by which .NET's runtime describes its code, in Windows traces and in
 * recordings of EventPipe alike.
 *
 * A payload that is longer than the known fields is a newer version. Texts are UTF-16 and point
 * into the payload. */
#ifndef WK_FORMATS_CLR_PAYLOAD_H
#define WK_FORMATS_CLR_PAYLOAD_H

#include "base/buf.h"
#include "base/bytes.h"

/* Code at an address: MethodLoadVerbose, MethodUnloadVerbose, and the same of the rundown. */
struct wk_clr_method {
	uint64_t module; /* the number of its source file */
	uint64_t start;
	uint32_t size_bytes;
	struct wk_bytes space, name; /* its signature follows and is not read */
};

/* False if the payload is too short. */
bool wk_clr_read_method(struct wk_bytes payload, struct wk_clr_method *method);

/* "Namespace.Type.Method" */
void wk_clr_method_name(const struct wk_clr_method *method, struct wk_buf *name);

/* The identity of a PDB, and its path when it was linked. */
struct wk_clr_pdb {
	uint8_t guid[16];
	uint32_t age;
	struct wk_bytes path;
};

/* A source file of methods: ModuleLoad and its rundown; PDBs are there from version 2 on. */
struct wk_clr_module {
	uint64_t number;
	struct wk_bytes il_path, native_path; /* the second is empty if both are in one file */
	bool has_pdbs;                        /* the next two are there */
	struct wk_clr_pdb managed, native;
};

/* The same. */
bool wk_clr_read_module(struct wk_bytes payload, struct wk_clr_module *module);

#endif
