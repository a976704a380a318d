/* `vitrail lint`, for other commands. */
#ifndef VITRAIL_TOOLS_LINT_H
#define VITRAIL_TOOLS_LINT_H

#include <stdio.h>

/* A capture's findings as JSON, whole also when the capture is damaged. TOOL_OK, or another exit status after a message. */
int lint_capture_json(const char *path, FILE *out);

#endif
