/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Changes of host settings, all made in one way: read the current value, compare, look for users
 * who would be disturbed, write, read back, and undo everything, the last change first, if one
 * fails. A change sets one setting of one object to a value; values are words, and each value has
 * one canonical form, so that equal values are equal strings. Whether something exists (a link, a
 * child interface) is a setting, too, whose value is "absent" while it does not exist.
 *
 * struct changes owns its changes, and each change its strings; struct change_host and the settings
 * outlive them.
 */
#pragma once

#include "schema/schema.h"

struct change;
struct device;
struct inventory;
struct link_list;
struct netlink;
struct session_search;
struct signals;

/* The value of something that does not exist. */
#define CHANGE_ABSENT "absent"

/* The privilege that the caller needs. */
enum change_right {
	RIGHT_RDMA_ADMIN, /* CAP_NET_ADMIN in the first user namespace: RDMA netlink, DCB */
	RIGHT_NET_ADMIN,  /* CAP_NET_ADMIN in the user namespace of the network namespace */
	RIGHT_FILE,	  /* write access to the file change->path */
	RIGHT_OPEN,	  /* nothing beyond what reading has opened already: SMPs */
};

enum setting_flag {
	/* Traffic stops, so the user is asked first. */
	SETTING_STOPS_TRAFFIC = 1 << 0,
	/*
	 * The change may cut the user's own session for as long as it lasts (--revert-after): the
	 * engine checks change->netdev_index for that. If undoing the change does not bring the
	 * session back, or another netdev is affected, the setting's guard calls
	 * change_guard_way().
	 */
	SETTING_CUTS_WAY = 1 << 1,
	/*
	 * The object is one name that may contain spaces (of a node), and is quoted in commands.
	 * Otherwise, spaces separate words.
	 */
	SETTING_OF_NAME = 1 << 2,
};

/*
 * How one setting is read and written. The functions return 0 or -errno, and may explain a failure
 * with change_explain(); otherwise the text of the errno is the reason. -ENODEV: the object is
 * gone.
 */
struct setting {
	struct keyword keyword; /* its word names the setting in every output */
	const char *interface;	/* kernel interface that sets it: RDMA netlink SYS_SET */
	enum change_right right;
	unsigned int flags; /* enum setting_flag */
	/*
	 * Checks the user's text and returns the value in its canonical form, for the caller to
	 * free. -EINVAL: the text is wrong, and the reason lists the allowed values; another
	 * -errno, explained: the current value that the text builds on cannot be read. NULL: one of
	 * keyword.choices, or any text if there are none.
	 */
	int (*parse)(struct change *change, const char *text, char **ret_value);
	int (*read)(struct change *change, char **ret_value); /* the caller frees the value */
	/* Returns once the kernel has done it, which includes waiting for what appears later. */
	int (*write)(struct change *change, const char *value);
	/*
	 * Whether a value that reads back is the nearest that an adapter has to the wanted one;
	 * NULL: only equal values count as applied.
	 */
	bool (*is_nearest)(const struct change *change, const char *value);
	/*
	 * Checks the value against the current state and the other changes of this call
	 * (change->all); or NULL. -errno, explained: nothing is written then.
	 */
	int (*check)(struct change *change);
	/*
	 * Marks the changes of this call to the same setting whose values may follow this one, as
	 * the MTU of a VLAN does that of its netdev; or NULL: none do. `marks` has an entry for
	 * each change.
	 */
	void (*mark_followers)(const struct change *change, bool *marks);
	/*
	 * Reports with change_disturbs() and change_note() what the change would disturb; or NULL.
	 */
	void (*guard)(struct change *change);
	/*
	 * Returns the command that undoes it, for the caller to free; NULL: derived from `command`.
	 */
	char *(*undo)(const struct change *change);
	const char *command; /* "system set": rdmactl COMMAND [OBJECT] NAME VALUE */
	/*
	 * Fills persist_file and persist_text, which make the change last, or only the text if no
	 * file does that; NULL: no way is known.
	 */
	void (*persist)(struct change *change);
};

