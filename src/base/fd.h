/* Bytes to a descriptor: the only code below os/ that calls the system. */
#ifndef WK_BASE_FD_H
#define WK_BASE_FD_H

#include <stdbool.h>
#include <stddef.h>

/* All of them, or false with errno set. A reader that went away is EPIPE. */
bool wk_fd_write(int fd, const void *bytes, size_t len);

#endif
