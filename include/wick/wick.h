/* libwick: the events of CPU profiles, and the functions and lines of addresses.
 *
 *	struct wick_context *wick = wick_context_new(NULL, NULL);
 *	struct wick_symbols *symbols = wick_symbols_new(wick, &error);
 *
 *	wick_symbols_of_file(symbols, "./app", 0x1139, print_frame, NULL, &error);
 *	wick_symbols_free(symbols);
 *	wick_context_free(wick);
 *
 * Errors: a function that can fail returns false or NULL and fills a wick_error, which may be NULL.
 * The library never prints, never ends the process and handles no signals.
 *
 * Memory: everything belongs to the object that it was obtained from and lives as long as that.
 * Running out of memory is an error like any other (WICK_NO_MEMORY). The object in use is then only
 * good for being freed.
 *
 * Threads: a context never changes, so several threads may use it at once. Other objects are for
 * one thread at a time; different objects never interfere.
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
	bool sum_samples;   /* samples may be added up if they differ only in time and CPU */
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

/* The functions at an address in the memory of a running process. */
WICK_API bool wick_symbols_of_process(struct wick_symbols *symbols, int32_t pid, uint64_t address,
				      wick_take_frame take, void *user, struct wick_error *error);

#ifdef __cplusplus
}
#endif

#endif