/* Sockets and facts that the settings share. Each is opened or found when first needed. */
struct change_host {
	/* The host whose sockets and session are used instead of this one's; or NULL. */
	struct change_host *base;
	struct netlink *nldev, *rtnl, *generic;
	struct session_search *session;	   /* change/session.c; NULL: not searched for yet */
	struct strings daemons;		   /* change/holders.c: each one's name and processes */
	struct link_list *links;	   /* change/netdev.c; NULL: not read yet */
	const struct inventory *inventory; /* loaded by the command; may be NULL */
	uint64_t inventory_needs;	   /* bits of host/need.h; 0: only of some devices */
	bool reverts; /* changes are undone soon unless the user confirms them */
	/*
	 * For writes that may wait long: `tell` announces at once what they wait for, and signals
	 * that are caught end the wait. Either may be NULL.
	 */
	void (*tell)(const void *context, const char *text);
	const void *tell_context;
	const struct signals *signals;
	void *agent; /* for subnet management: change/port.h; or NULL */
	void (*free_agent)(void *agent);
	/* Options that a command needs to reach the same object: " --via mlx5_1/1"; or NULL. */
	const char *options;
};

/* Returns the host that owns the sockets and the session: its base, or itself. */
struct change_host *change_host_base(struct change_host *host);
/* Opens the socket once. 0 or -errno; the host owns the socket. Tests set theirs beforehand. */
int change_host_nldev(struct change_host *host, struct netlink **ret_nldev);
int change_host_rtnl(struct change_host *host, struct netlink **ret_rtnl);
int change_host_generic(struct change_host *host, struct netlink **ret_generic);
void change_host_close(struct change_host *host);

enum change_state {
	CHANGE_PLANNED,	   /* would be written */
	CHANGE_UNCHANGED,  /* has the value already */
	CHANGE_CHANGED,	   /* written, and reads back as wanted */
	CHANGE_REFUSED,	   /* not tried: in use, or not permitted */
	CHANGE_FAILED,	   /* reading or writing failed */
	CHANGE_UNVERIFIED, /* accepted, but reads back differently */
	CHANGE_UNTRIED,	   /* not tried because another change failed */
	CHANGE_REVERTED,   /* written, then undone */
	CHANGE_STUCK,	   /* written, but could not be undone */
};

struct change {
	const struct setting *setting;
	struct change_host *host;
	const struct changes *all; /* of this call, set by changes_prepare(); NULL before */
	char *object;		   /* mlx5_0/1, eth0; NULL: the host */
	/* Identify the object for settings that need it; names may change meanwhile. */
	struct number device_index, port, netdev_index;
	char *path;			   /* for RIGHT_FILE */
	void *data;			   /* private to the setting; freed with free() */
	char *before, *wanted, *after;	   /* values; NULL: unknown */
	char *given;			   /* value that it followed another to; or NULL */
	struct number state;		   /* enum change_state */
	bool written;			   /* by this call and nobody else */
	bool taken_along;		   /* an earlier change of this call moved it */
	char *reason, *next_step;	   /* of a failure */
	struct strings disturbs;	   /* users in the way: refused without --force */
	struct strings notes;		   /* worth knowing, but not in the way */
	char *undo;			   /* the command that undoes it */
	char *persist_file, *persist_text; /* what makes it last, and in which file */
};

struct changes {
	struct change *items;
	size_t count;
	/* Called before each write: true stops the run as a failure would. NULL: never stops. */
	bool (*ended)(void *context);
	void *context;
};

/* Returns the device of the inventory that has change->device_index, or NULL. */
const struct device *change_device(const struct change *change);

extern const struct schema change_schema;

/* The first member of the JSON document: whether anything was changed. */
struct change_head {
	enum tristate changed;
};

/*
 * Appends a change; the caller fills its other members. `wanted` is the value in its canonical
 * form. The pointer is valid until the next call.
 */
struct change *changes_add(struct changes *changes, struct change_host *host,
			   const struct setting *setting, const char *object, const char *wanted);
void changes_drop_last(struct changes *changes);
/*
 * Returns a change before that one of what it sets, such as one of a profile, reached with the same
 * options; or NULL.
 */
const struct change *changes_find_earlier(const struct changes *changes,
					  const struct change *change);
