/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Changes of a host, all made in one way: read what is there, compare, look who is in the way,
 * write, read back, and undo everything in reverse order if one fails. A change sets one setting of
 * one object to a value; values are words, in one form for each value, so that equal values are
 * equal texts. What has to be there or not (a link, a child interface) is a setting as well, whose
 * value is "absent" while it is not there.
 *
 * struct changes owns its changes, and each change its strings; struct change_host and the settings
 * outlive them.
 */
#pragma once

#include "schema/keyword.h"
#include "schema/schema.h"

struct change;
struct device;
struct inventory;
struct netlink;
struct session_search;
struct signals;

/* The value of something that is not there. */
#define CHANGE_ABSENT "absent"

/* What the caller must be allowed to do. */
enum change_right {
	RIGHT_RDMA_ADMIN, /* CAP_NET_ADMIN in the first user namespace: RDMA netlink, DCB */
	RIGHT_NET_ADMIN,  /* CAP_NET_ADMIN in the user namespace of the network namespace */
	RIGHT_FILE,	  /* writing the file change->path */
	RIGHT_OPEN,	  /* none beyond what reading has opened already: SMPs */
};

enum setting_flag {
	/* Traffic stops, so a person is asked first. */
	SETTING_STOPS_TRAFFIC = 1 << 0,
	/*
	 * It may cut the way by which this session came, as long as it is so (--revert-after): the
	 * engine looks, by change->netdev_index. Where undoing it does not bring the session back,
	 * or the netdev is another one, the setting's guard calls change_guard_way().
	 */
	SETTING_CUTS_WAY = 1 << 1,
	/* The object is one word, which may have blanks: the name of a node. Others are words. */
	SETTING_OF_NAME = 1 << 2,
};

/*
 * How one thing is read and written. The functions return 0 or -errno, and may say more by
 * change_explain(); else the words of the errno are the reason. -ENODEV: the object is gone.
 */
struct setting {
	struct keyword keyword; /* its word is the name of the setting in every output */
	const char *interface;	/* through which the kernel takes it: RDMA netlink SYS_SET */
	enum change_right right;
	unsigned int flags; /* enum setting_flag */
	/*
	 * Checks the text of the user and gives the value in its one form, for the caller to free.
	 * -EINVAL, with the values that are allowed as the reason; another -errno, explained: what
	 * the text builds upon cannot be read. NULL: one of keyword.choices, or any text if there
	 * are none.
	 */
	int (*parse)(struct change *change, const char *text, char **ret_value);
	int (*read)(struct change *change, char **ret_value); /* the caller frees the value */
	/* Returns when the kernel has done it: waits for what appears later. */
	int (*write)(struct change *change, const char *value);
	/*
	 * Whether the value fits what is there, and the other changes of this call (change->all);
	 * or NULL. -errno, explained: nothing is written then.
	 */
	int (*check)(struct change *change);
	/* Adds by change_disturbs() and change_note() what the change would disturb; or NULL. */
	void (*guard)(struct change *change);
	/* The command that undoes it, for the caller to free; NULL: made of `command`. */
	char *(*undo)(const struct change *change);
	const char *command; /* "system set": rdmactl COMMAND [OBJECT] NAME VALUE */
	/* Fills persist_file and persist_text, which make it last, or the text alone if that is not
	 * done by a file; NULL: nothing is known. */
	void (*persist)(struct change *change);
};

/* The sockets and facts that settings share. All are opened by the first that needs them. */
struct change_host {
	/* The host whose sockets and session are used instead of own ones; or NULL. */
	struct change_host *base;
	struct netlink *nldev, *rtnl, *generic;
	struct session_search *session;	   /* change/session.c; NULL: not looked for yet */
	struct strings daemons;		   /* change/holders.c: name and processes of each */
	const struct inventory *inventory; /* what the command has loaded; may be NULL */
	bool reverts; /* what is written is undone soon, unless the user confirms it */
	/*
	 * For a write that may wait long: what it waits for is said at once, and signals that are
	 * caught end the waiting. Either may be NULL.
	 */
	void (*tell)(const void *context, const char *text);
	const void *tell_context;
	const struct signals *signals;
	void *agent; /* of subnet management: change/port.h; or NULL */
	void (*free_agent)(void *agent);
	/* Options of a command that is to reach the same object: " --via mlx5_1/1"; or NULL. */
	const char *options;
};

/* The host that has them: its base, or itself. */
struct change_host *change_host_base(struct change_host *host);
/* 0 or -errno; the socket belongs to that host. Tests put theirs in beforehand. */
int change_host_nldev(struct change_host *host, struct netlink **ret_nldev);
int change_host_rtnl(struct change_host *host, struct netlink **ret_rtnl);
int change_host_generic(struct change_host *host, struct netlink **ret_generic);
void change_host_close(struct change_host *host);

