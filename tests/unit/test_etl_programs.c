/* Events of programs and drivers in made traces: what describes them, their fields as text, their
 * stacks as samples, the code that programs make, and heap snapshots. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "etl_kernel_events.h"
#include "etl_lines.h"
#include "etl_programs.h"
#include "formats/etl/schema/descriptions.h"
#include "formats/etl/schema/fields.h"
#include "formats/reports/xml.h"

/* ---- TraceLogging */

static void put_field(struct wk_buf *fields, const char *name, const char *types, size_t count)
{
	put_text8(fields, name);
	wk_buf_add(fields, types, count);
}

static void structs_in_structs_and_lists_of_them_are_told_by_name(void **state)
{
	struct wk_buf text = { 0 }, fields = { 0 }, items = { 0 }, payload = { 0 };
	struct etl_program p = { .provider = &etl_demo, .items = &items };
	struct etl_maker m = { 0 };

	(void)state;
	put_field(&fields, "outer", "\xd8\x02", 2); /* a counted list of structs of two */
	put_field(&fields, "inner", "\x98\x01", 2);
	put_field(&fields, "text", "\x02", 1);
	put_field(&fields, "number", "\x05", 1);
	put_field(&fields, "fixed", "\x24\x02\x00", 3);
	put_field(&fields, "last", "\x84\x83\x05", 3); /* a truth, with a tag */
	etl_tracelogging(&items, "Demo", "Nested", &fields);
	put(&payload, 2, 2);
	put_text8(&payload, "a\"b\n");
	put(&payload, (uint16_t)-2, 2);
	put_text8(&payload, "");
	put(&payload, 3, 2);
	put(&payload, 0x0807, 2);
	put(&payload, 1, 1);
	etl_begin_file(&m);
	etl_program(&m, &p, ETL_MS, &payload);
	end_trace(&m, &text);
	assert_line(&text, "what=\"Demo/Nested\" "
			   "text=\"outer=[{inner={text=\\\"a\\\\\\\"b\\\\n\\\"} "
			   "number=-2}, {inner={text=\\\"\\\"} number=3}] fixed=[7, 8] "
			   "last=true\"");
	wk_buf_fini(&payload);
	wk_buf_fini(&items);
	wk_buf_fini(&fields);
	wk_buf_fini(&text);
}

/* Each says of itself how many there are, and none has a byte in the payload. */
static void lists_of_nothing_in_lists_of_nothing_end_soon(void **state)
{
	struct wk_buf text = { 0 }, fields = { 0 }, items = { 0 }, payload = { 0 };
	struct etl_program p = { .provider = &etl_demo, .items = &items };
	struct etl_maker m = { 0 };

	(void)state;
	for (int i = 0; i < 12; i++)
		put_field(&fields, "a", "\xb8\x01\xff\xff", 4);
	put_field(&fields, "b", "\x00", 1);
	etl_tracelogging(&items, "Demo", "Bomb", &fields);
	etl_begin_file(&m);
	for (int i = 0; i < 5; i++)
		etl_program(&m, &p, ETL_MS, &payload);
	end_trace(&m, &text);
	assert_line(&text, "5 events end before their last field");
	assert_true(text.len < 100000);
	wk_buf_fini(&items);
	wk_buf_fini(&fields);
	wk_buf_fini(&text);
}

static void what_ends_early_has_the_fields_that_are_there_and_is_counted(void **state)
{
	struct wk_buf text = { 0 }, fields = { 0 }, items = { 0 }, payload = { 0 };
	struct etl_program p = { .provider = &etl_demo, .items = &items };
	struct etl_maker m = { 0 };

	(void)state;
	put_field(&fields, "here", "\x08", 1);
	put_field(&fields, "gone", "\x08", 1);
	etl_tracelogging(&items, "Demo", "Short", &fields);
	put(&payload, 5, 6);
	etl_begin_file(&m);
	etl_program(&m, &p, ETL_MS, &payload);
	put(&payload, 0, 5);
	etl_program(&m, &p, ETL_MS, &payload);
	end_trace(&m, &text);
	assert_line(&text, "text=\"here=5 gone=...\"");
	assert_line(&text, "text=\"here=5 gone=0 (3 bytes more)\"");
	assert_line(&text, "note time=0 text=\"1 event ends before its last field");
	wk_buf_fini(&payload);
	wk_buf_fini(&items);
	wk_buf_fini(&fields);
	wk_buf_fini(&text);
}

/* ---- descriptions */

enum { STRUCT = 1, LENGTH_BY_FIELD = 2, COUNT_BY_FIELD = 4 };

