/* An address as users type it and other tools print it:
 *
 *	22f0   0x22f0   +0x22f0                hexadecimal
 *	app 0x22f0   "an app" 22f0             an image in front of it
 *	app(+0x22f0)   app(main+0x10) [0x55..] as glibc's backtrace_symbols prints it
 *	app(_start) [0x401000]                 the address in brackets if there is no other
 *	app+0x22f0   main+0x10                 an image or a function: the caller must look
 *	main                                   a function
 *
 * Nothing is opened here; the texts are pieces of what was typed. */
#ifndef WK_SESSION_SYMBOLIZE_TYPED_ADDRESS_H
#define WK_SESSION_SYMBOLIZE_TYPED_ADDRESS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

struct wk_typed_address {
	struct wk_str image;    /* empty: none was named */
	struct wk_str function; /* `offset` counts from it; empty: from the image's start */
	bool may_be_image;      /* `function` may as well be an image */
	uint64_t offset;
};

bool wk_typed_address_read(struct wk_str text, struct wk_typed_address *typed);

/* Only digits, with or without 0x. */
bool wk_typed_address_is_plain(struct wk_str text, uint64_t *address);

#endif
