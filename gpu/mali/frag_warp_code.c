/* What code of a fragment program of isa/warp depends on, and which programs have any. Where it is the same ATEST's samples,
 * depth and colours are kept in code until the program has ended, as Midgard's are: tests and blending come then. It is
 * where nothing behind the first of these messages looks at the tile, takes lanes out or goes back, no target is
 * written twice, and no blend shader is gone to. Other programs act at once, as frag_blend_warp.c does. */
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
    return once && f->target[n].rt == n;
}

/* Behind a BLEND that no descriptor sends to a shader there may be branches to one, which nobody reaches. */
static bool keeps_all(const struct mali_frag *f)
{
    const struct warp_program *p = f->world.program->warp;
    struct kept kept = {.any = false};
    for (uint32_t k = 0; k < p->block_count; k++)
        for (uint32_t n = 0; p->blocks[k].fixed && n < p->blocks[k].count; n++)
            if (!keeps(f, &p->insns[p->blocks[k].first + n], p->blocks[k].first + n, &kept))
                return false;
    return !p->fixed_far;
}

static bool has_shader(const struct mali_frag *f)
{
    bool has = false;
    for (uint32_t t = 0; t < f->tile->count; t++)
        has |= f->target[t].shader != NULL;
    return has;
}

/* Each BLEND names a descriptor of the draw's, none of which asks for a blend shader. */
static bool blends_fixed(const struct mali_frag *f)
{
    const struct warp_program *p = f->world.program->warp;
    bool fixed = !has_shader(f);
    for (uint32_t n = 0; n < p->insn_count; n++)
        fixed &= !warp_blends(&p->insns[n]) || blended(f->shared->job->version, &p->insns[n]) < MALI_TARGETS;
    return fixed;
}

/* Depth may be given behind the tests, which is a fault (frag_blend_warp.c): it is the interpreter's. */
static bool may_emit_late(const struct mali_frag *f)
{
    const struct warp_program *p = f->world.program->warp;
    bool tests = p->repeats;
    if (f->early || !(p->messages >> WARP_ZS_EMIT & 1))
        return false;
    for (uint32_t n = 0; n < p->insn_count; n++) {
        const struct warp_insn *i = &p->insns[n];
        if (is_message(i, WARP_ZS_EMIT) && tests)
            return true;
        tests |= is_message(i, WARP_ZS_EMIT) || is_message(i, WARP_STORE_TILE) || warp_blends(i) ||
                 i->kind == WARP_FAR;
    }
    return false;
}

/* Blend shaders that reach nothing but the tile: ports that are called have the draw's program. */
static bool is_plain_shader(const struct mali_decoded *shader)
{
    const uint32_t tile = 1u << WARP_TILE | 1u << WARP_STORE_TILE | 1u << WARP_BLEND | 1u << WARP_ATEST;
    const struct warp_program *p = shader->warp;
    return !(p->messages & ~tile) && !p->loads && !p->stores && !p->buffers && !p->textures && !p->barriers &&
           !p->discards;
}

bool mali_frag_has_warp_code(const struct mali_frag *f)
{
    for (uint32_t t = 0; t < f->tile->count; t++)
        if (f->target[t].shader && !is_plain_shader(f->target[t].shader->program))
            return false;
    return !may_emit_late(f);
}

/* ---- words of uniforms that say how the tile is converted ---- */

/* The instruction that has last written a source before instruction n; NULL: none that stands before it. */
static const struct warp_insn *writer_of(const struct warp_program *p, uint32_t n,
                                         const struct warp_source *s)
{
    while (n-- > 0) {
        const struct warp_insn *i = &p->insns[n];
        if (i->dest.mask && i->dest.to == s->from && i->dest.index == s->index)
            return i;
    }
    return NULL;
}

/* Of a program whose lanes all come there the code finds it again as a constant; of others it may not, and then it is
 * interpreted. */
static void know_conversion(const struct mali_frag *f, uint32_t n, struct mali_frag_forms *out)
{
    const struct warp_program *p = f->world.program->warp;
    const struct warp_source *s = &p->insns[n].source[2];
    const struct warp_insn *moves = NULL;
    if (s->from == WARP_REGISTER || s->from == WARP_TEMPORARY)
        moves = writer_of(p, n, s);
    if (moves && moves->kind == WARP_COMPUTE && moves->op == WARP_MOV_I32)
        s = &moves->source[0];
    if (s->from != WARP_UNIFORM || s->index >= f->world.uniform_count)
        return;
    for (unsigned k = 0; k < out->known_count; k++)
        if (out->known[k].word == s->index)
            return;
    if (out->known_count < MALI_FRAG_KNOWN)
        out->known[out->known_count++] = (struct mali_frag_known){s->index, f->world.uniform[s->index]};
}

