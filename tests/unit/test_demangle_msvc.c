/* Visual C++'s names. The rows here show one production of the mangling grammar each, with the
 * answers of llvm-undname; the fixture files, where they are present, bring what compilers make.
 *
 * In one thing the short form is not llvm-undname 22's: of a pointer to a function that returns a
 * pointer to a function it prints "int (__cdecl * (__cdecl *)(char)", where a half is missing and
 * a bracket left open. Newer ones print it whole, and so do we. No row of the fixture has one. */
#include "demangled.h"
#include "base/mem.h"

struct row {
	const char *mangled, *plain;
};

static const char *whole(struct wk_str mangled, struct wk_buf *out)
{
	wk_buf_reset(out);
	return wk_demangle_msvc(mangled, false, out) ? wk_buf_text(out) : NULL;
}

static const char *shortened(struct wk_str mangled, struct wk_buf *out)
{
	wk_buf_reset(out);
	return wk_demangle_msvc(mangled, true, out) ? wk_buf_text(out) : NULL;
}

static void check_rows(const struct row *rows, size_t count, demangler demangle)
{
	struct wk_buf out = { 0 };

	for (size_t i = 0; i < count; i++) {
		const char *got = demangle(wk_str_c(rows[i].mangled), &out);

		if (!got)
			fail_msg("%s was refused, expected %s", rows[i].mangled, rows[i].plain);
		assert_string_equal(got, rows[i].plain);
	}
	wk_buf_fini(&out);
}

#define CHECK_ROWS(rows) check_rows(rows, sizeof(rows) / sizeof((rows)[0]), whole)

static void a_function_shows_access_convention_and_types(void **state)
{
	static const struct row rows[] = {
		{ "?run@@YAXXZ", "void __cdecl run(void)" },
		{ "?run@wick@@YAHPEBD_K@Z",
		  "int __cdecl wick::run(char const *, unsigned __int64)" },
		{ "?find@map@wick@@QEBAPEAHAEBH@Z",
		  "public: int * __cdecl wick::map::find(int const &) const" },
		{ "?close@file@wick@@UEAAXXZ",
		  "public: virtual void __cdecl wick::file::close(void)" },
		{ "?open@file@wick@@KA_NXZ",
		  "protected: static bool __cdecl wick::file::open(void)" },
		{ "?step@file@wick@@AAEXHZZ",
		  "private: void __thiscall wick::file::step(int, ...)" },
		{ "?plain@@YGXH@Z", "void __stdcall plain(int)" },
		{ "?fast@@YIXHH@Z", "void __fastcall fast(int, int)" },
		{ "?wide@@YQXM@Z", "void __vectorcall wide(float)" },
		{ "?old@@YCXXZ", "void __pascal old(void)" },
		{ "?net@@YMXXZ", "void __clrcall net(void)" },
		{ "?far@@ZAXXZ", "void __cdecl far(void)" },
		{ "?cold@@YSXXZ", "void __attribute__((__swiftcall__)) cold(void)" },
		{ "?later@@YWXXZ", "void __attribute__((__swiftasynccall__)) later(void)" },
		{ "?odd@@YwXXZ", "void odd(void)" },
		{ "?c@@$$J0YAXXZ", "extern \"C\" void __cdecl c(void)" },
		{ "?ec@@$$hYAXXZ", "void __cdecl ec(void)" },
		{ "?log@@YAXPEBDZZ", "void __cdecl log(char const *, ...)" },
		{ "?quiet@@YAXXZ", "void __cdecl quiet(void)" },
		{ "?never@@YAXX_E", "void __cdecl never(void) noexcept" },
	};

	(void)state;
	CHECK_ROWS(rows);
}

static void a_variable_shows_its_type_and_its_access(void **state)
{
	static const struct row rows[] = {
		{ "?count@@3HA", "int count" },
		{ "?count@wick@@3HB", "int const wick::count" },
		{ "?shared@file@wick@@0HA", "private: static int wick::file::shared" },
		{ "?shared@file@wick@@1PEAHEA", "protected: static int *wick::file::shared" },
		{ "?shared@file@wick@@2QEBDEB",
		  "public: static char const *const wick::file::shared" },
		{ "?table@@3PAY123HA", "int (*table)[3][4]" },
		{ "?names@@3QBQBDB", "char const *const *const names" },
		{ "?hook@@3P6AHH@ZEA", "int (__cdecl *hook)(int)" },
		{ "?field@@3PEQfile@@HEQ1@", "int file::*field" },
		{ "?method@@3P8file@@EBAHXZEQ1@", "int (__cdecl file::*method)(void) const" },
		{ "?hooks@@3PAP6AXH@ZA", "void (__cdecl **hooks)(int)" },
		{ "?gone@@3HC", "int volatile gone" },
	};

	(void)state;
	CHECK_ROWS(rows);
}

static void builtin_types_have_their_names(void **state)
{
	static const struct row rows[] = {
		{ "?f@@YAX_NCDEFGHIJKMNO@Z",
		  "void __cdecl f(bool, signed char, char, unsigned char, short, unsigned short, "
		  "int, unsigned int, long, unsigned long, float, double, long double)" },
		{ "?f@@YAX_J_K_W_Q_S_U@Z",
		  "void __cdecl f(__int64, unsigned __int64, wchar_t, char8_t, char16_t, "
		  "char32_t)" },
		{ "?f@@YAX$$T@Z", "void __cdecl f(std::nullptr_t)" },
		{ "?f@@YA_PXZ", "auto __cdecl f(void)" },
		{ "?f@@YA_TXZ", "decltype(auto) __cdecl f(void)" },
		{ "?f@@YA_L_M@Z", "__int128 __cdecl f(unsigned __int128)" },
	};

	(void)state;
	CHECK_ROWS(rows);
}

