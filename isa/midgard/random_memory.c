#include "isa/midgard/names.h"
#include "isa/midgard/random_internal.h"
#include "util/bits.h"

/* ---- loads and stores ---- */

static bool is_attribute(enum midgard_class class)
{
    return class == MIDGARD_ATTRIBUTE || class == MIDGARD_VARYING || class == MIDGARD_STORE_VARYING ||
           class == MIDGARD_IMAGE || class == MIDGARD_STORE_IMAGE || class == MIDGARD_IMAGE_ADDRESS;
}

static bool is_addressed(enum midgard_class class)
{
    return class == MIDGARD_LOAD || class == MIDGARD_STORE || class == MIDGARD_ATOMIC;
}

/* Whether the profile has the class; what faults by itself seldom. */
static bool wanted(struct midgard_maker *m, enum midgard_class class)
{
    bool effects = is_addressed(class) || class == MIDGARD_STORE_IMAGE || class == MIDGARD_STORE_TILE;
    if (class == MIDGARD_NOTHING)
        return midgard_one_in(m, 3);
    if (class == MIDGARD_TRAP || class == MIDGARD_STORE_SPECIAL)
        return m->profile == MIDGARD_RANDOM_FULL && midgard_one_in(m, 3);
    return !effects || m->profile == MIDGARD_RANDOM_FULL;
}

static uint8_t some_argument(struct midgard_maker *m)
{
    return (uint8_t)(midgard_one_in(m, 2) ? midgard_below(m, 2) : midgard_below(m, 8));
}

/* An address that a small memory has: an index of AL0, which was made small before. */
static void make_address(struct midgard_maker *m, struct midgard_memory *x)
{
    static const uint8_t bases[][2] = {{MIDGARD_A_ZERO, 0},
                                       {MIDGARD_A_ZERO, 2},
                                       {MIDGARD_A_STORAGE, 0},
                                       {MIDGARD_A_STORAGE, 2},
                                       {MIDGARD_A_COUNTER, 2}};
    uint32_t base = midgard_below(m, UTIL_ARRAY_SIZE(bases));
    x->arg_reg = bases[base][0];
    x->arg_comp = bases[base][1];
    x->wide = true;
    x->index_reg = MIDGARD_A_MEMORY_0;
    x->index_comp = (uint8_t)midgard_below(m, 4);
    x->index_format = (uint8_t)(MIDGARD_INDEX_U32 + midgard_below(m, 2));
    x->index_shift = (uint8_t)(midgard_one_in(m, 2) ? midgard_below(m, 2) : 0);
    x->offset = (int32_t)midgard_below(m, 64);
    if (midgard_one_in(m, 4)) {
        x->arg_reg = MIDGARD_A_MEMORY_0;
        x->wide = false;
        x->index_reg = MIDGARD_A_ZERO;
    }
    if (midgard_one_in(m, 40)) {
        x->index_reg = some_argument(m);
        x->index_format = (uint8_t)(1 + midgard_below(m, 3));
        x->offset = (int32_t)midgard_below(m, 1u << 18) - (1 << 17);
    }
}

/* Indices are small, and mostly known. */
static void make_index(struct midgard_maker *m, struct midgard_memory *x, enum midgard_class class)
{
    bool known = !midgard_one_in(m, 20);
    x->index_reg = known ? MIDGARD_A_ZERO : MIDGARD_A_MEMORY_0;
    x->index_comp = (uint8_t)midgard_below(m, 4);
    x->index_shift = (uint8_t)(midgard_one_in(m, 6) ? midgard_below(m, 16) : 0);
    x->arg_reg = midgard_one_in(m, 2) ? MIDGARD_A_ZERO : some_argument(m);
    x->arg_comp = (uint8_t)midgard_below(m, 4);
    x->wide = midgard_one_in(m, 3);
    x->index_format = (uint8_t)midgard_below(m, 4);
    if (is_attribute(class) || class == MIDGARD_SPECIAL || class == MIDGARD_STORE_SPECIAL)
        x->offset =
            (int32_t)(midgard_below(m, class == MIDGARD_SPECIAL ? 100 : 8) << 9 | midgard_below(m, 512));
    else
        x->offset = (int32_t)midgard_below(m, 512);
    if (class == MIDGARD_UNIFORM && !midgard_one_in(m, 16)) { /* a buffer that there is */
        x->arg_reg = 0;
        x->wide = false;
        x->index_format = 0;
        x->offset &= ~1;
    }
    if (midgard_one_in(m, 100))
        x->offset = (int32_t)midgard_below(m, 1u << 18) - (1 << 17);
}

static void make_operation(struct midgard_maker *m, struct midgard_memory *x)
{
    const struct midgard_memory_info *info;
    do {
        x->op = (uint8_t)midgard_below(m, 256);
        info = midgard_memory_info(x->op);
    } while (!info || !wanted(m, info->class));
    if (info->class == MIDGARD_NOTHING)
        return;
    x->mask = midgard_one_in(m, 2) ? 15 : (uint8_t)midgard_below(m, 16);
    x->swizzle = midgard_one_in(m, 2) ? 0xe4 : (uint8_t)midgard_below(m, 256);
    x->reg = midgard_is_store(info->class) ? some_argument(m)
             : midgard_one_in(m, 3)        ? (uint8_t)(MIDGARD_R_MEMORY + midgard_below(m, 4))
                                           : midgard_some_register(m);
    if (is_addressed(info->class) || info->class == MIDGARD_ADDRESS)
        make_address(m, x);
    else
        make_index(m, x, info->class);
    if (info->class == MIDGARD_ATOMIC)
        x->swizzle = (uint8_t)(some_argument(m) << 2 | midgard_below(m, 4));
    if (info->class == MIDGARD_TILE || info->class == MIDGARD_STORE_TILE) {
        static const uint8_t targets[] = {0, 0, 1, 3, 7, 30, 31};
        uint8_t target = targets[midgard_below(m, UTIL_ARRAY_SIZE(targets))];
        x->index_comp = target & 3;
        x->index_reg = target >> 2;
    }
}

