#include <fcntl.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/hash.h"
#include "base/mem.h"
#include "elf_writer.h"
#include "fetch/fetcher.h"
#include "os/os.h"
#include "own_folder.h"
#include "pe_writer.h"
#include "symbols/cache/cache.h"
#include "symbols/image/symbols.h"
#include "symbols/kernel/kallsyms.h"

/* Every test works in a directory of its own, which is also HOME. */
struct place {
	struct wk_symbols *symbols;
	const char *debug_dirs[2];
	char debug_dir[96];
};

static int enter(void **state)
{
	struct place *p = test_calloc(1, sizeof(*p));

	assert_int_equal(make_own_folder(state), 0);
	snprintf(p->debug_dir, sizeof(p->debug_dir), "%s/debug", own_folder);
	p->debug_dirs[0] = p->debug_dir;
	setenv("HOME", own_folder, 1);
	p->symbols = wk_symbols_new(&(struct wk_symbols_options){ .debug_dirs = p->debug_dirs });
	*state = p;
	return 0;
}

static int leave(void **state)
{
	struct place *p = *state;

	wk_symbols_free(p->symbols);
	assert_int_equal(remove_own_folder(state), 0);
	test_free(p);
	return 0;
}

struct file {
	const char *name;     /* below the place's directory */
	const char *id;       /* build id, or NULL */
	const char *symbol;   /* of the 64 bytes at 0x401000, or NULL */
	const char *exported; /* of the 16 bytes at 0x401010, in .dynsym; or NULL */
	const char *link;     /* .gnu_debuglink, or NULL */
	uint32_t crc;
};

/* The code's offset in the files that write_file makes. */
static uint64_t code_offset;

/* Gives the CRC-32 of what was written. */
static uint32_t write_file(const struct file *f)
{
	static const char code[64];
	struct elf_spec spec = { .type = WK_ET_DYN, .machine = WK_EM_X86_64 };
	struct wk_buf note = { 0 }, symbols = { 0 }, names = { 0 }, link = { 0 }, out = { 0 };
	struct wk_buf exported = { 0 };
	char command[300];
	uint32_t crc;
	FILE *to;

	if (f->id)
		elf_add_build_id(&spec, &note, f->id, strlen(f->id));
	if (f->symbol)
		elf_add_symbol(&spec, &symbols, elf_add_name(&names, f->symbol), 0x401000, 64, 1,
			       WK_STT_FUNC, 1);
	if (f->exported)
		elf_add_symbol(&spec, &exported, elf_add_name(&names, f->exported), 0x401010, 16, 1,
			       WK_STT_FUNC, 1);
	if (f->link) {
		wk_buf_add(&link, f->link, strlen(f->link) + 1);
		while (link.len % 4)
			wk_buf_add_char(&link, 0);
		wk_buf_add_u32(&link, f->crc);
	}
	elf_section(&spec, 1, ".text", 1, WK_SHF_ALLOC | WK_SHF_EXECINSTR, 0x401000,
		    wk_str_of(code, sizeof(code)));
	elf_section(&spec, 2, ".note.gnu.build-id", WK_SHT_NOTE, 2, 0x401040, wk_buf_str(&note));
	elf_section(&spec, 3, ".strtab", 3, 0, 0, wk_buf_str(&names));
	elf_section(&spec, 4, ".symtab", WK_SHT_SYMTAB, 0, 0, wk_buf_str(&symbols))->link = 3;
	elf_section(&spec, 5, ".dynsym", WK_SHT_DYNSYM, 0, 0, wk_buf_str(&exported))->link = 3;
	elf_section(&spec, 6, ".gnu_debuglink", 1, 0, 0, wk_buf_str(&link));
	spec.segments[0] = (struct elf_segment_spec){ WK_PT_LOAD, WK_PF_X, 1, 1 };
	elf_write(&spec, &out);
	code_offset = spec.sections[1].offset;
	snprintf(command, sizeof(command), "mkdir -p $(dirname %s)", in_own_folder(f->name));
	assert_int_equal(system(command), 0);
	to = fopen(in_own_folder(f->name), "wb");
	assert_non_null(to);
	assert_int_equal(fwrite(out.at, 1, out.len, to), out.len);
	assert_int_equal(fclose(to), 0);
	crc = wk_crc32(0, out.at, out.len);
	wk_buf_fini(&note);
	wk_buf_fini(&symbols);
	wk_buf_fini(&exported);
	wk_buf_fini(&names);
	wk_buf_fini(&link);
	wk_buf_fini(&out);
	return crc;
}

