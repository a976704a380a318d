#include "gpu/libresoc/process_code.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/libresoc/code.h"
#include "isa/simple_v/context.h"
#include "jit/builder.h"
#include "util/bits.h"

/* AFTER instructions take the interpreter as long as a compile: what is in vain is at worst as much again. */
enum {
    AFTER = 1000000,
    OFTEN = 100,      /* the interpreter comes to a place once in so many of them */
    RUN_COST = 1024,  /* instructions; an engine optimises what has run so many thousand times */
    SLICE = 1u << 24, /* fuel until the code is looked at again */
};
enum { COMPILED = 1, TRIED = 2 }; /* some part has the instruction; one was to begin there */

/* A process that runs: begins with the thread. */
struct libresoc_running {
    struct simple_v_thread thread;
    struct libresoc_process_code *code;
    const struct simple_v_program *program;
    uint64_t size, host, rights; /* of memory: bytes, and addresses of the host */
    uint64_t fuel;               /* behind the thread's, which is a slice */
    uint32_t part;               /* that runs, plus 1; 0: the interpreter */
    bool leaves;                 /* what runs, for another or for the next slice */
};
typedef void (*libresoc_process_fn)(struct libresoc_running *running);

/* ---- memory ---- */

/* An access under way. */
struct access {
    LLVMValueRef thread, bytes;
    bool stores;
};

static LLVMValueRef field(struct jit_builder *b, const struct access *a, size_t offset)
{
    return jit_load(b, b->i64, jit_offset_const(b, a->thread, offset), 8, true);
}

/* Its first and its last page: an instruction's bytes are fewer than a page has. */
static LLVMValueRef place_one(void *ctx, struct jit_builder *b, LLVMValueRef address, LLVMValueRef *there)
{
    static_assert(SIMPLE_V_VL_MAX * SIMPLE_V_SUBVL_MAX * 8 <= GPU_PAGE, "a third page between them");
    const struct access *a = ctx;
    const LLVMBuilderRef ir = b->ir;
    LLVMValueRef at_least[2] = {a->bytes, jit_i64(b, 1)};
    const LLVMValueRef bytes = jit_intrinsic(b, "llvm.umax", &b->i64, 1, at_least, 2);
    const LLVMValueRef most =
        LLVMBuildSub(ir, field(b, a, offsetof(struct libresoc_running, size)), bytes, "");
    const LLVMValueRef inside = LLVMBuildICmp(ir, LLVMIntULE, address, most, ""); /* memory has a page */
    const LLVMValueRef first = LLVMBuildSelect(ir, inside, address, jit_i64(b, 0), "");
    const LLVMValueRef last = LLVMBuildAdd(ir, first, LLVMBuildSub(ir, bytes, jit_i64(b, 1), ""), "");
    const LLVMValueRef rights =
        LLVMBuildIntToPtr(ir, field(b, a, offsetof(struct libresoc_running, rights)), b->ptr, "");
    LLVMValueRef both = NULL;
    for (unsigned n = 0; n < 2; n++) {
        const LLVMValueRef page =
            LLVMBuildLShr(ir, n ? last : first, jit_i64(b, __builtin_ctz(GPU_PAGE)), "");
        const LLVMValueRef has = jit_load(b, b->i8, jit_offset(b, rights, page), 1, false);
        both = both ? LLVMBuildAnd(ir, both, has, "") : has;
    }
    const unsigned right = a->stores ? LIBRESOC_PAGE_WRITE : LIBRESOC_PAGE_READ;
    both = LLVMBuildAnd(ir, both, LLVMConstInt(b->i8, right, false), "");
    *there = LLVMBuildAnd(ir, inside, LLVMBuildICmp(ir, LLVMIntNE, both, LLVMConstNull(b->i8), ""), "");
    return LLVMBuildAdd(ir, field(b, a, offsetof(struct libresoc_running, host)), address, "");
}

LLVMValueRef libresoc_process_place(void *ctx, struct jit_builder *b, LLVMValueRef thread,
                                    LLVMValueRef address, LLVMValueRef bytes, bool stores,
                                    LLVMValueRef *there)
{
    struct access a = {thread, bytes, stores};
    return LLVMGetTypeKind(LLVMTypeOf(address)) == LLVMVectorTypeKind
               ? libresoc_place_each(b, address, place_one, &a, there)
               : place_one(&a, b, address, there);
}

/* ---- parts ---- */

/* Where the code of a part is, and may be entered. What another may be entered at stays that one's, but for the entry. */
static int note_part(struct libresoc_process_code *code, const struct simple_v_program *program,
                     const struct simple_v_entry *entry, uint16_t number)
{
    struct simple_v_flow flow;
    const int err = simple_v_flow_find(program, entry, LIBRESOC_PROCESS_STOP, &flow);
    for (uint32_t n = 0; !err && n < flow.count; n++) {
        const struct simple_v_item *item = &flow.items[n];
        code->known[item->place] |= COMPILED;
        if (simple_v_flow_enters(item) && !code->part[item->place])
            code->part[item->place] = number;
    }
    if (!err)
        simple_v_flow_finish(&flow);
    code->part[entry->place] = number;
    return err;
}

