/* What the tests of the QPU interpreter share: small programs built, run and looked at. Behind cmocka.h. */
#ifndef VITRAIL_TESTS_ISA_QPU_BENCH_H
#define VITRAIL_TESTS_ISA_QPU_BENCH_H

#include "isa/vc4_qpu/interp.h"
#include "util/bits.h"
#include "util/fpenv.h"

#define MAX_INSNS 32

struct bench {
    uint64_t words[MAX_INSNS];
    uint32_t count;
    struct vc4_qpu_start start;
    struct vc4_qpu_ports ports;
    struct vc4_qpu_state state;
    struct vc4_qpu_report report;
};

static inline struct vc4_qpu_insn nop(void)
{
    return (struct vc4_qpu_insn){.kind = VC4_QPU_ALU,
                                 .sig = VC4_QPU_SIG_NONE,
                                 .waddr_add = VC4_QPU_W_NOP,
                                 .waddr_mul = VC4_QPU_W_NOP,
                                 .raddr_a = VC4_QPU_R_NOP,
                                 .raddr_b = VC4_QPU_R_NOP};
}

static inline void emit(struct bench *bench, struct vc4_qpu_insn insn)
{
    assert_true(bench->count < MAX_INSNS);
    bench->words[bench->count++] = vc4_qpu_encode(&insn);
}

static inline void emit_end(struct bench *bench)
{
    struct vc4_qpu_insn end = nop();
    end.sig = VC4_QPU_SIG_PROGRAM_END;
    emit(bench, end);
    emit(bench, nop());
    emit(bench, nop());
}

static inline enum vc4_qpu_fault run(struct bench *bench)
{
    struct vc4_qpu_program *program = NULL;
    struct util_error error = {0};

    if (vc4_qpu_program_create(bench->words, bench->count, &program, &error) < 0)
        fail_msg("%s", error.text);
    unsigned saved = util_fpenv_enter();
    enum vc4_qpu_fault fault =
        vc4_qpu_interp(program, &bench->start, &bench->ports, &bench->state, NULL, NULL, &bench->report);
    util_fpenv_leave(saved);
    vc4_qpu_program_destroy(program);
    assert_int_equal(fault, bench->report.fault);
    return fault;
}

/* r0 = add op on ra15, rb15. */
static inline struct vc4_qpu_insn add_insn(unsigned op)
{
    struct vc4_qpu_insn insn = nop();
    insn.op_add = (uint8_t)op;
    insn.cond_add = VC4_QPU_COND_ALWAYS;
    insn.waddr_add = VC4_QPU_W_ACC0;
    insn.raddr_a = insn.raddr_b = 15;
    insn.add_a = VC4_QPU_MUX_A;
    insn.add_b = VC4_QPU_MUX_B;
    return insn;
}

static inline struct vc4_qpu_insn mul_insn(unsigned op)
{
    struct vc4_qpu_insn insn = nop();
    insn.op_mul = (uint8_t)op;
    insn.cond_mul = VC4_QPU_COND_ALWAYS;
    insn.waddr_mul = VC4_QPU_W_ACC0;
    insn.raddr_a = insn.raddr_b = 15;
    insn.mul_a = VC4_QPU_MUX_A;
    insn.mul_b = VC4_QPU_MUX_B;
    return insn;
}

static inline struct vc4_qpu_insn load_imm(unsigned waddr, uint32_t value)
{
    struct vc4_qpu_insn insn = {.kind = VC4_QPU_LOAD_IMM32,
                                .sig = VC4_QPU_SIG_LOAD_IMM,
                                .cond_add = VC4_QPU_COND_ALWAYS,
                                .waddr_add = (uint8_t)waddr,
                                .waddr_mul = VC4_QPU_W_NOP,
                                .imm = value};
    return insn;
}

#endif
