/* For machines on which wick does not record: which programs do. */
#include "event/advice.h"
#include "session/doctor/doctor.h"

bool wk_doctor_records(void)
{
	return false;
}

void wk_doctor_machine(struct wk_findings *findings)
{
	wk_findings_on(findings, "Recording");
	wk_findings_warn(findings, wk_advice(WK_ADVICE_WINDOWS, WK_ADVICE_RECORD_CPU),
			 "wick cannot record on Windows yet; it reads traces of WPR and xperf, "
			 "and recordings of Linux");
}

bool wk_doctor_heap_library(struct wk_buf *path, struct wk_err *err)
{
	(void)path;
	return wk_fail(err, WK_EUNSUPPORTED, WK_NOWHERE, "wick records heaps on Linux only");
}

/* The PDBs of Windows itself are on a symbol server. */
void wk_doctor_libc(struct wk_findings *findings, const char *const *debug_dirs)
{
	(void)findings;
	(void)debug_dirs;
}

/* Nothing is run here, so it can be for any machine. */
bool wk_doctor_fits(struct wk_findings *findings, const struct wk_obj *obj)
{
	(void)findings;
	(void)obj;
	return true;
}

void wk_doctor_rights(struct wk_findings *findings, const char *path, const struct wk_obj *obj)
{
	(void)findings;
	(void)path;
	(void)obj;
}

void wk_doctor_cargo_tools(struct wk_findings *findings)
{
	if (!wk_doctor_is_in_path("cargo"))
		wk_findings_bad(findings, "winget install Rustlang.Rustup", "cargo is not in PATH");
}