static void a_described_event_has_its_fields_and_words_for_numbers(void **state)
{
	static const char *const kinds[] = { "Small ", "Very large " };
	static const char *const bits[] = { "A ", "B " };
	static const struct etl_property properties[] = {
		{ "Bytes", 0, 6, 0, NULL, 1, 2 },
		{ "Data", LENGTH_BY_FIELD, 14, 0, NULL, 1, 0 },
		{ "Kind", 0, 8, 0, "Kinds", 1, 4 },
		{ "Other", 0, 4, 0, "Kinds", 1, 1 },
		{ "Flags", 0, 8, 0, "Bits", 1, 4 },
		{ "Count", 0, 4, 0, NULL, 1, 1 },
		{ "Rows", STRUCT | COUNT_BY_FIELD, 7, 2, NULL, 5, 0 },
		{ "Who", 0, 1, 0, NULL, 1, 0 },
		{ "Where", 0, 16, 0, NULL, 1, 0 },
	};
	struct etl_description d = { .provider = &etl_demo, .id = 7, .version = 2,
				     .provider_name = "Demo-Provider", .task_name = "Work",
				     .opcode_name = "win:Start", .properties = properties,
				     .count = 9, .top_count = 7 };
	struct etl_program p = { .provider = &etl_demo, .id = 7, .version = 2, .opcode = 1 };
	struct wk_buf text = { 0 }, payload = { 0 };
	struct etl_maker m = { 0 };

	(void)state;
	put(&payload, 3, 2);
	wk_buf_add(&payload, "\x01\x02\x03", 3);
	put(&payload, 1, 4);
	put(&payload, 9, 1);
	put(&payload, 0x13, 4);
	put(&payload, 2, 1);
	put_text16(&payload, "x");
	put(&payload, 0x1000, 8);
	put_text16(&payload, "");
	put(&payload, 0x2000, 8);
	etl_begin_file(&m);
	etl_program(&m, &p, ETL_MS, &payload); /* described later */
	etl_describe(&m, &d);
	etl_words(&m, &etl_demo, "Kinds", false, kinds, 2);
	etl_words(&m, &etl_demo, "Bits", true, bits, 2);
	end_trace(&m, &text);
	assert_line(&text, "what=\"Demo-Provider/Work/Start\" text=\"Bytes=3 Data=0x010203 "
			   "Kind=\\\"Very large\\\" Other=9 Flags=A|B|0x10 Count=2 "
			   "Rows=[{Who=\\\"x\\\" Where=0x1000}, {Who=\\\"\\\" Where=0x2000}]\"");
	wk_buf_fini(&payload);
	wk_buf_fini(&text);
}

static void pointers_are_as_wide_as_the_events_program(void **state)
{
	static const struct etl_property properties[] = { { "At", 0, 16, 0, NULL, 1, 0 },
							  { "After", 0, 4, 0, NULL, 1, 0 } };
	struct etl_description d = { .provider = &etl_demo, .id = 7, .provider_name = "Demo",
				     .task_name = "At", .properties = properties, .count = 2,
				     .top_count = 2 };
	struct etl_program p = { .provider = &etl_demo, .id = 7, .is_32_bit = true };
	struct wk_buf text = { 0 }, payload = { 0 };
	struct etl_maker m = { 0 };

	(void)state;
	put(&payload, 0x80001000, 4);
	put(&payload, 9, 1);
	etl_begin_file(&m);
	etl_describe(&m, &d);
	etl_program(&m, &p, ETL_MS, &payload);
	end_trace(&m, &text);
	assert_line(&text, "text=\"At=0x80001000 After=9\"");
	wk_buf_fini(&payload);
	wk_buf_fini(&text);
}

static void classic_events_are_described_by_their_class(void **state)
{
	static const struct wk_guid class_guid = { 0x99, 1, 2, { 3 } };
	static const struct etl_property properties[] = {
		{ "Size", 0, 308, 0, NULL, 1, 0 }, { "Reversed", 0, 303, 0, NULL, 1, 0 },
		{ "Whose", 0, 310, 0, NULL, 1, 0 }, { "Letter", 0, 306, 0, NULL, 1, 0 },
		{ "Rest", 0, 305, 0, NULL, 1, 0 } };
	struct etl_description d = { .provider = &etl_demo, .event = &class_guid, .id = 0,
				     .version = 2, .opcode = 33, .provider_name = "Old",
				     .task_name = "Thing", .opcode_name = "Made",
				     .properties = properties, .count = 5, .top_count = 5 };
	struct wk_buf text = { 0 }, payload = { 0 };
	struct etl_maker m = { 0 };

	(void)state;
	put(&payload, 0x40, 8);
	wk_buf_add(&payload, "\x00\x02hi", 4);
	put(&payload, 1, 16);
	put_sid(&payload);
	put(&payload, 'Q', 2);
	wk_buf_add(&payload, "end", 3);
	etl_begin_file(&m);
	etl_describe(&m, &d);
	etl_classic(&m, &class_guid, 33, ETL_MS, &payload);
	end_trace(&m, &text);
	assert_line(&text, "what=\"Old/Thing/Made\" text=\"Size=0x40 Reversed=\\\"hi\\\" "
			   "Whose=S-1-5-32-544 Letter=\\\"Q\\\" Rest=\\\"end\\\"\"");
	wk_buf_fini(&payload);
	wk_buf_fini(&text);
}

static void a_description_that_contradicts_itself_is_none(void **state)
{
	static const struct etl_property itself[] = { { "A", STRUCT, 0, 1, NULL, 1, 0 } };
	static const struct etl_property outside[] = { { "A", STRUCT, 1, 9, NULL, 1, 0 } };
	static const struct etl_property later[] = { { "A", COUNT_BY_FIELD, 4, 0, NULL, 1, 0 },
						     { "B", 0, 4, 0, NULL, 1, 0 } };
	struct etl_description d = { .provider = &etl_demo, .provider_name = "Demo",
				     .task_name = "T" };
	struct etl_program p = { .provider = &etl_demo };
	struct wk_buf text = { 0 };
	struct etl_maker m = { 0 };

	(void)state;
	etl_begin_file(&m);
	for (uint16_t id = 1; id <= 3; id++) {
		d.id = p.id = id;
		d.properties = id == 1 ? itself : id == 2 ? outside : later;
		d.count = d.top_count = id == 3 ? 2 : 1;
		etl_describe(&m, &d);
		etl_program(&m, &p, ETL_MS, NULL);
	}
	end_trace(&m, &text);
	assert_line(&text, "text=\"id=1 version=0 opcode=0 task=0 bytes=0\"");
	assert_line(&text, "text=\"id=2 version=0 opcode=0 task=0 bytes=0\"");
	assert_line(&text, "text=\"id=3 version=0 opcode=0 task=0 bytes=0\"");
	assert_line(&text, "note time=0 text=\"3 events are shown as number and size");
	wk_buf_fini(&text);
}

/* ---- values */

struct value {
	uint16_t in, out, length;
	const char *bytes;
	size_t byte_count;
	const char *text;
};

