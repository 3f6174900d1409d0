/* Readers: bytes of a file that some recorder made, to events.
 *
 * A format is one const struct wk_reader in a file of its own, and one line in registry.c.
 * Help text and messages are printed from that table. Usual order of calls: wk_read_file,
 * which opens, chooses and reads; or wk_reader_for and then the reader's own `read`.
 *
 * A reader gives events to its sink in the order that event/event.h promises. One bad record
 * becomes a note and the reading goes on; a bad header, or bytes in which the next record can
 * not be found, end it with an error. What came before the error has reached the sink. */
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

/* How to read; all zero is the usual, and most readers know of nothing else. */
struct wk_read_options {
	unsigned threads;   /* at most so many; 0: one */
	bool sums_samples;  /* nobody asks for single samples: those of a stack, thread and source
			     * may be told as one (SUMS), and in any order */
	bool counts_others; /* as above, and where there are samples of CPU time nobody looks at the
			     * others' stacks: those may be told as SUMS without */
	const struct wk_collapse *collapse; /* frames as an older tool writes them, or NULL */
	bool is_header_only; /* only what lies beside the records, and all of that; where a reader
			      * knows no such thing it reads as ever */
	bool wants_comments; /* what `perf script --header` prints, as a fact "comments" */
	bool wants_symbols;  /* records of the kernel's symbols as OTHER events too */
	bool in_file_order;  /* records as they lie in the file, and an OTHER event where a round
			      * of them ends: for who looks at the recording itself */
	bool skips_details;  /* nobody looks at the details of samples (event/event.h) */
};

/* The whole of what is read; `name` (a path, or "-") is only for choosing and for words. */
struct wk_input {
	struct wk_bytes bytes;
	const char *name;
	struct wk_read_options options;
	const struct wk_os_file *file; /* behind `bytes`, or NULL; for wk_os_release_to */
	struct wk_parts parts;         /* of a recording that is a folder or an archive, behind
					* `bytes` */
};

struct wk_reader {
	const char *name;            /* as typed after --format */
	const char *summary;         /* half a line for help */
	const char *const *suffixes; /* of file names, NULL-terminated */

	/* How sure the first bytes (at most 4096) make that this is the format: 0 to 100. */
	int (*probe)(struct wk_bytes first);
	bool (*read)(const struct wk_input *input, const struct wk_sink *sink, struct wk_err *err);
};

#define WK_PROBE_BYTES 4096

/* All readers, NULL-terminated. */
const struct wk_reader *const *wk_readers(void);

/* The reader named `format` or, where that is NULL, the one that is most sure of the bytes;
 * a suffix of the name decides between equals. What is packed (base/packed/unpack.h) is looked
 * into, and so is text with a byte order mark (base/text/utf16.h). NULL, with a sentence on what
 * was seen and what is known, if there is none. */
const struct wk_reader *wk_reader_for(struct wk_bytes bytes, const char *name, const char *format,
				      struct wk_err *err);

/* A file and the reader that knows it; filled by wk_reader_open, which also unpacks and
 * takes byte order marks away. */
struct wk_opened {
	struct wk_input input; /* plain bytes; offsets in errors count in these */
	const struct wk_reader *reader;
	struct wk_os_file file;
	struct wk_buf plain; /* of a packed file, which is closed then */
	struct wk_buf text;  /* of UTF-16, likewise */
};

/* Opens `path` ("-" is standard input; formats/archive/parts.h tells which folders there are) and
 * chooses its reader. Puts the path in front of any error; so does wk_opened_fail for what goes
 * wrong later. */
bool wk_reader_open(const char *path, const char *format, struct wk_opened *opened,
		    struct wk_err *err);
void wk_reader_close(struct wk_opened *opened);
bool wk_opened_fail(const struct wk_opened *opened, struct wk_err *err);

/* Opens, reads, closes. */
bool wk_read_file(const char *path, const char *format, const struct wk_sink *sink,
		  struct wk_err *err);

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
