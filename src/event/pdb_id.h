/* Which PDB an image was linked with. */
#ifndef WK_EVENT_PDB_ID_H
#define WK_EVENT_PDB_ID_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/buf.h"
#include "event/event.h"

/* All zero: none. NB10 images have no GUID but the time they were linked at; a PDB has both. */
struct wk_pdb_id {
	uint8_t guid[16]; /* as stored in files */
	uint32_t age;
	uint32_t signature; /* that time; used if a GUID is zero */
};

/* The key of symbol stores: 32 upper hex digits of the GUID (8 of an NB10 signature) and the age
 * in hex. */
void wk_pdb_id_add(struct wk_buf *buf, const struct wk_pdb_id *id);

/* Such a key, in digits of either case; false if it is invalid. */
bool wk_pdb_id_read(struct wk_str key, struct wk_pdb_id *id);

bool wk_pdb_id_is_none(const struct wk_pdb_id *id);

/* Are they of one build? Tools that write into a PDB later may raise its age: if only the age
 * differs it is the same program, which is worth a remark. An empty id equals nothing. */
bool wk_pdb_id_same_build(const struct wk_pdb_id *a, const struct wk_pdb_id *b);

/* In all that they are. */
static inline bool wk_pdb_id_eq(const struct wk_pdb_id *a, const struct wk_pdb_id *b)
{
	return memcmp(a->guid, b->guid, sizeof(a->guid)) == 0 && a->age == b->age &&
	       a->signature == b->signature;
}

/* As a build id of 20 bytes, GUID (or signature and zeros) and age, by which model and cache know
 * an image. */
struct wk_build_id wk_pdb_id_as_build_id(const struct wk_pdb_id *id);

/* For users: that of a PDB in the form that symbol stores use, any other in hexadecimal digits. */
void wk_build_id_add(struct wk_buf *buf, const struct wk_build_id *id, bool is_of_pdb);

/* The PDB id that became such a build id; none if it does not have 20 bytes. */
struct wk_pdb_id wk_pdb_id_of_build_id(const struct wk_build_id *build);

#endif
