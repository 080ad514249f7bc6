/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * An InfiniBand port: Get and Set of PortInfo, InfiniBand Architecture volume 1, 14.2.5.6. The
 * words of `state` mean the same as in ibportstate.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/gid.h"
#include "base/mem.h"
#include "base/text.h"
#include "change/holders.h"
#include "change/port.h"
#include "mad/format/attribute.h"
#include "mad/smp_change.h"

enum {
	STATE_WAIT_MSEC = 3000, /* until a state is reached; the SM sweeps more often */
	STATE_STEP_MSEC = 50,
};

#define NO_SPEED "none"

static const struct enum_name words[] = {
	{0, "down", TONE_BAD, "disabled"},
	{1, "up", TONE_GOOD, "enabled, in any state"},
	{2, "reset", TONE_WARNING, "InfiniBand: disabled and enabled again, once"},
	{3, "arm", TONE_WARNING, "InfiniBand: armed"},
	{4, "active", TONE_GOOD, "InfiniBand: active"},
	{0, "disable", TONE_BAD, "the same as down"},
	{1, "enable", TONE_GOOD, "the same as up"},
	{0},
};

void port_agent_free(void *context)
{
	struct port_agent *agent = context;

	mad_session_end(&agent->session);
	problems_free(&agent->problems);
	free(agent->options);
	free(agent);
}

static struct port_agent *agent_of(const struct change *change)
{
	return change->host->agent;
}

/* Makes the session's last problem the reason. */
static int explain(struct change *change)
{
	struct problems *problems = &agent_of(change)->problems;

	if (problems->count) {
		const struct problem *last = &problems->items[problems->count - 1];

		change_explain(change, last->hint, "%s", last->error);
	}
	problems_free(problems);
	*problems = (struct problems){.count = 0};
	return -EIO;
}

/*
 * The LID may belong to another node by now, or another node may be at the end of the route: the
 * confirmation prompt and --revert-after take time.
 */
static int check_node(struct change *change)
{
	struct port_agent *agent = agent_of(change);
	struct mad_session *session = &agent->session;
	char now[GUID_TEXT_SIZE], before[GUID_TEXT_SIZE];
	unsigned char info[MAD_DATA_MOST];

	if (!mad_session_get(session, session->destinations, UMAD_SM_ATTR_NODE_INFO, 0,
			     session->key, info))
		return explain(change);
	if (!agent->node_guid.known)
		agent->node_guid = number_of(node_info_node_guid(info));
	if (agent->node_guid.value == node_info_node_guid(info))
		return 0;
	guid_format(agent->node_guid.value, before);
	guid_format(node_info_node_guid(info), now);
	return change_fail(change, -ESTALE, "check it, then run the command again",
			   "another node is there now: its GUID is %s, and was %s", now, before);
}

static void begin(struct port_agent *agent, struct smp_change *smp)
{
	*smp = (struct smp_change){
		.session = &agent->session,
		.attribute = mad_attribute_find(UMAD_CLASS_SUBN_LID_ROUTED, UMAD_SM_ATTR_PORT_INFO),
		.port = agent->port,
	};
}

bool port_agent_has_speeds_ext(struct port_agent *agent)
{
	_cleanup_(smp_change_clear) struct smp_change smp;

	begin(agent, &smp);
	return smp_change_read(&smp) && port_info_speed_ext_supported(smp.before.data);
}

/* Reads the port's settings; the first read remembers the node. */
static int read_port(struct change *change, struct smp_change *smp)
{
	int rc = agent_of(change)->node_guid.known ? 0 : check_node(change);

	begin(agent_of(change), smp);
	return rc ? rc : smp_change_read(smp) ? 0 : explain(change);
}