static void qualifiers_and_declarators_are_written_inside_out(void **state)
{
	static const struct row rows[] = {
		{ "?f@@YAXPEAHPEBHPECHPEDH@Z",
		  "void __cdecl f(int *, int const *, int volatile *, int const volatile *)" },
		{ "?f@@YAXQEAHREAHSEAH@Z",
		  "void __cdecl f(int *const, int *volatile, int *const volatile)" },
		{ "?f@@YAXAEAHAEBH$$QEAH@Z", "void __cdecl f(int &, int const &, int &&)" },
		{ "?f@@YAXPEIAHPEFAHPEIFAH@Z",
		  "void __cdecl f(int *__restrict, int __unaligned *, int __unaligned "
		  "*__restrict)" },
		{ "?f@@YAXPAY02HAEAY12BE@$$CBH@Z",
		  "void __cdecl f(int (*)[3], int const (&)[3][20])" },
		{ "?f@@YAXPEAP6AXXZAEAP6AXXZ@Z",
		  "void __cdecl f(void (__cdecl **)(void), void (__cdecl *&)(void))" },
		{ "?f@@YAXP6AXH@ZA6AXXZ$$Q6AXXZQ6GXXZ@Z",
		  "void __cdecl f(void (__cdecl *)(int), void (__cdecl &)(void), void (__cdecl "
		  "&&)(void), void (__stdcall *const)(void))" },
		{ "?f@@YAXP6AP6AHF@ZD@Z@Z",
		  "void __cdecl f(int (__cdecl * (__cdecl *)(char))(short))" },
		{ "?f@@YAXPEQA@@HPERA@@HREQA@@H@Z",
		  "void __cdecl f(int A::*, int const A::*, int A::*volatile)" },
		{ "?f@@YAXP8A@@EAAXXZP8A@@EGBAXXZP8A@@EIHAAXXZ@Z",
		  "void __cdecl f(void (__cdecl A::*)(void), void (__cdecl A::*)(void) const &, "
		  "void (__cdecl A::*)(void) __restrict &&)" },
		{ "?f@@YAXP6AXX_E@Z", "void __cdecl f(void (__cdecl *)(void) noexcept)" },
		{ "?f@@YA?BUA@@XZ", "struct A const __cdecl f(void)" },
		{ "?f@@YAXPE__ptrauth2A@BAA@AH@Z", "void __cdecl f(int *__ptrauth(3, 0, 256))" },
		{ "?f@A@@QEGAAXXZ", "public: void __cdecl A::f(void) &" },
		{ "?f@A@@QEHAAXXZ", "public: void __cdecl A::f(void) &&" },
		{ "?f@A@@QEIDAXXZ", "public: void __cdecl A::f(void) const volatile __restrict" },
		{ "?f@A@@QFBEXXZ", "public: void __thiscall A::f(void) const __unaligned" },
	};

	(void)state;
	CHECK_ROWS(rows);
}

static void types_are_named_with_their_kind(void **state)
{
	static const struct row rows[] = {
		{ "?f@@YAXUA@@VB@@TC@@W4D@@@Z",
		  "void __cdecl f(struct A, class B, union C, enum D)" },
		{ "?f@@YAXVA@B@C@@@Z", "void __cdecl f(class C::B::A)" },
		{ "?f@@YA?A?<auto>@@XZ", "<auto> __cdecl f(void)" },
		{ "?f@@YA?A?<decltype-auto>@@XZ", "<decltype-auto> __cdecl f(void)" },
		{ "?f@@YAXUA@?A0x12345678@@@Z", "void __cdecl f(struct `anonymous namespace'::A)" },
		{ "?f@@YAX?custom@@@Z", "void __cdecl f(custom)" },
	};

	(void)state;
	CHECK_ROWS(rows);
}

static void template_arguments_are_types_and_values(void **state)
{
	static const struct row rows[] = {
		{ "?f@?$A@H@@QEAAXXZ", "public: void __cdecl A<int>::f(void)" },
		{ "?f@?$A@V?$B@H@@U?$B@V?$C@D@@@@@@QEAAXXZ",
		  "public: void __cdecl A<class B<int>, struct B<class C<char>>>::f(void)" },
		{ "?f@?$A@$00$0?0$0A@$0BAA@$0?BA@@@QEAAXXZ",
		  "public: void __cdecl A<1, -1, 0, 256, -16>::f(void)" },
		{ "?f@?$A@$$V@@QEAAXXZ", "public: void __cdecl A<>::f(void)" },
		{ "?f@?$A@$S@@QEAAXXZ", "public: void __cdecl A<>::f(void)" },
		{ "?f@?$A@H$$ZD@@QEAAXXZ", "public: void __cdecl A<int, char>::f(void)" },
		{ "?f@?$A@$$$VH@@QEAAXXZ", "public: void __cdecl A<int>::f(void)" },
		{ "?f@?$A@$$BY02H$$BY0A@H@@QEAAXXZ",
		  "public: void __cdecl A<int[3], int[]>::f(void)" },
		{ "?f@?$A@$$CBH$$CDUB@@@@QEAAXXZ",
		  "public: void __cdecl A<int const, struct B const volatile>::f(void)" },
		{ "?f@?$A@$$YB@C@@@@QEAAXXZ", "public: void __cdecl A<C::B>::f(void)" },
		{ "?f@?$A@$$A6AHD@Z$$A8@@BAXXZ$$A8@@GAAXXZ@@QEAAXXZ",
		  "public: void __cdecl A<int __cdecl(char), void __cdecl(void) const, void "
		  "__cdecl(void) &>::f(void)" },
		{ "?f@?$A@$1?g@@YAXXZ$1?x@@3HA$E?y@@3HB@@QEAAXXZ",
		  "public: void __cdecl A<&void __cdecl g(void), &int x, int const y>::f(void)" },
		{ "?f@?$A@$1?h@B@@QEAAXXZ$H?h@C@@QEAAXXZ7$I?h@D@@QEAAXXZ7A@$J?h@E@@QEAAXXZ7A@3@@Q"
		  "EAAXXZ",
		  "public: void __cdecl A<&public: void __cdecl B::h(void), {public: void "
		  "__cdecl C::h(void), 8}, {public: void __cdecl D::h(void), 8, 0}, {public: "
		  "void __cdecl E::h(void), 8, 0, 4}>::f(void)" },
		{ "?f@?$A@$FA@?0$GA@3?0$0A@@@QEAAXXZ",
		  "public: void __cdecl A<{0, -1}, {0, 4, -1}, 0>::f(void)" },
		{ "?f@?$A@$1??_9B@@$BA@AA@@QEAAXXZ",
		  "public: void __cdecl A<&[thunk]: __cdecl B::`vcall'{0, {flat}}>::f(void)" },
		{ "?f@?$A@$MH00$MPEAH1?x@@3HA$MPEQB@@H0A@@@QEAAXXZ",
		  "public: void __cdecl A<1, &int x, 0>::f(void)" },
		{ "??$f@H@@YAXH@Z", "void __cdecl f<int>(int)" },
		{ "??$f@$0A@@A@@QEAAXXZ", "public: void __cdecl A::f<0>(void)" },
	};

	(void)state;
	CHECK_ROWS(rows);
}

