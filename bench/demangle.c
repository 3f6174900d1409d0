/* demangle rust|hash|cxx|msvc|msvc-short FILE.tsv: how many of the file's names come out as it
 * expects, and the time that took. demangle hostile: the slowest of the names made to be slow. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/mem.h"
#include "names/demangle/demangle.h"
#include "os/os.h"

static double cpu_ms(void)
{
	return (double)clock() * 1000 / CLOCKS_PER_SEC;
}

static bool demangle(const char *kind, struct wk_str name, struct wk_buf *out)
{
	wk_buf_reset(out);
	if (strcmp(kind, "cxx") == 0)
		return wk_demangle_cxx(name, out);
	if (strncmp(kind, "msvc", 4) == 0)
		return wk_demangle_msvc(name, strcmp(kind, "msvc-short") == 0, out);
	return wk_demangle_rust(name, strcmp(kind, "hash") == 0, out);
}

/* As the vectors' README says: "> >" and ">>" are the same. */
static void close_brackets(struct wk_buf *text)
{
	size_t kept = 0;

	for (size_t i = 0; i < text->len; i++)
		if (text->at[i] != ' ' || i == 0 || i + 1 == text->len || text->at[i - 1] != '>' ||
		    text->at[i + 1] != '>')
			text->at[kept++] = text->at[i];
	text->len = kept;
}

static int compare_file(const char *kind, const char *path)
{
	struct wk_buf out = { 0 }, expected = { 0 };
	struct wk_os_file file;
	struct wk_err err = { 0 };
	struct wk_str rest;
	unsigned rows = 0, equal = 0;
	double began, spent = 0;

	if (!wk_os_open(path, &file, &err)) {
		fprintf(stderr, "%s\n", err.text);
		return 1;
	}
	for (rest = wk_str_of((const char *)file.at, file.size_bytes); rest.len;) {
		const char *end = memchr(rest.at, '\n', rest.len);
		struct wk_str line = { rest.at, end ? (size_t)(end - rest.at) : rest.len };
		const char *tab = memchr(line.at, '\t', line.len);

		rest = wk_str_skip(rest, line.len + 1);
		if (!tab)
			continue;
		rows++;
		began = cpu_ms();
		if (!demangle(kind, wk_str_of(line.at, (size_t)(tab - line.at)), &out))
			wk_buf_add(&out, line.at, (size_t)(tab - line.at));
		spent += cpu_ms() - began;
		wk_buf_reset(&expected);
		wk_buf_add_str(&expected, wk_str_skip(line, (size_t)(tab - line.at) + 1));
		if (strcmp(kind, "cxx") == 0) {
			close_brackets(&out);
			close_brackets(&expected);
		}
		if (wk_str_eq(wk_buf_str(&out), wk_buf_str(&expected)))
			equal++;
		else
			printf("  differs: %.*s\n    expected %s\n    came     %s\n",
			       (int)(tab - line.at), line.at, wk_buf_text(&expected),
			       wk_buf_text(&out));
	}
	printf("%u of %u equal, %.1f ms CPU\n", equal, rows, spent);
	wk_buf_fini(&out);
	wk_buf_fini(&expected);
	wk_os_close(&file);
	return equal == rows ? 0 : 1;
}

