/* The digest's T9: an access that faults at any of its elements stops there, interpreted and compiled alike; registers, memory, PC,
 * PCVBLK and STATE as numbers are all that another thread needs to go on, once the address is good, to the end that the
 * program has without a fault. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "isa/simple_v/asm.h"
#include "fuzz/world/simple_v.h"
#include "fuzz/world/world.h"
#include "util/bits.h"
#include "util/fpenv.h"

enum { ADDRESSES = 64, NOWHERE = 0x10, PCVBLK_INSIDE = 1u << 31, PCVBLK_OPPTR = 31 };

/* Addresses are x64 to x75; `elements` of a vector, sub-vectors of `subvl`, the instruction that faults `at` halfwords from the
 * first opcode of a VBLOCK. */
static const struct row {
    const char *text, *name;
    unsigned elements, subvl, at;
    enum simple_v_fault fault;
} rows[] = {
    {"sv.setvl x0, x0, 12\np48 lwu x20v, 0(x64v)\nvblock regs(x5=x40v:8, x6=x64v, x7=x20v) { c.nop ; lbu x5, "
     "1(x6) }\np48 add x30v, x20v, x40v",
     "lwu", 12, 1, 0, SIMPLE_V_FAULT_LOAD},
    {"vblock both:12, regs(x5=x40v:8, x6=x64v), preds(x5=x9, x6=x9) { c.nop ; lbu x5, 1(x6) }\np48 add x30v, "
     "x40v, x40v",
     "lbu", 12, 1, 1, SIMPLE_V_FAULT_LOAD},
    {"vblock both:4, subvl:3, regs(x5=x40v:16, x6=x64v) { c.nop ; c.nop ; sh x5, 8(x6) }\np48 lhu x20v, "
     "8(x64v)",
     "sh", 4, 3, 2, SIMPLE_V_FAULT_STORE},
    {"vblock both:12, regs(x5=x20v, x6=x64v, x7=x40v) { amoadd.w x5, x7, (x6) ; c.nop }\np48 add x30v, x20v, "
     "x40v",
     "amoadd.w", 12, 1, 0, SIMPLE_V_FAULT_STORE},
};

static void begin(struct world_simple_v *w, const struct simple_v_program *program)
{
    world_simple_v_begin(w, program);
    for (unsigned n = 8; n < SIMPLE_V_FILE_BYTES; n++)
        w->thread.state.x[n] = w->thread.state.f[n] = (uint8_t)(n * 7);
    for (unsigned n = 0; n < WORLD_SIMPLE_V_MEMORY; n++)
        w->memory[n] = (uint8_t)(n * 5);
    for (unsigned n = 0; n < 12; n++)
        simple_v_set_x(&w->thread.state, ADDRESSES + n, WORLD_SIMPLE_V_AT + 0x800 + 0x40 * n);
    simple_v_set_x(&w->thread.state, 9, 0xfff);
}

static const struct simple_v_block *block_of(const struct simple_v_program *p, const struct simple_v_state *s)
{
    const uint32_t number = p->block[(s->pc - p->address) / 2];
    return s->in_block ? &p->blocks[number - 1] : NULL;
}

/* A thread that knows no more of the first than registers, memory and numbers. */
static void resume(struct world_simple_v *w, const struct world_simple_v *from)
{
    const struct simple_v_state *had = &from->thread.state;
    const uint32_t state = simple_v_pack_state(had),
                   pcvblk = simple_v_pack_pcvblk(had, block_of(from->program, had), 0);
    world_simple_v_begin(w, from->program);
    struct simple_v_state *s = &w->thread.state;
    memcpy(s->x, had->x, sizeof s->x);
    memcpy(s->f, had->f, sizeof s->f);
    memcpy(w->memory, from->memory, sizeof w->memory);
    simple_v_unpack_state(s, state);
    s->pc = had->pc;
    s->in_block = pcvblk >= PCVBLK_INSIDE;
    s->opptr = pcvblk & PCVBLK_OPPTR;
}

static void check_fault(const struct row *row, const struct world_simple_v *w, unsigned element)
{
    const struct simple_v_report *r = &w->thread.report;
    const struct simple_v_state *s = &w->thread.state;
    assert_int_equal(r->fault, row->fault);
    assert_string_equal(r->name, row->name);
    assert_int_equal(r->at, row->at);
    assert_in_range(r->address, NOWHERE, NOWHERE + 8);
    assert_int_equal(s->srcoffs, element / row->subvl);
    assert_int_equal(s->suboffs, element % row->subvl);
    assert_int_equal(s->pc, r->pc);
}

static void same_end(const struct world_simple_v *x, const struct world_simple_v *y)
{
    assert_int_equal(y->thread.report.fault, SIMPLE_V_OK);
    assert_int_equal(y->thread.state.pc, y->stop);
    assert_int_equal(simple_v_pack_state(&x->thread.state), simple_v_pack_state(&y->thread.state));
    assert_memory_equal(x->thread.state.x, y->thread.state.x, SIMPLE_V_FILE_BYTES);
    assert_memory_equal(x->thread.state.f, y->thread.state.f, SIMPLE_V_FILE_BYTES);
    assert_memory_equal(x->memory, y->memory, WORLD_SIMPLE_V_MEMORY);
}

/* Runs by `how`: NULL: the interpreter. */
static void run(struct world_simple_v *w, world_fn how)
{
    if (how)
        how(0, w);
    else
        world_find("simple-v")->run(w->program, 0, w);
}

static void try_row(const struct row *row, const struct simple_v_program *program, world_fn code)
{
    static struct world_simple_v whole, stopped, resumed;
    begin(&whole, program);
    run(&whole, NULL);
    assert_int_equal(whole.thread.report.fault, SIMPLE_V_OK);
    for (unsigned element = 0; element < row->elements * row->subvl; element++)
        for (unsigned ways = 0; ways < 4; ways++) {
            begin(&stopped, program);
            const uint64_t address = simple_v_x(&stopped.thread.state, ADDRESSES + element);
            simple_v_set_x(&stopped.thread.state, ADDRESSES + element, NOWHERE);
            run(&stopped, ways & 1 ? code : NULL);
            check_fault(row, &stopped, element);
            simple_v_set_x(&stopped.thread.state, ADDRESSES + element, address);
            resume(&resumed, &stopped);
            run(&resumed, ways & 2 ? code : NULL);
            same_end(&whole, &resumed);
        }
}

static void faults_are_resumed(void **state)
{
    const struct world_set *set = world_find("simple-v");
    const struct jit_options options = {.level = JIT_SSE41, .optimize = JIT_QUICK, .cache_dir = ""};
    const unsigned saved = util_fpenv_enter();
    struct jit_engine *engine;
    assert_int_equal(jit_engine_create(&options, &engine, NULL), 0);
    for (unsigned n = 0; n < UTIL_ARRAY_SIZE(rows); n++) {
        struct util_error error = {0};
        const uint64_t key[2] = {n, 0};
        bool translated;
        void *words, *program;
        uint32_t count;
        world_fn code;
        if (simple_v_asm(rows[n].text, strlen(rows[n].text), &words, &count, &error))
            fail_msg("%s", error.text);
        assert_int_equal(set->isa->create(words, count, &program, NULL), 0);
        const struct world_batch batch = {set, &program, 1, 0, &translated};
        assert_int_equal(world_compile(engine, &batch, key, &code, NULL), 0);
        try_row(&rows[n], program, code);
        set->isa->destroy(program);
        free(words);
    }
    jit_engine_destroy(engine);
    util_fpenv_leave(saved);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(faults_are_resumed)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
