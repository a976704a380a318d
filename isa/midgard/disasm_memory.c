#include <inttypes.h>

#include "isa/midgard/disasm_internal.h"
#include "isa/midgard/names.h"

static void mask(struct isa_text *t, uint8_t bits)
{
    if (bits == 15)
        return;
    isa_put(t, bits ? "." : ".0");
    for (unsigned n = 0; n < 4; n++)
        if (bits >> n & 1)
            isa_put(t, "%c", "xyzw"[n]);
}

static void chosen(struct isa_text *t, uint8_t swizzle)
{
    if (swizzle != 0xe4)
        isa_put(t, "/%c%c%c%c", "xyzw"[swizzle & 3], "xyzw"[swizzle >> 2 & 3], "xyzw"[swizzle >> 4 & 3],
                "xyzw"[swizzle >> 6]);
}

/* ---- loads and stores ---- */

static void argument(struct isa_text *t, uint8_t reg, uint8_t component)
{
    isa_put(t, ", %s.%c", midgard_argument_names[reg & 7], "xyzw"[component & 3]);
}

/* What the class has in the offset. */
static void offset(struct isa_text *t, const struct midgard_memory *m, enum midgard_class class)
{
    switch (class) {
    case MIDGARD_IMAGE_ADDRESS:
    case MIDGARD_ATTRIBUTE:
    case MIDGARD_VARYING:
    case MIDGARD_STORE_VARYING:
    case MIDGARD_IMAGE:
    case MIDGARD_STORE_IMAGE:
    case MIDGARD_SPECIAL:
    case MIDGARD_STORE_SPECIAL:
        isa_put(t, ", %" PRId32 ":%" PRIu32, midgard_offset_index(m), midgard_offset_rest(m));
        break;
    case MIDGARD_UNIFORM:
        isa_put(t, ", %" PRId32 ":%" PRId32, midgard_offset_uniform(m), m->offset & 3);
        break;
    default: isa_put(t, ", %" PRId32, m->offset);
    }
}

static void operation(struct isa_text *t, const struct midgard_memory *m)
{
    static const char *const formats[4] = {"", ".u64", ".u32", ".s32"};
    const struct midgard_memory_info *info = midgard_memory_info(m->op);
    enum midgard_class class = info ? info->class : MIDGARD_MOVE;
    isa_put_part(t);
    isa_put_name(t, &midgard_lists[MIDGARD_MEMORY_OPS], m->op, "ldop");
    if (class == MIDGARD_NOTHING)
        return;
    if (info && midgard_is_store(class) && m->reg < 8)
        isa_put(t, " %s", midgard_argument_names[m->reg]);
    else
        isa_put(t, " r%u", m->reg);
    mask(t, m->mask);
    if (class != MIDGARD_ATOMIC)
        chosen(t, m->swizzle);
    argument(t, m->arg_reg, m->arg_comp);
    isa_put(t, "%s", m->wide ? ".64" : "");
    argument(t, m->index_reg, m->index_comp);
    isa_put(t, "%s", formats[m->index_format]);
    if (m->index_shift)
        isa_put(t, "<<%u", m->index_shift);
    offset(t, m, class);
    if (class == MIDGARD_ATOMIC)
        argument(t, m->swizzle >> 2, m->swizzle);
}

void midgard_put_load_store(struct isa_text *t, const struct midgard_insn *i)
{
    const struct midgard_memory_info *second = midgard_memory_info(i->memory[1].op);
    operation(t, &i->memory[0]);
    if (!second || second->class != MIDGARD_NOTHING)
        operation(t, &i->memory[1]);
}

/* ---- textures ---- */

static void sizes(struct isa_text *t, bool full, bool upper)
{
    isa_put(t, "%s%s", full ? "" : ".half", upper ? ".upper" : "");
}

/* One component of an input register. */
static void selected(struct isa_text *t, uint32_t bits)
{
    struct midgard_texture_register r = midgard_texture_select(bits);
    isa_put(t, "in%u.%c", r.select, "xyzw"[r.swizzle & 3]);
    sizes(t, r.full, r.upper);
}

static void level(struct isa_text *t, const struct midgard_texture *x)
{
    if (!x->lod_register && !x->lod && !x->lod_whole)
        return;
    isa_put_part(t);
    isa_put(t, "lod ");
    if (x->lod_register)
        selected(t, x->lod);
    else
        midgard_put_number(t, x->lod_whole + x->lod / 256.0);
}

static void offsets(struct isa_text *t, const struct midgard_texture *x)
{
    if (!x->offset_register && !x->offset)
        return;
    isa_put_part(t);
    isa_put(t, "offset ");
    if (x->offset_register) {
        struct midgard_texture_register r = midgard_texture_offset(x->offset);
        isa_put(t, "in%u", r.select);
        midgard_put_swizzle(t, r.swizzle);
        sizes(t, r.full, r.upper);
        return;
    }
    for (unsigned n = 0; n < 3; n++)
        isa_put(t, "%s%d", n ? ", " : "", ((x->offset >> 4 * n & 15) ^ 8) - 8);
}

static void request(struct isa_text *t, const struct midgard_texture *x)
{
    static const char *const dimensions[4] = {"cube", "1d", "2d", "3d"};
    static const char *const types[4] = {"t0", "f", "u", "i"};
    static const char *const clamp[4] = {"", ".pos", ".sat1", ".sat"};
    isa_put(t, ".%s.%u.%s%s out%u", dimensions[x->dimensions], x->mode, types[x->sampler_type],
            clamp[x->outmod], x->out_select);
    sizes(t, x->out_full, x->out_upper);
    mask(t, x->mask);
    chosen(t, x->swizzle);
    isa_put(t, ", in%u", x->in.select);
    midgard_put_swizzle(t, x->in.swizzle);
    sizes(t, x->in.full, x->in.upper);
    isa_put(t, ", ");
    if (x->texture_register)
        selected(t, x->texture);
    else
        isa_put(t, "%u", x->texture);
    isa_put(t, ", ");
    if (x->sampler_register)
        selected(t, x->sampler);
    else
        isa_put(t, "%u", x->sampler);
    level(t, x);
    offsets(t, x);
}

void midgard_put_texture(struct isa_text *t, const struct midgard_insn *i)
{
    static const char *const exec[4] = {"none", "skip", "kill", NULL};
    const struct midgard_texture *x = &i->texture;
    bool barrier = x->op == MIDGARD_TEX_BARRIER;
    isa_put_part(t);
    isa_put_name(t, &midgard_lists[MIDGARD_TEXTURE_OPS], x->op, "texop");
    if (!barrier)
        request(t, x);
    if (exec[x->exec]) {
        isa_put_part(t);
        isa_put(t, "exec %s", exec[x->exec]);
    }
    if (x->out_of_order) {
        isa_put_part(t);
        isa_put(t, "ooo %u", x->out_of_order);
    }
    if (i->tag != (barrier ? MIDGARD_TAG_BARRIER : MIDGARD_TAG_TEXTURE)) {
        isa_put_part(t);
        isa_put(t, "as %s", midgard_tag_names[i->tag]);
    }
}
