/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The launcher runs in a process group of its own, so that everything it starts on this host can be
 * ended together, and ^C reaches only the coordinator. It is reaped at the very end: until then, no
 * other group can get its number.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/socket.h"
#include "base/text.h"
#include "cmd/mesh/mesh_run.h"

#define OWN_AGENT_MSEC 2000u
#define TERM_MSEC      3000u
/* Time for the kernel to end a killed process. */
#define KILLED_MSEC	   2000u
#define LAUNCHER_POLL_MSEC 20
#define EXEC_FAILED	   127

/* Runs in the child. */
static void run_launcher(char *const *command, const char *token, const int input[2], int output,
			 int failure, pid_t parent)
{
	sigset_t none;
	int error;

	setpgid(0, 0);
	/* It must end with the coordinator, however that ends; agents end with their connection. */
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != parent)
		_exit(EXEC_FAILED);
	dup2(input[0], STDIN_FILENO);
	dup2(output, STDOUT_FILENO);
	dup2(output, STDERR_FILENO);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	/* The coordinator ignores these, but a launcher's commands may rely on them: yes | head. */
	signal(SIGPIPE, SIG_DFL);
	signal(SIGXFSZ, SIG_DFL);
	setenv("RDMACTL_TOKEN", token, 1);
	execvp(command[0], command);
	error = errno;
	if (write(failure, &error, sizeof(error)) != (ssize_t)sizeof(error))
		_exit(EXEC_FAILED);
	_exit(EXEC_FAILED);
}

static void close_both(const int ends[2])
{
	close(ends[0]);
	close(ends[1]);
}

static int open_pipes(int *const pipes[], size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (pipe2(pipes[i], O_CLOEXEC)) {
			int rc = -errno;

			while (i-- > 0)
				close_both(pipes[i]);
			return rc;
		}
	return 0;
}

/* Returns 0 once it runs. Its file may be on a hanging file system: a signal must end the wait. */
static int wait_for_exec(int failure, int signals)
{
	int error = 0, rc;
	ssize_t got;

	fcntl(failure, F_SETFL, O_NONBLOCK);
	do {
		rc = socket_wait(failure, POLLIN, signals, UINT64_MAX);
		got = rc ? 0 : read(failure, &error, sizeof(error));
	} while (got < 0 && errno == EAGAIN);
	return rc ? rc : got == (ssize_t)sizeof(error) ? -error : 0;
}

int mesh_launch_start(struct mesh_launch *launch, char *const *command, const char *token,
		      int signals)
{
	const pid_t parent = getpid();
	int input[2], output[2], failure[2], status;
	int rc = open_pipes((int *const[]){input, output, failure}, 3);
	pid_t pid;

	if (rc)
		return rc;
	/* A line fits into a pipe. Some launchers pass their standard input on to agents. */
	dprintf(input[1], "%s\n", token);
	fflush(NULL);
	pid = fork();
	rc = -errno;
	if (!pid)
		run_launcher(command, token, input, output[1], failure[1], parent);
	close_both(input);
	close(output[1]);
	close(failure[1]);
	if (pid > 0) {
		setpgid(pid, pid);
		rc = wait_for_exec(failure[0], signals);
	}
	close(failure[0]);
	if (rc) {
		close(output[0]);
		if (pid > 0) {
			kill(-pid, SIGKILL);
			mesh_agent_wait_for(pid, KILLED_MSEC, &status);
		}
		return rc;
	}
	fcntl(output[0], F_SETFL, O_NONBLOCK);
	*launch = (struct mesh_launch){.pid = pid, .output = output[0]};
	return 0;
}

/* Whether it is indented, perhaps after the `host: ` that srun -l, pdsh and clush put before it. */
static bool is_indented(const char *line)
{
	const size_t word = strcspn(line, " ");

	return !word || (line[word - 1] == ':' && !strncmp(line + word, "  ", 2));
}

