#include "symbols/remote.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/num.h"
#include "os/folder.h"
#include "os/os.h"
#include "symbols/fetch.h"
#include "symbols/remote_internal.h"
#include "symbols/remote_memory.h"
#include "symbols/remote_places.h"
#include "symbols/store.h"

#define USUAL_MOST_BYTES ((uint64_t)2 << 30)
#define USUAL_WAIT_SECONDS 60
#define MOST_BYTES ((uint64_t)1 << 62)

/* Shorter ids are made by hand, and many files may have the same. */
#define LEAST_ID 4

struct server {
	struct wk_remote_server at;
	char *why_down; /* why it did not answer: it is left alone from then on. Or NULL */
	char *complaint; /* what went wrong first, other than not to have a file. Or NULL */
};

/* A question that was asked, and what came of it. */
struct answer {
	enum wk_remote_file which;
	struct wk_build_id id;
	char *path; /* NULL: nobody has it */
	char *said;
};

struct wk_remote {
	struct wk_remote_options options;
	struct server *servers;
	size_t server_count;
	char *folder; /* NULL: the cache is switched off, */
	struct wk_err no_folder; /* or for this reason not to be used */
	bool is_folder_known;
	bool has_remembered; /* something was written down of a server */
	char *newest; /* the name of the file that came last, which makes no room. Or NULL */
	struct wk_fetcher *fetcher;
	struct answer *answers;
	size_t answer_count, answer_cap;
	struct wk_index answer_of; /* build id to the number of an answer, from 1 */
};

/* A search: what is wanted, where it would lie here, and what has been said so far. */
struct search {
	struct wk_remote *remote;
	struct wk_remote_wish wish;
	struct wk_buf path, memory_path; /* of the local copy, and what is remembered of it */
	struct wk_buf said;
};

char *wk_remote_usual_folder(void)
{
	const char *own = wk_os_env("WICK_CACHE_DIR");
	char *cache = !own ? wk_os_cache_folder() : own[0] ? wk_os_absolute(own) : NULL;
	struct wk_buf folder = { 0 };
	char *kept = NULL;

	if (cache) {
		wk_buf_add_fmt(&folder, "%s/remote", cache);
		kept = wk_strndup(folder.at, folder.len);
	}
	wk_buf_fini(&folder);
	free(cache);
	return kept;
}

static bool add_server(struct wk_remote *remote, const char *word, struct wk_err *err)
{
	struct server *server = &remote->servers[remote->server_count];

	if (!wk_remote_server_read(&server->at, word, err))
		return false;
	remote->server_count++;
	return server->at.is_folder || wk_fetch_is_possible(err);
}

void wk_remote_usual_limits(struct wk_remote_options *options)
{
	if (!options->most_bytes)
		options->most_bytes = USUAL_MOST_BYTES;
	if (options->most_bytes > MOST_BYTES)
		options->most_bytes = MOST_BYTES;
	if (!options->wait_seconds)
		options->wait_seconds = USUAL_WAIT_SECONDS;
}

struct wk_remote *wk_remote_open(const struct wk_remote_options *options, struct wk_err *err)
{
	struct wk_remote *remote = wk_alloc_zeroed(1, sizeof(*remote));
	size_t count = 0;
	bool ok = true;

	remote->options = *options;
	wk_remote_usual_limits(&remote->options);
	remote->folder = options->folder ? wk_strndup(options->folder, strlen(options->folder))
					 : wk_remote_usual_folder();
	while (options->servers[count])
		count++;
	remote->servers = wk_alloc_zeroed(count + 1, sizeof(*remote->servers));
	for (size_t i = 0; i < count && ok; i++)
		ok = add_server(remote, options->servers[i], err);
	if (ok)
		return remote;
	wk_remote_close(remote);
	return NULL;
}

void wk_remote_close(struct wk_remote *remote)
{
	if (!remote)
		return;
	if (remote->has_remembered)
		wk_remote_make_usual_room(remote->folder, remote->newest);
	for (size_t i = 0; i < remote->server_count; i++) {
		free(remote->servers[i].why_down);
		free(remote->servers[i].complaint);
		wk_remote_server_fini(&remote->servers[i].at);
	}
	for (size_t i = 0; i < remote->answer_count; i++) {
		free(remote->answers[i].path);
		free(remote->answers[i].said);
	}
	wk_fetcher_free(remote->fetcher);
	free(remote->servers);
	free(remote->answers);
	wk_index_fini(&remote->answer_of);
	free(remote->folder);
	free(remote->newest);
	free(remote);
}

