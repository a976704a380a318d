/* The ports of the world of Midgard's programs as IR: the same as midgard_ports.c's, bit for bit, written apart. */
#include "fuzz/world/midgard.h"
#include "util/bits.h"

/* The world whose port is at work. */
static LLVMValueRef world;

static LLVMValueRef at(struct jit_builder *b, size_t offset)
{
    return jit_offset_const(b, world, offset);
}
static LLVMValueRef row(struct jit_builder *b, size_t offset, uint32_t n)
{
    return jit_load(b, b->i32x16, at(b, offset + n * 64), 4, false);
}
static LLVMValueRef number(struct jit_builder *b, uint32_t n)
{
    return jit_splat_u32(b, n);
}
static LLVMValueRef xor (struct jit_builder * b, LLVMValueRef x, LLVMValueRef y) {
    return LLVMBuildXor(b->ir, x, y, "");
} static LLVMValueRef left(struct jit_builder *b, LLVMValueRef x, uint32_t by)
{
    return LLVMBuildShl(b->ir, x, number(b, by), "");
}
static LLVMValueRef right(struct jit_builder *b, LLVMValueRef x, uint32_t by)
{
    return LLVMBuildLShr(b->ir, x, number(b, by), "");
}
static LLVMValueRef lanes_of(struct jit_builder *b, struct isa_ir_number n)
{
    return n.lanes ? n.lanes : number(b, n.known);
}

/* Lanes for which a number is not below `size`, or NULL where that cannot be; those have 0 then. */
static LLVMValueRef outside(struct jit_builder *b, LLVMValueRef *value, uint32_t size)
{
    LLVMValueRef in = LLVMBuildICmp(b->ir, LLVMIntULT, *value, number(b, size), "");
    *value = jit_select(b, in, *value, number(b, 0));
    return in == LLVMConstAllOnes(b->i1x16) ? NULL : LLVMBuildNot(b->ir, in, "");
}

/* Word `word` of what begins at `offset`, by rows of sixteen words, each lane's own; rows `n` times `step`. */
static LLVMValueRef place(struct jit_builder *b, LLVMValueRef n, uint32_t step, uint32_t word)
{
    LLVMValueRef out = LLVMBuildMul(b->ir, n, number(b, step * 64), "");
    out = LLVMBuildAdd(b->ir, out, number(b, word * 64), "");
    return LLVMBuildAdd(b->ir, out, left(b, jit_lane_ids(b), 2), "");
}

/* ---- attributes ---- */

static LLVMValueRef asked(struct jit_builder *b, const struct isa_ir_attribute *a, unsigned c)
{
    LLVMValueRef out =
        number(b, (uint32_t)a->type << 28 ^ (uint32_t)a->any_type << 27 ^ (uint32_t)a->interpolation << 16);
    if (a->position)
        out = xor(b, out, left(b, a->position, 8));
    if (a->vertex)
        out = xor(b, out, a->vertex);
    return a->coordinate[c] ? xor(b, out, a->coordinate[c]) : out;
}

static LLVMValueRef attribute(void *ctx, struct jit_builder *b, const struct isa_ir_attribute *a,
                              LLVMValueRef mask, LLVMValueRef out[4], LLVMValueRef *address)
{
    world = ctx;
    LLVMValueRef n = lanes_of(b, a->index), missing = outside(b, &n, TABLE);
    size_t table = offsetof(struct world_midgard, table) + (a->secondary ? TABLE * 256 : 0);
    for (unsigned c = 0; c < 4; c++)
        out[c] = xor(b, jit_gather_u32(b, at(b, table), place(b, n, 4, c), mask), asked(b, a, c));
    return missing;
}

/* Where nothing is there, nothing is stored, nor in lanes before it: the program has faulted. */
static LLVMValueRef all_or_none(struct jit_builder *b, LLVMValueRef mask, LLVMValueRef missing)
{
    if (!missing)
        return mask;
    LLVMValueRef some = jit_mask_any(b, LLVMBuildAnd(b->ir, mask, missing, ""));
    return LLVMBuildAnd(b->ir, mask, LLVMBuildNot(b->ir, jit_splat(b, some), ""), "");
}

