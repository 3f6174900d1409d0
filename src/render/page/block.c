#include "render/page/block.h"

#include "base/packed/pack.h"
#include "base/text/base64.h"

void wk_page_block(struct wk_out *out, const char *name, struct wk_buf *bytes)
{
	struct wk_buf packed = { 0 };
	bool is_packed = bytes->len && wk_gzip(wk_buf_str(bytes), &packed);

	wk_out_fmt(out,
		   "<script type=\"text/plain\" data-block=\"%s\" data-packing=\"%s\" "
		   "data-bytes=\"%zu\">",
		   name, is_packed ? "gzip" : "none", bytes->len);
	wk_base64_write(out, wk_buf_str(is_packed ? &packed : bytes));
	wk_out_text(out, "</script>\n");
	WK_BUF_FINI_ALL(&packed, bytes);
}
