/* Servers and folders that keep files by build id, and where in them a file is. Nothing here checks
 * whether it is there.
 *
 *	http://HOST/...    a debuginfod server: .../buildid/ID/debuginfo
 *	store:PLACE        a symbol store, where PLACE is a folder or http://HOST/...:
 *	                   .build-id/ab/cd.debug, app/ID/app and ap/app/ID/app; in a folder
 *	                   also app.debug or app itself, and the path as recorded below it
 *	ssqp:PLACE         one with the keys of .NET: app/elf-buildid-ID/app
 *	/a/folder          the same as store:/a/folder; also ./folder */
#ifndef WK_FETCH_ELF_SERVER_H
#define WK_FETCH_ELF_SERVER_H

#include "fetch/want.h"

enum wk_elf_layout {
	WK_ELF_DEBUGINFOD,
	WK_ELF_STORE,
	WK_ELF_SSQP,
};

struct wk_elf_server {
	enum wk_elf_layout layout;
	char *base;          /* URL or folder, without a '/' at the end */
	char *shown;         /* the same without secrets */
	char *remembered_as; /* the same with digits that tell it from one with other secrets */
	bool is_folder;
};

/* False, with a sentence, if `word` cannot be understood. */
bool wk_elf_server_read(struct wk_elf_server *server, const char *word, struct wk_err *err);
void wk_elf_server_fini(struct wk_elf_server *server);

/* Sets `place` to what follows the server's base in its `number`th place, from 0 on; false after
 * the last. A place that needs a name is empty if there is none. */
bool wk_elf_server_place(const struct wk_elf_server *server, const struct wk_fetch_want *want,
			 unsigned number, struct wk_buf *place);

#endif