static struct wk_build_id id_of(const char *text)
{
	struct wk_build_id id = { .size = (uint8_t)strlen(text) };

	memcpy(id.bytes, text, id.size);
	return id;
}

static struct wk_image_symbols *image_of(const struct place *p, const char *path, const char *id)
{
	struct wk_image_key key = { .path = wk_str_c(path) };

	if (id)
		key.build_id = id_of(id);
	return wk_symbols_image(p->symbols, &key);
}

static const char *name_at(struct wk_image_symbols *image, uint64_t address)
{
	static char text[200];
	struct wk_symbol s;

	if (!wk_image_find(image, address, &s))
		return "none";
	snprintf(text, sizeof(text), "%.*s", WK_STR_ARG(s.name));
	return text;
}

static void check_reason(struct wk_image_symbols *image, const char *part)
{
	if (!strstr(wk_image_reason(image), part))
		fail_msg("\"%s\" does not say \"%s\"", wk_image_reason(image), part);
}

static void addresses_are_file_offsets(void **state)
{
	struct place *p = *state;
	struct wk_image_symbols *image;
	struct wk_symbol symbol;

	write_file(&(struct file){ .name = "app", .id = "0123456789", .symbol = "work" });
	image = image_of(p, in_own_folder("app"), "0123456789");
	assert_int_equal(wk_image_state(image), WK_IMAGE_NAMED);
	assert_true(wk_image_find(image, code_offset + 5, &symbol));
	assert_true(wk_str_is(symbol.name, "work"));
	assert_int_equal(symbol.start, code_offset);
	assert_int_equal(symbol.size_bytes, 64);
	assert_false(wk_image_find(image, code_offset + 64, &symbol));
	assert_false(wk_image_find(image, 0x401000, &symbol));
	assert_non_null(wk_image_obj(image));
	assert_null(wk_image_debug_obj(image));
	check_reason(image, "names from ");
}

/* With a function at 0x1000, which lies there in the file, too, if `is_alike`. */
static void write_windows_file(const char *name, bool is_alike)
{
	static const char before[0x1000 - 1024], code[64];
	struct pe_spec spec = { .machine = 0x8664, .image_base = 0x140000000 };
	struct wk_buf out = { 0 };
	FILE *to;

	spec.image_bytes = 0x3000;
	pe_section(&spec, 1, ".text", PE_CODE, 0x1000, wk_str_of(code, sizeof(code)));
	if (is_alike) {
		spec.sections[1] = spec.sections[0];
		pe_section(&spec, 1, ".data", PE_DATA, 0x400, wk_str_of(before, sizeof(before)));
	}
	pe_add_symbol(&spec, "work", is_alike ? 2 : 1, 0, 0x20, 2, 0);
	pe_write(&spec, &out);
	to = fopen(in_own_folder(name), "wb");
	assert_non_null(to);
	assert_int_equal(fwrite(out.at, 1, out.len, to), out.len);
	assert_int_equal(fclose(to), 0);
	wk_buf_fini(&out);
	pe_spec_fini(&spec);
}

/* Recordings of Windows have no inodes. Those of Linux say where in the file it was. */
static void addresses_in_programs_for_windows_are_those_in_memory(void **state)
{
	struct place *p = *state;
	struct wk_image_key key = { 0 };
	struct wk_os_identity identity;

	write_windows_file("a.exe", false);
	assert_string_equal(name_at(image_of(p, in_own_folder("a.exe"), NULL), 0x1005), "work");
	assert_true(wk_os_identify(in_own_folder("a.exe"), &identity, NULL));
	key.path = wk_str_c(in_own_folder("a.exe"));
	key.inode = identity.inode;
	check_reason(wk_symbols_image(p->symbols, &key), "code has other addresses in memory");

	write_windows_file("b.exe", true);
	assert_true(wk_os_identify(in_own_folder("b.exe"), &identity, NULL));
	key.path = wk_str_c(in_own_folder("b.exe"));
	key.inode = identity.inode;
	assert_string_equal(name_at(wk_symbols_image(p->symbols, &key), 0x1005), "work");
}

