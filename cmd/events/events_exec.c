/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <ctype.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/mem.h"
#include "cmd/events/events_run.h"
#include "render/format.h"

/* The exit status of a shell for a command that it cannot start. */
#define STATUS_NO_COMMAND 127

/* RDMACTL_STATE_BEFORE for state_before; members that the event lacks are not set. */
static void set_variable(const struct field *field, const struct event *event)
{
	_cleanup_(freep) char *name = mem_format("RDMACTL_%s", field->key);
	struct value value;
	struct text text;

	for (char *c = name; *c; c++)
		*c = (char)toupper(*c);
	field_get(field, event, &value);
	format_value(&value, ",", &text);
	if (text.string)
		setenv(name, text.string, 1);
	else
		unsetenv(name);
	text_release(&text);
}

/* The line of --jsonl. */
static void set_json(const struct event *event)
{
	const void *row = event;
	_cleanup_(columns_free) struct columns columns = columns_of(&event_schema, COLUMNS_ALL);
	const struct document document = {.columns = &columns, .rows = &row, .row_count = 1};
	const struct render_options options = {.format = FORMAT_JSONL};
	_cleanup_(freep) char *text = NULL;

	if (render_to_text(&options, &document, &text))
		return;
	text[strcspn(text, "\n")] = '\0';
	setenv("RDMACTL_JSON", text, 1);
}

/*
 * Runs in the child. Standard output belongs to the events, so the command's goes to standard
 * error.
 */
static void become(const struct events_exec *exec, const struct event *event)
{
	int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
	sigset_t none;

	for (size_t i = 0; i < event_schema.field_count; i++)
		set_variable(&event_schema.fields[i], event);
	set_json(event);
	dup2(nothing, STDIN_FILENO);
	dup2(STDERR_FILENO, STDOUT_FILENO);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGXFSZ, SIG_DFL);
	file_set_limit(exec->most_files);
	execl("/bin/sh", "sh", "-c", exec->command, (char *)NULL);
}

static void start(struct events_exec *exec)
{
	struct event *event = &exec->queue[exec->first];

	/* The child must not print what is still buffered. */
	render_flush(stdout);
	exec->running = fork();
	if (!exec->running) {
		become(exec, event);
		_exit(STATUS_NO_COMMAND);
	}
	if (exec->running < 0) {
		exec->running = 0;
		exec->failed++;
		exec->last_status = STATUS_NO_COMMAND << 8;
	}
	event_clear(event);
	exec->first = (exec->first + 1) % EVENTS_EXEC_MOST;
	exec->count--;
}

void events_exec_add(struct events_exec *exec, struct event *event)
{
	if (!exec->queue)
		exec->queue = mem_alloc_zero(EVENTS_EXEC_MOST, sizeof(*exec->queue));
	if (exec->count == EVENTS_EXEC_MOST) {
		exec->dropped++;
		event_clear(event);
		return;
	}
	exec->queue[(exec->first + exec->count++) % EVENTS_EXEC_MOST] = *event;
	*event = (struct event){.object = NULL};
	if (!exec->running)
		start(exec);
}

void events_exec_reap(struct events_exec *exec)
{
	int status;

	if (exec->running && waitpid(exec->running, &status, WNOHANG) == exec->running) {
		exec->running = 0;
		if (status) {
			exec->failed++;
			exec->last_status = status;
		}
	}
	while (!exec->running && exec->count)
		start(exec);
}

bool events_exec_is_busy(const struct events_exec *exec)
{
	return exec->running || exec->count;
}

void events_exec_end(struct events_exec *exec, struct problems *problems)
{
	const uint64_t lost = exec->dropped + exec->count;
	const int status = exec->last_status;

	if (lost)
		problem_add_format(
			problems, NULL, NULL, NULL,
			exec->dropped
				? "events come faster than the command handles them: narrow them "
				  "down with --event or --severity"
				: "they were still waiting for the command when watching ended",
			"--exec: events not passed on: %" PRIu64, lost);
	if (exec->failed)
		problem_add_format(problems, NULL, NULL, NULL, NULL,
				   "--exec: failed commands: %" PRIu64 ", the last with %s %d",
				   exec->failed, WIFSIGNALED(status) ? "signal" : "exit status",
				   WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
	while (exec->count--) {
		event_clear(&exec->queue[exec->first]);
		exec->first = (exec->first + 1) % EVENTS_EXEC_MOST;
	}
	free(exec->queue);
	*exec = (struct events_exec){.command = NULL};
}