/* Where the header says that the sections' headers lie. */
static uint64_t section_headers_at(const struct wk_obj *obj)
{
	struct wk_bytes file = wk_bytes_of(obj->at, obj->size_bytes);
	struct wk_bytes field = wk_bytes_at(&file, obj->is_64 ? 0x28 : 0x20, obj->is_64 ? 8 : 4);

	field.big_endian = obj->big_endian;
	return wk_obj_word(obj, &field);
}

static bool lies_within(const struct wk_obj *obj, uint64_t offset, uint64_t size_bytes)
{
	return size_bytes == 0 ||
	       (offset <= obj->size_bytes && size_bytes <= obj->size_bytes - offset);
}

/* A file that was cut still has its build id in front, but not its sections' headers, or not all
 * that they speak of. What segments have in a debug file is said to be elsewhere. */
bool wk_remote_is_whole(const struct wk_obj *obj)
{
	for (uint32_t i = 0; i < obj->section_count; i++)
		if (obj->sections[i].type != WK_SHT_NOBITS &&
		    !lies_within(obj, obj->sections[i].offset, obj->sections[i].size_bytes))
			return false;
	if (obj->section_count > 0)
		return true;
	for (uint32_t i = 0; i < obj->segment_count; i++)
		if (!lies_within(obj, obj->segments[i].offset, obj->segments[i].file_size))
			return false;
	return section_headers_at(obj) == 0;
}

static bool check_elf(const struct wk_os_file *file, const struct wk_build_id *id,
		      struct wk_err *err)
{
	struct wk_obj *obj = wk_obj_parse(file->at, file->size_bytes, NULL);
	struct wk_buf text = { 0 };
	bool ok = true;

	if (!obj)
		return wk_fail(err, WK_EFORMAT, WK_NOWHERE, "it is no ELF file");
	if (!wk_store_same_id(&obj->build_id, id)) {
		wk_store_add_id(&text, &obj->build_id);
		ok = wk_fail(err, WK_ECORRUPT, WK_NOWHERE, "its build id is %s",
			     text.len ? wk_buf_text(&text) : "missing");
	} else if (!wk_remote_is_whole(obj)) {
		ok = wk_fail(err, WK_ECORRUPT, WK_NOWHERE, "it ends early");
	}
	wk_buf_fini(&text);
	wk_obj_free(obj);
	return ok;
}

/* Whether what lies at `path` is the wanted file; WK_ENOTFOUND where nothing does. */
static bool check_file(const char *path, const struct wk_build_id *id, struct wk_err *err)
{
	struct wk_os_file file;
	bool ok;

	if (!wk_os_open_named(path, &file, NULL, err))
		return false;
	ok = check_elf(&file, id, err);
	wk_os_close(&file);
	return ok;
}

/* What one server said, behind what others did: "http://host/x: it does not have it". */
static void say(struct search *s, const char *server, const char *what)
{
	wk_buf_add_fmt(&s->said, "%s%s: %s", s->said.len ? "; " : "", server, what);
}

/* The same of what a person must be told, who may have hoped for more. */
static void complain(struct search *s, struct server *server, const char *what)
{
	say(s, server->at.shown, what);
	if (!server->complaint)
		server->complaint = wk_strndup(what, strlen(what));
}

static void say_found(struct search *s, const char *server, const char *path)
{
	struct wk_os_file file;
	struct wk_buf size = { 0 };

	wk_buf_reset(&s->said);
	if (wk_os_open_named(path, &file, NULL, NULL)) {
		wk_num_add_bytes(&size, file.size_bytes);
		wk_os_close(&file);
	}
	wk_buf_add_fmt(&s->said, "fetched from %s (%s)", server, wk_buf_text(&size));
	wk_buf_fini(&size);
}

static void say_remembered(struct search *s, struct server *server,
			   const struct wk_remote_memory *memory)
{
	struct wk_buf text = { 0 };

	wk_remote_memory_add_words(memory, &text);
	if (memory->is_missing)
		say(s, server->at.shown, wk_buf_text(&text));
	else
		complain(s, server, wk_buf_text(&text));
	wk_buf_fini(&text);
}

