/* Blocks that somebody looks at: lanes followed through the tests, the programs and the targets of the reference
 * path (gpu/watch.h). Registers are seen before and after each instruction; what comes from outside is told by
 * the ports (frag_watch_ports.c). */
#include <stdio.h>
#include <string.h>

#include "gpu/mali/frag_watch_internal.h"
#include "isa/bifrost/lower.h"
#include "util/bits.h"

/* What an instruction finds: registers of either machine, temporaries of isa/warp (NULL: they are gone). */
struct found {
    const union mali_sixteen *state;
    const uint32_t (*temporary)[ISA_LANES];
};

/* ---- the block ---- */

static void begin(const struct mali_frag_batch *b, struct gpu_follower *f, const uint16_t *covered)
{
    struct gpu_lane *lane = f->lane;
    uint16_t samples = 0;
    for (unsigned s = 0; s < b->frag->tile->samples; s++)
        samples |= (uint16_t)((covered[s] >> f->number & 1) << s);
    lane->masked = samples && !(samples & b->frag->sample_mask);
    lane->w = util_f2u(1.0f / mali_frag_inv_w(b, f->number));
    lane->z = mali_frag_depth(b, f->number);
}

void mali_frag_look(struct mali_frag_batch *b, const struct raster_block *block, const uint16_t *covered)
{
    const struct gpu_watched_block it = {.block = block, .tile = b->tile, .counts = true};
    b->looking = gpu_following_begin(&b->following, b->watch, &it, sizeof(struct mali_follower));
    b->began = b->executed;
    for (uint32_t i = 0; b->looking && i < b->following.count; i++)
        begin(b, &mali_follower_at(b, i)->of, covered);
}

void mali_frag_look_away(struct mali_frag_batch *b, const struct mali_stop *stop)
{
    for (uint32_t i = 0; i < b->following.count; i++)
        mali_follower_at(b, i)->of.lane->fault = (uint32_t)stop->fault.kind;
    gpu_following_end(&b->following, b->executed - b->began);
    b->looking = false;
}

/* ---- depth and stencil ---- */

void mali_frag_look_at_test(struct mali_frag_batch *b, bool program,
                            void (*test)(struct mali_frag_batch *b, bool program))
{
    const struct mali_frag *f = b->frag;
    const uint32_t first = raster_block_index(b->tile, b->x, b->y, 0), count = f->tile->samples * 16u;
    uint32_t zs[RASTER_TARGET_SAMPLES * 16];
    uint8_t stencil[RASTER_TARGET_SAMPLES * 16];
    uint16_t live[RASTER_TARGET_SAMPLES];
    const struct gpu_zs_block before = {zs, stencil}, after = {b->tile->zs + first, b->tile->stencil + first};
    memcpy(zs, after.zs, count * sizeof *zs);
    memcpy(stencil, after.stencil, count);
    memcpy(live, b->live, sizeof live);
    test(b, program);
    for (uint32_t i = 0; i < b->following.count; i++) {
        struct gpu_follower *of = &mali_follower_at(b, i)->of;
        struct gpu_test it = {.when = program ? GPU_TEST_AFTER : GPU_TEST_BEFORE,
                              .kind = f->tile->depth,
                              .depth = b->depth[of->number],
                              .rule = f->zs};
        if (program && f->stencil_given)
            it.rule.face[0].ref = it.rule.face[1].ref = b->stencil[of->number];
        gpu_follow_test(of, &it, f->tile->samples, &before, &after, live, b->live);
    }
}

/* ---- programs ---- */

static void finish_midgard(struct mali_follower *f, const struct midgard_state *state)
{
    for (unsigned r = 0; r < MIDGARD_REGISTERS; r++)
        gpu_follow_register(&f->of, true, r, f->uses.written[r], false, state->reg[r]);
}

