/* What takes both units of a tuple, or two words: addresses of 64 bits, faces of cubes, shifts of two words. */
#include "isa/bifrost/lower_internal.h"

enum { LOW = TEMPORARY_SCRATCH, SECOND = TEMPORARY_SCRATCH + 2, SUM = TEMPORARY_SCRATCH + 4 };

static struct warp_source pair(unsigned n)
{
    struct warp_source out = bifrost_temporary(n);
    out.width = 64;
    return out;
}

static struct warp_source select_of(struct bifrost_lowering *l, const struct bifrost_source *s, uint8_t type)
{
    struct warp_source out = bifrost_word_of(l, s);
    bifrost_select(s->mod[BIFROST_SOURCE_SELECT], type, &out);
    return out;
}

/* ---- sums of 64 bits: FMA has the lower words, ADD the upper ones ---- */

static bool is_segment(uint16_t op)
{
    return op == BIFROST_OP_SEG_ADD || op == BIFROST_OP_SEG_SUB;
}

static bool is_low(uint16_t op)
{
    return is_segment(op) || op == BIFROST_OP_SHADDXL_I64 || op == BIFROST_OP_SHADDXL_S32 ||
           op == BIFROST_OP_SHADDXL_U32;
}

static bool fits(const struct bifrost_insn *low, const struct bifrost_insn *high)
{
    bool passed = false;
    for (unsigned n = 0; n < high->source_count; n++)
        passed |= high->source[n].from == BIFROST_FROM_FMA;
    if (passed)
        return false;
    return is_segment(low->op)
               ? high->op == low->op && high->mod[BIFROST_MOD_SEG] == low->mod[BIFROST_MOD_SEG] &&
                     high->mod[BIFROST_MOD_PRESERVE_NULL] == low->mod[BIFROST_MOD_PRESERVE_NULL]
               : high->op == BIFROST_OP_SHADDXH_I32;
}

static void segment_sum(struct bifrost_lowering *l, const struct bifrost_insn *low)
{
    const bool workgroup = low->mod[BIFROST_MOD_SEG] == BIFROST_WLS;
    struct warp_source base = {.from = WARP_SPECIAL,
                               .index = (workgroup ? BIFROST_SPECIAL_WORKGROUP : BIFROST_SPECIAL_THREAD) * 2,
                               .width = 64};
    struct warp_insn *out = bifrost_compute(l, WARP_SEG_ADD_U64, SUM, pair(LOW), base, bifrost_constant(0));
    out->subtract = low->op == BIFROST_OP_SEG_SUB;
    out->preserve_null = low->mod[BIFROST_MOD_PRESERVE_NULL] == BIFROST_PRESERVE_NULL;
}

/* The second is shifted: two words, or one that is made as wide. */
static void shifted_sum(struct bifrost_lowering *l, const struct bifrost_insn *low,
                        const struct bifrost_insn *high)
{
    const bool is_signed = low->op == BIFROST_OP_SHADDXL_S32;
    const enum warp_op op = is_signed ? WARP_SHADDX_S64 : WARP_SHADDX_U64;
    struct warp_source second = select_of(l, &low->source[1], WARP_U32);
    if (low->op == BIFROST_OP_SHADDXL_I64) {
        bifrost_move(l, SECOND, bifrost_word_of(l, &low->source[1]));
        bifrost_move(l, SECOND + 1, bifrost_word_of(l, &high->source[1]));
        second = pair(SECOND);
    }
    bifrost_compute(l, op, SUM, pair(LOW), second, bifrost_constant(0))->shift =
        low->immediate[BIFROST_IMM_SHIFT];
}

static bool lower_sum(struct bifrost_lowering *l, const struct bifrost_insn *low)
{
    const struct bifrost_insn *high = &l->clause->tuple[l->tuple].insn[BIFROST_ADD];
    if (!fits(low, high))
        return false;
    bifrost_move(l, LOW, bifrost_word_of(l, &low->source[0]));
    bifrost_move(l, LOW + 1, bifrost_word_of(l, &high->source[0]));
    if (is_segment(low->op))
        segment_sum(l, low);
    else
        shifted_sum(l, low, high);
    bifrost_move(l, bifrost_result_of(l, BIFROST_FMA), bifrost_temporary(SUM));
    return true;
}

/* ---- cubes ---- */

/* The face of what CUBEFACE1 beside it has the length of. */
static bool lower_face(struct bifrost_lowering *l)
{
    const struct bifrost_insn *first = &l->clause->tuple[l->tuple].insn[BIFROST_FMA];
    struct warp_source s[3];
    if (first->op != BIFROST_OP_CUBEFACE1)
        return false;
    for (unsigned n = 0; n < 3; n++) {
        s[n] = select_of(l, &first->source[n], WARP_F32);
        s[n].negate = first->source[n].mod[BIFROST_SOURCE_NEG] == BIFROST_NEG;
    }
    bifrost_compute(l, WARP_CUBEFACE2, bifrost_result_of(l, BIFROST_ADD), s[0], s[1], s[2]);
    return true;
}

