/* Registers between blocks: slots, what they begin with, and the state that programs with barriers go on from. */
#include <string.h>

#include "isa/midgard/trans_internal.h"
#include "isa/midgard/uses.h"

static bool is_own(unsigned reg)
{
    return reg == MIDGARD_R_FORWARD || reg == MIDGARD_R_FORWARD + 1 || reg == MIDGARD_R_SELECT;
}

static void find_uses(const struct midgard_program *p, uint8_t used[], uint8_t written[])
{
    for (uint32_t n = 0; n < p->insn_count; n++) {
        struct midgard_uses uses;
        midgard_uses(&p->insns[n], &p->traits, &uses);
        for (unsigned r = 0; r < MIDGARD_REGISTERS; r++) {
            written[r] |= uses.written[r];
            used[r] |= uses.read[r] | uses.written[r];
        }
    }
}

LLVMValueRef midgard_trans_in_state(struct midgard_trans *t, size_t offset)
{
    return jit_offset_const(t->b, t->input->state, offset);
}

static size_t place_in_state(unsigned reg, unsigned c)
{
    return offsetof(struct midgard_state, reg) + (reg * 4 + c) * sizeof(uint32_t) * MIDGARD_LANES;
}

/* What a register that is used begins with; NULL: 0. */
static LLVMValueRef beginning(struct midgard_trans *t, unsigned reg, unsigned c)
{
    unsigned n = MIDGARD_R_UNIFORM - reg;
    if (t->input->state)
        return jit_load(t->b, t->b->i32x16, midgard_trans_in_state(t, place_in_state(reg, c)), 4, false);
    if (reg < MIDGARD_IR_GIVEN)
        return t->input->reg[reg][c];
    if (reg > MIDGARD_R_UNIFORM || n >= t->input->uniform_count || n >= 16)
        return NULL;
    return midgard_trans_lanes(t, t->ports->uniform_register(t->ports->ctx, t->b, n, c));
}

static LLVMValueRef half_of(struct midgard_trans *t, LLVMValueRef word, unsigned n)
{
    return isa_trans_half_of_bits(t->b, midgard_trans_element(t, &word, 16, n & 1));
}

/* Whether an instruction may leave halves unrounded. */
static bool makes_halves(const struct midgard_insn *i)
{
    if (midgard_kind_of(i->tag) == MIDGARD_TEXTURE)
        return !i->texture.out_full;
    for (unsigned n = 0; n < 2 && midgard_kind_of(i->tag) == MIDGARD_LOAD_STORE; n++) {
        const struct midgard_memory_info *info = midgard_memory_info(i->memory[n].op);
        if (info && midgard_makes_varying_halves(&i->memory[n], info))
            return true;
    }
    for (unsigned n = MIDGARD_VMUL; n < MIDGARD_ALU_UNITS && midgard_kind_of(i->tag) == MIDGARD_ALU; n++) {
        const struct midgard_alu *alu = &i->alu[n];
        if (!midgard_has(i, (enum midgard_unit)n))
            continue;
        if (midgard_is_scalar(n) ? !alu->full
                                 : alu->mode == MIDGARD_MODE_16 || alu->shrink != MIDGARD_SHRINK_NONE)
            return true;
    }
    return false;
}

static bool keeps_halves(const struct midgard_trans *t)
{
    bool any = false;
    for (uint32_t n = 0; n < t->program->insn_count && !t->rounds; n++)
        any |= makes_halves(&t->program->insns[n]);
    return any;
}

/* What arithmetic makes goes from block to block as it is, without the bits that only others ask for. */
static void make_single(struct midgard_trans *t, struct midgard_trans_slots *s, unsigned reg, unsigned c,
                        LLVMValueRef word)
{
    s->single[reg][c] = jit_alloca(t->b, t->b->f32x16, "single");
    LLVMBuildStore(t->b->ir, jit_as_f32(t->b, word), s->single[reg][c]);
}

static void make_halves(struct midgard_trans *t, struct midgard_trans_slots *s, unsigned reg, unsigned c,
                        LLVMValueRef word)
{
    struct jit_builder *b = t->b;
    for (unsigned n = 2 * c; n < 2 * c + 2; n++) {
        s->half[reg][n] = jit_alloca(b, b->f32x16, "half");
        LLVMBuildStore(b->ir, half_of(t, word, n), s->half[reg][n]);
    }
}

