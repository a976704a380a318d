#include "jit/linker.h"

#include <errno.h>
#include <llvm-c/LLJIT.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "jit/arena.h"
#include "jit/target.h"

#define ARENA_BYTES (UINT64_C(512) << 20) /* address space; pages come as they are used */

struct jit_linker {
    struct jit_arena *arena;
    LLVMOrcLLJITRef jit;
    LLVMOrcJITDylibRef code; /* bare: sees only what we define in it */
    pthread_mutex_t lock;    /* one object at a time */
};

static int fail(struct util_error *error, int code, LLVMErrorRef failed)
{
    char *text = LLVMGetErrorMessage(failed);
    int result = util_fail(error, code, "LLVM ORC: %s", text);

    LLVMDisposeErrorMessage(text);
    return result;
}

static void ignore_report(void *ctx, LLVMErrorRef error)
{
    LLVMConsumeError(error);
}

static LLVMOrcObjectLayerRef create_layer(void *arena, LLVMOrcExecutionSessionRef session, const char *triple)
{
    return jit_arena_object_layer(arena, session);
}

static LLVMErrorRef define_helpers(struct jit_linker *linker)
{
    const struct {
        const char *name;
        uintptr_t address;
    } helpers[] = {
        {"memcpy", (uintptr_t)memcpy}, {"memmove", (uintptr_t)memmove}, {"memset", (uintptr_t)memset}};
    LLVMOrcCSymbolMapPair pairs[3];

    for (unsigned i = 0; i < 3; i++) {
        pairs[i].Name = LLVMOrcLLJITMangleAndIntern(linker->jit, helpers[i].name);
        pairs[i].Sym.Address = helpers[i].address;
        pairs[i].Sym.Flags = (LLVMJITSymbolFlags){LLVMJITSymbolGenericFlagsExported, 0};
    }
    return LLVMOrcJITDylibDefine(linker->code, LLVMOrcAbsoluteSymbols(pairs, 3));
}

static LLVMErrorRef start(struct jit_linker *linker, LLVMTargetMachineRef machine)
{
    LLVMOrcLLJITBuilderRef builder = LLVMOrcCreateLLJITBuilder();

    LLVMOrcLLJITBuilderSetJITTargetMachineBuilder(
        builder, LLVMOrcJITTargetMachineBuilderCreateFromTargetMachine(machine));
    LLVMOrcLLJITBuilderSetObjectLinkingLayerCreator(builder, create_layer, linker->arena);
    LLVMErrorRef failed = LLVMOrcCreateLLJIT(&linker->jit, builder);
    if (failed)
        return failed;
    LLVMOrcExecutionSessionRef session = LLVMOrcLLJITGetExecutionSession(linker->jit);
    LLVMOrcExecutionSessionSetErrorReporter(session, ignore_report, NULL);
    linker->code = LLVMOrcExecutionSessionCreateBareJITDylib(session, "code");
    return define_helpers(linker);
}

struct jit_linker *jit_linker_create(enum jit_level level, struct util_error *error)
{
    struct jit_linker *linker = calloc(1, sizeof *linker);
    LLVMTargetMachineRef machine = jit_target_machine(level, 2);

    if (linker)
        linker->arena = jit_arena_create(ARENA_BYTES);
    if (!linker || !linker->arena || !machine) {
        util_fail(error, -ENOMEM, "no memory for code");
        if (machine)
            LLVMDisposeTargetMachine(machine);
        free(linker);
        return NULL;
    }
    pthread_mutex_init(&linker->lock, NULL);
    LLVMErrorRef failed = start(linker, machine); /* takes the machine */
    if (failed) {
        fail(error, -EINVAL, failed);
        jit_linker_destroy(linker);
        return NULL;
    }
    return linker;
}

void jit_linker_destroy(struct jit_linker *linker)
{
    if (!linker)
        return;
    if (linker->jit) {
        LLVMErrorRef failed = LLVMOrcDisposeLLJIT(linker->jit);
        if (failed)
            LLVMConsumeError(failed);
    }
    jit_arena_destroy(linker->arena);
    pthread_mutex_destroy(&linker->lock);
    free(linker);
}

struct lookup {
    LLVMErrorRef failed;
    void *code;
};

/* Runs before LLVMOrcExecutionSessionLookup returns: nothing is linked on other threads. */
static void on_lookup(LLVMErrorRef failed, LLVMOrcCSymbolMapPairs result, size_t count, void *data)
{
    struct lookup *lookup = data;

    lookup->failed = failed;
    if (!failed && count == 1)
        lookup->code = (void *)(uintptr_t)result[0].Sym.Address;
}

static LLVMErrorRef find(struct jit_linker *linker, const char *symbol, void **code)
{
    LLVMOrcCJITDylibSearchOrderElement order = {linker->code, LLVMOrcJITDylibLookupFlagsMatchAllSymbols};
    LLVMOrcCLookupSetElement name = {LLVMOrcLLJITMangleAndIntern(linker->jit, symbol),
                                     LLVMOrcSymbolLookupFlagsRequiredSymbol};
    struct lookup lookup = {0};

    LLVMOrcExecutionSessionLookup(LLVMOrcLLJITGetExecutionSession(linker->jit), LLVMOrcLookupKindStatic,
                                  &order, 1, &name, 1, on_lookup, &lookup);
    *code = lookup.code;
    return lookup.failed;
}

int jit_linker_add(struct jit_linker *linker, LLVMMemoryBufferRef object, const char *symbol, void **code,
                   struct util_error *error)
{
    if (!jit_arena_has_room(linker->arena, LLVMGetBufferSize(object))) {
        LLVMDisposeMemoryBuffer(object);
        return util_fail(error, -ENOMEM, "code memory is used up");
    }
    pthread_mutex_lock(&linker->lock);
    LLVMOrcResourceTrackerRef tracker = LLVMOrcJITDylibCreateResourceTracker(linker->code);
    LLVMErrorRef failed = LLVMOrcLLJITAddObjectFileWithRT(linker->jit, tracker, object);
    *code = NULL;
    if (!failed)
        failed = find(linker, symbol, code);
    if (failed || !*code) { /* forget the object, so that the symbol can be defined again */
        LLVMErrorRef again = LLVMOrcResourceTrackerRemove(tracker);
        if (again)
            LLVMConsumeError(again);
    }
    LLVMOrcReleaseResourceTracker(tracker);
    bool no_memory = jit_arena_failed(linker->arena);
    pthread_mutex_unlock(&linker->lock);
    if (failed)
        return fail(error, no_memory ? -ENOMEM : -EINVAL, failed);
    return *code ? 0 : util_fail(error, -EINVAL, "LLVM ORC: no code for %s", symbol);
}

uint64_t jit_linker_code_bytes(struct jit_linker *linker)
{
    return jit_arena_used(linker->arena);
}
