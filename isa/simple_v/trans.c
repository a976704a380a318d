/* Blocks, the dispatch between them, and how compiled code is left. The thread is as the interpreter would have it but for PC,
 * PCVBLK and INSTRET, which are stored wherever the interpreter, or nobody, goes on; and fuel, of which a block takes all that it
 * needs where it begins. */
#include "isa/simple_v/trans.h"

#include <errno.h>
#include <stdlib.h>

#include "isa/simple_v/trans_internal.h"

enum {
    DEFAULT_MXCSR = 0x1f80, /* denormals, to nearest, no traps */
    INSNS_MAX = 24000       /* of LLVM, behind which blocks are left to the interpreter */
};

LLVMBasicBlockRef simple_v_trans_block(struct simple_v_trans *t, const char *name)
{
    return LLVMAppendBasicBlockInContext(t->b->context, t->b->function, name);
}

uint64_t simple_v_trans_address(const struct simple_v_trans *t, uint32_t halfword)
{
    return t->program->address + 2ull * halfword;
}

uint64_t simple_v_trans_next_pc(const struct simple_v_trans *t)
{
    const struct simple_v_item *item = t->item;
    return simple_v_trans_address(t, item->place) +
           2u * (item->block ? item->block->length : item->insn->length);
}

/* ---- the thread where it is left ---- */

static void add_to(struct simple_v_trans *t, size_t offset, uint64_t n)
{
    const LLVMValueRef had = n ? simple_v_trans_load(t, t->b->i64, offset) : NULL;
    if (n)
        simple_v_trans_store(t, LLVMBuildAdd(t->b->ir, had, jit_i64(t->b, n), ""), offset);
}

static void store_byte(struct simple_v_trans *t, unsigned value, size_t offset)
{
    simple_v_trans_store(t, LLVMConstInt(t->b->i8, value, false), offset);
}

static void count_done(struct simple_v_trans *t)
{
    add_to(t, SIMPLE_V_THREAD_AT(state.executed), t->done);
}

static void store_pc(struct simple_v_trans *t, LLVMValueRef pc)
{
    simple_v_trans_store(t, pc, SIMPLE_V_THREAD_AT(state.pc));
}

static void store_opptr(struct simple_v_trans *t, bool inside, unsigned opptr)
{
    store_byte(t, inside, SIMPLE_V_THREAD_AT(state.in_block));
    store_byte(t, opptr, SIMPLE_V_THREAD_AT(state.opptr));
}

/* As it is before the item at hand. */
static void store_place(struct simple_v_trans *t)
{
    const bool inside = t->item->block && t->item->kind != SIMPLE_V_ITEM_HEADER;
    store_pc(t, jit_i64(t->b, simple_v_trans_address(t, t->item->place)));
    store_opptr(t, inside, inside ? t->item->opptr : 0);
    count_done(t);
    add_to(t, SIMPLE_V_THREAD_AT(fuel), t->left);
}

void simple_v_trans_exit_if(struct simple_v_trans *t, LLVMValueRef condition)
{
    LLVMBasicBlockRef on = simple_v_trans_block(t, "on");
    if (!t->exit) {
        LLVMBasicBlockRef here = LLVMGetInsertBlock(t->b->ir);
        t->exit = simple_v_trans_block(t, "exit");
        LLVMPositionBuilderAtEnd(t->b->ir, t->exit);
        store_place(t);
        LLVMBuildBr(t->b->ir, t->stepping);
        LLVMPositionBuilderAtEnd(t->b->ir, here);
    }
    LLVMBuildCondBr(t->b->ir, condition, t->exit, on);
    LLVMPositionBuilderAtEnd(t->b->ir, on);
}

void simple_v_trans_go_to(struct simple_v_trans *t, LLVMValueRef pc)
{
    store_pc(t, pc);
    store_opptr(t, false, 0);
    t->done++;
    count_done(t);
    t->done--;
    LLVMBuildBr(t->b->ir, t->dispatch);
}

void simple_v_trans_go(struct simple_v_trans *t, uint32_t item, uint64_t pc)
{
    if (item == SIMPLE_V_NOWHERE) {
        simple_v_trans_go_to(t, jit_i64(t->b, pc));
        return;
    }
    t->done++;
    count_done(t);
    t->done--;
    LLVMBuildBr(t->b->ir, t->begin[item]);
}

/* ---- the interpreter ---- */

