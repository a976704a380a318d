#include "isa/utgard_gp/names.h"

static const struct isa_name srcs[] = {
#define SRC(value, text) {value, text},
#include "isa/utgard_gp/insns.inc"
};
static const struct isa_name stores[] = {
#define STORE(value, text) {value, text},
#include "isa/utgard_gp/insns.inc"
};
static const struct isa_name acc_ops[] = {
#define ACC_OP(name, text) {UTGARD_GP_ACC_##name, text},
#include "isa/utgard_gp/insns.inc"
};
static const struct isa_name mul_ops[] = {
#define MUL_OP(name, text) {UTGARD_GP_MUL_##name, text},
#include "isa/utgard_gp/insns.inc"
};
static const struct isa_name complex_ops[] = {
#define COMPLEX_OP(name, text) {UTGARD_GP_COMPLEX_##name, text},
#include "isa/utgard_gp/insns.inc"
};
static const struct isa_name pass_ops[] = {
#define PASS_OP(name, text) {UTGARD_GP_PASS_##name, text},
#include "isa/utgard_gp/insns.inc"
};

const struct isa_names utgard_gp_lists[] = {
    [UTGARD_GP_SRCS] = ISA_NAMES(srcs),
    [UTGARD_GP_STORES] = ISA_NAMES(stores),
    [UTGARD_GP_ACC_OPS] = ISA_NAMES(acc_ops),
    [UTGARD_GP_MUL_OPS] = ISA_NAMES(mul_ops),
    [UTGARD_GP_COMPLEX_OPS] = ISA_NAMES(complex_ops),
    [UTGARD_GP_PASS_OPS] = ISA_NAMES(pass_ops),
};
