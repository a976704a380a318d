/* What running programs do, as the scoreboard gets it: kinds, widths, bytes read and written, what masks leave out; cycles counted;
 * parameters by name. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "gpu/libresoc/cycles.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/libresoc/parameters.h"
#include "isa/simple_v/asm.h"

enum { CODE = 0x1000, MEMORY = 0x4000 };

static uint8_t memory[0x1000];
static struct simple_v_state s;
static struct simple_v_program *program;
static char seen[8192];

static bool load(void *ctx, uint64_t address, unsigned bytes, uint64_t *out)
{
    *out = 0;
    if (address < MEMORY || address - MEMORY + bytes > sizeof memory)
        return false;
    memcpy(out, memory + (address - MEMORY), bytes);
    return true;
}

static bool store(void *ctx, uint64_t address, unsigned bytes, uint64_t value)
{
    if (address < MEMORY || address - MEMORY + bytes > sizeof memory)
        return false;
    memcpy(memory + (address - MEMORY), &value, bytes);
    return true;
}

/* "x5.b2" */
static void put_element(const struct libresoc_element *e)
{
    if (!e->size)
        return;
    snprintf(seen + strlen(seen), sizeof seen - strlen(seen), " %c%u", e->file == LIBRESOC_FILE_X ? 'x' : 'f',
             e->at / 8);
    if (e->size < 8)
        snprintf(seen + strlen(seen), sizeof seen - strlen(seen), ".%c%u",
                 e->size == 1   ? 'b'
                 : e->size == 2 ? 'h'
                                : 'w',
                 e->at % 8 / e->size);
}

static void note(void *data, const struct libresoc_op *op, const struct libresoc_origin *origin)
{
    assert_ptr_equal(data, seen);
    assert_int_equal(op->instruction, origin->instruction);
    snprintf(seen + strlen(seen), sizeof seen - strlen(seen), "%s%s%u", *seen ? "; " : "",
             libresoc_kind_name(op->kind), op->width);
    put_element(&op->result);
    strcat(seen, " <-");
    for (unsigned n = 0; n < LIBRESOC_SOURCES; n++)
        put_element(&op->source[n]);
    if (op->mask.size) {
        strcat(seen, " if");
        put_element(&op->mask);
    }
    if (op->dies)
        strcat(seen, " dies");
}

static enum simple_v_fault run_it(const char *text, const struct simple_v_watch *watch)
{
    static const struct simple_v_ports ports = {NULL, load, store, NULL};
    struct util_error error = {0};
    struct simple_v_report report;
    void *code;
    uint32_t count;
    if (simple_v_asm(text, strlen(text), &code, &count, &error))
        fail_msg("%s: %s", text, error.text);
    simple_v_program_destroy(program);
    assert_int_equal(simple_v_program_create(code, count, CODE, &program, &error), 0);
    free(code);
    s.pc = CODE;
    const struct simple_v_run run = {
        .program = program, .ports = &ports, .stop = CODE + 2ull * count, .fuel = 1000, .watch = watch};
    return simple_v_run(&run, &s, &report);
}

static void begin(unsigned vl)
{
    simple_v_start(&s, CODE);
    s.mvl = s.vl = (uint8_t)vl;
    simple_v_set_x(&s, 12, MEMORY);
}

/* The text's operations are these. */
static void are(const char *text, const char *operations)
{
    struct libresoc_operations o;
    *seen = 0;
    libresoc_operations_begin(&o, note, seen);
    assert_int_equal(run_it(text, &o.watch), SIMPLE_V_OK);
    libresoc_operations_end(&o);
    if (strcmp(seen, operations) != 0)
        fail_msg("%s:\n%s\nnot\n%s", text, seen, operations);
}

static void test_scalars(void **state)
{
    (void)state;
    begin(1);
    are("add x5, x6, x7", "integer64 x5 <- x6 x7");
    are("add x5, x0, x7", "integer64 x5 <- x7");
    are("add x0, x6, x7", "integer64 <- x6 x7");
    are("lui x5, 1", "integer64 x5 <-");
    are("mulw x5, x6, x7", "multiply32 x5 <- x6 x7");
    are("mulh x5, x6, x7", "multiply64 x5 <- x6 x7");
    are("remu x5, x6, x7", "divide64 x5 <- x6 x7");
    are("lh x5, 2(x12)", "load16 x5 <- x12");
    are("sd x5, 8(x12)", "store64 <- x5 x12");
    are("amoadd.w x5, x6, (x12)", "load32 x5 <- x12 x6");
    are("lr.d x5, (x12)\nsc.d x6, x7, (x12)", "load64 x5 <- x12; store64 x6 <- x12 x7");
    are("beq x5, x6, 4", "integer64 <- x5 x6");
    are("jal x1, 4", "integer64 x1 <-");
    are("csrrw x5, fflags, x6\ncsrrwi x5, fflags, 6\nfence rw, rw",
        "integer64 x5 <- x6; integer64 x5 <-; integer64 <-");
    are("fmadd.s f1, f2, f3, f4", "float32 f1 <- f2 f3 f4"); /* the boxes, too */
    are("fdiv.d f1, f2, f3", "divide64 f1 <- f2 f3");
    are("frsqrt.s f1, f2", "divide32 f1 <- f2");
    are("fmin.s f1, f2, f3", "integer32 f1 <- f2 f3");
    are("fcvt.d.w f1, x2", "float64 f1 <- x2");
    are("feq.s x5, f2, f3", "integer32 x5 <- f2 f3");
    are("flw f1, 0(x12)", "load32 f1 <- x12");
}

