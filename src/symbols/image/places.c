/* Addresses to functions, inlined calls and lines, by debug information.
 *
 * The index answers first; a file is opened only to read a unit that is not in it yet. Errors are
 * reported in the reason. */
#include "symbols/image/image.h"

void wk_image_debug_fini(struct wk_image_debug *places)
{
	wk_pdb_free(places->pdb);
	wk_breakpad_free(places->breakpad);
	wk_store_close(&places->pdb_file);
	wk_dwarf_free(places->dwarf);
	wk_image_debug_close_files(places);
	wk_code_index_free(places->index);
	WK_BUF_FINI_ALL(&places->pdb_why, &places->path, &places->reason);
}

bool wk_image_has_places(const struct wk_obj *obj)
{
	return obj && (wk_obj_section(obj, ".debug_info") || wk_obj_section(obj, ".zdebug_info"));
}

/* The image itself or its debug file, whichever has debug information; NULL if neither has. */
static const struct wk_store_file *find_file(struct wk_image_symbols *image)
{
	if (wk_image_has_places(image->file.obj))
		return &image->file;
	return wk_image_has_places(wk_image_debug_obj(image)) ? &image->debug : NULL;
}

static void use_path(struct wk_image_debug *places, const char *path)
{
	wk_buf_reset(&places->reason);
	wk_buf_reset(&places->path);
	wk_buf_add_text(&places->path, path);
}

static void say_none(struct wk_image_symbols *image)
{
	struct wk_buf *reason = &image->places.reason;

	if (!image->file.obj)
		wk_buf_add_text(reason, wk_image_reason(image));
	else if (image->places.pdb_why.len)
		wk_buf_add_str(reason, wk_buf_str(&image->places.pdb_why));
	else
		wk_buf_add_text(reason, "no debug information was found");
}

static void search(struct wk_image_symbols *image)
{
	struct wk_image_debug *places = &image->places;
	const struct wk_store_file *file;
	struct wk_dwarf_input input;
	struct wk_err err = { 0 };

	places->was_searched = true;
	/* If a program has both, the PDB describes its own code and DWARF that of libraries. */
	if (wk_image_open_pdb(image)) {
		use_path(places, places->pdb_file.path);
		return;
	}
	file = image->file.obj ? find_file(image) : NULL;
	if (!file) {
		if (places->reason.len == 0)
			say_none(image);
		return;
	}
	input = wk_image_dwarf_input(image, file);
	places->dwarf = wk_dwarf_new(&input, &err);
	if (!places->dwarf) {
		wk_buf_reset(&places->reason);
		wk_buf_add_fmt(&places->reason, "%s: %s", file->path, err.text);
		return;
	}
	use_path(places, file->path);
}

static bool is_stripped(const struct wk_image_debug *places)
{
	return places->pdb && wk_pdb_is_stripped(places->pdb);
}

const char *wk_image_debug_kind(const struct wk_image_debug *places)
{
	if (places->pdb)
		return is_stripped(places) && !wk_pdb_refers_to_objects(places->pdb) ? "publics"
										     : "pdb";
	return places->breakpad ? "breakpad" : "dwarf";
}

/* Does the cache entry say that its PDB has only names? Then it is not opened. */
static bool is_known_to_have_none(struct wk_image_symbols *image)
{
	const struct wk_image_cached *cached = wk_image_cached(image);

	if (!wk_str_is(cached->units, "publics") || !cached->lines.path.len ||
	    cached->lines.is_stale)
		return false;
	wk_buf_add_fmt(&image->places.reason, "%.*s has public names only",
		       WK_STR_ARG(cached->lines.path));
	return true;
}

static void open_index(struct wk_image_symbols *image)
{
	struct wk_image_debug *places = &image->places;

	places->is_open = true;
	if (is_known_to_have_none(image))
		return;
	places->index = wk_image_cached_places(image);
	places->is_cached = places->index != NULL;
	if (places->index) {
		wk_buf_add_str(&places->path, image->cached.lines.path);
		return;
	}
	search(image);
	if (!wk_image_debug_has_source(places))
		return;
	places->index = wk_code_index_new();
	if (places->pdb)
		wk_pdb_fill(places->pdb, places->index);
	else if (places->breakpad)
		wk_breakpad_fill(places->breakpad, places->index);
	else
		wk_dwarf_fill(places->dwarf, places->index);
}

static bool read_unit(struct wk_image_debug *places, uint32_t unit, struct wk_err *err)
{
	if (places->pdb)
		return wk_pdb_load(places->pdb, unit, places->index, err);
	if (places->breakpad)
		return wk_breakpad_load(places->breakpad, unit, places->index, err);
	return wk_dwarf_load(places->dwarf, unit, places->index, err);
}

