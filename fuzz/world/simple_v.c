/* A thread of Simple-V with some memory. Programs end where their halfwords do. */
#include <stdlib.h>
#include <string.h>

#include "isa/simple_v/asm.h"
#include "isa/simple_v/context.h"
#include "isa/simple_v/trans.h"
#include "fuzz/random.h"
#include "fuzz/world/simple_v.h"
#include "fuzz/world/world.h"
#include "util/bits.h"

enum {
    FUEL = 400 * 16, /* an instruction with elements takes that of 16 */
    MEMORY_AT = WORLD_SIMPLE_V_AT,
    MEMORY = WORLD_SIMPLE_V_MEMORY,
    READ_ONLY = WORLD_SIMPLE_V_READ_ONLY,
    POINTERS = MEMORY_AT + MEMORY / 4
};

static bool load(void *ctx, uint64_t address, unsigned bytes, uint64_t *out)
{
    const struct world_simple_v *w = ctx;
    const uint64_t offset = address - MEMORY_AT;
    *out = 0;
    if (offset > MEMORY - bytes)
        return false;
    memcpy(out, w->memory + offset, bytes);
    return true;
}

static bool store(void *ctx, uint64_t address, unsigned bytes, uint64_t value)
{
    struct world_simple_v *w = ctx;
    const uint64_t offset = address - MEMORY_AT;
    if (offset < READ_ONLY || offset > MEMORY - bytes)
        return false;
    memcpy(w->memory + offset, &value, bytes);
    return true;
}

static struct simple_v_ports ports_of(struct world_simple_v *w)
{
    return (struct simple_v_ports){.ctx = w, .load = load, .store = store};
}