static void test_elements(void **state)
{
    (void)state;
    begin(3);
    are("p48 add x32v, x40v, x48v, itype:8", "integer8 x32.b0 <- x40.b0 x48.b0; integer8 x32.b1 <- x40.b1 "
                                             "x48.b1; integer8 x32.b2 <- x40.b2 x48.b2");
    are("p48 fmul.s f32v, f40v, f1",
        "float32 f32.w0 <- f40.w0 f1; float32 f32.w1 <- f40.w1 f1; float32 f33.w0 <- f41.w0 f1");
    are("p48 flw f32v, 0(x12)", "load32 f32.w0 <- x12; load32 f32.w1 <- x12; load32 f33.w0 <- x12");
    are("vblock both:2, regs(x5=x40v:16, x6=x48v:8) { add x5, x6, x7 }",
        "integer64 x40.h0 <- x48.b0 x7; integer64 x40.h1 <- x48.b1 x7");
    are("vblock both:2, regs(f5=f40v) { fadd.s f5, f5, f5 ; c.nop }",
        "float32 f40 <- f40 f40; float32 f41 <- f41 f41; integer64 <-");
}

static void test_lengths(void **state)
{
    (void)state;
    begin(4);
    are("vblock both:1, to:x6, regs(x5=x40v) { add x5, x6, x7 ; c.nop }",
        "integer64 x6 <-; integer64 x40 <- x6 x7; integer64 <-");
    are("vblock setvl:1, from:x12, to:x9, regs(x5=x40v) { add x5, x6, x7 ; c.nop }",
        "integer64 x9 <- x12; integer64 x40 <- x6 x7; integer64 <-");
    are("p64 add x33v, x65v, x97v, itype:8, vl:x12, to:x5",
        "integer64 x5 <- x12; integer8 x33.b0 <- x65.b0 x97.b0");
}

static void test_masks(void **state)
{
    (void)state;
    begin(3);
    simple_v_set_x(&s, 9, 5);
    are("p48 add x32v, x40v, x48v, itype:32, pred:x9",
        "integer32 x32.w0 <- x40.w0 x48.w0 if x9; integer32 x32.w1 <- x40.w1 x48.w1 if x9 dies; "
        "integer32 x33.w0 <- x41.w0 x49.w0 if x9");
    /* The source's side and the result's. */
    simple_v_set_x(&s, 10, 6);
    are("p48 addi x32v, x40v, 1, itype:32, src:x9, dst:x10",
        "integer32 x32.w0 <- x9 if x10 dies; integer32 x32.w1 <- x9 x40.w0 if x10; "
        "integer32 <- x9 x40.w1 if x10 dies; integer32 x33.w0 <- x9 x41.w0 if x10");
    /* Zeroing writes. */
    are("vblock regs(x5=x40v), preds(x5=x9.z) { add x5, x6, x7 }",
        "integer64 x40 <- x6 x7 if x9; integer64 x41 <- if x9; integer64 x42 <- x6 x7 if x9");
}

static void test_moves(void **state)
{
    (void)state;
    begin(1);
    are("p48 fmv.swizzle f32v, f40v, wzyx, itype:32, svlen:4",
        "integer32 f32.w0 <- f41.w1; integer32 f32.w1 <- f41.w0; integer32 f33.w0 <- f40.w1; integer32 "
        "f33.w1 <- f40.w0");
    are("p48 fmv.swizzle f32v, f40v, xxxx, itype:16, svlen:2",
        "integer16 f32.h0 <- f40.h0; integer16 f32.h1 <- f40.h0");
    begin(2);
    simple_v_set_x(&s, 7, 3);
    simple_v_set_x(&s, 6, 1);
    are("vblock regs(x5=x40v, x6=x48v) { mv.x x5, x6, x7 }",
        "integer64 x40 <- x7 x51; integer64 x41 <- x7 x51");
    are("vblock regs(x5=x40v), preds(x6=x9) { beq x5, x6, 0 ; c.nop }",
        "integer64 <- x40 x6 if x9; integer64 <- x41 x6 if x9; integer64 x9 <- if x9; integer64 <-");
}

