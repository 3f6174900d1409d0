#include "symbols/cache/cache.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/num.h"
#include "os/folder.h"
#include "os/os.h"

/* A file: this head, a table of sections, and the sections, each at a multiple of 64 bytes from
 * the beginning and followed by nothing that counts. In the byte order of the machine that wrote
 * it, since mapped bytes are used as they are; another order shows in the magic number. */
struct file_head {
	uint32_t magic, version;
	uint64_t checksum; /* of what follows, up to the end of the table */
	uint64_t size_bytes;
	uint8_t id_size, id[20];
	uint8_t unused[3];
	uint32_t section_count, unused_too;
};

struct file_section {
	uint32_t kind, version;
	uint64_t offset, size_bytes, checksum;
};

#define MAGIC         0x686b6377 /* "wckh" */
#define VERSION       1
#define ALIGNMENT     64
#define MOST_SECTIONS 64
#define PIECE_BYTES   ((size_t)64 << 10)
#define SUFFIX        ".wick"
#define USUAL_BYTES   ((uint64_t)1 << 30)

/* How old the time of last use may be before it is set again. */
#define TOUCH_NS (20 * 3600 * (uint64_t)1000000000)

enum verdict { NOT_LOOKED_AT, SOUND, DAMAGED };

struct wk_cache_entry {
	struct wk_cache_entry *next;
	struct wk_build_id id;
	struct wk_os_file file;
	bool is_replaced; /* by a newer one: not found any more */
	uint8_t verdicts[MOST_SECTIONS];
};

struct wk_cache {
	char *path;
	struct wk_os_folder *folder; /* NULL until it is needed and there */
	uint64_t most_bytes;
	struct wk_buf complaint;
	struct wk_cache_entry *entries;
	uint64_t counted_bytes;  /* in the folder when it was looked through, and written since */
	unsigned trusted_writes; /* before the folder is scanned again: other processes write there
				  * as well */
};

static const struct file_head *head_of(const struct wk_cache_entry *entry)
{
	return (const struct file_head *)(const void *)entry->file.at;
}

static const struct file_section *table_of(const struct wk_cache_entry *entry)
{
	return (const struct file_section *)(const void *)(head_of(entry) + 1);
}

static char *folder_of(const struct wk_cache_options *options)
{
	const char *typed =
		options && options->folder ? options->folder : wk_os_env("WICK_CACHE_DIR");

	if (!typed)
		return wk_os_cache_folder();
	return typed[0] ? wk_os_absolute(typed) : NULL;
}

uint64_t wk_cache_usual_bytes(struct wk_buf *complaint)
{
	const char *typed = wk_os_env("WICK_CACHE_SIZE");
	uint64_t most;

	if (!typed || !typed[0])
		return USUAL_BYTES;
	if (wk_num_size(wk_str_c(typed), &most))
		return most;
	wk_buf_add_fmt(complaint,
		       "WICK_CACHE_SIZE is \"%.40s\": expected a size like 512M or 2G; "
		       "the symbol cache stays below 1 GiB",
		       typed);
	return USUAL_BYTES;
}

struct wk_cache *wk_cache_open(const struct wk_cache_options *options)
{
	char *path = folder_of(options);
	struct wk_cache *cache;

	if (!path)
		return NULL;
	cache = wk_alloc_zeroed(1, sizeof(*cache));
	cache->path = path;
	cache->most_bytes = options && options->most_bytes
				    ? options->most_bytes
				    : wk_cache_usual_bytes(&cache->complaint);
	return cache;
}

static void free_entry(struct wk_cache_entry *entry)
{
	wk_os_close(&entry->file);
	wk_free(entry);
}

void wk_cache_close(struct wk_cache *cache)
{
	if (!cache)
		return;
	while (cache->entries) {
		struct wk_cache_entry *entry = cache->entries;

		cache->entries = entry->next;
		free_entry(entry);
	}
	wk_os_folder_close(cache->folder);
	wk_buf_fini(&cache->complaint);
	WK_FREE_ALL(cache->path, cache);
}

const char *wk_cache_folder(const struct wk_cache *cache)
{
	return cache ? cache->path : "";
}

const char *wk_cache_complaint(const struct wk_cache *cache)
{
	return cache ? wk_buf_text(&cache->complaint) : "";
}

