/* Rust names. The rows here show one production of the grammar each; the fixture files, where
 * they are present, bring what compilers and other demanglers agree on. */
#include "demangled.h"

/* `full` is the form with hashes, where it differs. */
struct row {
	const char *mangled, *plain, *full;
};

static const char *plain(struct wk_str mangled, struct wk_buf *out)
{
	wk_buf_reset(out);
	return wk_demangle_rust(mangled, false, out) ? wk_buf_text(out) : NULL;
}

static const char *full(struct wk_str mangled, struct wk_buf *out)
{
	wk_buf_reset(out);
	return wk_demangle_rust(mangled, true, out) ? wk_buf_text(out) : NULL;
}

static void check_form(const char *mangled, demangler demangle, const char *expected)
{
	struct wk_buf out = { 0 };
	const char *got = demangle(wk_str_c(mangled), &out);

	if (!got)
		fail_msg("%s was refused, expected %s", mangled, expected);
	assert_string_equal(got, expected);
	wk_buf_fini(&out);
}

static void check_rows(const struct row *rows, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		check_form(rows[i].mangled, plain, rows[i].plain);
		check_form(rows[i].mangled, full, rows[i].full ? rows[i].full : rows[i].plain);
	}
}

#define CHECK_ROWS(rows) check_rows(rows, sizeof(rows) / sizeof((rows)[0]))

static void check_refused(struct wk_str mangled)
{
	struct wk_buf out = { 0 };

	if (plain(mangled, &out) || full(mangled, &out))
		fail_msg("%.*s was taken for %s", WK_STR_ARG(mangled), wk_buf_text(&out));
	wk_buf_fini(&out);
}

static void a_path_is_its_crate_and_its_names(void **state)
{
	static const struct row rows[] = {
		{ "_RNvC4wick3run", "wick::run", NULL },
		{ "_RNvNtCs1_4wick6record3run", "wick::record::run", "wick[3]::record::run" },
		{ "_RNvC4wick4_9to5", "wick::9to5", NULL },
		{ "_RNvC4wick10_0123456789", "wick::0123456789", NULL },
		{ "_RNvNgC4wick0_3run", "wick::run", NULL },
	};

	(void)state;
	CHECK_ROWS(rows);
}

static void closures_and_shims_show_their_kind_and_number(void **state)
{
	static const struct row rows[] = {
		{ "_RNCNvC4wick3run0", "wick::run::{closure#0}", NULL },
		{ "_RNCNvC4wick3runs3_0", "wick::run::{closure#5}", NULL },
		{ "_RNCNvC4wick3runs_5inner", "wick::run::{closure:inner#1}", NULL },
		{ "_RNSNvC4wick3run6vtable", "wick::run::{shim:vtable#0}", NULL },
		{ "_RNKNvC4wick3run0", "wick::run::{K#0}", NULL },
	};

	(void)state;
	CHECK_ROWS(rows);
}

static void an_impl_is_named_by_its_type_and_trait(void **state)
{
	static const struct row rows[] = {
		{ "_RNvMC4wickh3run", "<u8>::run", NULL },
		{ "_RNvMs2_NtC4wick4treeNtB5_4Node3run", "<wick::tree::Node>::run", NULL },
		{ "_RNvXC4wickNtB2_4NodeNtB2_4Walk3run", "<wick::Node as wick::Walk>::run", NULL },
		{ "_RNvYNtC4wick4NodeNtB4_4Walk3run", "<wick::Node as wick::Walk>::run", NULL },
	};

	(void)state;
	CHECK_ROWS(rows);
}

static void generic_arguments_are_types_lifetimes_and_constants(void **state)
{
	static const struct row rows[] = {
		{ "_RINvC4wick3runhtE", "wick::run::<u8, u16>", NULL },
		{ "_RINvC4wick3runINtB2_3VechEE", "wick::run::<wick::Vec<u8>>", NULL },
		{ "_RINvC4wick3runL_E", "wick::run::<'_>", NULL },
		{ "_RINvC4wick3runKh5_KBd_E", "wick::run::<5, 5>", "wick::run::<5u8, 5u8>" },
		{ "_RINvC4wick3runhEB2_", "wick::run::<u8>", NULL },
		{ "_RINvC4wick3runhENtC4user3lib", "wick::run::<u8>", NULL },
	};

	(void)state;
	CHECK_ROWS(rows);
}

