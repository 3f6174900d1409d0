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

void wk_tables_exit_cell(struct wk_table *table, const struct wk_model *model,
			 const struct wk_process *process)
{
	struct wk_buf hex = { 0 };

	if (!process->has_exit_code) {
		wk_table_none(table);
		return;
	}
	wk_table_signed(table, process->exit_code);
	if (model->traits->has_status_codes && is_status((uint32_t)process->exit_code)) {
		wk_buf_add_fmt(&hex, "0x%08x", (unsigned)process->exit_code);
		wk_table_brief(table, wk_table_keep(table, wk_buf_str(&hex)));
	}
	wk_buf_fini(&hex);
}

void wk_tables_pid_cell(struct wk_table *table, const struct wk_process *process)
{
	if (process->pid == WK_UNKNOWN_PID)
		wk_table_none(table);
	else
		wk_table_number(table, process->pid);
}

void wk_tables_parent_cell(struct wk_table *table, const struct wk_model *model,
			   const struct wk_process *process)
{
	if (process->parent)
		wk_table_number(table, model->processes[process->parent].pid);
	else if (process->parent_pid)
		wk_table_number(table, process->parent_pid);
	else
		wk_table_none(table);
}

/* The last number distinguishes those of one machine: "S-1-5-21-..-1001". */
static void add_brief_user(struct wk_buf *text, struct wk_str user)
{
	size_t last = user.len;

	while (last > 0 && user.at[last - 1] != '-')
		last--;
	wk_buf_add_fmt(text, "S-1-5-21-..-%.*s", (int)(user.len - last), user.at + last);
}

void wk_tables_user_cell(struct wk_table *table, const struct wk_model *model,
			 const struct wk_process *process)
{
	struct wk_str user = wk_model_str(model, process->user);
	struct wk_buf brief = { 0 };

	wk_table_text(table, user);
	if (wk_str_starts(user, "S-1-5-21-")) {
		add_brief_user(&brief, user);
		wk_table_brief(table, wk_table_keep(table, wk_buf_str(&brief)));
	}
	wk_buf_fini(&brief);
}