static void digits_refer_to_names_and_parameters_before(void **state)
{
	static const struct row rows[] = {
		{ "?f@A@B@@QEAAXPEAV12@0@Z",
		  "public: void __cdecl B::A::f(class B::A *, class B::A *)" },
		{ "?f@A@B@@QEAAXV?$T@U0@@2@@Z",
		  "public: void __cdecl B::A::f(class B::T<struct T>)" },
		{ "?f@@YAXPEAHPEBD01@Z",
		  "void __cdecl f(int *, char const *, int *, char const *)" },
		{ "?f@@YAXHPEAH0H0@Z", "void __cdecl f(int, int *, int *, int, int *)" },
		{ "?f@@YAXP6AXPEAH@Z01@Z",
		  "void __cdecl f(void (__cdecl *)(int *), int *, void (__cdecl *)(int *))" },
		{ "?f@?$T@H@1@QEAAXXZ", "public: void __cdecl T<int>::T<int>::f(void)" },
		{ "?f@?A0x1@@YAXU1@@Z", "void __cdecl `anonymous namespace'::f(struct 0x1)" },
	};

	(void)state;
	CHECK_ROWS(rows);
}

static void operators_are_written_as_in_source(void **state)
{
	static const struct row rows[] = {
		{ "??0A@@QEAA@XZ", "public: __cdecl A::A(void)" },
		{ "??1A@@UEAA@XZ", "public: virtual __cdecl A::~A(void)" },
		{ "??0?$A@H@@QEAA@H@Z", "public: __cdecl A<int>::A<int>(int)" },
		{ "??$?0H@A@@QEAA@H@Z", "public: __cdecl A::A<int>(int)" },
		{ "??BA@@QEBAPEBDXZ",
		  "public: char const * __cdecl A::operator char const *(void) const" },
		{ "??$?BH@A@@QEAAHXZ", "public: int __cdecl A::operator<int> int(void)" },
		{ "??__K_km@@YAH_K@Z", "int __cdecl operator \"\"_km(unsigned __int64)" },
		{ "??__LA@@QEAA?AUB@@XZ", "public: struct B __cdecl A::operator co_await(void)" },
		{ "??__MA@@QEBAHAEBU0@@Z",
		  "public: int __cdecl A::operator<=>(struct A const &) const" },
	};

	(void)state;
	CHECK_ROWS(rows);
}

static void local_things_come_behind_their_function(void **state)
{
	static const struct row rows[] = {
		{ "?x@?1??f@@YAXXZ@4HA", "int `void __cdecl f(void)'::`2'::x" },
		{ "?x@?@??f@@YAXXZ@4HA", "int `void __cdecl f(void)'::`0'::x" },
		{ "?x@?BA@??f@@YAXXZ@4HA", "int `void __cdecl f(void)'::`16'::x" },
		{ "?x@?1??f@@9@4HA", "int `extern \"C\" f'::`2'::x" },
		{ "?dtor$0@?0?main@4HA", "int `main'::`1'::dtor$0" },
		{ "?x@?1??g@?1??f@@YAXXZ@YAXXZ@4HA",
		  "int `void __cdecl `void __cdecl f(void)'::`2'::g(void)'::`2'::x" },
		{ "??R<lambda_1>@?0??f@@YAXXZ@QEBA@XZ",
		  "public: __cdecl `void __cdecl f(void)'::`1'::<lambda_1>::operator()(void) "
		  "const" },
		{ "?x@?1??f@A@@QEAAXXZ@4U2@A",
		  "struct A `public: void __cdecl A::f(void)'::`2'::x" },
	};

	(void)state;
	CHECK_ROWS(rows);
}

