/* Letters behind %p that stand for addresses of networks, UUIDs and plain bytes. */
#include "formats/tracepoint/format_internal.h"

enum { FAMILY_INET = 2, FAMILY_INET6 = 10 };

static struct wk_bytes argument_bytes(const struct wk_trace_sample *sample, uint32_t number)
{
	const struct wk_trace_node *node = wk_trace_uncast(&sample->event->program, number);

	if (node->kind == WK_TRACE_UNARY)
		node = wk_trace_uncast(&sample->event->program, node->a);
	if (node->kind == WK_TRACE_FIELD || node->kind == WK_TRACE_DYNAMIC ||
	    node->kind == WK_TRACE_SOCKADDR)
		return wk_trace_field_bytes(sample, node->field);
	return (struct wk_bytes){ 0 };
}

static void mac_text(struct wk_bytes bytes, struct wk_buf *out, bool is_plain)
{
	if (wk_bytes_left(&bytes) != 6) {
		wk_buf_add_text(out, "INVALIDMAC");
		return;
	}
	for (int i = 0; i < 6; i++)
		wk_buf_add_fmt(out, "%s%02x", i && !is_plain ? ":" : "", wk_u8(&bytes));
}

static void inet_text(struct wk_bytes bytes, struct wk_buf *out, bool is_padded)
{
	for (int i = 0; i < 4; i++)
		wk_buf_add_fmt(out, is_padded ? "%s%03d" : "%s%d", i ? "." : "", wk_u8(&bytes));
}

static void inet6_words(struct wk_bytes bytes, uint16_t words[8])
{
	bytes.big_endian = true;
	for (int i = 0; i < 8; i++)
		words[i] = wk_u16(&bytes);
}

/* The longest run of at least two zero words; `count` 0 where there is none. */
static void longest_zeros(const uint16_t words[8], int *first, int *count)
{
	*count = 0;
	for (int i = 0; i < 8; i++) {
		int run = 0;

		while (i + run < 8 && words[i + run] == 0)
			run++;
		if (run > 1 && run > *count) {
			*first = i;
			*count = run;
		}
	}
}

static bool holds_inet(const uint16_t words[8])
{
	for (int i = 0; i < 5; i++)
		if (words[i])
			return false;
	return words[5] == 0xffff;
}

static void inet6_short_text(struct wk_bytes bytes, struct wk_buf *out)
{
	uint16_t words[8];
	int first = 8, count;

	inet6_words(bytes, words);
	if (holds_inet(words)) {
		wk_bytes_skip(&bytes, 12);
		wk_buf_add_text(out, "::ffff:");
		inet_text(bytes, out, false);
		return;
	}
	longest_zeros(words, &first, &count);
	for (int i = 0; i < 8; i++) {
		if (count > 0 && i == first) {
			wk_buf_add_text(out, "::");
			i += count - 1;
			continue;
		}
		if (i > 0 && !(count > 0 && i == first + count))
			wk_buf_add_char(out, ':');
		wk_buf_add_fmt(out, "%x", words[i]);
	}
}

static void inet6_text(struct wk_bytes bytes, struct wk_buf *out, bool is_padded)
{
	uint16_t words[8];

	inet6_words(bytes, words);
	for (int i = 0; i < 8; i++)
		wk_buf_add_fmt(out, "%s%04x", i && is_padded ? ":" : "", words[i]);
}

static struct wk_bytes part(struct wk_bytes bytes, size_t offset, size_t size)
{
	wk_bytes_skip(&bytes, offset);
	return wk_bytes_slice(&bytes, size);
}

static unsigned port_of(struct wk_bytes address)
{
	struct wk_bytes port = part(address, 2, 2);

	port.big_endian = true;
	return wk_u16(&port);
}

static void socket_text(struct wk_bytes address, bool has_port, bool is_short, struct wk_buf *out)
{
	struct wk_bytes head = address;
	unsigned family = wk_u16(&head);

	if (family == FAMILY_INET && wk_bytes_left(&address) >= 16) {
		inet_text(part(address, 4, 4), out, false);
		if (has_port)
			wk_buf_add_fmt(out, ":%u", port_of(address));
	} else if (family == FAMILY_INET6 && wk_bytes_left(&address) >= 28) {
		if (has_port)
			wk_buf_add_char(out, '[');
		if (is_short)
			inet6_short_text(part(address, 8, 16), out);
		else
			inet6_text(part(address, 8, 16), out, true);
		if (has_port)
			wk_buf_add_fmt(out, "]:%u", port_of(address));
	} else if (family == FAMILY_INET || family == FAMILY_INET6) {
		wk_buf_add_text(out, family == FAMILY_INET ? "INVALIDIPv4" : "INVALIDIPv6");
	}
}

void wk_trace_sockaddr_text(struct wk_bytes address, bool has_port, struct wk_buf *out)
{
	socket_text(address, has_port, true, out);
}

static bool letter_is(struct wk_str letters, size_t at, char letter)
{
	return at < letters.len && letters.at[at] == letter;
}

/* I4, i4, I6, I6c, i6, IS, ISp, ISc, ISpc */
static size_t ip_text(struct wk_bytes bytes, struct wk_str letters, struct wk_buf *out)
{
	bool is_big = letters.at[0] == 'I';
	size_t used = 2;

	if (letter_is(letters, 1, '4')) {
		if (wk_bytes_left(&bytes) == 4)
			inet_text(bytes, out, !is_big);
		else
			wk_buf_add_text(out, "INVALIDIPv4");
	} else if (letter_is(letters, 1, '6')) {
		bool is_short = is_big && letter_is(letters, 2, 'c');

		used += is_short;
		if (wk_bytes_left(&bytes) != 16)
			wk_buf_add_text(out, "INVALIDIPv6");
		else if (is_short)
			inet6_short_text(bytes, out);
		else
			inet6_text(bytes, out, is_big);
	} else if (letter_is(letters, 1, 'S')) {
		bool has_port = is_big && letter_is(letters, used, 'p');
		bool is_short;

		used += has_port;
		is_short = is_big && letter_is(letters, used, 'c');
		used += is_short;
		socket_text(bytes, has_port, is_short, out);
	} else {
		return 0;
	}
	return used;
}

static void uuid_text(struct wk_bytes bytes, struct wk_buf *out)
{
	if (wk_bytes_left(&bytes) != 16) {
		wk_buf_add_text(out, "INVALIDUUID");
		return;
	}
	for (int i = 0; i < 16; i++)
		wk_buf_add_fmt(out, "%s%02x", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "",
			       wk_u8(&bytes));
}

size_t wk_trace_address_text(const struct wk_trace_sample *sample, struct wk_str letters,
			     uint32_t node, struct wk_buf *out)
{
	struct wk_bytes bytes = argument_bytes(sample, node);

	switch (letters.len ? letters.at[0] : 0) {
	case 'M':
	case 'm':
		mac_text(bytes, out, letters.at[0] == 'm');
		return 1;
	case 'I':
	case 'i':
		return ip_text(bytes, letters, out);
	case 'U':
		uuid_text(bytes, out);
		return 1 + (letter_is(letters, 1, 'b') || letter_is(letters, 1, 'B') ||
			    letter_is(letters, 1, 'l') || letter_is(letters, 1, 'L'));
	default:
		return 0;
	}
}
