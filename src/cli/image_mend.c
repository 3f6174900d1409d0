#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "cli/debug_package.h"
#include "cli/image_facts.h"
#include "cli/runtime_makers.h"
#include "os/os.h"
#include "symbols/elf.h"
#include "symbols/store.h"

static void mend_anonymous(struct wk_image_facts *facts, const struct wk_model *model)
{
	const struct wk_runtime_maker *maker = wk_runtime_maker_of(model, facts->id);

	if (maker)
		wk_buf_add_fmt(&facts->mend, "%s%s%s", maker->words, maker->remark ? "   # " : "",
			       maker->remark ? maker->remark : "");
}

static void mend_kernel(struct wk_image_facts *facts, const struct wk_model *model)
{
	struct wk_str reason = wk_model_str(model, model->images[facts->id].reason);
	struct wk_buf text = { 0 };
	uint64_t restricted = 0;

	if (!wk_str_starts(reason, "kernel addresses are hidden"))
		return;
	wk_os_read_small("/proc/sys/kernel/kptr_restrict", &text);
	while (text.len && text.at[text.len - 1] == '\n')
		text.len--;
	wk_num_u64(wk_buf_str(&text), &restricted);
	wk_buf_add_text(&facts->mend, restricted ? "sudo sysctl kernel.kptr_restrict=0"
						 : "sudo sysctl kernel.perf_event_paranoid=1");
	wk_buf_fini(&text);
}

static bool has_text(const struct wk_elf *elf, const char *section, const char *text)
{
	struct wk_bytes bytes = wk_elf_bytes(elf, wk_elf_section(elf, section));
	size_t len = strlen(text);

	for (; wk_bytes_left(&bytes) >= len; wk_bytes_skip(&bytes, 1))
		if (memcmp(bytes.at, text, len) == 0)
			return true;
	return false;
}

/* Built by whoever looks at it: how to build it so that it says more. */
static void mend_own(struct wk_image_facts *facts)
{
	const struct wk_elf *elf = wk_image_elf(facts->symbols);
	struct wk_buf *mend = &facts->mend;
	struct wk_str link;
	uint32_t crc;

	if (wk_elf_debuglink(elf, &link, &crc))
		wk_buf_add_fmt(mend, "# its debug information is in the file \"%.*s\": put it "
			       "beside the program, or name its folder by --debug-dir",
			       WK_STR_ARG(link));
	else if (has_text(elf, ".comment", "rustc"))
		wk_buf_add_fmt(mend, "CARGO_PROFILE_RELEASE_DEBUG=line-tables-only %scargo build "
			       "--release",
			       facts->lacks & WK_LACKS_NAMES ? "CARGO_PROFILE_RELEASE_STRIP=none "
							     : "");
	else if (wk_elf_section(elf, ".go.buildinfo"))
		wk_buf_add_text(mend, "go build   # without -ldflags=\"-s -w\"");
	else
		wk_buf_add_fmt(mend, "# build it again with -g%s",
			       facts->lacks & WK_LACKS_NAMES ? ", and neither link it with -s nor "
							       "run strip on it" : "");
}

/* As a word of the shell. */
static void add_word(struct wk_buf *text, const char *word)
{
	wk_buf_add_char(text, '\'');
	for (; *word; word++)
		if (*word == '\'')
			wk_buf_add_text(text, "'\\''");
		else
			wk_buf_add_char(text, *word);
	wk_buf_add_char(text, '\'');
}

static void add_asking(struct wk_buf *mend, const struct wk_facts_about *about)
{
	wk_buf_add_text(mend, "wick symbols ");
	if (about->recording && strcmp(about->recording, "-") != 0) {
		add_word(mend, about->recording);
		wk_buf_add_char(mend, ' ');
	}
}

static bool has_debuginfod(void)
{
	const char *urls = getenv("DEBUGINFOD_URLS");

	return urls && urls[0];
}

/* It is not here: another machine may have it. */
static void mend_missing(struct wk_image_facts *facts, const struct wk_facts_about *about)
{
	const struct wk_image *image = &about->model->images[facts->id];
	struct wk_buf *mend = &facts->mend;

	if (image->build_id.size == 0 || wk_image_state(facts->symbols) == WK_IMAGE_UNREADABLE)
		return;
	if (!wk_remote_asks(about->remote)) {
		add_asking(mend, about);
		wk_buf_add_text(mend, has_debuginfod() ? "--debuginfod"
						       : "--symbol-server URL   # of a server that "
							 "has it");
		return;
	}
	wk_buf_add_text(mend, "# put the build with the id ");
	wk_store_add_id(mend, &image->build_id);
	wk_buf_add_text(mend, " back where it was, or into a folder that --symbol-server names");
}

static void mend_file(struct wk_image_facts *facts, const struct wk_facts_about *about,
		      const struct wk_packages *packages, size_t index)
{
	struct wk_buf *mend = &facts->mend;
	bool is_packed;

	if (facts->lacks & WK_LACKS_FILE) {
		mend_missing(facts, about);
		return;
	}
	if (!wk_image_elf(facts->symbols))
		return; /* memory that has a path, and never was a file */
	is_packed = wk_packages_command(packages, index, mend);
	if (!is_packed && facts->lacks & (WK_LACKS_NAMES | WK_LACKS_LINES))
		mend_own(facts);
	if (is_packed && !wk_remote_asks(about->remote) && has_debuginfod()) {
		wk_buf_add_text(mend, "\n# or, without installing anything:\n");
		add_asking(mend, about);
		wk_buf_add_text(mend, "--debuginfod");
	}
	if (!is_packed && facts->lacks & WK_LACKS_UNWIND)
		wk_buf_add_fmt(mend, "%s# and with -fasynchronous-unwind-tables",
			       mend->len ? "\n" : "");
}

/* The paths of those whose packages matter, for all at once. */
static const char **paths_of(const struct wk_images_facts *facts, const struct wk_model *model,
			     size_t *count)
{
	const char **paths = wk_alloc_zeroed(facts->count + 1, sizeof(*paths));

	*count = 0;
	for (size_t i = 0; i < facts->count; i++)
		if (facts->at[i].symbols && facts->at[i].lacks &&
		    !(facts->at[i].lacks & WK_LACKS_FILE))
			paths[(*count)++] = wk_model_str(model,
							 model->images[facts->at[i].id].path).at;
	return paths;
}

void wk_images_facts_mend(struct wk_images_facts *facts, const struct wk_facts_about *about)
{
	const struct wk_model *model = about->model;
	struct wk_packages packages;
	size_t count, next = 0;
	const char **paths = paths_of(facts, model, &count);

	wk_packages_find(&packages, paths, count);
	for (size_t i = 0; i < facts->count; i++) {
		struct wk_image_facts *one = &facts->at[i];
		enum wk_image_kind kind = model->images[one->id].kind;

		if (!one->lacks)
			continue;
		if (kind == WK_IMAGE_KERNEL)
			mend_kernel(one, model);
		else if (kind == WK_IMAGE_ANONYMOUS)
			mend_anonymous(one, model);
		else if (one->symbols)
			mend_file(one, about, &packages, next);
		next += one->symbols && !(one->lacks & WK_LACKS_FILE);
	}
	wk_packages_fini(&packages);
	free(paths);
}
