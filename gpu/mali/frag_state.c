/* Tests and blending of a draw: what the renderer state says, in raster/'s terms. */
#include "gpu/mali/frag_internal.h"

#include <string.h>

#include "gpu/mali/device_internal.h"
#include "util/bits.h"

static bool unsupported(const struct mali_frag *f, const char *what, uint32_t value, struct mali_stop *stop)
{
    return mali_stop_set(stop, MALI_DATA_INVALID_FAULT, GPU_FAULT_UNSUPPORTED, FRAG_UNIT, f->job.draw.state,
                         "%s (%u)", what, value);
}

/* ---- tests ---- */

/* Functions are numbered alike: MALI_FUNC_NEVER and on, RASTER_NEVER and on. */
_Static_assert((int)MALI_FUNC_LESS == (int)RASTER_LESS && (int)MALI_FUNC_LEQUAL == (int)RASTER_LEQUAL &&
                   (int)MALI_FUNC_NOT_EQUAL == (int)RASTER_NOTEQUAL &&
                   (int)MALI_FUNC_ALWAYS == (int)RASTER_ALWAYS,
               "no translation");

static const uint8_t stencil_ops[8] = {
    [MALI_STENCIL_OP_KEEP] = RASTER_OP_KEEP,         [MALI_STENCIL_OP_REPLACE] = RASTER_OP_REPLACE,
    [MALI_STENCIL_OP_ZERO] = RASTER_OP_ZERO,         [MALI_STENCIL_OP_INVERT] = RASTER_OP_INVERT,
    [MALI_STENCIL_OP_INCR_WRAP] = RASTER_OP_INCR,    [MALI_STENCIL_OP_DECR_WRAP] = RASTER_OP_DECR,
    [MALI_STENCIL_OP_INCR_SAT] = RASTER_OP_INCR_SAT, [MALI_STENCIL_OP_DECR_SAT] = RASTER_OP_DECR_SAT};

static struct raster_stencil face_of(const struct mali_state *s, bool back)
{
    return back ? (struct raster_stencil){.enable = s->stencil_enable,
                                          .func = (uint8_t)s->stencil_back_compare_function,
                                          .fail = stencil_ops[s->stencil_back_stencil_fail],
                                          .zfail = stencil_ops[s->stencil_back_depth_fail],
                                          .zpass = stencil_ops[s->stencil_back_depth_pass],
                                          .ref = (uint8_t)s->stencil_back_reference_value,
                                          .func_mask = (uint8_t)s->stencil_back_mask,
                                          .write_mask = (uint8_t)s->stencil_mask_back}
                : (struct raster_stencil){.enable = s->stencil_enable,
                                          .func = (uint8_t)s->stencil_front_compare_function,
                                          .fail = stencil_ops[s->stencil_front_stencil_fail],
                                          .zfail = stencil_ops[s->stencil_front_depth_fail],
                                          .zpass = stencil_ops[s->stencil_front_depth_pass],
                                          .ref = (uint8_t)s->stencil_front_reference_value,
                                          .func_mask = (uint8_t)s->stencil_front_mask,
                                          .write_mask = (uint8_t)s->stencil_mask_front};
}

/* What nothing behind the program can change may be tested before it. */
static bool may_test_early(const struct mali_frag *f)
{
    const struct midgard_program *p = f->has_program ? f->world.program->midgard : NULL;
    return f->job.bindings.state.force_early_z || !f->has_program ||
           !(p->discards || f->depth_given || f->stencil_given || p->shares || f->alpha_to_coverage ||
             f->alpha_func != RASTER_ALWAYS);
}

/* Since v6 a state says of tests when pixels fall to them, and when depth and stencil change (Mesa's pan_earlyzs.c);
 * nothing tells strong from weak (ours). What changes late is tested late, too, as nobody sees whether a program ran
 * that leaves nothing but pixels. Alpha is not tested. */
