/* Words to text. The syntax is README.md's; what a part does not show in itself follows as an extra, so that
 * every word has one text. */
#include "isa/vc4_qpu/asm.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "isa/disasm.h"
#include "isa/text.h"
#include "isa/vc4_qpu/names.h"
#include "util/bits.h"

struct text {
    struct isa_text out;
    bool shows_ws;         /* a destination tells which file the add unit writes */
    bool shows_pm;         /* an unpacked r4 or a colour pack tells that pm is 1 */
    bool shows_unpack;     /* an operand carries the unpack */
    bool shows_pack;       /* a destination carries the pack */
    bool shows_a, shows_b; /* an operand names what raddr_a, raddr_b select */
};

static void put_small_imm(struct text *t, unsigned code)
{
    uint32_t bits = vc4_qpu_small_imm(code);
    if (code < 32)
        isa_put(&t->out, "%" PRId32, (int32_t)bits);
    else
        isa_put(&t->out, code < 40 ? "%.1f" : "%.9g", (double)util_u2f(bits));
}

static void put_read(struct text *t, bool file_b, unsigned address)
{
    const char *a = vc4_qpu_name(VC4_QPU_READS_A, address), *b = vc4_qpu_name(VC4_QPU_READS_B, address);
    if (!a)
        isa_put(&t->out, "r%c%u", file_b ? 'b' : 'a', address);
    else if (file_b)
        isa_put(&t->out, "%s%s", strcmp(a, b) == 0 ? "b." : "", b);
    else
        isa_put(&t->out, "%s", a);
}

static void put_unpack(struct text *t, const struct vc4_qpu_insn *insn)
{
    if (insn->unpack == 0)
        return;
    isa_put(&t->out, ".%s", vc4_qpu_name(VC4_QPU_UNPACKS, insn->unpack));
    t->shows_unpack = true;
    t->shows_pm |= insn->pm;
}

static void put_source(struct text *t, const struct vc4_qpu_insn *insn, unsigned mux)
{
    if (mux == VC4_QPU_MUX_A) {
        put_read(t, false, insn->raddr_a);
        t->shows_a = true;
        if (!insn->pm)
            put_unpack(t, insn);
    } else if (mux < VC4_QPU_MUX_A) {
        isa_put(&t->out, "r%u", mux);
        if (mux == VC4_QPU_MUX_R4 && insn->pm)
            put_unpack(t, insn);
    } else if (insn->sig != VC4_QPU_SIG_SMALL_IMM) {
        put_read(t, true, insn->raddr_b);
        t->shows_b = true;
    } else if (insn->raddr_b < 48) {
        put_small_imm(t, insn->raddr_b);
        t->shows_b = true;
    } else {
        isa_put(&t->out, "rot");
    }
}

static void put_pack(struct text *t, const struct vc4_qpu_insn *insn)
{
    if (insn->pm)
        isa_put_name(&t->out, &vc4_qpu_lists[VC4_QPU_PACKS_MUL], insn->pack, "c");
    else
        isa_put(&t->out, "%s", vc4_qpu_name(VC4_QPU_PACKS_A, insn->pack));
    t->shows_pm |= insn->pm;
    t->shows_pack = true;
}

static void put_destination(struct text *t, const struct vc4_qpu_insn *insn, bool mul)
{
    bool file_b = mul != insn->ws;
    unsigned waddr = mul ? insn->waddr_mul : insn->waddr_add;
    bool packs = insn->pm ? mul : !file_b && waddr < 32;
    if (waddr < 32)
        isa_put(&t->out, "r%c%u", file_b ? 'b' : 'a', waddr);
    else
        isa_put(&t->out, "%s", vc4_qpu_name(file_b ? VC4_QPU_WRITES_B : VC4_QPU_WRITES_A, waddr));
    t->shows_ws |= !vc4_qpu_write_shared(waddr);
    if (insn->pack && packs && insn->kind != VC4_QPU_BRANCH) {
        isa_put(&t->out, ".");
        put_pack(t, insn);
    }
}

static void put_cond(struct text *t, unsigned cond)
{
    if (cond != VC4_QPU_COND_ALWAYS)
        isa_put(&t->out, ".%s", vc4_qpu_name(VC4_QPU_CONDS, cond));
}

