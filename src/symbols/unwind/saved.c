#include "symbols/unwind/saved.h"

#include <string.h>

#include "base/bisect.h"
#include "symbols/cache/cache.h"

/* In front; entries, rows, places and rules follow. In the byte order of the machine that wrote
 * it. */
struct head {
	uint32_t magic, version;
	uint64_t base;
	uint32_t entry_count, row_count, rules_count, rules_len;
};

#define MAGIC   0x6e756b77 /* "wkun" */
#define VERSION 1

/* Rules as they are written; as many rules of registers follow as `count` says. */
struct saved_rules {
	uint8_t cfa_kind, cfa_register, return_address, count;
	uint8_t is_signal, is_root, unused[2];
	int32_t cfa_value;
};

struct saved_rule {
	uint8_t reg, kind, unused[2];
	int32_t value;
};

static void add_rules(struct wk_buf *out, const struct wk_rules *rules)
{
	struct saved_rules saved = {
		.cfa_kind = rules->cfa_kind,
		.cfa_register = rules->cfa_register,
		.return_address = rules->return_address,
		.count = rules->count,
		.is_signal = rules->is_signal,
		.is_root = rules->is_root,
		.cfa_value = rules->cfa_value,
	};

	wk_buf_add(out, &saved, sizeof(saved));
	for (uint8_t i = 0; i < rules->count; i++) {
		struct saved_rule rule = {
			.reg = rules->saved[i].reg,
			.kind = rules->saved[i].kind,
			.value = rules->saved[i].value,
		};

		wk_buf_add(out, &rule, sizeof(rule));
	}
}

void wk_unwind_saved_write(const struct wk_unwind_saving *saving, struct wk_buf *out)
{
	size_t begin = out->len, rules;
	uint32_t at = 0;
	struct head head = {
		.magic = MAGIC, .version = VERSION, .base = saving->base,
		.entry_count = saving->entry_count, .row_count = saving->row_count,
		.rules_count = saving->rules_count,
	};

	wk_buf_extend(out, sizeof(head));
	wk_buf_add(out, saving->entries, saving->entry_count * sizeof(*saving->entries));
	wk_buf_add(out, saving->rows, saving->row_count * sizeof(*saving->rows));
	for (uint32_t i = 0; i < saving->rules_count; i++) {
		wk_buf_add(out, &at, sizeof(at));
		at += (uint32_t)(sizeof(struct saved_rules) +
				 saving->rules[i]->count * sizeof(struct saved_rule));
	}
	rules = out->len;
	for (uint32_t i = 0; i < saving->rules_count; i++)
		add_rules(out, saving->rules[i]);
	head.rules_len = (uint32_t)(out->len - rules);
	memcpy(out->at + begin, &head, sizeof(head));
}

bool wk_unwind_saved_open(struct wk_unwind_saved *saved, struct wk_bytes bytes, struct wk_err *err)
{
	const struct head *head = (const struct head *)(const void *)bytes.at;
	uint64_t left = wk_bytes_left(&bytes), need = sizeof(*head);

	*saved = (struct wk_unwind_saved){ 0 };
	if (!wk_cache_check_head(bytes, sizeof(*head), MAGIC, VERSION, "unwind table", err))
		return false;
	need += (uint64_t)head->entry_count * sizeof(*saved->entries) +
		(uint64_t)head->row_count * sizeof(*saved->rows) +
		(uint64_t)head->rules_count * sizeof(*saved->places) + head->rules_len;
	if (left < need)
		return wk_fail(err, WK_ECORRUPT, 16,
			       "a saved unwind table claims %llu bytes and has "
			       "%zu",
			       (unsigned long long)need, (size_t)left);
	saved->base = head->base;
	saved->entries = (const struct wk_unwind_saved_entry *)(head + 1);
	saved->rows = (const struct wk_unwind_saved_row *)(saved->entries + head->entry_count);
	saved->places = (const uint32_t *)(saved->rows + head->row_count);
	saved->rules = (const uint8_t *)(saved->places + head->rules_count);
	saved->entry_count = head->entry_count;
	saved->row_count = head->row_count;
	saved->rules_count = head->rules_count;
	saved->rules_len = head->rules_len;
	return true;
}

