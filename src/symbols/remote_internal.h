/* Between the files of remote.h. */
#ifndef WK_SYMBOLS_REMOTE_INTERNAL_H
#define WK_SYMBOLS_REMOTE_INTERNAL_H

#include "symbols/remote.h"

/* A folder of its own in the symbol cache's, on the heap; NULL where there is to be none. */
char *wk_remote_usual_folder(void);

#endif
