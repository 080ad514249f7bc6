/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Compares the route found in dumps of the tables (lib/host/fib) with the kernel's route, for each
 * line `ADDRESS [NETDEV]` of standard input, in this network namespace. Prints a line for each:
 * `agree`, `differ` or `guess` (the tables' answer says that it is a guess), and both answers.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "host/fib/fib.h"
#include "host/rtnl.h"

struct answer {
	int rc;
	struct route route;
};

static char *describe(const struct answer *answer, const struct link_list *links)
{
	const struct link *link = link_by_index(links, &answer->route.link_index);
	char source[IP_TEXT_SIZE] = "-";

	if (answer->rc)
		return mem_format("%s", strerror(-answer->rc));
	if (answer->route.source.known)
		ip_format(&answer->route.source.address, source);
	return mem_format("%s %s from %s", answer->route.local ? "local" : "to",
			  link ? link->name : "?", source);
}

static void compare(struct netlink *rtnl, const struct fib *fibs, const struct link_list *links,
		    const struct route_question *question, const char *name)
{
	struct answer live = {.rc = 0}, found = {.rc = 0};
	struct strings doubts = {.items = NULL};
	char *one, *other;

	live.rc = rtnl_get_route(rtnl, question, &live.route);
	found.rc = fib_lookup(&fibs[question->destination.family == AF_INET6], links, question,
			      &found.route, &doubts);
	one = describe(&live, links);
	other = describe(&found, links);
	printf("%s\t%s\t%s\t%s\t%s\n",
	       !strcmp(one, other) ? doubts.count ? "agree-guess" : "agree"
	       : doubts.count	   ? "guess"
				   : "differ",
	       name, one, other, doubts.count ? doubts.items[0] : "");
	strings_free(&doubts);
	free(one);
	free(other);
}

int main(void)
{
	struct link_list links = {.items = NULL};
	struct fib fibs[2] = {{.routes = NULL}};
	struct netlink *rtnl;
	char line[128];

	if (rtnl_open(NULL, &rtnl) || rtnl_get_links(rtnl, &links) ||
	    fib_load(rtnl, AF_INET, &fibs[0]) || fib_load(rtnl, AF_INET6, &fibs[1])) {
		fputs("the tables cannot be read\n", stderr);
		return EXIT_FAILURE;
	}
	while (fgets(line, sizeof(line), stdin)) {
		struct route_question question = {.link_index = 0};
		const struct link *link;
		char *netdev;

		line[strcspn(line, "\n")] = '\0';
		netdev = strchr(line, ' ');
		if (netdev)
			*netdev++ = '\0';
		link = netdev ? link_by_name(&links, netdev) : NULL;
		question.link_index = link ? (unsigned int)link->index.value : 0;
		if (!ip_parse(line, &question.destination))
			compare(rtnl, fibs, &links, &question, line);
	}
	fib_clear(&fibs[0]);
	fib_clear(&fibs[1]);
	link_list_clear(&links);
	netlink_free(rtnl);
	return EXIT_SUCCESS;
}