static void every_kind_of_type_is_written_as_in_source(void **state)
{
	static const struct row rows[] = {
		{ "_RINvC4wick3runabcdefhijE",
		  "wick::run::<i8, bool, char, f64, str, f32, u8, isize, usize>", NULL },
		{ "_RINvC4wick3runlmnopstuvxyzE",
		  "wick::run::<i32, u32, i128, u128, _, i16, u16, (), ..., i64, u64, !>", NULL },
		{ "_RINvC4wick3runC3f16E", "wick::run::<f16>", NULL },
		{ "_RINvC4wick3runReQmRL_hE", "wick::run::<&str, &mut u32, &u8>", NULL },
		{ "_RINvC4wick3runPhOtE", "wick::run::<*const u8, *mut u16>", NULL },
		{ "_RINvC4wick3runAhj20_SlE", "wick::run::<[u8; 32], [i32]>",
		  "wick::run::<[u8; 32usize], [i32]>" },
		{ "_RINvC4wick3runThETEThtEE", "wick::run::<(u8,), (), (u8, u16)>", NULL },
		{ "_RINvC4wick3runWmRm1_m9_E", "wick::run::<u32 is 1..=9>",
		  "wick::run::<u32 is 1u32..=9u32>" },
		{ "_RINvC4wick3runWlORln80_ln1_Rl1_l7f_EE",
		  "wick::run::<i32 is -128..=-1 | 1..=127>",
		  "wick::run::<i32 is -128i32..=-1i32 | 1i32..=127i32>" },
		{ "_RINvC4wick3runWPhNE", "wick::run::<*const u8 is !null>", NULL },
	};

	(void)state;
	CHECK_ROWS(rows);
}

static void functions_show_their_binder_safety_and_abi(void **state)
{
	static const struct row rows[] = {
		{ "_RINvC4wick3runFEuFhElFUKCtEuE",
		  "wick::run::<fn(), fn(u8) -> i32, unsafe extern \"C\" fn(u16)>", NULL },
		{ "_RINvC4wick3runFK10vectorcallEzE",
		  "wick::run::<extern \"vectorcall\" fn() -> !>", NULL },
		{ "_RINvC4wick3runFK13system_unwindEuE",
		  "wick::run::<extern \"system-unwind\" fn()>", NULL },
		{ "_RINvC4wick3runFG_RL0_hERL0_hE", "wick::run::<for<'a> fn(&'a u8) -> &'a u8>",
		  NULL },
		{ "_RINvC4wick3runFG0_RL1_hRL0_tFG_RL2_hRL0_hEuEuE",
		  "wick::run::<for<'a, 'b> fn(&'a u8, &'b u16, for<'c> fn(&'a u8, &'c u8))>",
		  NULL },
		{ "_RINvC4wick3runFwThEEuE", "wick::run::<fn(#[splat] (u8,))>", NULL },
	};

	(void)state;
	CHECK_ROWS(rows);
}

static void lifetimes_beyond_z_are_numbered(void **state)
{
	struct wk_buf out = { 0 };
	const char *got = plain(wk_str_c("_RINvC4wick3runFGr_RL0_hEuE"), &out);

	(void)state;
	assert_non_null(got);
	assert_non_null(strstr(got, "'y, 'z, '_26, '_27, '_28> fn(&'_28 u8)"));
	wk_buf_fini(&out);
}

static void trait_objects_show_their_associated_types(void **state)
{
	static const struct row rows[] = {
		{ "_RINvC4wick3runDNtB2_4WalkEL_E", "wick::run::<dyn wick::Walk>", NULL },
		{ "_RINvC4wick3runDINtB2_2FnThEEp6OutputtNtB2_4SendEL_E",
		  "wick::run::<dyn wick::Fn<(u8,), Output = u16> + wick::Send>", NULL },
		{ "_RINvC4wick3runDG_INtB2_2FnTRL0_hEEp6OutputuEL_E",
		  "wick::run::<dyn for<'a> wick::Fn<(&'a u8,), Output = ()>>", NULL },
		{ "_RINvC4wick3runDNtB2_4Walkp1NKj7_EL_E", "wick::run::<dyn wick::Walk<N = 7>>",
		  "wick::run::<dyn wick::Walk<N = 7usize>>" },
		{ "_RINvC4wick3runFG_DNtB2_4WalkEL0_EuE",
		  "wick::run::<for<'a> fn(dyn wick::Walk + 'a)>", NULL },
		{ "_RINvC4wick3runDINtB2_1FhEEL_DBd_p1TtEL_E",
		  "wick::run::<dyn wick::F<u8>, dyn wick::F<u8, T = u16>>", NULL },
	};

	(void)state;
	CHECK_ROWS(rows);
}

