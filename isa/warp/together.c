/* Whether a program's lanes stay together: what may differ from lane to lane is followed along the ways that they can take,
 * and none of it may say where to go. */
#include <errno.h>
#include <stdlib.h>

#include "isa/warp/ops.h"
#include "isa/warp/ports.h"
#include "isa/warp/program.h"

/* Bit n: number n may differ. */
struct differs {
    uint64_t regs;
    uint32_t temporaries;
};

static bool source_differs(const struct differs *d, const struct warp_insn *i, unsigned n)
{
    const struct warp_source *s = &i->source[n];
    bool any = false;
    for (unsigned k = 0; k < warp_source_words(i, n); k++) {
        const unsigned at = s->index + k;
        any |= s->from == WARP_REGISTER    ? d->regs >> at % WARP_REGISTERS & 1
               : s->from == WARP_TEMPORARY ? d->temporaries >> at % WARP_TEMPORARIES & 1
                                           : s->from == WARP_SPECIAL || s->from == WARP_LANE;
    }
    return any;
}

static bool result_differs(const struct differs *d, const struct warp_insn *i)
{
    bool any = i->kind != WARP_COMPUTE;
    for (unsigned n = 0; !any && n < warp_source_count((enum warp_op)i->op); n++)
        any = source_differs(d, i, n);
    return any;
}

static void follow(struct differs *d, const struct warp_insn *i)
{
    const bool differs = result_differs(d, i), part = i->dest.mask != 3; /* of which the rest stays */
    uint32_t temporaries = 0;
    for (unsigned k = 0; i->dest.mask && i->dest.to == WARP_TEMPORARY && k < 1u + i->dest.pair; k++)
        temporaries |= 1u << (i->dest.index + k) % WARP_TEMPORARIES;
    if (differs) {
        d->regs |= warp_written(i);
        d->temporaries |= temporaries;
    } else if (!part) {
        d->regs &= ~warp_written(i);
        d->temporaries &= ~temporaries;
    }
}

static bool branches_apart(const struct differs *d, const struct warp_insn *i)
{
    if (i->kind == WARP_FAR || i->kind == WARP_BARRIER)
        return true;
    bool any = false;
    for (unsigned n = 0; i->kind == WARP_BRANCH && n < warp_source_count((enum warp_op)i->op); n++)
        any |= source_differs(d, i, n);
    return any;
}

static bool add(uint64_t *to, uint64_t regs)
{
    const bool more = regs & ~*to;
    *to |= regs;
    return more;
}

/* From what differs before block k on. False: lanes part there. *more: others begin with more than they did. */
static bool follow_block(const struct warp_program *p, uint64_t *before, uint32_t k, bool *more)
{
    const struct warp_block *block = &p->blocks[k];
    const struct warp_insn *last = &p->insns[block->first + block->count - 1];
    struct differs d = {.regs = before[k]};
    for (uint32_t n = 0; n < block->count; n++) {
        const struct warp_insn *i = &p->insns[block->first + n];
        if (branches_apart(&d, i))
            return false;
        follow(&d, i);
    }
    if (block->target != WARP_NO_BLOCK)
        *more |= add(&before[block->target], d.regs);
    if (k + 1 < p->block_count && last->flow != WARP_END)
        *more |= add(&before[k + 1], d.regs);
    return true;
}

int warp_settle_together(struct warp_program *p)
{
    enum { PASSES = 8 };
    uint64_t *before = calloc(p->block_count, sizeof *before);
    bool more = true, together = true;
    if (!before)
        return -ENOMEM;
    before[0] = UINT64_MAX;
    for (unsigned pass = 0; more && together && pass < PASSES; pass++) {
        more = false;
        for (uint32_t k = 0; together && k < p->block_count; k++)
            together = !p->blocks[k].fixed || follow_block(p, before, k, &more);
    }
    p->together = together && !more;
    free(before);
    return 0;
}
