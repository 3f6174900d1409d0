/* libwick: read, show and record CPU profiles.
 *
 *	struct wick_context *wick = wick_context_new(NULL, NULL);
 *	struct wick_error error;
 *	struct wick_profile *profile = wick_open(wick, "wick.data", NULL, &error);
 *
 *	if (profile)
 *		wick_fold(profile, NULL, write_to_stdout, NULL, &error);
 *	wick_close(profile);
 *	wick_context_free(wick);
 *
 * Errors: a function that can fail returns false or NULL and fills a wick_error, which may be NULL.
 * The library never prints, never ends the process and handles no signals.
 *
 * Memory: everything belongs to the object that it was obtained from and lives as long as that.
 * Running out of memory is an error like any other (WICK_NO_MEMORY). The object in use is then only
 * good for being freed, except a profile: it stays usable.
 *
 * Threads: a context and a profile never change, so several threads may use them at once. Other
 * objects are for one thread at a time; different objects never interfere.
 *
 * Structs that begin with `size`: set it to sizeof of the struct and the rest to zero. Later
 * versions add members at the end; programs compiled before keep working. Structs without `size`
 * never change.
 *
 * Text is UTF-8 unless the recording contains other bytes, and ends with a NUL. Unknown text is "",
 * never NULL. */
#ifndef WICK_WICK_H
#define WICK_WICK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WICK_VERSION_MAJOR 0
#define WICK_VERSION_MINOR 1
#define WICK_VERSION_PATCH 0

#if defined(__GNUC__)
#define WICK_API __attribute__((visibility("default")))
#else
#define WICK_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* The version of the library in use, "0.1.0". */
WICK_API const char *wick_version(void);

/* ---- Errors */

enum wick_code {
	WICK_OK = 0,
	WICK_CORRUPT = 1,           /* the bytes contradict their format */
	WICK_UNKNOWN_FORMAT = 2,    /* no reader knows the file */
	WICK_UNSUPPORTED = 3,       /* not possible in this build or on this system */
	WICK_NOT_FOUND = 4,         /* no such file, process, event ... */
	WICK_NOT_PERMITTED = 5,     /* the system does not allow it */
	WICK_MISUSE = 6,            /* an option makes no sense */
	WICK_IO = 7,                /* reading or writing failed */
	WICK_COMMAND_NOT_FOUND = 8, /* the command to record does not exist */
	WICK_COMMAND_NOT_RUN = 9,   /* the command to record cannot be run */
	WICK_NOTHING_TO_SHOW = 10,  /* no sample is left */
	WICK_NO_MEMORY = 11,
	WICK_STOPPED = 12 /* a callback returned false */
};

/* For errors that have no place in a file. */
#define WICK_NOWHERE UINT64_MAX

struct wick_error {
	int32_t code; /* enum wick_code */
	int32_t reserved;
	uint64_t offset; /* byte offset in the file, or WICK_NOWHERE */
	char text[624];  /* one sentence without a newline */
};

/* ---- The context: memory and where names are searched */

struct wick_context;

struct wick_context_options {
	size_t size; /* sizeof(struct wick_context_options) */

	/* As malloc, realloc and free, with `allocator_context`. All three or none. Several threads
	 * may call them at once. */
	void *(*alloc)(void *allocator_context, size_t size_bytes);
	void *(*realloc)(void *allocator_context, void *at, size_t size_bytes);
	void (*free)(void *allocator_context, void *at);
	void *allocator_context;

	const char *const *debug_dirs;     /* NULL-terminated; before /usr/lib/debug */
	const char *const *symbol_servers; /* NULL-terminated; as --symbol-server */
	const char *const *symbol_paths;   /* NULL-terminated; as --symbol-path */
	bool debuginfod;                   /* fetch from the servers in DEBUGINFOD_URLS */
	bool offline; /* never use the network, whatever the environment says */
};

/* `options` may be NULL. The options are copied. NULL if there is no memory for it. */
WICK_API struct wick_context *wick_context_new(const struct wick_context_options *options,
					       struct wick_error *error);

/* After everything that was made with it. NULL is allowed. */
WICK_API void wick_context_free(struct wick_context *context);

/* ---- Events: a recording as it was read, without names */

/* Owned by the library and valid during the call. */
struct wick_event {
	size_t size;
	const char *kind; /* "process", "image", "sample" ...: the first word of `wick dump` */
	uint64_t time_ns; /* 0: before the recording */
	uint32_t pid, tid;
	uint32_t cpu; /* UINT32_MAX: unknown */