static void plain_constants_are_written_bare(void **state)
{
	static const struct row rows[] = {
		{ "_RINvC4wick3runKj1f4_Khff_E", "wick::run::<500, 255>",
		  "wick::run::<500usize, 255u8>" },
		{ "_RINvC4wick3runKan80_Ksn1_Kx0_Kinff_E", "wick::run::<-128, -1, 0, -255>",
		  "wick::run::<-128i8, -1i16, 0i64, -255isize>" },
		{ "_RINvC4wick3runKo123456789abcdef01_Knnffffffffffffffff_E",
		  "wick::run::<0x123456789abcdef01, -18446744073709551615>",
		  "wick::run::<0x123456789abcdef01u128, -18446744073709551615i128>" },
		{ "_RINvC4wick3runKo00000000000000000001_E", "wick::run::<1>",
		  "wick::run::<1u128>" },
		{ "_RINvC4wick3runKb0_Kb1_KpE", "wick::run::<false, true, _>", NULL },
		{ "_RINvC4wick3runKc41_Kc27_Kc22_Kc9_Kc0_Kc5c_E",
		  "wick::run::<'A', '\\'', '\"', '\\t', '\\0', '\\\\'>", NULL },
		{ "_RINvC4wick3runKce9_Kc200b_Kc1f525_E", "wick::run::<'é', '\\u{200b}', '🔥'>",
		  NULL },
		{ "_RINvC4wick3runKRe6869_KRe_E", "wick::run::<\"hi\", \"\">", NULL },
		{ "_RINvC4wick3runKRe22275c0a_E", "wick::run::<\"\\\"'\\\\\\n\">", NULL },
		{ "_RINvC4wick3runKRec3a9e2889ef09f94a5_E", "wick::run::<\"é∞🔥\">", NULL },
	};

	(void)state;
	CHECK_ROWS(rows);
}

static void compound_constants_are_written_in_braces(void **state)
{
	static const struct row rows[] = {
		{ "_RINvC4wick3runKe6869_E", "wick::run::<{*\"hi\"}>", NULL },
		{ "_RINvC4wick3runKRh7_KQh7_KRRh7_E", "wick::run::<{&7}, {&mut 7}, {&&7}>",
		  "wick::run::<{&7u8}, {&mut 7u8}, {&&7u8}>" },
		{ "_RINvC4wick3runKAb1_b0_EKAEE", "wick::run::<{[true, false]}, {[]}>", NULL },
		{ "_RINvC4wick3runKTEKTb1_EKTb1_pEE", "wick::run::<{()}, {(true,)}, {(true, _)}>",
		  NULL },
		{ "_RINvC4wick3runKVNtB2_3OneUKVNtB2_3TwoTh1_h2_EE",
		  "wick::run::<{wick::One}, {wick::Two(1, 2)}>",
		  "wick::run::<{wick::One}, {wick::Two(1u8, 2u8)}>" },
		{ "_RINvC4wick3runKVNtB2_3BoxS1wj3_s_1hj4_EE",
		  "wick::run::<{wick::Box { w: 3, h: 4 }}>",
		  "wick::run::<{wick::Box { w: 3usize, h: 4usize }}>" },
		{ "_RINvC4wick3runKVINtB2_3OnehEUE", "wick::run::<{wick::One::<u8>}>", NULL },
	};

	(void)state;
	CHECK_ROWS(rows);
}

static void names_beyond_ascii_are_decoded(void **state)
{
	static const struct row rows[] = {
		{ "_RNvC4wicku7hfe_7qa", "wick::hĔfe", NULL },
		{ "_RNvC4wicku8gren_1ra", "wick::grüen", NULL },
		{ "_RNvC4wicku4zzzz", "wick::punycode{zzzz}", NULL },
		{ "_RNvC4wicku6a_zzzz", "wick::punycode{a-zzzz}", NULL },
	};

	(void)state;
	CHECK_ROWS(rows);
}