bool bifrost_lower_paired(struct bifrost_lowering *l, const struct bifrost_insn *i, unsigned unit)
{
    const struct bifrost_insn *fma = &l->clause->tuple[l->tuple].insn[BIFROST_FMA];
    if (unit == BIFROST_FMA && bifrost_op_info(i->op)->flags & BIFROST_OP_PAIRED) /* ADD sends it */
        return l->clause->tuple[l->tuple].insn[BIFROST_ADD].op == BIFROST_OP_ATOM_CX;
    if (unit == BIFROST_FMA)
        return is_low(i->op) && lower_sum(l, i);
    if (i->op == BIFROST_OP_CUBEFACE2)
        return lower_face(l);
    if (!is_low(fma->op) || !fits(fma, i))
        return false;
    bifrost_move(l, bifrost_result_of(l, BIFROST_ADD), bifrost_temporary(SUM + 1));
    return true;
}

/* ---- shifts of two words, the lower first (README.md, "Execution") ---- */

static struct warp_source count_of(struct bifrost_lowering *l, const struct bifrost_insn *i, uint32_t modulo)
{
    const struct warp_source zero = bifrost_constant(0);
    struct warp_source by = select_of(l, &i->source[2], WARP_U32), three = bifrost_constant(3);
    three.width = 8;
    if (i->source[2].mod[BIFROST_SOURCE_BYTES] == BIFROST_BYTES2)
        bifrost_compute(l, WARP_LSHIFT_OR_I32, SECOND, by, three, zero);
    else
        bifrost_compute(l, WARP_IADD_U32, SECOND, by, zero, zero);
    three.value = 0;
    bifrost_compute(l, WARP_LSHIFT_AND_I32, SECOND, bifrost_temporary(SECOND), three,
                    bifrost_constant(modulo - 1));
    by = bifrost_temporary(SECOND);
    return by;
}

static struct warp_insn *shifted(struct bifrost_lowering *l, bool left, struct warp_source by, unsigned with)
{
    struct warp_source none = {.from = WARP_CONSTANT, .width = 64}, other = with ? pair(with) : none;
    return bifrost_compute(l, left ? WARP_LSHIFT_OR_I64 : WARP_RSHIFT_OR_I64, SUM, pair(LOW), by, other);
}

/* A rotation is a shift joined with one the other way. */
static void rotated(struct bifrost_lowering *l, bool left, struct warp_source by)
{
    struct warp_source back = bifrost_temporary(SECOND + 1);
    bifrost_compute(l, WARP_ISUB_U32, SECOND + 1, bifrost_constant(0), by, bifrost_constant(0));
    back.width = 8;
    shifted(l, !left, back, 0);
    shifted(l, left, by, SUM);
}

bool bifrost_lower_double(struct bifrost_lowering *l, const struct bifrost_insn *i, unsigned unit)
{
    const bool funnel = i->op == BIFROST_OP_FLSHIFT_DOUBLE_I32 || i->op == BIFROST_OP_FRSHIFT_DOUBLE_I32;
    bool upper = i->mod[BIFROST_MOD_RESULT_WORD] == BIFROST_W1;
    if (!funnel && i->op != BIFROST_OP_ARSHIFT_DOUBLE_I32 && i->op != BIFROST_OP_LROT_DOUBLE_I32 &&
        i->op != BIFROST_OP_LSHIFT_DOUBLE_I32 && i->op != BIFROST_OP_RROT_DOUBLE_I32 &&
        i->op != BIFROST_OP_RSHIFT_DOUBLE_I32)
        return false;
    struct warp_source by = count_of(l, i, funnel ? 32 : 64);
    by.width = 8;
    bifrost_move(l, LOW, bifrost_word_of(l, &i->source[0]));
    bifrost_move(l, LOW + 1, bifrost_word_of(l, &i->source[1]));
    switch (i->op) {
    case BIFROST_OP_LROT_DOUBLE_I32: rotated(l, true, by); break;
    case BIFROST_OP_RROT_DOUBLE_I32: rotated(l, false, by); break;
    case BIFROST_OP_FLSHIFT_DOUBLE_I32:
        upper = true;
        shifted(l, true, by, 0);
        break;
    case BIFROST_OP_LSHIFT_DOUBLE_I32: shifted(l, true, by, 0); break;
    default: shifted(l, false, by, 0)->arithmetic = i->op == BIFROST_OP_ARSHIFT_DOUBLE_I32;
    }
    bifrost_move(l, bifrost_result_of(l, unit), bifrost_temporary(SUM + upper));
    return true;
}