const struct wk_unwind_saved_entry *wk_unwind_saved_find(const struct wk_unwind_saved *saved,
							 uint64_t vaddr)
{
	uint64_t start = vaddr - saved->base;
	uint32_t low = 0, high = saved->entry_count;

	if (vaddr < saved->base)
		return NULL;
	WK_BISECT(low, high, saved->entries[middle].start <= start);
	if (low == 0 || start - saved->entries[low - 1].start >= saved->entries[low - 1].size_bytes)
		return NULL;
	return &saved->entries[low - 1];
}

const struct wk_unwind_saved_row *wk_unwind_saved_rows(const struct wk_unwind_saved *saved,
						       const struct wk_unwind_saved_entry *entry,
						       uint32_t *count)
{
	uint32_t first = entry->first_row < saved->row_count ? entry->first_row : saved->row_count;

	*count = saved->row_count - first;
	if (*count > entry->row_count)
		*count = entry->row_count;
	return saved->rows + first;
}

static bool is_expression(uint8_t kind)
{
	return kind == WK_RULE_AT_EXPRESSION || kind == WK_RULE_VALUE_EXPRESSION;
}

static bool leads_into(int32_t value, const struct wk_bytes *section)
{
	return value >= 0 && section && value < section->end - section->start;
}

static bool makes_sense(const struct saved_rule *rule, const struct wk_bytes *section)
{
	if (rule->reg >= WK_REGISTERS || rule->kind > WK_RULE_VALUE_EXPRESSION)
		return false;
	if (rule->kind == WK_RULE_REGISTER)
		return rule->value >= 0 && rule->value < WK_REGISTERS;
	return !is_expression(rule->kind) || leads_into(rule->value, section);
}

static bool read_head(const struct saved_rules *saved, const struct wk_bytes *section,
		      struct wk_rules *rules)
{
	if (saved->cfa_kind > WK_CFA_SIGNAL || saved->cfa_register >= WK_REGISTERS ||
	    saved->return_address >= WK_REGISTERS || saved->count > WK_REGISTERS ||
	    (saved->cfa_kind == WK_CFA_EXPRESSION && !leads_into(saved->cfa_value, section)))
		return false;
	rules->cfa_kind = saved->cfa_kind;
	rules->cfa_register = saved->cfa_register;
	rules->return_address = saved->return_address;
	rules->cfa_value = saved->cfa_value;
	rules->is_signal = saved->is_signal != 0;
	rules->is_root = saved->is_root != 0;
	rules->is_plain = saved->cfa_kind == WK_CFA_REGISTER;
	return true;
}

bool wk_unwind_saved_rules(const struct wk_unwind_saved *saved, uint32_t number,
			   const struct wk_bytes *section, union wk_unwind_wide *wide)
{
	struct wk_rules *rules = &wide->rules;
	struct saved_rules head;
	struct saved_rule rule;
	struct wk_bytes b;

	memset(wide, 0, sizeof(*wide));
	if (number >= saved->rules_count)
		return false;
	b = wk_bytes_of(saved->rules, saved->rules_len);
	wk_bytes_skip(&b, saved->places[number]);
	if (!wk_bytes_need(&b, sizeof(head)))
		return false;
	memcpy(&head, b.at, sizeof(head));
	wk_bytes_skip(&b, sizeof(head));
	if (!read_head(&head, section, rules) || !wk_bytes_need(&b, head.count * sizeof(rule)))
		return false;
	for (; rules->count < head.count; rules->count++) {
		memcpy(&rule, b.at + rules->count * sizeof(rule), sizeof(rule));
		if (!makes_sense(&rule, section))
			return false;
		rules->is_plain = rules->is_plain && rule.kind == WK_RULE_AT;
		rules->saved[rules->count].reg = rule.reg;
		rules->saved[rules->count].kind = rule.kind;
		rules->saved[rules->count].value = rule.value;
	}
	if (!rules->is_plain)
		rules->section = section;
	return true;
}