static bool set_times(struct mali_frag *f, struct mali_stop *stop)
{
    const struct mali_state *s = &f->job.bindings.state;
    const bool fixed = s->depth_source == MALI_DEPTH_SOURCE_FIXED_FUNCTION || f->depth_given;
    f->alpha_func = RASTER_ALWAYS;
    f->early = !f->has_program || s->zs_update_operation != MALI_PIXEL_KILL_FORCE_LATE;
    f->runs_failed = f->has_program && f->early && s->pixel_kill_operation == MALI_PIXEL_KILL_FORCE_LATE;
    return fixed || !f->has_program || (f->zs.depth_func == RASTER_ALWAYS && !f->zs.depth_write) ||
           unsupported(f, "depth of a source", s->depth_source, stop);
}

bool mali_frag_set_tests(struct mali_frag *f, struct mali_stop *stop)
{
    const struct mali_state *s = &f->job.bindings.state;
    f->zs.depth_write = s->depth_write_mask;
    f->zs.depth_func = (uint8_t)s->depth_function;
    f->zs.face[0] = face_of(s, false);
    f->zs.face[1] = face_of(s, true);
    f->alpha_func = (uint8_t)s->alpha_test_compare_function;
    f->alpha_reference = s->alpha_reference;
    f->sample_mask = (uint16_t)s->sample_mask;
    f->alpha_to_coverage = s->alpha_to_coverage && f->tile->samples > 1;
    f->per_sample = s->evaluate_per_sample && f->tile->samples > 1;
    f->depth_given = f->has_program && s->depth_source == MALI_DEPTH_SOURCE_SHADER;
    f->stencil_given = f->has_program && s->stencil_from_shader;
    f->query = f->job.draw.occlusion_query == MALI_OCCLUSION_MODE_COUNTER     ? RASTER_QUERY_COUNT
               : f->job.draw.occlusion_query == MALI_OCCLUSION_MODE_PREDICATE ? RASTER_QUERY_ANY
                                                                              : RASTER_QUERY_NONE;
    if (f->has_program && s->preload_fragment_primitive_id)
        return unsupported(f, "the primitive's number in a register is not done", 1, stop);
    if (s->alpha_to_coverage && s->alpha_to_coverage_invert)
        return unsupported(f, "alpha to coverage, inverted", 1, stop);
    if (f->shared->job->version < MALI_V6)
        f->early = may_test_early(f);
    else if (!set_times(f, stop))
        return false;
    f->depth_given &= !f->early; /* what is tested before the program has the primitive's depth */
    return true;
}

/* ---- blending ---- */

/* Mali's equation, of colours or of alpha: a + b * c, where a is 0, source or destination, b one of these or
 * their sum or difference, c a factor (v5.xml). */
struct equation {
    uint32_t a, b, c;
    bool negate_a, negate_b, invert_c;
};

/* What a source is multiplied by: whole + times * factor. */
struct coefficient {
    int whole, times;
};

static bool factor_of(struct coefficient k, uint8_t c, uint8_t *out, bool *negative)
{
    *negative = k.whole < 0 || (!k.whole && k.times < 0);
    if (*negative)
        k = (struct coefficient){-k.whole, -k.times};
    if (!k.times && (!k.whole || k.whole == 1))
        *out = k.whole ? RASTER_FACTOR_ONE : RASTER_FACTOR_ZERO;
    else if (!k.whole && k.times == 1)
        *out = c;
    else if (k.whole == 1 && k.times == -1)
        *out = c ^ RASTER_FACTOR_INVERT;
    else
        return false;
    return true;
}

static bool c_factor(const struct equation *e, uint8_t *out)
{
    static const uint8_t factors[8] = {[MALI_BLEND_OPERAND_C_SRC] = RASTER_FACTOR_SRC,
                                       [MALI_BLEND_OPERAND_C_DEST] = RASTER_FACTOR_DST,
                                       [MALI_BLEND_OPERAND_C_SRC_ALPHA] = RASTER_FACTOR_SRC_ALPHA,
                                       [MALI_BLEND_OPERAND_C_DEST_ALPHA] = RASTER_FACTOR_DST_ALPHA,
                                       [MALI_BLEND_OPERAND_C_CONSTANT] = RASTER_FACTOR_CONST};
    *out = factors[e->c & 7] ^ (e->invert_c ? RASTER_FACTOR_INVERT : 0);
    return e->c == MALI_BLEND_OPERAND_C_ZERO || factors[e->c & 7];
}

