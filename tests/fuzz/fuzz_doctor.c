/* Files that `wick doctor` looks at: an ELF file of any contents, or a Cargo.toml. */
#include <stddef.h>
#include <stdint.h>

#include "session/doctor/cargo_profile.h"
#include "session/doctor/doctor.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

static void examine(const uint8_t *bytes, size_t len)
{
	const char *const nowhere[] = { NULL };
	struct wk_store_file program = { .path = (char *)"/nowhere/program" };
	struct wk_findings findings = { 0 };
	struct wk_buf text = { 0 };
	struct wk_out out = wk_out_to_buf(&text);

	program.obj = wk_obj_parse(bytes, len, NULL);
	if (!program.obj)
		return;
	wk_doctor_debug(&findings, &program, nowhere);
	wk_findings_print(&findings, &out, 80, false);
	wk_findings_print_json(&findings, &out);
	wk_out_end(&out);
	wk_findings_fini(&findings);
	wk_buf_fini(&text);
	wk_obj_free(program.obj);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	struct wk_str value;

	wk_toml_find(wk_str_of((const char *)bytes, len), "profile.release.debug", &value);
	examine(bytes, len);
	return 0;
}
