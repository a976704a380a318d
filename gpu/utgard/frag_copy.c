/* Programs that only pass texels on, one to each pixel, as drivers reload a frame: what they draw is known
 * without running them. The bytes are the nearest texel's, which arithmetic in halves or singles does not
 * change (frag_colors.c). */
#include "gpu/frame.h"
#include "gpu/utgard/frag_internal.h"

static bool is_texel(const struct utgard_pp_vector *v)
{
    return v->reg == UTGARD_PP_R_TEXTURE && v->swizzle == 0xe4 && !v->absolute && !v->negate;
}

/* Whether the instruction is no more than a texel at a varying place, as it is, into the colour's register.
 */
static bool passes_texel(const struct utgard_pp_insn *i, uint8_t color)
{
    const uint16_t reads = 1 << UTGARD_PP_VARYING | 1 << UTGARD_PP_SAMPLER;
    bool from_plane =
        i->varying.type == UTGARD_PP_VARYING_PLANE && !i->varying.perspective && i->varying.vector == 15;

    if (!i->stop || !from_plane || i->sampler.type != UTGARD_PP_SAMPLER_2D || i->sampler.has_lod ||
        i->sampler.has_offset)
        return false;
    if (i->fields == (reads | 1 << UTGARD_PP_VMUL))
        return i->vmul.op == UTGARD_PP_MUL_MOV && is_texel(&i->vmul.a) && i->vmul.dest == color &&
               i->vmul.mask == 15 && i->vmul.mod == UTGARD_PP_MOD_NONE;
    if (i->fields == (reads | 1 << UTGARD_PP_VADD))
        return i->vadd.op == UTGARD_PP_ADD_MOV && !i->vadd.mul_in && is_texel(&i->vadd.a) &&
               i->vadd.dest == color && i->vadd.mask == 15 && i->vadd.mod == UTGARD_PP_MOD_NONE;
    return false;
}

/* Nearest texels of one level, counted in texels, of four bytes in the place of the colour's. */
static bool is_plain(const struct utgard_texture_key *key, const struct raster_texture *texture)
{
    const struct raster_texture_key *r = &key->raster;

    return key->texel == UTGARD_TEXEL_8888 && r->format == RASTER_R8G8B8A8_UNORM && r->unnormalized &&
           !r->mag_linear && !r->min_linear && !r->cube && !r->volume && !r->flip_y &&
           texture->level_count == 1;
}

bool utgard_frag_copies(const struct utgard_frag *frag, struct gpu_frame_copied *out)
{
    const struct utgard_pp_insn *insn = frag->program->insns;
    uint32_t component;

    if (!frag->shader.opaque || !raster_zs_is_idle(&frag->head.zs) ||
        (frag->head.blend.write_mask & 15) != 15 || frag->program->insn_count != 1 ||
        !passes_texel(insn, frag->head.color_register) || !is_plain(&frag->keys[0], &frag->textures[0]))
        return false;
    component = insn->varying.index * utgard_pp_width(insn->varying.align);
    if (component + 1 >= UTGARD_COMPONENTS || frag->head.vary[component] == UTGARD_NO_VARYING ||
        frag->head.vary[component + 1] == UTGARD_NO_VARYING)
        return false;
    const struct raster_level *level = &frag->textures[0].level[0];
    *out = (struct gpu_frame_copied){.address = level->offset,
                                     .pitch = level->stride,
                                     .width = level->width,
                                     .height = level->height,
                                     .layout = (uint8_t)level->layout,
                                     .swizzle = frag->keys[0].swizzle,
                                     .s = frag->head.vary[component],
                                     .t = frag->head.vary[component + 1]};
    return true;
}
