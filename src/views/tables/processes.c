/* The flat table of processes. */
#include "views/tables/internal.h"

#include <stdlib.h>

#include "base/mem.h"

/* ---- cells shared with the process tree */

/* Statuses of the system are known by their hexadecimal form: 0xc0000005. Exit codes that a program
 * chooses are small numbers of either sign. */
static bool is_status(uint32_t code)
{
	return code >= 0x40000000 && code < 0xffff0000;
}

void wk_tables_exit(struct wk_table *table, unsigned how, const struct wk_model *model,
		    const struct wk_process *process)
{
	struct wk_buf hex = { 0 };

	if (table->row_count && process->has_exit_code)
		wk_table_signed(table, process->exit_code);
	else
		wk_column_number_if(table, WK_CELL_NUMBER, "exit_code", "exit", how, false, 0);
	if (process->has_exit_code && model->traits->has_status_codes &&
	    is_status((uint32_t)process->exit_code)) {
		wk_buf_add_fmt(&hex, "0x%08x", (unsigned)process->exit_code);
		wk_table_brief(table, wk_table_keep(table, wk_buf_str(&hex)));
	}
	wk_buf_fini(&hex);
}

void wk_tables_pid(struct wk_table *table, const char *key, const char *title, unsigned how,
		   const struct wk_process *process)
{
	bool is_known = process && process->pid != WK_UNKNOWN_PID;

	wk_column_number_if(table, WK_CELL_NUMBER, key, title, how, is_known,
			    is_known ? process->pid : 0);
}

void wk_tables_name(struct wk_table *table, const char *key, const char *title,
		    const struct wk_model *model, wk_text_id name)
{
	struct wk_str text = wk_model_str(model, name);

	wk_column_text(table, key, title, 0, text.len ? text : wk_str_c("(unknown)"));
}

void wk_tables_parent(struct wk_table *table, unsigned how, const struct wk_model *model,
		      const struct wk_process *process)
{
	uint32_t pid =
		process->parent ? model->processes[process->parent].pid : process->parent_pid;

	wk_column_number_if(table, WK_CELL_NUMBER, "parent_pid", "parent", how,
			    process->parent || process->parent_pid, pid);
}

/* The last number distinguishes those of one machine: "S-1-5-21-..-1001". */
static void add_brief_user(struct wk_buf *text, struct wk_str user)
{
	size_t last = user.len;

	while (last > 0 && user.at[last - 1] != '-')
		last--;
	wk_buf_add_fmt(text, "S-1-5-21-..-%.*s", (int)(user.len - last), user.at + last);
}

void wk_tables_user(struct wk_table *table, unsigned user_how, unsigned session_how,
		    const struct wk_model *model, const struct wk_process *process)
{
	struct wk_str user = wk_model_str(model, process->user);
	struct wk_buf brief = { 0 };

	wk_column_text(table, "user", "user", user_how, user);
	if (wk_str_starts(user, "S-1-5-21-")) {
		add_brief_user(&brief, user);
		wk_table_brief(table, wk_table_keep(table, wk_buf_str(&brief)));
	}
	wk_column_number_if(table, WK_CELL_NUMBER, "session", "session", session_how,
			    process->has_session, process->session);
	wk_buf_fini(&brief);
}

/* ---- the table */

static uint32_t *count_threads(const struct wk_model *model)
{
	uint32_t *threads = wk_alloc_zeroed(model->process_count, sizeof(*threads));

	for (uint32_t i = 1; i < model->thread_count; i++)
		threads[model->threads[i].process]++;
	return threads;
}

static void add_trait(struct wk_buf *text, bool is_so, const char *word)
{
	if (is_so)
		wk_buf_add_fmt(text, "%s%s", text->len ? ", " : "", word);
}