static void the_same_key_gives_the_same_image(void **state)
{
	struct place *p = *state;

	write_file(&(struct file){ .name = "app", .id = "0123456789", .symbol = "work" });
	assert_ptr_equal(image_of(p, in_own_folder("app"), "0123456789"),
			 image_of(p, in_own_folder("app"), "0123456789"));
	assert_ptr_not_equal(image_of(p, in_own_folder("app"), "0123456789"),
			     image_of(p, in_own_folder("app"), "9876543210"));
}

static void another_build_under_the_same_name_is_not_used(void **state)
{
	struct place *p = *state;
	struct wk_image_symbols *image;

	write_file(&(struct file){ .name = "app", .id = "new_build!", .symbol = "work" });
	image = image_of(p, in_own_folder("app"), "old_build!");
	assert_int_equal(wk_image_state(image), WK_IMAGE_DIFFERS);
	assert_null(wk_image_obj(image));
	assert_string_equal(name_at(image, code_offset), "none");
	check_reason(image, "build id 6e65775f6275696c6421, recorded 6f6c645f6275696c6421");
}

static void a_build_id_padded_with_zeros_is_the_same(void **state)
{
	struct place *p = *state;
	struct wk_image_key key = { .path = wk_str_c(in_own_folder("app")),
				    .build_id = id_of("01234567") };

	write_file(&(struct file){ .name = "app", .id = "01234567", .symbol = "work" });
	key.build_id.size = 20;
	assert_int_equal(wk_image_state(wk_symbols_image(p->symbols, &key)), WK_IMAGE_NAMED);
}

/* A program without a build id, and the key of a recording of it. `path` has 200 bytes. */
static struct wk_image_key write_file_without_id(char *path)
{
	struct wk_os_identity identity;

	write_file(&(struct file){ .name = "app", .symbol = "work" });
	snprintf(path, 200, "%s", in_own_folder("app"));
	assert_true(wk_os_identify(path, &identity, NULL));
	return (struct wk_image_key){ .path = wk_str_c(path), .inode = identity.inode,
				      .device_major = identity.device_major,
				      .device_minor = identity.device_minor,
				      .mapped_wall_ns = identity.changed_ns };
}

static void without_a_build_id_the_inode_tells_a_replaced_file(void **state)
{
	struct place *p = *state;
	char path[200];
	struct wk_image_key key = write_file_without_id(path);

	assert_int_equal(wk_image_state(wk_symbols_image(p->symbols, &key)), WK_IMAGE_NAMED);
	key.inode++;
	assert_int_equal(wk_image_state(wk_symbols_image(p->symbols, &key)), WK_IMAGE_DIFFERS);
	check_reason(wk_symbols_image(p->symbols, &key), "was replaced since");
}

static void without_a_build_id_a_file_written_to_later_is_another(void **state)
{
	struct place *p = *state;
	char path[200];
	struct wk_image_key key = write_file_without_id(path);

	key.mapped_wall_ns--;
	assert_int_equal(wk_image_state(wk_symbols_image(p->symbols, &key)), WK_IMAGE_DIFFERS);
	check_reason(wk_symbols_image(p->symbols, &key), "was written to after it was recorded");
}

static void what_is_not_there_or_no_file_says_so(void **state)
{
	struct place *p = *state;
	struct wk_image_symbols *image = image_of(p, in_own_folder("gone"), NULL);
	FILE *text = fopen(in_own_folder("script"), "w");

	assert_int_equal(wk_image_state(image), WK_IMAGE_MISSING);
	check_reason(image, "gone is not here");
	assert_int_equal(wk_image_places_state(image), WK_PLACES_NONE);
	assert_int_equal(wk_image_state(image_of(p, "[heap]", NULL)), WK_IMAGE_NO_FILE);
	assert_int_equal(wk_image_state(image_of(p, "//anon", NULL)), WK_IMAGE_NO_FILE);
	assert_int_equal(wk_image_state(image_of(p, "/memfd:jit (deleted)", NULL)),
			 WK_IMAGE_NO_FILE);
	assert_int_equal(wk_image_state(image_of(p, "", NULL)), WK_IMAGE_NO_FILE);
	assert_int_equal(wk_image_state(image_of(p, "C:\\Windows\\ntdll.dll", NULL)),
			 WK_IMAGE_MISSING);
	assert_int_equal(wk_image_state(image_of(p, own_folder, NULL)), WK_IMAGE_UNREADABLE);
	check_reason(image_of(p, own_folder, NULL), "is a directory, expected a file");
	assert_non_null(text);
	fputs("#!/bin/sh\n", text);
	fclose(text);
	image = image_of(p, in_own_folder("script"), NULL);
	assert_int_equal(wk_image_state(image), WK_IMAGE_UNREADABLE);
	check_reason(image, "not an ELF file");
}