void changes_clear(struct changes *changes);

/*
 * Sets the reason and the next step of a failure, replacing earlier ones; the strings are copied,
 * and the reason is cleaned, so it may contain any text.
 */
void change_explain(struct change *change, const char *next_step, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* The same, and returns the error. */
#define change_fail(change, error, ...) (change_explain(change, __VA_ARGS__), (error))
/* Sets the reason for an error that no setting has explained: "cannot DOING: ...". */
void change_explain_error(struct change *change, const char *doing, int error);
/*
 * Sets the reason for a text that is not a value of the setting; `takes` lists the allowed values.
 * Returns -EINVAL.
 */
int change_refuse_value(struct change *change, const char *text, const char *takes);
/* Returns the words of the names: "up, down"; the caller frees it. */
char *change_list_words(const struct enum_name *names);
/* Adds a sentence, cleaned like a reason, unless it is there already. */
void change_add_sentence(struct strings *sentences, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
#define change_disturbs(change, ...) change_add_sentence(&(change)->disturbs, __VA_ARGS__)
#define change_note(change, ...)     change_add_sentence(&(change)->notes, __VA_ARGS__)
/*
 * For a setting that reads "absent": if that is wanted, notes that there was nothing to delete, and
 * which of the existing names may have been meant, so that a typo does not pass for success. `kind`
 * is what the names are of.
 */
void change_note_missing(struct change *change, const char *kind, const struct strings *names);
/*
 * Returns the words of an object of that setting, each quoted for the shell, as names may have any
 * character.
 */
char *change_quote_object(const struct change *change, const char *object);
/*
 * Returns "rdmactl COMMAND OBJECT NAME VALUE" and the options of the host, quoted for the shell;
 * the caller frees it.
 */
char *change_as_command(const struct change *change, const char *value);
/* The same for an object that has another name when the command is run. */
char *change_as_command_on(const struct change *change, const char *object, const char *value);
/*
 * Returns "ExecStart=/usr/bin/env COMMAND" for such a command, in the syntax of systemd.service(5);
 * the caller frees it. Through env(1), because only systemd 239 and later search for a command
 * without a path, and this program may be elsewhere at the next boot.
 */
char *change_exec_start(const char *command);
/*
 * Returns the name of an object as a part of a unit's name, like systemd-escape(1), for the caller
 * to free: without %, which begins a specifier in the unit, and @. `is_path`: a - stands for a / in
 * the unit's name, as in those of devices, so the name's own is escaped.
 */
char *change_escape_unit(const char *name, bool is_path);

/*
 * Parses `text` into the canonical form of its setting, in *ret_value for the caller to free. 0;
 * -EINVAL: not a value of the setting; another -errno: the text adds to the current value, which
 * cannot be read. On failure the change has the reason, and perhaps a next step.
 */
int change_parse(struct change *change, const char *text, char **ret_value);

/* Whether the caller may make the change; if not, the change gets the reason. */
bool change_has_right(struct change *change);

/* Flags of changes_prepare(). */
enum change_mode {
	CHANGE_DRY = 1 << 0,   /* needs no privilege, and refuses nothing that is in use */
	CHANGE_FORCE = 1 << 1, /* despite the users in the way */
};

/*
 * Reads everything and decides the state of each change: planned, unchanged, refused or failed.
 * True: all may be written.
 */
bool changes_prepare(struct changes *changes, unsigned int mode);
/* Returns the number of changes in that state. */
size_t changes_count(const struct changes *changes, enum change_state state);
/* Whether a planned change has one of the flags. */
bool changes_have(const struct changes *changes, unsigned int flags);
/*
 * Writes the planned changes in order and reads each back; an unchanged one is written only if
 * another change of the list has altered it before its turn. When one fails, those before it are
 * undone as by changes_undo(), and the rest are not tried. True: all are as wanted.
 */
bool changes_write(struct changes *changes);
/* Notes which of the changes made have other values since, before they are undone. */
void changes_note_others(struct changes *changes);
/*
 * Undoes the changes made, in reverse order; but one that fails is tried again after the others, as
 * long as that may help. True: everything is as before.
 */
bool changes_undo(struct changes *changes);
