/* Lowering: lower.c (programs, clauses, sources, results), lower_compute.c (arithmetic), lower_pair.c, lower_flow.c
 * (branches, ends, lanes), lower_message.c, lower_memory.c, lower_texture.c. */
#ifndef VITRAIL_ISA_BIFROST_LOWER_INTERNAL_H
#define VITRAIL_ISA_BIFROST_LOWER_INTERNAL_H

#include "isa/bifrost/lower.h"
#include "isa/bifrost/names.h"
#include "isa/warp/ops.h"

/* Temporaries. A tuple's results are the first four, FMA's and ADD's by turns, as the tuple behind reads them; the
 * others are of one clause: what a branch and a DISCARD decide, where a branch goes, what is computed on the way, and of the
 * message operands, handles of textures and what stood in its staging registers. */
enum {
    TEMPORARY_RESULT = 0,
    TEMPORARY_BRANCH = 4,
    TEMPORARY_DISCARD,
    TEMPORARY_TARGET,
    TEMPORARY_SCRATCH = 8, /* SCRATCH_COUNT of them */
    TEMPORARY_OPERAND = 14,
    TEMPORARY_HANDLE = 20,
    TEMPORARY_STAGING = 22,
    SCRATCH_COUNT = TEMPORARY_OPERAND - TEMPORARY_SCRATCH
};
_Static_assert(TEMPORARY_STAGING + 8 <= WARP_TEMPORARIES, "temporaries");

/* A message under way: sent where its clause ends. */
struct bifrost_pending {
    bool any;
    struct warp_insn insn[2]; /* one, or of two lookups two; kind NOTHING: none */
    uint8_t operands;         /* temporaries taken */
    uint8_t from[8]; /* staging register of each word that is read, by order; taken before the next write */
    uint8_t to[8], word_count; /* and the temporary that it goes to */
    uint8_t clamp[2];          /* enum warp_clamp of what is written */
    uint8_t part;              /* of the instruction that sends it */
    bool blends, post; /* BLEND, to the shader at that address; an atomic whose result ATOM_POST makes */
    struct warp_source shader;
    struct bifrost_result result; /* ATEST's */
};

struct bifrost_lowering {
    struct warp_insn *insns, spare; /* spare: where memory is short */
    uint32_t count, room;
    bool short_of_memory;
    uint32_t
        straight; /* the first instruction since which all that stands has run: no branch comes in between */
    /* In the clause at hand: */
    const struct bifrost_clause *clause;
    uint32_t number, behind; /* of it; the quadword behind it */
    uint32_t target, end;    /* the clause that it branches to, or BIFROST_NO_CLAUSE; one beyond the last */
    unsigned tuple;
    uint8_t part; /* the instruction that is lowered, 0: the clause (bifrost_part) */
    struct bifrost_pending message;
    const struct bifrost_insn *branch;
    uint8_t branch_part, barrier_part, discard_part;
    bool barrier, discards;
};

/* ---- lower.c ---- */

/* The next instruction, all zero but its place. */
struct warp_insn *bifrost_emit(struct bifrost_lowering *l);
void bifrost_unsupported(struct bifrost_lowering *l, const char *name);
/* What a source reads, as a word. */
struct warp_source bifrost_word_of(struct bifrost_lowering *l, const struct bifrost_source *s);
struct warp_source bifrost_constant(uint32_t value);
/* The number that a word has here whatever the program's inputs are, as moves since `straight` say. False: none. */
bool bifrost_is_known(const struct bifrost_lowering *l, struct warp_source word, uint32_t *value);
struct warp_source bifrost_temporary(unsigned n);
/* Elements that a word of the text selects (b0, h10, none), for an operand of enum warp_type `type`. */
void bifrost_select(uint8_t word, uint8_t type, struct warp_source *out);
/* A computation into temporary n, whose operands are whole. */
struct warp_insn *bifrost_compute(struct bifrost_lowering *l, enum warp_op op, unsigned n,
                                  struct warp_source a, struct warp_source b, struct warp_source c);
struct warp_insn *bifrost_move(struct bifrost_lowering *l, unsigned n, struct warp_source from);
/* The temporary of this tuple's FMA or ADD. */
unsigned bifrost_result_of(const struct bifrost_lowering *l, unsigned unit);

/* ---- the others ---- */

/* enum warp_condition of a comparison. */
uint8_t bifrost_condition(uint8_t word);
/* Arithmetic; false: it is none. */
bool bifrost_lower_compute(struct bifrost_lowering *l, const struct bifrost_insn *insn, unsigned unit);
/* What the tuple's FMA unit began, and its ADD unit ends: addresses of 64 bits, faces of cubes. */
bool bifrost_lower_paired(struct bifrost_lowering *l, const struct bifrost_insn *insn, unsigned unit);
/* Shifts and rotations of two words. */
bool bifrost_lower_double(struct bifrost_lowering *l, const struct bifrost_insn *insn, unsigned unit);
/* Branches and DISCARD decide; other lanes. */
bool bifrost_lower_flow(struct bifrost_lowering *l, const struct bifrost_insn *insn, unsigned unit);
/* Takes the operands of a message; of memory, of textures. */
bool bifrost_lower_message(struct bifrost_lowering *l, const struct bifrost_insn *insn);
bool bifrost_lower_memory(struct bifrost_lowering *l, const struct bifrost_insn *insn);
bool bifrost_lower_texture(struct bifrost_lowering *l, const struct bifrost_insn *insn);
/* Takes what its staging registers have. */
void bifrost_take_staging(struct bifrost_lowering *l);
/* Sends it. */
void bifrost_send(struct bifrost_lowering *l);
/* The end of a clause, behind its results and its message. */
void bifrost_lower_end(struct bifrost_lowering *l);

/* ---- lower_message.c ---- */

/* The clause's message begins. */
struct warp_insn *bifrost_begin(struct bifrost_lowering *l, enum warp_kind kind);
/* Nothing can write what it reads. */
bool bifrost_lasts(const struct warp_source *s);
/* An operand as it is now, whatever is written until the message is sent: a word, or two. */
struct warp_source bifrost_hold(struct bifrost_lowering *l, struct warp_source word);
struct warp_source bifrost_hold_pair(struct bifrost_lowering *l, struct warp_source low,
                                     struct warp_source high);
struct warp_source bifrost_operand(struct bifrost_lowering *l, const struct bifrost_insn *insn, unsigned n);
struct warp_source bifrost_address(struct bifrost_lowering *l, const struct bifrost_insn *insn, unsigned n);
/* The next word that is read is that register's, or an operand; `count` are staging registers. */
void bifrost_read_register(struct bifrost_lowering *l, unsigned reg);
void bifrost_read_word(struct bifrost_lowering *l, struct warp_source word);
void bifrost_read_staging(struct bifrost_lowering *l, const struct bifrost_insn *insn, unsigned count);
void bifrost_write_staging(struct bifrost_lowering *l, const struct bifrost_insn *insn, unsigned count);

#endif