static void note_newest(struct wk_remote *remote, struct wk_str name)
{
	free(remote->newest);
	remote->newest = wk_strndup(name.at, name.len);
	wk_remote_make_usual_room(remote->folder, remote->newest);
}

/* Fetches into a file without a name, which takes its place when it is found to be the wanted
 * one. */
static enum wk_fetched fetch_one(struct search *s, const struct wk_fetch *wish, struct wk_err *err)
{
	struct wk_fetch fetch = *wish;
	struct wk_os_file bytes = { 0 };
	struct wk_buf self = { 0 };
	enum wk_fetched fetched;
	struct wk_os_keep keep;
	bool ok;

	if (!wk_os_keep_open(&keep, wk_buf_text(&s->path), err))
		return WK_FETCH_IMPOSSIBLE;
	fetch.fd = keep.fd;
	fetched = wk_fetch(s->remote->fetcher, &fetch, err);
	ok = fetched == WK_FETCH_DONE;
	if (ok) {
		wk_buf_add_fmt(&self, "/proc/self/fd/%d", keep.fd);
		ok = wk_os_open_named(wk_buf_text(&self), &bytes, NULL, err) &&
		     check_elf(&bytes, &s->wish.id, err);
		wk_os_close(&bytes);
		wk_buf_fini(&self);
	}
	if (!wk_os_keep_end(&keep, ok))
		ok = wk_fail_os(err, errno, "cannot keep %s", wk_buf_text(&s->path));
	if (fetched == WK_FETCH_DONE && ok)
		note_newest(s->remote, wk_str_basename(wk_buf_str(&s->path)));
	return fetched == WK_FETCH_DONE && !ok ? WK_FETCH_FAILED : fetched;
}

/* All places where this server may have it, until one does or the server fails. */
static enum wk_fetched fetch_from(struct search *s, const struct server *server,
				  struct wk_err *err)
{
	struct wk_buf place = { 0 }, url = { 0 }, shown = { 0 };
	enum wk_fetched fetched = WK_FETCH_NOT_THERE;

	for (unsigned i = 0; fetched == WK_FETCH_NOT_THERE &&
			     wk_remote_place(&server->at, &s->wish, i, &place); i++) {
		if (place.len == 0)
			continue;
		wk_buf_reset(&url);
		wk_buf_reset(&shown);
		wk_buf_add_fmt(&url, "%s%s", server->at.base, wk_buf_text(&place));
		wk_buf_add_fmt(&shown, "%s%s", server->at.shown, wk_buf_text(&place));
		*err = (struct wk_err){ 0 };
		fetched = fetch_one(s, &(struct wk_fetch){ .url = wk_buf_text(&url),
							   .shown_url = wk_buf_text(&shown) }, err);
	}
	wk_buf_fini(&place);
	wk_buf_fini(&url);
	wk_buf_fini(&shown);
	return fetched;
}

static bool ask_server(struct search *s, struct server *server)
{
	struct wk_remote_memory memory;
	struct wk_err err = { 0 };
	enum wk_fetched fetched;

	if (wk_remote_remembers(wk_buf_text(&s->memory_path), server->at.remembered_as,
				&memory)) {
		say_remembered(s, server, &memory);
		return false;
	}
	if (server->why_down) {
		complain(s, server, server->why_down);
		return false;
	}
	if (!s->remote->fetcher)
		s->remote->fetcher = wk_fetcher_new(&s->remote->options);
	fetched = fetch_from(s, server, &err);
	if (wk_fetch_is_end(fetched))
		server->why_down = wk_strndup(err.text, strlen(err.text));
	if (fetched == WK_FETCH_DONE) {
		say_found(s, server->at.shown, wk_buf_text(&s->path));
		return true;
	}
	if (fetched == WK_FETCH_NOT_THERE)
		say(s, server->at.shown, "it does not have it");
	else
		complain(s, server, err.text);
	if (fetched == WK_FETCH_IMPOSSIBLE || fetched == WK_FETCH_STOPPED)
		return false;
	wk_remote_remember(wk_buf_text(&s->memory_path), server->at.remembered_as,
			   fetched == WK_FETCH_NOT_THERE);
	s->remote->has_remembered = true;
	return false;
}

