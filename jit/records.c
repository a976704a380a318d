/* Sixteen records of a few words, each at an address of its own, from and to lanes: loads and stores of whole
 * records, and a transposition in registers. */
#include "jit/builder.h"

static LLVMValueRef shuffle(struct jit_builder *b, LLVMValueRef x, LLVMValueRef y, const uint32_t *order,
                            unsigned count)
{
    LLVMValueRef lanes[16];

    for (unsigned n = 0; n < count; n++)
        lanes[n] = jit_i32(b, order[n]);
    return LLVMBuildShuffleVector(b->ir, x, y ? y : LLVMGetPoison(LLVMTypeOf(x)),
                                  LLVMConstVector(lanes, count), "");
}

/* Of each four lanes: two of x's and y's by turns, the lower or the upper ones. */
static LLVMValueRef interleave(struct jit_builder *b, LLVMValueRef x, LLVMValueRef y, bool upper)
{
    uint32_t order[16];

    for (uint32_t n = 0; n < 16; n++)
        order[n] = (n & 12) + (upper ? 2 : 0) + (n >> 1 & 1) + (n & 1) * 16;
    return shuffle(b, x, y, order, 16);
}

/* Of each four lanes: two neighbours of x's, then of y's. */
static LLVMValueRef join(struct jit_builder *b, LLVMValueRef x, LLVMValueRef y, bool upper)
{
    uint32_t order[16];

    for (uint32_t n = 0; n < 16; n++)
        order[n] = (n & 12) + (upper ? 2 : 0) + (n & 1) + (n >> 1 & 1) * 16;
    return shuffle(b, x, y, order, 16);
}

/* Two vectors of `count` lanes, one behind the other. */
static LLVMValueRef behind(struct jit_builder *b, LLVMValueRef x, LLVMValueRef y, unsigned count)
{
    static const uint32_t order[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};

    return shuffle(b, x, y, order, 2 * count);
}

/* ---- loads ---- */

/* Words 0..words-1 at `at`, three or four, as four lanes. Three are loaded as floats, two and one: as they
 * are, LLVM takes them through general registers. */
static LLVMValueRef load_four(struct jit_builder *b, LLVMValueRef at, unsigned words)
{
    static const uint32_t order[4] = {0, 1, 2, 3};
    LLVMTypeRef four = LLVMVectorType(b->i32, 4);

    if (words == 4)
        return jit_load(b, four, at, 1, false);
    LLVMValueRef two = jit_load(b, LLVMVectorType(b->f32, 2), at, 1, false);
    LLVMValueRef third = jit_load(b, b->f32, jit_offset_const(b, at, 8), 1, false);
    LLVMValueRef v = LLVMBuildInsertElement(b->ir, shuffle(b, two, NULL, order, 4), third, jit_i32(b, 2), "");

    return LLVMBuildBitCast(b->ir, v, four, "");
}

static void load_wide(struct jit_builder *b, const LLVMValueRef at[16], unsigned words, LLVMValueRef *out)
{
    LLVMValueRef row[4], xy[2], zw[2];

    for (unsigned n = 0; n < 4; n++) {
        LLVMValueRef a = load_four(b, at[n], words), c = load_four(b, at[n + 4], words);
        LLVMValueRef d = load_four(b, at[n + 8], words), e = load_four(b, at[n + 12], words);
        row[n] = behind(b, behind(b, a, c, 4), behind(b, d, e, 4), 8);
    }
    for (unsigned n = 0; n < 2; n++) {
        xy[n] = interleave(b, row[2 * n], row[2 * n + 1], false);
        zw[n] = interleave(b, row[2 * n], row[2 * n + 1], true);
    }
    for (unsigned n = 0; n < words; n++)
        out[n] = join(b, (n < 2 ? xy : zw)[0], (n < 2 ? xy : zw)[1], n & 1);
}

static void load_pairs(struct jit_builder *b, const LLVMValueRef at[16], LLVMValueRef out[2])
{
    LLVMValueRef part[16];
    uint32_t order[2][16];

    for (unsigned n = 0; n < 16; n++) {
        part[n] = jit_load(b, LLVMVectorType(b->i32, 2), at[n], 1, false);
        order[0][n] = 2 * n;
        order[1][n] = 2 * n + 1;
    }
    for (unsigned count = 2; count < 16; count *= 2)
        for (unsigned n = 0; n < 16 / count; n++)
            part[n] = behind(b, part[2 * n], part[2 * n + 1], count);
    out[0] = shuffle(b, part[0], part[1], order[0], 16);
    out[1] = shuffle(b, part[0], part[1], order[1], 16);
}

void jit_load_records(struct jit_builder *b, const LLVMValueRef at[16], unsigned words, LLVMValueRef *out)
{
    if (words > 2) {
        load_wide(b, at, words, out);
    } else if (words == 2) {
        load_pairs(b, at, out);
    } else {
        *out = LLVMGetPoison(b->i32x16);
        for (unsigned n = 0; n < 16; n++)
            *out =
                LLVMBuildInsertElement(b->ir, *out, jit_load(b, b->i32, at[n], 1, false), jit_i32(b, n), "");
    }
}

/* ---- stores ---- */

/* Words 0..words-1 of lanes `first` and on. */
static void store_part(struct jit_builder *b, LLVMValueRef from, unsigned first, unsigned words,
                       LLVMValueRef at)
{
    const uint32_t order[4] = {first, first + 1, first + 2, first + 3};

    jit_store(b, shuffle(b, from, NULL, order, words), at, 1);
}

void jit_store_records(struct jit_builder *b, const LLVMValueRef at[16], unsigned words,
                       const LLVMValueRef *value)
{
    LLVMValueRef low[2], high[2], of[4];

    if (words == 1) {
        for (unsigned n = 0; n < 16; n++)
            jit_store(b, LLVMBuildExtractElement(b->ir, *value, jit_i32(b, n), ""), at[n], 1);
        return;
    }
    for (unsigned n = 0; n < 2; n++) {
        LLVMValueRef x = value[words > 2 * n ? 2 * n : 0], y = value[words > 2 * n + 1 ? 2 * n + 1 : 0];
        low[n] = interleave(b, x, y, false);
        high[n] = interleave(b, x, y, true);
    }
    if (words > 2)
        for (unsigned n = 0; n < 4; n++) /* records n, n + 4, ... in lanes of four */
            of[n] = join(b, (n < 2 ? low : high)[0], (n < 2 ? low : high)[1], n & 1);
    for (unsigned n = 0; n < 16; n++) { /* in order: the last counts where records meet */
        if (words > 2)
            store_part(b, of[n % 4], n & 12, words, at[n]);
        else
            store_part(b, (n % 4 < 2 ? low : high)[0], (n & 12) + (n & 1) * 2, 2, at[n]);
    }
}