static void what_compilers_add_in_front_and_behind_is_understood(void **state)
{
	static const struct row rows[] = {
		{ "RNvC4wick3run", "wick::run", NULL },
		{ "__RNvC4wick3run", "wick::run", NULL },
		{ "_RNvC4wick3run.cold.7", "wick::run.cold.7", NULL },
		{ "_RNvC4wick3runC4prof.cold", "wick::run.cold", NULL },
		{ "_RNvC4wick3run$tlv$init", "wick::run$tlv$init", NULL },
		{ "_RNvC4wick3run.llvm.123", "wick::run", NULL },
		{ "_RNvC4wick3run.llvm.12AB@@3", "wick::run", NULL },
		{ "_RNvC4wick3run.llvm.cold", "wick::run.llvm.cold", NULL },
		{ "_ZN4wick3runE.llvm.12AB@@3", "wick::run", NULL },
		{ "ZN4wick3run3h12E.cold", "wick::run.cold", "wick::run::h12.cold" },
		{ "__ZN4wick3run3h12E", "wick::run", "wick::run::h12" },
	};

	(void)state;
	CHECK_ROWS(rows);
}

static void legacy_names_lose_their_hash_and_their_escapes(void **state)
{
	static const struct row rows[] = {
		{ "_ZN4wick3run17h0123456789abcdefE", "wick::run", "wick::run::h0123456789abcdef" },
		{ "_ZN4wick3run18hnot_a_hash_at_allE", "wick::run::hnot_a_hash_at_all", NULL },
		{ "_ZN3h123run3h12E", "h12::run", "h12::run::h12" },
		{ "_ZN28_$u7b$$u7b$closure$u7d$$u7d$E", "{{closure}}", NULL },
		{ "_ZN34_$LT$wick..Node$u20$as$u20$A.b$GT$4nextE", "<wick::Node as A.b>::next",
		  NULL },
		{ "_ZN39$RF$$BP$$SP$$LP$T$C$U$RP$$u5b$$ue9$$GT$E", "&*@(T,U)[é>", NULL },
		{ "_ZN5$u7f$7$u7f$no3$xy3x$yE", "$u7f$::$u7f$no::$xy::x$y", NULL },
	};

	(void)state;
	CHECK_ROWS(rows);
}

