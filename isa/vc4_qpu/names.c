#include "isa/vc4_qpu/names.h"

#include <string.h>

static const struct isa_name add_ops[] = {
#define ADD_OP(name, text, operands, float_in, float_out) {VC4_QPU_A_##name, text},
#include "isa/vc4_qpu/insns.inc"
};
static const struct isa_name mul_ops[] = {
#define MUL_OP(name, text, operands, float_in, float_out) {VC4_QPU_M_##name, text},
#include "isa/vc4_qpu/insns.inc"
};
static const struct isa_name conds[] = {
#define COND(name, text) {VC4_QPU_COND_##name, text},
#include "isa/vc4_qpu/insns.inc"
};
static const struct isa_name branch_conds[] = {
#define BRANCH_COND(name, text) {VC4_QPU_BR_##name, text},
#include "isa/vc4_qpu/insns.inc"
};
static const struct isa_name sigs[] = {
#define SIG(name, text) {VC4_QPU_SIG_##name, text},
#include "isa/vc4_qpu/insns.inc"
};
static const struct isa_name unpacks[] = {
#define UNPACK(value, text) {value, text},
#include "isa/vc4_qpu/insns.inc"
};
static const struct isa_name packs_a[] = {
#define PACK_A(value, text) {value, text},
#include "isa/vc4_qpu/insns.inc"
};
static const struct isa_name packs_mul[] = {
#define PACK_MUL(value, text) {value, text},
#include "isa/vc4_qpu/insns.inc"
};
static const struct isa_name reads_a[] = {
#define READ(address, a, b) {address, a},
#include "isa/vc4_qpu/insns.inc"
};
static const struct isa_name reads_b[] = {
#define READ(address, a, b) {address, b},
#include "isa/vc4_qpu/insns.inc"
};
static const struct isa_name writes_a[] = {
#define WRITE(address, a, b) {address, a},
#include "isa/vc4_qpu/insns.inc"
};
static const struct isa_name writes_b[] = {
#define WRITE(address, a, b) {address, b},
#include "isa/vc4_qpu/insns.inc"
};

const struct isa_names vc4_qpu_lists[] = {
    [VC4_QPU_ADD_OPS] = ISA_NAMES(add_ops),   [VC4_QPU_MUL_OPS] = ISA_NAMES(mul_ops),
    [VC4_QPU_CONDS] = ISA_NAMES(conds),       [VC4_QPU_BRANCH_CONDS] = ISA_NAMES(branch_conds),
    [VC4_QPU_SIGS] = ISA_NAMES(sigs),         [VC4_QPU_UNPACKS] = ISA_NAMES(unpacks),
    [VC4_QPU_PACKS_A] = ISA_NAMES(packs_a),   [VC4_QPU_PACKS_MUL] = ISA_NAMES(packs_mul),
    [VC4_QPU_READS_A] = ISA_NAMES(reads_a),   [VC4_QPU_READS_B] = ISA_NAMES(reads_b),
    [VC4_QPU_WRITES_A] = ISA_NAMES(writes_a), [VC4_QPU_WRITES_B] = ISA_NAMES(writes_b),
};

struct op {
    uint8_t operands; /* plus one, so that an empty row is a reserved operation */
    bool float_in, float_out;
};
static const struct op ops[2][32] = {{
#define ADD_OP(name, text, operands, float_in, float_out)                                                    \
    [VC4_QPU_A_##name] = {operands + 1, float_in, float_out},
#include "isa/vc4_qpu/insns.inc"
                                     },
                                     {
#define MUL_OP(name, text, operands, float_in, float_out)                                                    \
    [VC4_QPU_M_##name] = {operands + 1, float_in, float_out},
#include "isa/vc4_qpu/insns.inc"
                                     }};

unsigned vc4_qpu_operands(bool mul, unsigned op)
{
    unsigned n = ops[mul][op & 31].operands;
    return n ? n - 1 : 2;
}

bool vc4_qpu_float_in(bool mul, unsigned op)
{
    return ops[mul][op & 31].float_in;
}

bool vc4_qpu_float_out(bool mul, unsigned op)
{
    return ops[mul][op & 31].float_out;
}

bool vc4_qpu_write_shared(unsigned waddr)
{
    const char *a = vc4_qpu_name(VC4_QPU_WRITES_A, waddr), *b = vc4_qpu_name(VC4_QPU_WRITES_B, waddr);
    return a && b && strcmp(a, b) == 0;
}

bool vc4_qpu_bare_add(const struct vc4_qpu_insn *insn)
{
    return insn->op_add == VC4_QPU_A_NOP && insn->cond_add == VC4_QPU_COND_NEVER &&
           insn->waddr_add == VC4_QPU_W_NOP && insn->add_a == VC4_QPU_MUX_R0 && insn->add_b == VC4_QPU_MUX_R0;
}

bool vc4_qpu_bare_mul(const struct vc4_qpu_insn *insn)
{
    return insn->op_mul == VC4_QPU_M_NOP && insn->cond_mul == VC4_QPU_COND_NEVER &&
           insn->waddr_mul == VC4_QPU_W_NOP && insn->mul_a == VC4_QPU_MUX_R0 && insn->mul_b == VC4_QPU_MUX_R0;
}