/* One half of an ALU instruction. */
static void put_half(struct text *t, const struct vc4_qpu_insn *insn, bool mul, bool sf)
{
    unsigned op = mul ? insn->op_mul : insn->op_add;
    unsigned a = mul ? insn->mul_a : insn->add_a, b = mul ? insn->mul_b : insn->add_b;
    bool move = a == b && op == (mul ? (unsigned)VC4_QPU_M_V8MIN : (unsigned)VC4_QPU_A_OR);
    bool bare = mul ? vc4_qpu_bare_mul(insn) : vc4_qpu_bare_add(insn);
    if (move)
        isa_put(&t->out, "mov");
    else
        isa_put_name(&t->out, &vc4_qpu_lists[mul ? VC4_QPU_MUL_OPS : VC4_QPU_ADD_OPS], op, "op");
    if (!bare)
        put_cond(t, mul ? insn->cond_mul : insn->cond_add);
    if (sf)
        isa_put(&t->out, ".sf");
    if (bare)
        return;
    isa_put(&t->out, " ");
    put_destination(t, insn, mul);
    isa_put(&t->out, ", ");
    put_source(t, insn, a);
    if (move || (a == b && vc4_qpu_operands(mul, op) < 2))
        return;
    isa_put(&t->out, ", ");
    put_source(t, insn, b);
}

/* What the halves have not shown. */
static void put_extras(struct text *t, const struct vc4_qpu_insn *insn)
{
    bool small = insn->sig == VC4_QPU_SIG_SMALL_IMM;
    if (insn->kind == VC4_QPU_ALU) {
        const char *sig = vc4_qpu_name(VC4_QPU_SIGS, insn->sig);
        if (small && insn->raddr_b == 48)
            isa_put(&t->out, " ; rot r5");
        else if (small && insn->raddr_b > 48)
            isa_put(&t->out, " ; rot %u", insn->raddr_b - 48u);
        else if (small && !t->shows_b) {
            isa_put(&t->out, " ; imm ");
            put_small_imm(t, insn->raddr_b);
        }
        if (sig)
            isa_put(&t->out, " ; %s", sig);
        if (!t->shows_a && insn->raddr_a != VC4_QPU_R_NOP) {
            isa_put(&t->out, " ; read ");
            put_read(t, false, insn->raddr_a);
        }
        if (!small && !t->shows_b && insn->raddr_b != VC4_QPU_R_NOP) {
            isa_put(&t->out, " ; read ");
            put_read(t, true, insn->raddr_b);
        }
        if (insn->unpack && !t->shows_unpack)
            isa_put(&t->out, " ; unpack %s", vc4_qpu_name(VC4_QPU_UNPACKS, insn->unpack));
    }
    if (insn->kind != VC4_QPU_BRANCH && insn->pack && !t->shows_pack) {
        isa_put(&t->out, " ; pack ");
        put_pack(t, insn);
    }
    if (insn->pm && !t->shows_pm)
        isa_put(&t->out, " ; pm");
    if (insn->ws && !t->shows_ws)
        isa_put(&t->out, " ; ws");
}

static void put_alu(struct text *t, const struct vc4_qpu_insn *insn)
{
    bool mul = !vc4_qpu_bare_mul(insn);
    bool sf_by_mul = mul && insn->op_add == VC4_QPU_A_NOP; /* flags come from the mul unit then */
    put_half(t, insn, false, insn->sf && !sf_by_mul);
    if (mul) {
        isa_put(&t->out, " ; ");
        put_half(t, insn, true, insn->sf && sf_by_mul);
    }
}

static void put_elements(struct text *t, const struct vc4_qpu_insn *insn)
{
    for (unsigned lane = 0; lane < VC4_QPU_LANES; lane++) {
        uint32_t value = (insn->imm >> lane & 1) | (insn->imm >> (16 + lane) & 1) << 1;
        bool sign = insn->kind == VC4_QPU_LOAD_IMM_S2;
        isa_put(&t->out, "%s%" PRId32, lane ? "," : "[", sign ? util_sext(value, 2) : (int32_t)value);
    }
    isa_put(&t->out, "]");
}

static void put_load(struct text *t, const struct vc4_qpu_insn *insn)
{
    static const char *const mnemonics[] = {[VC4_QPU_LOAD_IMM32] = "ldi",
                                            [VC4_QPU_LOAD_IMM_S2] = "ldis",
                                            [VC4_QPU_LOAD_IMM_U2] = "ldiu",
                                            [VC4_QPU_SEMAPHORE] = "sinc"};
    const char *mnemonic = mnemonics[insn->kind];
    if (insn->kind == VC4_QPU_SEMAPHORE && insn->imm & 16)
        mnemonic = "sdec";
    isa_put(&t->out, "%s", mnemonic);
    put_cond(t, insn->cond_add);
    isa_put(&t->out, "%s ", insn->sf ? ".sf" : "");
    put_destination(t, insn, false);
    isa_put(&t->out, ", ");
    if (insn->kind == VC4_QPU_LOAD_IMM32)
        isa_put(&t->out, "0x%" PRIx32, insn->imm);
    else if (insn->kind == VC4_QPU_SEMAPHORE)
        isa_put(&t->out, "%" PRIu32, insn->imm & 15);
    else
        put_elements(t, insn);
    if (insn->cond_mul == VC4_QPU_COND_ALWAYS && insn->waddr_mul == VC4_QPU_W_NOP &&
        (!insn->pm || !insn->pack))
        return;
    isa_put(&t->out, " ; %s", mnemonic);
    put_cond(t, insn->cond_mul);
    isa_put(&t->out, " ");
    put_destination(t, insn, true);
}