static void what_is_no_rust_name_is_refused(void **state)
{
	static const char *const names[] = {
		"",
		"_",
		"R",
		"_R",
		"_ZN",
		"main",
		"_Z3runv",
		"_R1",
		"_Rh",
		"_RC0",
		"_ZNE",
		"_ZN4wick3runEv",	     /* C++: a parameter follows */
		"_ZN4wick3runIhE3getE",	     /* C++: a template argument */
		"_RNvC4wick",		     /* ends early */
		"_RNvC4wick9run",	     /* name longer than the text */
		"_RINvC4wick3runhh",	     /* list without its end */
		"_RNvB5_3run",		     /* refers forward */
		"_RNvC4wick3runjunk",	     /* followed by what is no suffix */
		"_RNvC4wick3run.a b",	     /* nor is this */
		"_RINvC4wick3runKb2_E",	     /* no such bool */
		"_RINvC4wick3runKcd800_E",   /* a surrogate is no char */
		"_RINvC4wick3runKhgg_E",     /* no hexadecimal number */
		"_RINvC4wick3runKRe6_E",     /* half a byte */
		"_RINvC4wick3runKRe80_E",    /* not UTF-8 */
		"_RINvC4wick3runFEwhE",	     /* a splat is no return type */
		"_RINvC4wick3runFKu3abcEuE", /* an ABI beyond ASCII */
		"_RINvC4wick3runRL0_hE",     /* a lifetime that nothing binds */
		"_RINvC4wick3runDEhE",	     /* an object without its lifetime */
		"_RINvC4wick3runWhXE",	     /* no such pattern */
		"_RNvu1_1a",
		"_RNvC4wicku0",
		"_RNvCszzzzzzzzzzzz_4wick3run",
		"_RNvCsZZZZZZZZZZZZ_4wick3run",
		"_ZN4wick3run17h0123456789abcdef",
		"_ZN4wick9runE",
		"_ZN4wickE9",
		"_ZN99999999999999999999999aE",
		"_ZN4wick3r\nnE",
		"_ZN4wick3r\303\251E",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		check_refused(wk_str_c(names[i]));
	check_refused(wk_str_of("_RNvC4wick3r\0n", 14));
}

static void the_buffer_keeps_what_it_held(void **state)
{
	struct wk_buf out = { 0 };

	(void)state;
	wk_buf_add_text(&out, "at ");
	assert_true(wk_demangle_rust(wk_str_c("_RNvC4wick3run"), false, &out));
	assert_string_equal(wk_buf_text(&out), "at wick::run");
	assert_false(wk_demangle_rust(wk_str_c("_RINvC4wick3runReRL0_eE"), false, &out));
	assert_false(wk_demangle_rust(wk_str_c("_ZN4wick3runEv"), false, &out));
	assert_string_equal(wk_buf_text(&out), "at wick::run");
	assert_int_equal(out.len, 12);
	wk_buf_fini(&out);
}

static void a_buffer_too_small_for_the_name_is_left_alone(void **state)
{
	struct wk_buf out = { .limit = 10 };

	(void)state;
	wk_buf_add_text(&out, "at ");
	assert_false(wk_demangle_rust(wk_str_c("_RNvC4wick3run"), false, &out));
	assert_string_equal(wk_buf_text(&out), "at ");
	assert_false(out.full);
	wk_buf_fini(&out);
}

static void bombs_of_back_references_are_refused_at_once(void **state)
{
	static const char *const names[] = {
		/* Tuples of twice the last tuple: 2^26 leaves. */
		"_RMC0TTTTTTTTTTTTTTTTTTTTTTTTTTpBr_EBq_EBp_EBo_EBn_EBm_EBl_EBk_EBj_EBi_EBh_EBg_"
		"EBf_"
		"EBe_EBd_EBc_EBb_EBa_EB9_EB8_EB7_EB6_EB5_EB4_EB3_E",
		/* A path, a type, a constant and a trait that hold themselves. */
		"_RNvB_3run",
		"_RIB_B_E",
		"_RMC0TB1_B1_E",
		"_RMC0RB1_",
		"_RIC0KRBa_E",
		"_RIC0KABa_Ba_EE",
		"_RMC0DIC0B2_EEL_",
		"_RMC0DB2_EL_",
		"_RYB_B_",
		/* A million lifetimes, and again in a list of binders. */
		"_RIC4wickFG9999_EuE",
		"_RIC4wickFGZZZZZZZZZZ_EuE",
		"_RIC4wickDGZZZZ_EL_E",
		"_RIC4wickFGzz_FGzz_FGzz_FGzz_FGzz_FGzz_EuEuEuEuEuEuE",
	};
	struct wk_buf out = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (answers_in_time(full, wk_str_c(names[i]), &out))
			fail_msg("%s gave %zu bytes", names[i], out.len);
	wk_buf_fini(&out);
}

static void a_binder_that_fits_the_cap_is_written_out(void **state)
{
	struct wk_buf out = { 0 };

	(void)state;
	assert_true(answers_in_time(full, wk_str_c("_RIC4wickFGFF_EuE"), &out));
	assert_true(wk_str_ends(wk_buf_str(&out), ", '_2583, '_2584> fn()>"));
	wk_buf_fini(&out);
}

static void nesting_is_followed_as_deep_as_people_go_and_no_deeper(void **state)
{
	static const struct {
		const char *lead, *unit, *tail;
	} nests[] = {
		{ "_RMC0", "R", "h" },
		{ "_RMC0", "S", "h" },
		{ "_RMC0", "T", "h" },
		{ "_RMC0", "FEF", "u" },
		{ "_RMC0", "DINtC1a1bFE", "" },
		{ "_RMC0", "WW", "" },
		{ "_RMC0", "A", "" },
		{ "_R", "Nv", "C1a1b" },
		{ "_R", "I", "C1aE" },
		{ "_R", "M", "" },
		{ "_R", "X", "" },
		{ "_R", "YY", "" },
		{ "_RIC0K", "R", "h" },
		{ "_RIC0K", "TA", "" },
		{ "_RIC0KVC0T", "VC0T", "" },
		{ "_RMC0Wh", "O", "" },
		{ "_RMC0", "RB1_", "" },
		{ "_RMC0", "DB1_", "" },
	};
	struct wk_buf name = { 0 }, out = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(nests) / sizeof(nests[0]); i++) {
		stretched(&name, nests[i].lead, nests[i].unit, 100000, nests[i].tail);
		assert_false(answers_in_time(full, wk_buf_str(&name), &out));
	}
	stretched(&name, "_RMC0", "R", 200, "h");
	assert_true(answers_in_time(full, wk_buf_str(&name), &out));
	assert_int_equal(out.len, 200 + strlen("<u8>"));
	wk_buf_fini(&name);
	wk_buf_fini(&out);
}