/* From where the thread is on. Lengths are not those that it happens to have: loops have others in their last turn. */
static bool compile(struct libresoc_running *r, uint32_t place)
{
    struct libresoc_process_code *code = r->code;
    const struct simple_v_state *s = &r->thread.state;
    const struct simple_v_entry entry = {
        place,
        {.subvl = s->subvl, .rounding = (uint8_t)(s->frm + 1), .saturate = (uint8_t)(s->saturate + 1)}};
    struct util_error error = {0};
    struct jit_function *function;
    code->known[place] |= TRIED;
    if (code->part_count == LIBRESOC_PARTS)
        return false;
    int err = libresoc_code_get(code->engine, LIBRESOC_CODE_PROCESS, r->program, &entry, RUN_COST, &function,
                                &error);
    if (!err)
        err = note_part(code, r->program, &entry, (uint16_t)(code->part_count + 1));
    if (!err)
        code->parts[code->part_count++] = function;
    else if (!code->refused.code)
        util_fail(&code->refused, err, "0x%llx: %s", (unsigned long long)s->pc,
                  error.code ? error.text : strerror(-err));
    return !err;
}

/* ---- the interpreter ---- */

/* The halfword of the instruction, or of the VBLOCK in which it stands; false: outside of the program. */
static bool place_of(const struct libresoc_running *r, uint32_t *place)
{
    const uint64_t offset = r->thread.state.pc - r->program->address;
    *place = (uint32_t)(offset / 2);
    return !(offset & 1) && offset / 2 < r->program->count;
}

/* Compiled code takes threads that are amid nothing. */
static bool may_enter(const struct simple_v_state *s)
{
    return !s->in_block && !s->srcoffs && !s->destoffs && !s->suboffs && !s->reserved;
}

/* Whether another part is to go on, which may have to be compiled first. */
static bool finds_part(struct libresoc_running *r, uint32_t place)
{
    struct libresoc_process_code *code = r->code;
    const bool begins = code->part[place] != 0;
    if (!may_enter(&r->thread.state))
        return false;
    if (begins && code->part[place] != r->part)
        return true;
    /* What is entered with other lengths than it is made for is compiled once more. */
    if (code->interpreted - code->then < code->after || code->steps[place] <= code->after / OFTEN ||
        code->known[place] & TRIED || (code->known[place] && !begins))
        return false;
    code->then = code->interpreted;
    return compile(r, place);
}

/* The next slice, before an instruction could take more than is left of this. */
static bool takes_slice(struct libresoc_running *r)
{
    const uint64_t more = UTIL_MIN(r->fuel, SLICE);
    if (r->thread.fuel >= SIMPLE_V_FUEL_MOST || !more)
        return false;
    r->thread.fuel += more;
    r->fuel -= more;
    return true;
}

/* An instruction that the part that runs does not do. */
static int step(struct simple_v_thread *thread)
{
    struct libresoc_running *r = (struct libresoc_running *)thread;
    const uint64_t executed = thread->state.executed;
    uint32_t place;
    r->leaves = takes_slice(r);
    if (!r->leaves && place_of(r, &place)) {
        r->leaves = finds_part(r, place);
        if (!r->leaves && r->code->steps[place] < UINT32_MAX)
            r->code->steps[place]++;
    }
    if (r->leaves)
        return 0;
    const int on = simple_v_thread_step(thread);
    r->code->interpreted += thread->state.executed - executed;
    return on;
}

/* Until it ends, or comes to compiled code. */
static void interpret(struct libresoc_running *r)
{
    r->part = 0;
    while (step(&r->thread))
        ;
}

/* ---- running ---- */

static void execute_part(struct libresoc_running *r, uint32_t number)
{
    struct jit_function *function = r->code->parts[number - 1];
    const uint64_t executed = r->thread.state.executed;
    r->part = number;
    ((libresoc_process_fn)jit_function_code(function))(r);
    jit_function_ran(function, r->thread.state.executed - executed);
}

enum simple_v_fault libresoc_process_code_run(struct libresoc_process_code *code,
                                              const struct libresoc_pages *pages,
                                              const struct simple_v_run *run, struct simple_v_state *state,
                                              struct simple_v_report *report)
{
    struct libresoc_running r = {.code = code,
                                 .program = run->program,
                                 .size = pages->memory.size,
                                 .host = (uintptr_t)pages->memory.base,
                                 .rights = (uintptr_t)pages->rights};
    struct simple_v_thread *t = &r.thread;
    simple_v_thread_start(t, run, 0);
    t->state = *state;
    t->step = step;
    t->fuel = UTIL_MIN(run->fuel, SLICE);
    r.fuel = run->fuel - t->fuel;
    do {
        uint32_t place;
        r.leaves = false;
        if (place_of(&r, &place) && code->part[place] && may_enter(&t->state))
            execute_part(&r, code->part[place]);
        else
            interpret(&r);
    } while (r.leaves);
    *state = t->state;
    *report = t->report;
    return report->fault;
}

/* ---- life ---- */

int libresoc_process_code_create(const struct simple_v_program *program, struct jit_engine *engine,
                                 uint64_t after, struct libresoc_process_code **out)
{
    struct libresoc_process_code *code = calloc(1, sizeof *code);
    *out = NULL;
    if (!code)
        return -ENOMEM;
    code->engine = engine;
    code->after = after ? after : AFTER;
    code->count = program->count;
    code->part = calloc(code->count + 1u, sizeof *code->part);
    code->known = calloc(code->count + 1u, sizeof *code->known);
    code->steps = calloc(code->count + 1u, sizeof *code->steps);
    if (!code->part || !code->known || !code->steps) {
        libresoc_process_code_destroy(code);
        return -ENOMEM;
    }
    *out = code;
    return 0;
}

void libresoc_process_code_destroy(struct libresoc_process_code *code)
{
    if (!code)
        return;
    free(code->part);
    free(code->known);
    free(code->steps);
    free(code);
}
