/* Where servers keep files, the negative cache, and which files are refused. The only network is
 * the loopback address. */
#define _GNU_SOURCE /* mkdtemp, utimensat */
#include <arpa/inet.h>
#include <dirent.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "elf_writer.h"
#include "fetch/address.h"
#include "fetch/cache_folder.h"
#include "fetch/elf_server.h"
#include "fetch/fetcher.h"
#include "fetch/misses.h"
#include "fetch/transfer.h"
#include "os/folder.h"
#include "os/os.h"
#include "own_folder.h"
#include "pe_writer.h"

static const struct wk_build_id sha1 = {
	.size = 20,
	.bytes = { 0xab, 0xcd, 0xef, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19 },
};

#define HEX "abcdef030405060708090a0b0c0d0e0f10111213"

static struct wk_elf_server server_of(const char *word)
{
	struct wk_elf_server server;
	struct wk_err err = { 0 };

	if (!wk_elf_server_read(&server, word, &err))
		fail_msg("%s: %s", word, err.text);
	return server;
}

static void is_refused(const char *word)
{
	struct wk_elf_server server;
	struct wk_err err = { 0 };

	if (wk_elf_server_read(&server, word, &err))
		fail_msg("\"%s\" was taken", word);
	assert_int_equal(err.code, WK_EUSAGE);
	wk_elf_server_fini(&server);
}

/* All places of a file of that name, base in front, a line each. */
static void places_are(const char *word, enum wk_fetch_kind kind, const char *name,
		       const char *expected)
{
	struct wk_elf_server server = server_of(word);
	struct wk_fetch_want want = { .kind = kind, .id = sha1,
				      .name = wk_str_basename(wk_str_c(name)),
				      .path = wk_str_c(name) };
	struct wk_buf all = { 0 }, place = { 0 };

	for (unsigned i = 0; wk_elf_server_place(&server, &want, i, &place); i++)
		if (place.len)
			wk_buf_add_fmt(&all, "%s%s\n", server.base, wk_buf_text(&place));
	assert_string_equal(wk_buf_text(&all), expected);
	wk_buf_fini(&all);
	wk_buf_fini(&place);
	wk_elf_server_fini(&server);
}

static void a_plain_url_is_a_debuginfod_server(void **state)
{
	(void)state;
	places_are("https://host/path/", WK_FETCH_DEBUG, "app",
		   "https://host/path/buildid/" HEX "/debuginfo\n");
	places_are("http://host", WK_FETCH_IMAGE, "app",
		   "http://host/buildid/" HEX "/executable\n");
}

static void a_store_has_a_tree_by_id_and_two_or_three_parts(void **state)
{
	(void)state;
	places_are("store:http://host/s", WK_FETCH_IMAGE, "app",
		   "http://host/s/.build-id/ab/cdef030405060708090a0b0c0d0e0f10111213\n"
		   "http://host/s/app/" HEX "/app\n"
		   "http://host/s/ap/app/" HEX "/app\n");
	places_are("/srv/store", WK_FETCH_DEBUG, "x",
		   "/srv/store/.build-id/ab/cdef030405060708090a0b0c0d0e0f10111213.debug\n"
		   "/srv/store/x.debug/" HEX "/x.debug\n"
		   "/srv/store/x./x.debug/" HEX "/x.debug\n"
		   "/srv/store/x.debug\n"
		   "/srv/store/x\n");
}

static void a_folder_may_hold_files_by_their_names_or_with_their_folders(void **state)
{
	(void)state;
	places_are("/srv", WK_FETCH_IMAGE, "/opt/app",
		   "/srv/.build-id/ab/cdef030405060708090a0b0c0d0e0f10111213\n"
		   "/srv/app/" HEX "/app\n"
		   "/srv/ap/app/" HEX "/app\n"
		   "/srv/app\n"
		   "/srv/opt/app\n");
	places_are("/srv", WK_FETCH_DEBUG, "/opt/app",
		   "/srv/.build-id/ab/cdef030405060708090a0b0c0d0e0f10111213.debug\n"
		   "/srv/app.debug/" HEX "/app.debug\n"
		   "/srv/ap/app.debug/" HEX "/app.debug\n"
		   "/srv/app.debug\n"
		   "/srv/app\n"
		   "/srv/opt/app.debug\n"
		   "/srv/opt/app\n");
	places_are("store:http://host", WK_FETCH_IMAGE, "/opt/app",
		   "http://host/.build-id/ab/cdef030405060708090a0b0c0d0e0f10111213\n"
		   "http://host/app/" HEX "/app\n"
		   "http://host/ap/app/" HEX "/app\n");
	places_are("/srv", WK_FETCH_IMAGE, "/opt/../../etc/app",
		   "/srv/.build-id/ab/cdef030405060708090a0b0c0d0e0f10111213\n"
		   "/srv/app/" HEX "/app\n"
		   "/srv/ap/app/" HEX "/app\n"
		   "/srv/app\n");
}