static void assert_value(const struct value *value)
{
	struct wk_etl_field field = { .name = wk_str_c("a"), .in_type = value->in,
				      .out_type = value->out, .length = value->length, .end = 1,
				      .sized = value->length ? WK_ETL_BY_SCHEMA : WK_ETL_BY_TYPE };
	struct wk_etl_schema schema = { .fields = &field, .count = 1 };
	struct wk_etl_field_reader reader = { 0 };
	struct wk_bytes payload = wk_bytes_of(value->bytes, value->byte_count);
	struct wk_buf text = { 0 }, expected = { 0 };
	bool ends_with_payload =
		!value->length && (value->in == WK_ETL_IN_TEXT16 || value->in == WK_ETL_IN_TEXT8);

	wk_buf_add_fmt(&expected, "a=%s", value->text);
	assert_true(wk_etl_fields_add(&reader, &schema, 8, payload, &text));
	assert_string_equal(wk_buf_text(&text), wk_buf_text(&expected));
	wk_buf_reset(&text);
	payload.end--;
	assert_int_equal(wk_etl_fields_add(&reader, &schema, 8, payload, &text), ends_with_payload);
	wk_free(reader.numbers);
	wk_buf_fini(&expected);
	wk_buf_fini(&text);
}

/* And of each, one byte less is too little, but for texts without a length. */
static void values_of_every_type_are_told_as_people_write_them(void **state)
{
	static const struct value values[] = {
		{ WK_ETL_IN_I8, 0, 0, "\xfe", 1, "-2" },
		{ WK_ETL_IN_I64, 0, 0, "\xff\xff\xff\xff\xff\xff\xff\xff", 8, "-1" },
		{ WK_ETL_IN_U64, 0, 0, "\xff\xff\xff\xff\xff\xff\xff\xff", 8,
		  "18446744073709551615" },
		{ WK_ETL_IN_U32, WK_ETL_OUT_NTSTATUS, 0, "\x34\0\0\xc0", 4, "0xc0000034" },
		{ WK_ETL_IN_U32, WK_ETL_OUT_IPV4, 0, "\x7f\0\0\1", 4, "127.0.0.1" },
		{ WK_ETL_IN_U16, WK_ETL_OUT_PORT, 0, "\x01\xbb", 2, "443" },
		{ WK_ETL_IN_U8, WK_ETL_OUT_BOOL, 0, "\1", 1, "true" },
		{ WK_ETL_IN_BOOL, 0, 0, "\0\0\0\0", 4, "false" },
		{ WK_ETL_IN_U16, WK_ETL_OUT_STRING, 0, "A\0", 2, "\"A\"" },
		{ WK_ETL_IN_F32, 0, 0, "\0\0\xc0\x3f", 4, "1.5" },
		{ WK_ETL_IN_F64, 0, 0, "\0\0\0\0\0\0\xf8\xbf", 8, "-1.5" },
		{ WK_ETL_IN_HEX32, 0, 0, "\x10\0\0\0", 4, "0x10" },
		{ WK_ETL_IN_TEXT16, 0, 0, "a\0\n\0\0\0", 6, "\"a\\n\"" },
		{ WK_ETL_IN_TEXT16, 0, 3, "a\0b\0\0\0", 6, "\"ab\"" },
		{ WK_ETL_IN_TEXT8, 0, 0, "q\"\x01", 4, "\"q\\\"\\x01\"" },
		{ WK_ETL_IN_TEXT8, 0, 2, "hi", 2, "\"hi\"" },
		{ WK_ETL_IN_COUNTED_TEXT16, 0, 0, "\4\0h\0i\0", 6, "\"hi\"" },
		{ WK_ETL_IN_COUNTED_BINARY, 0, 0, "\2\0\xab\xcd", 4, "0xabcd" },
		{ WK_ETL_IN_BINARY, 0, 2, "\xab\xcd", 2, "0xabcd" },
		{ WK_ETL_IN_BINARY, WK_ETL_OUT_IPV6, 0, "\x20\1\0\0\0\0\0\0\0\0\0\0\0\0\0\1", 16,
		  "2001::1" },
		{ WK_ETL_IN_BINARY, WK_ETL_OUT_IPV6, 16, "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 16,
		  "::" },
		{ WK_ETL_IN_BINARY, WK_ETL_OUT_SOCKET, 8, "\2\0\0\x50\x0a\0\0\1", 8,
		  "10.0.0.1:80" },
		{ WK_ETL_IN_BINARY, WK_ETL_OUT_SOCKET, 3, "\x09\0\1", 3, "0x090001" },
		{ WK_ETL_IN_FILETIME, 0, 0, "\x01\0\0\0\0\0\0\0", 8,
		  "1601-01-01T00:00:00.0000001Z" },
		{ WK_ETL_IN_SYSTEMTIME, 0, 0, "\xe5\7\x09\0\4\0\x09\0\x0e\0\x3b\0\x23\0\x1f\3", 16,
		  "2021-09-09T14:59:35.799" },
		{ WK_ETL_IN_SID, 0, 0, "\1\1\0\0\0\0\0\5\x12\0\0\0", 12, "S-1-5-18" },
		{ WK_ETL_IN_MOF_COUNTED_TEXT8, 0, 0, "\2\0hi", 4, "\"hi\"" },
		{ WK_ETL_IN_MOF_REVERSED_TEXT16, 0, 0, "\0\2h\0", 4, "\"h\"" },
		{ WK_ETL_IN_MOF_HEX_DUMP, 0, 0, "\1\0\0\0\x7f", 5, "0x7f" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
		assert_value(&values[i]);
}

/* ---- manifests */

static const char manifest[] =
	"<instrumentationManifest><events>"
	"<provider name='My-Source' guid='{11111111-2222-3333-0404-050505050505}'>"
	"<tasks><task name='Job' value='1'/></tasks>"
	"<events><event value='1' version='0' symbol='JobStart' task='Job' opcode='win:Start' "
	"template='JobArgs'/><event value='2' symbol='Bare'/></events>"
	"<templates><template tid='JobArgs'><data name='name' inType='win:UnicodeString'/>"
	"<data name='count' inType='win:UInt8'/><struct name='items' count='count'>"
	"<data name='id' inType='win:UInt16'/></struct>"
	"<data name='how' inType='win:UInt32' map='Ways'/>"
	"<data name='ok' inType='win:UInt8' outType='xs:boolean'/></template></templates>"
	"<maps><valueMap name='Ways'><map value='0x2' message='$(string.way)'/></valueMap></maps>"
	"</provider></events><localization><resources><stringTable>"
	"<string id='way' value='the second'/></stringTable></resources></localization>"
	"</instrumentationManifest>";

static void ignore(void *context, const char *name, const char *const *attributes)
{
	(void)context, (void)name, (void)attributes;
}

static void ignore_end(void *context, const char *name)
{
	(void)context, (void)name;
}

static void ignore_text(void *context, struct wk_str text)
{
	(void)context, (void)text;
}

static void skip_without_xml(void)
{
	struct wk_err err = { 0 };
	static const struct wk_xml_handler none = { ignore, ignore_end, ignore_text };

	if (!wk_xml_read(wk_bytes_of("<a/>", 4), &none, NULL, &err)) {
		print_message("%s\n", err.text);
		skip();
	}
}

static void a_manifest_in_pieces_by_two_programs_at_once_is_joined(void **state)
{
	struct etl_program p = { .provider = &etl_demo, .id = 1 };
	struct wk_buf text = { 0 }, payload = { 0 };
	size_t piece = 200, total = (sizeof(manifest) - 1 + piece - 1) / piece;
	struct etl_maker m = { 0 };

	(void)state;
	skip_without_xml();
	etl_begin_file(&m);
	for (size_t i = 0; i < total; i++) {
		etl_manifest_piece(&m, &etl_demo, 10, manifest, piece, i);
		etl_manifest_piece(&m, &etl_demo, 20, manifest, piece, i);
	}
	put_text16(&payload, "compile");
	put(&payload, 2, 1);
	put(&payload, 7, 2);
	put(&payload, 8, 2);
	put(&payload, 2, 4);
	put(&payload, 1, 1);
	etl_program(&m, &p, ETL_MS, &payload);
	p.id = 2;
	etl_program(&m, &p, ETL_MS, NULL);
	end_trace(&m, &text);
	assert_line(&text, "what=\"My-Source/Job/Start\" text=\"name=\\\"compile\\\" count=2 "
			   "items=[{id=7}, {id=8}] how=\\\"the second\\\" ok=true\"");
	assert_line(&text, "what=\"My-Source/Bare\"\n");
	assert_line(&text, "what=\"My-Source/ManifestData\" text=\"Format=1 MajorVersion=1");
	wk_buf_fini(&payload);
	wk_buf_fini(&text);
}

static void pieces_that_are_missing_or_broken_describe_nothing(void **state)
{
	struct etl_program p = { .provider = &etl_demo, .id = 1 };
	struct wk_buf text = { 0 };
	struct etl_maker m = { 0 };

	(void)state;
	etl_begin_file(&m);
	etl_manifest_piece(&m, &etl_demo, 10, manifest, 400, 0);
	etl_manifest_piece(&m, &etl_demo, 10, manifest, 400, 2);
	etl_manifest_piece(&m, &etl_demo, 20, "<broken <xml", 400, 0);
	etl_program(&m, &p, ETL_MS, NULL);
	end_trace(&m, &text);
	assert_line(&text, "what=\"{11111111-2222-3333-0404-050505050505}/id 1\"");
	wk_buf_fini(&text);
}

/* ---- stacks */

static const uint64_t first_chain[] = { 0x10010, 0x10020 }, second_chain[] = { 0x20010 };
static const uint64_t kernel_chain[] = { ETL_KERNEL_BASE + 0x10 };

static void events_with_stacks_are_samples_of_a_source_by_their_name(void **state)
{
	struct wk_buf text = { 0 }, stack = { 0 };
	struct etl_program p = { .provider = &etl_demo, .id = 3, .items = &stack };
	struct etl_maker m = { 0 };

	(void)state;
	etl_item_stack(&stack, 0, first_chain, 2);
	etl_begin_file(&m);
	etl_program(&m, &p, ETL_MS, NULL);
	p.items = NULL;
	etl_program(&m, &p, 2 * ETL_MS, NULL); /* none: it is only listed */
	p.id = 4;
	etl_program(&m, &p, 3 * ETL_MS, NULL);
	end_trace(&m, &text);
	assert_line(&text, "source time=0 source=100000 "
			   "name=\"{11111111-2222-3333-0404-050505050505}/id 3\" unit=\"events\"");
	assert_line(&text, "sample time=1000000 pid=66 tid=77 cpu=0 source=100000 weight=1 "
			   "mode=user address=0x10010 user=0x10010,0x10020\n");
	assert_no_line(&text, "sample time=2000000");
	assert_no_line(&text, "/id 4\" unit");
	assert_line(&text, "name=\"id 3\"\n");
	assert_line(&text, "name=\"id 4\" used=0\n");
	wk_buf_fini(&stack);
	wk_buf_fini(&text);
}

static void halves_of_a_stack_find_each_other_by_their_number(void **state)
{
	struct wk_buf text = { 0 }, first = { 0 }, second = { 0 };
	struct etl_program p = { .provider = &etl_demo, .id = 3, .items = &first };
	struct etl_maker m = { 0 };

	(void)state;
	etl_item_stack(&first, 0x5555, kernel_chain, 1);
	etl_item_stack(&second, 0x5555, second_chain, 1);
	etl_begin_file(&m);
	etl_program(&m, &p, ETL_MS, NULL);
	p.items = &second;
	p.id = 9;
	etl_program(&m, &p, 2 * ETL_MS, NULL);
	end_trace(&m, &text);
	assert_line(&text, "sample time=1000000 pid=66 tid=77 cpu=0 source=100000 weight=1 "
			   "mode=kernel address=0xfffff80000000010 "
			   "kernel=0xfffff80000000010 user=0x20010\n");
	assert_no_line(&text, "sample time=2000000");
	wk_buf_fini(&first);
	wk_buf_fini(&second);
	wk_buf_fini(&text);
}

static void put_clr_stack(struct wk_buf *payload, const uint64_t *addresses, uint32_t count,
			  size_t bytes)
{
	put(payload, 9, 4);
	put(payload, count, 4);
	for (uint32_t i = 0; i < count; i++)
		put(payload, addresses[i], bytes);
}

static void the_runtimes_stack_is_of_the_event_that_its_thread_told_before(void **state)
{
	static const uint64_t high[] = { 0xf0001000 };
	struct wk_buf text = { 0 }, stack = { 0 }, narrow = { 0 };
	struct etl_program gc = { .provider = &etl_clr, .id = 35, .opcode = 35 };
	struct etl_program walk = { .provider = &etl_clr, .id = 82, .opcode = 82 };
	struct etl_maker m = { 0 };

	(void)state;
	put_clr_stack(&stack, first_chain, 2, 8);
	put_clr_stack(&narrow, high, 1, 4);
	etl_begin_file(&m);
	etl_program(&m, &gc, ETL_MS, NULL);
	gc.tid = 78;
	etl_program(&m, &gc, 2 * ETL_MS, NULL);
	etl_program(&m, &walk, 3 * ETL_MS, &stack); /* of thread 77 */
	etl_program(&m, &walk, 4 * ETL_MS, &stack); /* that one has it already */
	walk.tid = 78;
	walk.is_32_bit = true;
	etl_program(&m, &walk, 5 * ETL_MS, &narrow);
	end_trace(&m, &text);
	assert_line(&text, "name=\"Microsoft-Windows-DotNETRuntime/GC/Triggered\" unit=");
	assert_line(&text, "sample time=1000000 pid=66 tid=77 cpu=0 source=100000 weight=1 "
			   "mode=user address=0x10010 user=0x10010,0x10020\n");
	assert_line(&text, "sample time=2000000 pid=66 tid=78 cpu=0 source=100000 weight=1 "
			   "mode=user address=0xf0001000 user=0xf0001000\n");
	assert_no_line(&text, "sample time=3000000");
	wk_buf_fini(&narrow);
	wk_buf_fini(&stack);
	wk_buf_fini(&text);
}

/* ---- samples that are only counted */

static const struct wk_read_options for_cpu_time = {
	.sums_samples = true, .sums_other_sources = true, .skips_details = true };

/* Two threads' events with stacks, the first before anything of the timer is known. */
static void make_events(struct etl_maker *m)
{
	struct wk_buf stack = { 0 }, payload = { 0 };
	struct etl_program p = { .provider = &etl_demo, .id = 3, .items = &stack };
	struct etl_program gc = { .provider = &etl_clr, .id = 35, .opcode = 35 };
	struct etl_program walk = { .provider = &etl_clr, .id = 82, .opcode = 82 };

	etl_item_stack(&stack, 0, first_chain, 2);
	put_clr_stack(&payload, first_chain, 2, 8);
	etl_program(m, &p, ETL_MS, NULL);
	etl_sampled(m, 2 * ETL_MS, 0x10010, 0, 0);
	etl_sampled(m, 3 * ETL_MS, 0x10010, 77, 0);
	etl_program(m, &p, 4 * ETL_MS, NULL);
	p.tid = 78;
	etl_program(m, &p, 5 * ETL_MS, NULL);
	p.tid = 77;
	etl_program(m, &p, 6 * ETL_MS, NULL);
	etl_program(m, &gc, 7 * ETL_MS, NULL);
	etl_program(m, &walk, 8 * ETL_MS, &payload);
	etl_sampled(m, 9 * ETL_MS, 0x10010, 0, 0);
	wk_buf_fini(&payload);
	wk_buf_fini(&stack);
}

static void idle_samples_that_are_counted_have_the_interval_of_their_time(void **state)
{
	struct wk_buf text = { 0 };
	struct etl_maker m = { 0 };

	(void)state;
	etl_begin_file(&m);
	etl_sampled(&m, 1 * ETL_MS, 0x10010, 77, 0);
	etl_sampled(&m, 2 * ETL_MS, 0x10010, 0, 0);
	etl_interval_change(&m, 0x0f48, 3 * ETL_MS, 0, 20000, 5000, "Timer");
	etl_sampled(&m, 4 * ETL_MS, 0x10010, 0, 0);
	etl_end_buffer(&m, 0);
	read_made_as(&m, for_cpu_time, &text);
	assert_line(&text, "sum time=2000000 until=4000000 pid=0 tid=0 source=2 weight=2500000 "
			   "times=2 stack=0\n");
	etl_fini(&m);
	wk_buf_fini(&text);
}

static void each_idle_sample_of_a_record_is_counted(void **state)
{
	struct wk_buf text = { 0 };
	struct etl_maker m = { 0 };

	(void)state;
	etl_begin_file(&m);
	etl_sampled(&m, 1 * ETL_MS, 0x10010, 77, 0);
	etl_cached(&m, 2 * ETL_MS, 0x10010, 0);
	etl_end_buffer(&m, 0);
	read_made_as(&m, for_cpu_time, &text);
	assert_line(&text, "sum time=2000000 until=2000000 pid=0 tid=0 source=2 weight=7000000 "
			   "times=2 stack=0\n");
	etl_fini(&m);
	wk_buf_fini(&text);
}

static void for_a_view_of_cpu_time_other_samples_are_counted_by_their_threads(void **state)
{
	struct wk_buf text = { 0 };
	struct etl_maker m = { 0 };

	(void)state;
	etl_begin_file(&m);
	make_events(&m);
	etl_end_buffer(&m, 0);
	read_made_as(&m, for_cpu_time, &text);
	assert_line(&text, "sample time=1000000 pid=66 tid=77 cpu=0 source=100000 weight=1 ");
	assert_line(&text, "sample time=3000000 pid=unknown tid=77 cpu=0 source=1 weight=1000000 ");
	assert_line(&text, "sums time=0 count=4\n"
			   "sum time=2000000 until=9000000 pid=0 tid=0 source=2 weight=2000000 "
			   "times=2 stack=0\n"
			   "sum time=4000000 until=6000000 pid=66 tid=77 source=100000 weight=2 "
			   "times=2 stack=0\n"
			   "sum time=5000000 until=5000000 pid=66 tid=78 source=100000 weight=1 "
			   "times=1 stack=0\n"
			   "sum time=7000000 until=7000000 pid=66 tid=77 source=100001 weight=1 "
			   "times=1 stack=0\n");
	assert_no_line(&text, "sample time=2000000");
	assert_no_line(&text, "sample time=4000000");
	etl_fini(&m);
	wk_buf_fini(&text);
}

static void without_samples_of_cpu_time_all_others_are_told_with_their_stacks(void **state)
{
	struct wk_buf text = { 0 }, stack = { 0 };
	struct etl_program p = { .provider = &etl_demo, .id = 3, .items = &stack };
	struct etl_maker m = { 0 };

	(void)state;
	etl_item_stack(&stack, 0, first_chain, 2);
	etl_begin_file(&m);
	etl_sampled(&m, ETL_MS, 0x10010, 0, 0);
	etl_program(&m, &p, 2 * ETL_MS, NULL);
	etl_end_buffer(&m, 0);
	read_made_as(&m, for_cpu_time, &text);
	assert_line(&text, "sample time=1000000 pid=0 tid=0 cpu=0 source=2 ");
	assert_line(&text, "sample time=2000000 pid=66 tid=77 cpu=0 source=100000 weight=1 "
			   "mode=user address=0x10010 user=0x10010,0x10020\n");
	assert_no_line(&text, "sums");
	etl_fini(&m);
	wk_buf_fini(&stack);
	wk_buf_fini(&text);
}

/* A stack of nothing is none, and two beside one event are one. */
static void an_event_with_several_stacks_is_counted_once(void **state)
{
	static const uint64_t nothing[] = { 0 };
	struct wk_buf text = { 0 }, stacks = { 0 }, empty = { 0 }, data = { 0 };
	struct etl_program p = { .provider = &etl_demo, .id = 3, .items = &stacks };
	struct etl_maker m = { 0 };

	(void)state;
	put(&data, 0, 8);
	put(&data, 0x30010, 8);
	etl_item(&stacks, WK_ETL_ITEM_STACK_64, false, &data);
	etl_item_stack(&stacks, 0, first_chain, 2);
	etl_item_stack(&empty, 0, nothing, 1);
	etl_begin_file(&m);
	etl_sampled(&m, ETL_MS, 0x10010, 77, 0);
	etl_program(&m, &p, 2 * ETL_MS, NULL);
	p.items = &empty;
	etl_program(&m, &p, 3 * ETL_MS, NULL);
	etl_end_buffer(&m, 0);
	read_made_as(&m, for_cpu_time, &text);
	assert_line(&text, "sums time=0 count=1\n"
			   "sum time=2000000 until=2000000 pid=66 tid=77 source=100000 weight=1 "
			   "times=1 stack=0\n");
	etl_fini(&m);
	wk_buf_fini(&data);
	wk_buf_fini(&empty);
	wk_buf_fini(&stacks);
	wk_buf_fini(&text);
}

/* ---- code that programs make */

static void put_method(struct etl_maker *m, uint16_t id, uint64_t time, uint64_t start,
		       const char *name)
{
	etl_method(m, &(struct etl_method){ id, 66, time, start, 0, "System.Space", name });
}

static void code_at_the_place_of_other_code_has_its_name_from_then_on(void **state)
{
	struct wk_buf text = { 0 };
	struct etl_maker m = { 0 };

	(void)state;
	etl_begin_file(&m);
	put_method(&m, 144, 2 * ETL_MS, 0x5000, "Old"); /* it goes: it was there */
	put_method(&m, 143, 3 * ETL_MS, 0x5000, "New");
	put_method(&m, 143, 3 * ETL_MS, 0x6000, "Young");
	put_method(&m, 144, 9 * ETL_MS, 0x5000, "New");
	put_method(&m, 144, 9 * ETL_MS, 0x6000, "Young");
	end_trace(&m, &text);
	assert_line(&text, "symbol time=0 pid=66 tid=66 start=0x5000 size=0x100 "
			   "name=\"System.Space.Old\"\n");
	assert_line(&text, "symbol time=3000000 pid=66 tid=66 start=0x5000 size=0x100 "
			   "name=\"System.Space.New\"\n");
	assert_line(&text, "symbol time=3000000 pid=66 tid=66 start=0x6000 size=0x100 "
			   "name=\"System.Space.Young\"\n");
	assert_no_line(&text, "symbol time=0 pid=66 tid=66 start=0x6000");
	wk_buf_fini(&text);
}

static void functions_of_javascript_have_names_files_and_lines(void **state)
{
	struct etl_program p = { .provider = &etl_script, .id = 41 };
	struct wk_buf text = { 0 }, source = { 0 }, function = { 0 };
	struct etl_maker m = { 0 };

	(void)state;
	put(&source, 5, 8);
	put(&source, 0x77, 8);
	put(&source, 0, 4);
	put_text16(&source, "https://example.org/a.js");
	put(&function, 0x77, 8);
	put(&function, 0x9000, 8);
	put(&function, 0x40, 8);
	put(&function, 0, 8);
	put(&function, 5, 8);
	put(&function, 12, 4);
	put(&function, 3, 4);
	put_text16(&function, "render");
	etl_begin_file(&m);
	p.id = 9;
	etl_program(&m, &p, ETL_MS, &function);
	p.id = 41;
	etl_program(&m, &p, 2 * ETL_MS, &source); /* told later */
	p.id = 9;
	put(&source, 0, 1);
	etl_program(&m, &p, 3 * ETL_MS, &source); /* too short for a function */
	end_trace(&m, &text);
	assert_line(&text, "symbol time=1000000 pid=66 tid=66 start=0x9000 size=0x40 "
			   "name=\"render\" file=\"https://example.org/a.js\" line+0x0=12\n");
	wk_buf_fini(&function);
	wk_buf_fini(&source);
	wk_buf_fini(&text);
}

static void an_image_without_a_pdb_has_that_of_the_runtimes_module(void **state)
{
	struct wk_buf text = { 0 };
	struct etl_maker m = { 0 };

	(void)state;
	etl_begin_file(&m);
	etl_image(&m, 0x1404, 9 * ETL_MS, 100, 0x10000, "C:\\App\\A.dll");
	etl_image(&m, 0x1404, 9 * ETL_MS, 101, 0x10000, "C:\\App\\A.dll");
	etl_image(&m, 0x1404, 9 * ETL_MS, 100, 0x20000, "C:\\Gac\\B.ni.dll");
	etl_module(&m, 1, "c:\\app\\a.dll", "");
	etl_module(&m, 2, "c:\\app\\b.dll", "c:\\gac\\b.ni.dll");
	end_trace(&m, &text);
	assert_line(&text, "image time=0 pid=100 tid=100 start=0x10000 size=0x1000 offset=0x0 "
			   "path=\"C:\\\\App\\\\A.dll\" "
			   "build_id=111111112222333304040505050505052 pdb=\"a.ni.pdb\"");
	assert_line(&text, "start=0x20000 size=0x1000 offset=0x0 path=\"C:\\\\Gac\\\\B.ni.dll\" "
			   "build_id=111111112222333304040505050505052 pdb=\"a.ni.pdb\"");
	assert_line(&text, "image time=0 pid=101 tid=101 start=0x10000 size=0x1000 offset=0x0 "
			   "path=\"C:\\\\App\\\\A.dll\"\n");
	wk_buf_fini(&text);
}

static bool came_with_program(const char *dump, unsigned start)
{
	char wanted[32];
	const char *line, *kind;

	snprintf(wanted, sizeof(wanted), " start=0x%x ", start);
	line = strstr(dump, wanted);
	assert_non_null(line);
	kind = strstr(line, " kind=jit-program");
	return kind && kind < strchr(line, '\n');
}

static void managed_code_is_the_programs_by_where_its_module_lies(void **state)
{
	static const struct etl_method methods[] = {
		{ 144, 100, ETL_MS, 0x1000, 1, "Test.Program", "Main" },
		{ 144, 100, ETL_MS, 0x2000, 2, "Test.Helper", "Get" },
		{ 144, 100, ETL_MS, 0x3000, 3, "Grpc.Core", "Call" },
		{ 144, 100, ETL_MS, 0x4000, 4, "Json", "Read" },
		{ 144, 100, ETL_MS, 0x5000, 5, "Microsoft.Extra", "Run" },
		{ 144, 100, ETL_MS, 0x6000, 1, "System.Collections.List", "Add" },
		{ 144, 100, ETL_MS, 0x7000, 1, "dynamicClass", "IL_STUB_PInvoke" },
		{ 144, 100, ETL_MS, 0x8000, 99, "Microsoft.Win32", "Open" },
		{ 144, 100, ETL_MS, 0x9000, 99, "Test.Made", "Run" },
		{ 144, 101, ETL_MS, 0xa000, 2, "Test.Other", "Run" },
		{ 144, 100, ETL_MS, 0xb000, 6, "Microsoft.Made", "Run" },
		{ 143, 100, 2 * ETL_MS, 0xc000, 1, "Test.Program", "Late" },
	};
	struct wk_buf text = { 0 };
	struct etl_maker m = { 0 };

	(void)state;
	etl_begin_file(&m);
	for (size_t i = 0; i < sizeof(methods) / sizeof(methods[0]); i++)
		etl_method(&m, &methods[i]);
	etl_module(&m, 1, "Z:\\Work\\Test.exe", "");
	etl_module(&m, 2, "C:\\Windows\\Microsoft.Net\\assembly\\GAC_64\\x\\x.dll", "");
	etl_module(&m, 3, "D:\\dotnet\\shared\\Microsoft.NETCore.App\\8.0.0\\a.dll", "");
	etl_module(&m, 4, "C:\\App\\System.Text.Json.dll", "");
	etl_module(&m, 5, "C:\\App\\Microsoft.Extra.dll", "");
	etl_module(&m, 6, "MadeInMemory", "");
	end_trace(&m, &text);
	for (unsigned start = 0x1000; start <= 0xc000; start += 0x1000)
		assert_int_equal(came_with_program(wk_buf_text(&text), start),
				 start == 0x1000 || start == 0x5000 || start == 0x9000 ||
					 start == 0xa000 || start == 0xc000);
	wk_buf_fini(&text);
}

/* ---- heap snapshots and marks */

static const struct wk_guid snapshot_guid = {
	0x901d2afa, 0x4ff6, 0x46d7, { 0x8d, 0x0e, 0x53, 0x64, 0x5e, 0x1a, 0x47, 0xf5 } };

static void heap_snapshots_are_counted_by_the_events_that_end_them(void **state)
{
	struct etl_program p = { .provider = &snapshot_guid, .version = 1, .pid = 10 };
	struct wk_buf payload = { 0 }, text = { 0 };
	struct etl_maker m = { 0 };

	(void)state;
	put(&payload, 1, 4);
	put(&payload, 40, 4);
	etl_begin_file(&m);
	for (unsigned i = 0; i < 4; i++) { /* two pieces, then one total each of two programs */
		p.id = i < 2 ? 100 : 200;
		p.pid = 10 + i;
		etl_program(&m, &p, ETL_MS, &payload);
	}
	end_trace(&m, &text);
	assert_line(&text, "2 heap snapshots are not shown: the format of their content");
	wk_buf_fini(&payload);
	wk_buf_fini(&text);
}

static void a_mark_of_perfview_is_a_mark(void **state)
{
	static const struct wk_guid perfview = {
		0xa8a71ac1, 0x040f, 0x54a2, { 0x07, 0xca, 0x00, 0xa8, 0x9b, 0x5a, 0xb7, 0x61 } };
	struct etl_program p = { .provider = &perfview, .id = 1 };
	struct wk_buf text = { 0 }, payload = { 0 };
	struct etl_maker m = { 0 };

	(void)state;
	put_text16(&payload, "now it hangs");
	etl_begin_file(&m);
	etl_program(&m, &p, 4 * ETL_MS, &payload);
	end_trace(&m, &text);
	assert_line(&text, "mark time=4000000 pid=66 tid=77");
	assert_line(&text, "label=\"now it hangs\" provider=\"PerfView\"");
	wk_buf_fini(&payload);
	wk_buf_fini(&text);
}

/* The reader works without descriptions: numbers are the names, and no text is emitted. */
static void events_without_a_description_are_numbers(void **state)
{
	static const uint8_t own[] = { 9, 0, 0, 'T', 'i', 'c', 'k', 0, 0 };
	struct wk_etl_record record = { .kind = WK_ETL_MANIFEST, .id = 7, .version = 2 };
	struct wk_etl_kinds *kinds = wk_etl_kinds_new();
	struct wk_etl_schemas *descriptions = wk_etl_schemas_new(kinds);
	struct wk_str provider, event;
	uint32_t kind;

	(void)state;
	kind = wk_etl_kinds_add(kinds, &record);
	assert_int_equal(wk_etl_kinds_add(kinds, &record), kind);
	wk_etl_schemas_learn(descriptions, &record);
	wk_etl_schemas_settle(descriptions);
	wk_etl_kinds_name(kinds, descriptions, kind, &provider, &event);
	assert_true(wk_str_is(event, "id 7 v2"));
	assert_true(wk_str_is(provider, "{00000000-0000-0000-0000-000000000000}"));
	record.items[0] = (struct wk_etl_item){ WK_ETL_ITEM_SCHEMA, wk_bytes_of(own, sizeof(own)) };
	record.item_count = 1;
	assert_int_equal(wk_etl_kinds_add(kinds, &record), kind + 1);
	wk_etl_kinds_name(kinds, descriptions, kind + 1, &provider, &event);
	assert_true(wk_str_is(event, "Tick"));
	assert_int_equal(wk_etl_schemas_unread(descriptions), 0);
	wk_etl_schemas_free(descriptions);
	wk_etl_kinds_free(kinds);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(events_without_a_description_are_numbers),
		cmocka_unit_test(structs_in_structs_and_lists_of_them_are_told_by_name),
		cmocka_unit_test(lists_of_nothing_in_lists_of_nothing_end_soon),
		cmocka_unit_test(what_ends_early_has_the_fields_that_are_there_and_is_counted),
		cmocka_unit_test(a_described_event_has_its_fields_and_words_for_numbers),
		cmocka_unit_test(pointers_are_as_wide_as_the_events_program),
		cmocka_unit_test(classic_events_are_described_by_their_class),
		cmocka_unit_test(a_description_that_contradicts_itself_is_none),
		cmocka_unit_test(values_of_every_type_are_told_as_people_write_them),
		cmocka_unit_test(a_manifest_in_pieces_by_two_programs_at_once_is_joined),
		cmocka_unit_test(pieces_that_are_missing_or_broken_describe_nothing),
		cmocka_unit_test(events_with_stacks_are_samples_of_a_source_by_their_name),
		cmocka_unit_test(halves_of_a_stack_find_each_other_by_their_number),
		cmocka_unit_test(the_runtimes_stack_is_of_the_event_that_its_thread_told_before),
		cmocka_unit_test(
			idle_samples_that_are_counted_have_the_interval_of_their_time),
		cmocka_unit_test(each_idle_sample_of_a_record_is_counted),
		cmocka_unit_test(
			for_a_view_of_cpu_time_other_samples_are_counted_by_their_threads),
		cmocka_unit_test(
			without_samples_of_cpu_time_all_others_are_told_with_their_stacks),
		cmocka_unit_test(an_event_with_several_stacks_is_counted_once),
		cmocka_unit_test(code_at_the_place_of_other_code_has_its_name_from_then_on),
		cmocka_unit_test(functions_of_javascript_have_names_files_and_lines),
		cmocka_unit_test(an_image_without_a_pdb_has_that_of_the_runtimes_module),
		cmocka_unit_test(managed_code_is_the_programs_by_where_its_module_lies),
		cmocka_unit_test(heap_snapshots_are_counted_by_the_events_that_end_them),
		cmocka_unit_test(a_mark_of_perfview_is_a_mark),
	};

	return cmocka_run_group_tests_name("etl_programs", tests, NULL, NULL);
}