/* With one folder to ask. */
static struct wk_symbols *symbols_with(struct wk_fetcher **fetcher)
{
	static char folder[200];
	const char *const servers[] = { folder, NULL };
	struct wk_err err = { 0 };

	snprintf(folder, sizeof(folder), "%s", in_own_folder("chroot"));
	*fetcher = wk_fetcher_new(&(struct wk_fetch_options){ 0 });
	assert_true(wk_fetcher_add_servers(*fetcher, servers, &err));
	return wk_symbols_new(&(struct wk_symbols_options){ .fetcher = *fetcher });
}

static void a_file_without_a_build_id_is_found_below_a_folder_that_is_asked(void **state)
{
	struct wk_fetcher *fetcher;
	struct wk_symbols *symbols = symbols_with(&fetcher);
	struct wk_image_key key = { .path = WK_STR("/opt/inside") };
	struct wk_image_symbols *image;
	struct wk_os_identity identity;
	char below[200];

	(void)state;
	write_file(&(struct file){ .name = "chroot/opt/inside", .symbol = "work" });
	assert_true(wk_os_identify(in_own_folder("chroot/opt/inside"), &identity, NULL));
	key.inode = identity.inode;
	image = wk_symbols_image(symbols, &key);
	assert_string_equal(name_at(image, code_offset), "work");
	assert_null(strstr(wk_image_reason(image), "not here"));
	key.path = wk_str_c("/elsewhere/opt/inside"); /* by its name: root has it not */
	check_reason(wk_symbols_image(symbols, &key), "chroot: it has no such file");
	snprintf(below, sizeof(below), "%s", in_own_folder("chroot/opt/inside"));
	assert_int_equal(rename(below, in_own_folder("chroot/inside")), 0);
	key.path = wk_str_c("/third/inside");
	assert_string_equal(name_at(wk_symbols_image(symbols, &key), code_offset), "work");
	key.inode++;
	image = wk_symbols_image(symbols, &key);
	assert_int_equal(wk_image_state(image), WK_IMAGE_DIFFERS);
	check_reason(image, "chroot/inside was replaced since");
	key.inode = 0; /* nothing tells which /third/inside that was */
	assert_int_equal(wk_image_state(wk_symbols_image(symbols, &key)), WK_IMAGE_MISSING);
	key.path = wk_str_c("/../chroot/inside");
	assert_int_equal(wk_image_state(wk_symbols_image(symbols, &key)), WK_IMAGE_MISSING);
	wk_symbols_free(symbols);
	wk_fetcher_free(fetcher);
}

/* Opening a pipe that nobody writes to would wait for ever. */
static void a_pipe_under_an_images_name_is_not_opened(void **state)
{
	struct place *p = *state;
	struct wk_image_symbols *image;

	assert_int_equal(mkfifo(in_own_folder("pipe"), 0600), 0);
	alarm(20);
	image = image_of(p, in_own_folder("pipe"), NULL);
	alarm(0);
	assert_int_equal(wk_image_state(image), WK_IMAGE_UNREADABLE);
}

static void a_stripped_file_says_what_would_name_it(void **state)
{
	struct place *p = *state;
	struct wk_image_symbols *image;

	write_file(&(struct file){ .name = "app", .id = "0123456789" });
	image = image_of(p, in_own_folder("app"), "0123456789");
	assert_int_equal(wk_image_state(image), WK_IMAGE_STRIPPED);
	check_reason(image, "is stripped");
	check_reason(image, "a debug package or an unstripped build would name it");
	assert_int_equal(wk_image_places_state(image), WK_PLACES_NONE);
	assert_string_equal(wk_image_places_reason(image), "no debug information was found");
	assert_non_null(wk_image_obj(image));
}

