/* Arithmetic: what isa/warp has (lower.inc), and what is a few of that. */
#include "isa/bifrost/lower_internal.h"

enum how { AS_IT_IS, DISTANCE_LAST, NEGATIVE_ZERO };

/* op: 0: none; else 1 + enum warp_op. */
static const struct row {
    uint16_t op;
    uint8_t how;
} rows[BIFROST_OP_COUNT] = {
#define LIKE(name, warp)     [BIFROST_OP_##name] = {1 + WARP_##warp, AS_IT_IS},
#define SHIFT(name, warp)    [BIFROST_OP_##name] = {1 + WARP_##warp, DISTANCE_LAST},
#define NEGATIVE(name, warp) [BIFROST_OP_##name] = {1 + WARP_##warp, NEGATIVE_ZERO},
#include "isa/bifrost/lower.inc"
};

/* ---- modifiers ---- */

static uint8_t rounding(uint8_t word)
{
    switch (word) {
    case BIFROST_RTP: return WARP_RTP;
    case BIFROST_RTN: return WARP_RTN;
    case BIFROST_RTZ: return WARP_RTZ;
    case BIFROST_RTNA: return WARP_RTNA;
    default: return WARP_RTE;
    }
}

static uint8_t clamping(uint8_t word)
{
    switch (word) {
    case BIFROST_CLAMP_0_INF: return WARP_CLAMP_0_INF;
    case BIFROST_CLAMP_M1_1: return WARP_CLAMP_M1_1;
    case BIFROST_CLAMP_0_1: return WARP_CLAMP_0_1;
    default: return WARP_CLAMP_NONE;
    }
}

static uint8_t choosing(uint8_t word)
{
    switch (word) {
    case BIFROST_NEG: return WARP_MUX_NEG;
    case BIFROST_FP_ZERO: return WARP_MUX_FP_ZERO;
    case BIFROST_BIT: return WARP_MUX_BIT;
    default: return WARP_MUX_INT_ZERO;
    }
}

uint8_t bifrost_condition(uint8_t word)
{
    static const uint8_t of[BIFROST_WORD_COUNT] = {
        [BIFROST_EQ] = WARP_EQ,     [BIFROST_GT] = WARP_GT,      [BIFROST_GE] = WARP_GE,
        [BIFROST_NE] = WARP_NE,     [BIFROST_LT] = WARP_LT,      [BIFROST_LE] = WARP_LE,
        [BIFROST_GTLT] = WARP_GTLT, [BIFROST_TOTAL] = WARP_TOTAL};
    return of[word];
}

static void take_modifiers(const struct bifrost_insn *i, struct warp_insn *out)
{
    const uint8_t *mod = i->mod;
    const uint8_t truth = mod[BIFROST_MOD_RESULT_TYPE];
    out->round = rounding(mod[BIFROST_MOD_ROUND]);
    out->clamp = clamping(mod[BIFROST_MOD_CLAMP]);
    out->mux = choosing(mod[BIFROST_MOD_MUX]);
    out->condition = bifrost_condition(mod[BIFROST_MOD_CMPF]);
    out->truth = truth == BIFROST_F1 ? WARP_F1 : truth == BIFROST_M1 ? WARP_M1 : WARP_I1;
    out->saturate = mod[BIFROST_MOD_SATURATE] == BIFROST_SAT;
    out->up = mod[BIFROST_MOD_ROUND] == BIFROST_RTP;
    out->not_result = mod[BIFROST_MOD_NOT_RESULT] == BIFROST_NOT;
    out->propagate = mod[BIFROST_MOD_SEM] == BIFROST_NAN_PROPAGATE;
    out->sqrt = mod[BIFROST_MOD_SQRT] == BIFROST_SQRT;
    out->log = mod[BIFROST_MOD_LOG] == BIFROST_LOG;
    out->arithmetic = i->op >= BIFROST_OP_ARSHIFT_I32 && i->op <= BIFROST_OP_ARSHIFT_V4I8;
}

/* What no document explains. */
static bool is_unexplained(const struct bifrost_insn *i)
{
    const uint8_t *mod = i->mod, round = mod[BIFROST_MOD_ROUND], semantics = mod[BIFROST_MOD_SEM];
    return round == BIFROST_RTO || round == BIFROST_INF || round == BIFROST_INF0 || semantics == BIFROST_C ||
           semantics == BIFROST_INVERSE_C || mod[BIFROST_MOD_MASK] || mod[BIFROST_MOD_DIVZERO] ||
           mod[BIFROST_MOD_OFFSET] || mod[BIFROST_MOD_ADJ] || mod[BIFROST_MOD_PRECISION];
}

static bool converts_to_integer(uint16_t op)
{
    return op == BIFROST_OP_F32_TO_S32 || op == BIFROST_OP_F32_TO_U32 || op == BIFROST_OP_F16_TO_S32 ||
           op == BIFROST_OP_F16_TO_U32 || op == BIFROST_OP_V2F16_TO_V2S16 || op == BIFROST_OP_V2F16_TO_V2U16;
}

