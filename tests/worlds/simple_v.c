/* A thread of Simple-V with some memory, which lies between two pages of guards' worth of nothing. Programs end where their
 * halfwords do. */
#include <stdlib.h>
#include <string.h>

#include "isa/simple_v/asm.h"
#include "isa/simple_v/trans.h"
#include "tests/diff/random.h"
#include "tests/worlds/world.h"
#include "util/bits.h"

enum {
    FUEL = 400,
    MEMORY_AT = 0x40000,
    MEMORY = 0x4000,
    READ_ONLY = 0x400, /* its first bytes */
    POINTERS = MEMORY_AT + MEMORY / 4
};

struct world {
    struct simple_v_thread thread; /* its run points to ports on the stack of who steps */
    uint64_t stop;
    uint8_t memory[MEMORY];
};

static bool load(void *ctx, uint64_t address, unsigned bytes, uint64_t *out)
{
    const struct world *w = ctx;
    const uint64_t offset = address - MEMORY_AT;
    *out = 0;
    if (offset > MEMORY - bytes)
        return false;
    memcpy(out, w->memory + offset, bytes);
    return true;
}

static bool store(void *ctx, uint64_t address, unsigned bytes, uint64_t value)
{
    struct world *w = ctx;
    const uint64_t offset = address - MEMORY_AT;
    if (offset < READ_ONLY || offset > MEMORY - bytes)
        return false;
    memcpy(w->memory + offset, &value, bytes);
    return true;
}

/* ---- what there is to begin with ---- */

static uint64_t some_value(uint64_t *seed)
{
    const uint64_t n = random_next(seed);
    switch (random_next(seed) % 6) {
    case 0: return n;
    case 1: return n % 64;
    case 2: return 0xffffffff00000000u | random_word(seed);
    case 3: return (n & 0x800fffffffffffffu) | (1000 + n / 7 % 48) << 52; /* a double near 1 */
    case 4: return (uint64_t)random_word(seed) << 32 | random_word(seed);
    default: return n & random_next(seed) & 0x8080ffff7f01ffffu;
    }
}

static void put(uint8_t *file, unsigned reg, uint64_t value)
{
    memcpy(file + 8u * reg, &value, sizeof value);
}

static void fill(void *world, const void *program, unsigned mode, uint64_t seed)
{
    static const uint8_t pointers[] = {2, 12, 13, 14, 15};
    const struct simple_v_program *p = program;
    struct world *w = world;
    memset(w, 0, sizeof *w);
    const struct simple_v_run run = {.fuel = FUEL};
    w->stop = p->address + 2ull * p->count;
    simple_v_thread_start(&w->thread, &run, p->address);
    for (unsigned n = 1; n < SIMPLE_V_REGISTERS; n++)
        put(w->thread.state.x, n, some_value(&seed));
    for (unsigned n = 0; n < SIMPLE_V_REGISTERS; n++)
        put(w->thread.state.f, n, some_value(&seed));
    for (unsigned n = 0; n < sizeof pointers; n++)
        put(w->thread.state.x, pointers[n], POINTERS + random_next(&seed) % (MEMORY / 2));
    for (unsigned n = 80; n < SIMPLE_V_REGISTERS; n++)
        put(w->thread.state.x, n, POINTERS + random_next(&seed) % (MEMORY / 2));
    for (unsigned n = 9; n < 12 && random_next(&seed) % 2; n++)
        put(w->thread.state.x, n, random_next(&seed));
    if (random_next(&seed) % 3 == 0) /* both masks are the same */
        memcpy(w->thread.state.x + 80, w->thread.state.x + 72, 8);
    put(w->thread.state.x, 1, w->stop);
    for (unsigned n = 0; n < MEMORY; n += 8) {
        const uint64_t value = some_value(&seed);
        memcpy(w->memory + n, &value, sizeof value);
    }
}

/* ---- interpreter ---- */

static struct simple_v_ports ports_of(struct world *w)
{
    return (struct simple_v_ports){.ctx = w, .load = load, .store = store};
}

static void run(const void *program, unsigned mode, void *world)
{
    struct world *w = world;
    const struct simple_v_ports ports = ports_of(w);
    const struct simple_v_run run = {.program = program, .ports = &ports, .stop = w->stop, .fuel = FUEL};
    simple_v_run(&run, &w->thread.state, &w->thread.report);
}

/* ---- compiled ---- */

/* Compiled code has nothing but the world: the program comes from where the test put it. */
static const struct simple_v_program *running;

static int step(struct simple_v_thread *thread)
{
    struct world *w = (struct world *)thread;
    const struct simple_v_ports ports = ports_of(w);
    thread->run = (struct simple_v_run){.program = running, .ports = &ports, .stop = w->stop};
    const int on = simple_v_thread_step(thread);
    thread->run = (struct simple_v_run){0};
    return on;
}