static void exported_names_alone_are_said_to_be_few(void **state)
{
	struct place *p = *state;
	struct wk_image_symbols *image;

	write_file(&(struct file){ .name = "lib.so", .id = "0123456789", .exported = "open_it" });
	image = image_of(p, in_own_folder("lib.so"), "0123456789");
	assert_int_equal(wk_image_state(image), WK_IMAGE_NAMED);
	assert_string_equal(name_at(image, code_offset + 0x10), "open_it");
	assert_string_equal(name_at(image, code_offset), "none");
	check_reason(image, "only exported names");
}

static void a_debug_file_is_found_by_build_id(void **state)
{
	struct place *p = *state;
	struct wk_image_symbols *image;

	write_file(&(struct file){ .name = "lib.so", .id = "0123456789", .exported = "open_it" });
	write_file(&(struct file){ .name = "debug/.build-id/30/313233343536373839.debug",
				      .id = "0123456789",
				      .symbol = "hidden" });
	image = image_of(p, in_own_folder("lib.so"), "0123456789");
	assert_non_null(wk_image_debug_obj(image));
	assert_string_equal(name_at(image, code_offset + 0x18), "open_it");
	assert_string_equal(name_at(image, code_offset + 0x28), "hidden");
	check_reason(image, "names from ");
	check_reason(image, "313233343536373839.debug");
}

static void a_debug_file_of_another_build_is_not_used(void **state)
{
	struct place *p = *state;
	struct wk_image_symbols *image;

	write_file(&(struct file){ .name = "debug/.build-id/30/313233343536373839.debug",
				      .id = "9999999999",
				      .symbol = "hidden" });
	write_file(&(struct file){ .name = "app", .id = "0123456789" });
	image = image_of(p, in_own_folder("app"), "0123456789");
	assert_int_equal(wk_image_state(image), WK_IMAGE_STRIPPED);
	check_reason(image, "is of another build");
}

/* Adds zeros to a file, which take no room; gives the checksum of all of it. */
static uint32_t lengthen(const char *path, uint32_t crc, size_t bytes)
{
	uint8_t *zeros = wk_alloc_zeroed(1, bytes);
	struct stat info;

	assert_int_equal(stat(path, &info), 0);
	assert_int_equal(truncate(path, info.st_size + (off_t)bytes), 0);
	crc = wk_crc32(crc, zeros, bytes);
	wk_free(zeros);
	return crc;
}

static void check_longer_link(struct place *p, const char *debug_name, size_t added_bytes,
			      uint32_t crc_error, const char *expected)
{
	struct wk_symbols *symbols =
		wk_symbols_new(&(struct wk_symbols_options){ .debug_dirs = p->debug_dirs });
	struct wk_image_key key = { .path = wk_str_c("") };
	char app[200];
	uint32_t crc;

	crc = write_file(&(struct file){ .name = debug_name, .symbol = "hidden" });
	crc = lengthen(in_own_folder(debug_name), crc, added_bytes);
	write_file(&(struct file){
			      .name = "bin/app", .link = "app.debug", .crc = crc ^ crc_error });
	snprintf(app, sizeof(app), "%s", in_own_folder("bin/app"));
	key.path = wk_str_c(app);
	assert_string_equal(name_at(wk_symbols_image(symbols, &key), code_offset), expected);
	wk_symbols_free(symbols);
	assert_int_equal(unlink(in_own_folder(debug_name)), 0);
}

static void check_link(struct place *p, const char *debug_name, uint32_t crc_error,
		       const char *expected)
{
	check_longer_link(p, debug_name, 0, crc_error, expected);
}

/* A hole costs nobody anything but who reads it. */
static void a_debug_link_to_a_file_that_is_little_more_than_a_hole_is_not_followed(void **state)
{
	struct place *p = *state;

	check_longer_link(p, "bin/app.debug", 1 << 20, 0, "hidden");
	check_longer_link(p, "bin/app.debug", (size_t)65 << 20, 0, "none");
}

