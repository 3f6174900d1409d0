/* What the recorded system is like, one field for each question that later steps ask.
 *
 * A reader attaches its traits to the "system" fact (struct wk_event_system); an input that
 * attaches none is read with wk_traits_linux. All traits have static storage duration, so that
 * whoever needs them keeps a pointer. */
#ifndef WK_EVENT_TRAITS_H
#define WK_EVENT_TRAITS_H

#include <stdbool.h>
#include <stdint.h>

/* Which column of the table of advice applies (views/advice.h). */
enum wk_advice_set { WK_ADVICE_LINUX, WK_ADVICE_WINDOWS, WK_ADVICE_DOTNET, WK_ADVICE_SETS };

/* A process that has the same number on every machine. */
struct wk_fixed_pid {
	uint32_t pid;
	const char *name; /* NULL ends a list of them */
};

struct wk_traits {
	bool times_from_start; /* times count from the start of the trace, not the first sample */
	bool ignores_case;     /* in paths, and in the names of processes */

	bool is_system_wide;   /* all processes are recorded, with their parents and times */
	bool logs_events;      /* any mix of many events; CPU samples need not be among them */
	bool samples_idle;     /* processors are sampled when they have nothing to do */
	bool walks_stacks;     /* the recorder: files need no unwinding tables here */
	bool has_whole_stacks; /* it always reaches the root */
	bool leaves_blocks;    /* what a process did not free before its end counts as left: it was
				* recorded for that. Otherwise its end frees it */

	bool has_accounts;       /* processes have users, sessions, packages and services */
	bool has_parent_zero;    /* process 0 can be a parent; else 0 means unknown */
	bool has_status_codes;   /* large exit codes are hexadecimal statuses: 0xc0000005 */
	bool kernel_is_file;     /* an image like its drivers */
	bool has_symbol_files;   /* names are in files of their own, on vendors' servers */
	const char *root_image;  /* stacks are whole if they end in it; NULL: ask its tables */
	const char *system_code; /* title of the system's own libraries */
	const struct wk_fixed_pid *fixed_pids;

	enum wk_advice_set advice;
};

/* Of .NET: its runtime records itself, on any system. */
extern const struct wk_traits wk_traits_linux, wk_traits_windows, wk_traits_dotnet;

#endif