/* Destination times twice the source is written as the one times the other, twice. */
static bool is_twice(const struct equation *e)
{
    return e->a == MALI_BLEND_OPERAND_A_ZERO && e->b == MALI_BLEND_OPERAND_B_DEST && !e->negate_b &&
           e->c == MALI_BLEND_OPERAND_C_SRC_X_2 && !e->invert_c;
}

static bool translate(const struct equation *e, struct raster_equation *out)
{
    int a = e->negate_a ? -1 : 1, b = e->negate_b ? -1 : 1;
    bool whole = e->c == MALI_BLEND_OPERAND_C_ZERO && e->invert_c, none = e->c == MALI_BLEND_OPERAND_C_ZERO;
    int in_s = e->b == MALI_BLEND_OPERAND_B_DEST ? 0 : b;
    int in_d = e->b == MALI_BLEND_OPERAND_B_SRC ? 0 : e->b == MALI_BLEND_OPERAND_B_SRC_MINUS_DEST ? -b : b;
    struct coefficient s = {e->a == MALI_BLEND_OPERAND_A_SRC ? a : 0, none ? 0 : in_s};
    struct coefficient d = {e->a == MALI_BLEND_OPERAND_A_DEST ? a : 0, none ? 0 : in_d};
    bool minus_s, minus_d;
    uint8_t c;
    if (is_twice(e)) {
        *out = (struct raster_equation){RASTER_BLEND_ADD, RASTER_FACTOR_DST, RASTER_FACTOR_SRC};
        return true;
    }
    s.whole += whole ? in_s : 0;
    d.whole += whole ? in_d : 0;
    if (!c_factor(e, &c) || !factor_of(s, c, &out->src, &minus_s) || !factor_of(d, c, &out->dst, &minus_d) ||
        (minus_s && minus_d))
        return false;
    out->func = minus_s ? RASTER_BLEND_RSUB : minus_d ? RASTER_BLEND_SUB : RASTER_BLEND_ADD;
    return true;
}

/* What v4 has in its state and later versions in a descriptor for each target. */
static struct mali_blend blend_of(const struct mali_frag *f, uint32_t n)
{
    const struct mali_bindings *b = &f->job.bindings;
    const struct mali_state *s = &b->state;
    if (f->shared->job->version != MALI_V4)
        return n < b->blend_count ? b->blend[n] : (struct mali_blend){0};
    return (struct mali_blend){.load_destination = s->load_destination,
                               .blend_shader = s->blend_by_shader,
                               .alpha_to_one = s->alpha_to_one,
                               .enable = s->write_enable,
                               .srgb = s->srgb,
                               .shader_pc = s->blend_shader,
                               .rgb_a = s->rgb_a,
                               .rgb_negate_a = s->rgb_negate_a,
                               .rgb_b = s->rgb_b,
                               .rgb_negate_b = s->rgb_negate_b,
                               .rgb_c = s->rgb_c,
                               .rgb_invert_c = s->rgb_invert_c,
                               .alpha_a = s->alpha_a,
                               .alpha_negate_a = s->alpha_negate_a,
                               .alpha_b = s->alpha_b,
                               .alpha_negate_b = s->alpha_negate_b,
                               .alpha_c = s->alpha_c,
                               .alpha_invert_c = s->alpha_invert_c,
                               .color_mask = s->color_mask,
                               .constant = s->constant};
}

/* Since v6 a unorm as wide as the target's channels, in the upper bits of 16 (Mesa's pan_cmdstream.c). */
static float constant_of(const struct mali_frag *f, uint32_t n, const struct mali_blend *b)
{
    const uint32_t bits = raster_texels[f->tile->format[n]].channel[0].bits, most = 16;
    if (f->shared->job->version <= MALI_V5)
        return b->constant;
    return bits && bits < most ? (float)(b->constant_unorm >> (most - bits)) / (float)((1u << bits) - 1)
                               : (float)b->constant_unorm / 65535.0f;
}