static void the_keys_of_dotnet_go_by_name_for_images_only(void **state)
{
	(void)state;
	places_are("ssqp:https://host", WK_FETCH_IMAGE, "libcoreclr.so",
		   "https://host/libcoreclr.so/elf-buildid-" HEX "/libcoreclr.so\n");
	places_are("ssqp:https://host", WK_FETCH_DEBUG, "libcoreclr.so",
		   "https://host/_.debug/elf-buildid-sym-" HEX "/_.debug\n");
}

static void a_hostile_name_stays_one_part_of_the_path(void **state)
{
	(void)state;
	places_are("ssqp:http://host", WK_FETCH_IMAGE, "a b?#%\n",
		   "http://host/a%20b%3F%23%25%0A/elf-buildid-" HEX "/a%20b%3F%23%25%0A\n");
	places_are("ssqp:/srv", WK_FETCH_IMAGE, "..", "");
	places_are("ssqp:/srv", WK_FETCH_IMAGE, "", "");
	places_are("store:/srv", WK_FETCH_IMAGE, "..",
		   "/srv/.build-id/ab/cdef030405060708090a0b0c0d0e0f10111213\n");
}

static void other_schemes_and_nonsense_are_refused(void **state)
{
	(void)state;
	is_refused("file:///etc");
	is_refused("store:file:///etc");
	is_refused("ftp://host/");
	is_refused("host:8002");
	is_refused("host");
	is_refused("store:host/path");
	is_refused("");
	is_refused("store:");
	is_refused("http://");
	is_refused("http://host/a b");
}

static void is_shown_as(const char *url, const char *expected)
{
	struct wk_buf shown = { 0 };

	wk_address_add_shown(&shown, wk_str_c(url));
	assert_string_equal(wk_buf_text(&shown), expected);
	wk_buf_fini(&shown);
}

static void a_password_is_not_shown(void **state)
{
	struct wk_elf_server server = server_of("https://me:se@cret@host:80/a@b");

	(void)state;
	assert_string_equal(server.base, "https://me:se@cret@host:80/a@b");
	wk_elf_server_fini(&server);
	is_shown_as("https://me:se@cret@host:80/a@b", "https://host:80/a@b");
	is_shown_as("https://me:se/cr?e#t@host:80/a", "https://host:80/a");
	is_shown_as("https://host:80/a@b", "https://host:80/a@b");
}

static void the_query_is_not_shown(void **state)
{
	struct wk_buf one = { 0 }, other = { 0 }, plain = { 0 };

	(void)state;
	is_shown_as("https://host/a?sig=x&token=y", "https://host/a?\u2026");
	is_shown_as("https://me:word@host?sig=x", "https://host?\u2026");
	/* A file that one server does not have, the other may have. */
	wk_address_add_difference(&one, wk_str_c("https://host/a?sig=x&token=y"));
	wk_address_add_difference(&other, wk_str_c("https://host/a?sig=x&token=z"));
	wk_address_add_difference(&plain, wk_str_c("https://host/a"));
	assert_string_not_equal(wk_buf_text(&one), wk_buf_text(&other));
	assert_null(strstr(wk_buf_text(&one), "sig"));
	assert_int_equal(plain.len, 0);
	wk_buf_fini(&one);
	wk_buf_fini(&other);
	wk_buf_fini(&plain);
}

