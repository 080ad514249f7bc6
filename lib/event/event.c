/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "event/event.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"

static const enum severity severities[] = {
#define WORD_SEVERITY(code, word, severity, help) [EVENT_##code] = SEVERITY_##severity,
	EVENT_WORDS(WORD_SEVERITY)
#undef WORD_SEVERITY
};

enum severity event_severity_of(enum event_word word)
{
	return severities[word];
}

struct event *event_list_add(struct event_list *list, enum event_word word,
			     const struct event_time *time, enum event_source source)
{
	struct event *event = mem_append(&list->items, &list->count, sizeof(*list->items));

	event->time = *time;
	event->word = number_of(word);
	event->severity = number_of(severities[word]);
	event->source = number_of(source);
	return event;
}

void event_clear(struct event *event)
{
	free(event->object);
	free(event->device);
	free(event->netdev);
	free(event->change);
	free(event->netdev_before.master);
	free(event->netdev_after.master);
	free(event->gid_before.netdev);
	free(event->gid_after.netdev);
	free(event->attached_before);
	free(event->attached);
	free(event->name_before);
	free(event->counter);
	*event = (struct event){.object = NULL};
}

void event_list_clear(struct event_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		event_clear(&list->items[i]);
	free(list->items);
	*list = (struct event_list){.items = NULL};
}