static void put_branch(struct text *t, const struct vc4_qpu_insn *insn, const char *label)
{
    int64_t distance = (int32_t)(insn->imm + 32);
    isa_put(&t->out, "%s", insn->branch_rel ? "brr" : "bra");
    if (insn->branch_cond != VC4_QPU_BR_ALWAYS) {
        isa_put(&t->out, ".");
        isa_put_name(&t->out, &vc4_qpu_lists[VC4_QPU_BRANCH_CONDS], insn->branch_cond, "br");
    }
    isa_put(&t->out, " ");
    if (insn->waddr_add != VC4_QPU_W_NOP || insn->waddr_mul != VC4_QPU_W_NOP) {
        put_destination(t, insn, false);
        isa_put(&t->out, ", ");
        put_destination(t, insn, true);
        isa_put(&t->out, ", ");
    }
    if (label)
        isa_put(&t->out, "%s", label);
    else if (insn->branch_rel)
        isa_put(&t->out, ".%+" PRId64, distance);
    else
        isa_put(&t->out, "0x%" PRIx32, insn->imm);
    if (insn->branch_reg)
        isa_put(&t->out, "+ra%u", insn->branch_raddr);
    else if (insn->branch_raddr)
        isa_put(&t->out, " ; read ra%u", insn->branch_raddr);
}

static size_t disassemble(uint64_t word, const char *label, char text[VC4_QPU_TEXT_MAX])
{
    struct text t = {.out = {.at = text, .capacity = VC4_QPU_TEXT_MAX}};
    struct vc4_qpu_insn insn;
    vc4_qpu_decode(word, &insn);
    bool reserved_mode = insn.kind == VC4_QPU_LOAD_IMM32 && insn.unpack != 0;
    if (vc4_qpu_encode(&insn) != word || reserved_mode) {
        isa_put(&t.out, ".word 0x%016" PRIx64, word);
        return t.out.length;
    }
    switch (insn.kind) {
    case VC4_QPU_ALU: put_alu(&t, &insn); break;
    case VC4_QPU_BRANCH: put_branch(&t, &insn, label); break;
    default: put_load(&t, &insn); break;
    }
    put_extras(&t, &insn);
    return t.out.length;
}

/* The instruction that a relative branch at `pc` goes to, or false. */
static bool target_of(uint64_t word, uint32_t pc, uint32_t *target)
{
    struct vc4_qpu_insn insn;
    vc4_qpu_decode(word, &insn);
    int64_t to = (int64_t)pc + 4 + (int32_t)insn.imm / 8;
    *target = (uint32_t)to;
    return insn.kind == VC4_QPU_BRANCH && insn.branch_rel && !insn.branch_reg && insn.imm % 8 == 0 &&
           to >= 0 && to <= UINT32_MAX && vc4_qpu_encode(&insn) == word;
}

size_t vc4_qpu_disasm(uint64_t word, uint32_t pc, char text[VC4_QPU_TEXT_MAX])
{
    size_t length = disassemble(word, NULL, text);
    struct isa_text t = {.at = text, .capacity = VC4_QPU_TEXT_MAX, .length = length};
    uint32_t target;
    if (target_of(word, pc, &target))
        isa_put(&t, " # to %" PRIu32, target);
    return t.length;
}

static uint32_t targets_of(const void *program, uint32_t count, uint32_t at, int64_t targets[ISA_TARGETS])
{
    const uint64_t *words = program;
    uint32_t target;
    targets[0] = target_of(words[at], at, &target) ? (int64_t)target : -1;
    targets[1] = -1;
    return 1;
}

static uint32_t text_of(const void *program, uint32_t count, uint32_t at, isa_label_text labels[ISA_TARGETS],
                        char text[ISA_LINE_MAX])
{
    const uint64_t *words = program;
    disassemble(words[at], labels[0][0] ? labels[0] : NULL, text);
    return 1;
}

static const struct isa_disassembler disassembler = {targets_of, text_of};
_Static_assert(VC4_QPU_TEXT_MAX <= ISA_LINE_MAX, "a line holds any instruction");

int vc4_qpu_disasm_program(FILE *out, const void *words, uint32_t count)
{
    return isa_disasm_program(out, &disassembler, words, count);
}
