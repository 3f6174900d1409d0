/* The line of a Java stack: "at package.Class.method(File.java:12)". */
#ifndef WK_FORMATS_TEXT_JAVA_FRAME_H
#define WK_FORMATS_TEXT_JAVA_FRAME_H

#include "formats/stack_text.h"

/* What stands between "at " and the next "("; false if the line is no such line. */
bool wk_java_method(struct wk_str line, struct wk_str *method);

/* Adds the frame of a line that wk_java_method knows: as the older tools' options want it,
 * or with module, file and line. */
void wk_java_frame(struct wk_stack_text *text, struct wk_str line, struct wk_str method);

#endif