static void a_debug_link_is_followed_when_its_checksum_fits(void **state)
{
	struct place *p = *state;
	char below[200];

	check_link(p, "bin/app.debug", 0, "hidden");
	check_link(p, "bin/.debug/app.debug", 0, "hidden");
	snprintf(below, sizeof(below), "debug%s/bin/app.debug", own_folder);
	check_link(p, below, 0, "hidden");
	check_link(p, "debug/app.debug", 0, "hidden");
	check_link(p, "debug/app.debug", 1, "none");
	check_link(p, "bin/app.debug", 1, "none");
	check_link(p, "elsewhere/app.debug", 0, "none");
}

static void perfs_cache_stands_in_for_a_file_that_is_gone(void **state)
{
	struct place *p = *state;
	struct wk_image_symbols *image;

	write_file(&(struct file){ .name = ".debug/.build-id/30/313233343536373839/elf",
				      .id = "0123456789",
				      .symbol = "cached" });
	image = image_of(p, "/no/such/program", "0123456789");
	assert_int_equal(wk_image_state(image), WK_IMAGE_NAMED);
	assert_string_equal(name_at(image, code_offset), "cached");
}

static void a_deleted_file_is_read_from_a_process_that_still_maps_it(void **state)
{
	struct place *p = *state;
	struct wk_image_symbols *image;
	struct wk_image_key key = { .pid = (uint32_t)getpid(), .build_id = id_of("0123456789") };
	char path[220], probe[64];
	void *at;
	int fd;

	write_file(&(struct file){ .name = "app", .id = "0123456789", .symbol = "work" });
	fd = open(in_own_folder("app"), O_RDONLY);
	assert_true(fd >= 0);
	at = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 0);
	assert_ptr_not_equal(at, MAP_FAILED);
	close(fd);
	snprintf(path, sizeof(path), "%s (deleted)", in_own_folder("app"));
	assert_int_equal(unlink(in_own_folder("app")), 0);
	key.path = wk_str_c(path);
	image = wk_symbols_image(p->symbols, &key);
	snprintf(probe, sizeof(probe), "/proc/self/map_files/%lx-%lx", (unsigned long)at,
		 (unsigned long)at + 4096);
	if (access(probe, R_OK) != 0) {
		munmap(at, 4096);
		print_message("only root may read /proc/PID/map_files\n");
		skip();
	}
	assert_string_equal(name_at(image, code_offset), "work");
	check_reason(image, "map_files");
	munmap(at, 4096);
}

static void a_missing_file_is_looked_for_again_by_another_process(void **state)
{
	struct place *p = *state;
	struct wk_image_key key = { .path = { 0 }, .pid = 0 };
	char path[200];

	snprintf(path, sizeof(path), "%s", in_own_folder("late"));
	key.path = wk_str_c(path);
	assert_int_equal(wk_image_state(wk_symbols_image(p->symbols, &key)), WK_IMAGE_MISSING);
	write_file(&(struct file){ .name = "late", .symbol = "work" });
	assert_int_equal(wk_image_state(wk_symbols_image(p->symbols, &key)), WK_IMAGE_MISSING);
	key.pid = (uint32_t)getpid();
	assert_int_equal(wk_image_state(wk_symbols_image(p->symbols, &key)), WK_IMAGE_NAMED);
	assert_string_equal(name_at(wk_symbols_image(p->symbols, &key), code_offset), "work");
}

static void the_vdso_names_the_clock(void **state)
{
	struct place *p = *state;
	struct wk_image_symbols *image = image_of(p, "[vdso]", NULL);
	const struct wk_obj *obj = wk_image_obj(image);
	unsigned named = 0;

	if (!obj) {
		print_message("this process has no vDSO\n");
		skip();
	}
	for (uint64_t at = 0; at < obj->size_bytes; at += 16)
		named += strstr(name_at(image, at), "clock_gettime") != NULL;
	assert_true(named > 0);
}

