/* The encodings of insns.inc and codes.inc as structures, for those that walk them. */
#ifndef VITRAIL_ISA_BIFROST_TABLE_H
#define VITRAIL_ISA_BIFROST_TABLE_H

#include "isa/bifrost/insn.h"
#include "isa/isa.h"
#include "util/bits.h"

/* BIFROST_FMA_AT, BIFROST_FMA_BITS, ...: bits of clause.inc that are no structure's members. */
enum {
#define BITS(name, lo, count) BIFROST_##name##_AT = (lo), BIFROST_##name##_BITS = (count),
#include "isa/bifrost/clause.inc"
};
#define BIFROST_GET(value, name) ((unsigned)util_bits(value, BIFROST_##name##_AT, BIFROST_##name##_BITS))

/* Where a modifier's value is: number of an enum bifrost_mod, or behind these those of the sources. */
enum {
    BIFROST_PLACES = BIFROST_MOD_COUNT + BIFROST_SOURCES * BIFROST_SOURCE_MOD_COUNT,
    BIFROST_NO_PLACE = 255
};
#define BIFROST_PLACE(source, m) (BIFROST_MOD_COUNT + (source) * BIFROST_SOURCE_MOD_COUNT + (m))
_Static_assert(BIFROST_PLACES < BIFROST_NO_PLACE, "places fit a byte");

static inline uint8_t *bifrost_place(struct bifrost_insn *insn, uint8_t place)
{
    uint8_t n = (uint8_t)(place - BIFROST_MOD_COUNT);
    return place < BIFROST_MOD_COUNT
               ? &insn->mod[place]
               : &insn->source[n / BIFROST_SOURCE_MOD_COUNT].mod[n % BIFROST_SOURCE_MOD_COUNT];
}
/* The source that a place is of; -1: it is the instruction's. */
static inline int bifrost_place_source(uint8_t place)
{
    return place < BIFROST_MOD_COUNT ? -1 : (place - BIFROST_MOD_COUNT) / BIFROST_SOURCE_MOD_COUNT;
}

/* What a code has instead of a word. */
enum { BIFROST_RESERVED = 255, BIFROST_ALWAYS = 254 };
_Static_assert((int)BIFROST_WORD_COUNT < (int)BIFROST_ALWAYS, "words fit a byte");

enum bifrost_what {
    BIFROST_PIECE_NONE,
    BIFROST_PIECE_SOURCE,    /* three bits at `lo`; those of `allowed` */
    BIFROST_PIECE_CODE,      /* a modifier's word by the list */
    BIFROST_PIECE_IS,        /* the modifier is `word` */
    BIFROST_PIECE_OF,        /* a joint piece gives it */
    BIFROST_PIECE_JOINT,     /* several by one code */
    BIFROST_PIECE_IMMEDIATE, /* the number `place` */
};

/* In the order in which a text shows them. `standard` is the word that a text leaves out. */
struct bifrost_piece {
    uint8_t what, place, lo, count, lo2, count2;
    uint8_t list, word, standard, allowed;
};

#define BIFROST_PIECES 16
struct bifrost_row {
    uint8_t unit;
    uint16_t op;
    uint32_t mask, value;
    struct bifrost_piece piece[BIFROST_PIECES];
};

/* In the order in which a decoder tries them: first those of more fixed bits. */
extern const struct bifrost_row bifrost_rows[];
extern const size_t bifrost_row_count;

/* A register block as its 35 bits, of what is encoded; and back. */
uint64_t bifrost_ports_bits(const struct bifrost_ports *ports);
void bifrost_ports_take(uint64_t bits, struct bifrost_ports *ports);

/* Parts of bifrost_resolve: which constants are relative, what the ports of the first or another tuple do, what a
 * source's three bits mean then. 0 or -EBADMSG. */
int bifrost_resolve_constants(struct bifrost_clause *clause, struct util_error *error);
int bifrost_resolve_ports(struct bifrost_ports *ports, bool first, struct util_error *error);
int bifrost_resolve_source(const struct bifrost_clause *clause, const struct bifrost_ports *ports,
                           enum bifrost_unit unit, struct bifrost_source *source, struct util_error *error);

/* Modes of ports 2 and 3; a value's bit 4 is not encoded (clause.inc). */
struct bifrost_mode {
    uint8_t value, use[2], halves[2];
    bool fma_3;
};
extern const struct bifrost_mode bifrost_modes[];
extern const size_t bifrost_mode_count;
/* The FAU_NAME of constant 0 .. BIFROST_NAMED - 1. */
uint8_t bifrost_constant_name(unsigned constant);

/* The way of a constant whose upper word is relative, and of no other. */
enum { BIFROST_WAY_HIGH = 4 };

/* The word of a list's code, BIFROST_RESERVED when it has none. */
uint8_t bifrost_list_word(uint8_t list, uint32_t code);
bool bifrost_list_code(uint8_t list, uint8_t word, uint32_t *code);

/* A row of a joint code: words of its columns; `order`: when the first source's three bits are not above the
 * second's, when they are, or either. */
enum bifrost_order { BIFROST_EITHER, BIFROST_UP, BIFROST_DOWN };
#define BIFROST_COLUMNS 3
struct bifrost_code {
    uint8_t joint, order, code, word[BIFROST_COLUMNS];
};
/* Places of its columns, of which those without are BIFROST_NO_PLACE. */
const uint8_t *bifrost_joint_columns(uint8_t joint);
extern const struct bifrost_code bifrost_codes[];
extern const size_t bifrost_code_count;

#endif