/* i1: it goes on. */
static LLVMValueRef call_step(struct simple_v_trans *t)
{
    const LLVMTypeRef type = LLVMFunctionType(t->b->i32, &t->b->ptr, 1, false);
    const LLVMValueRef step = simple_v_trans_load(t, t->b->ptr, SIMPLE_V_THREAD_AT(step));
    const LLVMValueRef on = LLVMBuildCall2(t->b->ir, type, step, &t->thread, 1, "");
    return LLVMBuildICmp(t->b->ir, LLVMIntNE, on, jit_i32(t->b, 0), "");
}

/* Takes fuel; with too little of it nothing is taken, and the interpreter goes on one by one. PC is stored. */
static void take_fuel(struct simple_v_trans *t, unsigned cost)
{
    const LLVMBuilderRef ir = t->b->ir;
    LLVMBasicBlockRef enough = simple_v_trans_block(t, "enough");
    if (!cost)
        return;
    const LLVMValueRef had = simple_v_trans_load(t, t->b->i64, SIMPLE_V_THREAD_AT(fuel)),
                       by = jit_i64(t->b, cost);
    LLVMBasicBlockRef few = simple_v_trans_block(t, "few"), here = LLVMGetInsertBlock(ir);
    LLVMPositionBuilderAtEnd(ir, few);
    const unsigned done = t->done, left = t->left;
    t->done = t->left = 0;
    store_place(t);
    t->done = done;
    t->left = left;
    LLVMBuildBr(ir, t->stepping);
    LLVMPositionBuilderAtEnd(ir, here);
    LLVMBuildCondBr(ir, LLVMBuildICmp(ir, LLVMIntULT, had, by, ""), few, enough);
    LLVMPositionBuilderAtEnd(ir, enough);
    simple_v_trans_store(t, LLVMBuildSub(ir, had, by, ""), SIMPLE_V_THREAD_AT(fuel));
}

/* Behind it a block of its own begins, in which `left` is taken anew. */
void simple_v_trans_step(struct simple_v_trans *t)
{
    LLVMBasicBlockRef on = simple_v_trans_block(t, "stepped");
    store_place(t);
    LLVMBuildCondBr(t->b->ir, call_step(t), on, t->leave);
    LLVMPositionBuilderAtEnd(t->b->ir, on);
    t->done = 0;
}

/* ---- one item ---- */

/* The context, with what lengths say of it. False: they are not known. */
static bool prepare(struct simple_v_trans *t)
{
    const struct simple_v_item *item = t->item;
    struct simple_v_context *x = &t->x;
    const struct simple_v_vltyp *vl = &item->insn->vl;
    simple_v_resolve(item->insn, item->block, x);
    t->now = item->before;
    if (simple_v_has_vltyp(vl))
        t->now = simple_v_flow_behind(item, t->now);
    /* Of x0 inverted nothing is left out. */
    for (unsigned n = 0; n < 2; n++)
        x->mask[n].there &= x->mask[n].reg || !x->mask[n].invert || t->x.class == SIMPLE_V_BRANCH;
    const bool said = x->prefixed && x->subvl;
    if ((x->prefixed || x->loops) && !said && !t->now.subvl)
        return false;
    t->subvl = said ? x->subvl : x->prefixed || x->loops ? t->now.subvl : 1;
    if (x->prefixed) {
        x->loops |= t->subvl > 1;
        for (unsigned n = 0; n < SIMPLE_V_PLACES && t->subvl > 1; n++)
            x->operand[n].boxed = false;
    }
    t->vl = NULL;
    t->elements = t->most = 1;
    if (!x->loops)
        return true;
    t->elements = t->now.vl * t->subvl;
    t->most = (t->now.vl ? t->now.vl : t->now.mvl ? t->now.mvl : SIMPLE_V_VL_MAX) * t->subvl;
    return true;
}

/* False: the interpreter has to do it. *ended: it goes elsewhere. */
static bool emit_insn(struct simple_v_trans *t, bool *ended)
{
    const bool known = prepare(t);
    *ended = t->x.class == SIMPLE_V_BRANCH;
    if (simple_v_flow_is_open(t->item->insn) || !known)
        return false;
    switch (t->x.class) {
    case SIMPLE_V_PLAIN: return simple_v_trans_plain(t, ended);
    case SIMPLE_V_BRANCH: return simple_v_trans_branch(t);
    default: return simple_v_trans_elements(t);
    }
}

static unsigned fuel_of(const struct simple_v_item *item)
{
    struct simple_v_context x;
    if (item->kind != SIMPLE_V_ITEM_INSN)
        return 1;
    simple_v_resolve(item->insn, item->block, &x);
    return simple_v_fuel(&x);
}

