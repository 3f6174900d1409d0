/* Forks and runs itself under another name, again and again.
 *
 *	fork_exec COUNT
 *
 * Each child runs this program as "fork_exec child" and ends with code 7. */
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int count = argc > 1 ? atoi(argv[1]) : 1000;
	char self[4096];
	ssize_t len = readlink("/proc/self/exe", self, sizeof(self) - 1);

	if (argc > 1 && strcmp(argv[1], "child") == 0)
		return 7;
	if (len < 0)
		return 1;
	self[len] = '\0';
	for (int i = 0; i < count; i++) {
		pid_t pid = fork();
		int status;

		if (pid < 0)
			return 1;
		if (pid == 0) {
			execl(self, argv[0], "child", (char *)NULL);
			_exit(1);
		}
		if (waitpid(pid, &status, 0) != pid || WEXITSTATUS(status) != 7)
			return 1;
	}
	return 0;
}
