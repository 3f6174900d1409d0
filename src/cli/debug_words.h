/* What `cargo wick` and `wick doctor` say of a program without debug information: the same, and
 * what is so today. */
#ifndef WK_CLI_DEBUG_WORDS_H
#define WK_CLI_DEBUG_WORDS_H

#define WK_DEBUG_WORDS \
	"only source lines and inlined calls need it, and wick reads neither yet"

#endif
