/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Linked into the program with sanitizers (-Wl,--wrap=main): `rdmactl __many` runs many commands in
 * one process, for tests that compare thousands of runs, because to start and end a process takes
 * longer than most commands. It is possible because the program has no writable globals; what a
 * command leaves behind in the process (the timer of --timeout, blocked signals) is undone after
 * each run. The leak check at the end is for all of the runs. The client is tests/many.py. With
 * planted.c, a test checks that errors are still reported.
 *
 * Each line of standard input is a run: the file for its output, the file for its errors, the name
 * of the program, and the words of its command line, separated by tabs. The answer is a line with
 * the exit status.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

enum { MAX_WORDS = 64 };

int __real_main(int argc, char **argv);
int __wrap_main(int argc, char **argv);

static void must(bool done, const char *what)
{
	if (done)
		return;
	perror(what);
	_exit(EXIT_FAILURE);
}

/* A command that starts a program does not hand these down. */
static FILE *keep(int fd, const char *mode)
{
	FILE *stream = fdopen(fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1), mode);

	must(stream, "many");
	return stream;
}

static void redirect(int fd, const char *path, int flags)
{
	int file = open(path, flags | O_CLOEXEC, 0600);

	must(file >= 0 && dup2(file, fd) == fd, path);
	close(file);
}

static int run(char *line)
{
	char *words[MAX_WORDS], *rest = line;
	int count = 0, status;
	sigset_t blocked;

	line[strcspn(line, "\n")] = '\0';
	while (count < MAX_WORDS - 1 && (words[count] = strsep(&rest, "\t")))
		count++;
	must(count > 2 && !rest, "many: the words of a run");
	redirect(STDIN_FILENO, "/dev/null", O_RDONLY);
	redirect(STDOUT_FILENO, words[0], O_WRONLY | O_CREAT | O_TRUNC);
	redirect(STDERR_FILENO, words[1], O_WRONLY | O_CREAT | O_TRUNC);
	words[count] = NULL;
	sigprocmask(SIG_SETMASK, NULL, &blocked);
	status = __real_main(count - 2, words + 2);
	setitimer(ITIMER_REAL, &(struct itimerval){.it_value = {0}}, NULL);
	sigprocmask(SIG_SETMASK, &blocked, NULL);
	fflush(stdout);
	fflush(stderr);
	clearerr(stdout);
	clearerr(stderr);
	return status;
}

int __wrap_main(int argc, char **argv)
{
	FILE *requests, *answers;
	char *line = NULL;
	size_t size = 0;
	int errors;

	if (argc != 2 || strcmp(argv[1], "__many") != 0)
		return __real_main(argc, argv);
	requests = keep(STDIN_FILENO, "r");
	answers = keep(STDOUT_FILENO, "w");
	errors = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	must(fputs("ready\n", answers) >= 0 && !fflush(answers), "many");
	while (getline(&line, &size, requests) > 0) {
		fprintf(answers, "%d\n", run(line));
		fflush(answers);
	}
	/* The sanitizers report there. */
	must(dup2(errors, STDERR_FILENO) == STDERR_FILENO, "many");
	free(line);
	fclose(requests);
	fclose(answers);
	close(errors);
	return 0;
}
