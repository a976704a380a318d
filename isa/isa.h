/* The table engine shared by guest instruction sets: an encoding is rows of bit fields, a vocabulary is rows
 * of names, and everything else (decoder, encoder, disassembler, assembler) walks the rows. Pure functions
 * over the caller's memory: no ownership, no state. */
#ifndef VITRAIL_ISA_ISA_H
#define VITRAIL_ISA_ISA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One field of an encoding: `count` bits (1..64) from bit `lo` of an instruction of one or more 64-bit words,
 * lowest word first; it may cross a word boundary. The decoded value lives `offset` bytes into a struct, in
 * an unsigned integer or bool of `size` bytes (1, 2, 4, 8). */
struct isa_field {
    const char *name;
    uint8_t lo, count;
    uint8_t size;
    uint16_t offset;
};

/* A row of the table, for a member of a struct that carries the field's name. */
#define ISA_FIELD(type, member, lo, count)                                                                   \
    {#member, lo, count, sizeof(((type *)0)->member), offsetof(type, member)}

/* Bits [lo, lo + count) of `words`. */
uint64_t isa_get(const uint64_t *words, unsigned lo, unsigned count);
/* Replaces them; bits of `value` beyond `count` are ignored. */
void isa_set(uint64_t *words, unsigned lo, unsigned count, uint64_t value);

/* All fields of a table, from words to the struct and back. Members without a row keep their value;
 * bits without a row keep theirs. */
void isa_extract(const struct isa_field *fields, size_t n, const uint64_t *words, void *out);
void isa_insert(const struct isa_field *fields, size_t n, const void *in, uint64_t *words);
/* Sets the bits of `words` that some row covers (ORs into what is there). */
void isa_coverage(const struct isa_field *fields, size_t n, uint64_t *words);

/* One word of a vocabulary. */
struct isa_name {
    uint32_t value;
    const char *text;
};

/* A list of them: operations of one unit, conditions, registers. A set's vocabulary is an array of lists, by
 * the set's own enumeration. */
struct isa_names {
    const struct isa_name *names;
    size_t count;
};
/* The list of an array. */
#define ISA_NAMES(array) {array, sizeof(array) / sizeof *(array)}

/* The text of the first row with `value`, or NULL. */
const char *isa_name_text(const struct isa_names *list, uint32_t value);
/* The value of the row whose text is exactly text[0..length); false when there is none. */
bool isa_name_value(const struct isa_names *list, const char *text, size_t length, uint32_t *value);

#endif