static void an_id_filled_up_with_zeros_is_cut_to_what_it_was(void **state)
{
	struct wk_build_id id = sha1;

	(void)state;
	assert_int_equal(wk_fetch_trim_id(&id).size, 20);
	memset(id.bytes + 16, 0, 4);
	assert_int_equal(wk_fetch_trim_id(&id).size, 16);
	memset(id.bytes + 8, 0, 12);
	assert_int_equal(wk_fetch_trim_id(&id).size, 8);
	id.size = 16;
	assert_int_equal(wk_fetch_trim_id(&id).size, 16);
	for (uint8_t used = 0; used <= 20; used++) {
		uint8_t trimmed = used <= 8 ? 8 : used <= 16 ? 16 : 20;

		id = (struct wk_build_id){ .size = 20 };
		memset(id.bytes, 0xff, used);
		assert_int_equal(wk_fetch_trim_id(&id).size, trimmed);
		id.size = 19;
		assert_int_equal(wk_fetch_trim_id(&id).size, 19);
	}
}

static char *memory_path(void)
{
	static char path[64];

	snprintf(path, sizeof(path), "/tmp/wick-test-remote-%ld/x/y.asked", (long)getpid());
	return path;
}

static void forget_memory(void)
{
	char folder[64];

	unlink(memory_path());
	snprintf(folder, sizeof(folder), "/tmp/wick-test-remote-%ld/x", (long)getpid());
	rmdir(folder);
	*strrchr(folder, '/') = '\0';
	rmdir(folder);
}

/* As the fetcher makes it, while it is empty. */
static int make_memory_folder(void **state)
{
	char *folder = memory_path();
	struct wk_os_folder *made;
	char path[64];

	(void)state;
	snprintf(path, sizeof(path), "%.*s", (int)(strrchr(folder, '/') - folder), folder);
	made = wk_os_folder_open(path, true, NULL);
	wk_os_folder_close(made);
	return made ? 0 : -1;
}

static void write_memory(const char *text)
{
	struct wk_os_draft keep;

	assert_true(wk_os_draft_open_private(&keep, memory_path(), NULL));
	assert_true(wk_os_write(keep.fd, text, strlen(text)));
	assert_true(wk_os_draft_end(&keep, true));
}

static void what_servers_did_not_have_is_remembered_by_server(void **state)
{
	struct wk_miss miss = { 0 };

	(void)state;
	assert_false(wk_misses_find(memory_path(), "http://a", &miss));
	wk_misses_add(memory_path(), "http://a", true);
	wk_misses_add(memory_path(), "http://b", false);
	assert_true(wk_misses_find(memory_path(), "http://a", &miss));
	assert_true(miss.is_missing);
	assert_in_range(miss.left_s, 23 * 3600, 24 * 3600);
	assert_true(wk_misses_find(memory_path(), "http://b", &miss));
	assert_false(miss.is_missing);
	assert_in_range(miss.left_s, 200, 300);
	assert_false(wk_misses_find(memory_path(), "http://c", &miss));
	wk_misses_add(memory_path(), "http://a", false);
	assert_true(wk_misses_find(memory_path(), "http://a", &miss));
	assert_false(miss.is_missing);
	forget_memory();
}

static void old_future_and_broken_memories_count_for_nothing(void **state)
{
	struct wk_miss miss = { 0 };
	char line[128];

	(void)state;
	snprintf(line, sizeof(line), "%llu missing http://a\n",
		 (unsigned long long)(wk_os_wall_ns() / 1000000000 - 25 * 3600));
	write_memory(line);
	assert_false(wk_misses_find(memory_path(), "http://a", &miss));
	write_memory("99999999999 missing http://a\n");
	assert_false(wk_misses_find(memory_path(), "http://a", &miss));
	write_memory("\n\n18446744073709551616 missing http://a\n5\nx missing http://a\n\xff");
	assert_false(wk_misses_find(memory_path(), "http://a", &miss));
	write_memory("18446744073709551615 missing http://a\n");
	assert_false(wk_misses_find(memory_path(), "http://a", &miss));
	forget_memory();
}

static void a_kept_file_that_is_given_up_leaves_what_was_there(void **state)
{
	struct wk_buf text = { 0 };
	struct wk_os_draft keep;

	(void)state;
	write_memory("old");
	assert_true(wk_os_draft_open_private(&keep, memory_path(), NULL));
	assert_true(wk_os_write(keep.fd, "new", 3));
	assert_true(wk_os_draft_end(&keep, false));
	assert_true(wk_os_read_small(memory_path(), &text));
	assert_string_equal(wk_buf_text(&text), "old");
	write_memory("newer");
	assert_true(wk_os_read_small(memory_path(), &text));
	assert_string_equal(wk_buf_text(&text), "newer");
	wk_buf_fini(&text);
	forget_memory();
}

