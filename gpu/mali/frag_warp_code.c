/* What code of a fragment program of isa/warp depends on, and which programs have any. In code ATEST's samples, depth and
 * colours are kept until the program has ended, as Midgard's are: tests and blending come then. That is the same as
 * what frag_blend_warp.c does at once, where nothing behind the first of these messages looks at the tile, takes
 * lanes out or goes back, and no target is written twice. The others are interpreted. */
#include <string.h>

#include "gpu/mali/frag_code.h"
#include "gpu/mali/device_internal.h"

static bool is_message(const struct warp_insn *i, enum warp_message_kind message)
{
    return i->kind == WARP_MESSAGE && i->message == message;
}

/* The target of a BLEND whose descriptor is a draw's own; MALI_TARGETS: another. */
static unsigned blended(enum mali_version version, const struct warp_insn *i)
{
    const struct warp_source *s = &i->source[0];
    if (s->from != WARP_SPECIAL || s->index & 1)
        return MALI_TARGETS;
    return mali_frag_special_target(mali_special_of(version, s->index / 2u));
}

/* What has been kept on the way through the program. */
struct kept {
    bool any, atest;
    uint32_t targets; /* bit n: by descriptor n; target n */
};

static bool keeps(const struct mali_frag *f, const struct warp_insn *i, uint32_t number, struct kept *k)
{
    const enum mali_version version = f->shared->job->version;
    const bool back = (i->kind == WARP_BRANCH || warp_blends(i)) && i->target <= number;
    if (k->any && (back || i->kind == WARP_KILL || is_message(i, WARP_TILE)))
        return false;
    if (i->kind == WARP_FAR || is_message(i, WARP_STORE_TILE))
        return false;
    if (is_message(i, WARP_ZS_EMIT) || is_message(i, WARP_ATEST)) {
        const bool first = !k->atest && !k->targets;
        k->any = true;
        k->atest |= is_message(i, WARP_ATEST);
        return first;
    }
    if (!warp_blends(i))
        return true;
    const unsigned n = blended(version, i);
    const uint32_t bit = n < MALI_TARGETS ? 1u << n : 0;
    const bool once = bit && !(k->targets & bit);
    k->any = true;
    k->targets |= bit;
    return once && mali_frag_descriptor_of(version, f->target[n].words).rt == n;
}

/* Behind a BLEND that no descriptor sends to a shader there may be branches to one, which nobody reaches. */
bool mali_frag_has_warp_code(const struct mali_frag *f)
{
    const struct warp_program *p = f->world.program->warp;
    struct kept kept = {.any = false};
    if (f->runs_failed || p->fixed_far || f->world.program->loads || f->world.program->stores || p->buffers)
        return false;
    for (uint32_t t = 0; t < f->tile->count; t++)
        if (f->target[t].shader)
            return false;
    for (uint32_t k = 0; k < p->block_count; k++)
        for (uint32_t n = 0; p->blocks[k].fixed && n < p->blocks[k].count; n++)
            if (!keeps(f, &p->insns[p->blocks[k].first + n], p->blocks[k].first + n, &kept))
                return false;
    return true;
}

void mali_frag_set_warp_forms(const struct mali_frag *f, struct mali_frag_forms *out)
{
    for (uint32_t t = 0; t < MALI_TARGETS; t++) {
        memcpy(out->words[t], f->target[t].words, sizeof out->words[t]);
        out->raw |= (uint8_t)((t < f->tile->count && f->shared->targets->raw[t]) << t);
    }
    out->varying_table = f->varying_table;
    out->point_up = f->ahead && mali_frag_point_up(f);
    memcpy(out->word, f->word_of, sizeof out->word);
    memcpy(out->messages, f->messages, sizeof out->messages);
}

bool mali_frag_writes_always(const struct warp_program *p)
{
    const uint32_t count = p->straight ? p->insn_count : p->fixed_count;
    unsigned blends = 0;
    if (p->discards)
        return false;
    for (uint32_t n = 0; n < count; n++) {
        const struct warp_insn *i = &p->insns[n];
        const bool writes = i->dest.mask && i->dest.to == WARP_REGISTER &&
                            i->dest.index <= MALI_REG_FRAGMENT_COVERAGE &&
                            i->dest.index + i->dest.pair >= MALI_REG_FRAGMENT_COVERAGE;
        const bool reads = i->write.count && i->write.reg <= MALI_REG_FRAGMENT_COVERAGE &&
                           i->write.reg + i->write.count > MALI_REG_FRAGMENT_COVERAGE &&
                           !is_message(i, WARP_ATEST);
        const unsigned at = warp_blends(i) ? 1 : 0; /* where the coverage is */
        const bool covers =
            i->source[at].from == WARP_REGISTER && i->source[at].index == MALI_REG_FRAGMENT_COVERAGE;
        if (writes || reads || ((warp_blends(i) || is_message(i, WARP_ATEST)) && !covers))
            return false;
        blends += warp_blends(i);
    }
    return blends == 1;
}
