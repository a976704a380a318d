/* Blend shaders as IR: a program behind the draw's, with colours in r0 and r2, whose writeouts are bits of the
 * tile (frag_ports.c). */
#include <errno.h>

#include "gpu/mali/frag_ir.h"

/* ---- writeouts ---- */

/* A channel of a small format out of the four bytes that a blend shader has; as from_small of frag_ports.c. */
static LLVMValueRef channel(struct jit_builder *b, const struct raster_texel *texel, unsigned c,
                            LLVMValueRef bits)
{
    const unsigned size = texel->channel[c].bits, low = size > 8 ? 2 : 0;
    const bool two = texel->channel[0].bits == 10 && c == 3;
    const unsigned from = two ? 30 : 8 * c + 8 - (size - low);
    LLVMValueRef value = LLVMBuildLShr(b->ir, bits, jit_splat_u32(b, from), "");
    value = LLVMBuildAnd(b->ir, value, jit_splat_u32(b, (1u << (two ? 2 : size - low)) - 1), "");
    if (!low)
        return value;
    LLVMValueRef rest = LLVMBuildLShr(b->ir, bits, jit_splat_u32(b, 24 + 2 * c), "");
    rest = LLVMBuildAnd(b->ir, rest, jit_splat_u32(b, 3), "");
    return LLVMBuildOr(b->ir, LLVMBuildShl(b->ir, value, jit_splat_u32(b, 2), ""), rest, "");
}

static LLVMValueRef from_small(struct jit_builder *b, const struct raster_texel *texel, LLVMValueRef bits)
{
    LLVMValueRef word = jit_splat_u32(b, 0);
    for (unsigned c = 0; c < 4; c++) {
        if (!texel->channel[c].bits)
            continue;
        LLVMValueRef value = channel(b, texel, c, bits);
        value = LLVMBuildShl(b->ir, value, jit_splat_u32(b, texel->channel[c].at), "");
        word = LLVMBuildOr(b->ir, word, value, "");
    }
    return word;
}

/* Words of pixel n among the 128 bits, of formats of 1, 2, 4, 8 or 16 bytes. */
static void plain_words(struct jit_builder *b, const LLVMValueRef bits[4], unsigned n, unsigned bytes,
                        LLVMValueRef word[4])
{
    const unsigned at = n * bytes;
    for (unsigned k = 0; k < (bytes + 3) / 4; k++)
        word[k] = bits[at / 4 + k];
    if (bytes >= 4)
        return;
    word[0] = LLVMBuildLShr(b->ir, word[0], jit_splat_u32(b, at % 4 * 8), "");
    word[0] = LLVMBuildAnd(b->ir, word[0], jit_splat_u32(b, (1u << 8 * bytes) - 1), "");
}

/* The ports' context. */
struct blend {
    struct mali_world_ir world; /* first: the world's ports take it */
    struct mali_frag_ir *e;
    unsigned target;
    LLVMValueRef lanes;
    struct midgard_ir_ports of_draw;
};

static LLVMValueRef writeout(void *ctx, struct jit_builder *b, const struct midgard_ir_writeout *w,
                             LLVMValueRef mask, LLVMValueRef *address)
{
    const struct blend *x = ctx;
    struct mali_frag_ir *e = x->e;
    const struct raster_targets *t = &e->forms->tile;
    const enum raster_format format = (enum raster_format)t->format[x->target];
    const bool plain = mali_targets_is_plain(format);
    const unsigned bytes = plain ? raster_format_bytes(format) : 4, many = 16 / bytes;
    (void)address;
    if (w->write->select == MIDGARD_NO_SELECT) {
        e->refused = true;
        return NULL;
    }
    LLVMValueRef lanes = LLVMBuildAnd(b->ir, mask, x->lanes, "");
    unsigned sample = (w->write->select & 255) * many;
    for (unsigned n = 0; n < many && sample < t->samples; n++, sample++) {
        LLVMValueRef word[4] = {NULL};
        plain_words(b, w->color, n, bytes, word);
        if (!plain)
            word[0] = from_small(b, &raster_texels[format], word[0]);
        raster_output_ir_put(&e->at, b, t, x->target, sample, word,
                             LLVMBuildAnd(b->ir, e->live[sample], lanes, ""));
    }
    return NULL;
}

/* ---- what it reads ---- */

static LLVMValueRef tile(void *ctx, struct jit_builder *b, enum midgard_tile form, uint32_t target,
                         struct isa_ir_number sample, LLVMValueRef mask, LLVMValueRef out[4],
                         LLVMValueRef *address)
{
    const struct blend *x = ctx;
    return x->of_draw.tile(x->e, b, form, target, sample, mask, out, address);
}

static LLVMValueRef special(void *ctx, struct jit_builder *b, struct isa_ir_number selector,
                            enum isa_type type, LLVMValueRef mask, LLVMValueRef out[4], LLVMValueRef *address)
{
    const struct blend *x = ctx;
    return x->of_draw.special(x->e, b, selector, type, mask, out, address);
}

/* ---- the program ---- */

/* Straight programs of colours, constants, uniforms and the tile, as drivers make them; the others are
 * interpreted. What a port calls is the draw's world, which is another. */
static bool is_compiled(const struct midgard_program *p)
{
    return p->straight && !p->loads && !p->stores && !p->textures && !p->any_texture;
}

int mali_frag_ir_blend(struct mali_frag_ir *e, struct jit_builder *b, unsigned t,
                       const struct raster_output_ir *colors, LLVMValueRef lanes)
{
    const struct midgard_program *p = e->variant->shader[t]->midgard;
    const size_t address = offsetof(struct mali_frag_args, shader) + t * sizeof(uint64_t);
    struct blend x = {.world = e->world, .e = e, .target = t, .lanes = lanes};
    struct midgard_ir_input input = {.uniform_count = e->forms->world.uniform_count / 4u,
                                     .address = mali_frag_of_args(e, b, b->i64, address),
                                     .lanes = LLVMConstAllOnes(b->i1x16),
                                     .fuel = jit_i32(b, 0)};
    struct midgard_ir_ports ports;
    struct midgard_ir_state end;
    LLVMValueRef fault;
    if (!is_compiled(p))
        return -ENOTSUP;
    x.world.calls.used = false;
    mali_frag_ir_ports(e, &x.of_draw);
    mali_world_ir_ports(&x.world, &ports);
    ports.tile = tile;
    ports.special = special;
    ports.writeout = writeout;
    for (unsigned c = 0; c < 4; c++) {
        input.reg[0][c] = colors->src[c];
        input.reg[2][c] = colors->src1[c];
    }
    int status = midgard_translate(b, p, &ports, &input, &fault, &end);
    if (status)
        return status;
    if (end.faults || e->refused || x.world.calls.used)
        return -ENOTSUP;
    LLVMValueRef ran = LLVMBuildSelect(b->ir, jit_mask_any(b, lanes), end.executed, jit_i64(b, 0), "");
    e->ran = e->ran ? LLVMBuildAdd(b->ir, e->ran, ran, "") : ran;
    return 0;
}