static bool need_folder(struct wk_cache *cache, bool may_make, struct wk_err *err)
{
	if (!cache->folder)
		cache->folder = wk_os_folder_open(cache->path, may_make, err);
	return cache->folder != NULL;
}

#define NAME_BYTES (2 * 20 + sizeof(SUFFIX))

static bool has_name(const struct wk_build_id *id)
{
	return id->size > 0 && id->size <= sizeof(id->bytes);
}

static void name_of(const struct wk_build_id *id, char *name)
{
	for (size_t i = 0; i < id->size; i++)
		snprintf(name + 2 * i, 3, "%02x", id->bytes[i]);
	memcpy(name + 2 * (size_t)id->size, SUFFIX, sizeof(SUFFIX));
}

static bool id_of(const char *name, struct wk_build_id *id)
{
	struct wk_str text = wk_str_c(name);

	*id = (struct wk_build_id){ 0 };
	if (!wk_str_ends(text, SUFFIX))
		return false;
	text.len -= strlen(SUFFIX);
	if (text.len == 0 || text.len % 2 || text.len / 2 > sizeof(id->bytes))
		return false;
	for (; text.len; text = wk_str_skip(text, 2)) {
		uint64_t byte;

		if (!wk_num_hex(wk_str_of(text.at, 2), &byte))
			return false;
		id->bytes[id->size++] = (uint8_t)byte;
	}
	return true;
}

/* Whether a file of the folder is an entry: users store other files under such names. The header
 * decides; it may be of another version or byte order, and may be incomplete. */
static bool is_entry(struct wk_os_folder *folder, const char *name, struct wk_build_id *id)
{
	struct wk_os_file file;
	struct file_head head;
	char own_name[NAME_BYTES];
	uint64_t changed_ns;
	bool is_long;

	if (!id_of(name, id))
		return false;
	name_of(id, own_name);
	if (strcmp(name, own_name) != 0 || !wk_os_folder_map(folder, name, &file, &changed_ns))
		return false;
	is_long = file.size_bytes >= sizeof(head);
	if (is_long)
		memcpy(&head, file.at, sizeof(head));
	wk_os_close(&file);
	return is_long && (head.magic == MAGIC || head.magic == __builtin_bswap32(MAGIC)) &&
	       head.id_size == id->size && memcmp(head.id, id->bytes, id->size) == 0;
}

static uint64_t head_checksum(const struct file_head *head)
{
	const uint8_t *from = (const uint8_t *)&head->size_bytes;
	const uint8_t *to =
		(const uint8_t *)(head + 1) + head->section_count * sizeof(struct file_section);

	return wk_checksum(from, (size_t)(to - from));
}

static bool is_sound(const struct wk_cache_entry *entry)
{
	const struct file_head *head = head_of(entry);
	size_t size = entry->file.size_bytes;

	return size >= sizeof(*head) && head->magic == MAGIC && head->version == VERSION &&
	       head->size_bytes == size && head->id_size == entry->id.size &&
	       memcmp(head->id, entry->id.bytes, entry->id.size) == 0 &&
	       head->section_count <= MOST_SECTIONS &&
	       (size - sizeof(*head)) / sizeof(struct file_section) >= head->section_count &&
	       head->checksum == head_checksum(head);
}

static void note_use(struct wk_cache *cache, const char *name, uint64_t used_ns)
{
	if (used_ns + TOUCH_NS < wk_os_wall_ns())
		wk_os_folder_touch(cache->folder, name);
}

static const struct wk_cache_entry *find(struct wk_cache *cache, const struct wk_build_id *id,
					 bool is_use)
{
	struct wk_cache_entry *entry;
	char name[NAME_BYTES];
	uint64_t used_ns;

	if (!cache || !has_name(id))
		return NULL;
	for (entry = cache->entries; entry; entry = entry->next)
		if (!entry->is_replaced && wk_build_id_eq(&entry->id, id))
			return entry;
	if (!need_folder(cache, false, NULL))
		return NULL;
	entry = wk_alloc_zeroed(1, sizeof(*entry));
	entry->id = *id;
	name_of(id, name);
	if (!wk_os_folder_map(cache->folder, name, &entry->file, &used_ns) || !is_sound(entry)) {
		free_entry(entry);
		return NULL;
	}
	if (is_use)
		note_use(cache, name, used_ns);
	entry->next = cache->entries;
	cache->entries = entry;
	return entry;
}