/* A lead, a unit that is repeated, and a tail. */
static const char *const hostile[][3] = {
	{ "_RIC7bindersFGFF_EuE", "", "" },
	{ "_Z1fIXsrU1aE", "", "" },
	{ "_ZN1aIXsrU3fooE1bEE", "", "" },
	{ "_RMC0TTTTTTTTTTTTTTTTTTTTTTTTTTpBr_EBq_EBp_EBo_EBn_EBm_EBl_EBk_EBj_EBi_EBh_EBg_EBf_"
	  "EBe_EBd_EBc_EBb_EBa_EB9_EB8_EB7_EB6_EB5_EB4_EB3_E", "", "" },
	{ "_RNvB_3run", "", "" }, { "_RMC0TB1_B1_E", "", "" },
	{ "_RIC4wickFGZZZZZZZZZZ_EuE", "", "" },
	{ "_RMC0", "R", "h" }, { "_RMC0", "T", "h" }, { "_RMC0", "FEF", "u" },
	{ "_RMC0", "DINtC1a1bFE", "" }, { "_R", "Nv", "C1a1b" }, { "_R", "I", "C1aE" },
	{ "_R", "YY", "" }, { "_RIC0K", "R", "h" }, { "_RIC0KVC0T", "VC0T", "" },
	{ "_RMC0", "RB1_", "" }, { "_ZN", "1a", "17h0123456789abcdefE" },
	{ "_ZN", "4$LT$", "17h0123456789abcdefE" },
	{ "_Z1f", "P", "i" }, { "_Z1f", "PK", "i" }, { "_Z1fI", "J", "" }, { "_Z1fIX", "pl", "" },
	{ "_ZN", "1aI", "" }, { "_Z1f", "FvF", "" }, { "_Z1f", "M1a", "i" }, { "_Z", "GR", "1f" },
	{ "_Z1fIXil", "tr", "EEEvv" }, { "_Z1fIJ", "Lb1E", "EEvv" }, { "_Z", "W1a", "1fv" },
	{ "_Z", "9", "a" }, { "_Z1fS", "Z", "_" }, { "_ZN1AcvF", "T_", "EI1BEEv" },
	{ "_Z1fIJEEvDpFDpT_DpFDpT_", "i", "EE" },
	{ "_Z1f", "PPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPi", "" },
	{ "_Z1fI1aE", "S0_IS1_E", "v" }, { "_Z1f", "A1_A1_A1_A1_A1_A1_A1_A1_A1_i", "" },
	{ "?f@@YAXPAHP6AX00000000000000000000@ZP6AX11111111111111111111@ZP6AX22222222222222222222"
	  "@ZP6AX33333333333333333333@ZP6AX44444444444444444444@ZP6AX55555555555555555555@ZP6AX"
	  "66666666666666666666@ZP6AX77777777777777777777@ZP6AX88888888888888888888@Z@Z", "", "" },
	{ "?", "a@", "@3HA" }, { "?aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa@", "0", "@3HA" },
	{ "?f@@YAX", "H", "@Z" }, { "?f@@YAX", "PA", "H@Z" }, { "?f@@YAX", "P6A", "" },
	{ "?f@@YAX", "P6AXXZ", "@Z" }, { "?f@@YAXPAHP6AX00000000@Z", "1", "@Z" },
	{ "?f@@YAX", "V?$a@", "" }, { "?f@@YAX", "V?$a@H@@", "@Z" }, { "?f@?$a@", "$00", "@@YAXXZ" },
	{ "?f@@YAX", "V?$a@V?$b@V?$c@V?$d@H@@@@@@", "@Z" }, { "?", "?$", "" }, { "?", "?__E", "" },
	{ "?f@", "?$a@V?$b@V?$c@V?$d@H@@@@@@", "@YAXXZ" }, { "?f@?$a@", "$1?x@@3HA", "@@YAXXZ" },
	{ "?x@", "?1??f@@YAXXZ@", "4HA" }, { "?x@", "?1??f@", "" }, { "?x@", "?B", "@4HA" },
	{ "?x@", "?BBBBBB", "@4HA" }, { "?f@?$a@", "$M", "" }, { "?f@@YAXPAYP@", "0", "H@Z" },
	{ "??_7a@@6B", "b@@", "@" }, { "??_C@_1BAAAA@A@", "?$BA", "@" },
	{ "?f@?$a@", "C", "@@YAXXZ" }, { "??$a@", "H", "@@YAXXZ" }, { "?f@?$a@PA", "H", "@4HA" },
};

/* The demanglers look at no longer names than 64 KiB and 256 KiB. */
static const size_t lengths[] = { 2000, 65000, 100000 };

static void make_hostile(const char *const parts[3], size_t length, struct wk_buf *name)
{
	wk_buf_reset(name);
	wk_buf_add_text(name, parts[0]);
	while (parts[1][0] && name->len < length)
		wk_buf_add_text(name, parts[1]);
	wk_buf_add_text(name, parts[2]);
}

/* The least of a few times. */
static double time_one(struct wk_str name)
{
	struct wk_buf out = { 0 };
	double least = 0;

	for (int i = 0; i < 3; i++) {
		double began = cpu_ms(), spent;

		wk_buf_reset(&out);
		wk_demangle(name, &out);
		spent = cpu_ms() - began;
		least = i == 0 || spent < least ? spent : least;
	}
	wk_buf_fini(&out);
	return least;
}

/* Of the names that begin so. */
static double time_hostile(const char *kind, const char *begin)
{
	struct wk_buf name = { 0 };
	size_t count = sizeof(hostile) / sizeof(hostile[0]), named = 0;
	const char *const *slowest_name = hostile[0];
	double slowest = 0;

	for (size_t i = 0; i < count; i++) {
		if (strncmp(hostile[i][0], begin, strlen(begin)) != 0)
			continue;
		named++;
		for (size_t k = 0; k < sizeof(lengths) / sizeof(lengths[0]); k++) {
			double spent;

			make_hostile(hostile[i], lengths[k], &name);
			spent = time_one(wk_buf_str(&name));
			if (spent > slowest) {
				slowest = spent;
				slowest_name = hostile[i];
			}
		}
	}
	printf("%s: %zu names of up to 100,000 bytes, the slowest (%.30s, %.30s ...) answered in "
	       "%.2f ms CPU\n",
	       kind, named, slowest_name[0], slowest_name[1], slowest);
	wk_buf_fini(&name);
	return slowest;
}

static int time_all(void)
{
	double rust = time_hostile("hostile, Rust", "_R");
	double cxx = time_hostile("hostile, Itanium", "_Z");
	double msvc = time_hostile("hostile, MSVC", "?");

	return rust > 10 || cxx > 10 || msvc > 10;
}

int main(int argc, char **argv)
{
	if (argc == 2 && strcmp(argv[1], "hostile") == 0)
		return time_all();
	if (argc == 3)
		return compare_file(argv[1], argv[2]);
	fputs("usage: demangle rust|hash|cxx|msvc|msvc-short FILE.tsv, or demangle hostile\n",
	      stderr);
	return 2;
}