static void make_registers(struct midgard_trans *t, struct midgard_trans_slots *s)
{
    struct jit_builder *b = t->b;
    uint8_t used[MIDGARD_REGISTERS] = {0}, written[MIDGARD_REGISTERS] = {0};
    find_uses(t->program, used, written);
    /* code that is not optimised would keep words, too */
    const bool floats = t->block_count > 1 && !b->quick && !t->input->state;
    const bool halves = floats || ((t->block_count > 1 || t->input->state) && keeps_halves(t));
    for (unsigned n = 0; n < MIDGARD_REGISTERS; n++)
        for (unsigned c = 0; c < 4 && !is_own(n); c++) {
            if (!(used[n] >> c & 1))
                continue;
            s->begun[n][c] = beginning(t, n, c);
            if (!(written[n] >> c & 1))
                continue;
            LLVMValueRef first = s->begun[n][c] ? s->begun[n][c] : jit_splat_u32(b, 0);
            s->reg[n][c] = jit_alloca(b, b->i32x16, "register");
            LLVMBuildStore(b->ir, first, s->reg[n][c]);
            if (floats)
                make_single(t, s, n, c, first);
            if (halves)
                make_halves(t, s, n, c, first);
        }
}

void midgard_trans_make_slots(struct midgard_trans *t, struct midgard_trans_slots *s, LLVMValueRef lanes)
{
    struct jit_builder *b = t->b;
    bool resumes = t->input->state;
    LLVMValueRef live = lanes, fuel = resumes ? NULL : jit_splat(b, t->input->fuel);
    if (resumes) {
        live = jit_load(b, b->i16, midgard_trans_in_state(t, offsetof(struct midgard_state, live)), 2, false);
        live = jit_mask_from_bits(b, live);
        fuel =
            jit_load(b, b->i32x16, midgard_trans_in_state(t, offsetof(struct midgard_state, fuel)), 4, false);
        s->running = jit_alloca(b, b->i1x16, "running");
        s->at = jit_alloca(b, b->i32x16, "at");
        LLVMBuildStore(b->ir, LLVMConstNull(b->i1x16), s->running);
        LLVMBuildStore(
            b->ir,
            jit_load(b, b->i32x16, midgard_trans_in_state(t, offsetof(struct midgard_state, at)), 4, false),
            s->at);
    }
    s->live = jit_alloca(b, b->i1x16, "live");
    s->fuel = jit_alloca(b, b->i32x16, "fuel");
    s->executed = jit_alloca(b, b->i64, "executed");
    t->fault = jit_alloca(b, b->i32, "fault");
    t->fault_address = jit_alloca(b, b->i64, "address");
    LLVMBuildStore(b->ir, live, s->live);
    LLVMBuildStore(b->ir, fuel, s->fuel);
    LLVMBuildStore(b->ir, jit_i64(b, 0), s->executed);
    LLVMBuildStore(b->ir, jit_i32(b, 0), t->fault);
    LLVMBuildStore(b->ir, jit_i64(b, 0), t->fault_address);
    make_registers(t, s);
}

/* Fenced: LLVM may find that another block left a zero there, of which it thinks that added to a denormal it changes
 * nothing. */
static LLVMValueRef load_float(struct jit_builder *b, LLVMValueRef slot)
{
    return slot ? jit_fence(b, LLVMBuildLoad2(b->ir, b->f32x16, slot, "")) : NULL;
}

void midgard_trans_load_registers(struct midgard_trans *t, const struct midgard_trans_slots *s)
{
    struct jit_builder *b = t->b;
    for (unsigned n = 0; n < MIDGARD_REGISTERS; n++)
        for (unsigned c = 0; c < 4; c++) {
            t->reg[n][c] = s->reg[n][c]     ? LLVMBuildLoad2(b->ir, b->i32x16, s->reg[n][c], "")
                           : s->begun[n][c] ? s->begun[n][c]
                                            : jit_splat_u32(b, 0);
            t->begun_word[n][c] = s->single[n][c] || s->half[n][2 * c] ? t->reg[n][c] : NULL;
            t->begun_single[n][c] = load_float(b, s->single[n][c]);
        }
    for (unsigned n = 0; n < MIDGARD_REGISTERS; n++)
        for (unsigned h = 0; h < MIDGARD_HALVES; h++)
            t->half[n][h] = t->begun_half[n][h] = load_float(b, s->half[n][h]);
    memset(t->argument, 0, sizeof t->argument);
}