const struct wk_cache_entry *wk_cache_find(struct wk_cache *cache, const struct wk_build_id *id)
{
	return find(cache, id, true);
}

const struct wk_cache_entry *wk_cache_peek(struct wk_cache *cache, const struct wk_build_id *id)
{
	return find(cache, id, false);
}

/* A library's names take 17 MB, and few of them are looked up. */
static uint64_t section_checksum(const struct wk_os_file *file, const struct file_section *section)
{
	uint8_t *piece = wk_alloc(PIECE_BYTES);
	uint64_t left = section->size_bytes;
	struct wk_checksum sum;

	wk_checksum_begin(&sum);
	for (uint64_t at = section->offset; left > 0;) {
		size_t size = left < PIECE_BYTES ? (size_t)left : PIECE_BYTES;

		wk_os_copy_mapped(file, (size_t)at, piece, size);
		wk_checksum_add(&sum, piece, size);
		at += size;
		left -= size;
	}
	wk_free(piece);
	return wk_checksum_end(&sum);
}

/* Verifying the checksum does not change what an entry is. */
static bool is_section_sound(const struct wk_cache_entry *entry, uint32_t number)
{
	struct wk_cache_entry *late = (struct wk_cache_entry *)(uintptr_t)entry;
	const struct file_section *section = &table_of(entry)[number];
	uint64_t size = entry->file.size_bytes;

	if (entry->verdicts[number] == NOT_LOOKED_AT)
		late->verdicts[number] =
			section->offset % ALIGNMENT == 0 && section->offset <= size &&
					section->size_bytes <= size - section->offset &&
					section->checksum == section_checksum(&entry->file, section)
				? SOUND
				: DAMAGED;
	return entry->verdicts[number] == SOUND;
}

struct wk_bytes wk_cache_section(const struct wk_cache_entry *entry, uint32_t kind,
				 uint32_t version)
{
	const struct file_section *table = entry ? table_of(entry) : NULL;

	for (uint32_t i = 0; entry && i < head_of(entry)->section_count; i++)
		if (table[i].kind == kind && table[i].version == version &&
		    is_section_sound(entry, i))
			return wk_bytes_of(entry->file.at + table[i].offset,
					   (size_t)table[i].size_bytes);
	return (struct wk_bytes){ 0 };
}

bool wk_cache_check_head(struct wk_bytes bytes, size_t head_bytes, uint32_t magic, uint32_t version,
			 const char *what, struct wk_err *err)
{
	uint32_t first[2];

	if (wk_bytes_left(&bytes) < head_bytes || (uintptr_t)bytes.at % 8 != 0)
		return wk_fail(err, WK_ECORRUPT, 0, "%zu bytes are not a saved %s",
			       wk_bytes_left(&bytes), what);
	memcpy(first, bytes.at, sizeof(first));
	if (first[0] != magic || first[1] != version)
		return wk_fail(err, WK_EFORMAT, 0,
			       "a saved %s begins with 0x%08" PRIx32 " and version %" PRIu32
			       ", and has this machine's byte order",
			       what, magic, version);
	return true;
}

/* The entries in the folder. */
struct cached_file {
	char name[NAME_BYTES];
	uint64_t size_bytes, used_ns;
};

struct cached_files {
	struct wk_cache *cache;
	const char *written; /* the name that is about to be replaced */
	struct cached_file *files;
	size_t count, cap;
	uint64_t size_bytes;
};

/* Also removes files that killed writers left. */
static bool note_file(void *context, const struct wk_os_folder_file *file)
{
	struct cached_files *cached = context;
	struct wk_build_id id;

	if (file->is_left_behind)
		wk_os_folder_remove(cached->cache->folder, file->name);
	if (strcmp(file->name, cached->written) == 0 ||
	    !is_entry(cached->cache->folder, file->name, &id))
		return true;
	WK_RESERVE(cached->files, cached->cap, cached->count + 1);
	cached->files[cached->count].size_bytes = file->size_bytes;
	cached->files[cached->count].used_ns = file->changed_ns;
	name_of(&id, cached->files[cached->count++].name);
	cached->size_bytes += file->size_bytes;
	return true;
}