	/* Samples only. Chains start with the innermost frame. */
	uint32_t source;
	uint64_t weight, address;
	const uint64_t *kernel_chain, *user_chain;
	size_t kernel_count, user_count;
};

struct wick_open_options {
	size_t size;        /* sizeof(struct wick_open_options) */
	const char *format; /* one of wick_input_format; NULL: detected from the content */
	uint32_t threads;   /* for reading; 0: one per CPU */
	bool no_inlined;    /* leave out inlined calls */
	bool sum_samples;   /* samples may be added up if they differ only in time and CPU, and
			     * blocks of heaps if they are of one stack and similar in size */
};

/* False ends the reading with WICK_STOPPED. */
typedef bool (*wick_take_event)(void *user, const struct wick_event *event);

/* `path` "-" is standard input. `options` may be NULL; only `format` and `threads` are used. */
WICK_API bool wick_read_events(const struct wick_context *context, const char *path,
			       const struct wick_open_options *options, wick_take_event take,
			       void *user, struct wick_error *error);

/* The event in the form of `wick dump`, without a newline at the end. Valid during the call. */
WICK_API const char *wick_event_text(const struct wick_event *event);

/* The names of the formats that can be read; NULL from the last one on. */
WICK_API const char *wick_input_format(size_t index);

/* ---- Functions and lines of addresses */

/* One function at an address, or one of a stack. */
struct wick_frame {
	size_t size;          /* sizeof(struct wick_frame) */
	const char *function; /* readable; "" if unknown */
	const char *linked;   /* as linked (mangled); "" if unknown */
	const char *file;     /* of the source */
	const char *module;   /* the path of the program or library */
	uint64_t address;     /* in the file; in memory if there is none */
	uint32_t line;        /* of the source; 0 if unknown */
	uint32_t column;      /* 0 if unknown */
	bool is_inlined;      /* into its caller */
	bool is_kernel;
};

struct wick_symbols;

WICK_API struct wick_symbols *wick_symbols_new(const struct wick_context *context,
					       struct wick_error *error);
WICK_API void wick_symbols_free(struct wick_symbols *symbols); /* NULL is allowed */

/* Frames come innermost first and are valid during the call; false ends them. */
typedef bool (*wick_take_frame)(void *user, const struct wick_frame *frame);

/* The functions at `address` of a program, library or debug file (ELF, PE or PDB), as its own
 * tables count (what nm and addr2line use). Unknown addresses give no frame and are no error. */
WICK_API bool wick_symbols_of_file(struct wick_symbols *symbols, const char *path, uint64_t address,
				   wick_take_frame take, void *user, struct wick_error *error);

/* The functions at an address in the memory of a running process. JIT code and the kernel have
 * none. */
WICK_API bool wick_symbols_of_process(struct wick_symbols *symbols, int32_t pid, uint64_t address,
				      wick_take_frame take, void *user, struct wick_error *error);

/* ---- Profiles: samples and stacks with names */

struct wick_profile;

/* Reads `path` ("-" is standard input), unwinds copied stacks and names what can be named.
 * `options` may be NULL. */
WICK_API struct wick_profile *wick_open(const struct wick_context *context, const char *path,
					const struct wick_open_options *options,
					struct wick_error *error);

/* The same for the bytes of a file. They are copied. */
WICK_API struct wick_profile *wick_open_memory(const struct wick_context *context,
					       const void *bytes, size_t len,
					       const struct wick_open_options *options,
					       struct wick_error *error);

WICK_API void wick_close(struct wick_profile *profile); /* NULL is allowed */

struct wick_summary {
	size_t size;                         /* sizeof(struct wick_summary) */
	uint64_t lost_samples, lost_records; /* that the kernel or the recorder dropped */
	uint64_t first_ns, last_ns;          /* of the samples, by the recording's clock */
	size_t sample_count, source_count, note_count;
};

WICK_API void wick_summarize(const struct wick_profile *profile, struct wick_summary *summary);

/* What a reader of the recording should know: bad records, missing parts. NULL from the last one
 * on. */
WICK_API const char *wick_note(const struct wick_profile *profile, size_t index);

/* A sampled event. */
struct wick_source {
	size_t size;      /* sizeof(struct wick_source) */
	const char *name; /* "cycles", "cpu-clock" ... */
	const char *unit; /* of the weights: "ns", "cycles", "samples" ... */
	bool is_cpu_time;
};

/* Sources count from 0. False from the last one on. */
WICK_API bool wick_source_at(const struct wick_profile *profile, size_t index,
			     struct wick_source *source);

