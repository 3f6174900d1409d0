/* Records a command without the names of what was sampled. Exits 77 if this system does not let it
 * record. Usage: no_embed FILE COMMAND [ARGUMENT...] */
#include <stdio.h>

#include <wick/wick.h>

int main(int argc, char **argv)
{
	struct wick_record_options options = { .size = sizeof(options), .no_embed = true };
	struct wick_context *wick = wick_context_new(NULL, NULL);
	struct wick_error error = { 0 };
	bool ok;

	options.command = argv + 2;
	ok = wick && argc > 2 && wick_record(wick, argv[1], &options, NULL, &error);
	wick_context_free(wick);
	if (!ok)
		fprintf(stderr, "%s\n", error.text);
	return ok ? 0 : 77;
}