/* Units of a cached index belong to the kind of file that it was made from. */
static bool has_units(const struct wk_image_symbols *image)
{
	const struct wk_image_debug *places = &image->places;
	struct wk_str cached = image->cached.lines.path.len ? image->cached.units : wk_str_c("");

	return wk_image_debug_has_source(places) &&
	       (!places->is_cached || cached.len == 0 ||
		wk_str_is(cached, wk_image_debug_kind(places)));
}

/* Adds the unit; one that cannot be read is added empty, so it is tried once. */
static bool load_unit(struct wk_image_symbols *image, uint32_t unit)
{
	struct wk_image_debug *places = &image->places;
	struct wk_err err = { 0 };

	if (!places->was_searched)
		search(image);
	if (!has_units(image)) {
		places->lacks_units = true;
		return false;
	}
	if (!read_unit(places, unit, &err)) {
		places->lacks_units = true;
		if (places->reason.len == 0)
			wk_buf_add_text(&places->reason, err.text);
	}
	return wk_code_index_has(places->index, unit);
}

static struct wk_code_index *index_of(struct wk_image_symbols *image)
{
	if (!image->places.is_open)
		open_index(image);
	return image->places.index;
}

size_t wk_image_place_ids_of(struct wk_image_symbols *image, uint64_t vaddr,
			     struct wk_place_ids *places, size_t cap)
{
	struct wk_code_index *index = index_of(image);
	uint32_t missing;
	size_t count;

	if (!index)
		return 0;
	count = wk_code_index_place_ids(index, vaddr, places, cap, &missing);
	if (missing != WK_NO_UNIT && load_unit(image, missing))
		count = wk_code_index_place_ids(index, vaddr, places, cap, &missing);
	return count;
}

struct wk_str wk_image_text(const struct wk_image_symbols *image, uint32_t id)
{
	return wk_code_index_str(image->places.index, id);
}

void wk_image_expect(const struct wk_image_symbols *image, uint64_t vaddr)
{
	if (image->places.index)
		wk_code_index_expect(image->places.index, vaddr);
}

/* NULL if no unit contains the address. */
static struct wk_code_index *index_at(struct wk_image_symbols *image, uint64_t vaddr)
{
	struct wk_code_index *index = index_of(image);
	uint32_t unit = index ? wk_code_index_unit_at(index, vaddr) : WK_NO_UNIT;

	if (unit == WK_NO_UNIT || (!wk_code_index_has(index, unit) && !load_unit(image, unit)))
		return NULL;
	return index;
}

size_t wk_image_places_of(struct wk_image_symbols *image, uint64_t vaddr, struct wk_place *places,
			  size_t cap)
{
	struct wk_code_index *index = index_at(image, vaddr);

	return index ? wk_code_index_places(index, vaddr, places, cap) : 0;
}

/* A cached index identifies its source only by the file's name. */
static bool has_pdb_places(struct wk_image_symbols *image)
{
	struct wk_str path;
	struct wk_pdb_id id = wk_image_pdb_id(image, &path);

	if (wk_pdb_id_is_none(&id) || !index_of(image))
		return false;
	if (image->places.pdb || image->places.breakpad)
		return true;
	return image->cached.lines.path.len && !image->places.dwarf &&
	       !wk_str_is(image->cached.lines.path, image->file.path);
}

bool wk_image_find_in_pdb(struct wk_image_symbols *image, uint64_t vaddr, struct wk_symbol *symbol)
{
	struct wk_code_function found;
	struct wk_code_index *index = has_pdb_places(image) ? index_at(image, vaddr) : NULL;

	if (!index || !wk_code_index_function(index, vaddr, &found))
		return false;
	*symbol = (struct wk_symbol){
		.name = wk_code_index_str(index, found.function),
		.start = found.start,
		.size_bytes = found.end - found.start,
	};
	return true;
}

size_t wk_image_places(struct wk_image_symbols *image, uint64_t address, struct wk_place *places,
		       size_t cap)
{
	uint64_t vaddr;

	if (image->key.is_kernel || !wk_image_vaddr_of(image, address, &vaddr))
		return 0;
	return wk_image_places_of(image, vaddr, places, cap);
}

static bool is_identifier(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
	       c == '_' || c == '$' || (unsigned char)c >= 0x80;
}

/* The name itself: "part" of "ns::Shape<int>::part<4>". Empty for operators. */
static struct wk_str own_name(struct wk_str name)
{
	size_t start = 0, end, depth = 0;