static void know_conversions(const struct mali_frag *f, struct mali_frag_forms *out)
{
    const struct warp_program *p = f->world.program->warp;
    const bool any = p->messages & (1u << WARP_TILE | 1u << WARP_STORE_TILE);
    for (uint32_t n = 0; any && n < p->insn_count; n++)
        if (is_message(&p->insns[n], WARP_TILE) || is_message(&p->insns[n], WARP_STORE_TILE))
            know_conversion(f, n, out);
}

void mali_frag_set_warp_forms(const struct mali_frag *f, struct mali_frag_forms *out)
{
    for (uint32_t t = 0; t < MALI_TARGETS; t++) {
        memcpy(out->words[t], f->target[t].words, sizeof out->words[t]);
        out->raw |= (uint8_t)((t < f->tile->count && f->shared->targets->raw[t]) << t);
    }
    out->varying_table = f->varying_table;
    out->point_up = f->ahead && mali_frag_point_up(f);
    if (f->word_of)
        memcpy(out->word, f->word_of, sizeof out->word);
    else
        memset(out->word, FRAG_NO_SLOT, sizeof out->word);
    memcpy(out->messages, f->messages, sizeof out->messages);
    out->fixed_blends = blends_fixed(f);
    out->at_once = has_shader(f) || !keeps_all(f);
    know_conversions(f, out);
}

/* ---- draws that hide what is behind ---- */

/* Where the coverage is with which the program began; bit n: number n. ATEST's counts as the same: this is asked of draws
 * that test no alpha. */
struct covered {
    uint64_t regs;
    uint32_t temporaries;
};

static bool is_covered(const struct covered *c, const struct warp_source *s)
{
    if (s->width < 32 || s->negate || s->absolute || s->invert)
        return false;
    return s->from == WARP_REGISTER    ? c->regs >> s->index % WARP_REGISTERS & 1
           : s->from == WARP_TEMPORARY ? c->temporaries >> s->index % WARP_TEMPORARIES & 1
                                       : false;
}

static void set_register(struct covered *c, unsigned n, bool covered)
{
    const uint64_t bit = UINT64_C(1) << n % WARP_REGISTERS;
    c->regs = covered ? c->regs | bit : c->regs & ~bit;
}

static void set_result(struct covered *c, const struct warp_insn *i, unsigned n, bool covered)
{
    const uint32_t bit = 1u << n % WARP_TEMPORARIES;
    if (i->dest.to == WARP_REGISTER)
        set_register(c, n, covered);
    else
        c->temporaries = covered ? c->temporaries | bit : c->temporaries & ~bit;
}

/* The coverage goes on through moves of whole words, which Bifrost's messages have before and behind them. */
static void follow(struct covered *c, const struct warp_insn *i)
{
    const bool moves = i->kind == WARP_COMPUTE && i->op == WARP_MOV_I32 && i->dest.mask == 3 &&
                       !i->dest.pair && !i->not_result && is_covered(c, &i->source[0]);
    const bool tests = is_message(i, WARP_ATEST) && is_covered(c, &i->source[0]);
    for (unsigned n = 0; n < i->write.count; n++)
        set_register(c, i->write.reg + n, tests && n == 0);
    for (unsigned n = 0; i->dest.mask && n < 1u + i->dest.pair; n++)
        set_result(c, i, i->dest.index + n, moves);
}

bool mali_frag_writes_always(const struct warp_program *p)
{
    const uint32_t count = p->straight ? p->insn_count : p->fixed_count;
    struct covered covered = {.regs = UINT64_C(1) << MALI_REG_FRAGMENT_COVERAGE};
    unsigned blends = 0;
    if (p->discards)
        return false;
    for (uint32_t k = 0, n = 0; k < count; k++, n = warp_fixed_next(&p->insns[n], n)) {
        const struct warp_insn *i = &p->insns[n];
        const unsigned at = warp_blends(i) ? 1 : 0; /* where the coverage is */
        if ((warp_blends(i) || is_message(i, WARP_ATEST)) && !is_covered(&covered, &i->source[at]))
            return false;
        blends += warp_blends(i);
        follow(&covered, i);
    }
    return blends == 1;
}
