#include "formats/reports/windows_names.h"

#include "base/num.h"
#include "formats/lines.h"
#include "formats/scan.h"

static bool has_no_name(struct wk_str name)
{
	return name.len == 0 || name.at[0] == '?' || wk_str_starts(name, "<PDB") ||
	       wk_str_starts(name, "<Symbols") || wk_str_is(name, "<Unknown>") ||
	       wk_str_is(name, "Unknown");
}

static enum wk_frame_kind kind_of(struct wk_str image)
{
	static const char *const kernel[] = { "ntoskrnl.exe", "ntkrnlmp.exe", "ntkrnlpa.exe",
					      "ntkrpamp.exe", "hal.dll", "halmacpi.dll", NULL };

	if (wk_str_is_one_of(image, kernel) || wk_str_ends(image, ".sys") ||
	    wk_str_ends(image, ".SYS"))
		return WK_FRAME_KERNEL;
	return image.len ? WK_FRAME_USER : WK_FRAME_UNKNOWN;
}

struct wk_event_frame wk_windows_frame(struct wk_str text)
{
	struct wk_event_frame frame = { .name = text };
	size_t mark = wk_str_find(text, "!");
	uint64_t address;

	if (mark != SIZE_MAX && mark > 0 && mark + 1 < text.len) {
		frame.image = wk_trim(wk_str_of(text.at, mark));
		frame.name = wk_trim(wk_str_skip(text, mark + 1));
	}
	frame.is_unnamed = has_no_name(frame.name);
	if (wk_str_starts(frame.name, "0x") && wk_num_hex(wk_str_skip(frame.name, 2), &address)) {
		frame.is_unnamed = true;
		frame.address = address;
	}
	if (wk_str_is(frame.image, "Unknown") || wk_str_is(frame.image, "\"Unknown\"") ||
	    wk_str_is(frame.image, "?"))
		frame.image.len = 0;
	frame.kind = kind_of(frame.image);
	return frame;
}

uint32_t wk_windows_process(struct wk_map *seen, struct wk_stack_writer *writer, struct wk_str text)
{
	uint32_t *is_seen;
	uint64_t pid;

	text = wk_trim(text);
	if (!wk_cut_number(&text, " (", &pid) || pid >= WK_NO_PID)
		return WK_NO_PID;
	is_seen = wk_map_at(seen, pid + 1);
	if (!*is_seen)
		wk_stack_writer_process(writer, (uint32_t)pid, text);
	*is_seen = 1;
	return (uint32_t)pid;
}