struct wick_sample {
	size_t size;                  /* sizeof(struct wick_sample) */
	uint64_t time_ns;             /* of the recording's clock */
	uint64_t weight;              /* in the unit of its source */
	uint64_t count;               /* how many samples it represents */
	uint64_t stack;               /* for wick_frame_at; 0: none */
	uint32_t source;              /* for wick_source_at */
	uint32_t cpu;                 /* UINT32_MAX: unknown */
	uint32_t pid, tid;            /* UINT32_MAX - 1: unknown */
	const char *process, *thread; /* names */
};

/* Samples count from 0. False from the last one on. */
WICK_API bool wick_sample_at(const struct wick_profile *profile, size_t index,
			     struct wick_sample *sample);

/* Fills `frame` with the innermost frame of `stack` and returns the stack of its caller, 0 after
 * the outermost:
 *
 *	for (uint64_t at = sample.stack; at;) {
 *		at = wick_frame_at(profile, at, &frame);
 *		puts(frame.function);
 *	}
 */
WICK_API uint64_t wick_frame_at(const struct wick_profile *profile, uint64_t stack,
				struct wick_frame *frame);

/* ---- Views */

/* Which samples, and in which form. All zero is the default. */
struct wick_view_options {
	size_t size;        /* sizeof(struct wick_view_options) */
	const char *filter; /* an expression, as --filter has it; NULL: everything */
	const char *event;  /* weigh by this sampled event; NULL: CPU time, or the first one */
	const char *table;  /* of text, csv and json: a word of `wick show`; NULL: functions */
	const char *title;  /* of a picture; NULL: "Flame graph" */
	bool no_process;    /* start with the outermost function, without a level for processes */
	bool by_thread;     /* add a level for each thread */
	bool inverted;      /* from the innermost function to its callers */
	bool by_weight;     /* folded: weights instead of numbers of samples */
	uint32_t limit;     /* of a table: at most this many rows; 0: all */
};

/* Receives the output in pieces; false ends it with WICK_STOPPED. */
typedef bool (*wick_write)(void *user, const char *bytes, size_t len);

/* Folded stacks: a line for each distinct stack, "process;outer;inner 12". */
WICK_API bool wick_fold(const struct wick_profile *profile, const struct wick_view_options *options,
			wick_write write, void *user, struct wick_error *error);

/* A profile in one of the formats of wick_output_format: "svg", "json", "pprof" ... */
WICK_API bool wick_render(const struct wick_profile *profile, const char *format,
			  const struct wick_view_options *options, wick_write write, void *user,
			  struct wick_error *error);

/* The names of the formats that can be written; NULL from the last one on. */
WICK_API const char *wick_output_format(size_t index);

/* ---- Recording */

struct wick_record_status {
	size_t size;
	uint64_t samples, lost_samples, elapsed_ns, file_bytes;
};

/* What to record, one of the first three, and how. */
struct wick_record_options {
	size_t size;          /* sizeof(struct wick_record_options) */
	char *const *command; /* NULL-terminated arguments; it is run and waited for */
	const int32_t *pids;  /* running processes ... */
	size_t pid_count;
	bool all_cpus;             /* the whole system */
	bool user_only;            /* no kernel code */
	uint64_t frequency_hz;     /* 0: 997 */
	const char *const *events; /* NULL-terminated, as `wick record -e`; NULL: CPU time */
	uint64_t duration_ns;      /* 0: until the command or the processes end */

	/* Called about four times a second; false ends the recording, which is no error. NULL is
	 * allowed. */
	bool (*go_on)(void *user, const struct wick_record_status *status);
	void *user;

	bool no_embed; /* leave the names of what was sampled out of the file */
};

struct wick_record_result {
	size_t size; /* sizeof(struct wick_record_result) */
	uint64_t samples, lost_samples, lost_records, elapsed_ns, file_bytes;
	int32_t exit_code;   /* of the command; 128 + N if signal N ended it */
	int32_t running_pid; /* of a command that runs on, after `duration_ns` or an error; else 0.
			      * It is a child of the caller, who waits for it */
};

/* Records into the file `path`, which wick_open reads. A recording that was there is renamed to
 * PATH.old, or stays if the new one has no samples. `result` may be NULL. */
WICK_API bool wick_record(const struct wick_context *context, const char *path,
			  const struct wick_record_options *options,
			  struct wick_record_result *result, struct wick_error *error);

#ifdef __cplusplus
}
#endif

#endif