static bool set_equation(struct mali_frag *f, uint32_t n, const struct mali_blend *b, struct mali_stop *stop)
{
    struct mali_frag_target *t = &f->target[n];
    const struct equation rgb = {b->rgb_a,        b->rgb_b,        b->rgb_c,
                                 b->rgb_negate_a, b->rgb_negate_b, b->rgb_invert_c};
    const struct equation alpha = {b->alpha_a,        b->alpha_b,        b->alpha_c,
                                   b->alpha_negate_a, b->alpha_negate_b, b->alpha_invert_c};
    t->blend.write_mask = (uint8_t)b->color_mask;
    t->constant = constant_of(f, n, b);
    t->alpha_to_one = b->alpha_to_one;
    t->written = b->color_mask;
    return (translate(&rgb, &t->blend.color) && translate(&alpha, &t->blend.alpha)) ||
           unsupported(f, "a blend equation that adds one to its factor", n, stop);
}

static bool set_shader(struct mali_frag *f, uint32_t n, uint64_t address, struct mali_stop *stop)
{
    struct mali_world *world = util_arena_alloc(f->shared->arena, sizeof *world);
    if (!world)
        return mali_stop_set(stop, MALI_OOM, GPU_FAULT_SHADER, FRAG_UNIT, address, "no host memory");
    f->target[n].shader = world;
    f->target[n].written = true;
    return mali_world_begin_shader(world, f->shared->job, &f->job.draw, &f->job.bindings, address,
                                   f->shared->arena, "blend shader", stop);
}

/* Since v6: the descriptor's words, as programs get them, and by its mode. Those that there are not do nothing. */
static bool set_by_mode(struct mali_frag *f, uint32_t n, uint64_t at, struct mali_stop *stop)
{
    const enum mali_version version = f->shared->job->version;
    const struct mali_reader reader = {f->shared->job->space, version, FRAG_UNIT, NULL};
    struct mali_frag_target *t = &f->target[n];
    uint32_t words[MALI_DESC_WORDS];
    struct mali_blend b;
    uint64_t shader;
    if (!mali_desc_fetch(&reader, &mali_desc_blend, at, words, stop))
        return false;
    mali_desc_unpack(&mali_desc_blend, version, words, &b);
    memcpy(t->words, words + 2, sizeof t->words);
    if (!b.enable || b.mode == MALI_BLEND_MODE_OFF) {
        t->words[0] = MALI_BLEND_MODE_OFF;
        return true;
    }
    t->rt = b.rt;
    if (mali_blend_shader(version, &b, f->job.bindings.state.shader, &shader))
        return set_shader(f, n, shader, stop);
    if (b.mode == MALI_BLEND_MODE_FIXED_FUNCTION)
        return set_equation(f, n, &b, stop);
    t->written = true;
    t->alpha_to_one = b.alpha_to_one;
    return true;
}

static bool set_by_modes(struct mali_frag *f, struct mali_stop *stop)
{
    const enum mali_version version = f->shared->job->version;
    const struct mali_bindings *b = &f->job.bindings;
    const uint32_t bytes = mali_desc_blend.bytes[version];
    const uint64_t first =
        version >= MALI_V9 ? b->own.blend : f->job.draw.state + mali_desc_state.bytes[version];
    const uint32_t count = version >= MALI_V9 ? b->own.blend ? b->own.blend_count : 0 : f->tile->count;
    for (uint32_t n = 0; n < MALI_TARGETS; n++) {
        f->target[n].blend = raster_blend_replace;
        f->target[n].words[0] = MALI_BLEND_MODE_OFF;
        if (f->has_program && n < count && n < f->tile->count &&
            !set_by_mode(f, n, first + (uint64_t)n * bytes, stop))
            return false;
    }
    return true;
}

bool mali_frag_set_targets(struct mali_frag *f, struct mali_stop *stop)
{
    if (f->shared->job->version >= MALI_V6)
        return set_by_modes(f, stop);
    for (uint32_t n = 0; n < f->tile->count; n++) {
        const struct mali_blend b = blend_of(f, n);
        f->target[n].blend = raster_blend_replace;
        if (!f->has_program || !b.enable)
            continue;
        if (!(b.blend_shader ? set_shader(f, n, b.shader_pc, stop) : set_equation(f, n, &b, stop)))
            return false;
    }
    return true;
}