/* The same registers and memory with the model and without. */
static void test_changes_nothing(void **state)
{
    (void)state;
    static const char text[] = "p48 add x32v, x12, x48v, itype:16, pred:x9\n"
                               "vblock regs(x6=x64v:8, x12=x12), preds(x6=!x0.ff) { lbu x6, 0(x12) }\n"
                               "p48 sw x32v, 64(x12), itype:32, src:x9, dst:x10\n";
    struct simple_v_state first, watched;
    struct libresoc_operations o;
    uint8_t after[sizeof memory];
    begin(20);
    simple_v_set_x(&s, 9, 0x35a5a);
    simple_v_set_x(&s, 10, 0xf0f0f);
    first = s;
    memset(memory, 0x11, sizeof memory);
    assert_int_equal(run_it(text, NULL), SIMPLE_V_OK);
    watched = s;
    memcpy(after, memory, sizeof memory);
    s = first;
    memset(memory, 0x11, sizeof memory);
    *seen = 0;
    libresoc_operations_begin(&o, note, seen);
    assert_int_equal(run_it(text, &o.watch), SIMPLE_V_OK);
    assert_memory_equal(&s, &watched, sizeof s);
    assert_memory_equal(memory, after, sizeof memory);
}

/* ---- cycles ---- */

static struct libresoc_cycles cycles;

static void take(void *data, const struct libresoc_op *op, const struct libresoc_origin *origin)
{
    libresoc_cycles_take(data, op, origin);
}

static void test_cycles(void **state)
{
    (void)state;
    static const char text[] =
        "addi x5, x0, 3\nagain:\nvblock both:4, regs(x6=x40v, x7=x48v) { add x6, x7, x8 }\n"
        "addi x5, x5, -1\nbne x5, x0, again\n";
    struct libresoc_operations o;
    const struct libresoc_core core = libresoc_core_default();
    begin(1);
    assert_int_equal(run_it(text, NULL), SIMPLE_V_OK); /* for the program alone */
    struct simple_v_program *const kept = program;
    program = NULL;
    assert_int_equal(libresoc_cycles_init(&cycles, &core, kept), 0);
    libresoc_operations_begin(&o, take, &cycles);
    begin(1);
    assert_int_equal(run_it(text, &o.watch), SIMPLE_V_OK);
    libresoc_operations_end(&o);
    libresoc_cycles_end(&cycles);
    const struct libresoc_totals totals = libresoc_scoreboard_totals(cycles.board);
    assert_int_equal(totals.ops, 1 + 3 * (4 + 2));
    assert_int_equal(cycles.instructions, 1 + 3 * 3);
    assert_int_equal(cycles.kinds[LIBRESOC_KIND_INTEGER], totals.ops);
    /* All cycles up to the last issue are somebody's, and have so many issues. */
    uint64_t sum = 0, issues = 0, cost = 0, ops = 0;
    for (uint32_t n = 0; n <= core.issue; n++) {
        sum += cycles.issued[n];
        issues += n * cycles.issued[n];
    }
    for (uint32_t n = 0; n < kept->count; n++) {
        cost += cycles.cost[n].cycles;
        ops += cycles.cost[n].ops;
    }
    assert_int_equal(issues, totals.ops);
    assert_int_equal(sum, cost);
    assert_int_equal(ops, totals.ops);
    assert_true(sum < totals.cycles);
    const uint32_t block = 2, head = kept->blocks[kept->block[block] - 1].head;
    assert_int_equal(cycles.cost[block + head].times, 3);
    assert_int_equal(cycles.cost[block + head].ops, 12);
    /* A unit of 64 bits is two of 32, held from issue to write. */
    assert_true(totals.busy32 >= totals.ops * 2 * 3 && totals.busy8 == 0);
    libresoc_cycles_finish(&cycles);
    simple_v_program_destroy(kept);
}

static void test_parameters(void **state)
{
    (void)state;
    struct libresoc_core core = libresoc_core_default();
    const struct libresoc_parameter *p;
    for (unsigned n = 0; (p = libresoc_parameter_at(n)); n++) {
        assert_ptr_equal(libresoc_parameter_find(p->name, strlen(p->name)), p);
        const uint32_t usual = libresoc_parameter_get(p, &core), other = usual == p->max ? p->min : p->max;
        assert_true(usual >= p->min && usual <= p->max && usual % p->step == 0);
        assert_false(libresoc_parameter_set(p, (uint64_t)p->max + p->step, &core));
        assert_int_equal(libresoc_parameter_get(p, &core), usual);
        assert_true(libresoc_parameter_set(p, other, &core));
        assert_int_equal(libresoc_parameter_get(p, &core), other);
        struct libresoc_scoreboard *board; /* what the names take the scoreboard takes */
        assert_int_equal(libresoc_scoreboard_create(&core, &board), 0);
        libresoc_scoreboard_destroy(board);
        assert_true(libresoc_parameter_set(p, usual, &core));
    }
    const struct libresoc_core usual = libresoc_core_default();
    assert_memory_equal(&core, &usual, sizeof core);
    assert_null(libresoc_parameter_find("units3", 6));
    assert_false(libresoc_parameter_set(libresoc_parameter_find("units32", 7), 3, &core));
}

static int drop(void **state)
{
    (void)state;
    simple_v_program_destroy(program);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_scalars), cmocka_unit_test(test_elements),
                                       cmocka_unit_test(test_lengths), cmocka_unit_test(test_masks),
                                       cmocka_unit_test(test_moves),   cmocka_unit_test(test_changes_nothing),
                                       cmocka_unit_test(test_cycles),  cmocka_unit_test(test_parameters)};
    return cmocka_run_group_tests(tests, NULL, drop);
}
