/* The interpreter's branches, and what it asks of the world around it: fuel, uniforms, texture units,
 * varyings, the tile. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "tests/isa/qpu_bench.h"

/* ---- branches ---- */

static struct vc4_qpu_insn branch_to(int32_t bytes, unsigned cond)
{
    return (struct vc4_qpu_insn){.kind = VC4_QPU_BRANCH,
                                 .sig = VC4_QPU_SIG_BRANCH,
                                 .branch_cond = (uint8_t)cond,
                                 .branch_rel = true,
                                 .waddr_add = VC4_QPU_W_NOP,
                                 .waddr_mul = VC4_QPU_W_NOP,
                                 .imm = (uint32_t)bytes};
}

static struct vc4_qpu_insn count_up(void)
{
    struct vc4_qpu_insn insn = nop();
    insn.sig = VC4_QPU_SIG_SMALL_IMM;
    insn.raddr_b = 1;
    insn.op_add = VC4_QPU_A_ADD;
    insn.add_a = VC4_QPU_MUX_R0;
    insn.add_b = VC4_QPU_MUX_B;
    insn.cond_add = VC4_QPU_COND_ALWAYS;
    insn.waddr_add = VC4_QPU_W_ACC0;
    return insn;
}

static void branches_run_their_delay_slots(void **state)
{
    struct bench bench = {0};
    struct vc4_qpu_insn link = branch_to(8, VC4_QPU_BR_ALWAYS); /* skips one behind the slots */

    link.waddr_mul = 9; /* mul writes file B */
    emit(&bench, link);
    for (unsigned i = 0; i < 4; i++)
        emit(&bench, count_up());
    emit_end(&bench);
    assert_int_equal(run(&bench), VC4_QPU_OK);
    assert_int_equal(bench.state.r[0][0], 3);
    assert_int_equal(bench.state.b[9][7], 32);
}

static void branch_conditions(void **state)
{
    static const struct {
        uint8_t cond;
        bool none, some, all; /* taken with no, some or all of the lanes' flag set */
    } cases[] = {{VC4_QPU_BR_ALL_ZS, false, false, true}, {VC4_QPU_BR_ALL_ZC, true, false, false},
                 {VC4_QPU_BR_ANY_ZS, false, true, true},  {VC4_QPU_BR_ANY_ZC, true, true, false},
                 {VC4_QPU_BR_ALL_NS, false, false, true}, {VC4_QPU_BR_ALL_NC, true, false, false},
                 {VC4_QPU_BR_ANY_NS, false, true, true},  {VC4_QPU_BR_ANY_NC, true, true, false},
                 {VC4_QPU_BR_ALL_CS, false, false, true}, {VC4_QPU_BR_ALL_CC, true, false, false},
                 {VC4_QPU_BR_ANY_CS, false, true, true},  {VC4_QPU_BR_ANY_CC, true, true, false},
                 {VC4_QPU_BR_ALWAYS, true, true, true}};

    for (size_t i = 0; i < UTIL_ARRAY_SIZE(cases); i++)
        for (unsigned set = 0; set < 3; set++) {
            struct bench bench = {0};
            unsigned flag = cases[i].cond / 4;
            /* The wanted flag from one add: Z 0+0, N -1+0, C 1.0+0 (fadd); none of them: 5 + 0 as an integer.
             */
            struct vc4_qpu_insn insn = add_insn(flag == 2 || flag == 3 ? VC4_QPU_A_FADD : VC4_QPU_A_ADD);
            for (unsigned lane = 0; lane < 16; lane++) {
                bool on = set == 2 || (set == 1 && lane == 6);
                uint32_t with = flag == 0 ? 0 : flag == 1 ? 0xffffffff : 0x3f800000;
                bench.start.ra15[lane] = on ? with : flag == 0 || flag == 1 ? 5 : 0;
            }
            insn.sf = true;
            insn.waddr_add = VC4_QPU_W_NOP;
            emit(&bench, insn);
            emit(&bench, branch_to(8, cases[i].cond));
            for (unsigned k = 0; k < 3; k++)
                emit(&bench, nop());
            emit(&bench, count_up());
            emit_end(&bench);
            assert_int_equal(run(&bench), VC4_QPU_OK);
            bool taken = set == 0 ? cases[i].none : set == 1 ? cases[i].some : cases[i].all;
            if (bench.state.r[0][0] != !taken)
                fail_msg("condition %u with flags %u: %s", cases[i].cond, set, taken ? "not taken" : "taken");
        }
}

