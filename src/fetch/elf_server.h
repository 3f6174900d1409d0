/* Servers and folders that keep files by build id, and where in them a file would be. Nothing here
 * opens a file or a connection.
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
	char *base; /* URL or folder, without a '/' at the end */
	bool is_folder;
};

/* Reads an argument of --symbol-server. */
bool wk_elf_server_read(struct wk_elf_server *server, const char *word, struct wk_err *err);
void wk_elf_server_fini(struct wk_elf_server *server);

/* Sets `place` to the `number`th place, from 0 on, relative to the base; false after the last. It
 * is empty if it would need a name and there is none. */
bool wk_elf_server_place(const struct wk_elf_server *server, const struct wk_fetch_want *want,
			 unsigned number, struct wk_buf *place);

#endif