enum change_state {
	CHANGE_PLANNED,	   /* would be written */
	CHANGE_UNCHANGED,  /* is so already */
	CHANGE_CHANGED,	   /* written, and reads so */
	CHANGE_REFUSED,	   /* not tried: in use, or not allowed */
	CHANGE_FAILED,	   /* reading or writing failed */
	CHANGE_UNVERIFIED, /* it was accepted, and reads otherwise */
	CHANGE_UNTRIED,	   /* not tried, because another one failed */
	CHANGE_REVERTED,   /* written, and undone */
	CHANGE_STUCK,	   /* written, and could not be undone */
};

struct change {
	const struct setting *setting;
	struct change_host *host;
	const struct changes *all; /* of this call, from their preparation on; NULL before it */
	char *object;		   /* mlx5_0/1, eth0; NULL: the host */
	/* What identifies the object where a setting needs it; names may change meanwhile. */
	struct number device_index, port, netdev_index;
	char *path;			   /* of RIGHT_FILE */
	void *data;			   /* of the setting; freed with free() */
	char *before, *wanted, *after;	   /* values; NULL: not known */
	struct number state;		   /* enum change_state */
	bool written;			   /* by this call, and not by somebody else */
	char *reason, *next_step;	   /* of a failure */
	struct strings disturbs;	   /* who is in the way: refused without --force */
	struct strings notes;		   /* worth knowing, not in the way */
	char *undo;			   /* the command that undoes it */
	char *persist_file, *persist_text; /* what makes it last, and where */
};

struct changes {
	struct change *items;
	size_t count;
	/* Asked before each is written: true ends it, as a failure does. NULL: never. */
	bool (*ended)(void *context);
	void *context;
};

/* The device of the inventory with change->device_index, or NULL. */
const struct device *change_device(const struct change *change);

extern const struct schema change_schema;

/* The first member of the JSON document: whether anything was changed. */
struct change_head {
	enum tristate changed;
};

/*
 * Appends a change, whose further members the caller fills; `wanted` is the value in its one form.
 * The pointer is valid until the next one is added.
 */
struct change *changes_add(struct changes *changes, struct change_host *host,
			   const struct setting *setting, const char *object, const char *wanted);
void changes_clear(struct changes *changes);

/* Reason and next step of a failure, the last one counts; the strings are copied or made. */
void change_explain(struct change *change, const char *next_step, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* The reason of an error that no setting has explained: "cannot DOING: ...". */
void change_explain_error(struct change *change, const char *doing, int error);
/* The reason of a text that is no value of the setting, with what it takes; returns -EINVAL. */
int change_refuse_value(struct change *change, const char *text, const char *takes);
void change_disturbs(struct change *change, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void change_note(struct change *change, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* The words of the object, each quoted for the shell: names may have any character. */
char *change_quote_object(const struct change *change);
/* "rdmactl COMMAND OBJECT NAME VALUE" and the options of the host, with what the shell needs
 * quoted; the caller frees it. */
char *change_as_command(const struct change *change, const char *value);
/*
 * "ExecStart=/usr/bin/env COMMAND" of such a command, in the syntax of systemd.service(5); the
 * caller frees it. Only systemd 239 and later look for a command without a path, and the place of
 * this program may be another one at the next start.
 */
char *change_exec_start(const char *command);

/*
 * Gives `text` the one form of its setting, in *ret_value for the caller to free. 0; -EINVAL: it is
 * no value; another -errno: it adds to what is set, which cannot be read. The change then has the
 * reason, and perhaps a next step.
 */
int change_parse(struct change *change, const char *text, char **ret_value);

/* How to prepare. */
enum change_mode {
	CHANGE_DRY = 1 << 0,   /* asks for no privilege, and refuses nothing that is in use */
	CHANGE_FORCE = 1 << 1, /* in spite of those who are in the way */
};

/*
 * Reads everything and decides the state of each change: planned, unchanged, refused or failed.
 * True: all may be written.
 */
bool changes_prepare(struct changes *changes, unsigned int mode);
/* How many have that state. */
size_t changes_count(const struct changes *changes, enum change_state state);
/* Whether a planned change has one of the flags. */
bool changes_have(const struct changes *changes, unsigned int flags);
/*
 * Writes what is planned, in order, each read back; what was unchanged only if another change of
 * the list has moved it before its turn. When one fails, those before it are undone in reverse
 * order, and the rest is not tried. True: all are as wanted.
 */
bool changes_write(struct changes *changes);
/* Undoes in reverse order what is changed. True: all is as it was. */
bool changes_undo(struct changes *changes);