/* A file of 100 bytes, fetched and read so many hours ago. */
static void put_there(const char *name, int fetched_hours, int read_hours)
{
	time_t now = (time_t)(wk_os_wall_ns() / 1000000000);
	struct timespec times[2] = { { .tv_sec = now - read_hours * 3600 },
				     { .tv_sec = now - fetched_hours * 3600 } };
	FILE *file = fopen(in_own_folder(name), "w");

	assert_non_null(file);
	fprintf(file, "%100s", "");
	fclose(file);
	assert_int_equal(utimensat(AT_FDCWD, in_own_folder(name), times, 0), 0);
}

static bool is_there(const char *name)
{
	return access(in_own_folder(name), F_OK) == 0;
}

static void what_was_not_used_for_the_longest_time_makes_room(void **state)
{
	(void)state;
	put_there("aa11.debuginfo", 9, 1);
	put_there("bb22.debuginfo", 5, 5);
	put_there("cc33.executable", 7, 7);
	put_there("dd44.debuginfo", 99, 99); /* the newest, whatever its times say */
	put_there("letters.debuginfo", 200, 200);
	put_there("ee55.debuginfo.old", 200, 200);
	wk_fetch_cache_trim(own_folder, "dd44.debuginfo", 400);
	assert_true(is_there("cc33.executable"));
	put_there("aa00.debuginfo.1-0.tmp", 999, 999);
	wk_fetch_cache_trim(own_folder, "dd44.debuginfo", 400);
	assert_false(is_there("aa00.debuginfo.1-0.tmp"));
	wk_fetch_cache_trim(own_folder, "dd44.debuginfo", 399);
	assert_false(is_there("cc33.executable"));
	assert_true(is_there("bb22.debuginfo"));
	wk_fetch_cache_trim(own_folder, "dd44.debuginfo", 200);
	assert_false(is_there("bb22.debuginfo"));
	assert_true(is_there("aa11.debuginfo"));
	wk_fetch_cache_trim(own_folder, "dd44.debuginfo", 1);
	assert_false(is_there("aa11.debuginfo"));
	assert_true(is_there("dd44.debuginfo"));
	assert_true(is_there("letters.debuginfo") && is_there("ee55.debuginfo.old"));
	wk_fetch_cache_trim("/not/there", "dd44.debuginfo", 1);
}

static void what_is_remembered_of_servers_goes_when_it_holds_no_more(void **state)
{
	(void)state;
	put_there("aa11.debuginfo.asked", 23, 23);
	put_there("bb22.debuginfo.asked", 25, 1);
	put_there("cc33.debuginfo.12-0.tmp", 99, 99);
	put_there("dd44.debuginfo", 99, 99);
	put_there("notes.asked", 99, 99);
	wk_fetch_cache_trim(own_folder, "", UINT64_MAX);
	assert_true(is_there("aa11.debuginfo.asked"));
	assert_false(is_there("bb22.debuginfo.asked"));
	assert_true(is_there("dd44.debuginfo") && is_there("notes.asked"));
	put_there("ee55.debuginfo", 1, 1);
	wk_fetch_cache_trim(own_folder, "", 4096 + 100); /* a memory takes a block of the disk */
	assert_false(is_there("dd44.debuginfo"));
	assert_true(is_there("aa11.debuginfo.asked") && is_there("ee55.debuginfo"));
	wk_fetch_cache_trim(own_folder, "", 4096);
	assert_false(is_there("aa11.debuginfo.asked"));
	assert_true(is_there("ee55.debuginfo"));
}

static void use_is_noted_and_the_time_of_the_fetch_stays(void **state)
{
	struct stat info;

	(void)state;
	put_there("aa11.debuginfo", 9, 9);
	put_there("bb22.debuginfo", 5, 5);
	wk_os_note_use(in_own_folder("aa11.debuginfo"));
	assert_int_equal(stat(in_own_folder("aa11.debuginfo"), &info), 0);
	assert_in_range((uint64_t)info.st_mtim.tv_sec, 1, wk_os_wall_ns() / 1000000000 - 8 * 3600);
	wk_fetch_cache_trim(own_folder, "", 100);
	assert_true(is_there("aa11.debuginfo"));
	assert_false(is_there("bb22.debuginfo"));
}

