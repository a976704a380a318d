/* Between the files that make random vector instructions. Masks are x9 to x11, addresses x12 to x15 and x112 to x127, which
 * nothing writes; results go to x16 on, or to x0 and a few behind it. State is static: one program at a time. */
#ifndef VITRAIL_TESTS_RISCV_UNROLL_RANDOM_H
#define VITRAIL_TESTS_RISCV_UNROLL_RANDOM_H

#include "tests/riscv/unroll.h"

enum {
    BASE = 12,       /* x12 to x14: within memory */
    END_BASE = 15,   /* a few bytes before the end of memory */
    ADDRESSES = 112, /* x112 to x127 */
    ALIGNED = 120,   /* and from here on aligned */
    RESULTS = 16,
    INDICES = 84, /* to x107 */
    INDEX_MAX = 7
};

/* SUBVL, which VBLOCKs set. */
extern unsigned unroll_subvl;

/* Begins a program, whose text is what the others say. */
const char *unroll_begin(uint64_t seed);
uint64_t unroll_bits(void);
uint32_t unroll_below(uint32_t n);
bool unroll_one_in(unsigned n);
void unroll_say(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Takes back what was said last. */
void unroll_unsay(const char *text);
void unroll_say_operand(const struct unroll_operand *o);
/* Operands in their order; the third, or NULL. */
void unroll_say_operands(const struct unroll_operand *a, const struct unroll_operand *b,
                         const struct unroll_operand *c);

struct unroll_name {
    const char *name;
    enum unroll_how how;
    bool word; /* has a form of words */
};
struct unroll_float_name {
    const char *name;
    unsigned sources;
    bool tests;
};
struct unroll_access_name {
    const char *name;
    unsigned bits;
    bool sign, is_float, store;
};
enum {
    UNROLL_INTEGERS = 27,
    UNROLL_SHIFTS = 4,
    UNROLL_IMMEDIATES = 6,
    UNROLL_UNARIES = 8,
    UNROLL_FLOAT_NAMES = 18,
    UNROLL_ACCESSES = 17
};
extern const struct unroll_name unroll_integers[UNROLL_INTEGERS], unroll_shifts[UNROLL_SHIFTS],
    unroll_immediates[UNROLL_IMMEDIATES], unroll_unaries[UNROLL_UNARIES];
extern const struct unroll_float_name unroll_float_names[UNROLL_FLOAT_NAMES];
extern const struct unroll_access_name unroll_accesses[UNROLL_ACCESSES];
extern const unsigned unroll_widths[4];
extern const char *const unroll_formats[3]; /* of floats, and their bits */
extern const unsigned unroll_format_bits[3];

/* One of the names, perhaps as one of words. */
void unroll_name(struct unroll_insn *n, const struct unroll_name *names, unsigned count);
/* A register from `first` on and before `end`, with room for all elements, and for a sub-vector that a swizzle reads beyond. */
unsigned unroll_reg(const struct unroll_insn *n, unsigned first, unsigned end, bool vector, unsigned width);
struct unroll_operand unroll_some_integer(const struct unroll_insn *n, bool vector, unsigned width,
                                          bool result);
struct unroll_operand unroll_some_float(const struct unroll_insn *n, bool vector, unsigned width);
/* SVSAT of an instruction over integers, perhaps, whose sources have to be narrower than registers then; behind it none. */
void unroll_begin_saturation(struct unroll_insn *n);
void unroll_end_saturation(const struct unroll_insn *n);
int unroll_number(const struct unroll_insn *n);
/* Addresses, one or as many as elements. */
struct unroll_operand unroll_address(const struct unroll_insn *n, bool aligned);

/* One instruction: with a prefix, in a VBLOCK of its own. */
void unroll_prefixed(void);
void unroll_block(unsigned label);

#endif
