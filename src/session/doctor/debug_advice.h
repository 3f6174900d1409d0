/* What `cargo wick` and `wick doctor` say of a program without debug information: the same. */
#ifndef WK_SESSION_DOCTOR_DEBUG_ADVICE_H
#define WK_SESSION_DOCTOR_DEBUG_ADVICE_H

#define WK_DEBUG_WORDS "inlined calls and source lines are unknown"

#endif
