/* The text of `cargo wick` and `wick doctor` about a program without debug information. */
#ifndef WK_SESSION_DOCTOR_DEBUG_ADVICE_H
#define WK_SESSION_DOCTOR_DEBUG_ADVICE_H

#define WK_DEBUG_WORDS "inlined calls and source lines are unknown"

#endif
