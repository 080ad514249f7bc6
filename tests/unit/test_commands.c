/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The tables of the real commands, which help, completion, man pages and schemas are made from. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <ctype.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "mad/format/attribute.h"
#include "cmd/commands.h"
#include "schema/columns.h"

#define COMMAND(name) &name##_command,
static const struct command *const commands[] = {
#include "cmd/commands.def"
};
#undef COMMAND

/* The commands, each followed by its subcommands. */
static struct command all[256];
static size_t all_count;

static int collect(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++) {
		all[all_count++] = *commands[i];
		for (size_t j = 0; command_child(commands[i], j, &all[all_count]); j++)
			assert_true(++all_count < ARRAY_SIZE(all));
	}
	return 0;
}

static const char *const lower = "abcdefghijklmnopqrstuvwxyz";

/* Names the row that a check is about, as the line of the check does not. */
#define CHECK(condition, what, name)                                    \
	do {                                                            \
		if (!(condition))                                       \
			fail_msg("%s: %s: %s", what, name, #condition); \
	} while (0)

/*
 * One line that begins in lower case (or with a word like GUID, IPoIB or Linux) and has no full
 * stop, except an ellipsis.
 */
static void check_help(const char *what, const char *name, const char *help)
{
	size_t length = help ? strlen(help) : 0;

	CHECK(length > 0, what, name);
	CHECK(help[length - 1] != '.' || (length > 4 && !strcmp(help + length - 4, " ...")), what,
	      name);
	CHECK(!strpbrk(help, "\n\t"), what, name);
	CHECK(!isspace((unsigned char)help[0]), what, name);
	if (isupper((unsigned char)help[0])) {
		size_t word = strcspn(help, " ,:;"), capitals = !strncmp(help, "Linux ", 6);

		for (size_t i = 1; i < word; i++)
			capitals += isupper((unsigned char)help[i]) != 0;
		CHECK(capitals > 0, what, name);
	}
}

/* Words between single separators: a_b_c, a-b-c. Some begin with a digit. */
static void check_word(const char *what, const char *word, char separator, bool digit_first)
{
	size_t length = strlen(word);

	CHECK(length > 0, what, word);
	CHECK(strchr(lower, word[0]) || (digit_first && isdigit((unsigned char)word[0])), what,
	      word);
	CHECK(word[length - 1] != separator, what, word);
	for (size_t i = 0; i < length; i++) {
		CHECK(strchr(lower, word[i]) || isdigit((unsigned char)word[i]) ||
			      word[i] == separator,
		      what, word);
		CHECK(word[i] != separator || word[i + 1] != separator, what, word);
	}
}

static void check_command(const struct command *command)
{
	const char *name = command->name;

	CHECK(command->run || command_has_children(command), "command", name);
	check_help("command", name, command->summary);
	/* The word of a subcommand is not an object. */
	CHECK(command_has_children(command) || !command->objects == !command->most_objects,
	      "command", name);
	CHECK(command->least_objects >= 0, "command", name);
	CHECK(command->most_objects < 0 || command->least_objects <= command->most_objects,
	      "command", name);
	CHECK(command->object_completion != COMPLETE_CHOICE || command->object_choices, "command",
	      name);
	CHECK(!command->options[0] || command->args_size > 0, "command", name);
	CHECK(!command_has_children(command) ||
		      (command->child_word && strstr(command->objects, command->child_word)),
	      "command", name);
}

static void command_rows(void **state)
{
	(void)state;
	for (size_t i = 0; i < all_count; i++)
		check_command(&all[i]);
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++) {
		const char *name = commands[i]->name;

		if (commands[i]->group == GROUP_HIDDEN)
			CHECK(!strncmp(name, "__", 2), "command", name);
		else
			check_word("command", name, '-', false);
		for (size_t j = 0; j < i; j++)
			CHECK(strcmp(commands[j]->name, name), "twice", name);
	}
}

/*
 * Words and aliases are unique, and an option either takes a value in all subcommands or in none.
 */
static void children(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++) {
		_cleanup_(freep) struct option_set *sets = NULL;
		size_t count = command_family_sets(commands[i], &sets);
		struct command child, found;

		for (size_t j = 0; command_child(commands[i], j, &child); j++) {
			check_word("subcommand", child.name, strchr(child.name, '_') ? '_' : '-',
				   true);
			assert_true(command_find_child(commands[i], child.name, &found));
			assert_string_equal(found.name, child.name);
			if (!child.alias)
				continue;
			assert_true(command_find_child(commands[i], child.alias, &found));
			assert_string_equal(found.name, child.name);
		}
		for (size_t j = 0; j < count; j++)
			for (const struct option_row *row = sets[j].rows; row->name; row++) {
				_cleanup_(freep) char *word = mem_format("--%s", row->name);
				const struct option_row *first = option_find(sets, count, word);

				CHECK((first->kind == OPTION_FLAG) == (row->kind == OPTION_FLAG),
				      "option", row->name);
				CHECK(first->letter == row->letter, "option", row->name);
			}
	}
}