/* Returns whether the block goes on behind it. */
static bool emit_item(struct simple_v_trans *t, const struct simple_v_item *item)
{
    bool ended = false, good;
    t->item = item;
    t->exit = NULL;
    if (item->kind == SIMPLE_V_ITEM_STRANGE) {
        store_place(t);
        LLVMBuildBr(t->b->ir, t->stepping);
        return false;
    }
    good = item->kind == SIMPLE_V_ITEM_HEADER ? simple_v_trans_header(t) : emit_insn(t, &ended);
    const unsigned fuel = fuel_of(item);
    t->left -= fuel;
    if (good) {
        t->done += item->kind == SIMPLE_V_ITEM_INSN;
        return !ended;
    }
    t->left += fuel;
    simple_v_trans_step(t);
    t->left -= fuel;
    if (ended || simple_v_flow_is_open(item->insn) || item->next == SIMPLE_V_NOWHERE) {
        LLVMBuildBr(t->b->ir, t->dispatch);
        return false;
    }
    if (t->left) {
        t->item = &t->flow.items[item->next];
        take_fuel(t, t->left);
    }
    return true;
}

/* ---- blocks ---- */

/* Items from the first to the last of the block; what fuel they take. */
static uint32_t length_of(const struct simple_v_trans *t, uint32_t first, unsigned *fuel)
{
    uint32_t count = 1;
    *fuel = 0;
    for (const struct simple_v_item *item = &t->flow.items[first];;
         item = &t->flow.items[item->next], count++) {
        *fuel += fuel_of(item);
        if (item->next == SIMPLE_V_NOWHERE || t->flow.items[item->next].begins ||
            t->flow.items[item->next].kind == SIMPLE_V_ITEM_STRANGE)
            return count;
    }
}

static void leave_at(struct simple_v_trans *t, const struct simple_v_item *item, LLVMBasicBlockRef to)
{
    t->item = item;
    t->done = t->left = 0;
    store_place(t);
    LLVMBuildBr(t->b->ir, to);
}

/* Instructions of LLVM since the last count: behind the last in the block at hand, and in blocks that are new. */
static void count_insns(struct simple_v_trans *t)
{
    LLVMBasicBlockRef at = t->last ? LLVMGetNextBasicBlock(t->last) : NULL;
    for (LLVMValueRef i = t->counted; i; i = LLVMGetNextInstruction(i))
        t->insns++;
    for (; at; at = LLVMGetNextBasicBlock(at))
        for (LLVMValueRef i = LLVMGetFirstInstruction(at); i; i = LLVMGetNextInstruction(i))
            t->insns++;
    t->last = LLVMGetLastBasicBlock(t->b->function);
    t->counted = LLVMGetLastInstruction(LLVMGetInsertBlock(t->b->ir));
}

static void emit_block(struct simple_v_trans *t, uint32_t first)
{
    unsigned fuel;
    const uint32_t count = length_of(t, first, &fuel);
    const struct simple_v_item *item = &t->flow.items[first];
    const bool inside = item->block && item->kind != SIMPLE_V_ITEM_HEADER;
    if (!inside && simple_v_trans_address(t, item->place) == t->stop) {
        leave_at(t, item, t->leave);
        return;
    }
    t->item = item;
    t->done = 0;
    t->left = 0;
    take_fuel(t, fuel);
    t->left = fuel;
    t->counted = NULL;
    for (uint32_t n = 0; n < count; n++) {
        if (!emit_item(t, item))
            return;
        count_insns(t);
        if (n + 1 < count)
            item = &t->flow.items[item->next];
        if (n + 1 < count && t->insns >= INSNS_MAX) { /* a block may be all of it */
            t->item = item;
            store_place(t);
            LLVMBuildBr(t->b->ir, t->stepping);
            return;
        }
    }
    t->item = item;
    /* What falls through has been counted already. */
    count_done(t);
    if (item->next == SIMPLE_V_NOWHERE) {
        store_pc(t, jit_i64(t->b, simple_v_trans_next_pc(t)));
        store_opptr(t, false, 0);
        LLVMBuildBr(t->b->ir, t->dispatch);
    } else if (t->begin[item->next]) {
        LLVMBuildBr(t->b->ir, t->begin[item->next]);
    } else { /* what is strange */
        leave_at(t, &t->flow.items[item->next], t->stepping);
    }
}

/* ---- the dispatch ---- */

static LLVMValueRef differs(struct simple_v_trans *t, size_t offset, unsigned value)
{
    const LLVMValueRef is = simple_v_trans_load(t, t->b->i8, offset);
    return LLVMBuildICmp(t->b->ir, LLVMIntNE, is, LLVMConstInt(t->b->i8, value, false), "");
}

