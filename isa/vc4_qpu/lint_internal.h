/* What the linter's files share: facts about an instruction, the state of the analysis, findings. */
#ifndef VITRAIL_ISA_VC4_QPU_LINT_INTERNAL_H
#define VITRAIL_ISA_VC4_QPU_LINT_INTERNAL_H

#include "isa/vc4_qpu/lint.h"
#include "isa/vc4_qpu/program_internal.h"

/* ---- facts about one instruction ---- */

/* Where a value can stand: file A, file B, r0..r5, the flags. */
enum {
    LINT_FILE_A = 0,
    LINT_FILE_B = 32,
    LINT_ACC = 64,
    LINT_R4 = LINT_ACC + 4,
    LINT_R5 = LINT_ACC + 5,
    LINT_FLAGS = LINT_ACC + 6,
    LINT_PLACES
};
struct vc4_qpu_lint_places {
    uint64_t bits[2];
};
static inline void vc4_qpu_lint_set(struct vc4_qpu_lint_places *set, unsigned place)
{
    set->bits[place / 64] |= 1ull << place % 64;
}
static inline bool vc4_qpu_lint_has(const struct vc4_qpu_lint_places *set, unsigned place)
{
    return set->bits[place / 64] >> place % 64 & 1;
}

struct vc4_qpu_lint_facts {
    struct vc4_qpu_lint_places reads, writes;
};
void vc4_qpu_lint_facts(const struct vc4_qpu_insn *insn, struct vc4_qpu_lint_facts *out);

/* Whether either unit writes an address; in file A, in file B or in either. */
bool vc4_qpu_lint_writes(const struct vc4_qpu_insn *insn, unsigned waddr);
bool vc4_qpu_lint_writes_a(const struct vc4_qpu_insn *insn, unsigned waddr);
bool vc4_qpu_lint_writes_b(const struct vc4_qpu_insn *insn, unsigned waddr);
bool vc4_qpu_lint_writes_tlb(const struct vc4_qpu_insn *insn); /* stencil set-up does not access the tile */
bool vc4_qpu_lint_loads_tlb(const struct vc4_qpu_insn *insn);
bool vc4_qpu_lint_switches(const struct vc4_qpu_insn *insn);
/* The 32 bits that the instruction writes to every place, when it is an immediate. */
bool vc4_qpu_lint_immediate(const struct vc4_qpu_insn *insn, uint32_t *value);

/* ---- what is known at a point of the program, over all paths there ---- */

#define LINT_MANY 255 /* or more, or unknown */
struct vc4_qpu_lint_span {
    uint8_t min, max;
};

enum vc4_qpu_lint_event {
    LINT_COLOR = 1u << 0,      /* a colour was written */
    LINT_TILE = 1u << 1,       /* the tile buffer was accessed */
    LINT_UNLOCKED = 1u << 2,   /* the scoreboard was */
    LINT_LAST = 1u << 3,       /* the last thread switch is behind */
    LINT_MUTEX = 1u << 4,      /* is held */
    LINT_VPM_WRITE = 1u << 5,  /* generic write set up */
    LINT_LOAD_SETUP = 1u << 6, /* DMA set-ups */
    LINT_STORE_SETUP = 1u << 7,
    LINT_LOADING = 1u << 8, /* DMA that nobody waited for */
    LINT_STORING = 1u << 9,
    LINT_FRESH0 = 1u << 10, /* all outstanding requests of TMU0 are from after the last thread switch; TMU1:
                               the next bit */
    LINT_FRESH1 = 1u << 11,
    LINT_ODD_ROWS = 1u << 12, /* VPM writes that are not whole 32-bit rows, or may be */
};

struct vc4_qpu_lint_state {                              /* without padding: compared as bytes */
    struct vc4_qpu_lint_places unwritten, written, lost; /* each place: how it may stand */
    uint32_t may, must;                                  /* events, on some path and on all */
    struct vc4_qpu_lint_span results[2], lookups[2];     /* TMU: results not fetched; of memory lookups */
    uint8_t slots[2];                                    /* of the request queue, at least */
    struct vc4_qpu_lint_span varyings;                   /* read so far */
    struct vc4_qpu_lint_span queued, rows_in,
        rows_out;        /* VPM: vectors set up and not read; vectors read, written */
    uint8_t old_queued;  /* of `queued`, from before the last set-up, at most */
    uint8_t since_setup; /* instructions since the last VPM read set-up, 0..3 */
    uint8_t switching;   /* 2, 1: a thread switch is in its delay slots */
    uint8_t reached;
    uint8_t zero[2];
};

_Static_assert(sizeof(struct vc4_qpu_lint_state) == 80, "no padding");

/* The analysis, and where findings go. */
struct vc4_qpu_lint {
    const struct vc4_qpu_program *program; /* NULL: broken */
    struct vc4_qpu_lint_options options;
    const uint32_t
        *sample_of;     /* per instruction: number of the sample that its S write fires, or NO_OFFSET */
    uint64_t *reported; /* per instruction, a bit a rule of lint_rules.inc */
    uint32_t count;
    bool report; /* otherwise states are only computed */
    bool has_last;
    isa_lint_fn found;
    void *data;
};

/* One finding, once an instruction. Nothing while states are only computed. */
void vc4_qpu_lint_found(struct vc4_qpu_lint *lint, uint32_t pc, enum vc4_qpu_lint_rule rule);
/* The same with a printf-style detail. */
void vc4_qpu_lint_report(struct vc4_qpu_lint *lint, uint32_t pc, enum vc4_qpu_lint_rule rule,
                         const char *detail, ...) __attribute__((format(printf, 4, 5)));

/* The state after instruction `pc`, from that before it; reports what it finds (lint_insn.c). */
void vc4_qpu_lint_step(struct vc4_qpu_lint *lint, struct vc4_qpu_lint_state *state, uint32_t pc);
/* What the state says when the program ends behind `pc`. */
void vc4_qpu_lint_finish(struct vc4_qpu_lint *lint, const struct vc4_qpu_lint_state *state, uint32_t pc);
void vc4_qpu_lint_begin(const struct vc4_qpu_lint *lint, struct vc4_qpu_lint_state *state);

/* All paths, to the fixpoint, and then the reports (lint_flow.c). 0 or -ENOMEM. */
int vc4_qpu_lint_flow(struct vc4_qpu_lint *lint);

_Static_assert(VC4_QPU_LINT_COUNT <= 64, "one bit a rule");

#endif
