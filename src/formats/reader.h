/* Readers: the bytes of a recorded file to events.
 *
 * A format is one const struct wk_reader in a file of its own, and one line in registry.c.
 * Help text and messages are printed from that table. Order of calls: wk_read_file, which opens,
 * chooses and reads; or wk_reader_for and then the reader's own `read`.
 *
 * A reader emits events in the order that event/event.h promises. A bad record becomes a note and
 * reading continues; a bad header, or bytes in which the next record cannot be found, end it with
 * an error. Events before the error have reached the sink. */
#ifndef WK_FORMATS_READER_H
#define WK_FORMATS_READER_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "base/err.h"
#include "base/str.h"
#include "event/sink.h"
#include "formats/archive/parts.h"
#include "os/os.h"

struct wk_collapse;

/* How to read. All zero is the default; most readers ignore all but `threads`. Samples are summed
 * by stack, thread and source, and emitted as SUMS in any order. */
struct wk_read_options {
	unsigned threads;        /* at most; 0: one */
	bool sums_samples;       /* samples may be summed */
	bool sums_other_sources; /* if a source of CPU time has samples, those of all other
				  * sources may be summed without their stacks */
	const struct wk_collapse *collapse; /* frames as an older tool writes them, or NULL */
	bool is_header_only;       /* everything but the records; readers whose format has no
				    * such part read all */
	bool emits_kernel_symbols; /* records of the kernel's symbols as OTHER events */
	bool in_file_order;        /* records in the order of the file, and an OTHER event at the
				    * end of each round of them */
	bool skips_details;        /* samples without details (event/event.h) */
};

/* The input; `name` (a path, or "-") is used to choose the reader and in messages. */
struct wk_input {
	struct wk_bytes bytes;
	const char *name;
	struct wk_read_options options;
	const struct wk_os_file *file; /* the mapping of `bytes`, or NULL; for wk_os_release_to */
	struct wk_parts parts; /* further files of a folder or an archive; the first is `bytes` */
};

struct wk_reader {
	const char *name;            /* as typed after --format */
	const char *summary;         /* half a line for help */
	const char *const *suffixes; /* of file names, NULL-terminated */

	/* How certain it is, by the first bytes (at most 4096), that this is the format: 0 to 100.
	 */
	int (*probe)(struct wk_bytes first);
	bool (*read)(const struct wk_input *input, const struct wk_sink *sink, struct wk_err *err);
};

#define WK_PROBE_BYTES 4096

/* All readers, NULL-terminated. */
const struct wk_reader *const *wk_readers(void);

/* The reader named `format` or, if that is NULL, the one that is most certain of the bytes; a
 * suffix of the name decides between equals. Packed files (base/packed/unpack.h) and text with a
 * byte order mark (base/text/utf16.h) are decoded first. NULL, with a sentence on what was found
 * and which formats are known, if there is none. */
const struct wk_reader *wk_reader_for(struct wk_bytes bytes, const char *name, const char *format,
				      struct wk_err *err);

/* A file and its reader; filled by wk_reader_open, which also unpacks and removes byte order
 * marks. */
struct wk_opened {
	struct wk_input input; /* plain bytes; offsets in errors count in these */
	const struct wk_reader *reader;
	struct wk_os_file file;
	struct wk_buf plain; /* a packed file, unpacked; the file is closed then */
	struct wk_buf text;  /* UTF-16 as UTF-8, likewise */
};

/* Opens `path` ("-" is standard input; formats/archive/parts.h lists the folders that are read) and
 * chooses its reader. Adds the path to any error; wk_opened_fail does so for later errors. */
bool wk_reader_open(const char *path, const char *format, struct wk_opened *opened,
		    struct wk_err *err);
void wk_reader_close(struct wk_opened *opened);
bool wk_opened_fail(const struct wk_opened *opened, struct wk_err *err);

extern const struct wk_reader wk_reader_folded;
extern const struct wk_reader wk_reader_cpuprofile;
extern const struct wk_reader wk_reader_pprof;
extern const struct wk_reader wk_reader_chrome_trace;
extern const struct wk_reader wk_reader_speedscope;
extern const struct wk_reader wk_reader_firefox;
extern const struct wk_reader wk_reader_go;
extern const struct wk_reader wk_reader_goroutine;
extern const struct wk_reader wk_reader_perf_data;
extern const struct wk_reader wk_reader_perf_script;
extern const struct wk_reader wk_reader_aix;
extern const struct wk_reader wk_reader_austin;
extern const struct wk_reader wk_reader_bcc;
extern const struct wk_reader wk_reader_bpftrace;
extern const struct wk_reader wk_reader_callgrind;
extern const struct wk_reader wk_reader_elfutils;
extern const struct wk_reader wk_reader_faulthandler;
extern const struct wk_reader wk_reader_gdb;
extern const struct wk_reader wk_reader_gperftools;
extern const struct wk_reader wk_reader_java_exceptions;
extern const struct wk_reader wk_reader_jstack;
extern const struct wk_reader wk_reader_ljp;
extern const struct wk_reader wk_reader_pmcstat;
extern const struct wk_reader wk_reader_pyspy;
extern const struct wk_reader wk_reader_stap;
extern const struct wk_reader wk_reader_wcp;
extern const struct wk_reader wk_reader_xdebug;
extern const struct wk_reader wk_reader_dtrace;
extern const struct wk_reader wk_reader_etl;
extern const struct wk_reader wk_reader_ghcprof;
extern const struct wk_reader wk_reader_instruments;
extern const struct wk_reader wk_reader_sample;
extern const struct wk_reader wk_reader_vsprof;
extern const struct wk_reader wk_reader_vtune;
extern const struct wk_reader wk_reader_wpa_csv;
extern const struct wk_reader wk_reader_wpa_profile;
extern const struct wk_reader wk_reader_xctrace;
extern const struct wk_reader wk_reader_xperf;

#endif