static int oldest_first(const void *left, const void *right)
{
	const struct cached_file *a = left, *b = right;

	if (a->used_ns != b->used_ns)
		return a->used_ns < b->used_ns ? -1 : 1;
	return strcmp(a->name, b->name);
}

#define TRUSTED_WRITES 256

/* A replaced entry is counted twice, so that the folder is scanned too early, never too late. */
static bool has_room(struct wk_cache *cache, uint64_t size_bytes)
{
	if (cache->trusted_writes == 0 || size_bytes > cache->most_bytes ||
	    cache->counted_bytes > cache->most_bytes - size_bytes)
		return false;
	cache->trusted_writes--;
	cache->counted_bytes += size_bytes;
	return true;
}

static bool make_room(struct wk_cache *cache, const char *written, uint64_t size_bytes,
		      struct wk_err *err)
{
	struct cached_files cached = { .cache = cache, .written = written };

	if (has_room(cache, size_bytes))
		return true;

	if (size_bytes > cache->most_bytes)
		return wk_fail(err, WK_EIO, WK_NOWHERE,
			       "%" PRIu64 " bytes are more than the %" PRIu64
			       " that the symbol cache may take",
			       size_bytes, cache->most_bytes);
	if (!wk_os_folder_each(cache->folder, note_file, &cached, err))
		return false;
	if (cached.count > 0)
		qsort(cached.files, cached.count, sizeof(*cached.files), oldest_first);
	for (size_t i = 0; i < cached.count && cached.size_bytes > cache->most_bytes - size_bytes;
	     i++)
		if (wk_os_folder_remove(cache->folder, cached.files[i].name))
			cached.size_bytes -= cached.files[i].size_bytes;
	cache->counted_bytes = cached.size_bytes + size_bytes;
	cache->trusted_writes = TRUSTED_WRITES;
	wk_free(cached.files);
	return true;
}

static uint64_t aligned(uint64_t size)
{
	return (size + ALIGNMENT - 1) & ~(uint64_t)(ALIGNMENT - 1);
}

/* The header and the table; the sections are written from where they are. */
static void make_head(const struct wk_build_id *id, const struct wk_cache_section *sections,
		      uint32_t count, struct wk_buf *out)
{
	struct file_head head = {
		.magic = MAGIC, .version = VERSION, .id_size = id->size, .section_count = count,
	};
	uint64_t at = aligned(sizeof(head) + count * sizeof(struct file_section));

	memcpy(head.id, id->bytes, id->size);
	wk_buf_add(out, &head, sizeof(head));
	for (uint32_t i = 0; i < count; i++) {
		struct wk_str bytes = sections[i].bytes;
		struct file_section section = {
			.kind = sections[i].kind,
			.version = sections[i].version,
			.offset = at,
			.size_bytes = bytes.len,
			.checksum = wk_checksum(bytes.at, bytes.len),
		};

		wk_buf_add(out, &section, sizeof(section));
		at += aligned(bytes.len);
	}
	head.size_bytes = at;
	memcpy(out->at, &head, sizeof(head));
	head.checksum = head_checksum((const struct file_head *)(const void *)out->at);
	memcpy(out->at, &head, sizeof(head));
}

static bool write_file(struct wk_cache *cache, const char *name, struct wk_str head,
		       const struct wk_cache_section *sections, size_t count, struct wk_err *err)
{
	static const char zeros[ALIGNMENT];
	struct wk_str pieces[2 * (MOST_SECTIONS + 1)];
	uint64_t size = 0;

	for (size_t i = 0; i <= count; i++) {
		struct wk_str piece = i ? sections[i - 1].bytes : head;

		pieces[2 * i] = piece;
		pieces[2 * i + 1] = wk_str_of(zeros, (size_t)(aligned(piece.len) - piece.len));
		size += aligned(piece.len);
	}
	return make_room(cache, name, size, err) &&
	       wk_os_folder_write(cache->folder, name, pieces, 2 * (count + 1), err);
}

static void forget(struct wk_cache *cache, const struct wk_build_id *id)
{
	for (struct wk_cache_entry *entry = cache->entries; entry; entry = entry->next)
		if (!id || wk_build_id_eq(&entry->id, id))
			entry->is_replaced = true;
}

