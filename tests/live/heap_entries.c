/* Functions of an allocator that begin in ways that compilers and assemblers have: each must do the
 * same when its first instructions run elsewhere.
 *
 *     heap_entries TIMES      ends with 0 if all results are right */
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define BYTES (64u << 20)

static char *memory;
static size_t used;
static jmp_buf out;

void *take(size_t size);
void give(void *block);
void *alloc_jump(size_t size);
void *alloc_short_jump(size_t size);
void *alloc_branch(size_t size);
void *alloc_call(size_t size);
void *alloc_indirect(size_t size);
void *alloc_relative(size_t size);
void *alloc_loop(size_t size);
void *alloc_tiny(size_t size);
void *alloc_leaf(size_t size);
void *alloc_or_jump(size_t size);
void *alloc_nested(size_t size);
void *alloc_nine(size_t size, int b, long c, const char *d, int e, int f, long g, int h, long i);

extern void *(*const alloc_pointer)(size_t size);
extern int alloc_flag;

void *(*const alloc_pointer)(size_t size) = take;
int alloc_flag = 7;

__attribute__((noinline)) void *take(size_t size)
{
	char *at = memory + used;

	if (used > BYTES)
		abort();
	used += (size + 15) / 16 * 16;
	return used <= BYTES ? at : NULL;
}

__attribute__((noinline)) void give(void *block)
{
	if (!block)
		abort();
	memset(block, 0, 1);
}

#define FUNCTION(name, code)                                                                       \
	__asm__(".pushsection .text\n.balign 16\n.globl " #name "\n.type " #name                   \
		", @function\n" #name ":\n" code "\n.size " #name ", . - " #name "\n.popsection");

FUNCTION(alloc_jump, "jmp take")
FUNCTION(alloc_short_jump, "jmp 1f\nnop\nnop\nnop\n1: jmp take")
FUNCTION(alloc_branch, "test %rdi, %rdi\nje 1f\njmp take\n1: xor %eax, %eax\nret")
FUNCTION(alloc_call, "sub $8, %rsp\ncall take\nadd $8, %rsp\nret")
FUNCTION(alloc_indirect, "sub $8, %rsp\ncall *alloc_pointer(%rip)\nadd $8, %rsp\nret")
FUNCTION(alloc_relative, "cmpl $7, alloc_flag(%rip)\njne 1f\njmp take\n1: xor %eax, %eax\nret")
/* Not to be moved. */
FUNCTION(alloc_loop, "push %rbx\n1: mov %rdi, %rbx\ntest %rdi, %rdi\njne 2f\nmov $1, %edi\njmp 1b\n"
		     "2: call take\npop %rbx\nret")
FUNCTION(alloc_leaf, "mov $0, %rax\nret")
FUNCTION(alloc_tiny, "xor %eax, %eax\nret\n.size alloc_tiny, . - alloc_tiny\npush %rbx\npop %rbx")

__attribute__((noinline)) void *alloc_or_jump(size_t size)
{
	if (size > BYTES / 2)
		longjmp(out, 1);
	return take(size);
}

/* What libc's malloc gives here is not counted. */
__attribute__((noinline)) void *alloc_nested(size_t size)
{
	void *volatile inner = malloc(100);
	void *block = alloc_jump(size);

	free(inner);
	return block;
}

__attribute__((noinline)) void *alloc_nine(size_t size, int b, long c, const char *d, int e, int f,
					   long g, int h, long i)
{
	int is_right = b == 2 && c == 3 && strcmp(d, "4") == 0 && e == 5 && f == 6 && g == 7 &&
		       h == 8 && i == 9;

	return is_right ? take(size) : NULL;
}

static int check(void *block)
{
	if (!block)
		return 1;
	give(block);
	return 0;
}

/* As deep as `words` says, so that arguments cross a page somewhere. */
static __attribute__((noinline)) int nine(unsigned words)
{
	char *volatile room = __builtin_alloca(words * 16);

	room[0] = 0;
	return check(alloc_nine(90, 2, 3, "4", 5, 6, 7, 8, 9));
}

int main(int count, char **arguments)
{
	volatile int times = atoi(arguments[count - 1]), wrong = 0, i;

	memory = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	for (i = 0; i < times; i++) {
		wrong += check(alloc_jump(10)) + check(alloc_short_jump(20)) +
			 check(alloc_branch(30)) + check(alloc_call(40)) +
			 check(alloc_indirect(50)) + check(alloc_relative(60)) +
			 check(alloc_nested(70)) + nine((unsigned)i % 256);
		wrong += alloc_branch(0) != NULL;
		if (setjmp(out) == 0)
			alloc_or_jump(BYTES);
		wrong += check(alloc_or_jump(80));
	}
	if (!check(alloc_loop(100)) && !alloc_tiny(1) && !alloc_leaf(1))
		printf("%d wrong\n", wrong);
	return wrong != 0;
}