/* A rule with a name that no table has would never apply. */
static void option_rules(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++) {
		_cleanup_(freep) struct option_set *sets = NULL;
		size_t count = command_family_sets(commands[i], &sets);
		struct command command = *commands[i];

		for (size_t j = 0;; j++) {
			for (const struct option_rule *rule = command.rules; rule && rule->options;
			     rule++) {
				_cleanup_(freep) char *names = mem_format("%s %s", rule->options,
									  rule->others);
				char *rest = names;

				for (char *name; (name = strsep(&rest, " "));) {
					_cleanup_(freep) char *word = mem_format("--%s", name);

					CHECK(option_find(sets, count, word), command.name, name);
				}
			}
			if (!command_child(commands[i], j, &command))
				break;
		}
	}
}

static void check_option(const struct option_row *row, size_t args_size)
{
	static const size_t sizes[] = {
		[OPTION_FLAG] = sizeof(bool),
		[OPTION_STRING] = sizeof(const char *),
		[OPTION_CHOICE] = sizeof(struct number),
		[OPTION_DURATION] = sizeof(struct number),
		[OPTION_CHOICES] = sizeof(struct number),
		[OPTION_COUNT] = sizeof(struct number),
		[OPTION_SIZE] = sizeof(struct number),
		[OPTION_REAL] = sizeof(struct real),
	};
	bool chooses = row->kind == OPTION_CHOICE || row->kind == OPTION_CHOICES;
	const char *name = row->name;

	check_word("option", name, '-', false);
	check_help("option", name, row->help);
	CHECK(row->kind < ARRAY_SIZE(sizes), "option", name);
	CHECK((row->kind == OPTION_FLAG) == !row->metavar, "option", name);
	/* If some words mean more than other text, only these are offered. */
	CHECK(chooses || row->kind == OPTION_STRING || row->kind == OPTION_DURATION ||
		      !row->choices,
	      "option", name);
	CHECK(!chooses || row->choices, "option", name);
	CHECK((row->choices != NULL) == (row->completion == COMPLETE_CHOICE), "option", name);
	CHECK(!row->most || row->least <= row->most, "option", name);
	CHECK(row->offset + sizes[row->kind] <= args_size, "option", name);
	CHECK(!row->letter || isalpha((unsigned char)row->letter), "option", name);
	for (const char *c = row->metavar; c && *c; c++)
		CHECK(isupper((unsigned char)*c) || strchr("_/=|-:", *c), "metavar", name);
}

/* The global options and the command's are parsed together: their names differ. */
static void option_rows(void **state)
{
	(void)state;
	for (size_t i = 0; i < all_count; i++) {
		struct option_set sets[COMMAND_TABLES + 1];
		const size_t sets_count = command_option_sets(&all[i], NULL, NULL, sets);
		const struct option_row *seen[128];
		size_t count = 0;

		for (size_t set = 0; set < sets_count; set++) {
			for (const struct option_row *row = sets[set].rows; row->name; row++) {
				check_option(row, set ? all[i].args_size : sizeof(struct globals));
				for (size_t k = 0; k < count; k++) {
					CHECK(strcmp(seen[k]->name, row->name), "twice", row->name);
					CHECK(!row->letter || seen[k]->letter != row->letter,
					      "letter twice", row->name);
				}
				assert_true(count < ARRAY_SIZE(seen));
				seen[count++] = row;
			}
		}
	}
}