static void special_names_say_what_they_are(void **state)
{
	static const struct row rows[] = {
		{ "??_7A@@6B@", "const A::`vftable'" },
		{ "??_7A@@6BB@@@", "const A::`vftable'{for `B'}" },
		{ "??_8A@@7B@", "const A::`vbtable'" },
		{ "??_SA@@6B@", "const A::`local vftable'" },
		{ "??_R0?AUA@@@8", "struct A `RTTI Type Descriptor'" },
		{ "??_R0H@8", "int `RTTI Type Descriptor'" },
		{ "??_R1A@?0A@EA@A@@8", "A::`RTTI Base Class Descriptor at (0, -1, 0, 64)'" },
		{ "??_R2A@@8", "A::`RTTI Base Class Array'" },
		{ "??_R3A@@8", "A::`RTTI Class Hierarchy Descriptor'" },
		{ "??_R4A@@6B@", "const A::`RTTI Complete Object Locator'" },
		{ "??_9A@@$BBA@AA", "[thunk]: __cdecl A::`vcall'{16, {flat}}" },
		{ "??_EA@@W7EAAPEAXI@Z",
		  "[thunk]: public: virtual void * __cdecl A::`vector deleting "
		  "dtor'`adjustor{8}'(unsigned int)" },
		{ "??_EA@@O7EAAPEAXI@Z",
		  "[thunk]: protected: virtual void * __cdecl A::`vector deleting "
		  "dtor'`adjustor{8}'(unsigned int)" },
		{ "??_EA@@G7EAAPEAXI@Z", "[thunk]: private: void * __cdecl A::`vector deleting "
					 "dtor'`adjustor{8}'(unsigned int)" },
		{ "?f@A@@$4PPPPPPPM@A@EAAXXZ",
		  "[thunk]: public: virtual void __cdecl A::f`vtordisp{-4, 0}'(void)" },
		{ "?f@A@@$2PPPPPPPM@3EAAXXZ",
		  "[thunk]: protected: virtual void __cdecl A::f`vtordisp{-4, 4}'(void)" },
		{ "?f@A@@$0PPPPPPPM@3EAAXXZ",
		  "[thunk]: private: virtual void __cdecl A::f`vtordisp{-4, 4}'(void)" },
		{ "?f@A@@$R4BA@7PPPPPPPM@A@EAAXXZ",
		  "[thunk]: public: virtual void __cdecl A::f`vtordispex{16, 8, -4, 0}'(void)" },
		{ "??_B?1??f@@YAXXZ@51", "`void __cdecl f(void)'::`2'::`local static guard'{2}" },
		{ "??_B?1??f@@YAXXZ@4IA", "`void __cdecl f(void)'::`2'::`local static guard'" },
		{ "??__J?1??f@@YAXXZ@51",
		  "`void __cdecl f(void)'::`2'::`local static thread guard'{2}" },
		{ "??__Ex@@YAXXZ", "void __cdecl `dynamic initializer for 'x''(void)" },
		{ "??__Fx@A@@YAXXZ", "void __cdecl `dynamic atexit destructor for 'A::x''(void)" },
		{ "??__E?x@A@@2HA@@YAXXZ",
		  "void __cdecl `dynamic initializer for `public: static int A::x''(void)" },
		{ "??__Ex@A@@2HA@YAXXZ",
		  "void __cdecl `dynamic initializer for `public: static int A::x''(void)" },
		{ "??@0123456789abcdef0123456789abcdef@", "??@0123456789abcdef0123456789abcdef@" },
		{ "??@0123456789abcdef0123456789abcdef@??_R4@",
		  "??@0123456789abcdef0123456789abcdef@??_R4@" },
		{ ".?AVA@wick@@", "class wick::A `RTTI Type Descriptor Name'" },
		{ ".?AV?$A@H@wick@@", "class wick::A<int> `RTTI Type Descriptor Name'" },
		{ ".?AW4A@@", "enum A `RTTI Type Descriptor Name'" },
		{ ".H", "int `RTTI Type Descriptor Name'" },
		{ ".PEAH", "int *`RTTI Type Descriptor Name'" },
	};

	(void)state;
	CHECK_ROWS(rows);
}

static void strings_show_their_beginning(void **state)
{
	static const struct row rows[] = {
		{ "??_C@_05ABCDEFGH@hello?$AA@", "\"hello\"" },
		{ "??_C@_02ABCDEFGH@?6?7?$AA@", "\"\\n\\t\"" },
		{ "??_C@_09ABCDEFGH@?0?1?2?3?4?5?8?9?$AA@", "\",/\\\\:. \\'-\\0\"..." },
		{ "??_C@_05ABCDEFGH@?a?A?z?Z?$AA@", "\"\\xE1\\xC1\\xFA\\xDA\\0\"..." },
		{ "??_C@_04ABCDEFGH@?$AA?$AH?$HP?$CC?$AA@", "\"\\0\\a\\x7F\\\"\"" },
		{ "??_C@_0CI@ABCDEFGH@0123456789abcdef0123456789abcdef@",
		  "\"0123456789abcdef0123456789abcdef\"..." },
		{ "??_C@_15ABCDEFGH@?$AAh?$AAi?$AA?$AA@", "L\"hi\"" },
		{ "??_C@_13ABCDEFGH@?$BC?$DE?$AA?$AA@", "L\"\\x1234\"" },
		{ "??_C@_1FA@ABCDEFGH@?$AAh?$AAi@", "L\"hi\"..." },
		{ "??_C@_05ABCDEFGH@h?$AAi?$AA?$AA?$AA@", "u\"hi\"" },
		{ "??_C@_0M@ABCDEFGH@h?$AA?$AA?$AAi?$AA?$AA?$AA?$AA?$AA?$AA?$AA@", "U\"hi\"" },
		{ "??_C@_07ABCDEFGH@?$EE?$DD?$CC?$BB?$AA?$AA?$AA?$AA@", "U\"\\x11223344\"" },
	};

	(void)state;
	CHECK_ROWS(rows);
}

