/* Which samples a view is about.
 *
 * A view weighs by one source at a time, since nanoseconds and page faults do not add up.
 * wk_filter_init picks that source and marks each of its samples that passes every part of
 * the specification; all views of the same question share one filter. Patterns are POSIX
 * extended regular expressions that may match anywhere in a name. A part left NULL lets
 * everything pass. The model must be resolved before function patterns mean anything; the
 * other parts say the same before.
 * The filter keeps no pointers: it stays valid as long as the model's rows do not grow. */
#ifndef WK_VIEWS_FILTER_FILTER_H
#define WK_VIEWS_FILTER_FILTER_H

#include "base/buf.h"
#include "base/err.h"
#include "model/model.h"
#include "views/snapshots.h"

struct wk_preset_query; /* views/filter/expression.h */

struct wk_filter_spec {
	const char *process;    /* pids ("12" or "12,40"), else a pattern for process names */
	const char *thread;     /* tids, else a pattern for thread names */
	const char *image;      /* keeps stacks with a frame in an image whose path matches */
	const char *function;   /* keeps stacks with a function whose name matches */
	const char *source;     /* an event's name, or the end of one behind a slash; NULL: CPU time
				 * if sampled, else the first */
	const char *time;       /* "FROM-TO" since the first sample, or the start of a Windows
				 * trace; either end may be left out; with a % behind it an end
				 * is that part of the time to the last sample */
	const char *expression; /* views/filter/expression.h */
	const struct wk_preset_query *query; /* of a preset, or NULL */
	bool ignore_case;
	bool outstanding; /* weigh by what is still allocated at the end of the time in view; for
			   * sources with lifetimes only */
	struct wk_span_spec span;        /* weigh by what was there at snapshots; for sources with
					  * lifetimes only */
	struct wk_span_spec before_span; /* of a comparison's "before" side; if neither this nor
					  * `span` is asked for, both are as `outstanding` says */
	/* Instead of `source`, the sources of the sides of a comparison. */
	wk_source_id before_source, after_source;
};

enum wk_filter_part {
	WK_FILTER_PROCESS,
	WK_FILTER_THREAD,
	WK_FILTER_IMAGE,
	WK_FILTER_FUNCTION,
	WK_FILTER_TIME,
	WK_FILTER_QUERY,
	WK_FILTER_EXPRESSION,
	WK_FILTER_OUTSTANDING,
	WK_FILTER_PARTS
};

struct wk_filter {
	uint64_t *bits;      /* bit i: sample i is in view */
	uint64_t *passes;    /* the same, whatever its source and weight; NULL: all are */
	uint64_t *weights;   /* of the samples; NULL: as they were recorded */
	uint64_t *times;     /* how many blocks are left of those; NULL: as many as there were */
	struct wk_span span; /* with samples of a comparison, of its "after" side */
	struct wk_span before_span;
	uint8_t *threads; /* a byte per thread: it and its process are in view; NULL: all are */
	uint64_t from_ns, to_ns; /* of the recording's clock, both included: the time in view */
	uint64_t before_from_ns, before_to_ns; /* the same of a comparison's "before" side */
	wk_source_id source;                   /* 0 if nothing was sampled */
	wk_source_id before_source; /* of a comparison's "before" side; otherwise equal */
	const char *row_word;       /* for one of its samples: "sample", "wait" */
	uint64_t in_view;
	uint64_t total;        /* samples of the source */
	uint64_t elsewhere;    /* samples of other sources */
	bool is_narrowed;      /* some part of the specification was given */
	bool has_named_source; /* the specification names it */
	bool has_counts;       /* the input counts its records of each kind */
	bool is_of_stacks;     /* narrowed by properties that only samples have */
	bool is_given[WK_FILTER_PARTS];
	uint64_t kept[WK_FILTER_PARTS]; /* how many of the total each part alone lets pass */
};

bool wk_filter_init(struct wk_filter *filter, const struct wk_model *model,
		    const struct wk_filter_spec *spec, struct wk_err *err);
void wk_filter_fini(struct wk_filter *filter);

/* What an expression uses, which decides the views that can apply it. */
enum wk_filter_use {
	WK_FILTER_USES_THREADS = 1, /* processes and threads */
	WK_FILTER_USES_TIME = 2,    /* one interval of time */
	WK_FILTER_USES_SAMPLES = 4, /* properties that only samples have */
};

struct wk_filter_needs {
	unsigned uses; /* enum wk_filter_use, of the expression */
	bool samples;  /* single samples: sums by stack lose what it uses, */
	bool blocks;   /* and so do sums of blocks within the time of the specification */
};

/* The times of a specification since the beginning, both included, if they are known before the
 * model is. */
struct wk_filter_time {
	bool is_known;
	uint64_t from_ns, to_ns;
};
struct wk_filter_time wk_filter_time_of(const struct wk_filter_spec *spec);

/* Whether it leaves anything out. */
bool wk_filter_spec_narrows(const struct wk_filter_spec *spec);

/* Whether it keeps samples by the frames of their stacks. */
static inline bool wk_filter_spec_is_of_frames(const struct wk_filter_spec *spec)
{
	return spec->image || spec->function || spec->expression || spec->query;
}

/* Whether it is about snapshots. */
static inline bool wk_filter_spec_has_span(const struct wk_filter_spec *spec)
{
	return wk_span_is_asked(&spec->span) || wk_span_is_asked(&spec->before_span);
}

/* Before a model is read: false if the expression is wrong. */
bool wk_filter_check(const struct wk_filter_spec *spec, struct wk_filter_needs *needs,
		     struct wk_err *err);

/* The source of a view if none is named, or 0. */
wk_source_id wk_filter_default_source(const struct wk_model *model);

/* What is said of a recording without any, before what a view lacks. */
#define WK_NO_SAMPLES "no samples were recorded"

/* For an empty view: which part of the filter keeps how much, as a sentence. */
void wk_filter_explain(const struct wk_filter *filter, struct wk_buf *sentence);

static inline bool wk_filter_has(const struct wk_filter *filter, uint32_t sample)
{
	return filter->bits[sample / 64] >> (sample % 64) & 1;
}

/* Independent of its source: for views of several sources at once. */
static inline bool wk_filter_passes(const struct wk_filter *filter, uint32_t sample)
{
	return !filter->passes || (filter->passes[sample / 64] >> (sample % 64) & 1);
}

/* For intervals of threads, which are not samples: check the time as well. */
static inline bool wk_filter_has_thread(const struct wk_filter *filter, wk_thread_id thread)
{
	return !filter->threads || filter->threads[thread];
}

/* How many samples a row in view stands for. */
static inline uint64_t wk_filter_times(const struct wk_filter *filter, const struct wk_model *model,
				       uint32_t sample)
{
	return filter->times ? filter->times[sample] : wk_model_sample_times(model, sample);
}

/* The weight of a sample in view. */
static inline uint64_t wk_filter_weight(const struct wk_filter *filter,
					const struct wk_model *model, uint32_t sample)
{
	return filter->weights ? filter->weights[sample] : model->samples.weight[sample];
}

#endif
