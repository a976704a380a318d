#include "isa/utgard_gp/names.h"

#include "isa/isa.h"
#include "util/bits.h"

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

#define LIST(names) {names, UTIL_ARRAY_SIZE(names)}
static const struct {
    const struct isa_name *names;
    size_t count;
} lists[] = {
    [UTGARD_GP_SRCS] = LIST(srcs),
    [UTGARD_GP_STORES] = LIST(stores),
    [UTGARD_GP_ACC_OPS] = LIST(acc_ops),
    [UTGARD_GP_MUL_OPS] = LIST(mul_ops),
    [UTGARD_GP_COMPLEX_OPS] = LIST(complex_ops),
    [UTGARD_GP_PASS_OPS] = LIST(pass_ops),
};

const char *utgard_gp_name(enum utgard_gp_list list, uint32_t value)
{
    return isa_name_text(lists[list].names, lists[list].count, value);
}

bool utgard_gp_named(enum utgard_gp_list list, const char *text, size_t length, uint32_t *value)
{
    return isa_name_value(lists[list].names, lists[list].count, text, length, value);
}
