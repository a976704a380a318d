/* What a program reads and writes. */
#include <errno.h>
#include <stdlib.h>

#include "isa/midgard/flow.h"
#include "isa/midgard/names.h"

static void bit_of(uint64_t *set, bool *any, int64_t n, bool known)
{
    if (known && n >= 0 && n < 64)
        *set |= 1ull << n;
    else
        *any = true;
}

/* ---- bundles ---- */

/* Bytes of its register that a unit writes, two to a bit. */
static uint8_t eighths(enum midgard_unit unit, const struct midgard_alu *u)
{
    if (midgard_is_scalar(unit))
        return u->full ? (uint8_t)(3u << (u->component & 6)) : (uint8_t)(1u << u->component);
    if (u->shrink == MIDGARD_SHRINK_NONE)
        return u->mask;
    uint8_t half = 0;
    for (unsigned n = 0; n < 8; n++)
        half |= (uint8_t)((u->mask >> n & 1) << n / 2);
    return u->shrink == MIDGARD_SHRINK_UPPER ? (uint8_t)(half << 4) : half;
}

uint8_t midgard_writes_r1(const struct midgard_insn *i)
{
    uint8_t written = 0, components = 0;
    for (unsigned u = 0; u < MIDGARD_ALU_UNITS; u++)
        if (midgard_has(i, (enum midgard_unit)u) && i->alu[u].dest == 1)
            written |= eighths((enum midgard_unit)u, &i->alu[u]);
    for (unsigned c = 0; c < 4; c++)
        components |= (uint8_t)((written >> 2 * c & 3 ? 1u : 0u) << c);
    return components;
}

/* r1.z, when one whole move of a constant is all that writes it. */
static uint32_t select_of(const struct midgard_insn *i)
{
    uint32_t out = MIDGARD_NO_SELECT;
    for (unsigned n = 0; n < MIDGARD_ALU_UNITS; n++) {
        enum midgard_unit unit = (enum midgard_unit)n;
        const struct midgard_alu *u = &i->alu[n];
        if (!midgard_has(i, unit) || u->dest != 1 || !(eighths(unit, u) & 0x30))
            continue;
        bool scalar = midgard_is_scalar(unit), moves = u->op == 0x7b;
        bool whole = scalar ? u->full : u->mode == MIDGARD_MODE_32 && u->shrink == MIDGARD_SHRINK_NONE;
        bool plain = u->b.reg == MIDGARD_R_CONSTANT && (scalar ? u->b.full : u->b.expand == MIDGARD_PLAIN);
        if (!moves || !whole || (eighths(unit, u) & 0x30) != 0x30 || out != MIDGARD_NO_SELECT)
            return MIDGARD_NO_SELECT;
        if (u->immediate)
            out = (uint32_t)(int16_t)u->constant;
        else if (plain)
            out = i->constant[scalar ? u->b.component >> 1 : u->b.swizzle >> 4 & 3];
        else
            return MIDGARD_NO_SELECT;
    }
    return out;
}

static int note_write(struct midgard_program *p, uint32_t n)
{
    const struct midgard_insn *i = &p->insns[n];
    struct midgard_write *grown = realloc(p->writes, (p->write_count + 1) * sizeof *grown);
    uint8_t written = midgard_writes_r1(i);
    if (!grown)
        return -ENOMEM;
    p->writes = grown;
    struct midgard_write w = {.insn = n,
                              .depth = written & 1,
                              .stencil = written >> 1 & 1,
                              .has_select = written >> 2 & 1,
                              .select = written >> 2 & 1 ? select_of(i) : 0};
    p->writes[p->write_count++] = w;
    p->depth |= w.depth;
    p->stencil |= w.stencil;
    p->any_target |= w.select == MIDGARD_NO_SELECT;
    if (w.select != MIDGARD_NO_SELECT && w.select != MIDGARD_SELECT_NO_COLOR)
        p->targets |= (uint16_t)(1u << (w.select >> 8 & 15));
    return 0;
}

static void reads(struct midgard_program *p, const struct midgard_source *s)
{
    p->read |= 1u << s->reg;
}

static int note_bundle(struct midgard_program *p, uint32_t n)
{
    const struct midgard_insn *i = &p->insns[n];
    for (unsigned u = 0; u < MIDGARD_ALU_UNITS; u++) {
        const struct midgard_alu *a = &i->alu[u];
        if (!midgard_has(i, (enum midgard_unit)u))
            continue;
        reads(p, &a->a);
        if (!a->immediate)
            reads(p, &a->b);
        p->written |= 1u << a->dest;
    }
    for (unsigned k = 0; k < 2; k++) {
        if (!midgard_has(i, (enum midgard_unit)(MIDGARD_BRANCH + k)))
            continue;
        p->discards |= i->jump[k].op == MIDGARD_DISCARD && i->jump[k].condition;
        if (i->jump[k].op != MIDGARD_WRITEOUT || !i->jump[k].condition)
            continue;
        p->read |= 1u | 1u << 2;
        int status = note_write(p, n);
        if (status)
            return status;
    }
    return 0;
}