static void fuel_ends_loops(void **state)
{
    struct bench bench = {0};

    bench.start.fuel = 10 * 5 + 4; /* a round has five instructions */
    emit(&bench, count_up());
    emit(&bench, branch_to(-40, VC4_QPU_BR_ANY_ZC)); /* Z is clear everywhere: back to the first */
    for (unsigned i = 0; i < 3; i++)
        emit(&bench, nop());
    emit_end(&bench);
    assert_int_equal(run(&bench), VC4_QPU_FAULT_FUEL);
    assert_int_equal(bench.report.pc, 1);
    assert_int_equal(bench.state.r[0][0], 11);
}

static void bad_branches_fault(void **state)
{
    struct bench bench = {0};
    struct vc4_qpu_insn reg = branch_to(0, VC4_QPU_BR_ALWAYS);

    reg.branch_reg = true;
    reg.branch_raddr = 15;
    bench.start.ra15[15] = 4; /* not an instruction */
    emit(&bench, reg);
    for (unsigned i = 0; i < 3; i++)
        emit(&bench, nop());
    emit_end(&bench);
    assert_int_equal(run(&bench), VC4_QPU_FAULT_PC);
    assert_int_equal(bench.report.address, 36);
    bench.start.ra15[15] = 0x1000;
    assert_int_equal(run(&bench), VC4_QPU_FAULT_PC);
    bench.start.ra15[15] = 0;
    assert_int_equal(run(&bench), VC4_QPU_OK);

    struct bench slot = {0};
    emit(&slot, branch_to(0, VC4_QPU_BR_ALL_NS)); /* not taken: the slots are slots all the same */
    emit(&slot, nop());
    emit(&slot, branch_to(0, VC4_QPU_BR_ALL_NS));
    for (unsigned i = 0; i < 3; i++)
        emit(&slot, nop());
    emit_end(&slot);
    assert_int_equal(run(&slot), VC4_QPU_FAULT_RESERVED);
    assert_int_equal(slot.report.pc, 2);

    struct bench end = {0};
    emit_end(&end);
    end.words[1] = end.words[0];
    assert_int_equal(run(&end), VC4_QPU_OK); /* a second end changes nothing */
    struct vc4_qpu_insn not_taken = branch_to(0, VC4_QPU_BR_ALL_NS);
    end.words[2] = vc4_qpu_encode(&not_taken);
    assert_int_equal(run(&end), VC4_QPU_FAULT_RESERVED);
    assert_int_equal(end.report.pc, 2);
}

/* ---- ports ---- */

/* A world that writes down what it is asked. */
struct world {
    uint32_t uniforms[16], next_result;
    unsigned uniform_reads, varying_reads, requests;
    uint32_t s0, t0, params[4], param_count, color[16], color_lanes, setup;
    bool has_t, has_r, all;
};

static enum vc4_qpu_fault world_uniform(void *ctx, uint32_t address, uint32_t *value,
                                        struct vc4_qpu_report *report)
{
    struct world *world = ctx;
    if (address < 0x100 || address >= 0x140)
        return VC4_QPU_FAULT_UNIFORM;
    world->uniform_reads++;
    *value = world->uniforms[(address - 0x100) / 4];
    return VC4_QPU_OK;
}

static enum vc4_qpu_fault world_varying(void *ctx, uint32_t n, uint32_t vary[16], uint32_t c[16],
                                        struct vc4_qpu_report *report)
{
    struct world *world = ctx;
    assert_int_equal(n, world->varying_reads++);
    for (unsigned lane = 0; lane < 16; lane++) {
        vary[lane] = n * 100 + lane;
        c[lane] = n + 1000;
    }
    return VC4_QPU_OK;
}

static enum vc4_qpu_fault world_request(void *ctx, unsigned unit, const uint32_t *s, const uint32_t *t,
                                        const uint32_t *r, const uint32_t *b, const uint32_t *params,
                                        unsigned param_count, struct vc4_qpu_report *report)
{
    struct world *world = ctx;
    world->requests++;
    world->s0 = s[0];
    world->t0 = t ? t[0] : 0;
    world->has_t = t;
    world->has_r = r;
    memcpy(world->params, params, param_count * sizeof *params);
    world->param_count = param_count;
    return VC4_QPU_OK;
}

