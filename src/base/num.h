/* Text to numbers and numbers to text, strict and without a locale. */
#ifndef WK_BASE_NUM_H
#define WK_BASE_NUM_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/str.h"

/* The whole text must be the number; no sign, no blanks; false on overflow. */
bool wk_num_u64(struct wk_str text, uint64_t *value);
bool wk_num_hex(struct wk_str text, uint64_t *value);

/* "12", "0.5", "-3", "1e6". */
bool wk_num_real(struct wk_str text, double *value);

/* Digits with an optional fraction, times `unit`; a remaining fraction is cut off. */
bool wk_num_scaled(struct wk_str number, uint64_t unit, uint64_t *value);

/* "12", "1.5": seconds as nanoseconds; "ms", "us", "ns", "s", "m", "h" may follow. */
bool wk_num_duration(struct wk_str text, uint64_t *ns);

/* "16384", "64K", "8M", "1G" (powers of 1024). */
bool wk_num_size(struct wk_str text, uint64_t *size_bytes);

/* 1141100 as "1,141,100". */
void wk_num_add_grouped(struct wk_buf *buf, uint64_t value);

/* Thousandths as "20.25", without zeros at the end. */
void wk_num_add_thousandths(struct wk_buf *buf, uint64_t value);

/* A number with the words for one or for any other number behind it: "1 page", "1,200 pages" of
 * " page" and " pages". */
void wk_num_add_counted(struct wk_buf *buf, uint64_t value, const char *one, const char *several);

/* 4509715660 as "4.2 GiB"; under 1 KiB as "512 B". */
void wk_num_add_bytes(struct wk_buf *buf, uint64_t size_bytes);

/* 685660000000 as "685.660 s", 12400000 as "12.4 ms", 830000 as "830 us". */
void wk_num_add_duration(struct wk_buf *buf, uint64_t ns);

/* A part of a whole as "12.4 %"; "<0.1 %" and ">99.9 %" if rounding would wrongly give none or all.
 * Nothing of nothing is "0 %". */
void wk_num_add_share(struct wk_buf *buf, uint64_t part, uint64_t whole);

#endif