/* ---- loads and stores ---- */

static void note_argument(struct midgard_program *p, uint8_t reg)
{
    if (reg <= MIDGARD_A_MEMORY_1)
        p->read |= 1u << (MIDGARD_R_MEMORY + reg);
}

/* Whether an address is in the thread's own storage (README.md, rule 10). */
static bool is_own(const struct midgard_memory *m)
{
    return m->wide && ((m->arg_reg == MIDGARD_A_STORAGE && m->arg_comp == 0) ||
                       (m->arg_reg == MIDGARD_A_COUNTER && m->arg_comp == 2));
}

/* Who asks for a texel's address loads and stores by other instructions. */
static void note_image(struct midgard_program *p, const struct midgard_memory *m, enum midgard_class class)
{
    bool any, known = m->index_reg == MIDGARD_A_ZERO && !(m->index_format >> 1);
    if (class != MIDGARD_STORE_IMAGE)
        bit_of(&p->images, &any, midgard_offset_index(m), known);
    if (class != MIDGARD_IMAGE)
        bit_of(&p->image_stores, &any, midgard_offset_index(m), known);
    p->loads |= class == MIDGARD_IMAGE;
    p->stores |= class == MIDGARD_STORE_IMAGE;
    p->shares |= class == MIDGARD_STORE_IMAGE;
}

static void note_memory(struct midgard_program *p, const struct midgard_memory *m)
{
    const struct midgard_memory_info *info = midgard_memory_info(m->op);
    enum midgard_class class = info ? info->class : MIDGARD_NOTHING;
    bool known = m->index_reg == MIDGARD_A_ZERO;
    if (class == MIDGARD_NOTHING || class == MIDGARD_TRAP)
        return;
    note_argument(p, m->arg_reg);
    note_argument(p, m->index_reg);
    if (midgard_is_store(class))
        note_argument(p, m->reg);
    else
        p->written |= 1u << m->reg;
    switch (class) {
    case MIDGARD_ATTRIBUTE: bit_of(&p->attributes, &p->any_attribute, midgard_offset_index(m), known); break;
    case MIDGARD_VARYING: bit_of(&p->varyings, &p->any_varying, midgard_offset_index(m), known); break;
    case MIDGARD_STORE_VARYING:
        bit_of(&p->varying_stores, &p->any_varying, midgard_offset_index(m), known);
        break;
    case MIDGARD_ATOMIC:
        note_argument(p, m->swizzle >> 2 & 7);
        p->loads = p->stores = p->atomics = true;
        p->shares |= !is_own(m);
        break;
    case MIDGARD_IMAGE:
    case MIDGARD_IMAGE_ADDRESS:
    case MIDGARD_STORE_IMAGE: note_image(p, m, class); break;
    case MIDGARD_LOAD: p->loads = true; break;
    case MIDGARD_STORE:
        p->stores = true;
        p->shares |= !is_own(m);
        break;
    case MIDGARD_TILE: p->reads_tile = true; break;
    case MIDGARD_SPECIAL:
        p->reads_tile |=
            p->traits.tile_by_special && (!known || midgard_offset_index(m) == MIDGARD_SPECIAL_TILE ||
                                          midgard_offset_index(m) == MIDGARD_SPECIAL_TILE_RAW);
        break;
    default: break;
    }
}

/* ---- textures ---- */

static void note_texture(struct midgard_program *p, const struct midgard_insn *i)
{
    const struct midgard_texture *x = &i->texture;
    unsigned in = p->traits.shared_registers ? MIDGARD_R_MEMORY : MIDGARD_R_TEXTURE;
    unsigned out = p->traits.shared_registers ? 0 : MIDGARD_R_TEXTURE;
    p->barriers |= x->op == MIDGARD_TEX_BARRIER;
    if (x->op == MIDGARD_TEX_BARRIER)
        return;
    p->read |= 3u << in;
    p->written |= 1u << (out + x->out_select);
    p->derivatives |=
        x->op == MIDGARD_TEX_DERIVATIVE || (x->op == MIDGARD_TEX && i->tag != MIDGARD_TAG_VERTEX_TEXTURE);
    if (x->op > MIDGARD_TEX_FETCH)
        return;
    bit_of(&p->textures, &p->any_texture, x->texture, !x->texture_register);
    bit_of(&p->samplers, &p->any_texture, x->sampler, !x->sampler_register);
}

int midgard_note_all(struct midgard_program *p)
{
    for (uint32_t n = 0; n < p->insn_count; n++) {
        const struct midgard_insn *i = &p->insns[n];
        switch (midgard_kind_of(i->tag)) {
        case MIDGARD_ALU:
            if (note_bundle(p, n))
                return -ENOMEM;
            break;
        case MIDGARD_LOAD_STORE:
            note_memory(p, &i->memory[0]);
            note_memory(p, &i->memory[1]);
            break;
        default: note_texture(p, i); break;
        }
    }
    return 0;
}