static enum vc4_qpu_fault world_load(void *ctx, unsigned unit, uint32_t out[16],
                                     struct vc4_qpu_report *report)
{
    struct world *world = ctx;
    for (unsigned lane = 0; lane < 16; lane++)
        out[lane] = ++world->next_result;
    return VC4_QPU_OK;
}

static enum vc4_qpu_fault world_color(void *ctx, bool all, const uint32_t value[16], uint16_t lanes,
                                      struct vc4_qpu_report *report)
{
    struct world *world = ctx;
    memcpy(world->color, value, sizeof world->color);
    world->color_lanes = lanes;
    world->all = all;
    return VC4_QPU_OK;
}

static enum vc4_qpu_fault world_setup(void *ctx, uint32_t value, struct vc4_qpu_report *report)
{
    ((struct world *)ctx)->setup = value;
    return VC4_QPU_OK;
}

static void world_init(struct bench *bench, struct world *world)
{
    bench->start.uniforms = 0x100;
    bench->ports = (struct vc4_qpu_ports){.ctx = world,
                                          .uniform = world_uniform,
                                          .varying = world_varying,
                                          .tmu_request = world_request,
                                          .tmu_load = world_load,
                                          .color_write = world_color,
                                          .vpm_read_setup = world_setup};
    for (unsigned i = 0; i < 16; i++)
        world->uniforms[i] = 0xa0 + i;
}

static void uniforms_and_texture_words(void **state)
{
    struct world world = {0};
    struct bench bench = {0};
    struct vc4_qpu_insn both = add_insn(VC4_QPU_A_ADD);

    world_init(&bench, &world);
    both.raddr_a = both.raddr_b = VC4_QPU_R_UNIFORM; /* one word: a0 + a0 */
    emit(&bench, both);
    emit(&bench, load_imm(VC4_QPU_W_TMU0_T, 7));      /* pulls a1 */
    struct vc4_qpu_insn mov = add_insn(VC4_QPU_A_OR); /* S from a uniform: a2, then the set-up word a3 */
    mov.raddr_a = VC4_QPU_R_UNIFORM;
    mov.add_b = VC4_QPU_MUX_A;
    mov.waddr_add = VC4_QPU_W_TMU0_S;
    emit(&bench, mov);
    struct vc4_qpu_insn load = nop();
    load.sig = VC4_QPU_SIG_LOAD_TMU0;
    emit(&bench, load);
    emit_end(&bench);
    assert_int_equal(run(&bench), VC4_QPU_OK);
    assert_int_equal(bench.state.r[0][0], 0x140);
    assert_int_equal(world.uniform_reads, 4);
    assert_int_equal(world.s0, 0xa2);
    assert_int_equal(world.t0, 7);
    assert_int_equal(world.param_count, 2);
    assert_int_equal(world.params[0], 0xa1);
    assert_int_equal(world.params[1], 0xa3);
    assert_false(world.has_r);
    assert_int_equal(bench.state.r[4][3], 4);
}

static void direct_lookups_and_resets(void **state)
{
    struct world world = {0};
    struct bench bench = {0};

    world_init(&bench, &world);
    emit(&bench, load_imm(VC4_QPU_W_UNIFORMS_ADDRESS, 0x110));
    emit(&bench, load_imm(VC4_QPU_W_TMU1_S, 0x40)); /* no word */
    struct vc4_qpu_insn mov = add_insn(VC4_QPU_A_OR);
    mov.raddr_b = VC4_QPU_R_UNIFORM;
    mov.add_a = VC4_QPU_MUX_B;
    emit(&bench, mov);
    emit_end(&bench);
    assert_int_equal(run(&bench), VC4_QPU_OK);
    assert_int_equal(world.param_count, 0);
    assert_false(world.has_t);
    assert_int_equal(bench.state.r[0][0], 0xa4);

    bench.words[0] = vc4_qpu_encode(&(struct vc4_qpu_insn){.kind = VC4_QPU_LOAD_IMM32,
                                                           .sig = VC4_QPU_SIG_LOAD_IMM,
                                                           .cond_add = VC4_QPU_COND_ALWAYS,
                                                           .waddr_add = VC4_QPU_W_UNIFORMS_ADDRESS,
                                                           .waddr_mul = VC4_QPU_W_NOP,
                                                           .imm = 0x140});
    assert_int_equal(run(&bench), VC4_QPU_FAULT_UNIFORM);
    assert_int_equal(bench.report.pc, 2);
    assert_int_equal(bench.report.address, 0x140);
}

