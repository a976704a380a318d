/* Guest programs from files, whatever way they are written down. */
#ifndef VITRAIL_TOOLS_PROGRAM_H
#define VITRAIL_TOOLS_PROGRAM_H

#include <stdint.h>

/* Reads a program: assembly text, hexadecimal words as text, or binary words, told apart by what the file
 * holds. *words is malloc'ed, owned by the caller. Returns TOOL_OK, or TOOL_BAD_FILE after a message. "-" is
 * the standard input. */
int tool_read_program(const char *name, const char *path, uint64_t **words, uint32_t *count);

#endif
