/* Errors of Windows as numbers of errno; in the build for Windows only. */
#ifndef WK_BASE_WINDOWS_ERROR_H
#define WK_BASE_WINDOWS_ERROR_H

/* EIO for errors without a number of their own. */
int wk_windows_error_number(unsigned long error);

#endif
