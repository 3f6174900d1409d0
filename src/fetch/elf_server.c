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

static void add_name(struct wk_buf *place, const struct wk_elf_server *server, struct wk_str name)
{
	if (server->is_folder)
		wk_buf_add_str(place, name);
	else
		wk_address_add_escaped(place, name);
}

/* NAME/ID/NAME, after the first two letters of NAME if there are three parts. */
static void add_keyed(struct wk_buf *place, const struct wk_elf_server *server,
		      const struct wk_fetch_want *want, bool has_three_parts)
{
	struct wk_buf name = { 0 };
	struct wk_str all;

	if (!wk_store_is_name(want->name))
		return;
	wk_buf_add_str(&name, want->name);
	if (want->kind == WK_FETCH_DEBUG)
		wk_buf_add_text(&name, ".debug");
	all = wk_buf_str(&name);
	if (has_three_parts) {
		wk_buf_add_char(place, '/');
		add_name(place, server, wk_str_of(all.at, all.len < 2 ? all.len : 2));
	}
	wk_buf_add_char(place, '/');
	add_name(place, server, all);
	wk_buf_add_char(place, '/');
	wk_store_add_id(place, &want->id);
	wk_buf_add_char(place, '/');
	add_name(place, server, all);
	wk_buf_fini(&name);
}

static void add_id_tree(struct wk_buf *place, const struct wk_fetch_want *want)
{
	wk_store_add_id_path(place, &want->id);
	if (want->kind == WK_FETCH_DEBUG)
		wk_buf_add_text(place, ".debug");
}

/* A folder may also contain copies of files, by name or with their folders, as for perf's --symfs:
 * the debug file or the unstripped program. */
static bool plain_place(const struct wk_fetch_want *want, unsigned number, struct wk_buf *place)
{
	bool is_debug = want->kind == WK_FETCH_DEBUG;
	unsigned step = is_debug ? number / 2 : number;
	const char *behind = is_debug && number % 2 == 0 ? ".debug" : "";

	if (step == 0 && wk_store_is_name(want->name))
		wk_buf_add_fmt(place, "/%.*s%s", WK_STR_ARG(want->name), behind);
	else if (step == 1 && wk_store_is_below(want->path))
		wk_buf_add_fmt(place, "%.*s%s", WK_STR_ARG(want->path), behind);
	return step < 2;
}

#define KEYED_PLACES 3

static bool store_place(const struct wk_elf_server *server, const struct wk_fetch_want *want,
			unsigned number, struct wk_buf *place)
{
	if (number >= KEYED_PLACES)
		return server->is_folder && plain_place(want, number - KEYED_PLACES, place);
	if (number == 0)
		add_id_tree(place, want);
	else
		add_keyed(place, server, want, number == 2);
	return true;
}

/* Keys of images go by name, those of debug files do not; ids are filled up to 20 bytes. */
static bool ssqp_place(const struct wk_elf_server *server, const struct wk_fetch_want *want,
		       unsigned number, struct wk_buf *place)
{
	struct wk_build_id filled = want->id;
	bool is_debug = want->kind == WK_FETCH_DEBUG;
	struct wk_str name = is_debug ? wk_str_c("_.debug") : want->name;

	if (number > 0 || !wk_store_is_name(name))
		return number == 0;
	filled.size = sizeof(filled.bytes);
	wk_buf_add_char(place, '/');
	add_name(place, server, name);
	wk_buf_add_text(place, is_debug ? "/elf-buildid-sym-" : "/elf-buildid-");
	wk_store_add_id(place, &filled);
	wk_buf_add_char(place, '/');
	add_name(place, server, name);
	return true;
}

bool wk_elf_server_place(const struct wk_elf_server *server, const struct wk_fetch_want *want,
			 unsigned number, struct wk_buf *place)
{
	wk_buf_reset(place);
	if (server->layout == WK_ELF_STORE)
		return store_place(server, want, number, place);
	if (server->layout == WK_ELF_SSQP)
		return ssqp_place(server, want, number, place);
	wk_buf_add_text(place, "/buildid/");
	wk_store_add_id(place, &want->id);
	wk_buf_add_text(place, want->kind == WK_FETCH_DEBUG ? "/debuginfo" : "/executable");
	return number == 0;
}