/* A word that an instruction of isa/warp reads or writes. */
static void tell_word(struct mali_follower *f, bool written, const char *name, uint32_t word)
{
    struct gpu_value *v = written ? gpu_follow_write(&f->of, name) : gpu_follow_read(&f->of, name);
    if (!v)
        return;
    v->known = true;
    v->value[0] = word;
}

/* One-word registers that a bit is set for. */
static void tell_registers(struct mali_follower *f, bool written, uint64_t mask,
                           const struct warp_state *state)
{
    for (; mask; mask &= mask - 1) {
        const unsigned r = (unsigned)__builtin_ctzll(mask);
        char name[8];
        snprintf(name, sizeof name, "r%u", r % WARP_REGISTERS);
        tell_word(f, written, name, state->reg[r][f->of.number]);
    }
}

/* A temporary, as the set's text calls it; others are nobody's. */
static void tell_temporary(struct mali_follower *f, bool written, unsigned n, const struct found *found)
{
    const char *name = bifrost_temporary_name(f->before->part, n, written);
    if (name && found->temporary)
        tell_word(f, written, name, found->temporary[n][f->of.number]);
}

/* The step of the word that has been kept of the part under way, or NULL. */
static struct gpu_step *kept_part(const struct mali_follower *f)
{
    for (uint32_t n = f->first; f->before->part && n < f->of.lane->trace.count; n++)
        if (f->of.lane->trace.at[n].part == f->before->part)
            return &f->of.lane->trace.at[n];
    return NULL;
}

static void add_value(struct gpu_value *values, uint8_t *count, const struct gpu_value *value)
{
    for (unsigned n = 0; n < *count; n++)
        if (!strcmp(values[n].name, value->name))
            return;
    if (*count < GPU_VALUES)
        values[(*count)++] = *value;
}

/* A temporary that is now in a register, too, is called by both, as in the text: "r3:t0". */
static void add_written(struct gpu_step *to, const struct gpu_value *value)
{
    struct gpu_value *given = to->writes ? &to->write[to->writes - 1] : NULL;
    char name[sizeof given->name];
    const bool beside = given && given->name[0] == 't' && given->value[0] == value->value[0] &&
                        snprintf(name, sizeof name, "%s:%s", value->name, given->name) < (int)sizeof name;
    if (beside)
        memcpy(given->name, name, sizeof name);
    else
        add_value(to->write, &to->writes, value);
}

/* What several instructions of isa/warp do for one of the guest's is told of that one. */
static void keep_warp(struct mali_follower *f)
{
    const struct gpu_step *now = &f->of.now;
    struct gpu_step *to = kept_part(f);
    f->of.now.enters = f->of.lane->trace.count == f->first;
    if (!to) {
        gpu_follow_keep(&f->of);
        return;
    }
    for (unsigned n = 0; n < now->reads; n++)
        add_value(to->read, &to->reads, &now->read[n]);
    for (unsigned n = 0; n < now->writes; n++)
        add_written(to, &now->write[n]);
}

static void finish_warp(const struct mali_frag_batch *b, struct mali_follower *f, const struct found *found)
{
    const struct warp_insn *i = f->insn;
    if (i->dest.mask && i->dest.to == WARP_TEMPORARY)
        tell_temporary(f, true, i->dest.index, found);
    tell_registers(f, true, f->written, &found->state->warp);
    if (i->part ||
        !b->threads.world->program->warp->parts) /* not what a clause does before its instructions */
        keep_warp(f);
}

static void finish(const struct mali_frag_batch *b, struct mali_follower *f, const struct found *found)
{
    if (!f->insn)
        return;
    if (b->threads.world->program->warp) {
        finish_warp(b, f, found);
    } else {
        finish_midgard(f, &found->state->midgard);
        gpu_follow_keep(&f->of);
    }
    f->insn = NULL;
}

