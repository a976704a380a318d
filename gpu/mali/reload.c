#include "gpu/mali/reload.h"

#include <string.h>

#include "gpu/mali/frag_internal.h"
#include "gpu/mali/world_ir.h"
#include "isa/midgard/names.h"
#include "raster/zs_blocks.h"
#include "util/bits.h"

/* ---- the image ---- */

/* Of which colour each byte of a pixel is, of formats of four normalised bytes. */
static bool set_channels(enum raster_format format, uint8_t out[4])
{
    const struct raster_texel *texel = &raster_texels[format];
    for (uint8_t c = 0; c < 4; c++) {
        const unsigned from = texel->from[c];
        if (texel->bits != 32 || from >= 4 || texel->channel[from].bits != 8 ||
            texel->channel[from].kind != RASTER_KIND_UNORM || texel->channel[from].at % 8)
            return false;
        out[texel->channel[from].at / 8] = c;
    }
    return true;
}

bool mali_reload_image(const struct mali_targets *t, struct gpu_frame_image *out)
{
    const struct mali_store *s = &t->store[0];
    if (t->store_count != 1 || s->of >= t->tile.count || s->is_afbc || t->tile.samples != 1 ||
        t->tile.total != 1 || t->raw[s->of] || t->tile.format[s->of] != RASTER_R8G8B8A8_UNORM ||
        s->address > UINT32_MAX)
        return false;
    *out = (struct gpu_frame_image){.address = (uint32_t)s->address,
                                    .pitch = s->surface.stride,
                                    .width = s->surface.width,
                                    .height = s->surface.height,
                                    .layout = (uint8_t)s->surface.layout,
                                    .loads = true};
    return set_channels((enum raster_format)s->surface.format, out->channel);
}

void mali_reload_load(const struct mali_targets *t, struct raster_tile *tile)
{
    raster_targets_load(&t->tile, tile, t->store[0].of, &t->store[0].surface, 0, 1);
}

/* ---- programs that pass texels on ---- */

#define INSNS_MOST 8u

/* What a component of a register has: that of a varying or of the one lookup, or what nobody knows. */
enum known { UNKNOWN, VARYING, TEXEL };
struct value {
    uint8_t what, component;
};

struct passing {
    struct value reg[MIDGARD_REGISTERS][4];
    bool has_varying, has_texel;
    uint32_t varying;
    struct mali_lookup_key asked;
};

/* Loads of whole varyings, singles, all of one. */
static bool load(struct passing *p, const struct midgard_memory *m)
{
    const struct midgard_memory_info *info = midgard_memory_info(m->op);
    const uint32_t rest = midgard_offset_rest(m), number = (uint32_t)midgard_offset_index(m);
    if (!info || info->class == MIDGARD_NOTHING)
        return info;
    if (info->class != MIDGARD_VARYING || info->type != ISA_TYPE_F32 || m->index_format & 1 ||
        m->index_reg != MIDGARD_A_ZERO || m->arg_reg != MIDGARD_A_ZERO || !(m->index_format >> 1) ||
        rest & MIDGARD_VARYING_FLAT || (rest & MIDGARD_VARYING_MOD) != MIDGARD_VARYING_PLAIN ||
        (p->has_varying && p->varying != number))
        return false;
    p->has_varying = true;
    p->varying = number;
    for (unsigned c = 0; c < 4; c++)
        if (m->mask >> c & 1)
            p->reg[m->reg][c] = (struct value){VARYING, m->swizzle >> 2 * c & 3};
    return true;
}

static bool is(struct value v, enum known what, unsigned component)
{
    return v.what == what && v.component == component;
}

/* The lookup at the varying's x and y. A level is not looked at, as there is one. */
static bool look_up(struct passing *p, const struct midgard_insn *i, const struct midgard_traits *traits)
{
    const struct midgard_texture *x = &i->texture;
    const unsigned base = traits->shared_registers ? MIDGARD_R_MEMORY : MIDGARD_R_TEXTURE;
    const struct value *in = p->reg[base + x->in.select];
    struct value *out = p->reg[(traits->shared_registers ? 0 : MIDGARD_R_RESULT) + x->out_select];
    if (p->has_texel || !mali_code_request(i, &p->asked) || x->op == MIDGARD_TEX_FETCH ||
        x->mode != MIDGARD_TEX_PLAIN || x->dimensions != 2 || x->sampler_type != MIDGARD_SAMPLER_FLOAT ||
        x->lod_register || x->offset_register || x->offset || !x->in.full || !x->out_full || x->outmod ||
        !is(in[x->in.swizzle & 3], VARYING, 0) || !is(in[x->in.swizzle >> 2 & 3], VARYING, 1))
        return false;
    p->has_texel = true;
    for (unsigned c = 0; c < 4; c++)
        if (x->mask >> c & 1)
            out[c] = (struct value){TEXEL, x->swizzle >> 2 * c & 3};
    return true;
}