	for (size_t i = 0; i < name.len; i++) {
		depth += name.at[i] == '<' || name.at[i] == '(';
		depth -= depth && (name.at[i] == '>' || name.at[i] == ')');
		if (depth == 0 && name.at[i] == ':')
			start = i + 1;
	}
	start += start < name.len && name.at[start] == '~';
	for (end = start; end < name.len && is_identifier(name.at[end]); end++)
		continue;
	name = wk_str_of(name.at + start, end - start);
	return wk_str_is(name, "operator") ? wk_str_c("") : name;
}

static bool has_part(struct wk_str text, const char *part)
{
	for (; text.len; text = wk_str_skip(text, 1))
		if (wk_str_starts(text, part))
			return true;
	return false;
}

/* Linkers merge functions of the same code, so the symbol may belong to another function. */
static bool is_linked_name_of(struct wk_str linked, struct wk_str name)
{
	struct wk_str own = own_name(name);
	struct wk_buf part = { 0 };
	bool ok;

	if (wk_str_ends(name, "}::operator()")) /* of a lambda */
		wk_buf_add_text(&part, "_cl");
	else if (own.len)
		wk_buf_add_fmt(&part, "%zu%.*s", own.len, WK_STR_ARG(own));
	ok = part.len && wk_str_starts(linked, "_Z") && has_part(linked, wk_buf_text(&part));
	wk_buf_fini(&part);
	return ok;
}

struct wk_str wk_image_place_name(struct wk_image_symbols *image, const struct wk_place *place)
{
	struct wk_symbol symbol;

	if (place->copy_at && wk_image_find_of(image, place->copy_at, &symbol) &&
	    symbol.start == place->copy_at && !symbol.is_plt &&
	    is_linked_name_of(symbol.name, place->function))
		return symbol.name;
	return place->function;
}

static struct wk_str shared_file(const struct wk_image_symbols *image)
{
	const struct wk_obj *obj =
		wk_image_has_places(image->file.obj) ? image->file.obj : image->debug.obj;
	struct wk_str path = wk_str_c("");
	struct wk_build_id id;

	return obj && wk_obj_debugaltlink(obj, &path, &id) ? path : wk_str_c("");
}

static struct wk_str pdb_trouble(struct wk_image_symbols *image)
{
	const struct wk_image_debug *places = &image->places;

	if (places->pdb && wk_pdb_refers_to_objects(places->pdb))
		return wk_str_c(wk_image_places_reason(image));
	if (places->has_unfit_pdb && !places->pdb && !places->breakpad)
		return wk_str_c(wk_buf_text(&image->places.pdb_why));
	return wk_str_c("");
}

void wk_image_used(struct wk_image_symbols *image, struct wk_image_used *used)
{
	const struct wk_dwarf *dwarf = image->places.dwarf;

	wk_image_state(image);
	*used = (struct wk_image_used){
		.has_all_names = image->has_all_names,
		.names_are_cached = image->names_are_cached,
		.places_are_cached = image->places.index && !image->places.was_searched,
	};
	used->pdb_trouble = pdb_trouble(image);
	if (!dwarf || wk_dwarf_missing(dwarf).len == 0)
		return;
	used->missing = wk_dwarf_missing(dwarf);
	used->missing_file = wk_dwarf_missing_split(dwarf);
	used->misses_shared = used->missing_file.len == 0 && wk_dwarf_lacks_alternate(dwarf);
	if (used->misses_shared)
		used->missing_file = shared_file(image);
}

static void describe(struct wk_image_debug *places)
{
	if (places->reason.len == 0 && is_stripped(places))
		wk_buf_add_fmt(&places->reason, "%s has public names only: %s",
			       wk_buf_text(&places->path), wk_pdb_why_stripped(places->pdb));
	else if (places->reason.len == 0 && places->path.len) {
		wk_buf_add_text(&places->reason, "lines and inlined calls from ");
		places->source_at = places->reason.len;
		wk_buf_add_str(&places->reason, wk_buf_str(&places->path));
	}
	if (places->dwarf)
		wk_image_add_why(&places->reason, wk_dwarf_missing(places->dwarf));
	wk_image_add_why(&places->reason, wk_buf_str(&places->files_why));
}

enum wk_places_state wk_image_places_state(struct wk_image_symbols *image)
{

	if (!image->places.is_open)
		open_index(image);
	if (!image->places.index || is_stripped(&image->places))
		return WK_PLACES_NONE;
	return image->places.lacks_units ? WK_PLACES_SOME : WK_PLACES_ALL;
}

const char *wk_image_places_reason(struct wk_image_symbols *image)
{

	if (!image->places.is_open)
		open_index(image);
	if (!image->places.is_told) {
		image->places.is_told = true;
		describe(&image->places);
	}
	return wk_buf_text(&image->places.reason);
}

const char *wk_image_places_source(struct wk_image_symbols *image)
{
	const char *reason = wk_image_places_reason(image);

	return reason + image->places.source_at;
}