static void the_kernel_is_named_from_its_table(void **state)
{
	struct wk_symbols_options options = { .kallsyms_path = in_own_folder("kallsyms") };
	struct wk_symbols *symbols = wk_symbols_new(&options);
	struct wk_image_key key = { .path = WK_STR("[kernel.kallsyms]"), .is_kernel = true };
	struct wk_image_symbols *image;
	FILE *table = fopen(options.kallsyms_path, "w");

	(void)state;
	assert_non_null(table);
	fputs("ffffffff81000000 T begin\nffffffff81000100 T next\nffffffffc0000000 t hook\t[mod]\n",
	      table);
	fclose(table);
	image = wk_symbols_image(symbols, &key);
	assert_string_equal(name_at(image, 0xffffffff81000080), "begin");
	assert_int_equal(wk_image_state(image), WK_IMAGE_NAMED);
	wk_symbols_free(symbols);
}

static void a_hidden_kernel_says_which_setting_hides_it(void **state)
{
	struct wk_symbols_options options = { .kallsyms_path = in_own_folder("kallsyms") };
	struct wk_symbols *symbols = wk_symbols_new(&options);
	struct wk_image_key key = { .path = WK_STR("[kernel.kallsyms]"), .is_kernel = true };
	FILE *table = fopen(options.kallsyms_path, "w");

	(void)state;
	assert_non_null(table);
	fputs("0000000000000000 T begin\n", table);
	fclose(table);
	assert_int_equal(wk_image_state(wk_symbols_image(symbols, &key)), WK_IMAGE_UNREADABLE);
	check_reason(wk_symbols_image(symbols, &key), "kernel.kptr_restrict");
	assert_string_equal(name_at(wk_symbols_image(symbols, &key), 0xffffffff81000000), "none");
	wk_symbols_free(symbols);
}

/* The running kernel, as far as it shows itself to this process. */
struct running {
	struct wk_build_id id;
	struct wk_kallsyms_moment moment;
	uint64_t start; /* of its first function */
	char name[100];
};

static bool look_at_kernel(struct running *kernel)
{
	struct wk_kallsyms *k = wk_kallsyms_open("/proc/kallsyms", NULL);
	struct wk_kallsym symbol;
	FILE *file = fopen("/proc/kallsyms", "r");
	char line[300], type = 0;

	while (k && file && type != 't' && type != 'T' && fgets(line, sizeof(line), file))
		sscanf(line, "%" SCNx64 " %c", &kernel->start, &type);
	if (k && wk_kallsyms_find(k, kernel->start, &symbol))
		snprintf(kernel->name, sizeof(kernel->name), "%.*s", WK_STR_ARG(symbol.name));
	kernel->id.size = (uint8_t)wk_os_kernel_build_id(kernel->id.bytes);
	wk_kallsyms_free(k);
	if (file)
		fclose(file);
	return kernel->name[0] && kernel->id.size && wk_kallsyms_now(&kernel->moment);
}

/* The name of the kernel's code at `address`, by a wk_symbols of its own with this cache. */
static const char *kernel_name(const char *cache_path, uint64_t address)
{
	static char name[200];
	struct wk_image_key key = { .path = WK_STR("[kernel.kallsyms]"), .is_kernel = true };
	struct wk_cache *cache = wk_cache_open(&(struct wk_cache_options){ cache_path, 0 });
	struct wk_symbols *symbols = wk_symbols_new(&(struct wk_symbols_options){ .cache = cache });

	snprintf(name, sizeof(name), "%s", name_at(wk_symbols_image(symbols, &key), address));
	wk_symbols_free(symbols);
	wk_cache_close(cache);
	return name;
}

static void keep_table(const char *cache_path, const struct running *kernel, const char *text)
{
	struct wk_cache *cache = wk_cache_open(&(struct wk_cache_options){ cache_path, 0 });
	struct wk_kallsyms *k = wk_kallsyms_parse(wk_str_c(text), NULL);
	struct wk_buf bytes = { 0 };
	struct wk_cache_section section = { WK_CACHE_KERNEL, WK_KALLSYMS_VERSION, { 0 } };

	assert_non_null(k);
	assert_true(wk_kallsyms_save(k, &kernel->moment, &bytes));
	section.bytes = wk_buf_str(&bytes);
	assert_true(wk_cache_write(cache, &kernel->id, &section, 1, NULL));
	wk_kallsyms_free(k);
	wk_buf_fini(&bytes);
	wk_cache_close(cache);
}

