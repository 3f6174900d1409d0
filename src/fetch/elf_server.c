#include "fetch/elf_server.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "fetch/address.h"
#include "fetch/store.h"

#define MOST_SERVER 2048 /* characters of a server's name */

static enum wk_elf_layout read_layout(struct wk_str *word)
{
	if (wk_str_starts(*word, "ssqp:")) {
		*word = wk_str_skip(*word, strlen("ssqp:"));
		return WK_ELF_SSQP;
	}
	if (wk_str_starts(*word, "store:")) {
		*word = wk_str_skip(*word, strlen("store:"));
		return WK_ELF_STORE;
	}
	return wk_address_is_url(*word) ? WK_ELF_DEBUGINFOD : WK_ELF_STORE;
}

static bool is_printable(struct wk_str text)
{
	for (size_t i = 0; i < text.len; i++)
		if ((unsigned char)text.at[i] <= ' ' || text.at[i] == 0x7f)
			return false;
	return true;
}

/* A server's name without its scheme is not mistaken for a folder. */
static bool is_folder_name(struct wk_str place)
{
	return place.len > 0 && (place.at[0] == '/' || place.at[0] == '.');
}

static bool fail_no_url(struct wk_str place, struct wk_err *err)
{
	struct wk_buf shown = { 0 };

	wk_address_add_shown(&shown, place);
	wk_fail(err, WK_EUSAGE, WK_NOWHERE, "symbol server \"%.200s\" is not a URL",
		wk_buf_text(&shown));
	wk_buf_fini(&shown);
	return false;
}

bool wk_elf_server_read(struct wk_elf_server *server, const char *word, struct wk_err *err)
{
	struct wk_str place = wk_str_c(word);

	*server = (struct wk_elf_server){ .layout = read_layout(&place) };
	server->is_folder = !wk_address_is_url(place);
	if (server->is_folder && strchr(word, ':') && !is_folder_name(place))
		return wk_fail(err, WK_EUSAGE, WK_NOWHERE,
			       "symbol server \"%.200s\": only http:// and https:// are asked, and "
			       "folders looked into",
			       word);
	if (server->is_folder && !is_folder_name(place))
		return wk_fail(err, WK_EUSAGE, WK_NOWHERE,
			       "symbol server \"%.200s\" is neither a URL, which begins with "
			       "http:// or https://, nor a folder, which begins with / or .",
			       word);
	while (place.len > 1 && place.at[place.len - 1] == '/')
		place.len--;
	if (place.len > MOST_SERVER || (!server->is_folder && !is_printable(place)) ||
	    (!server->is_folder && wk_str_ends(place, ":")))
		return fail_no_url(place, err);
	server->base = wk_strndup(place.at, place.len);
	return true;
}

void wk_elf_server_fini(struct wk_elf_server *server)
{
	wk_free(server->base);
	*server = (struct wk_elf_server){ 0 };
}

/* In a form, $i is the build id, $f the same filled up to 20 bytes, $t its path in a tree, $n the
 * file's name, $2 the first two letters of that, and $p its recorded path. Keys of .NET's images go
 * by name, those of its debug files do not. A folder may also contain copies of files, by name or
 * with their folders, as for perf's --symfs: the debug file or the unstripped program. */
static const struct form {
	enum wk_elf_layout layout;
	enum wk_fetch_kind kind;
	const char *text;
	bool is_for_folders;
} forms[] = {
	{ WK_ELF_DEBUGINFOD, WK_FETCH_IMAGE, "/buildid/$i/executable", false },
	{ WK_ELF_DEBUGINFOD, WK_FETCH_DEBUG, "/buildid/$i/debuginfo", false },
	{ WK_ELF_SSQP, WK_FETCH_IMAGE, "/$n/elf-buildid-$f/$n", false },
	{ WK_ELF_SSQP, WK_FETCH_DEBUG, "/_.debug/elf-buildid-sym-$f/_.debug", false },
	{ WK_ELF_STORE, WK_FETCH_IMAGE, "$t", false },
	{ WK_ELF_STORE, WK_FETCH_IMAGE, "/$n/$i/$n", false },
	{ WK_ELF_STORE, WK_FETCH_IMAGE, "/$2/$n/$i/$n", false },
	{ WK_ELF_STORE, WK_FETCH_IMAGE, "/$n", true },
	{ WK_ELF_STORE, WK_FETCH_IMAGE, "$p", true },
	{ WK_ELF_STORE, WK_FETCH_DEBUG, "$t.debug", false },
	{ WK_ELF_STORE, WK_FETCH_DEBUG, "/$n.debug/$i/$n.debug", false },
	{ WK_ELF_STORE, WK_FETCH_DEBUG, "/$2/$n.debug/$i/$n.debug", false },
	{ WK_ELF_STORE, WK_FETCH_DEBUG, "/$n.debug", true },
	{ WK_ELF_STORE, WK_FETCH_DEBUG, "/$n", true },
	{ WK_ELF_STORE, WK_FETCH_DEBUG, "$p.debug", true },
	{ WK_ELF_STORE, WK_FETCH_DEBUG, "$p", true },
};

static void add_name(struct wk_buf *place, const struct wk_elf_server *server, struct wk_str name)
{
	if (server->is_folder)
		wk_buf_add_str(place, name);
	else
		wk_address_add_escaped(place, name);
}

/* The name may be shorter: "x." for x.debug. */
static void add_two_letters(struct wk_buf *place, const struct wk_elf_server *server,
			    const struct wk_fetch_want *want)
{
	char two[2] = { want->name.at[0], want->name.len > 1 ? want->name.at[1] : '.' };

	add_name(place, server,
		 wk_str_of(two, want->name.len > 1 || want->kind == WK_FETCH_DEBUG ? 2 : 1));
}

/* False if it would need a name or path, and there is none that can be used. */
static bool add_value(struct wk_buf *place, const struct wk_elf_server *server,
		      const struct wk_fetch_want *want, char value)
{
	struct wk_build_id filled = want->id;

	filled.size = sizeof(filled.bytes);
	if (value == 'i' || value == 'f')
		wk_build_id_add(place, value == 'i' ? &want->id : &filled, false);
	else if (value == 't')
		wk_store_add_id_path(place, &want->id);
	else if (value == 'p' ? !wk_store_is_below(want->path) : !wk_store_is_name(want->name))
		return false;
	else if (value == '2')
		add_two_letters(place, server, want);
	else
		add_name(place, server, value == 'p' ? want->path : want->name);
	return true;
}

static void fill(struct wk_buf *place, const struct wk_elf_server *server,
		 const struct wk_fetch_want *want, const char *form)
{
	for (; *form; form++) {
		if (*form != '$') {
			wk_buf_add_char(place, *form);
		} else if (!add_value(place, server, want, *++form)) {
			wk_buf_reset(place);
			return;
		}
	}
}

bool wk_elf_server_place(const struct wk_elf_server *server, const struct wk_fetch_want *want,
			 unsigned number, struct wk_buf *place)
{
	wk_buf_reset(place);
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		const struct form *form = &forms[i];

		if (form->layout != server->layout || form->kind != want->kind ||
		    (form->is_for_folders && !server->is_folder) || number-- > 0)
			continue;
		fill(place, server, want, form->text);
		return true;
	}
	return false;
}