/* Into a block, if the thread has the lengths that it is made for. */
static void emit_guard(struct simple_v_trans *t, const struct simple_v_item *item, LLVMBasicBlockRef to)
{
    const struct simple_v_lengths *l = &item->before;
    const struct {
        unsigned known;
        size_t offset;
        unsigned value;
    } all[] = {{l->vl, SIMPLE_V_THREAD_AT(state.vl), l->vl},
               {l->mvl, SIMPLE_V_THREAD_AT(state.mvl), l->mvl},
               {l->subvl, SIMPLE_V_THREAD_AT(state.subvl), l->subvl},
               {l->rounding, SIMPLE_V_THREAD_AT(state.frm), l->rounding - 1u},
               {l->saturate, SIMPLE_V_THREAD_AT(state.saturate), l->saturate - 1u}};
    LLVMValueRef wrong = LLVMConstNull(t->b->i1);
    for (unsigned n = 0; n < sizeof all / sizeof *all; n++)
        if (all[n].known)
            wrong = LLVMBuildOr(t->b->ir, wrong, differs(t, all[n].offset, all[n].value), "");
    LLVMBuildCondBr(t->b->ir, wrong, t->stepping, to);
}

/* What only the interpreter goes on with: inside VBLOCKs, behind a fault, with an address that LR has reserved. */
static LLVMValueRef is_amid(struct simple_v_trans *t)
{
    static const size_t zeros[] = {SIMPLE_V_THREAD_AT(state.in_block), SIMPLE_V_THREAD_AT(state.srcoffs),
                                   SIMPLE_V_THREAD_AT(state.destoffs), SIMPLE_V_THREAD_AT(state.suboffs),
                                   SIMPLE_V_THREAD_AT(state.reserved)};
    LLVMValueRef any = LLVMConstNull(t->b->i1);
    for (unsigned n = 0; n < sizeof zeros / sizeof *zeros - t->program->reserves; n++)
        any = LLVMBuildOr(t->b->ir, any, differs(t, zeros[n], 0), "");
    return any;
}

static void emit_dispatch(struct simple_v_trans *t)
{
    const LLVMBuilderRef ir = t->b->ir;
    LLVMBasicBlockRef find = simple_v_trans_block(t, "find"), on = simple_v_trans_block(t, "running");
    LLVMPositionBuilderAtEnd(ir, t->dispatch);
    const LLVMValueRef pc = simple_v_trans_load(t, t->b->i64, SIMPLE_V_THREAD_AT(state.pc));
    const LLVMValueRef at_stop = LLVMBuildICmp(ir, LLVMIntEQ, pc, jit_i64(t->b, t->stop), ""),
                       outside = LLVMBuildNot(ir, differs(t, SIMPLE_V_THREAD_AT(state.in_block), 0), "");
    LLVMBuildCondBr(ir, LLVMBuildAnd(ir, at_stop, outside, ""), t->leave, on);
    LLVMPositionBuilderAtEnd(ir, on);
    LLVMBuildCondBr(ir, is_amid(t), t->stepping, find);
    LLVMPositionBuilderAtEnd(ir, find);
    const LLVMValueRef offset = LLVMBuildSub(ir, pc, jit_i64(t->b, t->program->address), "");
    const LLVMValueRef choose = LLVMBuildSwitch(ir, offset, t->stepping, 8);
    for (uint32_t n = 0; n < t->flow.count; n++) {
        const struct simple_v_item *item = &t->flow.items[n];
        if (!t->begin[n] || !simple_v_flow_enters(item))
            continue;
        LLVMBasicBlockRef guard = simple_v_trans_block(t, "guard");
        LLVMAddCase(choose, jit_i64(t->b, 2ull * item->place), guard);
        LLVMPositionBuilderAtEnd(ir, guard);
        emit_guard(t, item, t->begin[n]);
    }
    LLVMPositionBuilderAtEnd(ir, t->stepping);
    LLVMBuildCondBr(ir, call_step(t), t->dispatch, t->leave);
    LLVMPositionBuilderAtEnd(ir, t->leave);
    LLVMBuildRetVoid(ir);
}