static void the_short_form_says_what_is_called_with_what(void **state)
{
	static const struct row rows[] = {
		{ "?find@map@wick@@QEBAPEAHAEBH@Z", "wick::map::find(int const &) const" },
		{ "?open@file@wick@@KA_NXZ", "wick::file::open(void)" },
		{ "?shared@file@wick@@1PEAHEA", "wick::file::shared" },
		{ "?f@A@@$4PPPPPPPM@A@EAAXXZ", "[thunk]: A::f`vtordisp{-4, 0}'(void)" },
		{ "?f@@YAP6AXH@ZP6AXH@Z@Z", "f(void (__cdecl *)(int))" },
		{ "?f@@YAXP6AP6AHF@ZD@Z@Z", "f(int (__cdecl * (__cdecl *)(char))(short))" },
		{ "?f@?$A@$$A6AHD@Z@@QEAAXXZ", "A<(char)>::f(void)" },
		{ "?f@?$A@$1?g@B@@SAHXZ@@QEAAXXZ", "A<&B::g(void)>::f(void)" },
		{ "?x@?1??f@@YAXXZ@4HA", "`void __cdecl f(void)'::`2'::x" },
		{ "??BA@@QEBAPEBDXZ", "A::operator char const *(void) const" },
		{ "??_7A@@6B@", "const A::`vftable'" },
		{ "??__E?x@A@@2HA@@YAXXZ", "`dynamic initializer for `A::x''(void)" },
		{ "??_R0?AUA@@@8", "`RTTI Type Descriptor'" },
	};

	(void)state;
	check_rows(rows, sizeof(rows) / sizeof(rows[0]), shortened);
}

/* `name` is wk_demangle or wk_demangle_bare. */
static void check_door(bool (*name)(struct wk_str, struct wk_buf *), const struct row *rows,
		       size_t count)
{
	struct wk_buf out = { 0 };

	for (size_t i = 0; i < count; i++) {
		wk_buf_reset(&out);
		if (!name(wk_str_c(rows[i].mangled), &out))
			fail_msg("%s was refused", rows[i].mangled);
		assert_string_equal(wk_buf_text(&out), rows[i].plain);
	}
	wk_buf_fini(&out);
}

static void functions_are_shown_short_and_types_whole(void **state)
{
	static const struct row rows[] = {
		{ "?run@wick@@YAHPEBD_K@Z", "wick::run(char const *, unsigned __int64)" },
		{ "?lambda@@YAXXZ", "lambda(void)" },
		{ "??__Elambda@@YAXXZ", "`dynamic initializer for 'lambda''(void)" },
		{ "??_R0?AUA@@@8", "struct A `RTTI Type Descriptor'" },
		{ ".?AUA@@", "struct A `RTTI Type Descriptor Name'" },
		{ "??@0123456789abcdef0123456789abcdef@", "??@0123456789abcdef0123456789abcdef@" },
	};

	(void)state;
	check_door(wk_demangle, rows, sizeof(rows) / sizeof(rows[0]));
}

static void a_bare_name_has_no_parameters(void **state)
{
	static const struct row rows[] = {
		{ "?run@wick@@YAHPEBD_K@Z", "wick::run" },
		{ "?find@?$map@H@wick@@QEBAPEAHAEBH@Z", "wick::map<int>::find" },
		{ "?f@?$A@$1?g@B@@SAHXZ@@QEAAXXZ", "A<&B::g(void)>::f" },
		{ "??BA@@QEBAPEBDXZ", "A::operator char const *" },
		{ "??_EA@@W7EAAPEAXI@Z", "A::`vector deleting dtor'" },
		{ "??_7A@@6B@", "A::`vftable'" },
		{ "?shared@file@wick@@1PEAHEA", "wick::file::shared" },
		{ "??_C@_02ABCDEFGH@hi?$AA@", "\"hi\"" },
		{ ".?AUA@@", "struct A `RTTI Type Descriptor Name'" },
	};

	(void)state;
	check_door(wk_demangle_bare, rows, sizeof(rows) / sizeof(rows[0]));
}

static void every_operator_has_its_sign(void **state)
{
	static const struct row rows[] = {
		{ "2", "operator new" },
		{ "3", "operator delete" },
		{ "4", "operator=" },
		{ "5", "operator>>" },
		{ "6", "operator<<" },
		{ "7", "operator!" },
		{ "8", "operator==" },
		{ "9", "operator!=" },
		{ "A", "operator[]" },
		{ "C", "operator->" },
		{ "D", "operator*" },
		{ "E", "operator++" },
		{ "F", "operator--" },
		{ "G", "operator-" },
		{ "H", "operator+" },
		{ "I", "operator&" },
		{ "J", "operator->*" },
		{ "K", "operator/" },
		{ "L", "operator%" },
		{ "M", "operator<" },
		{ "N", "operator<=" },
		{ "O", "operator>" },
		{ "P", "operator>=" },
		{ "Q", "operator," },
		{ "R", "operator()" },
		{ "S", "operator~" },
		{ "T", "operator^" },
		{ "U", "operator|" },
		{ "V", "operator&&" },
		{ "W", "operator||" },
		{ "X", "operator*=" },
		{ "Y", "operator+=" },
		{ "Z", "operator-=" },
		{ "_0", "operator/=" },
		{ "_1", "operator%=" },
		{ "_2", "operator>>=" },
		{ "_3", "operator<<=" },
		{ "_4", "operator&=" },
		{ "_5", "operator|=" },
		{ "_6", "operator^=" },
		{ "_D", "`vbase dtor'" },
		{ "_E", "`vector deleting dtor'" },
		{ "_F", "`default ctor closure'" },
		{ "_G", "`scalar deleting dtor'" },
		{ "_H", "`vector ctor iterator'" },
		{ "_I", "`vector dtor iterator'" },
		{ "_J", "`vector vbase ctor iterator'" },
		{ "_K", "`virtual displacement map'" },
		{ "_L", "`eh vector ctor iterator'" },
		{ "_M", "`eh vector dtor iterator'" },
		{ "_N", "`eh vector vbase ctor iterator'" },
		{ "_O", "`copy ctor closure'" },
		{ "_T", "`local vftable ctor closure'" },
		{ "_U", "operator new[]" },
		{ "_V", "operator delete[]" },
		{ "__A", "`managed vector ctor iterator'" },
		{ "__B", "`managed vector dtor iterator'" },
		{ "__C", "`EH vector copy ctor iterator'" },
		{ "__D", "`EH vector vbase copy ctor iterator'" },
		{ "__G", "`vector copy ctor iterator'" },
		{ "__H", "`vector vbase copy constructor iterator'" },
		{ "__I", "`managed vector vbase copy constructor iterator'" },
		{ "__L", "operator co_await" },
		{ "__M", "operator<=>" },
	};
	struct wk_buf mangled = { 0 }, out = { 0 }, expected = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		wk_buf_reset(&mangled);
		wk_buf_add_fmt(&mangled, "?\?%sA@@QEAAXXZ", rows[i].mangled);
		wk_buf_reset(&expected);
		wk_buf_add_fmt(&expected, "A::%s(void)", rows[i].plain);
		assert_non_null(shortened(wk_buf_str(&mangled), &out));
		assert_string_equal(wk_buf_text(&out), wk_buf_text(&expected));
	}
	wk_buf_fini(&mangled);
	wk_buf_fini(&out);
	wk_buf_fini(&expected);
}