static LLVMValueRef store_attribute(void *ctx, struct jit_builder *b, const struct isa_ir_attribute *a,
                                    LLVMValueRef mask, const LLVMValueRef value[4], LLVMValueRef *address)
{
    world = ctx;
    LLVMValueRef n = lanes_of(b, a->index), missing = outside(b, &n, TABLE);
    mask = all_or_none(b, mask, missing);
    for (unsigned c = 0; c < 4; c++) {
        LLVMValueRef word = xor(b, value[c], asked(b, a, c));
        word = xor(b, word, number(b, (uint32_t)a->secondary << 26));
        jit_scatter_u32(b, at(b, offsetof(struct world_midgard, stored)), place(b, n, 4, c), word, mask);
    }
    return missing;
}

static LLVMValueRef image_address(void *ctx, struct jit_builder *b, const struct isa_ir_attribute *a,
                                  LLVMValueRef mask, LLVMValueRef *out, LLVMValueRef *address)
{
    world = ctx;
    LLVMValueRef n = lanes_of(b, a->index), missing = outside(b, &n, TABLE);
    n = LLVMBuildAdd(b->ir, left(b, n, 6), a->coordinate[0], "");
    n = LLVMBuildAnd(b->ir, n, number(b, MEMORY - 16), "");
    *out = LLVMBuildZExt(b->ir, n, b->i64x16, "");
    return missing;
}

/* ---- memory, byte by byte ---- */

/* The world's address of each lane, where `mask` holds; else of bytes that nobody looks at. */
static void pointers(struct jit_builder *b, size_t offset, LLVMValueRef n, LLVMValueRef mask,
                     LLVMValueRef out[16])
{
    LLVMValueRef base = at(b, offset), spare = jit_alloca(b, LLVMArrayType2(b->i8, 16), "spare");
    for (unsigned l = 0; l < 16; l++) {
        LLVMValueRef lane = jit_i32(b, l);
        LLVMValueRef here = jit_offset(b, base, LLVMBuildExtractElement(b->ir, n, lane, ""));
        out[l] = LLVMBuildSelect(b->ir, LLVMBuildExtractElement(b->ir, mask, lane, ""), here, spare, "");
    }
}

static void load_bytes(struct jit_builder *b, size_t offset, LLVMValueRef n, LLVMValueRef mask,
                       unsigned bytes, LLVMValueRef out[4])
{
    LLVMValueRef from[16];
    unsigned width = UTIL_MIN(bytes, 4u);
    LLVMTypeRef type = LLVMIntTypeInContext(b->context, width * 8);
    pointers(b, offset, n, mask, from);
    for (unsigned c = 0; c < 4; c++) {
        out[c] = number(b, 0);
        for (unsigned l = 0; l < 16 && c * 4 < bytes; l++) {
            LLVMValueRef word = jit_load(b, type, jit_offset_const(b, from[l], c * 4), 1, false);
            word = width < 4 ? LLVMBuildZExt(b->ir, word, b->i32, "") : word;
            out[c] = LLVMBuildInsertElement(b->ir, out[c], word, jit_i32(b, l), "");
        }
    }
}

static LLVMValueRef uniform(void *ctx, struct jit_builder *b, const struct isa_ir_uniform *u,
                            LLVMValueRef mask, LLVMValueRef out[4], LLVMValueRef *address)
{
    world = ctx;
    LLVMValueRef buffer = lanes_of(b, u->buffer), offset = lanes_of(b, u->offset), n;
    LLVMValueRef none = LLVMConstNull(b->i1x16);
    bool known = !u->buffer.lanes && !u->offset.lanes && u->buffer.known < BUFFERS &&
                 u->offset.known <= BUFFER_BYTES - u->bytes && u->bytes >= 4;
    for (unsigned c = 0; known && c < 4; c++) {
        size_t first = offsetof(struct world_midgard, buffer) + u->buffer.known * BUFFER_BYTES;
        out[c] = c * 4 < u->bytes ? jit_load(b, b->i32, at(b, first + u->offset.known + c * 4), 1, true)
                                  : jit_i32(b, 0);
    }
    if (known)
        return NULL;
    LLVMValueRef missing[2] = {outside(b, &buffer, BUFFERS),
                               outside(b, &offset, BUFFER_BYTES - u->bytes + 1)};
    n = LLVMBuildAdd(b->ir, LLVMBuildMul(b->ir, buffer, number(b, BUFFER_BYTES), ""), offset, "");
    load_bytes(b, offsetof(struct world_midgard, buffer), n, mask, u->bytes, out);
    /* buffers are looked at in all lanes, then offsets */
    LLVMValueRef first = missing[0] ? LLVMBuildAnd(b->ir, missing[0], mask, "") : none;
    LLVMValueRef some = jit_splat(b, jit_mask_any(b, first));
    return LLVMBuildOr(b->ir, first,
                       LLVMBuildAnd(b->ir, missing[1] ? missing[1] : none, LLVMBuildNot(b->ir, some, ""), ""),
                       "");
}

