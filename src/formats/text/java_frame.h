/* A line of a Java stack: "at package.Class.method(File.java:12)". */
#ifndef WK_FORMATS_TEXT_JAVA_FRAME_H
#define WK_FORMATS_TEXT_JAVA_FRAME_H

#include "formats/stack_text.h"

/* The text between "at " and the next "("; false for other lines. */
bool wk_java_method(struct wk_str line, struct wk_str *method);

/* Adds the frame of a line accepted by wk_java_method: as the options of the older tools require,
 * or with module, file and line. */
void wk_java_frame(struct wk_stack_text *text, struct wk_str line, struct wk_str method);

#endif