static void only_what_was_fetched_is_cleared(void **state)
{
	struct wk_err err = { 0 };
	uint64_t files, bytes;

	(void)state;
	put_there("aa11.debuginfo", 9, 9);
	put_there("aa11.executable.asked", 9, 9);
	put_there("aa11.debuginfo.12-0.tmp", 9, 9);
	put_there("letters.debuginfo", 9, 9);
	put_there("notes.txt", 9, 9);
	assert_true(wk_fetch_cache_clear(own_folder, &files, &bytes, &err));
	assert_int_equal(files, 1);
	assert_int_equal(bytes, 100);
	assert_false(is_there("aa11.executable.asked") || is_there("aa11.debuginfo.12-0.tmp"));
	assert_true(is_there("letters.debuginfo") && is_there("notes.txt"));
}

static void a_file_that_drips_for_a_quarter_of_an_hour_is_given_up(void **state)
{
	const uint64_t minute_ns = UINT64_C(60000000000);

	(void)state;
	assert_false(wk_transfer_is_hopeless(14 * minute_ns, 0));
	assert_true(wk_transfer_is_hopeless(15 * minute_ns, 15 * 60 * 1100));
	assert_false(wk_transfer_is_hopeless(15 * minute_ns, 15 * 60 * 32768));
	assert_false(wk_transfer_is_hopeless(60 * minute_ns, UINT64_C(1) << 30));
}

static void without_a_source_nothing_is_found(void **state)
{
	struct wk_fetch_want want = { .kind = WK_FETCH_DEBUG, .id = sha1, .name = WK_STR("a") };
	struct wk_fetcher *fetcher =
		wk_fetcher_new(&(struct wk_fetch_options){ .folder = in_own_folder("none") });
	struct wk_fetch_found found;
	struct wk_buf said = { 0 };

	(void)state;
	assert_false(wk_fetcher_get(NULL, &want, &found, &said));
	assert_false(wk_fetcher_get(fetcher, &want, &found, &said));
	assert_int_equal(said.len, 0);
	want.id.size = 3;
	assert_false(wk_fetcher_get(fetcher, &want, &found, &said));
	assert_string_equal(wk_buf_text(&said), "symbol servers need a build id, and it has none");
	wk_buf_fini(&said);
	wk_fetcher_free(fetcher);
}

/* ---- files of another build */

#define OTHER_HEX "01cdef030405060708090a0b0c0d0e0f10111213"

/* A program whose build id differs from the wanted one in its first byte, or that very program. */
static void make_program(struct wk_buf *file, bool is_wanted)
{
	struct elf_spec spec = { .type = WK_ET_DYN, .machine = WK_EM_X86_64 };
	struct wk_build_id id = sha1;
	struct wk_buf note = { 0 };

	if (!is_wanted)
		id.bytes[0] = 1;
	elf_add_build_id(&spec, &note, (const char *)id.bytes, id.size);
	elf_section(&spec, 1, ".note.gnu.build-id", WK_SHT_NOTE, 2, 0x1000, wk_buf_str(&note));
	spec.segments[0] = (struct elf_segment_spec){ WK_PT_NOTE, WK_PF_R, 1, 1 };
	elf_write(&spec, file);
	wk_buf_fini(&note);
}

static void put_program(const char *name, bool is_wanted)
{
	struct wk_buf file = { 0 };
	struct wk_os_draft keep;

	make_program(&file, is_wanted);
	assert_true(wk_os_draft_open_private(&keep, in_own_folder(name), NULL));
	assert_true(wk_os_write(keep.fd, file.at, file.len));
	assert_true(wk_os_draft_end(&keep, true));
	wk_buf_fini(&file);
}