/* Addresses as offsets; lanes for which nothing is there. */
static LLVMValueRef reaches(struct jit_builder *b, const struct isa_ir_access *a, LLVMValueRef *n,
                            LLVMValueRef *address)
{
    LLVMValueRef last = jit_splat(b, jit_i64(b, (uint64_t)MEMORY - a->bytes));
    *n = LLVMBuildTrunc(b->ir, a->address, b->i32x16, "");
    *address = a->address;
    return LLVMBuildICmp(b->ir, LLVMIntUGT, a->address, last, "");
}

static size_t memory_of(const struct isa_ir_access *a)
{
    return offsetof(struct world_midgard, memory) + (size_t)a->space * MEMORY;
}

static LLVMValueRef load(void *ctx, struct jit_builder *b, const struct isa_ir_access *a, LLVMValueRef mask,
                         LLVMValueRef out[4], LLVMValueRef *address)
{
    world = ctx;
    LLVMValueRef n, missing = reaches(b, a, &n, address);
    load_bytes(b, memory_of(a), n, LLVMBuildAnd(b->ir, mask, LLVMBuildNot(b->ir, missing, ""), ""), a->bytes,
               out);
    return missing;
}

static LLVMValueRef store(void *ctx, struct jit_builder *b, const struct isa_ir_access *a, LLVMValueRef mask,
                          const LLVMValueRef value[4], LLVMValueRef *address)
{
    world = ctx;
    LLVMValueRef n, missing = reaches(b, a, &n, address), to[16];
    pointers(b, memory_of(a), n, all_or_none(b, mask, missing), to);
    for (unsigned l = 0; l < 16; l++)
        for (unsigned k = 0; k < a->bytes; k++) {
            LLVMValueRef byte = LLVMBuildExtractElement(b->ir, value[k / 4], jit_i32(b, l), "");
            byte = LLVMBuildLShr(b->ir, byte, jit_i32(b, k % 4 * 8), "");
            if (a->enable >> k & 1)
                jit_store(b, LLVMBuildTrunc(b->ir, byte, b->i8, ""), jit_offset_const(b, to[l], k), 1);
        }
    return missing;
}

static LLVMValueRef reversed(struct jit_builder *b, LLVMValueRef x, bool reverse)
{
    LLVMTypeRef type = LLVMTypeOf(x);
    return reverse ? jit_intrinsic(b, "llvm.bswap", &type, 1, &x, 1) : x;
}

static LLVMValueRef changed(struct jit_builder *b, enum isa_atomic op, LLVMValueRef old, LLVMValueRef value,
                            LLVMValueRef compare)
{
    static const LLVMIntPredicate keeps[] = {[ISA_ATOMIC_IMIN] = LLVMIntSLT,
                                             [ISA_ATOMIC_UMIN] = LLVMIntULT,
                                             [ISA_ATOMIC_IMAX] = LLVMIntSGT,
                                             [ISA_ATOMIC_UMAX] = LLVMIntUGT};
    switch (op) {
    case ISA_ATOMIC_ADD: return LLVMBuildAdd(b->ir, old, value, "");
    case ISA_ATOMIC_AND: return LLVMBuildAnd(b->ir, old, value, "");
    case ISA_ATOMIC_OR: return LLVMBuildOr(b->ir, old, value, "");
    case ISA_ATOMIC_XOR: return LLVMBuildXor(b->ir, old, value, "");
    case ISA_ATOMIC_EXCHANGE: return value;
    case ISA_ATOMIC_COMPARE_EXCHANGE:
        return LLVMBuildSelect(b->ir, LLVMBuildICmp(b->ir, LLVMIntEQ, old, compare, ""), value, old, "");
    default: return LLVMBuildSelect(b->ir, LLVMBuildICmp(b->ir, keeps[op], old, value, ""), old, value, "");
    }
}