LLVMValueRef midgard_trans_begun_single(struct midgard_trans *t, LLVMValueRef word)
{
    for (unsigned n = 0; n < MIDGARD_REGISTERS; n++)
        for (unsigned c = 0; c < 4; c++)
            if (word == t->begun_word[n][c])
                return t->begun_single[n][c];
    return NULL;
}

static LLVMValueRef single_of(struct midgard_trans *t, LLVMValueRef word)
{
    LLVMValueRef f = midgard_trans_begun_single(t, word);
    return f ? f : isa_trans_single_of(t->b, word);
}

static void store_register(struct midgard_trans *t, const struct midgard_trans_slots *s, unsigned reg,
                           unsigned c)
{
    LLVMValueRef word = t->reg[reg][c];
    jit_diverge_set(t->b, s->reg[reg][c], word, t->mask);
    if (s->single[reg][c])
        jit_diverge_set(t->b, s->single[reg][c], single_of(t, word), t->mask);
    for (unsigned n = 2 * c; n < 2 * c + 2 && s->half[reg][n]; n++) {
        LLVMValueRef half = t->half[reg][n] ? t->half[reg][n] : half_of(t, word, n);
        jit_diverge_set(t->b, s->half[reg][n], half, t->mask);
    }
}

void midgard_trans_end_halves(struct midgard_trans *t)
{
    for (unsigned n = 0; n < MIDGARD_REGISTERS && !t->rounds; n++)
        for (unsigned h = 0; h < MIDGARD_HALVES && !is_own(n); h++)
            if (t->half[n][h] && !(t->begins_within && t->half[n][h] == t->begun_half[n][h]))
                t->half[n][h] = isa_trans_half_within(t->b, t->half[n][h]);
}

/* A word that is what it was may be of halves that are rounded now. */
static bool is_changed(const struct midgard_trans *t, unsigned reg, unsigned c)
{
    const LLVMValueRef *half = &t->half[reg][2 * c], *begun = &t->begun_half[reg][2 * c];
    return t->reg[reg][c] != t->begun_word[reg][c] || half[0] != begun[0] || half[1] != begun[1];
}

void midgard_trans_store_registers(struct midgard_trans *t, const struct midgard_trans_slots *s)
{
    for (unsigned n = 0; n < MIDGARD_REGISTERS; n++)
        for (unsigned c = 0; c < 4; c++)
            if (s->reg[n][c] && is_changed(t, n, c))
                store_register(t, s, n, c);
}

void midgard_trans_store_state(struct midgard_trans *t, const struct midgard_trans_slots *s)
{
    struct jit_builder *b = t->b;
    LLVMValueRef running = jit_mask_to_bits(b, LLVMBuildLoad2(b->ir, b->i1x16, s->running, ""));
    LLVMValueRef live = jit_mask_to_bits(b, LLVMBuildLoad2(b->ir, b->i1x16, s->live, ""));
    for (unsigned n = 0; n < MIDGARD_REGISTERS; n++)
        for (unsigned c = 0; c < 4; c++)
            if (s->reg[n][c])
                jit_store(b, t->reg[n][c], midgard_trans_in_state(t, place_in_state(n, c)), 4);
    jit_store(b, running, midgard_trans_in_state(t, offsetof(struct midgard_state, running)), 2);
    jit_store(b, running, midgard_trans_in_state(t, offsetof(struct midgard_state, waiting)), 2);
    jit_store(b, live, midgard_trans_in_state(t, offsetof(struct midgard_state, live)), 2);
    jit_store(b, LLVMBuildLoad2(b->ir, b->i32x16, s->at, ""),
              midgard_trans_in_state(t, offsetof(struct midgard_state, at)), 4);
    jit_store(b, LLVMBuildLoad2(b->ir, b->i32x16, s->fuel, ""),
              midgard_trans_in_state(t, offsetof(struct midgard_state, fuel)), 4);
}