/* An instruction that compiled code leaves. */
static int step(struct simple_v_thread *thread)
{
    struct world_simple_v *w = (struct world_simple_v *)thread;
    const struct simple_v_ports ports = ports_of(w);
    thread->run = (struct simple_v_run){.program = w->program, .ports = &ports, .stop = w->stop};
    const int on = simple_v_thread_step(thread);
    thread->run = (struct simple_v_run){0};
    return on;
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

void world_simple_v_begin(struct world_simple_v *w, const struct simple_v_program *p)
{
    const struct simple_v_run run = {.fuel = FUEL};
    memset(w, 0, sizeof *w);
    w->program = p;
    w->stop = p->address + 2ull * p->count;
    simple_v_thread_start(&w->thread, &run, p->address);
    w->thread.step = step;
}

static void fill(void *world, const void *program, unsigned mode, uint64_t seed)
{
    static const uint8_t pointers[] = {2, 12, 13, 14, 15};
    const struct simple_v_program *p = program;
    struct world_simple_v *w = world;
    world_simple_v_begin(w, p);
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
    if (random_next(&seed) % 3 == 0) /* masks of two sides, the same */
        put(w->thread.state.x, 10, simple_v_x(&w->thread.state, 9));
    put(w->thread.state.x, 1, w->stop);
    for (unsigned n = 0; n < MEMORY; n += 8) {
        const uint64_t value = some_value(&seed);
        memcpy(w->memory + n, &value, sizeof value);
    }
}

/* ---- interpreter ---- */

/* Counts instructions over elements, by the first element of each. */
struct counter {
    struct world_simple_v *world;
    bool begins;
};

static void note_insn(void *data, const struct simple_v_state *state, const struct simple_v_insn *insn)
{
    struct counter *c = data;
    c->begins = true;
}

static void note_element(void *data, const struct simple_v_state *state, const struct simple_v_context *x,
                         bool left_out)
{
    struct counter *c = data;
    c->world->vectors += c->begins && x->loops;
    c->begins = false;
}

static void note_bytes(void *data, bool integer, unsigned at, unsigned bytes) {}

static void run(const void *program, unsigned mode, void *world)
{
    struct world_simple_v *w = world;
    struct counter counter = {w, false};
    const struct simple_v_ports ports = ports_of(w);
    const struct simple_v_watch watch = {&counter, note_element, note_bytes, note_bytes};
    const struct simple_v_run run = {.program = program,
                                     .ports = &ports,
                                     .stop = w->stop,
                                     .fuel = FUEL,
                                     .trace = note_insn,
                                     .trace_data = &counter,
                                     .watch = &watch};
    simple_v_run(&run, &w->thread.state, &w->thread.report);
}

/* ---- compiled ---- */

static LLVMValueRef ir_place(void *ctx, struct jit_builder *b, LLVMValueRef thread, LLVMValueRef address,
                             LLVMValueRef bytes, bool stores, LLVMValueRef *there)
{
    const bool vector = LLVMGetTypeKind(LLVMTypeOf(address)) == LLVMVectorTypeKind;
    const unsigned count = vector ? LLVMGetVectorSize(LLVMTypeOf(address)) : 1;
    LLVMValueRef base = LLVMBuildPtrToInt(
        b->ir, jit_offset_const(b, thread, offsetof(struct world_simple_v, memory)), b->i64, "");
    LLVMValueRef first = jit_i64(b, stores ? READ_ONLY : 0), all = jit_i64(b, MEMORY),
                 at = jit_i64(b, MEMORY_AT);
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
    return simple_v_translate(b, p, NULL, p->address + 2ull * p->count, &ports, world);
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
    const struct world_simple_v *e = expected, *g = got;
    const struct simple_v_state *x = &e->thread.state, *y = &g->thread.state;
    const struct simple_v_report *r = &e->thread.report, *s = &g->thread.report;
    bool good = same_number("fault", r->fault, s->fault);
    good = good && (!r->fault ||
                    (same_number("fault's pc", r->pc, s->pc) && same_number("fault's place", r->at, s->at) &&
                     same_number("fault's address", r->address, s->address)));
    good = good && same_number("pc", x->pc, y->pc) && same_number("in_block", x->in_block, y->in_block) &&
           same_number("opptr", x->opptr, y->opptr) && same_number("instret", x->executed, y->executed);
    good = good && same_number("state", simple_v_pack_state(x), simple_v_pack_state(y)) &&
           same_number("frm", x->frm, y->frm) && same_number("svsat", x->saturate, y->saturate) &&
           same_number("reserved", x->reserved, y->reserved);
    good = good && same_file("x", x->x, y->x) && same_file("f", x->f, y->f);
    if (good && p->reads_flags)
        good = same_number("fflags", x->fflags, y->fflags);
    for (unsigned n = 0; good && n < MEMORY; n++)
        if (e->memory[n] != g->memory[n])
            good =
                world_differs("memory %x is %02x, expected %02x", MEMORY_AT + n, g->memory[n], e->memory[n]);
    return good;
}

static void count(const void *world, struct world_outcome *outcome)
{
    const struct world_simple_v *w = world;
    outcome->lanes++;
    outcome->faulted += w->thread.report.fault != SIMPLE_V_OK;
    outcome->vectors += w->vectors;
}

static bool returns(const void *words, uint32_t count)
{
    return world_returns(&simple_v_set, simple_v_disasm, words, count, NULL);
}

static const char *const modes[] = {"usual", NULL};
static const char *const texts[] = {
    /* masks that leave out on both sides: alike, or not; by compression and expansion; of memory */
    "sv.setvl x0, x0, 20\np48 fmv.x.d x32v, f32v, src:x9, dst:x10\nvblock regs(x5=x40v:16, x6=x50v:8), "
    "preds(x6=x9) { "
    "c.mv x5, x6 }\nvblock regs(x5=x40v:16, x6=x50v), preds(x5=!x10) { c.mv x5, x6 ; c.nop }\n"
    "p48 lhu x60v, 0(x12), itype:16, src:x9, dst:x10\np48 sw x32v, 8(x13), itype:32, dst:x10\np48 lbu x60v, "
    "5(x14), "
    "itype:8, src:!x9",
    /* elements that read what others have written */
    "sv.setvl x0, x0, 11\np48 add x34v, x32v, x48v, itype:32\np48 fadd.s f34v, f32v, f33\np64 mul x33v, "
    "x32v, x40v, "
    "itype:16, svlen:3\nvblock regs(x5=x40v:32, x6=x40v:8) { add x5, x6, x6 }\np48 add x32v, x33, x48v, "
    "itype:8",
    /* addresses in a vector, some of which are beyond memory; several that are the same */
    "sv.setvl x0, x0, 9\np48 lwu x32v, 3(x96v), itype:32\np48 sh x32v, -2(x96v), itype:16, src:x9, dst:x10\n"
    "p48 add x98v, x32v, x0\np48 lbu x40v, 0(x96v)\n",
    /* VL that is not known, to the end of a file, in and behind a loop */
    "addi x5, x0, 23\nback: sv.setvl x6, x5, 16\np48 flw f32v, 0(x12)\np48 fmul.s f32v, f32v, f1, pred:x9\n"
    "p48 fsw f32v, 0(x13)\np48 mv.swizzle x50v, x20v, xxxx, itype:8\np48 add x124v, x32v, x30v, itype:8\n"
    "p48 sb x32v, 64(x13), itype:8\nsub x5, x5, x6\nbne x5, x0, back\np48 fsw f32v, 0(x96v), svlen:3",
    /* sub-vectors that are the same for all, of every width: LLVM must not take ages */
    "sv.setvl x0, x0, 16\np64 sd x24, 787(x96v), itype:16, svlen:2\np48 add x32v, x20, x64v, itype:8, "
    "svlen:2\n"
    "p48 sub x32v, x20, x64v, itype:8, svlen:3\np48 xor x32v, x20, x64v, itype:8, svlen:4\n"
    "p48 or x32v, x20, x64v, itype:16, svlen:3\np48 fadd.s f32v, f8, f64v, svlen:4\nsv.setvl x0, x0, 7\n"
    "p48 fmul.d f32v, f8, f64v, svlen:2\np48 and x32v, x20, x64v, itype:16, svlen:4\np48 max x32v, x20, "
    "x64v, svlen:3",
    /* masks made by branches, and results of zeros */
    "vblock both:33, regs(x5=x40v:8, x6=x50v:8), preds(x6=x9) { bltu x5, x6, on }\non: vblock regs(x5=x40v), "
    "preds(x5=!x10.z, x0=x11) { bne x5, x0, end }\np48 fmin.s f40v, f32v, f36v, pred:x11\n"
    "vblock regs(x5=x40v:32), preds(x5=x9.z) { addi x5, x5, 1 ; c.nop }\nend: c.nop",
    /* SUBVL that is not known at a branch of vectors */
    "sv.setvl x0, x0, 7\nbeq x9, x10, over\ncsrrwi x0, subvl, 2\nover: vblock regs(x17=x44v:8), "
    "preds(x17=x9) { "
    "c.li x17, -27 ; bltu x17, x16, on ; c.nop }\naddi x5, x5, 1\non: p48 add x40v, x32v, x32v, itype:16",
    /* branches by sub-vectors: with masks, zeroing, fail-first, unknown VL; of registers; beyond the file */
    "vblock both:21, subvl:2, regs(x5=x40v:8, x6=x50v:8), preds(x6=x9) { bgeu x5, x6, on }\non: vblock "
    "both:9, "
    "subvl:4, regs(x5=x40v:16, x6=x20), preds(x5=!x10.z, x0=x11) { bne x5, x6, over ; c.nop }\nover: "
    "sv.setvl x0, x12, 30\nvblock regs(x5=x60v:8, x6=x70v:16), preds(x5=x9.ff, x6=x16) { bne x5, x6, past ; "
    "c.nop }\ncsrrs x17, vl, x0\npast: vblock both:7, subvl:2, regs(x5=x40:32, x6=x41:32) { beq x5, x6, next "
    "; "
    "c.nop }\nnext: vblock both:3, subvl:4, regs(x5=x44:8), preds(x5=x9) { blt x5, x0, last ; c.nop }\n"
    "last: vblock both:4, subvl:4, regs(x5=x126) { beq x5, x6, end ; c.nop }\nend: c.nop",
    /* classes of every width, of what has another */
    "sv.setvl x0, x0, 19\np48 fclass.h x40v, f32v, itype:16\np48 fclass.s x60v, f32v\np48 fclass.d x80v, "
    "f40v\nfclass.h x5, f1\nvblock regs(x5=x50v:8, f6=f64v:16), preds(x5=x9.z) { fclass.h x5, f6 ; c.nop }\n"
    "vblock both:9, subvl:3, regs(x5=x20v:32, f6=f64v:16) { fclass.h x5, f6 ; c.nop }\nvblock "
    "regs(x5=x50v:16, f6=f64v:32) { fclass.h x5, f6 ; c.nop }",
    /* calls, and back; a place that is only known then */
    "jal x1, sub\nauipc x5, 0\njalr x6, 16(x5)\nc.j end\nc.nop\nc.nop\njalr x0, 0(x6)\nsub: sv.setvl x0, x0, "
    "4\n"
    "p48 add x32v, x40v, x48v\njalr x0, 0(x1)\nend: p48 sub x32v, x32v, x48v",
    /* what LR has reserved a store takes */
    "addi x12, x12, 7\nandi x12, x12, -8\nlr.d x5, (x12)\nsd x5, 8(x12)\nsc.d x6, x5, (x12)\nlr.w x5, (x12)\n"
    "sv.setvl x0, x0, 3\np48 sb x32v, 0(x12), itype:8\nsc.w x7, x5, (x12)",
    /* a string's length: VL ends before what is not there, then at the zero, and is not known in between */
    "addi x13, x12, 0\nback: sv.setvl x0, x0, 16\nvblock regs(x5=x40v:8, x12=x12), preds(x5=!x0.ff) { lbu "
    "x5, "
    "0(x12) }\ncsrrs x7, vl, x0\nadd x12, x12, x7\nvblock regs(x5=x40v:8), preds(x5=!x0.ff, x0=x30) { bne "
    "x5, x0, "
    "back ; c.nop }\ncsrrs x6, vl, x0\nsub x12, x12, x7\nadd x12, x12, x6\nsub x12, x12, x13",
    /* fail-first by results: of one mask, of two, of floats, zeroing, of sub-vectors */
    "sv.setvl x0, x0, 20\nvblock regs(x5=x40v:8, x6=x50v:8, x7=x60v:16), preds(x5=x9.ff) { and x5, x6, x7 "
    "}\ncsrrs x16, "
    "vl, x0\nvblock both:13, regs(x5=x40v:8, x6=x50v), preds(x5=x9.z.ff, x6=!x10) { c.mv x5, x6 ; c.nop "
    "}\ncsrrs x17, "
    "mvl, x0\nvblock both:9, regs(f1=f40v, f2=f50v:32), preds(f1=!x11.ff) { fsub.s f1, f2, f3 ; c.nop "
    "}\ncsrrs x18, vl, "
    "x0\nvblock both:5, subvl:3, regs(x5=x20v:8, x6=x21v:8), preds(x5=!x0.ff) { addi x5, x6, -1 ; c.nop "
    "}\np48 add "
    "x50v, x40v, x48v, itype:8",
    /* halves of every kind, some beside other formats */
    "sv.setvl x0, x0, 19\np48 fadd.h f32v, f40v, f48v\np48 fmadd.h f40v, f48v, f8, f32v\np48 fdiv.h f48v, "
    "f32v, "
    "f40v, pred:x9\np48 fcvt.s.h f80v, f32v\np48 fcvt.h.d f32v, f50v\np48 frsqrt.h f48v, f32v\nvblock "
    "regs(f1=f60v:16, f2=f70v:32, f3=f80v:16), preds(f1=x10.z) { fmul.s f1, f2, f3 ; c.nop }\np48 fcvt.h.w "
    "f32v, "
    "x32v\np48 fcvt.w.h x40v, f32v, itype:16\np48 fle.h x50v, f32v, f48v\np48 fsw f60v, 0(x12)\nfsqrt.h f1, "
    "f2\nfnmsub.h f3, f1, f2, f3",
    /* tables, whose indices are good, or some are not; onto the table itself */
    "sv.setvl x0, x0, 18\np48 andi x32v, x40v, 15, itype:8\np48 mv.x x60v, x64v, x32v, itype:8\np48 mv.x "
    "x34v, "
    "x20v, x32v, itype:8, pred:x9\np48 fmv.x f20v, f22v, x32v, itype:16\np64 mv.x x90v, x64v, x40v, "
    "itype:16, "
    "both:9\np48 mv.x x50, x20, x21",
    /* atomics: counted in order, where addresses are the same; a scalar; beyond memory in the end */
    "addi x12, x12, 7\nandi x12, x12, -8\namoadd.d x5, x12, (x12)\nsv.setvl x0, x0, 6\np48 andi x80v, x96v, "
    "-16\nvblock regs(x5=x40v, x6=x80v, x7=x48v:16), preds(x5=x9) { amoadd.w x5, x7, (x6) ; c.nop }\nvblock "
    "regs(x5=x40v:8, x6=x12, x7=x48v) { amoxor.d x5, x7, (x6) ; c.nop }\namomaxu.w x6, x7, (x13)\nvblock "
    "regs(x5=x40v, x6=x32v) { amoswap.w x5, x0, (x6) ; c.nop }",
    /* saturation: a blend of bytes, sums of signed halves of words, into narrower and wider ones; not known behind a branch */
    "sv.setvl x0, x0, 16\ncsrrwi x0, svsat, 1\np48 add x32v, x40v, x48v, itype:8, svlen:4\np48 sub x34v, "
    "x40v, x48v, "
    "itype:8, svlen:4, pred:x9\nvblock regs(x5=x40v:8, x6=x50v:16), preds(x5=x9.z) { addi x5, x6, -5 ; c.nop "
    "}\nvblock "
    "regs(x5=x60v:16, x6=x50v:8, x7=x52v:8) { mul x5, x6, x7 }\ncsrrwi x0, svsat, 2\np48 add x32v, x40v, "
    "x48v, "
    "itype:16\nvblock regs(x5=x60v:8, x6=x50v:32) { c.mv x5, x6 ; srai x5, x6, 3 }\nbeq x9, x10, on\ncsrrwi "
    "x0, svsat, "
    "0\non: p48 addi x40v, x48v, 100, itype:8\ncsrrs x7, svsat, x0\np48 mul x20v, x32v, x48v\ncsrrwi x0, "
    "svsat, 3",
    /* flags, and directions */
    "csrrwi x0, frm, 3\np48 fadd.s f32v, f40v, f48v\nfdiv.d f1, f2, f3, rtz\ncsrrs x5, fcsr, x0\nfcvt.w.s "
    "x6, f4, rup",
    /* a place inside a VBLOCK; offsets of elements */
    "csrrwi x0, mvl, 5\ncsrrwi x0, vl, 4\nvblock regs(x5=x40v:8) { csrrwi x0, pcvblk, 4 ; addi x5, x5, 1 ; "
    "c.add x5, x6 "
    "}\ncsrrs x7, state, x0\nlui x8, 0x1\nc.add x8, x7\ncsrrw x0, state, x8\np48 add x50v, x40v, x48v, "
    "itype:8",
    NULL,
};
enum { C = SIMPLE_V_RANDOM_SCALAR, S = SIMPLE_V_RANDOM_STRAIGHT, F = SIMPLE_V_RANDOM_FULL };

static const struct world_field fields[] = {
    {"x", offsetof(struct world_simple_v, thread.state.x), 8, SIMPLE_V_REGISTERS, WORLD_GIVEN | WORLD_LEFT},
    {"f", offsetof(struct world_simple_v, thread.state.f), 8, SIMPLE_V_REGISTERS, WORLD_GIVEN | WORLD_LEFT},
    {"pc", offsetof(struct world_simple_v, thread.state.pc), 8, 1, WORLD_GIVEN | WORLD_LEFT},
    {"in_block", offsetof(struct world_simple_v, thread.state.in_block), 1, 1, WORLD_LEFT},
    {"opptr", offsetof(struct world_simple_v, thread.state.opptr), 1, 1, WORLD_LEFT},
    {"lengths", offsetof(struct world_simple_v, thread.state.mvl), 1, 3, WORLD_GIVEN | WORLD_LEFT},
    {"offsets", offsetof(struct world_simple_v, thread.state.srcoffs), 1, 3, WORLD_LEFT},
    {"fflags", offsetof(struct world_simple_v, thread.state.fflags), 1, 1, WORLD_LEFT},
    {"frm", offsetof(struct world_simple_v, thread.state.frm), 1, 1, WORLD_LEFT},
    {"svsat", offsetof(struct world_simple_v, thread.state.saturate), 1, 1, WORLD_LEFT},
    {"instret", offsetof(struct world_simple_v, thread.state.executed), 8, 1, WORLD_LEFT},
    {"fault", offsetof(struct world_simple_v, thread.report.fault), 4, 1, WORLD_LEFT},
    {"fault_pc", offsetof(struct world_simple_v, thread.report.pc), 8, 1, WORLD_LEFT},
    {"fault_address", offsetof(struct world_simple_v, thread.report.address), 8, 1, WORLD_LEFT},
    WORLD_FIELD(struct world_simple_v, memory, 1, WORLD_GIVEN | WORLD_LEFT),
    {0},
};

const struct world_set world_simple_v = {
    .isa = &simple_v_set,
    .bytes = sizeof(struct world_simple_v),
    .modes = modes,
    .fields = fields,
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
    .text_inputs = 24,
};