void wk_tables_session_cell(struct wk_table *table, const struct wk_process *process)
{
	if (process->has_session)
		wk_table_number(table, process->session);
	else
		wk_table_none(table);
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

static void traits_cell(struct wk_table *table, uint32_t traits)
{
	struct wk_buf text = { 0 };

	add_trait(&text, traits & WK_PROCESS_IS_32BIT, "32-bit");
	add_trait(&text, traits & WK_PROCESS_IS_PROTECTED, "protected");
	add_trait(&text, traits & WK_PROCESS_IS_PACKAGED, "packaged");
	wk_table_text(table, wk_table_keep(table, wk_buf_str(&text)));
	wk_buf_fini(&text);
}

/* Whose a process is, and what runs in it. */
static void account_columns(struct wk_table *table)
{
	wk_table_column(table, WK_CELL_TEXT, "user", "user");
	wk_table_spare(table, 6);
	wk_table_column(table, WK_CELL_NUMBER, "session", "session");
	wk_table_spare(table, 7);
	wk_table_detail_column(table, WK_CELL_TEXT, "traits", "traits");
	wk_table_detail_column(table, WK_CELL_TEXT, "package", "package");
	wk_table_detail_column(table, WK_CELL_TEXT, "services", "services");
}

static void account_cells(struct wk_table *table, const struct wk_model *model,
			  const struct wk_process *process)
{
	wk_tables_user_cell(table, model, process);
	wk_tables_session_cell(table, process);
	traits_cell(table, process->traits);
	wk_table_text(table, wk_model_str(model, process->package));
	wk_table_text(table, wk_model_str(model, process->services));
}

static bool has_use(const struct wk_model *model)
{
	for (wk_process_id i = 1; i < model->process_count; i++)
		if (model->processes[i].use.is_known)
			return true;
	return false;
}

static void use_columns(struct wk_table *table)
{
	wk_table_column(table, WK_CELL_BYTES, "peak_working_set_bytes", "peak memory");
	wk_table_spare(table, 8);
	wk_table_column(table, WK_CELL_BYTES, "peak_commit_bytes", "peak commit");
	wk_table_spare(table, 9);
	wk_table_detail_column(table, WK_CELL_BYTES, "commit_bytes", "commit");
	wk_table_detail_column(table, WK_CELL_COUNT, "page_faults", "faults");
	wk_table_detail_column(table, WK_CELL_COUNT, "handles", "handles");
}

static void use_cells(struct wk_table *table, const struct wk_process_use *use)
{
	for (int i = 0; !use->is_known && i < 5; i++)
		wk_table_none(table);
	if (!use->is_known)
		return;
	wk_table_number(table, use->peak_working_set_bytes);
	wk_table_number(table, use->peak_commit_bytes);
	wk_table_number(table, use->commit_bytes);
	wk_table_number(table, use->page_faults);
	wk_table_number(table, use->handles);
}

static void process_row(struct wk_table *table, const struct wk_model *model,
			const struct wk_tally *tally, wk_process_id id, uint32_t threads,
			bool with_use)
{
	const struct wk_process *process = &model->processes[id];

	wk_table_row(table);
	wk_tables_tally_cells(table, tally, id);
	wk_tables_pid_cell(table, process);
	wk_tables_parent_cell(table, model, process);
	wk_table_number(table, threads);
	wk_tables_time_cell(table, model, process->start_ns);
	wk_tables_time_cell(table, model, process->end_ns);
	wk_tables_exit_cell(table, model, process);
	if (with_use)
		use_cells(table, &process->use);
	if (model->traits->has_accounts)
		account_cells(table, model, process);
	wk_table_text(table, wk_tables_or_else(wk_model_str(model, process->name), "(unknown)"));
	wk_table_text(table, wk_model_str(model, process->command_line));
}

static void columns(struct wk_table *table, const struct wk_model *model,
		    const struct wk_filter *filter, const struct wk_tally *tally, bool with_use)
{
	wk_tables_tally_columns(table, model, filter, tally);
	wk_tables_hide_samples(table, model);
	wk_table_column(table, WK_CELL_NUMBER, "pid", "pid");
	wk_table_column(table, WK_CELL_NUMBER, "parent_pid", "parent");
	wk_table_spare(table, 3);
	wk_table_detail_column(table, WK_CELL_COUNT, "threads", "threads");
	wk_table_column(table, WK_CELL_MOMENT, "start_ns", "start");
	wk_table_column(table, WK_CELL_MOMENT, "end_ns", "end");
	wk_table_spare(table, 2);
	wk_table_column(table, WK_CELL_NUMBER, "exit_code", "exit");
	wk_table_spare(table, 5);
	if (with_use)
		use_columns(table);
	if (model->traits->has_accounts)
		account_columns(table);
	table->has_one_scale = model->traits->is_system_wide;
	wk_table_column(table, WK_CELL_TEXT, "name", "name");
	wk_table_column(table, WK_CELL_TEXT, "command_line", "command line");
}

void wk_tables_fill_processes(struct wk_table *table, const struct wk_model *model,
			      const struct wk_filter *filter,
			      const struct wk_table_options *options)
{
	struct wk_tally tally = wk_tables_tally_processes(model, filter);
	uint32_t *threads = count_threads(model), count, shown;
	struct wk_ranked *ranked;
	bool with_use = has_use(model);

	columns(table, model, filter, &tally, with_use);
	ranked = wk_tables_rank_rows(&tally, model->process_count, filter->is_narrowed, &count);
	shown = wk_tables_limit_rows(table, options, ranked, count, tally.whole, "process is",
				     "processes are");
	for (uint32_t i = 0; i < shown; i++)
		process_row(table, model, &tally, ranked[i].id, threads[ranked[i].id], with_use);
	wk_tables_note_without_samples(table, "process", "processes",
				       model->process_count - 1 - count);
	WK_FREE_ALL(ranked, threads);
	wk_tables_end_tally(&tally);
}
