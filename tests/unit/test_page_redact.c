/* What --redact replaces, as tables of texts before and after. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "render/page/redact.h"
#include "small_model.h"

typedef void redact_fn(const struct wk_redaction *redaction, struct wk_str text, struct wk_buf *to);

static void check(const struct wk_redaction *redaction, redact_fn *redact, const char *before,
		  const char *after)
{
	struct wk_buf text = { 0 };

	redact(redaction, wk_str_c(before), &text);
	assert_string_equal(wk_buf_text(&text), after);
	wk_buf_fini(&text);
}

/* Each line for itself: the names in the first text are learnt, and replaced in the second. */
static void names_in_paths_are_replaced_everywhere(void **state)
{
	static const char *const lines[][3] = {
		{ "/home/alice/bin", "/home/alice/bin of ALICE", "/home/user/bin of user" },
		{ "/home/mal&lory/q", "/home/mal&lory/q mal&lory::f", "/home/user/q user::f" },
		{ "/home/./bert/q", "/home/./bert/q bert", "/home/./user/q user" },
		{ "/home///bert/q", "/home///bert/q bert", "/home///user/q user" },
		{ "C:/Users/John Smithson/bin", "C:/Users/John Smithson/bin John_smithson",
		  "C:/Users/user/bin user_user" },
		{ "C:\\Users\\Jane Doeson", "at C:\\Users\\Jane Doeson", "at C:\\Users\\user" },
		{ "C:\\Users\\O'Brienlly\\b", "C:\\Users\\O'Brienlly\\b, O'Brienlly",
		  "C:\\Users\\user\\b, user" },
		{ "C:\\Users\\Ann (Secretsurname)\\b", "C:\\Users\\Ann (Secretsurname)\\b Secretsurname",
		  "C:\\Users\\user\\b user" },
		{ "C:\\Users\\Roe, Jim; jr\\b", "C:\\Users\\Roe, Jim; jr\\b", "C:\\Users\\user\\b" },
		{ "C:\\\\Users\\\\dave\\\\x", "C:\\\\Users\\\\dave\\\\x dave::g",
		  "C:\\\\Users\\\\user\\\\x user::g" },
		{ "/home/Mal Lory/z", "/home/Mal Lory/z", "/home/user/z" },
		{ "wrote /home/alice and then /tmp/x", "wrote /home/alice and then /tmp/x",
		  "wrote /home/user and then /tmp/x" },
		{ "('/home/alice')", "('/home/alice')", "('/home/user')" },
		{ "/home/alice:/home/bob", "/home/alice:/home/bob", "/home/user:/home/user" },
		{ "~foo /home/mallory7/app.js:3", "mallory7_helper", "user_helper" },
		{ "/srv/%2Fhome%2Falice%2Fx", "/srv/%2Fhome%2Falice%2Fx alice",
		  "/srv/%2Fhome%2Fuser%2Fx user" },
		{ "/media/carl/usb", "/media/carl/usb carl", "/media/user/usb user" },
		{ "/run/media/carl/usb", "/run/media/carl/usb carl", "/run/media/user/usb user" },
		{ "/src/media/codec/a.c", "/src/media/codec/a.c", "/src/media/codec/a.c" },
		{ "/homes/dora/x", "/homes/dora/x dora", "/homes/user/x user" },
		{ "D:\\Profiles\\emil\\x", "D:\\Profiles\\emil\\x emil", "D:\\Profiles\\user\\x user" },
		{ "/nix/profiles/emil/x", "/nix/profiles/emil/x", "/nix/profiles/emil/x" },
		{ "C:\\Dokumente und Einstellungen\\fred\\x",
		  "C:\\Dokumente und Einstellungen\\fred\\x fred",
		  "C:\\Dokumente und Einstellungen\\user\\x user" },
		{ "\\\\fileserver99\\homes\\gina\\d", "\\\\fileserver99\\homes\\gina\\d FILESERVER99",
		  "\\\\host\\homes\\user\\d host" },
		{ "", "s-1-5-21-1-22-3 S-1-5-21-4 S-1-12-1-55-6",
		  "S-1-5-21-0 S-1-5-21-0 S-1-5-21-0" },
		{ "/Users/root/x /home/.. /Users/Shared/x", "root shared .. x", "root shared .. x" },
		{ "/home/al/x", "pal also al", "pal also user" },
		{ "/home2/alice/x", "/home2/alice/x alice-laptop alice_build",
		  "/home2/user/x user-laptop user_build" },
		{ "/export/home/alice/x", "/export/home/alice/x alice", "/export/home/user/x user" },
		{ "/vol/users12/alice/x", "/vol/users12/alice/x alice", "/vol/users12/user/x user" },
		{ "/u/alice/x", "/u/alice/x alice", "/u/user/x user" },
		{ "/src/u/codec/a.c https://example.com/u/codec", "/src/u/codec/a.c codec",
		  "/src/u/codec/a.c codec" },
		{ "/homeless/alice/x /home2", "/homeless/alice/x /home2", "/homeless/alice/x /home2" },
		{ "/home/éloïse/x", "ÉLOÏSE éloït Éloïse7",
		  "user éloït Éloïse7" },
		{ "/home/рома/x", "РОМА РОМАН",
		  "user РОМАН" },
		{ "/home/ωżč/x", "ΩŻČ", "user" },
		{ "/home/中文/x", "中文 中斈", "user 中斈" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		struct wk_redaction redaction = { 0 };

		wk_redaction_learn(&redaction, wk_str_c(lines[i][0]));
		check(&redaction, wk_redact_plain, lines[i][1], lines[i][2]);
		wk_redaction_fini(&redaction);
	}
}

static void command_lines_keep_their_program(void **state)
{
	static const char *const lines[][2] = {
		{ "perf", "perf" },
		{ "", "" },
		{ "perf record --password=x", "perf ..." },
		{ "perf\trecord", "perf ..." },
		{ "perf\nrecord", "perf ..." },
		{ "\"/home/O'Brien & Co/perf\" record", "\"/home/user/perf\" ..." },
		{ "'/opt/my perf' record", "'/opt/my perf' ..." },
		{ "\"/usr/bin/perf record --password=x", "\"/usr/bin/perf ..." },
		{ "PGPASSWORD=x perf record", "PGPASSWORD=... perf ..." },
		{ "A='x y' B=x\\ y C=x\"y z\" perf", "A=... B=... C=... perf" },
		{ "A='x y perf", "A=..." },
		{ "rustc --crate-name tills --token x", "rustc --crate-name tills ..." },
		{ "rustc --crate-name=tills_2", "rustc --crate-name tills_2 ..." },
		{ "rustc --crate-name", "rustc ..." },
		{ "rustc --crate-names secret", "rustc ..." },
	};
	struct wk_redaction redaction = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		check(&redaction, wk_redact_command, lines[i][0], lines[i][1]);
}

static void add_fact(struct wk_model *model, const char *key, const char *value)
{
	wk_model_add_fact(model, &(struct wk_event_system){ .key = wk_str_c(key),
							    .value = wk_str_c(value) });
}

/* Of a model: its host and users, and processes whose names are command lines. */
static void a_model_says_what_names_are(void **state)
{
	static const char *const lines[][2] = {
		{ "box17 BOX17.corp.example.com s_box17", "host host s_host" },
		{ "other.corp.example.com", "other.host" },
		{ "git@example.com", "git@host" },
		{ "hans", "user" },
		{ "mallory::f mallory", "user::f user" },
		{ "x", "x" },
		{ "/home/carol/x --token=sesame", "/home/user/x ..." },
		{ "of x --token=sesame: CPU", "of x ...: CPU" },
	};
	struct wk_model *model =
		small_model((const char *[]){ "/home/carol/x --token=sesame;main;f 1", NULL });
	struct wk_redaction redaction = { 0 };

	(void)state;
	add_fact(model, "host name", "box17.corp.example.com");
	add_fact(model, "user", "CORP\\hans");
	add_fact(model, "anything", "in /home/mallory/x");
	wk_redaction_add(&redaction, model);
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		check(&redaction, wk_redact_plain, lines[i][0], lines[i][1]);
	wk_redaction_fini(&redaction);
	wk_model_free(model);
}

/* Values are redacted, and not the names by which the page works. */
static void structure_stays(void **state)
{
	static const char *const json[][2] = {
		{ "{\"name\":\"mal\\u0026lory\",\"x\":[\"mal\\u0026lory::\\\"f\\\"\\u003c\"]}",
		  "{\"name\":\"user\",\"x\":[\"user::\\\"f\\\"\\u003c\"]}" },
		{ "{\"unit\":\"ns\",\"row\":\"name\",\"kind\":\"ns\",\"group\":\"name\",\"label\":\"ns\"}",
		  "{\"unit\":\"ns\",\"row\":\"name\",\"kind\":\"ns\",\"group\":\"name\",\"label\":\"user\"}" },
		{ "{\"table\":\"name\",\"columns\":[{\"key\":\"name\",\"title\":\"name\"}],"
		  "\"rows\":[{\"name\":\"name\"}],\"notes\":[\"of name\"]}",
		  "{\"table\":\"name\",\"columns\":[{\"key\":\"name\",\"title\":\"name\"}],"
		  "\"rows\":[{\"name\":\"user\"}],\"notes\":[\"of user\"]}" },
		{ "{\"presets\":[{\"name\":\"ns\",\"preset\":{\"title\":\"of ns\",\"annotations\":"
		  "[{\"label\":\"ns\",\"function\":\"ns\"}]}}],\"columns\":[{\"title\":\"ns\"}]}",
		  "{\"presets\":[{\"name\":\"ns\",\"preset\":{\"title\":\"of user\",\"annotations\":"
		  "[{\"label\":\"user\",\"function\":\"ns\"}]}}],\"columns\":[{\"title\":\"ns\"}]}" },
		{ "{\"kinds\":[\"name\"],\"presets\":[{\"name\":\"ns\"}],\"preset\":\"ns\","
		  "\"lacks\":{\"ns\":\"of ns\"}}",
		  "{\"kinds\":[\"name\"],\"presets\":[{\"name\":\"ns\"}],\"preset\":\"ns\","
		  "\"lacks\":{\"ns\":\"of user\"}}" },
		{ "{\"key\":\"recorded\",\"value\":\"/home/ns/a \\\"b\\\"\"}",
		  "{\"key\":\"recorded\",\"value\":\"/home/user/a ...\"}" },
	};
	struct wk_redaction redaction = { 0 };

	(void)state;
	wk_redaction_learn(&redaction, wk_str_c("/home/ns/ /home/name/ /home/mal&lory/"));
	for (size_t i = 0; i < sizeof(json) / sizeof(json[0]); i++)
		check(&redaction, wk_redact_json, json[i][0], json[i][1]);
	check(&redaction, wk_redact_text,
	      "<td class=\"name\">/home/mal&amp;lory/ &lt;ns&gt; &quot;&#39;</td>",
	      "<td class=\"name\">/home/user/ &lt;user&gt; &quot;&#39;</td>");
	wk_redaction_fini(&redaction);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_in_paths_are_replaced_everywhere),
		cmocka_unit_test(command_lines_keep_their_program),
		cmocka_unit_test(a_model_says_what_names_are),
		cmocka_unit_test(structure_stays),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
