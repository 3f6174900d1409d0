/* The kind of format that the compiler checks: that of C. gcc for Windows takes "printf" for that
 * of Microsoft's old library, which knows neither %zu nor %lld. */
#ifndef WK_BASE_TEXT_PRINTF_H
#define WK_BASE_TEXT_PRINTF_H

#ifdef __MINGW32__
#define WK_PRINTF gnu_printf
#else
#define WK_PRINTF printf
#endif

#endif