void midgard_make_memory(struct midgard_maker *m, struct midgard_insn *i)
{
    i->tag = MIDGARD_TAG_LOAD_STORE;
    make_operation(m, &i->memory[0]);
    make_operation(m, &i->memory[1]);
}

/* ---- textures ---- */

static void make_handles(struct midgard_maker *m, struct midgard_texture *x)
{
    x->texture_register = midgard_one_in(m, 3);
    x->sampler_register = midgard_one_in(m, 3);
    x->lod_register = midgard_one_in(m, 3);
    x->offset_register = midgard_one_in(m, 4);
    x->texture =
        (uint16_t)(x->texture_register || midgard_one_in(m, 2) ? midgard_below(m, 32) : midgard_below(m, 4));
    x->sampler =
        (uint16_t)(x->sampler_register || midgard_one_in(m, 2) ? midgard_below(m, 32) : midgard_below(m, 4));
    if (x->lod_register)
        x->lod = (uint8_t)midgard_below(m, 32);
    else if (midgard_one_in(m, 2)) {
        x->lod = (uint8_t)midgard_below(m, 256);
        x->lod_whole = (int8_t)((int)midgard_below(m, 16) - 8);
    }
    x->offset = (uint16_t)(x->offset_register     ? midgard_below(m, 1u << 11)
                           : midgard_one_in(m, 3) ? midgard_below(m, 1u << 12)
                                                  : 0);
}

void midgard_make_texture(struct midgard_maker *m, struct midgard_insn *i)
{
    static const uint8_t ops[] = {
        MIDGARD_TEX,       MIDGARD_TEX,     MIDGARD_TEX_LOD,        MIDGARD_TEX_LOD,
        MIDGARD_TEX_FETCH, MIDGARD_TEX_MOV, MIDGARD_TEX_DERIVATIVE, MIDGARD_TEX_DERIVATIVE};
    static const uint8_t modes[] = {
        MIDGARD_TEX_PLAIN, MIDGARD_TEX_SHADOW, MIDGARD_TEX_GATHER_SHADOW, 8, 9, 10, 11};
    struct midgard_texture *x = &i->texture;
    x->op = midgard_one_in(m, 100) ? (midgard_one_in(m, 2) ? MIDGARD_TEX_GRADIENT : MIDGARD_TEX_GRADIENT_OF)
                                   : ops[midgard_below(m, UTIL_ARRAY_SIZE(ops))];
    x->exec = (uint8_t)(midgard_one_in(m, 8) ? 1 + midgard_below(m, 3) : MIDGARD_EXEC_ALL);
    if (midgard_one_in(m, 30)) {
        i->tag = MIDGARD_TAG_BARRIER;
        *x = (struct midgard_texture){.op = MIDGARD_TEX_BARRIER, .exec = MIDGARD_EXEC_ALL};
        return;
    }
    bool vertex = x->op != MIDGARD_TEX_DERIVATIVE && midgard_one_in(m, 4);
    i->tag = vertex ? MIDGARD_TAG_VERTEX_TEXTURE : MIDGARD_TAG_TEXTURE;
    x->mode = x->op == MIDGARD_TEX_DERIVATIVE ? (uint8_t)midgard_below(m, 2)
              : midgard_one_in(m, 2)          ? MIDGARD_TEX_PLAIN
                                              : modes[midgard_below(m, UTIL_ARRAY_SIZE(modes))];
    x->dimensions = (uint8_t)midgard_below(m, 4);
    x->in = (struct midgard_texture_register){.full = !midgard_one_in(m, 4), .select = midgard_one_in(m, 2)};
    x->in.upper = !x->in.full && midgard_one_in(m, 2);
    x->in.swizzle = midgard_one_in(m, 2) ? 0xe4 : (uint8_t)midgard_below(m, 256);
    x->out_full = !midgard_one_in(m, 4);
    x->out_select = midgard_one_in(m, 2);
    x->out_upper = !x->out_full && midgard_one_in(m, 2);
    x->sampler_type = (uint8_t)(x->op == MIDGARD_TEX_MOV ? 0 : 1 + midgard_below(m, 3));
    x->mask = midgard_one_in(m, 2) ? 15 : (uint8_t)midgard_below(m, 16);
    x->outmod = (uint8_t)(midgard_one_in(m, 3) ? midgard_below(m, 4) : 0);
    x->swizzle = midgard_one_in(m, 2) ? 0xe4 : (uint8_t)midgard_below(m, 256);
    x->out_of_order = (uint8_t)(midgard_one_in(m, 4) ? midgard_below(m, 16) : 0);
    make_handles(m, x);
}