/* Asks that source alone for the program; its folder for fetched files is "cache". */
static bool get_program(const char *word, struct wk_buf *said)
{
	struct wk_fetch_want want = { .kind = WK_FETCH_IMAGE, .id = sha1, .name = WK_STR("app"),
				      .path = WK_STR("/opt/app") };
	char cache[200];
	struct wk_err err = { 0 };
	struct wk_fetcher *fetcher;
	struct wk_fetch_found found = { 0 };
	bool is_found;

	snprintf(cache, sizeof(cache), "%s", in_own_folder("cache"));
	fetcher = wk_fetcher_new(&(struct wk_fetch_options){ .folder = cache });
	wk_buf_reset(said);
	if (!wk_fetcher_add_servers(fetcher, (const char *const[]){ word, NULL }, &err)) {
		assert_int_equal(err.code, WK_EUNSUPPORTED);
		wk_buf_add_text(said, err.text);
	}
	is_found = wk_fetcher_get(fetcher, &want, &found, said);
	if (is_found) {
		assert_memory_equal(found.file.obj->build_id.bytes, sha1.bytes, sha1.size);
		wk_fetch_found_close(&found);
	}
	wk_fetcher_free(fetcher);
	return is_found;
}

static void a_program_of_another_build_in_a_store_is_refused(void **state)
{
	struct wk_buf word = { 0 }, said = { 0 }, expected = { 0 };

	(void)state;
	wk_buf_add_fmt(&word, "store:%s", own_folder);
	assert_int_equal(mkdir(in_own_folder("app"), 0700), 0);
	assert_int_equal(mkdir(in_own_folder("app/" HEX), 0700), 0);
	put_program("app/" HEX "/app", false);
	assert_false(get_program(wk_buf_text(&word), &said));
	wk_buf_add_fmt(&expected, "%s/app/" HEX "/app: its build id is " OTHER_HEX, own_folder);
	assert_string_equal(wk_buf_text(&said), wk_buf_text(&expected));
	put_program("app/" HEX "/app", true);
	assert_true(get_program(wk_buf_text(&word), &said));
	wk_buf_fini(&word);
	wk_buf_fini(&said);
	wk_buf_fini(&expected);
}

static void a_program_of_another_build_in_the_cache_is_refused(void **state)
{
	struct wk_buf said = { 0 };

	(void)state;
	assert_int_equal(mkdir(in_own_folder("cache"), 0700), 0);
	put_program("cache/" HEX ".executable", false);
	assert_false(get_program(own_folder, &said));
	put_program("cache/" HEX ".executable", true);
	assert_true(get_program(own_folder, &said));
	assert_string_equal(wk_buf_text(&said), "fetched before");
	wk_buf_fini(&said);
}

