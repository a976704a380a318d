/* Messages to memory, and to uniform buffers. */
#include "isa/bifrost/lower_internal.h"
#include "isa/ports.h"

/* ---- loads and stores ---- */

static unsigned bytes_of(uint16_t op)
{
    switch (op) {
    case BIFROST_OP_LOAD_I8:
    case BIFROST_OP_STORE_I8: return 1;
    case BIFROST_OP_LOAD_I16:
    case BIFROST_OP_STORE_I16: return 2;
    case BIFROST_OP_LOAD_I24:
    case BIFROST_OP_STORE_I24: return 3;
    case BIFROST_OP_LOAD_I32:
    case BIFROST_OP_STORE_I32: return 4;
    case BIFROST_OP_LOAD_I48:
    case BIFROST_OP_STORE_I48: return 6;
    case BIFROST_OP_LOAD_I64:
    case BIFROST_OP_STORE_I64: return 8;
    case BIFROST_OP_LOAD_I96:
    case BIFROST_OP_STORE_I96: return 12;
    case BIFROST_OP_LOAD_I128:
    case BIFROST_OP_STORE_I128: return 16;
    default: return 0;
    }
}

static uint8_t space_of(uint8_t segment)
{
    return segment == BIFROST_WLS  ? ISA_SPACE_WORKGROUP
           : segment == BIFROST_TL ? ISA_SPACE_THREAD
                                   : ISA_SPACE_GLOBAL;
}

/* Where what is loaded goes. Of 24 and 48 bits zeros stand above it. */
static void into(const struct bifrost_insn *i, unsigned bytes, struct warp_insn *out)
{
    const uint8_t lane = i->mod[BIFROST_MOD_LANE_DEST];
    out->sign = i->mod[BIFROST_MOD_EXTEND] == BIFROST_SEXT;
    if (lane >= BIFROST_B0 && lane <= BIFROST_B3) {
        out->into_bits = 8;
        out->into_bit = (uint8_t)(8 * (lane - BIFROST_B0));
    } else if (lane == BIFROST_H0 || lane == BIFROST_H1) {
        out->into_bits = 16;
        out->into_bit = lane == BIFROST_H1 ? 16 : 0;
    } else if (lane == BIFROST_W0 || bytes == 3) {
        out->into_bits = 32;
    } else if (lane == BIFROST_D0 || bytes == 6) {
        out->into_bits = 64;
    }
}

static void load(struct bifrost_lowering *l, const struct bifrost_insn *i, unsigned bytes)
{
    const bool buffer = i->mod[BIFROST_MOD_SEG] == BIFROST_UBO;
    struct warp_insn *out = bifrost_begin(l, buffer ? WARP_BUFFER : WARP_LOAD);
    out->bytes = (uint8_t)bytes;
    out->space = space_of(i->mod[BIFROST_MOD_SEG]);
    into(i, bytes, out);
    if (buffer) { /* a byte, and the buffer's number */
        out->source[0] = bifrost_operand(l, i, 0);
        out->source[1] = bifrost_operand(l, i, 1);
    } else {
        out->source[0] = bifrost_address(l, i, 0);
    }
    bifrost_write_staging(l, i, out->into_bits > 32 ? 2 : (bytes + 3) / 4);
}

static void store(struct bifrost_lowering *l, const struct bifrost_insn *i, unsigned bytes)
{
    struct warp_insn *out = bifrost_begin(l, WARP_STORE);
    out->bytes = (uint8_t)bytes;
    out->space = space_of(i->mod[BIFROST_MOD_SEG]);
    out->own = out->space == ISA_SPACE_THREAD;
    out->source[0] = bifrost_address(l, i, 0);
    bifrost_read_staging(l, i, (bytes + 3) / 4);
}

/* ---- atomics ---- */

/* The new value is the first of what staging registers have, what is compared comes behind it (Mesa:
 * bi_emit_acmpxchg_to). */
static void exchange(struct bifrost_lowering *l, const struct bifrost_insn *i, unsigned words, bool compares,
                     bool gives)
{
    struct warp_insn *out = bifrost_begin(l, WARP_ATOMIC);
    out->bytes = (uint8_t)(words * 4);
    out->space = space_of(i->mod[BIFROST_MOD_SEG]);
    out->atomic = compares ? ISA_ATOMIC_COMPARE_EXCHANGE : ISA_ATOMIC_EXCHANGE;
    out->compare = compares;
    out->has_value = true;
    out->source[0] = bifrost_address(l, i, 0);
    bifrost_read_staging(l, i, words * (1 + compares));
    if (gives)
        bifrost_write_staging(l, i, words);
}