static LLVMValueRef ir_place(void *ctx, struct jit_builder *b, LLVMValueRef thread, LLVMValueRef address,
                             LLVMValueRef bytes, bool stores, LLVMValueRef *there)
{
    const bool vector = LLVMGetTypeKind(LLVMTypeOf(address)) == LLVMVectorTypeKind;
    const unsigned count = vector ? LLVMGetVectorSize(LLVMTypeOf(address)) : 1;
    LLVMValueRef base = LLVMBuildPtrToInt(b->ir, jit_offset_const(b, thread, offsetof(struct world, memory)), b->i64, "");
    LLVMValueRef first = jit_i64(b, stores ? READ_ONLY : 0), all = jit_i64(b, MEMORY), at = jit_i64(b, MEMORY_AT);
    LLVMValueRef *const splat[] = {&base, &first, &all, &at, &bytes};
    for (unsigned n = 0; vector && n < UTIL_ARRAY_SIZE(splat); n++) {
        LLVMValueRef v = LLVMGetUndef(LLVMVectorType(b->i64, count));
        for (unsigned l = 0; l < count; l++)
            v = LLVMBuildInsertElement(b->ir, v, *splat[n], jit_i32(b, l), "");
        *splat[n] = v;
    }
    const LLVMValueRef offset = LLVMBuildSub(b->ir, address, at, "");
    const LLVMValueRef above = LLVMBuildICmp(b->ir, LLVMIntUGE, offset, first, ""),
                       most = LLVMBuildSub(b->ir, all, bytes, "");
    *there = LLVMBuildAnd(b->ir, above, LLVMBuildICmp(b->ir, LLVMIntULE, offset, most, ""), "");
    return LLVMBuildAdd(b->ir, base, offset, "");
}

static int emit(struct jit_builder *b, const void *program, unsigned mode, LLVMValueRef world)
{
    const struct simple_v_program *p = program;
    const struct simple_v_ir_ports ports = {.place = ir_place};
    const LLVMValueRef function = LLVMConstIntToPtr(jit_i64(b, (uintptr_t)step), b->ptr);
    jit_store(b, function, jit_offset_const(b, world, offsetof(struct simple_v_thread, step)), 8);
    const LLVMValueRef which = LLVMConstIntToPtr(jit_i64(b, (uintptr_t)&running), b->ptr);
    jit_store(b, jit_i64(b, (uintptr_t)p), which, 8);
    return simple_v_translate(b, p, p->address + 2ull * p->count, &ports, world);
}

/* ---- both ---- */

static bool same_file(const char *name, const uint8_t *expected, const uint8_t *got)
{
    for (unsigned n = 0; n < SIMPLE_V_REGISTERS; n++) {
        uint64_t e, g;
        memcpy(&e, expected + 8u * n, 8);
        memcpy(&g, got + 8u * n, 8);
        if (e != g)
            return world_differs("%s%u is %016llx, expected %016llx", name, n, (unsigned long long)g,
                                 (unsigned long long)e);
    }
    return true;
}

static bool same_number(const char *name, uint64_t expected, uint64_t got)
{
    return expected == got || world_differs("%s is %llx, expected %llx", name, (unsigned long long)got,
                                            (unsigned long long)expected);
}

static bool same(const void *program, unsigned mode, const void *input, const void *expected, const void *got)
{
    const struct simple_v_program *p = program;
    const struct world *e = expected, *g = got;
    const struct simple_v_state *x = &e->thread.state, *y = &g->thread.state;
    const struct simple_v_report *r = &e->thread.report, *s = &g->thread.report;
    bool good = same_number("fault", r->fault, s->fault);
    good = good && (!r->fault || (same_number("fault's pc", r->pc, s->pc) && same_number("fault's place", r->at, s->at) &&
                                  same_number("fault's address", r->address, s->address)));
    good = good && same_number("pc", x->pc, y->pc) && same_number("in_block", x->in_block, y->in_block) &&
           same_number("opptr", x->opptr, y->opptr) && same_number("instret", x->executed, y->executed);
    good = good && same_number("state", simple_v_pack_state(x), simple_v_pack_state(y)) &&
           same_number("frm", x->frm, y->frm) && same_number("reserved", x->reserved, y->reserved);
    good = good && same_file("x", x->x, y->x) && same_file("f", x->f, y->f);
    if (good && p->reads_flags)
        good = same_number("fflags", x->fflags, y->fflags);
    for (unsigned n = 0; good && n < MEMORY; n++)
        if (e->memory[n] != g->memory[n])
            good = world_differs("memory %x is %02x, expected %02x", MEMORY_AT + n, g->memory[n], e->memory[n]);
    return good;
}

static void count(const void *world, struct world_outcome *outcome)
{
    const struct world *w = world;
    outcome->lanes++;
    outcome->faulted += w->thread.report.fault != SIMPLE_V_OK;
}

static bool returns(const void *words, uint32_t count)
{
    return world_returns(&simple_v_set, simple_v_disasm, words, count, NULL);
}

static const char *const modes[] = {"usual", NULL};
static const char *const texts[] = {NULL};
enum { C = SIMPLE_V_RANDOM_SCALAR, S = SIMPLE_V_RANDOM_STRAIGHT, F = SIMPLE_V_RANDOM_FULL };

const struct world_set world_simple_v = {
    .isa = &simple_v_set,
    .bytes = sizeof(struct world),
    .modes = modes,
    .fill = fill,
    .run = run,
    .emit = emit,
    .same = same,
    .count = count,
    .returns = returns,
    .texts = texts,
    .random = {.usual = 300,
               .capacity = 256,
               .profiles = {S, F, C, S, F, S, F, S, F, S, F, C},
               .optimised = 1,
               .inputs = 8,
               .refused = 25},
};