static void the_kernels_table_is_kept_for_the_next_time(void **state)
{
	struct running kernel = { 0 };
	char text[300];
	char folder[80];

	(void)state;
	snprintf(folder, sizeof(folder), "%s/cache", own_folder);
	if (!look_at_kernel(&kernel)) {
		print_message("the kernel hides its addresses or its build id\n");
		skip();
	}
	assert_string_equal(kernel_name(folder, kernel.start), kernel.name);
	assert_string_equal(kernel_name(folder, kernel.start), kernel.name);
	/* A table that lies shows which one is asked. */
	snprintf(text, sizeof(text), "%" PRIx64 " T kept_name\n", kernel.start);
	keep_table(folder, &kernel, text);
	assert_string_equal(kernel_name(folder, kernel.start), "kept_name");
}

static void a_kept_kernel_table_is_not_believed_where_it_may_be_wrong(void **state)
{
	struct running kernel = { 0 };
	char text[300];
	char folder[80];

	(void)state;
	snprintf(folder, sizeof(folder), "%s/cache", own_folder);
	if (!look_at_kernel(&kernel)) {
		print_message("the kernel hides its addresses or its build id\n");
		skip();
	}
	/* What comes and goes, an address that it does not know, another place of the kernel,
	 * another start of it. */
	snprintf(text, sizeof(text), "%" PRIx64 " T bpf_prog\t[bpf]\n", kernel.start);
	keep_table(folder, &kernel, text);
	assert_string_equal(kernel_name(folder, kernel.start), kernel.name);
	snprintf(text, sizeof(text), "%" PRIx64 " T kept_name\n", kernel.start);
	keep_table(folder, &kernel, text);
	assert_string_not_equal(kernel_name(folder, kernel.start + 0x100000), "none");
	snprintf(text, sizeof(text), "%" PRIx64 " T kept_name\n", kernel.start - 16);
	keep_table(folder, &kernel, text);
	assert_string_equal(kernel_name(folder, kernel.start), kernel.name);
	kernel.moment.boot_id[0] ^= 1;
	snprintf(text, sizeof(text), "%" PRIx64 " T kept_name\n", kernel.start);
	keep_table(folder, &kernel, text);
	assert_string_equal(kernel_name(folder, kernel.start), kernel.name);
}

#define IN_PLACE(test) cmocka_unit_test_setup_teardown(test, enter, leave)

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_PLACE(addresses_are_file_offsets),
		IN_PLACE(addresses_in_programs_for_windows_are_those_in_memory),
		IN_PLACE(the_same_key_gives_the_same_image),
		IN_PLACE(another_build_under_the_same_name_is_not_used),
		IN_PLACE(a_build_id_padded_with_zeros_is_the_same),
		IN_PLACE(without_a_build_id_the_inode_tells_a_replaced_file),
		IN_PLACE(without_a_build_id_a_file_written_to_later_is_another),
		IN_PLACE(what_is_not_there_or_no_file_says_so),
		IN_PLACE(a_file_without_a_build_id_is_found_below_a_folder_that_is_asked),
		IN_PLACE(a_pipe_under_an_images_name_is_not_opened),
		IN_PLACE(a_stripped_file_says_what_would_name_it),
		IN_PLACE(exported_names_alone_are_said_to_be_few),
		IN_PLACE(a_debug_file_is_found_by_build_id),
		IN_PLACE(a_debug_file_of_another_build_is_not_used),
		IN_PLACE(a_debug_link_is_followed_when_its_checksum_fits),
		IN_PLACE(a_debug_link_to_a_file_that_is_little_more_than_a_hole_is_not_followed),
		IN_PLACE(perfs_cache_stands_in_for_a_file_that_is_gone),
		IN_PLACE(a_deleted_file_is_read_from_a_process_that_still_maps_it),
		IN_PLACE(a_missing_file_is_looked_for_again_by_another_process),
		IN_PLACE(the_vdso_names_the_clock),
		IN_PLACE(the_kernel_is_named_from_its_table),
		IN_PLACE(a_hidden_kernel_says_which_setting_hides_it),
		IN_PLACE(the_kernels_table_is_kept_for_the_next_time),
		IN_PLACE(a_kept_kernel_table_is_not_believed_where_it_may_be_wrong),
	};

	return cmocka_run_group_tests_name("symbols", tests, NULL, NULL);
}