/* A name cannot be found again behind ten others, nor the eleventh parameter. */
static void there_are_ten_digits(void **state)
{
	static const struct row rows[] = {
		{ "?f@a@b@c@d@e@g@h@i@j@@YAXU9@@Z", "j::i::h::g::e::d::c::b::a::f(struct j)" },
		{ "?f@@YAXPACPADPAEPAFPAGPAHPAIPAJPAKPAM9@Z",
		  "f(signed char *, char *, unsigned char *, short *, unsigned short *, int *, "
		  "unsigned int *, long *, unsigned long *, float *, float *)" },
		{ "?f@@YAXPACPADPAEPAFPAGPAHPAIPAJPAKPAMPAN9@Z",
		  "f(signed char *, char *, unsigned char *, short *, unsigned short *, int *, "
		  "unsigned int *, long *, unsigned long *, float *, double *, float *)" },
	};
	struct wk_buf out = { 0 };

	(void)state;
	check_rows(rows, sizeof(rows) / sizeof(rows[0]), shortened);
	assert_null(shortened(wk_str_c("?f@a@b@@YAXU3@@Z"), &out));
	assert_null(shortened(wk_str_c("?f@@YAXPAH1@Z"), &out));
	wk_buf_fini(&out);
}

static void what_follows_a_whole_name_is_not_looked_at(void **state)
{
	static const struct row rows[] = {
		{ "?f@@YAXXZ$$h0", "f(void)" },
		{ "?f@@YAXXZ.cold", "f(void)" },
		{ "??_7A@@6B@junk", "const A::`vftable'" },
	};

	(void)state;
	check_rows(rows, sizeof(rows) / sizeof(rows[0]), shortened);
}

/* Every beginning of a name: it ends early, or is a shorter name. */
static void a_name_cut_short_is_no_fault(void **state)
{
	static const char *const names[] = {
		("??$f@$1??$g@$MH0BA@@@YAXXZ$I?h@A@@QEAAXXZ7A@$$BY02H@?$B@P6APEBDAEAV0@@Z@?A0x1@@"
		"QEGBA?AU?$C@$$A8@@IBAXXZ@@P8D@@EAAX$$QEIAHZZ0@Z"),
		"?x@?BA@??f@A@@$R4BA@7PPPPPPPM@A@EAAXPEQB@@HPE__ptrauth2A@BAA@AH@Z@4PEAY02$$CBHEB",
		"??_C@_1BA@ABCDEFGH@?$AAh?$AA?7?$AA?a?$AAo@",
		"??_C@_0BA@ABCDEFGH@hello?0?$AA?z@",
		"??_R1A@?0A@EA@A@B@@8",
		"??__E?x@A@@2HA@@YAXXZ",
		"??_9A@@$BBA@AA",
		"??_B?1??f@@YAXXZ@5BA@",
	};
	struct wk_buf out = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		for (size_t len = 0; len <= strlen(names[i]); len++) {
			char *cut = wk_alloc(len +
					     1); /* so that a sanitizer sees what is read beyond */

			assert_non_null(cut);
			memcpy(cut, names[i], len);
			whole(wk_str_of(cut, len), &out);
			wk_free(cut);
		}
		if (!whole(wk_str_c(names[i]), &out))
			fail_msg("%s was refused", names[i]);
	}
	wk_buf_fini(&out);
}