/* A lane comes to an instruction of isa/warp: whether its word is entered anew, and whether it is another of the guest's. */
static bool enter(const struct mali_frag_batch *b, struct mali_follower *f, const struct warp_insn *i)
{
    const struct warp_insn *before = f->before;
    const bool on = before && before->at == i->at && i > before && f->of.now.blends == (b->blending > 0) &&
                    (before->part == WARP_PART_BEFORE) == (i->part == WARP_PART_BEFORE);
    if (!on) {
        f->first = f->of.lane->trace.count;
        f->parts = 0;
    }
    const bool another = !(f->parts >> i->part & 1) &&
                         (i->part ? i->part < WARP_PART_BEFORE : !b->threads.world->program->warp->parts);
    f->parts |= 1u << i->part;
    f->before = i;
    return another;
}

/* A lane begins an instruction at a word of the program, if it executes it. */
static bool begins(const struct mali_frag_batch *b, struct mali_follower *f, const void *insn, uint32_t at,
                   uint16_t lanes)
{
    if (!(lanes >> f->of.number & 1) || (b->blending && b->blending != f->of.lane->target + 1u))
        return false;
    const struct warp_insn *warp = b->threads.world->program->warp ? insn : NULL;
    const bool another = !warp || enter(b, f, warp);
    f->insn = insn;
    f->of.now =
        (struct gpu_step){.pc = at, .part = warp ? warp->part : 0, .enters = true, .blends = b->blending};
    f->of.lane->executed += another;
    return true;
}

static uint64_t run_of(unsigned first, unsigned count)
{
    return count ? (~UINT64_C(0) >> (64 - count)) << first % WARP_REGISTERS : 0;
}

static uint64_t read_by(const struct warp_insn *i)
{
    uint64_t mask = i->reads_temporaries ? 0 : run_of(i->read.reg, i->read.count);
    for (unsigned n = 0; n < warp_sources_of(i); n++)
        if (i->source[n].from == WARP_REGISTER)
            mask |= run_of(i->source[n].index, warp_source_words(i, n));
    return mask;
}

static uint64_t written_by(const struct warp_insn *i)
{
    const bool dest = i->dest.mask && i->dest.to == WARP_REGISTER;
    return run_of(i->write.reg, i->write.count) | (dest ? run_of(i->dest.index, i->dest.pair ? 2 : 1) : 0);
}

/* What an instruction reads is told, and what it is to write found. */
typedef void (*reads_fn)(const struct mali_frag_batch *b, struct mali_follower *f, const void *insn,
                         const struct found *found);

static void midgard_reads(const struct mali_frag_batch *b, struct mali_follower *f, const void *insn,
                          const struct found *found)
{
    midgard_uses(insn, &b->threads.world->program->midgard->traits, &f->uses);
    for (unsigned r = 0; r < MIDGARD_REGISTERS; r++)
        gpu_follow_register(&f->of, false, r, f->uses.read[r], false, found->state->midgard.reg[r]);
}

static void warp_reads(const struct mali_frag_batch *b, struct mali_follower *f, const void *insn,
                       const struct found *found)
{
    const struct warp_insn *i = insn;
    (void)b;
    f->written = written_by(i);
    for (unsigned n = 0; n < warp_sources_of(i); n++)
        if (i->source[n].from == WARP_TEMPORARY)
            tell_temporary(f, false, i->source[n].index, found);
    tell_registers(f, false, read_by(i), &found->state->warp);
}

/* All lanes come to an instruction at a word of the program, in which `lanes` execute it. */
static void on_insn(const struct mali_frag_batch *b, const void *insn, uint32_t word, uint16_t lanes,
                    const struct found *found, reads_fn reads)
{
    if (!b->blending)
        gpu_following_step(&b->following, word);
    for (uint32_t i = 0; i < b->following.count; i++) {
        struct mali_follower *f = mali_follower_at(b, i);
        finish(b, f, found);
        if (begins(b, f, insn, word, lanes))
            reads(b, f, insn, found);
    }
}

static void on_midgard(void *data, const struct midgard_insn *insn, uint16_t lanes,
                       const struct midgard_state *state)
{
    const struct found found = {(const union mali_sixteen *)state, NULL};
    on_insn(data, insn, insn->at, lanes, &found, midgard_reads);
}

