#include "cli/export/export_perf_script.h"

#include "cli/export/export.h"
#include "cli/messages.h"
#include "session/perf_script.h"

#define AT(field) offsetof(struct wk_perf_script_args, field)

static const struct wk_opt options[] = {
	{ 'F', "fields", "FIELDS", "print these columns, as `perf script -F` does: "
	  "\"comm,tid,ip\", \"sw:comm,tid\" for one type of events, \"+srcline\" or \"-cpu\" for "
	  "changes",
	  WK_OPT_LIST, AT(fields), NULL },
	{ 0, "ns", NULL, "print times to the nanosecond", WK_OPT_FLAG, AT(nanoseconds), NULL },
	{ 0, "reltime", NULL, "print times since the first line", WK_OPT_FLAG, AT(since_first),
	  NULL },
	{ 0, "deltatime", NULL, "print times since the line before", WK_OPT_FLAG, AT(since_last),
	  NULL },
	{ 'G', "hide-call-graph", NULL, "print the place of a sample in its line, without callers",
	  WK_OPT_FLAG, AT(hides_chains), NULL },
	{ 0, "max-stack", "N", "at most N frames; unwound user frames count separately "
	  "[127]", WK_OPT_NUMBER, AT(most_frames), NULL },
	{ 0, "no-demangle", NULL, "do not demangle names", WK_OPT_FLAG, AT(no_demangle), NULL },
	{ 0, "pid", "LIST", "only samples of these processes (\"12,40\")", WK_OPT_TEXT, AT(pids),
	  NULL },
	{ 0, "tid", "LIST", "only samples of these threads", WK_OPT_TEXT, AT(tids), NULL },
	{ 'c', "comms", "LIST", "only samples of threads of these names", WK_OPT_TEXT, AT(comms),
	  NULL },
	{ 'C', "cpu", "LIST", "only samples on these CPUs (\"0-3,7\")", WK_OPT_TEXT, AT(cpus),
	  NULL },
	{ 'S', "symbols", "LIST", "only samples in these functions, by name or by address",
	  WK_OPT_TEXT, AT(functions), NULL },
	{ 0, "addr-range", "N", "an address in --symbols means N bytes", WK_OPT_NUMBER,
	  AT(range_bytes), NULL },
	{ 0, "dsos", "LIST", "only samples in these files, by path or name", WK_OPT_TEXT,
	  AT(images), NULL },
	{ 0, "show-task-events", NULL, "print a line when a process or thread starts, is "
	  "named or ends", WK_OPT_FLAG, AT(tasks), NULL },
	{ 0, "show-mmap-events", NULL, "print a line for each mapped file", WK_OPT_FLAG,
	  AT(mappings), NULL },
	{ 0, "show-switch-events", NULL, "print a line when a thread gets a CPU or leaves it", WK_OPT_FLAG, AT(switches), NULL },
	{ 0, "show-namespace-events", NULL, "print a line for each set of namespaces", WK_OPT_FLAG,
	  AT(namespaces), NULL },
	{ 0, "show-cgroup-events", NULL, "print a line for each new cgroup", WK_OPT_FLAG,
	  AT(cgroups), NULL },
	{ 0, "show-lost-events", NULL, "print a line for each loss of records", WK_OPT_FLAG,
	  AT(lost), NULL },
	{ 0, "show-bpf-events", NULL, "print a line when a BPF program or a kernel symbol comes "
	  "or goes", WK_OPT_FLAG, AT(programs), NULL },
	{ 0, "show-round-events", NULL, "print records in file order, and a line at the end of "
	  "each round", WK_OPT_FLAG, AT(rounds), NULL },
	{ 0 },
};

const struct wk_opt_group wk_perf_script_group = { "Only with --to perf-script", options };

static bool check(const struct wk_perf_script_args *args, struct wk_err *err)
{
	const char *lists[] = { args->pids, args->tids, args->cpus };

	if (args->since_first && args->since_last)
		return wk_fail(err, WK_EUSAGE, WK_NOWHERE,
			       "--reltime and --deltatime exclude each other");
	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
		if (lists[i] && !wk_perf_script_is_list(lists[i]))
			return wk_fail(err, WK_EUSAGE, WK_NOWHERE,
				       "\"%s\" is not a list of numbers like 3,5-7", lists[i]);
	return true;
}

static bool fill_options(const struct wk_export_job *job, struct wk_perf_script_options *out,
			 struct wk_err *err)
{
	const struct wk_perf_script_args *args = job->perf_script;

	*out = (struct wk_perf_script_options){
		.nanoseconds = args->nanoseconds,
		.since_first = args->since_first,
		.since_last = args->since_last,
		.hides_chains = args->hides_chains,
		.functions = args->functions,
		.images = args->images,
		.range_bytes = args->range_bytes,
		.no_inlined = job->load->no_inlined,
		.no_demangle = args->no_demangle,
		.pids = args->pids,
		.tids = args->tids,
		.comms = args->comms,
		.cpus = args->cpus,
		.shows_tasks = args->tasks,
		.shows_mappings = args->mappings,
		.shows_switches = args->switches,
		.shows_namespaces = args->namespaces,
		.shows_cgroups = args->cgroups,
		.shows_lost = args->lost,
		.shows_programs = args->programs,
		.shows_rounds = args->rounds,
		.most_frames = args->most_frames < UINT32_MAX ? (uint32_t)args->most_frames : 0,
	};
	wk_perf_fields_init(&out->fields);
	for (size_t i = 0; i < args->fields.count; i++)
		if (!wk_perf_fields_add(&out->fields, args->fields.at[i], err))
			return false;
	if (wk_perf_script_is_narrowed(job->filter) && args->rounds)
		return wk_fail(err, WK_EUSAGE, WK_NOWHERE,
			       "filters need samples in order of time; --show-round-events prints "
			       "them in the order of the file");
	return check(args, err);
}

bool wk_export_perf_script(const struct wk_export_job *job, struct wk_out *out, struct wk_err *err)
{
	struct wk_perf_script_options script_options;

	return fill_options(job, &script_options, err) &&
	       wk_perf_script_export(
		       &(struct wk_perf_script_export){ .paths = job->paths,
							.load = job->load,
							.filter = job->filter,
							.script = &script_options,
							.messages = &wk_cli_messages },
		       out, err);
}