/* Words of an enumeration or of flags: each code and each word appears once. */
static void check_names(const char *key, const struct enum_name *names, bool flags)
{
	for (const struct enum_name *name = names; name->word; name++) {
		/* EDR and the like are names, in capitals everywhere. */
		if (name->word[strspn(name->word, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")])
			check_word(key, name->word, '-', true);
		if (name->help)
			check_help(key, name->word, name->help);
		if (flags)
			CHECK(name->value && !(name->value & (name->value - 1)), key, name->word);
		for (const struct enum_name *other = names; other != name; other++) {
			CHECK(other->value != name->value, key, name->word);
			CHECK(strcmp(other->word, name->word), key, name->word);
		}
	}
}

static void check_field(const struct schema *schema, const struct field *field)
{
	const char *key = field->key;

	check_word(schema->name, key, '_', false);
	check_help(schema->name, key, field_help(field));
	CHECK(field_heading(field), schema->name, key);
	if (field->kind == FIELD_RECORDS) {
		CHECK(field->records, schema->name, key);
		CHECK(!(field->flags & FIELD_DEFAULT), schema->name, key);
	} else {
		CHECK(field_heading(field)[0], schema->name, key);
		/* Except for units: Gb/s. */
		for (const char *c = field_heading(field); *c && *c != ' ' && !strchr(c, '/'); c++)
			CHECK(!islower((unsigned char)*c), schema->name, field_heading(field));
	}
	CHECK(field->get || field->offset < schema->record_size, schema->name, key);
	if (field->kind == FIELD_ENUM || field->kind == FIELD_FLAGS) {
		CHECK(field->get || field->names, schema->name, key);
		if (field->names)
			check_names(key, field->names, field->kind == FIELD_FLAGS);
	}
}

/* Help says what an option shows: that field exists, and so do the columns. */
static void check_views(const struct schema *schema, const struct option_set *sets, size_t count)
{
	for (const struct column_view *view = schema->views; view && view->when; view++) {
		_cleanup_(freep) char *words = mem_string(view->when);
		char *rest = words, *word, *bad = NULL;
		struct columns columns;

		CHECK(!columns_select(&columns, schema, COLUMNS_DEFAULT, view->columns, &bad),
		      view->when, view->columns);
		columns_free(&columns);
		CHECK(!strcmp(schema_view(schema, view->when), view->columns), schema->name,
		      view->when);
		while ((word = strsep(&rest, " ,")))
			CHECK(strncmp(word, "--", 2) || option_find(sets, count, word),
			      schema->name, word);
	}
	assert_null(schema_view(schema, "--no-such-view"));
}

static void views(void **state)
{
	(void)state;
	for (size_t i = 0; i < all_count; i++) {
		struct option_set sets[COMMAND_TABLES + 1];
		const size_t count = command_option_sets(&all[i], NULL, NULL, sets);

		if (all[i].schema)
			check_views(all[i].schema, sets, count);
		for (size_t j = 0; all[i].more_schemas && all[i].more_schemas[j]; j++)
			check_views(all[i].more_schemas[j], sets, count);
	}
}

/* An `inner` field belongs to records within a record, which a table does not show. */
static void check_schema(const struct schema *schema, bool inner)
{
	const char *name = schema->name;

	check_word("schema", name, '_', false);
	CHECK(schema->version >= 1, "schema", name);
	CHECK(schema->record_size > 0, "schema", name);
	CHECK(schema->field_count > 0, "schema", name);
	check_help("schema", name, schema->summary);
	for (size_t i = 0; i < schema->field_count; i++) {
		check_field(schema, &schema->fields[i]);
		for (size_t j = 0; j < i; j++) {
			const struct field *other = &schema->fields[j];

			CHECK(strcmp(other->key, schema->fields[i].key), name, other->key);
			CHECK(inner || other->kind == FIELD_RECORDS || !field_heading(other)[0] ||
				      strcmp(field_heading(other),
					     field_heading(&schema->fields[i])),
			      name, other->key);
		}
		/* A misspelt key would give no column and no error, so each one is tried. */
		if (schema->fields[i].kind == FIELD_RECORDS) {
			struct columns columns = columns_of_records(&schema->fields[i]);

			CHECK(columns.count, name, schema->fields[i].key);
			columns_free(&columns);
			check_schema(schema->fields[i].records, true);
		}
	}
}

static void schemas(void **state)
{
	const struct schema **list = NULL;
	size_t count = 0;

	(void)state;
	for (size_t i = 0; i < all_count; i++) {
		struct columns columns;
		char *bad = NULL;

		if (all[i].schema) {
			/* The default selection shows something. */
			CHECK(!columns_select(&columns, all[i].schema,
					      all[i].all_columns ? COLUMNS_ALL : COLUMNS_DEFAULT,
					      NULL, &bad),
			      "no default column", all[i].name);
			columns_free(&columns);
		}
		command_add_schemas(&all[i], &list, &count);
	}
	assert_true(count >= 60);
	for (size_t i = 0; i < count; i++) {
		check_schema(list[i], false);
		CHECK(strcmp(list[i]->name, "problems") && strcmp(list[i]->name, "schema"),
		      "key of the document", list[i]->name);
		for (size_t j = 0; j < i; j++)
			CHECK(strcmp(list[j]->name, list[i]->name), "schema of two", list[i]->name);
	}
	check_schema(&problem_schema, false);
	free(list);
}

/* Every field of a zeroed record is unknown or an empty list, and reading it does no harm. */
static void empty_records(void **state)
{
	static const union {
		char bytes[16384];
		uint64_t number;
		void *pointer;
	} record;

	(void)state;
	for (size_t i = 0; i < all_count; i++) {
		const struct schema *schema = all[i].schema;

		for (size_t j = 0; schema && j < schema->field_count; j++) {
			struct value value;

			assert_true(schema->record_size <= sizeof(record));
			field_get(&schema->fields[j], &record, &value);
			/* The bytes of a datagram are always known. */
			if (schema->record_size == sizeof(struct mad_record))
				continue;
			switch (value.kind) {
			case VALUE_NONE:
				break;
			case VALUE_LIST:
				CHECK(!value.list.count, schema->name, schema->fields[j].key);
				break;
			case VALUE_RECORDS:
				CHECK(!value.records.count, schema->name, schema->fields[j].key);
				break;
			default:
				/* The number of a device's ports is always known. */
				CHECK(!strcmp(schema->fields[j].key, "port_count"), schema->name,
				      schema->fields[j].key);
			}
		}
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(command_rows), cmocka_unit_test(children),
		cmocka_unit_test(option_rules), cmocka_unit_test(option_rows),
		cmocka_unit_test(schemas),	cmocka_unit_test(empty_records),
		cmocka_unit_test(views),
	};

	return cmocka_run_group_tests_name("commands", tests, collect, NULL);
}