/* Reads the port, and writes it with one field changed: "state=3". 0 or -EIO, explained. */
static int set_field(struct change *change, const char *key, const char *text)
{
	_cleanup_(smp_change_clear) struct smp_change smp;
	_cleanup_(freep) char *pair = mem_format("%s=%s", key, text);
	const struct smp_value *wrong;
	int rc;

	begin(agent_of(change), &smp);
	smp_change_parse(&smp, pair);
	rc = smp_change_find(&smp, &wrong) ?: check_node(change);
	if (rc)
		return rc;
	if (!smp_change_read(&smp))
		return explain(change);
	rc = smp_change_put(&smp, &wrong);
	if (rc == -ENXIO)
		change_explain(change, NULL, "this port does not have %s", key);
	if (rc)
		return rc;
	return smp_change_write(&smp) ? 0 : explain(change);
}

static const char *state_word(unsigned int logical, unsigned int physical)
{
	static const char *const logical_words[] = {"polling", "polling", "init", "arm", "active"};

	if (physical == PHYSICAL_DISABLED)
		return "down";
	return logical < ARRAY_SIZE(logical_words) ? logical_words[logical] : "active";
}

static int parse_state(struct change *change, const char *text, char **ret_value)
{
	const struct enum_name *name = enum_find_word(words, text);

	if (!name)
		return change_fail(change, -EINVAL, NULL,
				   "'%s' is not a state that a port can be set to: it takes up or "
				   "enable, down or disable, reset, arm, active",
				   text);
	*ret_value = mem_string(enum_word(words, name->value, NULL));
	return 0;
}

/* An enabled port is "up" whatever its logical state; one that was reset reads "reset". */
static int read_state(struct change *change, char **ret_value)
{
	_cleanup_(smp_change_clear) struct smp_change smp;
	const bool was_reset = change->data;
	const char *word;
	int rc = read_port(change, &smp);

	if (rc)
		return rc;
	word = state_word(port_info_state(smp.before.data),
			  port_info_physical_state(smp.before.data));
	if (strcmp(word, "down") && (!strcmp(change->wanted, "up") || was_reset))
		word = change->wanted;
	*ret_value = mem_string(word);
	return 0;
}

/* Waits until the port reads `value`; the engine reports if it never does. */
static void wait_for(struct change *change, const char *value)
{
	const uint64_t end = clock_msec() + STATE_WAIT_MSEC;

	while (clock_msec() < end) {
		_cleanup_(freep) char *now = NULL;

		if (read_state(change, &now) || !strcmp(now, value) ||
		    !mad_session_wait(&agent_of(change)->session, clock_msec() + STATE_STEP_MSEC))
			return;
	}
}

static int write_state(struct change *change, const char *value)
{
	const bool undoes_reset = change->data;
	_cleanup_(freep) char *now = NULL;
	int rc = 0;

	/* From here on it reads as its real state, as undoing a reset requires. */
	free(change->data);
	change->data = NULL;
	if (!strcmp(value, "reset")) {
		rc = set_field(change, "physical_state", "disabled")
			     ?: set_field(change, "physical_state", "polling");
		if (rc)
			return rc;
		/* Only that there is any tells. */
		change->data = mem_alloc_zero(1, 1);
	} else if (!strcmp(value, "down")) {
		rc = set_field(change, "physical_state", "disabled");
	} else {
		rc = read_state(change, &now);
		/* A disabled port has no logical state to set; undoing starts here, too. */
		if (!rc && (!strcmp(now, "down") || !strcmp(value, "up")))
			rc = set_field(change, "physical_state", "polling");
		if (!rc && undoes_reset && !strcmp(value, now))
			return 0;
		if (!rc && !strcmp(value, "arm"))
			rc = set_field(change, "state", "armed");
		else if (!rc && !strcmp(value, "active") && strcmp(now, "down"))
			rc = set_field(change, "state", "active");
	}
	if (!rc)
		wait_for(change, value);
	return rc;
}

static char *undo_state(const struct change *change)
{
	if (!strcmp(change->wanted, "down"))
		return change_as_command(change, "up");
	return !strcmp(change->before, "down") ? change_as_command(change, "down") : NULL;
}

/* `key` is the field that would be set. */
static void guard_field(struct change *change, const char *key)
{
	_cleanup_(smp_change_clear) struct smp_change smp;
	_cleanup_(freep) char *pair = mem_format("%s=0", key);

	begin(agent_of(change), &smp);
	smp_change_parse(&smp, pair);
	if (smp_change_cuts_path(&smp))
		change_disturbs(change,
				"the path to the node, which goes through this port and may be "
				"lost for good");
	if (agent_of(change)->local)
		change_guard_device(change, change->object);
}