/* A lane's operand, of four or eight bytes. */
static LLVMValueRef operand(struct jit_builder *b, const LLVMValueRef words[2], unsigned lane, unsigned bytes)
{
    LLVMValueRef low = LLVMBuildExtractElement(b->ir, words[0], jit_i32(b, lane), "");
    LLVMValueRef high = LLVMBuildExtractElement(b->ir, words[1], jit_i32(b, lane), "");
    if (bytes == 4)
        return low;
    high = LLVMBuildShl(b->ir, LLVMBuildZExt(b->ir, high, b->i64, ""), jit_i64(b, 32), "");
    return LLVMBuildOr(b->ir, LLVMBuildZExt(b->ir, low, b->i64, ""), high, "");
}

static LLVMValueRef atomic(void *ctx, struct jit_builder *b, const struct isa_ir_access *a, LLVMValueRef mask,
                           const LLVMValueRef value[2], const LLVMValueRef compare[2], LLVMValueRef out[2],
                           LLVMValueRef *address)
{
    world = ctx;
    LLVMValueRef n, missing = reaches(b, a, &n, address), place_of[16];
    LLVMTypeRef type = a->bytes == 8 ? b->i64 : b->i32;
    pointers(b, memory_of(a), n, all_or_none(b, mask, missing), place_of);
    for (unsigned l = 0; l < 16; l++) {
        LLVMValueRef old = reversed(b, jit_load(b, type, place_of[l], 1, false), a->reversed), high;
        LLVMValueRef new =
            changed(b, a->op, old, operand(b, value, l, a->bytes), operand(b, compare, l, a->bytes));
        jit_store(b, reversed(b, new, a->reversed), place_of[l], 1);
        old = a->bytes == 8 ? old : LLVMBuildZExt(b->ir, old, b->i64, "");
        high = LLVMBuildTrunc(b->ir, LLVMBuildLShr(b->ir, old, jit_i64(b, 32), ""), b->i32, "");
        old = LLVMBuildTrunc(b->ir, old, b->i32, "");
        out[0] = LLVMBuildInsertElement(b->ir, out[0], old, jit_i32(b, l), "");
        out[1] = LLVMBuildInsertElement(b->ir, out[1], high, jit_i32(b, l), "");
    }
    return missing;
}

/* ---- the rest ---- */

static void argument(void *ctx, struct jit_builder *b, enum midgard_argument which, LLVMValueRef out[4])
{
    world = ctx;
    for (unsigned c = 0; c < 4; c++)
        out[c] = row(b, offsetof(struct world_midgard, argument), which * 4u + c);
}

static LLVMValueRef special(void *ctx, struct jit_builder *b, struct isa_ir_number selector,
                            enum isa_type type, LLVMValueRef mask, LLVMValueRef out[4], LLVMValueRef *address)
{
    world = ctx;
    LLVMValueRef n = lanes_of(b, selector), missing = outside(b, &n, SELECTORS), word, entry;
    entry = LLVMBuildAnd(b->ir, n, number(b, TABLE - 1), "");
    for (unsigned c = 0; c < 4; c++) {
        word = jit_gather_u32(b, at(b, offsetof(struct world_midgard, table)), place(b, entry, 4, c), mask);
        out[c] = xor(b, xor(b, word, n), number(b, (uint32_t)type << 28));
    }
    return missing;
}

static LLVMValueRef of_tile(struct jit_builder *b, enum midgard_tile form, uint32_t target,
                            struct isa_ir_number sample)
{
    return xor(b, lanes_of(b, sample), number(b, (uint32_t)form << 28 ^ target << 20));
}

static LLVMValueRef tile(void *ctx, struct jit_builder *b, enum midgard_tile form, uint32_t target,
                         struct isa_ir_number sample, LLVMValueRef mask, LLVMValueRef out[4],
                         LLVMValueRef *address)
{
    world = ctx;
    for (unsigned c = 0; c < 4; c++)
        out[c] = xor(b, row(b, offsetof(struct world_midgard, tile), (target & 7) * 4 + c),
                     of_tile(b, form, target, sample));
    return NULL;
}

static void keep(struct jit_builder *b, size_t offset, uint32_t n, LLVMValueRef value, LLVMValueRef mask)
{
    jit_store(b, jit_select(b, mask, value, row(b, offset, n)), at(b, offset + n * 64), 4);
}

static LLVMValueRef store_tile(void *ctx, struct jit_builder *b, enum midgard_tile form, uint32_t target,
                               struct isa_ir_number sample, LLVMValueRef mask, const LLVMValueRef value[4],
                               LLVMValueRef *address)
{
    world = ctx;
    for (unsigned c = 0; c < 4; c++)
        keep(b, offsetof(struct world_midgard, tile), (target & 7) * 4 + c,
             xor(b, value[c], of_tile(b, form, target, sample)), mask);
    return NULL;
}