static int listen_here(char *url, size_t size)
{
	struct sockaddr_in address = { .sin_family = AF_INET,
				       .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t len = sizeof(address);
	int listener = socket(AF_INET, SOCK_STREAM, 0);

	assert_int_equal(bind(listener, (struct sockaddr *)&address, len), 0);
	assert_int_equal(listen(listener, 8), 0);
	assert_int_equal(getsockname(listener, (struct sockaddr *)&address, &len), 0);
	snprintf(url, size, "http://127.0.0.1:%d", ntohs(address.sin_port));
	return listener;
}

/* The process that answers every question with that file, until it is killed, or for a minute. */
static pid_t serve(const struct wk_buf *file, char *url, size_t size)
{
	int listener = listen_here(url, size), fd;
	char question[4096];
	pid_t server = fork();

	assert_true(server >= 0);
	if (server == 0) {
		alarm(60);
		while ((fd = accept(listener, NULL, NULL)) >= 0) {
			if (read(fd, question, sizeof(question)) > 0) {
				dprintf(fd, "HTTP/1.0 200 OK\r\nContent-Length: %zu\r\n\r\n",
					file->len);
				wk_os_write(fd, file->at, file->len);
			}
			close(fd);
		}
		_exit(1);
	}
	close(listener);
	return server;
}

static bool get_served(bool is_wanted, struct wk_buf *said)
{
	struct wk_buf file = { 0 };
	char url[64];
	pid_t server;
	bool is_found;

	make_program(&file, is_wanted);
	server = serve(&file, url, sizeof(url));
	is_found = get_program(url, said);
	kill(server, SIGKILL);
	waitpid(server, NULL, 0);
	wk_buf_fini(&file);
	return is_found;
}

/* All files but what is remembered of servers. */
static unsigned count_cached(void)
{
	DIR *folder = opendir(in_own_folder("cache"));
	struct dirent *entry;
	unsigned count = 0;

	assert_non_null(folder);
	while ((entry = readdir(folder)))
		count += entry->d_name[0] != '.' && !strstr(entry->d_name, WK_FETCH_MISSES_SUFFIX);
	closedir(folder);
	return count;
}

static void a_program_of_another_build_from_a_server_is_neither_used_nor_cached(void **state)
{
	struct wk_buf said = { 0 };
	bool is_found;

	(void)state;
	setenv("no_proxy", "127.0.0.1", 1);
	is_found = get_served(false, &said);
	if (strstr(wk_buf_text(&said), "libcurl")) {
		print_message("# skipped: %s\n", wk_buf_text(&said));
		wk_buf_fini(&said);
		skip();
	}
	assert_false(is_found);
	assert_non_null(strstr(wk_buf_text(&said), ": its build id is " OTHER_HEX));
	assert_int_equal(count_cached(), 0);
	assert_true(get_served(true, &said));
	assert_int_equal(count_cached(), 1);
	assert_true(is_there("cache/" HEX ".executable"));
	wk_buf_fini(&said);
}

/* A program from a server, by that symbol path in front of its address. Wick's own cache cannot be
 * made. */
static bool get_without_own_cache(const char *temporary, const char *caches, struct wk_buf *said)
{
	struct pe_spec spec = { .time_stamp = 0x5f000001, .image_bytes = 0x5000 };
	struct wk_fetch_want want = { .kind = WK_FETCH_PE, .name = WK_STR("app.exe"),
				      .time_stamp = 0x5f000001, .image_bytes = 0x5000 };
	struct wk_buf file = { 0 }, path = { 0 }, own = { 0 };
	struct wk_fetch_found found = { 0 };
	struct wk_fetcher *fetcher;
	struct wk_err err = { 0 };
	char url[64];
	pid_t server;
	bool is_found;

	setenv("no_proxy", "127.0.0.1", 1);
	setenv("TMPDIR", in_own_folder(temporary), 1);
	pe_section(&spec, 1, ".text", 0x1000, PE_CODE, wk_str_c("code"));
	pe_write(&spec, &file);
	server = serve(&file, url, sizeof(url));
	wk_buf_add_text(&own, in_own_folder("file/cache"));
	fetcher = wk_fetcher_new(&(struct wk_fetch_options){ .folder = wk_buf_text(&own) });
	wk_buf_add_fmt(&path, "srv*%s%s", caches, url);
	assert_true(wk_fetcher_add_path(fetcher, wk_buf_str(&path), &err));
	is_found = wk_fetcher_get(fetcher, &want, &found, said);
	kill(server, SIGKILL);
	waitpid(server, NULL, 0);
	unsetenv("TMPDIR");
	if (is_found)
		wk_fetch_found_close(&found);
	wk_fetcher_free(fetcher);
	pe_spec_fini(&spec);
	wk_buf_fini(&file);
	wk_buf_fini(&path);
	wk_buf_fini(&own);
	return is_found;
}

static void without_an_own_cache_files_end_up_in_one_of_the_user(void **state)
{
	struct wk_buf said = { 0 }, mine = { 0 };
	bool is_found;

	(void)state;
	put_there("file", 0, 0);
	is_found = get_without_own_cache("file", "*", &said);
	if (strstr(wk_buf_text(&said), "libcurl")) {
		print_message("# skipped: %s\n", wk_buf_text(&said));
		wk_buf_fini(&said);
		skip();
	}
	assert_false(is_found);
	wk_buf_add_fmt(&mine, "%s*", in_own_folder("mine"));
	assert_true(get_without_own_cache(".", wk_buf_text(&mine), &said));
	assert_true(is_there("mine/app.exe/5F0000015000/app.exe"));
	wk_buf_reset(&mine);
	wk_buf_add_fmt(&mine, "*%s*", in_own_folder("second"));
	assert_true(get_without_own_cache(".", wk_buf_text(&mine), &said));
	assert_true(is_there("second/app.exe/5F0000015000/app.exe"));
	wk_buf_fini(&said);
	wk_buf_fini(&mine);
}

/* The process that answers "not found", and ends with 1 if a second connection is opened before the
 * first is answered. */
static pid_t serve_one_at_a_time(int listener)
{
	pid_t server = fork();

	assert_true(server >= 0);
	if (server == 0) {
		struct pollfd next = { .fd = listener, .events = POLLIN };
		char question[4096];
		int fd;

		alarm(60);
		while ((fd = accept(listener, NULL, NULL)) >= 0) {
			if (read(fd, question, sizeof(question)) > 0 && poll(&next, 1, 200) > 0)
				_exit(1);
			dprintf(fd, "HTTP/1.0 404 No\r\nContent-Length: 0\r\n\r\n");
			close(fd);
		}
		_exit(2);
	}
	return server;
}

/* So that `count` more files can be opened. */
static void leave_files(unsigned count)
{
	struct rlimit files;

	getrlimit(RLIMIT_NOFILE, &files);
	files.rlim_cur = 0;
	do {
		files.rlim_cur++;
		assert_int_equal(setrlimit(RLIMIT_NOFILE, &files), 0);
	} while (wk_os_files_left(count, NULL) < count);
}

static void with_few_files_left_one_at_a_time_is_fetched(void **state)
{
	struct wk_fetch_want wants[2] = {
		{ .kind = WK_FETCH_IMAGE, .id = sha1, .name = WK_STR("app") },
		{ .kind = WK_FETCH_DEBUG, .id = sha1, .name = WK_STR("app") },
	};
	struct wk_fetcher *fetcher;
	struct wk_err err = { 0 };
	struct rlimit before;
	char url[64], cache[200];
	int listener = listen_here(url, sizeof(url)), status;
	pid_t server = serve_one_at_a_time(listener);

	(void)state;
	close(listener);
	setenv("no_proxy", "127.0.0.1", 1);
	snprintf(cache, sizeof(cache), "%s", in_own_folder("cache"));
	fetcher = wk_fetcher_new(&(struct wk_fetch_options){ .folder = cache });
	wk_fetcher_add_servers(fetcher, (const char *const[]){ url, NULL }, &err);
	getrlimit(RLIMIT_NOFILE, &before);
	leave_files(11);
	wk_fetcher_prefetch(fetcher, wants, 2);
	setrlimit(RLIMIT_NOFILE, &before);
	kill(server, SIGKILL);
	waitpid(server, &status, 0);
	assert_true(WIFSIGNALED(status));
	wk_fetcher_free(fetcher);
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_own_folder, remove_own_folder)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_plain_url_is_a_debuginfod_server),
		cmocka_unit_test(a_store_has_a_tree_by_id_and_two_or_three_parts),
		cmocka_unit_test(a_folder_may_hold_files_by_their_names_or_with_their_folders),
		cmocka_unit_test(the_keys_of_dotnet_go_by_name_for_images_only),
		cmocka_unit_test(a_hostile_name_stays_one_part_of_the_path),
		cmocka_unit_test(other_schemes_and_nonsense_are_refused),
		cmocka_unit_test(a_password_is_not_shown),
		cmocka_unit_test(the_query_is_not_shown),
		cmocka_unit_test(an_id_filled_up_with_zeros_is_cut_to_what_it_was),
		cmocka_unit_test_setup(what_servers_did_not_have_is_remembered_by_server,
				       make_memory_folder),
		cmocka_unit_test_setup(old_future_and_broken_memories_count_for_nothing,
				       make_memory_folder),
		cmocka_unit_test_setup(a_kept_file_that_is_given_up_leaves_what_was_there,
				       make_memory_folder),
		IN_FOLDER(what_was_not_used_for_the_longest_time_makes_room),
		IN_FOLDER(what_is_remembered_of_servers_goes_when_it_holds_no_more),
		IN_FOLDER(use_is_noted_and_the_time_of_the_fetch_stays),
		IN_FOLDER(only_what_was_fetched_is_cleared),
		cmocka_unit_test(a_file_that_drips_for_a_quarter_of_an_hour_is_given_up),
		IN_FOLDER(a_program_of_another_build_in_a_store_is_refused),
		IN_FOLDER(a_program_of_another_build_in_the_cache_is_refused),
		IN_FOLDER(a_program_of_another_build_from_a_server_is_neither_used_nor_cached),
		IN_FOLDER(without_an_own_cache_files_end_up_in_one_of_the_user),
		IN_FOLDER(with_few_files_left_one_at_a_time_is_fetched),
		IN_FOLDER(without_a_source_nothing_is_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
