#include "formats/etl/file/guid.h"

static int hex_digit(char c)
{
	c = wk_lower(c);
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* As text the first three parts are numbers; in files they are little-endian. */
static struct wk_guid of_shown(const uint8_t shown[16])
{
	struct wk_guid guid = { .b = (uint16_t)(shown[4] << 8 | shown[5]),
				.c = (uint16_t)(shown[6] << 8 | shown[7]) };

	guid.a = (uint32_t)shown[0] << 24 | (uint32_t)shown[1] << 16 | (uint32_t)shown[2] << 8 |
		 shown[3];
	memcpy(guid.d, shown + 8, sizeof(guid.d));
	return guid;
}

bool wk_guid_parse(struct wk_str text, struct wk_guid *guid)
{
	uint8_t shown[16] = { 0 };
	size_t digits = 0;

	for (size_t i = 0; i < text.len; i++) {
		int digit = hex_digit(text.at[i]);

		if (digit < 0 && !strchr("{}-", text.at[i]))
			return false;
		if (digit < 0)
			continue;
		if (digits == 32)
			return false;
		shown[digits / 2] = (uint8_t)(shown[digits / 2] << 4 | digit);
		digits++;
	}
	*guid = of_shown(shown);
	return digits == 32;
}