static void end_line(struct mesh_launch *launch, void (*say)(void *context, const char *line),
		     void *context)
{
	_cleanup_(freep) char *clean = text_clean(launch->line, launch->length);

	launch->length = 0;
	if (!*clean)
		return;
	if (say)
		say(context, clean);
	/* An indented line belongs to the one before it: the agents' next steps are so. */
	if (launch->last && is_indented(clean))
		return;
	free(launch->last);
	launch->last = clean;
	clean = NULL;
}

bool mesh_launch_read(struct mesh_launch *launch, void (*say)(void *context, const char *line),
		      void *context)
{
	char text[4096];
	ssize_t got = launch->output < 0 ? 0 : read(launch->output, text, sizeof(text));

	for (ssize_t i = 0; i < got; i++) {
		if (text[i] == '\n' || launch->length == sizeof(launch->line))
			end_line(launch, say, context);
		if (text[i] != '\n')
			launch->line[launch->length++] = text[i];
	}
	if (got > 0)
		return true;
	if (got < 0 && (errno == EAGAIN || errno == EINTR))
		return false;
	end_line(launch, say, context);
	if (launch->output >= 0)
		close(launch->output);
	launch->output = -1;
	return false;
}

bool mesh_launch_has_ended(struct mesh_launch *launch)
{
	siginfo_t info = {.si_pid = 0};

	if (!launch->pid || launch->ended)
		return launch->ended;
	if (waitid(P_PID, (id_t)launch->pid, &info, WEXITED | WNOHANG | WNOWAIT) || !info.si_pid)
		return false;
	launch->ended = true;
	/* In the format of waitpid(). */
	launch->status = info.si_code == CLD_EXITED ? (info.si_status & 0xff) << 8
						    : info.si_status & 0x7f;
	return true;
}

char *mesh_launch_end_text(const struct mesh_launch *launch)
{
	if (WIFEXITED(launch->status))
		return mem_format("ended with status %d", WEXITSTATUS(launch->status));
	return mem_format("was killed by signal %d", WTERMSIG(launch->status));
}

/* Waits for the end, and reads meanwhile, because a full pipe would prevent it. */
static bool wait_for_end(struct mesh_launch *launch, unsigned int msec)
{
	const uint64_t end = clock_msec() + msec;

	while (!mesh_launch_has_ended(launch) && clock_msec() < end) {
		struct pollfd output = {.fd = launch->output, .events = POLLIN};

		if (poll(&output, 1, LAUNCHER_POLL_MSEC) > 0)
			mesh_launch_read(launch, NULL, NULL);
	}
	return launch->ended;
}

bool mesh_launch_stop(struct mesh_launch *launch, unsigned int msec)
{
	const uint64_t end = clock_msec() + msec + TERM_MSEC;
	bool ended;

	if (!launch->pid)
		return true;
	wait_for_end(launch, msec);
	/* A stopped process must continue to end. */
	kill(-launch->pid, SIGTERM);
	kill(-launch->pid, SIGCONT);
	wait_for_end(launch, (unsigned int)clock_msec_until(end));
	kill(-launch->pid, SIGKILL);
	ended = wait_for_end(launch, KILLED_MSEC);
	if (ended)
		waitpid(launch->pid, &launch->status, 0);
	/* The launcher has been reaped, so the group is empty once nobody gets a signal. */
	for (int i = 0; i < 50 && ended && (!kill(-launch->pid, 0) || errno != ESRCH); i++)
		usleep(LAUNCHER_POLL_MSEC * 1000);
	mesh_launch_read(launch, NULL, NULL);
	if (launch->output >= 0)
		close(launch->output);
	launch->output = -1;
	free(launch->last);
	launch->last = NULL;
	launch->pid = 0;
	return ended;
}

bool mesh_end_own_agent(pid_t pid)
{
	int status;

	if (!pid || mesh_agent_wait_for(pid, OWN_AGENT_MSEC, &status))
		return true;
	kill(pid, SIGKILL);
	return mesh_agent_wait_for(pid, KILLED_MSEC, &status);
}
