/* Readers: the bytes of a recorded file to events.
 *
 * A format is one const struct wk_reader in a file of its own, and one line in WK_READERS. Help
 * text and messages are printed from that table. Order of calls: wk_reader_open, which opens and
 * chooses, or wk_reader_for; then the reader's own `read`.
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
	bool is_header_only;     /* everything but the records; readers whose format has no
				  * such part read all */
	bool keeps_heap_streams; /* HEAP_STREAM events instead of those in them */
	bool skips_details;      /* samples without details (event/event.h) */
};

/* The input; `name` (a path, or "-") is used to choose the reader and in messages. */
struct wk_input {
	struct wk_bytes bytes;
	const char *name;
	struct wk_read_options options;
	const struct wk_os_file *file; /* the mapping of `bytes`, or NULL; for wk_os_release_to */
	struct wk_parts parts; /* further files of a folder or an archive; the first is `bytes` */
	struct wk_os_stream *rest; /* what follows `bytes` in a pipe, for readers that stream; a
				    * file itself, for those that read it in pieces; or NULL */
};

/* A kind of line that only texts of a format have. */
struct wk_line_sign {
	int certainty; /* 0 ends a list */
	bool (*is_one)(struct wk_str line);
	bool (*and_one)(struct wk_str line); /* such a line must be there as well; or NULL */
};

struct wk_reader {
	const char *name;            /* as typed after --format */
	const char *summary;         /* half a line for help */
	const char *const *suffixes; /* of file names, NULL-terminated */

	/* How certain it is, by the first bytes (at most 4096), that this is the format: 0 to 100.
	 * By a function, or by the first of the signs that is there. */
	int (*probe)(struct wk_bytes first);
	const struct wk_line_sign *signs;
	bool (*read)(const struct wk_input *input, const struct wk_sink *sink, struct wk_err *err);
	bool in_pieces;    /* reads a large file in pieces ... */
	bool streams;      /* ... and a pipe as well, without a limit */
	bool reads_binary; /* all others read text only, whatever --format names */
};

#define WK_PROBE_BYTES 4096

int wk_reader_probe(const struct wk_reader *reader, struct wk_bytes first);

/* All readers, NULL-terminated. */
const struct wk_reader *const *wk_readers(void);

/* The reader named `format` or, if that is NULL, the one that is most certain of the bytes; a
 * suffix of the name decides between equals. Packed files (base/packed/unpack.h) and text with a
 * byte order mark (base/text/utf16.h) are decoded first. NULL, with a sentence on what was found
 * and which formats are known, if there is none. */
const struct wk_reader *wk_reader_for(struct wk_bytes bytes, const char *name, const char *format,
				      struct wk_err *err);

/* False, with what the bytes are instead, if they are binary: for tools that read text only. */
bool wk_reader_check_text(struct wk_bytes bytes, const char *name, struct wk_err *err);

/* A file and its reader; filled by wk_reader_open, which also unpacks and removes byte order
 * marks. */
struct wk_opened {
	struct wk_input input; /* plain bytes; offsets in errors count in these */
	const struct wk_reader *reader;
	struct wk_os_file file;
	struct wk_buf plain; /* a packed file, unpacked; the file is closed then */
	struct wk_buf text;  /* UTF-16 as UTF-8, likewise */
	struct wk_os_stream rest;
};

/* Opens `path` ("-" is standard input; formats/archive/parts.h lists the folders that are read) and
 * chooses its reader. Adds the path to any error; wk_opened_fail does so for later errors. */
bool wk_reader_open(const char *path, const char *format, struct wk_opened *opened,
		    struct wk_err *err);

/* The same for a single reading of a single input: of a pipe only the start is read, if the reader
 * reads the rest by itself. */
bool wk_reader_open_once(const char *path, const char *format, struct wk_opened *opened,
			 struct wk_err *err);

/* Either, for callers that check themselves what the bytes are: a reader of text gets whatever they
 * are. */
bool wk_reader_open_unchecked(const char *path, const char *format, bool may_stream,
			      struct wk_opened *opened, struct wk_err *err);
void wk_reader_close(struct wk_opened *opened);
bool wk_opened_fail(const struct wk_opened *opened, struct wk_err *err);

/* Calls F(NAME) for each reader, wk_reader_NAME; of two that are equally certain of an input, the
 * first reads it. To add one, add a line. */
#define WK_READERS(F) \
	F(perf_data) \
	F(perf_script) \
	F(perf_sched) \
	F(perfparser) \
	F(folded) \
	F(aix) \
	F(austin) \
	F(bcc) \
	F(bpftrace) \
	F(callgrind) \
	F(elfutils) \
	F(faulthandler) \
	F(gdb) \
	F(gperftools) \
	F(heaptrack) \
	F(massif) \
	F(dhat) \
	F(jemalloc) \
	F(java_exceptions) \
	F(javacore) \
	F(jstack) \
	F(ljp) \
	F(pmcstat) \
	F(pyspy) \
	F(stap) \
	F(wcp) \
	F(xdebug) \
	F(cpuprofile) \
	F(dtrace) \
	F(etl) \
	F(nettrace) \
	F(ghcprof) \
	F(instruments) \
	F(sample) \
	F(vsprof) \
	F(vtune) \
	F(pprof) \
	F(wpa_csv) \
	F(wpa_profile) \
	F(xctrace) \
	F(chrome_trace) \
	F(speedscope) \
	F(xperf) \
	F(firefox) \
	F(go) \
	F(goroutine)

#define WK_DECLARE_READER(name) extern const struct wk_reader wk_reader_##name;
WK_READERS(WK_DECLARE_READER)

#endif
