#include "isa/vc4_qpu/insn.h"

#include <string.h>

#include "isa/isa.h"
#include "util/bits.h"

#define ROW(member, lo, count) ISA_FIELD(struct vc4_qpu_insn, member, lo, count),

static const struct isa_field alu_fields[] = {
#define ALU_FIELD ROW
#include "isa/vc4_qpu/insns.inc"
};
static const struct isa_field ldi_fields[] = {
#define LDI_FIELD ROW
#include "isa/vc4_qpu/insns.inc"
};
static const struct isa_field semaphore_fields[] = {
#define SEMA_FIELD ROW
#include "isa/vc4_qpu/insns.inc"
};
static const struct isa_field branch_fields[] = {
#define BRANCH_FIELD ROW
#include "isa/vc4_qpu/insns.inc"
};

struct format {
    const struct isa_field *fields;
    size_t count;
};

#define FORMAT(fields) {fields, UTIL_ARRAY_SIZE(fields)}
static const struct format formats[] = {
    [VC4_QPU_ALU] = FORMAT(alu_fields),
    [VC4_QPU_LOAD_IMM32] = FORMAT(ldi_fields),
    [VC4_QPU_LOAD_IMM_S2] = FORMAT(ldi_fields),
    [VC4_QPU_LOAD_IMM_U2] = FORMAT(ldi_fields),
    [VC4_QPU_SEMAPHORE] = FORMAT(semaphore_fields),
    [VC4_QPU_BRANCH] = FORMAT(branch_fields),
};

/* The mode of a load immediate stands in the unpack bits (figures 5 and 6). */
static const uint8_t kind_of_mode[8] = {
    [0] = VC4_QPU_LOAD_IMM32, [1] = VC4_QPU_LOAD_IMM_S2, [2] = VC4_QPU_LOAD_IMM32, [3] = VC4_QPU_LOAD_IMM_U2,
    [4] = VC4_QPU_SEMAPHORE,  [5] = VC4_QPU_LOAD_IMM32,  [6] = VC4_QPU_LOAD_IMM32, [7] = VC4_QPU_LOAD_IMM32,
};

/* Every format has its signal in the same place; the load immediates their mode. */
static enum vc4_qpu_kind kind_of(uint64_t word)
{
    struct vc4_qpu_insn head = {0};
    isa_extract(ldi_fields, 2, &word, &head);
    if (head.sig == VC4_QPU_SIG_BRANCH)
        return VC4_QPU_BRANCH;
    if (head.sig == VC4_QPU_SIG_LOAD_IMM)
        return kind_of_mode[head.unpack];
    return VC4_QPU_ALU;
}

void vc4_qpu_decode(uint64_t word, struct vc4_qpu_insn *out)
{
    enum vc4_qpu_kind kind = kind_of(word);
    memset(out, 0, sizeof *out);
    out->word = word;
    out->kind = kind;
    isa_extract(formats[kind].fields, formats[kind].count, &word, out);
}

uint64_t vc4_qpu_encode(const struct vc4_qpu_insn *insn)
{
    uint64_t word = 0;
    isa_insert(formats[insn->kind].fields, formats[insn->kind].count, insn, &word);
    return word;
}

uint32_t vc4_qpu_small_imm(unsigned code)
{
    static const struct {
        uint8_t first, last;
        uint32_t value, step;
    } rows[] = {
#define SMALL_IMM(first, last, value, step) {first, last, value, step},
#include "isa/vc4_qpu/insns.inc"
    };
    for (size_t i = 0; i < UTIL_ARRAY_SIZE(rows); i++)
        if (code >= rows[i].first && code <= rows[i].last)
            return rows[i].value + rows[i].step * (code - rows[i].first);
    return code - 64; /* a rotation's code: its low five bits with their sign */
}