static void what_is_no_msvc_name_is_refused(void **state)
{
	static const char *const names[] = {
		"",
		"?",
		"??",
		"???",
		".",
		".?A",
		".UA@@x",
		"main",
		"_Z1fv",
		"f@@YAXXZ",
		"?f",
		"?f@",
		"?f@@",
		"?f@@Y",
		"?f@@YA",
		"?f@@YAX",
		"?f@@YAXX",
		"?f@@YAXH@",
		"?f@@YAXHZ",
		"?f@@5HA",
		"?f@@3H",
		"?f@@3HE",
		"?f@@QEXXZ",
		"?f@@$6A@A@AAAXXZ",
		"?f@@@YAXXZ",
		"?1@@YAXXZ",
		"?f@1@YAXXZ",
		"?f@@YAX0@Z",
		"?f@@YAX_A@Z",
		"?f@@YAXL@Z",
		"?f@@YAXW5A@@@Z",
		"?f@@YAXP7AXXZ@Z",
		"?f@@YAXPZH@Z",
		"?f@@YAXA8A@@EAAXXZ@Z",
		"?f@@YAXPAYA@H@Z",
		"?f@@YAXPAY0@Z",
		"?f@@YAXPAY?0H@Z",
		"?f@@YAXPAY00$$CQH@Z",
		"?f@@YAXPE__ptrauth?2A@BAA@AH@Z",
		"?f@@YAX$$R@Z",
		"?f@?$A@",
		"?f@?$A@H@",
		"?f@?$A@H@@",
		"?f@?$A@$0Q@@@YAXXZ",
		"?f@?$A@$3H@@YAXXZ",
		"?f@?$A@$1??_C@_01ABCDEFGH@a?$AA@@@YAXXZ",
		"?f@?$?0@H@@YAXXZ",
		"?f@?$?B@H@@YAXXZ",
		"??0@QEAA@XZ",
		"??BA@@3HA",
		"??BA@@QEAA@XZ",
		"??_ZA@@QEAAXXZ",
		"??_PA@@QEAAXXZ",
		"??_RA@@QEAAXXZ",
		"??aA@@QEAAXXZ",
		"??___A@@QEAAXXZ",
		"??_7A@@",
		"??_7A@@5B@",
		"??_7A@@6",
		"??_9A@@$BBA@BA",
		"??_9A@@$AA",
		"??_B?1??f@@YAXXZ@6",
		"??_R0?AUA@@@",
		"??_R0?AUA@@@8x",
		"??_R1?00A@A@A@@8",
		"??_R2A@@",
		"??__E?f@@YAXXZ",
		"??__E?x@A@@2HA@YAXXZ",
		"??__Ex@A@@2HAYAXXZ",
		"??@0123",
		"??_C@",
		"??_C@_2",
		"??_C@_0",
		"??_C@_01ABCDEFGH",
		"??_C@_01ABCDEFGH@",
		"??_C@_0A@ABCDEFGH@a@",
		"??_C@_0?0ABCDEFGH@a@",
		"??_C@_01ABCDEFGH@?@",
		"??_C@_01ABCDEFGH@?$AQ@",
		"??_C@_12ABCDEFGH@?$AAh?$AA?$AA@",
		"??_C@_10ABCDEFGH@?$AAh@",
		"?x@?1?f@@YAXXZ@4HA",
		"?x@?1??f@@YAXXZ4HA",
	};
	struct wk_buf out = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (whole(wk_str_c(names[i]), &out))
			fail_msg("%s was taken for %s", names[i], wk_buf_text(&out));
	assert_null(whole(wk_str_of("?r\0n@@YAXXZ", 11), &out));
	assert_null(whole(wk_str_c("?r\xffn@@YAXXZ"), &out));
	wk_buf_fini(&out);
}

static void names_above_the_limit_are_refused(void **state)
{
	struct wk_buf name = { 0 }, out = { 0 };

	(void)state;
	wk_buf_add_text(&name, "?f@@YAX");
	while (name.len < WK_DEMANGLE_LIMIT - 2)
		wk_buf_add_char(&name, 'H');
	wk_buf_add_text(&name, "@Z");
	assert_true(wk_demangle_msvc_bare(wk_buf_str(&name), &out));
	assert_string_equal(wk_buf_text(&out), "f");
	name.len -= 2;
	wk_buf_add_text(&name, "H@Z");
	assert_false(wk_demangle_msvc_bare(wk_buf_str(&name), &out));
	WK_BUF_FINI_ALL(&name, &out);
}

static void the_buffer_keeps_what_it_held(void **state)
{
	struct wk_buf out = { .limit = 10 };

	(void)state;
	wk_buf_add_text(&out, "at ");
	assert_false(wk_demangle_msvc(wk_str_c("?f@@YAX"), true, &out));
	assert_false(wk_demangle_msvc(wk_str_c("?fg@@YAXXZ"), true, &out));
	assert_string_equal(wk_buf_text(&out), "at ");
	assert_false(out.full);
	assert_true(wk_demangle_msvc(wk_str_c("?f@@YAXH@Z"), true, &out));
	assert_string_equal(wk_buf_text(&out), "at f(int)");
	wk_buf_fini(&out);
}

/* --- Names made to be slow ----------------------------------------------------------------- */

/* Ten parameters, each a function of twenty times the one before it: 20^9 ints. */
static void growing_parameters_are_refused_at_once(void **state)
{
	static const char digits[] = "0123456789";
	struct wk_buf name = { 0 }, out = { 0 };

	(void)state;
	wk_buf_add_text(&name, "?f@@YAXPAH");
	for (size_t i = 0; i < 9; i++) {
		char digit[] = { digits[i], '\0' };

		wk_buf_add_text(&name, "P6AX");
		repeat(&name, digit, 20);
		wk_buf_add_text(&name, "@Z");
	}
	wk_buf_add_text(&name, "@Z");
	assert_false(answers_in_time(whole, wk_buf_str(&name), &out));
	wk_buf_fini(&name);
	wk_buf_fini(&out);
}

/* `open` and `close` around each other. */
static bool nests(size_t depth, const char *lead, const char *open, const char *close,
		  const char *tail)
{
	struct wk_buf name = { 0 }, out = { 0 };
	bool answered;

	wk_buf_add_text(&name, lead);
	repeat(&name, open, depth);
	repeat(&name, close, depth);
	wk_buf_add_text(&name, tail);
	answered = answers_in_time(whole, wk_buf_str(&name), &out);
	wk_buf_fini(&name);
	wk_buf_fini(&out);
	return answered;
}