/* Words that are moved as they are; of whatever else is written nothing is known. Only what cannot fault. */
static bool compute(struct passing *p, const struct midgard_alu *a, enum midgard_unit unit,
                    const struct midgard_traits *traits)
{
    const struct midgard_alu_info *info = midgard_alu_info(a->op);
    const bool scalar = midgard_is_scalar(unit);
    struct value from[4] = {{UNKNOWN, 0}};
    if (!info || a->reserved || (info->form != MIDGARD_FORM_MOVE && info->form != MIDGARD_FORM_PAIR) ||
        !info->modes[scalar ? MIDGARD_MODE_32 : a->mode])
        return false;
    const bool changes = info->float_out && (a->outmod || a->b.mod);
    const bool moves = info->form == MIDGARD_FORM_MOVE && !scalar && !a->immediate && !changes &&
                       a->mode == MIDGARD_MODE_32 && a->shrink == MIDGARD_SHRINK_NONE &&
                       a->b.expand == MIDGARD_PLAIN;
    const bool results = !traits->shared_registers && (a->b.reg | 1) == MIDGARD_R_TEXTURE + 1;
    if (a->b.reg < MIDGARD_R_FORWARD || results)
        memcpy(from, p->reg[results ? a->b.reg - MIDGARD_R_TEXTURE + MIDGARD_R_RESULT : a->b.reg],
               sizeof from);
    for (unsigned c = 0; c < 4; c++) {
        const bool whole = moves && (a->mask >> 2 * c & 3) == 3;
        if (scalar || a->mask >> 2 * c & 3)
            p->reg[a->dest][c] = whole ? from[a->b.swizzle >> 2 * c & 3] : (struct value){UNKNOWN, 0};
    }
    return true;
}

static bool follow(struct passing *p, const struct midgard_insn *i, const struct midgard_traits *traits)
{
    switch (midgard_kind_of(i->tag)) {
    case MIDGARD_LOAD_STORE: return load(p, &i->memory[0]) && load(p, &i->memory[1]);
    case MIDGARD_TEXTURE: return look_up(p, i, traits);
    case MIDGARD_ALU:
        for (unsigned n = 0; n < MIDGARD_ALU_UNITS; n++)
            if (midgard_has(i, (enum midgard_unit)n) && !compute(p, &i->alu[n], (enum midgard_unit)n, traits))
                return false;
        return true;
    default: return false;
    }
}

bool mali_reload_passes(const struct midgard_program *program, uint32_t *varying,
                        struct mali_lookup_key *asked)
{
    struct passing p = {.has_texel = false};
    if (program->insn_count > INSNS_MOST || program->write_count != 1 ||
        program->writes[0].insn != program->insn_count - 1)
        return false;
    for (uint32_t n = 0; n < program->insn_count; n++)
        if (!follow(&p, &program->insns[n], &program->traits))
            return false;
    for (unsigned c = 0; c < 4; c++)
        if (!is(p.reg[0][c], TEXEL, c))
            return false;
    *varying = p.varying;
    *asked = p.asked;
    return true;
}

/* Nearest texels of one level, counted in texels, each a word. */
static bool is_plain(const struct raster_sampler_key *k, const struct raster_image *image)
{
    return k->format == RASTER_R8G8B8A8_UNORM && k->op == RASTER_SAMPLE && k->dim == RASTER_DIM_2D &&
           !k->array && !k->listed && !k->mag_linear && !k->min_linear && !k->compare && k->unnormalized &&
           image->level_count == 1;
}

static bool set_image(const struct mali_frag *f, const struct mali_lookup *l, struct gpu_frame_copied *out)
{
    const struct raster_image_level *level = &l->image.level[0];
    const uint8_t *base = f->world.space->window.base;
    const uint32_t of_tile = 16 * 16 * 4;
    const bool tiled = l->key.layout == RASTER_UTGARD_TILED;
    const uint64_t address = (uint64_t)(uintptr_t)l->image.memory - (uint64_t)(uintptr_t)base + level->offset;
    if (address > UINT32_MAX || (tiled && level->row_stride % of_tile))
        return false;
    out->address = (uint32_t)address;
    out->pitch = tiled ? level->row_stride / of_tile : level->row_stride;
    out->width = level->width;
    out->height = level->height;
    out->layout = l->key.layout;
    out->swizzle = l->key.swizzle;
    return true;
}

/* Where set-up has x and y of the varying. */
static bool set_place(const struct mali_frag *f, uint32_t number, struct gpu_frame_copied *out)
{
    const uint8_t slot = mali_frag_slot_of(f, number);
    const struct mali_frag_slot *s = slot == FRAG_NO_SLOT ? NULL : &f->slot[slot];
    struct mali_frag_descriptor d;
    struct mali_stop unheard;
    if (!s || s->flat || s->count < 2 || !mali_frag_describe(f, number, &d, &unheard) ||
        mali_order(d.order, 0) != 0 || mali_order(d.order, 1) != 1)
        return false;
    out->s = s->first;
    out->t = (uint8_t)(s->first + 1);
    return true;
}

bool mali_reload_copies(const struct mali_frag *f, struct gpu_frame_copied *out)
{
    const struct mali_frag_target *t = &f->target[0];
    struct mali_world *world = (struct mali_world *)(uintptr_t)&f->world; /* whose lookups any thread makes */
    struct mali_stop unheard;
    struct mali_lookup_key asked;
    uint32_t varying;
    if (!f->shader.opaque || !f->has_program || !f->world.program->midgard || !t->written ||
        t->alpha_to_one || !raster_zs_is_idle(&f->zs) || !raster_blend_is_replace(&t->blend) ||
        (t->blend.write_mask & 15) != 15 || !mali_reload_passes(f->world.program->midgard, &varying, &asked))
        return false;
    const struct mali_lookup *lookup = mali_lookup_get(world, &asked, &unheard);
    return lookup && is_plain(&lookup->key, &lookup->image) && set_image(f, lookup, out) &&
           set_place(f, varying, out);
}
