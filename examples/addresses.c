/* Prints the functions and source lines of addresses, inlined calls included:
 *
 *	cc addresses.c -o addresses $(pkg-config --cflags --libs wick)
 *	./addresses PROGRAM ADDRESS...		(hexadecimal, as nm prints them)
 *	./addresses PID ADDRESS...		(in the memory of a running process)
 */
#include <stdio.h>
#include <stdlib.h>
#include <wick/wick.h>

static bool print_frame(void *user, const struct wick_frame *frame)
{
	int *count = (int *)user;

	printf("  %s at %s:%u%s\n", frame->function[0] ? frame->function : "??",
	       frame->file[0] ? frame->file : "??", (unsigned)frame->line,
	       frame->is_inlined ? " (inlined)" : "");
	++*count;
	return true;
}

int main(int argc, char **argv)
{
	struct wick_context *wick = wick_context_new(NULL, NULL);
	struct wick_symbols *symbols = wick ? wick_symbols_new(wick, NULL) : NULL;
	struct wick_error error;
	int failed = symbols == NULL || argc < 3;

	for (int i = 2; i < argc && !failed; i++) {
		uint64_t address = strtoull(argv[i], NULL, 16);
		char *end;
		int32_t pid = (int32_t)strtol(argv[1], &end, 10);
		int count = 0;
		bool ok = *end ? wick_symbols_of_file(symbols, argv[1], address, print_frame,
						      &count, &error)
			       : wick_symbols_of_process(symbols, pid, address, print_frame, &count,
							 &error);

		if (!ok) {
			fprintf(stderr, "addresses: %s\n", error.text);
			failed = 1;
		} else if (count == 0) {
			printf("  ??\n");
		}
	}
	wick_symbols_free(symbols);
	wick_context_free(wick);
	return failed;
}
