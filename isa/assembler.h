/* The frame of every assembler: lines, comments (#), labels ("name:"), raw words (".word 0x..."), and the
 * bytes that come out. What an instruction looks like is the instruction set's. Instructions may differ in
 * length; the text is read twice, so that labels may stand after their use. */
#ifndef VITRAIL_ISA_ASSEMBLER_H
#define VITRAIL_ISA_ASSEMBLER_H

#include "isa/scan.h"

struct isa_assembler;

struct isa_syntax {
    uint32_t
        word_bytes; /* 2, 4, 8 or 16; the digits of `.word` are the number whose lowest byte comes first */
    /* Reads the rest of a line whose mnemonic has been read, and emits its bytes: as many whatever labels
     * are. 0, -EINVAL, -ENOMEM. */
    int (*instruction)(struct isa_assembler *as, struct isa_token mnemonic);
};

struct isa_label {
    struct isa_token name;
    uint32_t at;
};

struct isa_assembler {
    struct isa_scan scan;
    const struct isa_syntax *syntax;
    bool labels_known; /* the second reading */
    uint32_t at;       /* bytes before the instruction at hand */
    struct isa_label *labels;
    size_t label_count, label_capacity;
    uint8_t *bytes;
    size_t size, capacity;
};

/* Assembles a text. *out is malloc'ed, owned by the caller: *count words. 0, -EINVAL with "line L, column C:
 * what" in error, -ENOMEM. */
int isa_assemble(const struct isa_syntax *syntax, const char *text, size_t length, void **out,
                 uint32_t *count, struct util_error *error);

/* Whether a text assembles to just these words. */
bool isa_assembles_to(const struct isa_syntax *syntax, const char *text, size_t length, const void *words,
                      uint32_t count);

/* For instructions. Records a failure at a token; returns -EINVAL. */
int isa_asm_fail(struct isa_assembler *as, struct isa_token where, const char *what);
/* The byte a label stands before; 0 while it is not known. 0 or -EINVAL. */
int isa_asm_label(struct isa_assembler *as, struct isa_token name, uint32_t *at);
/* Appends bytes. 0 or -ENOMEM. */
int isa_asm_emit(struct isa_assembler *as, const void *bytes, size_t size);

#endif