/* Blocks, until they are too many; what others go to all the same is the interpreter's. */
static void emit_blocks(struct simple_v_trans *t)
{
    for (uint32_t n = 0; n < t->flow.count; n++) {
        if (!t->begin[n])
            continue;
        LLVMPositionBuilderAtEnd(t->b->ir, t->begin[n]);
        if (t->insns < INSNS_MAX) {
            emit_block(t, n);
            count_insns(t);
            for (LLVMValueRef i = LLVMGetFirstInstruction(t->begin[n]); i; i = LLVMGetNextInstruction(i))
                t->insns++;
            continue;
        }
        if (LLVMGetFirstUse(LLVMBasicBlockAsValue(t->begin[n])))
            leave_at(t, &t->flow.items[n], t->stepping);
        else
            LLVMDeleteBasicBlock(t->begin[n]);
        t->begin[n] = NULL;
    }
}

/* ---- the whole ---- */

/* Scopes that say that the thread's memory and the guest's are apart. */
static void make_scopes(struct simple_v_trans *t)
{
    static const char *const names[] = {"thread", "guest"};
    LLVMContextRef c = t->b->context;
    LLVMMetadataRef domain = LLVMMDStringInContext2(c, "simple_v", 8), scope[2];
    domain = LLVMMDNodeInContext2(c, &domain, 1);
    for (unsigned n = 0; n < 2; n++) {
        LLVMMetadataRef parts[2] = {LLVMMDStringInContext2(c, names[n], __builtin_strlen(names[n])), domain};
        scope[n] = LLVMMDNodeInContext2(c, parts, 2);
    }
    for (unsigned n = 0; n < 2; n++) {
        t->scopes[n][0] = LLVMMetadataAsValue(c, LLVMMDNodeInContext2(c, &scope[n], 1));
        t->scopes[n][1] = LLVMMetadataAsValue(c, LLVMMDNodeInContext2(c, &scope[1 - n], 1));
    }
}

/* void run(thread): with denormals, so a function of its own. */
static LLVMValueRef emit_function(struct simple_v_trans *t)
{
    struct jit_builder *b = t->b;
    LLVMTypeRef params[1] = {b->ptr};
    const LLVMValueRef outer = b->function;
    LLVMBasicBlockRef here = LLVMGetInsertBlock(b->ir);
    const LLVMValueRef f = jit_begin_internal(b, "run", b->void_, params, 1);
    jit_keep_denormals(b);
    t->thread = jit_param(b, 0);
    t->dispatch = simple_v_trans_block(t, "dispatch");
    t->stepping = simple_v_trans_block(t, "stepping");
    t->leave = simple_v_trans_block(t, "leave");
    LLVMBuildBr(b->ir, t->dispatch);
    for (uint32_t n = 0; n < t->flow.count; n++)
        if (t->flow.items[n].begins && t->flow.items[n].reached)
            t->begin[n] = simple_v_trans_block(t, "block");
    emit_blocks(t);
    emit_dispatch(t);
    b->function = outer;
    LLVMPositionBuilderAtEnd(b->ir, here);
    return f;
}

static void set_mxcsr(struct jit_builder *b, LLVMValueRef slot)
{
    jit_intrinsic(b, "llvm.x86.sse.ldmxcsr", NULL, 0, &slot, 1);
}

static void emit_call(struct jit_builder *b, LLVMValueRef f, LLVMValueRef thread)
{
    LLVMValueRef had = jit_alloca(b, b->i32, "mxcsr"), own = jit_alloca(b, b->i32, "mxcsr");
    const LLVMTypeRef type = LLVMFunctionType(b->void_, &b->ptr, 1, false);
    jit_intrinsic(b, "llvm.x86.sse.stmxcsr", NULL, 0, &had, 1);
    LLVMBuildStore(b->ir, jit_i32(b, DEFAULT_MXCSR), own);
    set_mxcsr(b, own);
    LLVMBuildCall2(b->ir, type, f, &thread, 1, "");
    set_mxcsr(b, had);
}

int simple_v_translate(struct jit_builder *b, const struct simple_v_program *program,
                       const struct simple_v_entry *entry, uint64_t stop,
                       const struct simple_v_ir_ports *ports, LLVMValueRef thread)
{
    static const struct simple_v_entry start = {.lengths = {1, 1, 1, 1, 1}}; /* simple_v_start */
    struct simple_v_trans t = {.b = b, .program = program, .ports = ports, .stop = stop};
    if (simple_v_flow_find(program, entry ? entry : &start, stop, &t.flow))
        return -ENOMEM;
    t.begin = calloc(t.flow.count + 1u, sizeof *t.begin);
    if (t.begin) {
        make_scopes(&t);
        emit_call(b, emit_function(&t), thread);
    }
    simple_v_flow_finish(&t.flow);
    const int status = t.begin ? 0 : -ENOMEM;
    free(t.begin);
    return status;
}