/* ---- operands ---- */

static struct warp_source operand(struct bifrost_lowering *l, const struct bifrost_insn *i, unsigned n,
                                  uint8_t type)
{
    const struct bifrost_source *s = &i->source[n];
    struct warp_source out = bifrost_word_of(l, s);
    bifrost_select(s->mod[BIFROST_SOURCE_SELECT], type, &out);
    out.absolute = s->mod[BIFROST_SOURCE_ABS] == BIFROST_ABS;
    out.negate = s->mod[BIFROST_SOURCE_NEG] == BIFROST_NEG;
    out.invert = s->mod[BIFROST_SOURCE_NOT] == BIFROST_NOT;
    return out;
}

static struct warp_source whole(struct warp_source s, uint8_t type)
{
    bifrost_select(BIFROST_NONE, type, &s);
    return s;
}

/* An operation of isa/warp on the operands from `first` on. */
static struct warp_insn *like(struct bifrost_lowering *l, const struct bifrost_insn *i, enum warp_op op,
                              enum how how, unsigned into)
{
    static const uint32_t fill[] = {[AS_IT_IS] = 0, [DISTANCE_LAST] = 0, [NEGATIVE_ZERO] = 0x80008000};
    const struct warp_row *row = &warp_rows[op];
    struct warp_insn made = {0};
    for (unsigned k = 0; k < warp_source_count(op); k++) {
        const unsigned n = how == DISTANCE_LAST && k ? 3 - k : k;
        made.source[k] = n < i->source_count ? operand(l, i, n, row->source[k])
                                             : whole(bifrost_constant(fill[how]), row->source[k]);
        if (n >= i->source_count && how == NEGATIVE_ZERO && row->source[k] == WARP_F32)
            made.source[k].value = 0x80000000;
    }
    struct warp_insn *out = bifrost_compute(l, op, into, made.source[0], made.source[1], made.source[2]);
    out->source[3] = made.source[3];
    take_modifiers(i, out);
    return out;
}

/* ---- what is a few of isa/warp's ---- */

/* Halfway away from zero to an integral number first. */
static void convert_away(struct bifrost_lowering *l, const struct bifrost_insn *i, enum warp_op op,
                         unsigned into)
{
    const uint8_t type = warp_rows[op].source[0];
    const enum warp_op round = type == WARP_V2F16 ? WARP_FROUND_V2F16 : WARP_FROUND_F32;
    struct warp_source zero = bifrost_constant(0);
    bifrost_compute(l, round, TEMPORARY_SCRATCH, operand(l, i, 0, type), zero, zero)->round = WARP_RTNA;
    bifrost_compute(l, op, into, whole(bifrost_temporary(TEMPORARY_SCRATCH), type), zero, zero);
}

/* NEG is of the result (Mesa: Notes.txt, FRCP_FREXPE). */
static void exponent(struct bifrost_lowering *l, const struct bifrost_insn *i, enum warp_op op, unsigned into)
{
    const bool halves = op == WARP_FREXPE_V2F16, negate = i->source[0].mod[BIFROST_SOURCE_NEG] == BIFROST_NEG;
    const uint8_t type = halves ? WARP_V2S16 : WARP_S32;
    struct warp_insn *out = like(l, i, op, AS_IT_IS, negate ? TEMPORARY_SCRATCH : into);
    out->source[0].negate = false;
    if (negate)
        bifrost_compute(l, halves ? WARP_ISUB_V2S16 : WARP_ISUB_S32, into, whole(bifrost_constant(0), type),
                        whole(bifrost_temporary(TEMPORARY_SCRATCH), type), bifrost_constant(0));
}

/* The products of bytes, each operand by its own sign; signed ones first. */
static void dot(struct bifrost_lowering *l, const struct bifrost_insn *i, unsigned into)
{
    const bool first = i->source[0].mod[BIFROST_SOURCE_SIGN] == BIFROST_SEXT,
               second = i->source[1].mod[BIFROST_SOURCE_SIGN] == BIFROST_SEXT;
    const enum warp_op op = first && second     ? WARP_IDP_V4S8
                            : !first && !second ? WARP_IDP_V4U8
                                                : WARP_IDP_V4SU8;
    struct warp_source a = operand(l, i, 0, WARP_V4U8), b = operand(l, i, 1, WARP_V4U8);
    bifrost_compute(l, op, into, second && !first ? b : a, second && !first ? a : b, bifrost_constant(0));
}

static void bytes(struct bifrost_lowering *l, const struct bifrost_insn *i, unsigned into)
{
    const struct warp_source zero = whole(bifrost_constant(0), WARP_U16);
    bifrost_compute(l, WARP_MKVEC_V2I8, TEMPORARY_SCRATCH, operand(l, i, 2, WARP_U8),
                    operand(l, i, 3, WARP_U8), zero);
    bifrost_compute(l, WARP_MKVEC_V2I8, into, operand(l, i, 0, WARP_U8), operand(l, i, 1, WARP_U8),
                    whole(bifrost_temporary(TEMPORARY_SCRATCH), WARP_U16));
}