static void on_warp(void *data, const struct warp_insn *insn, uint16_t lanes, const struct warp_state *state,
                    const uint32_t temporary[][ISA_LANES])
{
    const struct found found = {(const union mali_sixteen *)state, temporary};
    on_insn(data, insn, insn->at, lanes, &found, warp_reads);
}

void mali_frag_watch_insns(struct mali_frag_batch *b)
{
    if (b->threads.world->program->warp)
        b->threads.warp_trace = b->looking ? on_warp : NULL;
    else
        b->threads.trace = b->looking ? on_midgard : NULL;
}

void mali_frag_look_at_end(const struct mali_frag_batch *b, const union mali_sixteen *state)
{
    const struct found found = {state, NULL};
    for (uint32_t i = 0; i < b->following.count; i++)
        finish(b, mali_follower_at(b, i), &found);
}

void mali_frag_look_at_discards(const struct mali_frag_batch *b, uint16_t lanes)
{
    for (uint32_t i = 0; i < b->following.count; i++)
        mali_follower_at(b, i)->of.lane->discarded |= lanes >> mali_follower_at(b, i)->of.number & 1;
}

/* ---- targets ---- */

static struct gpu_color color_of(bool integers, const uint32_t word[4])
{
    struct gpu_color color = {.format = integers ? RASTER_R32G32B32A32_UINT : RASTER_R32G32B32A32_FLOAT};
    memcpy(color.word, word, sizeof color.word);
    return color;
}

/* Samples that alpha to coverage leaves; of draws shaded by the sample, with those before. */
static uint16_t alpha_left(const struct mali_frag_batch *b, const struct gpu_lane *lane, float alpha)
{
    const struct mali_frag *f = b->frag;
    uint16_t left = lane->output.alpha_left;
    for (unsigned s = 0; s < f->tile->samples; s++)
        if ((!f->per_sample || s == b->sample) && raster_samples_alpha(f->tile->samples, s, alpha))
            left |= (uint16_t)(1u << s);
    return left & f->sample_mask;
}

static void follow_target(const struct mali_frag_batch *b, struct gpu_lane *lane)
{
    const struct mali_frag *f = b->frag;
    const struct mali_frag_target *target = &f->target[lane->target];
    const struct raster_output_colors *color = &b->color[lane->target][lane->number];
    const enum raster_format format = (enum raster_format)f->tile->format[lane->target];
    const bool integers = raster_output_is_integer(format) && !target->shader;
    const uint32_t constant[4] = {util_f2u(target->constant), util_f2u(target->constant),
                                  util_f2u(target->constant), util_f2u(target->constant)};
    const float alpha = mali_frag_alpha(b, lane->number);
    lane->output = (struct gpu_output){.given = f->has_program && target->written &&
                                                b->written[lane->target] >> lane->number & 1,
                                       .source = color_of(integers, color->src),
                                       .second = color_of(integers, color->src1),
                                       .constant = color_of(false, constant),
                                       .shader = target->shader,
                                       .blend = target->blend,
                                       .alpha_tested = f->has_program && f->alpha_func != RASTER_ALWAYS,
                                       .alpha_passed = mali_frag_passes_alpha(f, alpha),
                                       .alpha_func = f->alpha_func,
                                       .alpha_ref = f->alpha_reference,
                                       .alpha = alpha,
                                       .alpha_to_coverage = f->has_program && f->alpha_to_coverage,
                                       .alpha_left = alpha_left(b, lane, alpha)};
    for (unsigned s = 0; lane->output.given && s < f->tile->samples; s++)
        lane->written |= (uint16_t)((b->live[s] >> lane->number & 1) << s);
}

void mali_frag_look_at_targets(const struct mali_frag_batch *b)
{
    for (uint32_t i = 0; i < b->following.count; i++)
        if (mali_follower_at(b, i)->of.lane->target < b->frag->tile->count)
            follow_target(b, mali_follower_at(b, i)->of.lane);
}
