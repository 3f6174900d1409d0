/* Makes code while it runs and tells its names: in /tmp/perf-PID.map, or in a jitdump that goes
 * on to use one address for several functions.
 *
 *     jit map MILLISECONDS          jit_thirty and jit_seventy, as their names say
 *     jit dump MILLISECONDS FOLDER  jit_first, then jit_second at the same place, then
 *                                   jit_second moved and jit_third where it was
 *     jit bare MILLISECONDS FOLDER  bare_outer calls bare_inner, then bare_wider in its place
 *                                   does, all without frame pointers; the jitdump has their
 *                                   unwinding tables
 *     jit blind MILLISECONDS FOLDER the same without tables
 *     jit fork MILLISECONDS         what a child runs was made and named by its parent
 *
 * Prints "NAME CPU_NANOSECONDS", a line each. */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct piece {
	unsigned char *at;
	size_t size;
	const char *name;
	uint64_t spent_ns;
};

static uint64_t now(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* A function with a frame that counts down. */
static size_t make_code(unsigned char *at)
{
#if defined(__x86_64__)
	static const unsigned char code[] = {
		0x55,                         /* push %rbp */
		0x48, 0x89, 0xe5,             /* mov %rsp, %rbp */
		0xb9, 0x40, 0x0d, 0x03, 0x00, /* mov $200000, %ecx */
		0xff, 0xc9,                   /* dec %ecx */
		0x75, 0xfc,                   /* jnz to it */
		0x5d,                         /* pop %rbp */
		0xc3,                         /* ret */
	};
#elif defined(__aarch64__)
	static const uint32_t code[] = {
		0xa9bf7bfd,                   /* stp x29, x30, [sp, #-16]! */
		0x910003fd,                   /* mov x29, sp */
		0x5281a800, 0x72a00060,       /* mov w0, #200000 */
		0x71000400, 0x54ffffe1,       /* subs w0, w0, #1; b.ne to it */
		0xa8c17bfd,                   /* ldp x29, x30, [sp], #16 */
		0xd65f03c0,                   /* ret */
	};
#else
#error "no code for this machine"
#endif
	memcpy(at, code, sizeof(code));
	__builtin___clear_cache((char *)at, (char *)at + sizeof(code));
	return sizeof(code);
}

static void run(struct piece *piece, uint64_t ns)
{
	uint64_t start = now(CLOCK_THREAD_CPUTIME_ID), end = start;

	while (end - start < ns) {
		((void (*)(void))(uintptr_t)piece->at)();
		end = now(CLOCK_THREAD_CPUTIME_ID);
	}
	piece->spent_ns += end - start;
}

static unsigned char *code_memory(void)
{
	void *at = mmap(NULL, 65536, PROT_READ | PROT_WRITE | PROT_EXEC,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (at == MAP_FAILED) {
		perror("mmap");
		exit(1);
	}
	return at;
}

static struct piece piece_at(unsigned char *at, const char *name)
{
	return (struct piece){ .at = at, .size = make_code(at), .name = name };
}

static void tell(const struct piece *piece)
{
	printf("%s %llu\n", piece->name, (unsigned long long)piece->spent_ns);
}

static void write_map(const struct piece *pieces, size_t count)
{
	char path[64];
	FILE *file;

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)getpid());
	file = fopen(path, "w");
	for (size_t i = 0; file && i < count; i++)
		fprintf(file, "%llx %zx %s\n", (unsigned long long)(uintptr_t)pieces[i].at,
			pieces[i].size, pieces[i].name);
	if (!file || fclose(file) != 0) {
		perror(path);
		exit(1);
	}
}

static void run_mapped(uint64_t ns, int forks)
{
	unsigned char *memory = code_memory();
	struct piece pieces[2] = { piece_at(memory, "jit_thirty(int, char const*)"),
				   piece_at(memory + 256, "jit_seventy") };

	write_map(pieces, 2);
	run(&pieces[0], 1000000);
	if (forks && fork() != 0) {
		wait(NULL);
		return;
	}
	for (int i = 0; i < 10; i++) {
		run(&pieces[0], ns * 3 / 100);
		run(&pieces[1], ns * 7 / 100);
	}
	tell(&pieces[0]);
	tell(&pieces[1]);
}

/* --- The jitdump ------------------------------------------------------------------------- */

static FILE *dump;

static void put32(uint32_t value)
{
	fwrite(&value, 4, 1, dump);
}

static void put64(uint64_t value)
{
	fwrite(&value, 8, 1, dump);
}