/* (a + b) * 2^c as (a * 1 + b) * 2^c. */
static bool add_scaled(struct bifrost_lowering *l, const struct bifrost_insn *i, unsigned into)
{
    if (i->mod[BIFROST_MOD_SPECIAL])
        return false;
    struct warp_insn *out = bifrost_compute(l, WARP_FMA_RSCALE_F32, into, operand(l, i, 0, WARP_F32),
                                            bifrost_constant(0x3f800000), operand(l, i, 1, WARP_F32));
    out->source[3] = operand(l, i, 2, WARP_S32);
    take_modifiers(i, out);
    return true;
}

/* Rounded before it is scaled, and again. */
static bool fused_scaled_halves(struct bifrost_lowering *l, const struct bifrost_insn *i, unsigned into)
{
    if (i->mod[BIFROST_MOD_SPECIAL])
        return false;
    struct warp_insn *out = like(l, i, WARP_FMA_V2F16, AS_IT_IS, TEMPORARY_SCRATCH);
    const uint8_t clamp = out->clamp;
    out->clamp = WARP_CLAMP_NONE;
    out = bifrost_compute(l, WARP_LDEXP_V2F16, into, whole(bifrost_temporary(TEMPORARY_SCRATCH), WARP_V2F16),
                          operand(l, i, 3, WARP_V2S16), bifrost_constant(0));
    out->clamp = clamp;
    return true;
}

/* Carries are 0 wherever compilers have them. */
static bool carried(struct bifrost_lowering *l, const struct bifrost_insn *i, unsigned into)
{
    const enum warp_op op = i->op == BIFROST_OP_IADDC_I32 ? WARP_IADD_U32 : WARP_ISUB_U32;
    if (i->source[2].from != BIFROST_FROM_ZERO)
        return false;
    like(l, i, op, AS_IT_IS, into);
    return true;
}

static bool is_special(struct bifrost_lowering *l, const struct bifrost_insn *i, unsigned into, bool *known)
{
    *known = true;
    switch (i->op) {
    case BIFROST_OP_NOP: return true;
    case BIFROST_OP_IDP_V4I8: dot(l, i, into); return true;
    case BIFROST_OP_MKVEC_V4I8: bytes(l, i, into); return true;
    case BIFROST_OP_FADD_RSCALE_F32: *known = add_scaled(l, i, into); return true;
    case BIFROST_OP_FMA_RSCALE_V2F16: *known = fused_scaled_halves(l, i, into); return true;
    case BIFROST_OP_IADDC_I32:
    case BIFROST_OP_ISUBB_I32: *known = carried(l, i, into); return true;
    /* Each lane of ours has its own result already (README.md, "Execution"). */
    case BIFROST_OP_ATOM_POST_I32:
    case BIFROST_OP_DTSEL_IMM: bifrost_move(l, into, bifrost_word_of(l, &i->source[0])); return true;
    default: return false;
    }
}

/* ---- */

/* Which of several operations modifiers make of it. */
static enum warp_op chosen(const struct bifrost_insn *i, enum warp_op op)
{
    switch (op) {
    case WARP_IMUL_I32: return i->mod[BIFROST_MOD_EXTEND] == BIFROST_SEXT ? WARP_IMUL_S32 : op;
    case WARP_FMA_RSCALE_F32:
        return i->mod[BIFROST_MOD_SPECIAL] == BIFROST_N         ? WARP_FMA_RSCALE_N_F32
               : i->mod[BIFROST_MOD_SPECIAL] == BIFROST_LEFT    ? WARP_FMA_RSCALE_LEFT_F32
               : i->mod[BIFROST_MOD_SPECIAL] == BIFROST_SCALE16 ? WARP_FMA_RSCALE_SCALE16_F32
                                                                : op;
    case WARP_FLOG_TABLE_BASE2_F32:
        return i->mod[BIFROST_MOD_MODE] == BIFROST_RED       ? WARP_FLOG_TABLE_RED_F32
               : i->mod[BIFROST_MOD_MODE] == BIFROST_NATURAL ? WARP_FLOG_TABLE_NATURAL_F32
                                                             : op;
    default: return op;
    }
}

bool bifrost_lower_compute(struct bifrost_lowering *l, const struct bifrost_insn *i, unsigned unit)
{
    const unsigned into = bifrost_result_of(l, unit);
    const struct row *row = &rows[i->op];
    const bool away = i->mod[BIFROST_MOD_ROUND] == BIFROST_RTNA;
    bool known;
    if (is_special(l, i, into, &known))
        return known;
    if (!row->op || is_unexplained(i))
        return false;
    const enum warp_op op = chosen(i, (enum warp_op)(row->op - 1));
    if (away && converts_to_integer(i->op))
        convert_away(l, i, op, into);
    else if (away && warp_rows[op].class != WARP_ROUND)
        return false;
    else if (op == WARP_FREXPE_F32 || op == WARP_FREXPE_V2F16)
        exponent(l, i, op, into);
    else
        like(l, i, op, (enum how)row->how, into);
    return true;
}
