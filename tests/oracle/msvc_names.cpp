// What test_demangle_msvc.py has compiled for Windows, for the names that are linked.
typedef __SIZE_TYPE__ size_t;

// Parameters of each kind.
enum plain { one, two };
enum class scoped : char { three };
union either { int number; float real; };
struct item {
	int price, counts[3];
	item(int = 4);
	item(const item &, int = 5);
	~item();
	void by_value() &;
	void by_move() &&;
	void quiet() const volatile noexcept;
	int operator()(int) const;
	bool operator!=(const item &) const;
	item operator++(int);
	item *operator->();
	int operator->*(int);
	void operator,(int);
	void *operator new(size_t);
	void *operator new[](size_t);
	void operator delete(void *);
	void operator delete[](void *);
	explicit operator bool() const;
	static int all(int, ...);
};
item::item(int) {}
item::item(const item &, int) {}
item::~item() {}
void item::by_value() & {}
void item::by_move() && {}
void item::quiet() const volatile noexcept {}
int item::operator()(int) const { return 0; }
bool item::operator!=(const item &) const { return false; }
item item::operator++(int) { return *this; }
item *item::operator->() { return this; }
int item::operator->*(int) { return 0; }
void item::operator,(int) {}
void *item::operator new(size_t) { return 0; }
void *item::operator new[](size_t) { return 0; }
void item::operator delete(void *) {}
void item::operator delete[](void *) {}
item::operator bool() const { return true; }
int item::all(int, ...) { return 0; }
int operator""_km(unsigned long long) { return 0; }

void letters(bool, char, signed char, unsigned char, short, unsigned short, int, unsigned, long,
	     unsigned long, long long, unsigned long long, float, double, long double, wchar_t,
	     char16_t, char32_t, decltype(nullptr), ...) {}
void pointers(int **, const int *const *, int *__restrict, volatile int *volatile, int &, int &&,
	      int (&)[3], int (*)[2][3], const int (*)[4], plain, scoped, either, either *) {}
void functions(void (*)(int), int (*(*)(char))(short), void (&)(int), void (&&)(long),
	       void (*)(int) noexcept, int (*)(int, ...), int (*const *)(), int (*(*)[3])(int)) {}
void members(int item::*, int (item::*)[3], void (item::*)() const, void (item::*)() &,
	     int item::*const *, void (item::*)() noexcept) {}
void __vectorcall wide(float) {}
void __stdcall standard(int) {}
void __fastcall fast(int, int) {}
int (*gives_function(int))(char) { return 0; }
int (item::*gives_method())(int) { return 0; }
int (&gives_array())[4] { static int array[4]; return array; }
auto gives_auto() { return 1; }
decltype(auto) gives_decltype() { return 1; }
const item gives_const() { return item(); }

// Variables.
int number;
extern const int constant = 4;
volatile int changing;
const char *const names[] = { "a" };
int table[3][4], (*row)[4], (*hook)(int), (item::*method)(int), item::*field;
int &reference = number;
int &&temporary = 3;

// Namespaces without a name, and functions that come back in their own parameters.
namespace {
struct hidden { virtual void show(); virtual ~hidden(); };
void hidden::show() {}
hidden::~hidden() {}
template<class T> struct box { T held; };
int look(hidden *, box<hidden *>) { return 0; }
}
hidden known;
int (*looking)(hidden *, box<hidden *>) = look;
namespace out { namespace in { struct out { struct in { out *back(in, out &, in *); }; }; } }
using nested = out::in::out::in;
out::in::out *nested::back(nested, out &, nested *) { return 0; }

// Templates.
template<class... T> struct types { static void run() {} static int sum; };
template<class... T> int types<T...>::sum = 1;
template struct types<>;
template struct types<int, char &, const item *, types<>, types<int>, void (*)(int), int item::*,
		      int[3], const int[4], void(int), int() const, int() &&, const item, volatile int,
		      int[], types<types<types<int>>>, hidden, plain, scoped>;
