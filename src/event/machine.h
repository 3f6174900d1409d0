/* What recorders call machines and their registers. */
#ifndef WK_EVENT_MACHINE_H
#define WK_EVENT_MACHINE_H

#include "event/event.h"

/* By the name that uname and perf.data give it. */
enum wk_machine wk_machine_named(struct wk_str name);

/* The DWARF number of perf's register `bit`, or -1 for one that has none. */
int wk_machine_register(enum wk_machine machine, unsigned bit);

#endif