/* Whose a process is, and what runs in it. */
static void account(struct wk_table *table, const struct wk_model *model,
		    const struct wk_process *process)
{
	struct wk_buf traits = { 0 };

	add_trait(&traits, process->traits & WK_PROCESS_IS_32BIT, "32-bit");
	add_trait(&traits, process->traits & WK_PROCESS_IS_PROTECTED, "protected");
	add_trait(&traits, process->traits & WK_PROCESS_IS_PACKAGED, "packaged");
	wk_tables_user(table, 6, 7, model, process);
	wk_column_text(table, "traits", "traits", WK_DETAIL,
		       wk_table_keep(table, wk_buf_str(&traits)));
	wk_column_text(table, "package", "package", WK_DETAIL,
		       wk_model_str(model, process->package));
	wk_column_text(table, "services", "services", WK_DETAIL,
		       wk_model_str(model, process->services));
	wk_buf_fini(&traits);
}

static bool has_use(const struct wk_model *model)
{
	for (wk_process_id i = 1; i < model->process_count; i++)
		if (model->processes[i].use.is_known)
			return true;
	return false;
}

static void use(struct wk_table *table, const struct wk_process_use *use)
{
	wk_column_number_if(table, WK_CELL_BYTES, "peak_working_set_bytes", "peak memory", 8,
			    use->is_known, use->peak_working_set_bytes);
	wk_column_number_if(table, WK_CELL_BYTES, "peak_commit_bytes", "peak commit", 9,
			    use->is_known, use->peak_commit_bytes);
	wk_column_number_if(table, WK_CELL_BYTES, "commit_bytes", "commit", WK_DETAIL,
			    use->is_known, use->commit_bytes);
	wk_column_number_if(table, WK_CELL_COUNT, "page_faults", "faults", WK_DETAIL, use->is_known,
			    use->page_faults);
	wk_column_number_if(table, WK_CELL_COUNT, "handles", "handles", WK_DETAIL, use->is_known,
			    use->handles);
}

struct processes {
	struct wk_table *table;
	const struct wk_model *model;
	const struct wk_filter *filter;
	struct wk_tally tally;
	uint32_t *threads; /* of each */
	bool has_use;
};

static void process_row(const struct processes *p, wk_process_id id)
{
	const struct wk_model *model = p->model;
	const struct wk_process *process = &model->processes[id];
	struct wk_table *table = p->table;

	wk_tables_tally(table, model, p->filter, &p->tally, id);
	wk_tables_hide_samples(table, model);
	wk_tables_pid(table, "pid", "pid", 0, process);
	wk_tables_parent(table, 3, model, process);
	wk_column_number(table, WK_CELL_COUNT, "threads", "threads", WK_DETAIL, p->threads[id]);
	wk_tables_start(table, 0, model, process->start_ns);
	wk_tables_moment(table, "end_ns", "end", 2, model, process->end_ns);
	wk_tables_exit(table, 5, model, process);
	if (p->has_use)
		use(table, &process->use);
	if (model->traits->has_accounts)
		account(table, model, process);
	wk_tables_name(table, "name", "name", model, process->name);
	wk_column_text(table, "command_line", "command line", 0,
		       wk_model_str(model, process->command_line));
}

void wk_tables_fill_processes(struct wk_table *table, const struct wk_model *model,
			      const struct wk_filter *filter,
			      const struct wk_table_options *options)
{
	struct processes p = { .table = table, .model = model, .filter = filter,
			       .tally = wk_tables_tally_by(model, filter, true),
			       .threads = count_threads(model), .has_use = has_use(model) };
	uint32_t count, shown;
	struct wk_ranked *ranked =
		wk_tables_rank_rows(&p.tally, model->process_count, filter->is_narrowed, &count);

	table->has_one_scale = model->traits->is_system_wide;
	process_row(&p, 0);
	shown = wk_tables_limit_rows(table, options, ranked, count, p.tally.whole, "process is",
				     "processes are");
	for (uint32_t i = 0; i < shown; i++) {
		wk_table_row(table);
		process_row(&p, ranked[i].id);
	}
	wk_tables_note_without_samples(table, "process", "processes",
				       model->process_count - 1 - count);
	WK_FREE_ALL(ranked, p.threads);
	wk_tables_end_tally(&p.tally);
}
