/* Guest programs from files, whatever way they are written down. */
#ifndef VITRAIL_TOOLS_PROGRAM_H
#define VITRAIL_TOOLS_PROGRAM_H

#include <stddef.h>
#include <stdint.h>

#include "isa/sets.h"

/* Reads a program of that instruction set: assembly text, hexadecimal words as text, or binary words, told
 * apart by what the file holds. *bytes, whole words of the set, is malloc'ed, owned by the caller. Returns
 * TOOL_OK, or TOOL_BAD_FILE or TOOL_HOST after a message. "-" is the standard input. */
int tool_read_program(const char *name, const struct isa_set *set, const char *path, uint8_t **bytes,
                      size_t *size);

/* Names of sets, as the words of an option; NULL past the last. */
const char *tool_set_word(unsigned n);

#endif
