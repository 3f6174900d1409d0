#include "base/err.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool wk_fail(struct wk_err *err, enum wk_code code, uint64_t offset, const char *format, ...)
{
	va_list args;

	if (!err || err->code != WK_OK)
		return false;
	err->code = code;
	err->offset = offset;
	va_start(args, format);
	vsnprintf(err->text, sizeof(err->text), format, args);
	va_end(args);
	return false;
}

static enum wk_code code_of(int error_number)
{
	switch (error_number) {
	case EACCES:
	case EPERM:
	case EROFS:
		return WK_EPERM;
	case ENOENT:
	case ENOTDIR:
	case ESRCH:
		return WK_ENOTFOUND;
	default:
		return WK_EIO;
	}
}

bool wk_fail_os(struct wk_err *err, int error_number, const char *format, ...)
{
	va_list args;
	size_t len;

	if (!err || err->code != WK_OK)
		return false;
	err->code = code_of(error_number);
	err->offset = WK_NOWHERE;
	va_start(args, format);
	vsnprintf(err->text, sizeof(err->text), format, args);
	va_end(args);
	len = strlen(err->text);
	snprintf(err->text + len, sizeof(err->text) - len, ": %s", strerror(error_number));
	return false;
}

bool wk_err_in(struct wk_err *err, const char *path)
{
	char old[sizeof(err->text)];

	if (!err)
		return false;
	memcpy(old, err->text, sizeof(old));
	if (err->offset == WK_NOWHERE)
		snprintf(err->text, sizeof(err->text), "%.*s: %.*s", 250, path, 340, old);
	else
		snprintf(err->text, sizeof(err->text), "%.*s: 0x%" PRIx64 ": %.*s", 230, path,
			 err->offset, 340, old);
	err->offset = WK_NOWHERE;
	return false;
}