static void varyings_set_r5_afterwards(void **state)
{
    struct world world = {0};
    struct bench bench = {0};
    struct vc4_qpu_insn read = nop();

    world_init(&bench, &world);
    read.raddr_a = read.raddr_b = VC4_QPU_R_VARYING;
    read.op_add = VC4_QPU_A_ADD;
    read.add_a = VC4_QPU_MUX_A;
    read.add_b = VC4_QPU_MUX_R5;
    read.cond_add = VC4_QPU_COND_ALWAYS;
    read.waddr_add = VC4_QPU_W_ACC0;
    emit(&bench, read);
    read.waddr_add = VC4_QPU_W_ACC1;
    emit(&bench, read);
    emit_end(&bench);
    assert_int_equal(run(&bench), VC4_QPU_OK);
    assert_int_equal(bench.state.r[0][5], 5);
    assert_int_equal(bench.state.r[1][5], 105 + 1000);
    assert_int_equal(bench.state.r[5][5], 1001);
}

static void conditional_color_writes_and_absent_ports(void **state)
{
    struct world world = {0};
    struct bench bench = {0};
    struct vc4_qpu_insn insn = add_insn(VC4_QPU_A_OR);

    world_init(&bench, &world);
    bench.start.ra15[2] = bench.start.ra15[9] = 5;
    insn.sf = true;
    emit(&bench, insn); /* Z clear in lanes 2 and 9 */
    insn = load_imm(VC4_QPU_W_TLB_COLOR_ALL, 0x11223344);
    insn.cond_add = VC4_QPU_COND_ZC;
    emit(&bench, insn);
    emit(&bench, load_imm(VC4_QPU_W_VPM_SETUP, 0x1234)); /* add unit, file A: reads */
    struct vc4_qpu_insn never = load_imm(VC4_QPU_W_TLB_Z, 1);
    never.cond_add = VC4_QPU_COND_NEVER; /* does not happen, so needs no port */
    emit(&bench, never);
    emit_end(&bench);
    assert_int_equal(run(&bench), VC4_QPU_OK);
    assert_int_equal(world.color_lanes, 1 << 2 | 1 << 9);
    assert_true(world.all);
    assert_int_equal(world.setup, 0x1234);

    struct bench absent = {0};
    emit(&absent, load_imm(VC4_QPU_W_TLB_Z, 1));
    emit_end(&absent);
    assert_int_equal(run(&absent), VC4_QPU_FAULT_UNSUPPORTED);
}

/* Both units to one register: the mul write comes second, where its condition holds. */
static void mul_write_comes_last(void **state)
{
    struct bench bench = {0};
    struct vc4_qpu_insn insn = add_insn(VC4_QPU_A_OR), flags = add_insn(VC4_QPU_A_OR);

    for (unsigned lane = 0; lane < 16; lane++)
        bench.start.ra15[lane] = lane < 8;
    flags.sf = true;
    flags.waddr_add = VC4_QPU_W_NOP;
    emit(&bench, flags);
    insn.op_mul = VC4_QPU_M_V8ADDS; /* twice ra15 */
    insn.mul_a = insn.mul_b = VC4_QPU_MUX_A;
    insn.cond_mul = VC4_QPU_COND_ZC;
    insn.waddr_mul = VC4_QPU_W_ACC0;
    emit(&bench, insn);
    emit_end(&bench);
    assert_int_equal(run(&bench), VC4_QPU_OK);
    assert_int_equal(bench.state.r[0][0], 2);
    assert_int_equal(bench.state.r[0][8], 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(branches_run_their_delay_slots),
        cmocka_unit_test(branch_conditions),
        cmocka_unit_test(fuel_ends_loops),
        cmocka_unit_test(bad_branches_fault),
        cmocka_unit_test(uniforms_and_texture_words),
        cmocka_unit_test(direct_lookups_and_resets),
        cmocka_unit_test(varyings_set_r5_afterwards),
        cmocka_unit_test(conditional_color_writes_and_absent_ports),
        cmocka_unit_test(mul_write_comes_last),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