static bool atomic_op(uint8_t word, struct warp_insn *out)
{
    out->has_value = true;
    out->value = 1;
    switch (word) {
    case BIFROST_AADD: out->atomic = ISA_ATOMIC_ADD; return true;
    case BIFROST_ASMIN: out->atomic = ISA_ATOMIC_IMIN; return true;
    case BIFROST_ASMAX: out->atomic = ISA_ATOMIC_IMAX; return true;
    case BIFROST_AUMIN: out->atomic = ISA_ATOMIC_UMIN; return true;
    case BIFROST_AUMAX: out->atomic = ISA_ATOMIC_UMAX; return true;
    case BIFROST_AAND: out->atomic = ISA_ATOMIC_AND; return true;
    case BIFROST_AOR: out->atomic = ISA_ATOMIC_OR; return true;
    case BIFROST_AXOR: out->atomic = ISA_ATOMIC_XOR; return true;
    default: break;
    }
    out->has_value = false; /* it is 1, or -1 */
    switch (word) {
    case BIFROST_ADEC:
        out->value = UINT64_MAX;
        out->atomic = ISA_ATOMIC_ADD;
        return true;
    case BIFROST_AINC: out->atomic = ISA_ATOMIC_ADD; return true;
    case BIFROST_AUMAX1: out->atomic = ISA_ATOMIC_UMAX; return true;
    case BIFROST_ASMAX1: out->atomic = ISA_ATOMIC_IMAX; return true;
    case BIFROST_AOR1: out->atomic = ISA_ATOMIC_OR; return true;
    default: return false;
    }
}

/* FMA's half of an atomic says which, ADD's sends it. What comes are the old value, and what ATOM_POST makes each
 * lane's own of it: nothing is left to do (README.md, "Execution"). */
static bool atomic(struct bifrost_lowering *l, const struct bifrost_insn *i)
{
    const struct bifrost_insn *half = &l->clause->tuple[l->tuple].insn[BIFROST_FMA];
    const bool gives = half->op == BIFROST_OP_ATOM_C_RETURN_I32 || half->op == BIFROST_OP_ATOM_C1_RETURN_I32;
    const bool wide = half->op == BIFROST_OP_ATOM_C_I64 || half->op == BIFROST_OP_ATOM_C1_I64;
    struct warp_insn made = {0};
    if (!(bifrost_op_info(half->op)->flags & BIFROST_OP_PAIRED))
        return false;
    if ((!gives && !wide && half->op != BIFROST_OP_ATOM_C_I32 && half->op != BIFROST_OP_ATOM_C1_I32) ||
        !atomic_op(half->mod[BIFROST_MOD_ATOM_OPC], &made)) {
        bifrost_unsupported(l, bifrost_op_info(half->op)->text);
        return true;
    }
    struct warp_insn *out = bifrost_begin(l, WARP_ATOMIC);
    out->atomic = made.atomic;
    out->has_value = made.has_value;
    out->value = made.value;
    out->bytes = wide ? 8 : 4;
    out->source[0] = bifrost_address(l, i, 0);
    if (out->has_value)
        bifrost_read_staging(l, i, out->bytes / 4u);
    if (gives)
        bifrost_write_staging(l, i, 1);
    l->message.post = gives;
    return true;
}

static bool exchanged(struct bifrost_lowering *l, const struct bifrost_insn *i)
{
    switch (i->op) {
    case BIFROST_OP_AXCHG_I32: exchange(l, i, 1, false, true); return true;
    case BIFROST_OP_AXCHG_I64: exchange(l, i, 2, false, true); return true;
    case BIFROST_OP_ACMPXCHG_I32: exchange(l, i, 1, true, true); return true;
    case BIFROST_OP_ACMPXCHG_I64: exchange(l, i, 2, true, true); return true;
    case BIFROST_OP_ACMPSTORE_I32: exchange(l, i, 1, true, false); return true;
    case BIFROST_OP_ACMPSTORE_I64: exchange(l, i, 2, true, false); return true;
    case BIFROST_OP_ATOM_CX: return atomic(l, i);
    default: return false;
    }
}

bool bifrost_lower_memory(struct bifrost_lowering *l, const struct bifrost_insn *i)
{
    const unsigned bytes = bytes_of(i->op);
    if (!bytes)
        return exchanged(l, i);
    if (i->staging & BIFROST_STAGING_WRITE)
        load(l, i, bytes);
    else
        store(l, i, bytes);
    return true;
}
