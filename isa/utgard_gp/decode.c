#include <string.h>

#include "isa/isa.h"
#include "isa/utgard_gp/insn.h"
#include "util/bits.h"

static const struct isa_field fields[] = {
#define FIELD(member, lo, count) ISA_FIELD(struct utgard_gp_insn, member, lo, count),
#include "isa/utgard_gp/insns.inc"
};

const struct utgard_gp_insn utgard_gp_nop = {
    .mul_a = {UTGARD_GP_SRC_NONE, UTGARD_GP_SRC_NONE},
    .mul_b = {UTGARD_GP_SRC_NONE, UTGARD_GP_SRC_NONE},
    .acc_a = {UTGARD_GP_SRC_NONE, UTGARD_GP_SRC_NONE},
    .acc_b = {UTGARD_GP_SRC_NONE, UTGARD_GP_SRC_NONE},
    .complex_src = UTGARD_GP_SRC_NONE,
    .pass_src = UTGARD_GP_SRC_NONE,
    .pass_op = UTGARD_GP_PASS_PASS,
    .load_offset = UTGARD_GP_OFFSET_NONE,
    .store_src = {{UTGARD_GP_STORE_NONE, UTGARD_GP_STORE_NONE}, {UTGARD_GP_STORE_NONE, UTGARD_GP_STORE_NONE}},
};

void utgard_gp_decode(const uint64_t word[UTGARD_GP_WORDS], struct utgard_gp_insn *out)
{
    memset(out, 0, sizeof *out);
    memcpy(out->word, word, sizeof out->word);
    isa_extract(fields, UTIL_ARRAY_SIZE(fields), word, out);
}

void utgard_gp_encode(const struct utgard_gp_insn *insn, uint64_t word[UTGARD_GP_WORDS])
{
    memset(word, 0, UTGARD_GP_WORDS * sizeof *word);
    isa_insert(fields, UTIL_ARRAY_SIZE(fields), insn, word);
}

uint8_t utgard_gp_mark(const struct utgard_gp_insn *insn)
{
    return insn->store_temporary[0] || insn->store_temporary[1] ? UTGARD_GP_MARK_TEMPORARY
           : insn->branch                                       ? UTGARD_GP_MARK_BRANCH
                                                                : UTGARD_GP_MARK_NONE;
}