template<int... N> struct numbers { static void run() {} };
template struct numbers<1, 2, -3, 0, 1000000>;
template struct numbers<>;
template<long long A, unsigned long long B, bool C, scoped D> struct values {
	static void run() {}
};
template struct values<-9223372036854775807LL - 1, ~0ULL, true, scoped::three>;
void called(int) {}
template<void (*F)(int)> struct of_function { static void run() {} };
template struct of_function<called>;
template struct of_function<nullptr>;
template<int &R> struct of_reference { static void run() {} };
template struct of_reference<number>;
template<int item::*M> struct of_field { static void run() {} };
template struct of_field<&item::price>;
template struct of_field<nullptr>;
template<int (item::*M)(int) const> struct of_method { static void run() {} };
template struct of_method<&item::operator()>;
template<template<class...> class T> struct of_template { static void run() {} };
template struct of_template<types>;
template<class T, int N> struct array {
	T held[N];
	template<class U> array &operator=(const U &) { return *this; }
	template<class U> operator U() { return U(); }
	operator T *() { return held; }
};
void use(array<int, 3> &a) { a = 3.0; (void)a.operator array<int, 2>(); (void)(int *)a; }
struct a1; struct a2; struct a3; struct a4; struct a5; struct a6; struct a7; struct a8; struct a9;
struct b0; struct b1; struct b2;
template<class... T> void many(T *..., a1 *, a9 *, b0 *, b1 *, b2 *) {}
template void many<a1, a2, a3, a4, a5, a6, a7, a8, a9, b0, b1, b2>(a1 *, a2 *, a3 *, a4 *, a5 *,
	a6 *, a7 *, a8 *, a9 *, b0 *, b1 *, b2 *, a1 *, a9 *, b0 *, b1 *, b2 *);

// Tables, thunks and guards.
struct first { virtual void a(); virtual int b(int) const; virtual ~first(); int one; };
void first::a() {}
int first::b(int) const { return 0; }
first::~first() {}
struct second { virtual void c(); virtual first *d(); virtual ~second(); int two; };
void second::c() {}
first *second::d() { return 0; }
second::~second() {}
struct both : first, second {
	void a() override;
	void c() override;
	both *d() override;
	~both();
};
void both::a() {}
void both::c() {}
both *both::d() { return this; }
both::~both() {}
struct shared : virtual first { shared(); void a() override; ~shared(); int three; };
shared::shared() {}
void shared::a() {}
shared::~shared() {}
struct deep : virtual second, shared { deep(); void c() override; void a() override; ~deep(); };
deep::deep() {}
void deep::c() {}
void deep::a() {}
deep::~deep() {}
template<void (deep::*M)()> struct of_virtual { static void run() {} };
template struct of_virtual<&deep::c>;
template<void (both::*M)()> struct of_second { static void run() {} };
template struct of_second<&both::c>;
item started(3);
namespace kept {
struct shelf { static inline item best { 7 }; };
template<class T> struct typed { static item m; };
template<class T> item typed<T>::m(9);
template struct typed<shelf>;
thread_local item own(8);
}
int *use_kept() { return &kept::own.price + kept::shelf::best.price; }
inline int &guarded()
{
	static item a(4), b(5);
	{
		static item c(6);
		a.price += c.price;
	}
	return a.price;
}
int use_guarded() { return guarded(); }
extern "C" int plain_c() { struct inner { static int run() { return 3; } }; return inner::run(); }
void throws() { try { throw item(3); } catch (item &) { throw; } catch (const char *) {} }

// Lambdas and other local things.
template<class T> int locals(T a)
{
	static T kept = a;
	struct local { T held; void run() {} } l;
	l.run();
	return [&](T x) { return [=](int y) { return y + (int)(size_t)&x; }(3); }(a);
}
template int locals<int>(int);
int lambdas(int q)
{
	auto generic = [](auto a, auto... b) { static int k = 0; return k + sizeof...(b); };
	return [q](int a) { return a + q; }(1) + generic(1, 2, 3.0) + generic('a');
}
int (*converted)(int) = [](int x) { return x; };

// Strings.
const wchar_t *wide_text() { return L"hi\n\x1234"; }
const char16_t *text_16() { return u"abc\u4e2d"; }
const char32_t *text_32() { return U"xyz\U0001F600"; }
const char *text(int i)
{
	const char *texts[] = { "", "a 'b' \"c\" \\ \t\n\r\a\b\f\v\x01\x7f\xff",
				"0123456789012345678901234567890123456789", "before\0behind",
				"?@!#$%^&*()_+[]{}|;:,./<>?" };
	return texts[i];
}
