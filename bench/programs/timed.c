/* timed REPORT COMMAND...: runs it and writes its CPU seconds, with all it started, to a file. */
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int count, char **words)
{
	struct rusage usage;
	int status = 0;
	pid_t pid = count > 2 ? fork() : -1;
	FILE *report;

	if (pid == 0) {
		execvp(words[2], words + 2);
		_exit(127);
	}
	if (pid < 0 || wait4(pid, &status, 0, &usage) != pid)
		return 1;
	report = fopen(words[1], "w");
	if (!report)
		return 1;
	fprintf(report, "%.6f\n",
		(double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
			(double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6);
	fclose(report);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