/* A debug file that names nothing is the stripped program itself. */
static bool says_more(const char *path, struct wk_err *err)
{
	static const char *const sections[] = { ".symtab", ".debug_info", ".zdebug_info", NULL };
	struct wk_os_file file;
	struct wk_obj *obj;
	bool found = false;

	if (!wk_os_open_named(path, &file, NULL, err))
		return false;
	obj = wk_obj_parse(file.at, file.size_bytes, err);
	for (size_t i = 0; obj && sections[i]; i++)
		found |= wk_obj_section(obj, sections[i]) != NULL;
	wk_obj_free(obj);
	wk_os_close(&file);
	return found || wk_fail(err, WK_ENOTFOUND, WK_NOWHERE, "it is stripped");
}

/* The name of a file in a folder's layouts, which a person may want to see. */
static void say_not_there(struct search *s, struct server *server)
{
	struct wk_buf place = { 0 }, text = { 0 };
	struct wk_os_identity identity;
	struct wk_err err = { 0 };

	if (!wk_os_identify(server->at.base, &identity, &err)) {
		complain(s, server, err.code == WK_ENOTFOUND ? "there is no such folder"
							     : err.text);
		return;
	}
	wk_buf_add_text(&text, "it does not have it as");
	for (unsigned i = 0; wk_remote_place(&server->at, &s->wish, i, &place); i++)
		if (place.len)
			wk_buf_add_fmt(&text, "%s %s", i ? " or" : "", wk_buf_text(&place) + 1);
	say(s, server->at.shown, wk_buf_text(&text));
	wk_buf_fini(&place);
	wk_buf_fini(&text);
}

/* What lies in a folder is used where it lies. */
static bool look_into(struct search *s, struct server *server)
{
	struct wk_buf place = { 0 }, path = { 0 };
	struct wk_err err = { 0 };
	bool found = false;

	for (unsigned i = 0; !found && wk_remote_place(&server->at, &s->wish, i, &place); i++) {
		struct wk_err tried = { 0 };

		if (place.len == 0)
			continue;
		wk_buf_reset(&path);
		wk_buf_add_fmt(&path, "%s%s", server->at.base, wk_buf_text(&place));
		found = check_file(wk_buf_text(&path), &s->wish.id, &tried) &&
			(s->wish.which == WK_REMOTE_IMAGE ||
			 says_more(wk_buf_text(&path), &tried));
		if (!found && tried.code != WK_ENOTFOUND)
			wk_fail(&err, tried.code, WK_NOWHERE, "%s: %s", wk_buf_text(&path),
				tried.text);
	}
	if (found) {
		wk_buf_reset(&s->said);
		wk_buf_reset(&s->path);
		wk_buf_add_str(&s->path, wk_buf_str(&path));
		wk_buf_add_fmt(&s->said, "found in %s", server->at.shown);
	} else if (err.code) {
		say(s, server->at.shown, err.text);
	} else {
		say_not_there(s, server);
	}
	wk_buf_fini(&place);
	wk_buf_fini(&path);
	return found;
}

bool wk_remote_asks_machines(const struct wk_remote *remote)
{
	for (size_t i = 0; remote && i < remote->server_count; i++)
		if (!remote->servers[i].at.is_folder)
			return true;
	return false;
}

/* Where what is fetched goes: a folder that is ours alone, or nowhere. It is made only where
 * there is somebody to fetch from. */
static bool has_folder(struct wk_remote *remote)
{
	struct wk_os_folder *folder;

	if (remote->is_folder_known)
		return remote->folder != NULL;
	remote->is_folder_known = true;
	if (!remote->folder)
		return wk_fail(&remote->no_folder, WK_EUNSUPPORTED, WK_NOWHERE,
			       "WICK_CACHE_DIR is empty");
	folder = wk_os_folder_open(remote->folder, wk_remote_asks_machines(remote),
				   &remote->no_folder);
	wk_os_folder_close(folder);
	if (!folder) {
		free(remote->folder);
		remote->folder = NULL;
	}
	return folder != NULL;
}

/* Fetched before, from whichever server. */
static bool search_kept(struct search *s)
{
	wk_buf_add_fmt(&s->path, "%s/", s->remote->folder);
	wk_store_add_id(&s->path, &s->wish.id);
	wk_buf_add_text(&s->path, s->wish.which == WK_REMOTE_DEBUG ? ".debuginfo" : ".executable");
	wk_buf_add_fmt(&s->memory_path, "%s.asked", wk_buf_text(&s->path));
	if (!check_file(wk_buf_text(&s->path), &s->wish.id, NULL))
		return false;
	wk_os_note_use(wk_buf_text(&s->path));
	wk_buf_add_text(&s->said, "fetched before");
	return true;
}