static void nesting_is_followed_as_deep_as_people_go_and_no_deeper(void **state)
{
	static const struct {
		const char *lead, *open, *close, *tail;
	} nestings[] = {
		{ "?f@@YAX", "PA", "", "H@Z" },
		{ "?f@@YAX", "P6A", "XZ", "@Z" },
		{ "?f@@YAX", "V?$a@", "@@", "@Z" },
		{ "?x@", "?1??f@", "@YAXXZ", "@4HA" },
		{ "?f@@YAX", "V?$a@$1?x@", "@3HA@@", "@Z" },
	};

	(void)state;
	assert_true(nests(200, "?f@@YAX", "PA", "", "H@Z"));
	assert_false(nests(300, "?f@@YAX", "PA", "", "H@Z"));
	assert_true(nests(60, "?f@@YAX", "V?$a@", "@@", "@Z"));
	assert_false(nests(2000, "?f@@YAX", "V?$a@", "@@", "@Z"));
	assert_true(nests(60, "?x@", "?1??f@", "@YAXXZ", "@4HA"));
	assert_false(nests(2000, "?x@", "?1??f@", "@YAXXZ", "@4HA"));
	for (size_t i = 0; i < sizeof(nestings) / sizeof(nestings[0]); i++)
		for (size_t depth = 100; depth <= 6000; depth += 1900)
			nests(depth, nestings[i].lead, nestings[i].open, nestings[i].close,
			      nestings[i].tail);
}

/* A lead, a unit that is repeated up to the longest name that is looked at, and a tail. */
static void long_names_are_answered_in_time(void **state)
{
	static const char *const names[][3] = {
		{ "?", "a@", "@3HA" },
		{ "?a@", "0", "@3HA" },
		{ "?f@@YAX", "H", "@Z" },
		{ "?f@@YAXPAH", "0", "@Z" },
		{ "?f@@YAX", "P6AXXZ", "@Z" },
		{ "?f@@YAX", "V?$a@H@@", "@Z" },
		{ "?f@@YAX", "V?$a@V?$b@H@@@@", "@Z" },
		{ "?f@@YAX", "V?$a@H@0@", "@Z" },
		{ "?f@", "?$a@H@", "@YAXXZ" },
		{ "?f@", "?A0x1@", "@YAXXZ" },
		{ "?x@", "?1??f@@YAXXZ@", "4HA" },
		{ "?x@", "?BBBBBB@", "@4HA" },
		{ "?x@", "?B", "@4HA" },
		{ "?f@?$a@", "$00", "@@YAXXZ" },
		{ "?f@?$a@", "$1?x@@3HA", "@@YAXXZ" },
		{ "?f@?$a@", "$S", "@@YAXXZ" },
		{ "?f@?$a@", "$M", "H0A@@@YAXXZ" },
		{ "?", "?$", "" },
		{ "?", "?__E", "" },
		{ "??_7a@@6B", "b@@", "@" },
		{ "??_C@_0BAAAA@ABCDEFGH@", "a", "@" },
		{ "??_C@_1BAAAA@ABCDEFGH@", "?$BA", "@" },
		{ "?f@@YAXPAY", "P", "@0H@Z" },
		{ "?f@@YAXPAYBAAA@", "0", "H@Z" },
		{ "?f@@YAXP__ptrauth", "P", "@" },
	};
	struct wk_buf name = { 0 }, out = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		stretched(&name, names[i][0], names[i][1], 65000, names[i][2]);
		answers_in_time(whole, wk_buf_str(&name), &out);
	}
	wk_buf_reset(&name);
	repeat(&name, "?", 70000);
	assert_false(answers_in_time(whole, wk_buf_str(&name), &out));
	wk_buf_fini(&name);
	wk_buf_fini(&out);
}

/* --- The fixtures -------------------------------------------------------------------------- */

static void names_agree_with_the_fixture(void **state)
{
	(void)state;
	check_table(whole, "msvc.tsv");
}

static void short_names_agree_with_the_fixture(void **state)
{
	(void)state;
	check_table(shortened, "msvc-short.tsv");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_function_shows_access_convention_and_types),
		cmocka_unit_test(a_variable_shows_its_type_and_its_access),
		cmocka_unit_test(builtin_types_have_their_names),
		cmocka_unit_test(qualifiers_and_declarators_are_written_inside_out),
		cmocka_unit_test(types_are_named_with_their_kind),
		cmocka_unit_test(template_arguments_are_types_and_values),
		cmocka_unit_test(digits_refer_to_names_and_parameters_before),
		cmocka_unit_test(operators_are_written_as_in_source),
		cmocka_unit_test(local_things_come_behind_their_function),
		cmocka_unit_test(special_names_say_what_they_are),
		cmocka_unit_test(strings_show_their_beginning),
		cmocka_unit_test(the_short_form_says_what_is_called_with_what),
		cmocka_unit_test(functions_are_shown_short_and_types_whole),
		cmocka_unit_test(a_bare_name_has_no_parameters),
		cmocka_unit_test(every_operator_has_its_sign),
		cmocka_unit_test(there_are_ten_digits),
		cmocka_unit_test(what_follows_a_whole_name_is_not_looked_at),
		cmocka_unit_test(a_name_cut_short_is_no_fault),
		cmocka_unit_test(what_is_no_msvc_name_is_refused),
		cmocka_unit_test(names_above_the_limit_are_refused),
		cmocka_unit_test(the_buffer_keeps_what_it_held),
		cmocka_unit_test(growing_parameters_are_refused_at_once),
		cmocka_unit_test(nesting_is_followed_as_deep_as_people_go_and_no_deeper),
		cmocka_unit_test(long_names_are_answered_in_time),
		cmocka_unit_test(names_agree_with_the_fixture),
		cmocka_unit_test(short_names_agree_with_the_fixture),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