static void put_head(uint32_t kind, size_t body)
{
	put32(kind);
	put32((uint32_t)(16 + body));
	put64(now(CLOCK_MONOTONIC));
}

static void begin_dump(const char *folder)
{
	char path[512];

	snprintf(path, sizeof(path), "%s/jit-%d.dump", folder, (int)getpid());
	dump = fopen(path, "w+");
	if (!dump || mmap(NULL, (size_t)sysconf(_SC_PAGESIZE), PROT_READ | PROT_EXEC, MAP_PRIVATE,
			  fileno(dump), 0) == MAP_FAILED) {
		perror(path);
		exit(1);
	}
	put32(0x4a695444);
	put32(1);
	put32(40);
	put32(62);
	put32(0);
	put32((uint32_t)getpid());
	put64(now(CLOCK_MONOTONIC));
	put64(0);
}

/* Its one line, then the piece itself. */
static void put_load(const struct piece *piece, uint64_t index)
{
	static const char file[] = "made.jit";

	put_head(2, 16 + 16 + sizeof(file));
	put64((uintptr_t)piece->at);
	put64(1);
	put64((uintptr_t)piece->at);
	put32((uint32_t)(100 + index));
	put32(0);
	fwrite(file, 1, sizeof(file), dump);

	put_head(0, 40 + strlen(piece->name) + 1 + piece->size);
	put32((uint32_t)getpid());
	put32((uint32_t)getpid());
	put64((uintptr_t)piece->at);
	put64((uintptr_t)piece->at);
	put64(piece->size);
	put64(index);
	fwrite(piece->name, 1, strlen(piece->name) + 1, dump);
	fwrite(piece->at, 1, piece->size, dump);
}

static void put_move(const struct piece *piece, const unsigned char *to, uint64_t index)
{
	put_head(1, 48);
	put32((uint32_t)getpid());
	put32((uint32_t)getpid());
	put64((uintptr_t)to);
	put64((uintptr_t)piece->at);
	put64((uintptr_t)to);
	put64(piece->size);
	put64(index);
}

static void run_dumped(uint64_t ns, const char *folder)
{
	unsigned char *memory = code_memory();
	struct piece first, second, third;

	begin_dump(folder);
	first = piece_at(memory, "jit_first");
	put_load(&first, 1);
	run(&first, ns / 5);
	second = piece_at(memory, "jit_second");
	put_load(&second, 2);
	run(&second, ns / 5);
	put_move(&second, memory + 512, 2);
	second.at = memory + 512;
	make_code(second.at);
	third = piece_at(memory, "jit_third");
	put_load(&third, 3);
	run(&third, ns * 2 / 5);
	run(&second, ns / 5);
	put_head(3, 0);
	fclose(dump);
	tell(&first);
	tell(&second);
	tell(&third);
}

/* --- Code without frame pointers, x86-64 ------------------------------------------------- */

#if defined(__x86_64__)

/* A piece of code and the changes of its stack: behind each `at` the frame has `size` bytes. */
struct bare {
	struct piece piece;
	unsigned char saved; /* the register pushed first */
	struct {
		unsigned char at, size;
	} steps[4];
};

static struct bare make_inner(unsigned char *at)
{
	static const unsigned char code[] = {
		0x55,                         /* push %rbp */
		0x48, 0x83, 0xec, 0x18,       /* sub $24, %rsp */
		0xbd, 0x01, 0x00, 0x00, 0x00, /* mov $1, %ebp: no frame pointer any more */
		0xb9, 0x40, 0x0d, 0x03, 0x00, /* mov $200000, %ecx */
		0xff, 0xc9,                   /* dec %ecx */
		0x75, 0xfc,                   /* jnz to it */
		0x48, 0x83, 0xc4, 0x18,       /* add $24, %rsp */
		0x5d,                         /* pop %rbp */
		0xc3,                         /* ret */
	};
	struct bare bare = { { at, sizeof(code), "bare_inner", 0 }, 6,
			     { { 1, 16 }, { 5, 40 }, { 23, 16 }, { 24, 8 } } };

	memcpy(at, code, sizeof(code));
	return bare;
}

static struct bare make_outer(unsigned char *at, const char *name, unsigned char room,
			      const struct bare *callee)
{
	static const unsigned char code[] = {
		0x53,                               /* push %rbx */
		0x48, 0x83, 0xec, 0x00,             /* sub $room, %rsp */
		0x48, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, /* mov $callee, %rax */
		0xff, 0xd0,                         /* call *%rax */
		0x48, 0x83, 0xc4, 0x00,             /* add $room, %rsp */
		0x5b,                               /* pop %rbx */
		0xc3,                               /* ret */
	};
	uint64_t to = (uintptr_t)callee->piece.at;
	struct bare bare = { { at, sizeof(code), name, 0 }, 3,
			     { { 1, 16 }, { 5, 0 }, { 21, 16 }, { 22, 8 } } };

	memcpy(at, code, sizeof(code));
	memcpy(at + 7, &to, sizeof(to));
	at[4] = at[20] = room;
	bare.steps[1].size = (unsigned char)(16 + room);
	return bare;
}