static void guard_state(struct change *change)
{
	guard_field(change, "physical_state");
}

static const char *field_of(const struct change *change)
{
	const char *word = change->setting->keyword.word;

	return !strcmp(word, "width")	    ? "width_enabled"
	       : !strcmp(word, "speed-ext") ? "speed_ext_enabled"
					    : "speed_enabled";
}

/* Formats the list of words; a port may have no extended speed enabled, which is "none". */
static char *list_text(const struct field *field, const struct mad_record *record)
{
	char *text = field_text_or_dash(field, record);

	if (*text)
		return text;
	free(text);
	return mem_string(NO_SPEED);
}

/* Numbers would be taken as bits: 5 for SDR and QDR, and 0 for no change at all. */
static bool are_words(const struct field *field, const char *text)
{
	for_each_word (word, text, ",")
		if (!enum_find_word(field->names, word))
			return false;
	return true;
}

static int parse_field(struct change *change, const char *text, char **ret_value)
{
	const struct field *field = schema_find(
		mad_attribute_find(UMAD_CLASS_SUBN_LID_ROUTED, UMAD_SM_ATTR_PORT_INFO)->schema,
		field_of(change));
	/* Describes only the field's bits, as some of the port's other fields are computed. */
	const struct field bits = {.kind = field->kind,
				   .offset = field->offset,
				   .bit = field->bit,
				   .width = field->width,
				   .names = field->names};
	const bool none = !strcmp(text, NO_SPEED) && field->get;
	_cleanup_(freep) char *names = NULL, *takes = NULL;
	struct mad_record record = {.data = {0}};

	if (none || (are_words(field, text) && !packed_parse(&bits, &record, text))) {
		*ret_value = list_text(&bits, &record);
		return 0;
	}
	names = change_list_words(field->names);
	takes = mem_format("a list of %s", names);
	return change_refuse_value(change, text, takes);
}

static int read_field(struct change *change, char **ret_value)
{
	_cleanup_(smp_change_clear) struct smp_change smp;
	int rc = read_port(change, &smp);

	if (!rc)
		*ret_value = list_text(schema_find(smp.attribute->schema, field_of(change)),
				       &smp.before);
	return rc;
}

static int write_field(struct change *change, const char *value)
{
	return set_field(change, field_of(change), value);
}

static void guard_link(struct change *change)
{
	guard_field(change, field_of(change));
	change_note(change,
		    "speed and width take effect when the link is trained again: reset the port");
}

static const struct setting state = {
	.keyword = {"state", "up|down|reset|arm|active",
		    "whether the port is enabled; on Ethernet only up and down", words},
	.interface = "SMP PortInfo",
	.right = RIGHT_OPEN,
	.flags = SETTING_STOPS_TRAFFIC | SETTING_OF_NAME,
	.parse = parse_state,
	.read = read_state,
	.write = write_state,
	.guard = guard_state,
	.undo = undo_state,
	.command = "ports set",
};

#define LINK_SETTING(name, word, metavar, help)                   \
	static const struct setting name = {                      \
		.keyword = {word, metavar, help, NULL},           \
		.interface = "SMP PortInfo",                      \
		.right = RIGHT_OPEN,                              \
		.flags = SETTING_STOPS_TRAFFIC | SETTING_OF_NAME, \
		.parse = parse_field,                             \
		.read = read_field,                               \
		.write = write_field,                             \
		.guard = guard_link,                              \
		.command = "ports set",                           \
	}

LINK_SETTING(width, "width", "LIST", "link widths that are enabled, on InfiniBand");
LINK_SETTING(speed, "speed", "LIST", "speeds up to QDR that are enabled, on InfiniBand");
LINK_SETTING(speed_ext, "speed-ext", "LIST", "speeds from FDR on that are enabled, on InfiniBand");

const struct setting *const port_agent_setting_table[] = {
	&state, &width, &speed, &speed_ext, NULL,
};