bool wk_cache_write(struct wk_cache *cache, const struct wk_build_id *id,
		    const struct wk_cache_section *sections, size_t count, struct wk_err *err)
{
	struct wk_buf head = { 0 };
	char name[NAME_BYTES];
	bool ok;

	if (!cache)
		return wk_fail(err, WK_EUNSUPPORTED, WK_NOWHERE,
			       "the symbol cache is switched off");
	if (!has_name(id) || count > MOST_SECTIONS)
		return wk_fail(err, WK_EUSAGE, WK_NOWHERE,
			       "the symbol cache keeps images with a build id, and %d sections",
			       MOST_SECTIONS);
	if (!need_folder(cache, true, err))
		return false;
	name_of(id, name);
	make_head(id, sections, (uint32_t)count, &head);
	ok = write_file(cache, name, wk_buf_str(&head), sections, count, err);
	if (ok)
		forget(cache, id);
	wk_buf_fini(&head);
	return ok;
}

static bool has_kind(const struct wk_cache_section *sections, size_t count, uint32_t kind)
{
	for (size_t i = 0; i < count; i++)
		if (sections[i].kind == kind)
			return true;
	return false;
}

bool wk_cache_add(struct wk_cache *cache, const struct wk_build_id *id,
		  const struct wk_cache_section *sections, size_t count, struct wk_err *err)
{
	const struct wk_cache_entry *entry = find(cache, id, false);
	const struct file_section *table = entry ? table_of(entry) : NULL;
	struct wk_cache_section all[MOST_SECTIONS];
	size_t cached = 0;

	for (uint32_t i = 0; entry && i < head_of(entry)->section_count; i++)
		if (!has_kind(sections, count, table[i].kind) && is_section_sound(entry, i))
			all[cached++] = (struct wk_cache_section){
				table[i].kind, table[i].version,
				wk_str_of((const char *)entry->file.at + table[i].offset,
					  (size_t)table[i].size_bytes),
			};
	if (count > MOST_SECTIONS - cached)
		return wk_fail(err, WK_EUSAGE, WK_NOWHERE,
			       "an entry of the symbol cache has at most %d sections",
			       MOST_SECTIONS);
	memcpy(all + cached, sections, count * sizeof(*sections));
	return wk_cache_write(cache, id, all, cached + count, err);
}

/* A folder that does not exist yet is empty. */
static bool is_there(struct wk_cache *cache, bool *ok, struct wk_err *err)
{
	struct wk_err why = { 0 };

	*ok = true;
	if (!cache)
		return false;
	if (need_folder(cache, false, &why))
		return true;
	*ok = why.code == WK_ENOTFOUND;
	if (!*ok)
		wk_fail(err, why.code, why.offset, "%s", why.text);
	return false;
}

bool wk_cache_each(struct wk_cache *cache,
		   bool (*take)(void *context, const struct wk_cache_row *row), void *context,
		   struct wk_err *err)
{
	struct cached_files cached = { .cache = cache, .written = "" };
	bool ok, goes_on = true;

	if (!is_there(cache, &ok, err))
		return ok;
	ok = wk_os_folder_each(cache->folder, note_file, &cached, err);
	for (size_t i = 0; i < cached.count && goes_on; i++) {
		struct wk_cache_row row = { .size_bytes = cached.files[i].size_bytes,
					    .used_ns = cached.files[i].used_ns };

		id_of(cached.files[i].name, &row.id);
		goes_on = take(context, &row);
	}
	wk_free(cached.files);
	return ok;
}

bool wk_cache_clear(struct wk_cache *cache, uint64_t *files, uint64_t *bytes, struct wk_err *err)
{
	struct cached_files cached = { .cache = cache, .written = "" };
	bool ok;

	*files = *bytes = 0;
	if (!is_there(cache, &ok, err))
		return ok;
	ok = wk_os_folder_each(cache->folder, note_file, &cached, err);
	for (size_t i = 0; i < cached.count; i++) {
		if (!wk_os_folder_remove(cache->folder, cached.files[i].name))
			continue;
		*files += 1;
		*bytes += cached.files[i].size_bytes;
	}
	wk_free(cached.files);
	forget(cache, NULL);
	if (*files < cached.count)
		return wk_fail(err, WK_EIO, WK_NOWHERE, "%" PRIu64 " files of %s cannot be removed",
			       cached.count - *files, cache->path);
	return ok;
}
