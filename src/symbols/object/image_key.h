/* What identifies an image in a recording, and the state of its file. */
#ifndef WK_SYMBOLS_OBJECT_IMAGE_KEY_H
#define WK_SYMBOLS_OBJECT_IMAGE_KEY_H

#include "event/event.h"

struct wk_image_key {
	struct wk_str path;          /* as recorded: absolute, "[vdso]", "[kernel.kallsyms]" ... */
	struct wk_build_id build_id; /* size 0: the recording has none */
	uint64_t inode;              /* 0 if unknown; distinguishes a replaced file from the
				      * recorded one */
	uint32_t device_major, device_minor;
	/* For Windows images. The build id is then that of the PDB, and addresses are relative to
	 * the image base (RVA), so that names do not need the image's file. */
	struct wk_str pdb_path;           /* as linked; empty if unknown */
	uint32_t time_stamp, image_bytes; /* the key of its file; 0 if unknown */
	uint32_t pid;                     /* a process that had it mapped, or 0 */
	/* Of the vDSO of a 32-bit program: where that process has it. 0 for all else. */
	uint64_t vdso32_start, vdso32_bytes;
	uint64_t map_offset,
		map_bytes;       /* its first mapping: which part of the file; 0 if unknown */
	uint64_t mapped_wall_ns; /* since 1970: when it was mapped, or the recording began, by
				  * this machine's clock; 0 if unknown */
	bool is_kernel;
	bool any_build; /* the file at its path is used, whatever shows that it is another */
};

enum wk_image_state {
	WK_IMAGE_NAMED,      /* symbols were found */
	WK_IMAGE_STRIPPED,   /* the file is there but names nothing */
	WK_IMAGE_MISSING,    /* no file */
	WK_IMAGE_DIFFERS,    /* a file, but not the one recorded */
	WK_IMAGE_UNREADABLE, /* no right to read it, or it is damaged */
	WK_IMAGE_NO_FILE,    /* anonymous memory: there never was one */
};

/* The key of the image in an image event. Borrows the event's text. */
struct wk_image_key wk_image_key_of(const struct wk_event *event);

#endif
