/* What Windows' calls say, as errno has it; in the build for Windows only. */
#ifndef WK_BASE_WINDOWS_ERROR_H
#define WK_BASE_WINDOWS_ERROR_H

/* EIO for what has no number of its own. */
int wk_windows_error_number(unsigned long error);

#endif
