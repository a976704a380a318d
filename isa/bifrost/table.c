#include "isa/bifrost/table.h"

#include "util/bits.h"

/* Words, orders and sources as rows name them. */
enum {
#define WORD(name, text) name = BIFROST_##name,
#include "isa/bifrost/ops.inc"
    _ = BIFROST_RESERVED,
    ALWAYS = BIFROST_ALWAYS
};
enum { EITHER = BIFROST_EITHER, UP = BIFROST_UP, DOWN = BIFROST_DOWN };
enum {
    FREE = 0xff,
    NOT_2 = FREE & ~(1 << BIFROST_SELECT_PORT_2),
    NOT_STAGE = FREE & ~(1 << BIFROST_SELECT_STAGE),
    NOT_2_STAGE = NOT_2 & NOT_STAGE,
    ZERO_ONLY = 1 << BIFROST_SELECT_STAGE,
    PORTS = 1 << BIFROST_SELECT_PORT_0 | 1 << BIFROST_SELECT_PORT_1 | 1 << BIFROST_SELECT_PORT_2,
    PORTS_FAU = (PORTS & NOT_2) | 1 << BIFROST_SELECT_LOW | 1 << BIFROST_SELECT_HIGH
};

/* ---- lists ---- */

enum list {
#define LIST(name, standard, ...) LIST_##name,
#include "isa/bifrost/codes.inc"
};
enum { CODES_MAX = 16 };

/* Behind a list's words stand zeros, which are no codes. */
static const struct {
    uint8_t standard, count, word[CODES_MAX];
} lists[] = {
#define LIST(name, standard, ...) {standard, sizeof((const uint8_t[]){__VA_ARGS__}), {__VA_ARGS__}},
#include "isa/bifrost/codes.inc"
};

/* The words that a text leaves out, as constants for the rows below. */
enum {
#define LIST(name, standard, ...) STANDARD_##name = (standard),
#include "isa/bifrost/codes.inc"
};

uint8_t bifrost_list_word(uint8_t list, uint32_t code)
{
    return code < lists[list].count ? lists[list].word[code] : BIFROST_RESERVED;
}

bool bifrost_list_code(uint8_t list, uint8_t word, uint32_t *code)
{
    for (*code = 0; *code < lists[list].count; (*code)++)
        if (lists[list].word[*code] == word)
            return true;
    return false;
}

/* ---- joint codes ---- */

enum joint {
#define COLUMNS(name, a, b, c) JOINT_##name,
#include "isa/bifrost/codes.inc"
};

#define OF_SOURCE(n, m) BIFROST_PLACE(n, BIFROST_SOURCE_##m)
#define OF_INSN(m)      BIFROST_MOD_##m
#define OF_NONE         BIFROST_NO_PLACE
static const uint8_t columns[][BIFROST_COLUMNS] = {
#define COLUMNS(name, a, b, c) {a, b, c},
#include "isa/bifrost/codes.inc"
};

const struct bifrost_code bifrost_codes[] = {
#define CODE(name, order, code, a, b, c) {JOINT_##name, order, code, {a, b, c}},
#include "isa/bifrost/codes.inc"
};
const size_t bifrost_code_count = UTIL_ARRAY_SIZE(bifrost_codes);

const uint8_t *bifrost_joint_columns(uint8_t joint)
{
    return columns[joint];
}

/* ---- rows ---- */

#define NOTHING          {.what = BIFROST_PIECE_NONE}
#define SRC(at, sources) {.what = BIFROST_PIECE_SOURCE, .lo = (at), .count = 3, .allowed = (uint8_t)(sources)}
#define CODE_AT(where, at, n, name)                                                                          \
    {.what = BIFROST_PIECE_CODE,                                                                             \
     .place = (where),                                                                                       \
     .lo = (at),                                                                                             \
     .count = (n),                                                                                           \
     .list = LIST_##name,                                                                                    \
     .standard = STANDARD_##name}
#define M(m, at, n, name)      CODE_AT(BIFROST_MOD_##m, at, n, name)
#define MS(s, m, at, n, name)  CODE_AT(OF_SOURCE(s, m), at, n, name)
#define IS_AT(where, w, usual) {.what = BIFROST_PIECE_IS, .place = (where), .word = (w), .standard = (usual)}
#define IS(m, w, usual)        IS_AT(BIFROST_MOD_##m, w, usual)
#define ISS(s, m, w, usual)    IS_AT(OF_SOURCE(s, m), w, usual)
#define OF_AT(where, usual)    {.what = BIFROST_PIECE_OF, .place = (where), .standard = (usual)}
#define OF(m, usual)           OF_AT(BIFROST_MOD_##m, usual)
#define OFS(s, m, usual)       OF_AT(OF_SOURCE(s, m), usual)
#define JOINT(name, a, n, b, k)                                                                              \
    {.what = BIFROST_PIECE_JOINT, .lo = (a), .count = (n), .lo2 = (b), .count2 = (k), .list = JOINT_##name}
#define IMM(name, at, n)                                                                                     \
    {.what = BIFROST_PIECE_IMMEDIATE, .place = BIFROST_IMM_##name, .lo = (at), .count = (n)}

const struct bifrost_row bifrost_rows[] = {
#define INSN(unit, name, mask, value, ...) {BIFROST_##unit, BIFROST_OP_##name, mask, value, {__VA_ARGS__}},
#include "isa/bifrost/insns.inc"
};
const size_t bifrost_row_count = UTIL_ARRAY_SIZE(bifrost_rows);
