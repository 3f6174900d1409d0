/* Any text as a symbol path, and what is shown of it: the spots of its places have an end, and what
 * stands behind a '?' in an address is in no sentence. */
#include <assert.h>
#include <string.h>

#include "fetch/address.h"
#include "fetch/symbol_path.h"

#define SECRET "hush-hush"

static bool has_secret(struct wk_str text)
{
	for (; text.len >= strlen(SECRET); text = wk_str_skip(text, 1))
		if (wk_str_starts(text, SECRET))
			return true;
	return false;
}

static void look_at_spots(const struct wk_symbol_place *place)
{
	struct wk_symbol_wish wish = { .name = WK_STR("Ab.pdb"), .key = WK_STR("12AB1"),
				       .suffix = WK_STR("dll") };
	struct wk_symbol_spot spot = { 0 };
	struct wk_buf mark = { 0 };
	size_t n = 0;

	while (wk_symbol_spot(place, &wish, n, &spot))
		n++;
	assert(n >= 2 && n < 100);
	wk_symbol_tiers_mark(place, &mark);
	wk_buf_fini(&mark);
	wk_buf_fini(&spot.path);
}

/* An address with a query of which nobody is to hear, made of the text. */
static void hide(const uint8_t *data, size_t size)
{
	struct wk_buf url = { 0 }, shown = { 0 };

	wk_buf_add_text(&url, "https://h/");
	for (size_t i = 0; i < size; i++)
		if (data[i] != '@')
			wk_buf_add_char(&url, (char)data[i]);
	if (has_secret(wk_buf_str(&url)))
		wk_buf_reset(&url); /* it is none */
	wk_buf_add_text(&url, "?sig=" SECRET);
	wk_address_add_shown(&shown, wk_buf_str(&url));
	wk_address_add_difference(&shown, wk_buf_str(&url));
	assert(url.len < strlen("https") || !wk_str_starts(wk_buf_str(&url), "https") ||
	       !has_secret(wk_buf_str(&shown)));
	wk_buf_fini(&shown);
	wk_buf_fini(&url);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct wk_symbol_path path = { 0 };
	struct wk_err err = { 0 };

	if (size > 4096)
		return 0;
	if (!wk_symbol_path_add(&path, wk_str_of((const char *)data, size), wk_str_c("/cache"),
				&err))
		assert(err.code == WK_EUSAGE && err.text[0]);
	for (size_t i = 0; i < path.count; i++)
		look_at_spots(&path.places[i]);
	wk_symbol_path_fini(&path);
	hide(data, size);
	return 0;
}