static LLVMValueRef pack(void *ctx, struct jit_builder *b, bool unpack, enum isa_type type, uint32_t format,
                         const LLVMValueRef in[4], LLVMValueRef mask, LLVMValueRef out[4],
                         LLVMValueRef *address)
{
    world = ctx;
    for (unsigned c = 0; c < 4; c++)
        out[c] = xor(b, in[c], number(b, format ^ (uint32_t)type << 28 ^ (uint32_t)unpack << 27));
    return NULL;
}

static void cube(void *ctx, struct jit_builder *b, const LLVMValueRef direction[3], LLVMValueRef out[2])
{
    world = ctx;
    out[0] = xor(b, direction[0], right(b, direction[2], 1));
    out[1] = direction[1];
}

static LLVMValueRef flipped(struct jit_builder *b, LLVMValueRef x, uint32_t flip)
{
    uint32_t from[16];
    for (uint32_t l = 0; l < 16; l++)
        from[l] = l ^ flip;
    return LLVMBuildShuffleVector(b->ir, x, LLVMGetPoison(b->i32x16), jit_vector_u32(b, from), "");
}

static LLVMValueRef texture(void *ctx, struct jit_builder *b, const struct isa_ir_texture *r,
                            LLVMValueRef mask, LLVMValueRef out[4], LLVMValueRef *address)
{
    world = ctx;
    uint32_t kind = (uint32_t)r->op << 28 ^ (uint32_t)r->mode << 24 ^ (uint32_t)r->dimensions << 22 ^
                    (uint32_t)r->sampler_type << 20 ^ (uint32_t)r->derivatives << 19;
    LLVMValueRef with[4] = {lanes_of(b, r->texture), lanes_of(b, r->sampler), r->lod};
    with[3] = xor(b, xor(b, r->offset[0], left(b, r->offset[1], 8)), left(b, r->offset[2], 16));
    for (unsigned c = 0; c < 4; c++) {
        LLVMValueRef x = r->coordinate[c];
        out[c] = xor(b, xor(b, x, number(b, kind)), with[c]);
        if (r->derivatives)
            out[c] = xor(b, out[c], xor(b, flipped(b, x, 1), right(b, flipped(b, x, 2), 1)));
    }
    return NULL;
}

static LLVMValueRef writeout(void *ctx, struct jit_builder *b, const struct midgard_ir_writeout *what,
                             LLVMValueRef mask, LLVMValueRef *address)
{
    world = ctx;
    size_t offset = offsetof(struct world_midgard, written);
    const struct midgard_write *w = what->write;
    LLVMValueRef one = number(b, 1), x;
    for (unsigned c = 0; c < 4; c++) {
        x = xor(b, left(b, row(b, offset, c), 1), xor(b, what->color[c], right(b, what->second[c], 1)));
        keep(b, offset, c, x, mask);
    }
    x = xor(b, row(b, offset, 4), xor(b, what->select, number(b, (uint32_t)w->has_select << 31)));
    keep(b, offset, 4, x, mask);
    keep(b, offset, 5, xor(b, row(b, offset, 5), w->depth ? what->depth : one), mask);
    keep(b, offset, 6, xor(b, row(b, offset, 6), w->stencil ? what->stencil : one), mask);
    keep(b, offset, 7, LLVMBuildAdd(b->ir, row(b, offset, 7), one, ""), mask);
    return NULL;
}

static LLVMValueRef uniform_register(void *ctx, struct jit_builder *b, uint32_t n, unsigned c)
{
    world = ctx;
    return jit_load(b, b->i32, at(b, offsetof(struct world_midgard, uniform) + (n * 4 + c) * 4), 4, true);
}

const struct midgard_ir_ports world_midgard_ir_ports = {.attribute = attribute,
                                                        .varying = attribute,
                                                        .store_varying = store_attribute,
                                                        .image = attribute,
                                                        .store_image = store_attribute,
                                                        .image_address = image_address,
                                                        .uniform = uniform,
                                                        .load = load,
                                                        .store = store,
                                                        .atomic = atomic,
                                                        .argument = argument,
                                                        .special = special,
                                                        .tile = tile,
                                                        .store_tile = store_tile,
                                                        .pack = pack,
                                                        .cube = cube,
                                                        .texture = texture,
                                                        .writeout = writeout,
                                                        .uniform_register = uniform_register};