/* What lies in silent parts, or writes nothing, must be paid for too: the cap on the text
 * does not stop it. */
static void reading_that_writes_nothing_is_bounded(void **state)
{
	static const struct {
		const char *lead, *unit, *tail, *again;
	} names[] = {
		{ "_RMC0TMIC0", "L_", "Eh", "B3_" },     { "_RMC0TMIC0K", "0", "_Eh", "B3_" },
		{ "_RMC0TMIC0KRe", "61", "_Eh", "B3_" }, { "_RMC0TMNvCs", "0", "_00h", "B3_" },
		{ "_RMC0TNvNvNv", "Nv", "C1a", "B3_" },
	};
	struct wk_buf name = { 0 }, out = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		stretched(&name, names[i].lead, names[i].unit, 400 * strlen(names[i].unit),
			  names[i].tail);
		if (i == 4)
			for (int k = 0; k < 403; k++)
				wk_buf_add_text(&name, "0");
		for (int k = 0; k < 20000; k++)
			wk_buf_add_text(&name, names[i].again);
		wk_buf_add_text(&name, "E");
		assert_false(answers_in_time(full, wk_buf_str(&name), &out));
	}
	wk_buf_fini(&name);
	wk_buf_fini(&out);
}

static void long_names_are_answered_in_time(void **state)
{
	static const struct {
		const char *lead, *unit, *tail;
	} names[] = {
		{ "_ZN", "0", "E" },          { "_ZN", "1a", "E" },
		{ "_ZN", "6$u7b$x", "E" },    { "_ZN1aE", ".llvm.", "x" },
		{ "_ZN50000", "$", "E" },     { "_RIC0KRe", "cc81", "_E" },
		{ "_RNvC0u50000", "a", "" },  { "_RNvC0u50000", "_", "a" },
		{ "_RIC1a", "u4zzzz", "E" },  { "_RMC0T", "Cu99aaaaaaaaaaa", "E" },
		{ "_RC", "9", "a" },          { "_RB", "0", "_" },
		{ "_RNvC1a1b", ".", "llvm" }, { "_RIC0Kh", "0", "_E" },
	};
	struct wk_buf name = { 0 }, out = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		stretched(&name, names[i].lead, names[i].unit, 50000 * strlen(names[i].unit),
			  names[i].tail);
		answers_in_time(full, wk_buf_str(&name), &out);
	}
	wk_buf_fini(&name);
	wk_buf_fini(&out);
}

static void names_without_hash_agree_with_the_fixture(void **state)
{
	(void)state;
	check_table(plain, "rust.tsv");
}

static void names_with_hash_agree_with_the_fixture(void **state)
{
	(void)state;
	check_table(full, "rust-hash.tsv");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_path_is_its_crate_and_its_names),
		cmocka_unit_test(closures_and_shims_show_their_kind_and_number),
		cmocka_unit_test(an_impl_is_named_by_its_type_and_trait),
		cmocka_unit_test(generic_arguments_are_types_lifetimes_and_constants),
		cmocka_unit_test(every_kind_of_type_is_written_as_in_source),
		cmocka_unit_test(functions_show_their_binder_safety_and_abi),
		cmocka_unit_test(lifetimes_beyond_z_are_numbered),
		cmocka_unit_test(trait_objects_show_their_associated_types),
		cmocka_unit_test(plain_constants_are_written_bare),
		cmocka_unit_test(compound_constants_are_written_in_braces),
		cmocka_unit_test(names_beyond_ascii_are_decoded),
		cmocka_unit_test(what_compilers_add_in_front_and_behind_is_understood),
		cmocka_unit_test(legacy_names_lose_their_hash_and_their_escapes),
		cmocka_unit_test(what_is_no_rust_name_is_refused),
		cmocka_unit_test(the_buffer_keeps_what_it_held),
		cmocka_unit_test(a_buffer_too_small_for_the_name_is_left_alone),
		cmocka_unit_test(bombs_of_back_references_are_refused_at_once),
		cmocka_unit_test(a_binder_that_fits_the_cap_is_written_out),
		cmocka_unit_test(nesting_is_followed_as_deep_as_people_go_and_no_deeper),
		cmocka_unit_test(reading_that_writes_nothing_is_bounded),
		cmocka_unit_test(long_names_are_answered_in_time),
		cmocka_unit_test(names_without_hash_agree_with_the_fixture),
		cmocka_unit_test(names_with_hash_agree_with_the_fixture),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