static void say_nowhere(struct search *s, struct server *server)
{
	struct wk_buf text = { 0 };

	wk_buf_add_fmt(&text, "not asked, since there is no cache to keep it in (%s)",
		       s->remote->no_folder.text);
	complain(s, server, wk_buf_text(&text));
	wk_buf_fini(&text);
}

static bool search(struct search *s)
{
	struct wk_remote *remote = s->remote;
	bool found = has_folder(remote) && search_kept(s);

	for (size_t i = 0; i < remote->server_count && !found; i++) {
		struct server *server = &remote->servers[i];

		if (server->at.is_folder)
			found = look_into(s, server);
		else if (!remote->folder)
			say_nowhere(s, server);
		else
			found = ask_server(s, server);
	}
	return found;
}

static uint64_t answer_hash(enum wk_remote_file which, const struct wk_build_id *id)
{
	return wk_hash_pair(wk_hash_bytes(id->bytes, id->size), which);
}

static bool same_answer(const void *table, uint32_t number, const void *key)
{
	const struct answer *answer = (const struct answer *)table + number - 1;
	const struct answer *wanted = key;

	return answer->which == wanted->which && wk_build_id_eq(&answer->id, &wanted->id);
}

static const struct answer *find_answer(const struct wk_remote *remote, enum wk_remote_file which,
					const struct wk_build_id *id)
{
	struct answer wanted = { .which = which, .id = *id };
	uint32_t number = wk_index_find(&remote->answer_of, answer_hash(which, id), same_answer,
					remote->answers, &wanted);

	return number ? &remote->answers[number - 1] : NULL;
}

static const struct answer *add_answer(struct wk_remote *remote, const struct search *s, bool found)
{
	struct answer *answer;

	remote->answers = wk_grow(remote->answers, &remote->answer_cap, remote->answer_count + 1,
				  sizeof(*remote->answers));
	answer = &remote->answers[remote->answer_count++];
	*answer = (struct answer){
		.which = s->wish.which,
		.id = s->wish.id,
		.path = found ? wk_strndup(s->path.at, s->path.len) : NULL,
		.said = wk_strndup(wk_buf_text(&s->said), s->said.len),
	};
	wk_index_add(&remote->answer_of, answer_hash(answer->which, &answer->id),
		     (uint32_t)remote->answer_count);
	return answer;
}

bool wk_remote_get(struct wk_remote *remote, enum wk_remote_file which,
		   const struct wk_build_id *id, struct wk_str image_path, struct wk_buf *path,
		   struct wk_err *err)
{
	struct wk_build_id wanted = wk_remote_id(id);
	const struct answer *answer;

	if (!remote)
		return wk_fail(err, WK_ENOTFOUND, WK_NOWHERE, "no symbol server is asked");
	if (wanted.size < LEAST_ID)
		return wk_fail(err, WK_ENOTFOUND, WK_NOWHERE,
			       "symbol servers go by build ids, and it has none");
	answer = find_answer(remote, which, &wanted);
	if (!answer) {
		struct search s = {
			.remote = remote,
			.wish = { which, wanted, wk_str_basename(image_path), image_path },
		};

		answer = add_answer(remote, &s, search(&s));
		wk_buf_fini(&s.path);
		wk_buf_fini(&s.memory_path);
		wk_buf_fini(&s.said);
	}
	if (!answer->path)
		return wk_fail(err, WK_ENOTFOUND, WK_NOWHERE, "%s", answer->said);
	wk_buf_reset(path);
	wk_buf_add_text(path, answer->path);
	return true;
}

bool wk_remote_asks(const struct wk_remote *remote)
{
	return remote && remote->server_count > 0;
}

const char *wk_remote_server(const struct wk_remote *remote, size_t number, bool *is_folder)
{
	if (!remote || number >= remote->server_count)
		return NULL;
	*is_folder = remote->servers[number].at.is_folder;
	return remote->servers[number].at.shown;
}

const char *wk_remote_complaint(const struct wk_remote *remote, size_t number)
{
	return remote && number < remote->server_count ? remote->servers[number].complaint : NULL;
}
