/* Lines of call chains as perf prints nearly all of them:
 *
 *	TAB, an address in 16 columns, " NAME+0xOFFSET (IMAGE)"
 *
 * They are taken apart with few instructions per byte. What is different in any way is left to
 * frame.c, which reads all forms. */
#include <string.h>

#include "base/hash.h"
#include "formats/perf_script/internal.h"

#define ADDRESS_AT 1
#define COLUMNS    16
#define NAME_AT    (ADDRESS_AT + COLUMNS + 1)
#define SHORTEST   (NAME_AT + 4) /* "f (i" */

/* Sixteen bytes at once; each step compiles to one instruction. */
typedef uint8_t block __attribute__((vector_size(16)));
typedef uint64_t halves __attribute__((vector_size(16)));

static inline block block_at(const char *at)
{
	block bytes;

	memcpy(&bytes, at, sizeof(bytes));
	return bytes;
}

/* Sixteen of "c". */
static inline block all(uint8_t c)
{
	return (block){ c, c, c, c, c, c, c, c, c, c, c, c, c, c, c, c };
}

static inline block between(block bytes, uint8_t first, uint8_t last)
{
	return (block)(bytes >= all(first)) & (block)(bytes <= all(last));
}

/* Blanks, hexadecimal digits up to the last column, and a blank behind them. */
static inline bool is_address(const char *at)
{
	block bytes = block_at(at), next = block_at(at + 1);
	block hex = between(bytes, '0', '9') | between(bytes | all(0x20), 'a', 'f');
	halves either = (halves)(hex | (block)(bytes == all(' ')));
	halves ends = (halves)(hex & (block)(next == all(' ')));

	return (either[0] & either[1]) == UINT64_MAX && !ends[0] &&
	       WK_FROM_LE(64, ends[1]) == (uint64_t)0xff << 56;
}

/* The last parenthesis in sixteen bytes; NULL if there is none. */
static inline const char *last_parenthesis(const char *at)
{
	block bytes = block_at(at);
	halves marks = (halves)((block)(bytes == all('(')) | (block)(bytes == all(')')));
	uint64_t low = WK_FROM_LE(64, marks[0]), high = WK_FROM_LE(64, marks[1]);

	if (high)
		return at + 15 - __builtin_clzll(high) / 8;
	return low ? at + 7 - __builtin_clzll(low) / 8 : NULL;
}

/* The '(' of the image whose ')' is at `close`; NULL if its name contains parentheses. */
static const char *open_of(const char *from, const char *close)
{
	const char *at = close, *found = NULL;

	for (; at - from >= 16 && !found; at -= 16)
		found = last_parenthesis(at - 16);
	for (; at > from && !found; at--)
		found = at[-1] == '(' || at[-1] == ')' ? at - 1 : NULL;
	return found && *found == '(' ? found : NULL;
}

static inline bool is_small_hex(char c)
{
	return wk_is_digit(c) || (c >= 'a' && c <= 'f');
}

/* Of an offset that all who read names cut off. */
static const char *offset_of(const char *from, const char *end)
{
	const char *at = end;

	while (at > from && is_small_hex(at[-1]))
		at--;
	return at < end && at - from > 3 && memcmp(at - 3, "+0x", 3) == 0 ? at - 3 : end;
}

bool wk_script_usual_line(const char *at, const char *end, struct wk_script_usual_line *line)
{
	const char *name = at + NAME_AT, *feed, *open;

	if (end - at < SHORTEST || *at != '\t' || !is_address(at + ADDRESS_AT) ||
	    wk_is_blank(*name))
		return false;
	feed = memchr(name, '\n', (size_t)(end - name));
	/* A source line begins with blanks. */
	if (!feed || feed - name < 4 || feed[-1] != ')' || (feed + 1 < end && feed[1] == ' '))
		return false;
	open = open_of(name, feed - 1);
	if (!open || open - name < 2 || open[-1] != ' ' || wk_is_blank(open[-2]))
		return false;
	line->next = feed + 1;
	line->rest = wk_str_of(name, (size_t)(feed - name));
	line->image = wk_str_of(open, (size_t)(feed - open));
	line->name = wk_str_of(name, (size_t)(offset_of(name, open - 1) - name));
	line->in_kernel = memcmp(at + ADDRESS_AT, "ffff", 4) == 0;
	return true;
}
