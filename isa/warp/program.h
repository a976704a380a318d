/* A program as it is executed, lowered by its set (isa/valhall/lower.c) from words that were taken once. Never changes
 * afterwards, and so may be shared between threads. */
#ifndef VITRAIL_ISA_WARP_PROGRAM_H
#define VITRAIL_ISA_WARP_PROGRAM_H

#include "isa/rule.h"
#include "isa/warp/insn.h"
#include "util/error.h"

#define WARP_INSNS_MOST (1u << 16) /* longer programs are refused with -E2BIG */
#define WARP_NO_BLOCK   UINT32_MAX

/* A run of instructions entered at the first and left behind the last by the same lanes. */
struct warp_block {
    uint32_t first, count;
    uint32_t target; /* block that its last instruction branches to, or WARP_NO_BLOCK */
    bool joined;     /* lanes branch to it */
    bool fixed;      /* can be reached where no BLEND asks for a blend shader */
};

struct warp_program {
    struct warp_insn *insns;
    uint32_t insn_count;
    uint32_t word_bytes;       /* of a place in the guest's program */
    struct warp_block *blocks; /* in program order */
    uint32_t block_count;
    uint64_t read, written; /* bit n: register n */
    uint64_t uniforms[4];   /* bit n: word n is read */
    uint32_t specials;      /* bit n: special n, as the set numbers it */
    uint32_t messages;      /* bit n: enum warp_message_kind */
    bool loads, stores;     /* memory; atomics are both */
    bool parts;             /* a place of the guest's program has several instructions; the set says so */
    bool atomics, buffers, textures, derivatives, permutes, barriers, discards, far;
    bool repeats;      /* a branch goes back */
    bool straight;     /* lanes run each instruction once, but for helpers: nothing branches or waits */
    bool ends_helpers; /* before the others end */
    bool together; /* branches go by what is the same in all lanes, where no BLEND asks for a blend shader */
    /* Where no BLEND asks for a blend shader: whether other programs can be reached; how many instructions lanes run, each
     * once, up to a BLEND that ends them, or 0: not so. */
    bool fixed_far;
    uint32_t fixed_count;
    uint64_t hash; /* the set's, of its words */
};

/* Finds blocks and facts of `count` instructions, which it takes (malloc) whatever comes of it; branch targets are
 * below `count`. 0 and *out (warp_program_destroy), -E2BIG, -ENOMEM. */
int warp_program_create(struct warp_insn *insns, uint32_t count, uint32_t word_bytes,
                        struct warp_program **out, struct util_error *error);
void warp_program_destroy(struct warp_program *program); /* NULL is accepted */
/* Calls `found`, with the set's rule, for each instruction that faults whenever it is executed (WARP_UNSUPPORTED). */
void warp_tell_unsupported(const struct warp_program *program, const struct isa_rule *rule, isa_lint_fn found,
                           void *data);

static inline bool warp_blends(const struct warp_insn *i)
{
    return i->kind == WARP_MESSAGE && i->message == WARP_BLEND;
}
/* From the program's first byte on, where lanes come back to that go far there. */
static inline uint64_t warp_behind(const struct warp_program *p, const struct warp_insn *i)
{
    return ((uint64_t)i->at + 1 + i->more) * p->word_bytes;
}
/* How many instructions the guest's program has, as its set lists them. */
uint32_t warp_listed_count(const struct warp_program *program);

/* What lanes do behind instruction n where no BLEND asks for a blend shader, and nothing branches. */
static inline uint32_t warp_fixed_next(const struct warp_insn *i, uint32_t n)
{
    return warp_blends(i) && i->target != WARP_NO_BLOCK ? i->target : n + 1;
}
/* Whether the same lanes run all that is run of it, each instruction once: where no BLEND asks for a blend shader, if
 * that is `fixed`; and where there are helpers, or are none but those that it makes. */
static inline bool warp_is_straight(const struct warp_program *p, bool fixed, bool helpers)
{
    return (p->straight || (fixed && p->fixed_count)) && !(p->ends_helpers && (helpers || p->discards));
}

/* Whether lanes never part, likewise: they run the same instructions, though some more often than once. */
static inline bool warp_is_together(const struct warp_program *p, bool fixed, bool helpers)
{
    return p->together && (fixed || !(p->messages >> WARP_BLEND & 1)) &&
           !(p->ends_helpers && (helpers || p->discards));
}

/* Handles of 16 bits as ports get them. */
static inline uint32_t warp_sampler_handle(uint32_t both)
{
    return WARP_GET(both, SAMPLER_NUMBER) | WARP_GET(both, SAMPLER_TABLE) << WARP_HANDLE_TABLE_AT;
}
static inline uint32_t warp_texture_handle(uint32_t both)
{
    return WARP_GET(both, TEXTURE_NUMBER) | WARP_GET(both, TEXTURE_TABLE) << WARP_HANDLE_TABLE_AT;
}

/* Behind it there may be helpers that were none: itself, or other programs make them. */
static inline bool warp_makes_helpers(const struct warp_insn *i)
{
    return i->kind == WARP_KILL || i->kind == WARP_FAR;
}
/* together.c: 0, or -ENOMEM. Sets the fact, of a program of which all others are known. */
int warp_settle_together(struct warp_program *p);
/* Bit n: it writes to register n. */
uint64_t warp_written(const struct warp_insn *i);
/* For translations: the interpreter ends what helpers there are. */
static inline bool warp_ends_helpers(const struct warp_insn *i)
{
    return i->flow == WARP_END_HELPERS && (!i->no_helpers || warp_makes_helpers(i));
}

/* Lanes may go to i->target. */
static inline bool warp_branches(const struct warp_insn *i)
{
    return i->kind == WARP_BRANCH || (warp_blends(i) && i->target != WARP_NO_BLOCK);
}

/* How many words a source is read as: 1 or 2. */
unsigned warp_source_words(const struct warp_insn *insn, unsigned n);
/* How many sources an instruction has. */
unsigned warp_sources_of(const struct warp_insn *insn);

#endif
