/* Prints a number as the program's locale does, and then a picture of the file. */
#include <locale.h>
#include <stdio.h>

#include <wick/wick.h>

static bool print(void *user, const char *bytes, size_t len)
{
	return fwrite(bytes, 1, len, user) == len;
}

int main(int argc, char **argv)
{
	struct wick_context *wick = wick_context_new(NULL, NULL);
	struct wick_profile *profile;

	if (argc < 2 || !setlocale(LC_ALL, ""))
		return 1;
	printf("%.1f\n", 1.5);
	profile = wick_open(wick, argv[1], NULL, NULL);
	if (!profile || !wick_render(profile, "svg", NULL, print, stdout, NULL))
		return 1;
	wick_close(profile);
	wick_context_free(wick);
	return 0;
}
