#include "session/symbolize/answers_json.h"

#include <inttypes.h>

const struct wk_str wk_answer_json_unknown = WK_STR("null");

static void text_member(struct wk_out *out, const char *key, struct wk_str text)
{
	wk_out_text(out, key);
	if (text.len)
		wk_out_json_quoted(out, text);
	else
		wk_out_str(out, wk_answer_json_unknown);
}

/* Addresses are text, since many readers of JSON keep numbers in 53 bits. */
void wk_answer_json_begin(struct wk_out *out, const struct wk_address_lookup *question)
{
	wk_out_text(out, "{\"asked\": ");
	wk_out_json_quoted(out, question->asked->text);
	if (question->asked->has_address)
		wk_out_fmt(out, ", \"address\": \"0x%" PRIx64 "\"", question->shown);
	else
		wk_out_text(out, ", \"address\": null");
	if (question->asked->section.len)
		text_member(out, ", \"section\": ", question->asked->section);
	text_member(out, ", \"image\": ", question->asked->image);
	wk_out_text(out, ", \"frames\": [");
}

static void number_member(struct wk_out *out, const char *key, uint32_t number)
{
	wk_out_text(out, key);
	if (number)
		wk_out_u64(out, number);
	else
		wk_out_str(out, wk_answer_json_unknown);
}

void wk_answer_json_frame(struct wk_out *out, const struct wk_answer_frame *frame)
{
	wk_out_text(out, frame->is_first ? "{" : ", {");
	if (frame->function.len) {
		wk_out_text(out, "\"function\": ");
		wk_out_str(out, frame->function);
		wk_out_text(out, ", ");
	}
	wk_out_text(out, "\"file\": ");
	wk_out_str(out, frame->file);
	number_member(out, ", \"line\": ", frame->place->line);
	number_member(out, ", \"column\": ", frame->place->column);
	wk_out_fmt(out, ", \"inlined\": %s}", frame->is_inlined ? "true" : "false");
}

static void add_why(const struct wk_address_lookup *question, struct wk_buf *why)
{
	struct wk_image_symbols *image = question->image;

	wk_buf_add_str(why, question->asked->wrong);
	if (why->len == 0)
		wk_buf_add_fmt(why, "no function and no line covers it; %s; %s",
			       wk_image_places_reason(image), wk_image_reason(image));
}

void wk_answer_json_end(struct wk_out *out, const struct wk_address_lookup *question, bool is_known)
{
	struct wk_buf why = { 0 };

	if (!is_known)
		add_why(question, &why);
	wk_out_char(out, ']');
	text_member(out, ", \"error\": ", wk_buf_str(&why));
	wk_out_text(out, "}\n");
	wk_buf_fini(&why);
}