static size_t add32(unsigned char *to, size_t at, size_t value)
{
	uint32_t word = (uint32_t)value;

	memcpy(to + at, &word, sizeof(word));
	return at + sizeof(word);
}

/* .eh_frame as it would lie behind the code, up to a multiple of 8, and .eh_frame_hdr. */
static size_t make_tables(unsigned char *to, const struct bare *bare, size_t *head_bytes)
{
	static const unsigned char cie[24] = {
		20, 0, 0, 0, 0, 0, 0, 0, 1, 'z', 'R', 0, 1, 0x78, 16, 1, 0x1b,
		0x0c, 7, 8,                           /* DW_CFA_def_cfa: rsp + 8 */
		0x90, 1,                              /* DW_CFA_offset: rip at cfa - 8 */
	};
	static const unsigned char head[4] = { 1, 0x1b, 3, 0x3b };
	size_t code = (bare->piece.size + 7) / 8 * 8, at = sizeof(cie), last = 0, frame;

	memset(to, 0, 128);
	memcpy(to, cie, sizeof(cie));
	at = add32(to, at, 36);
	at = add32(to, at, 28); /* back to the CIE */
	at = add32(to, at, 0 - (code + at));
	at = add32(to, at, bare->piece.size);
	at++;
	for (int i = 0; i < 4; i++) {
		to[at++] = (unsigned char)(0x40 | (bare->steps[i].at - last)); /* advance_loc */
		to[at++] = 0x0e; /* DW_CFA_def_cfa_offset */
		to[at++] = bare->steps[i].size;
		last = bare->steps[i].at;
		if (i == 0) {
			to[at++] = (unsigned char)(0x80 | bare->saved);
			to[at++] = 2; /* at cfa - 16 */
		}
	}
	frame = at = sizeof(cie) + 40;
	memcpy(to + at, head, sizeof(head));
	at = add32(to, at + 4, 0 - (frame + 4));
	at = add32(to, at, 1);
	at = add32(to, at, 0 - (code + frame));
	at = add32(to, at, sizeof(cie) - frame);
	*head_bytes = at - frame;
	return at;
}

static void put_bare(const struct bare *bare, uint64_t index, int has_tables)
{
	unsigned char tables[128];
	size_t head, size = make_tables(tables, bare, &head);

	if (has_tables) {
		put_head(4, 24 + size);
		put64(size);
		put64(head);
		put64(0);
		fwrite(tables, 1, size, dump);
	}
	put_load(&bare->piece, index);
	fflush(dump);
}

static void run_bare(uint64_t ns, const char *folder, int has_tables)
{
	unsigned char *memory = code_memory();
	struct bare inner = make_inner(memory + 512), outer, wider;

	begin_dump(folder);
	put_bare(&inner, 1, has_tables);
	outer = make_outer(memory, "bare_outer", 32, &inner);
	put_bare(&outer, 2, has_tables);
	run(&outer.piece, ns / 2);
	wider = make_outer(memory, "bare_wider", 96, &inner);
	put_bare(&wider, 3, has_tables);
	run(&wider.piece, ns / 2);
	fclose(dump);
	tell(&outer.piece);
	tell(&wider.piece);
}

#else

static void run_bare(uint64_t ns, const char *folder, int has_tables)
{
	(void)ns;
	(void)folder;
	(void)has_tables;
	exit(77);
}

#endif

int main(int argc, char **argv)
{
	uint64_t ns = argc > 2 ? strtoull(argv[2], NULL, 10) * 1000000 : 0;

	if (argc == 3 && strcmp(argv[1], "map") == 0)
		run_mapped(ns, 0);
	else if (argc == 3 && strcmp(argv[1], "fork") == 0)
		run_mapped(ns, 1);
	else if (argc == 4 && strcmp(argv[1], "dump") == 0)
		run_dumped(ns, argv[3]);
	else if (argc == 4 && strcmp(argv[1], "bare") == 0)
		run_bare(ns, argv[3], 1);
	else if (argc == 4 && strcmp(argv[1], "blind") == 0)
		run_bare(ns, argv[3], 0);
	else
		return 2;
	return 0;
}
