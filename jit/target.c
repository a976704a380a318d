#include "jit/target.h"

#include <llvm-c/Target.h>
#include <pthread.h>

#define TRIPLE "x86_64-pc-linux-gnu"

/* Explicit features: the same code wherever a level runs. Products and sums are fused where llvm.fma asks for it
 * alone: LLVM contracts nothing without a flag that we never set. 512-bit vectors are wanted. */
static const struct {
    const char *name, *cpu, *features, *width;
} levels[JIT_LEVEL_COUNT] = {
    [JIT_SSE41] = {"sse4.1", "x86-64", "+sse3,+ssse3,+sse4.1,+popcnt,-sse4.2,-avx", "128"},
    [JIT_AVX2] = {"avx2", "x86-64-v3", "-avx512f", "256"},
    [JIT_AVX512] = {"avx512", "x86-64-v4", "-prefer-256-bit", "512"},
    [JIT_AVX512FP16] = {"avx512fp16", "x86-64-v4", "-prefer-256-bit,+avx512fp16", "512"},
};

const char *jit_level_name(enum jit_level level)
{
    return (unsigned)level < JIT_LEVEL_COUNT ? levels[level].name : "unknown";
}

bool jit_level_supported(enum jit_level level)
{
    __builtin_cpu_init();
    bool sse41 = __builtin_cpu_supports("sse4.1") && __builtin_cpu_supports("ssse3") &&
                 __builtin_cpu_supports("popcnt");
    bool avx2 = sse41 && __builtin_cpu_supports("x86-64-v3");
    bool avx512 = avx2 && __builtin_cpu_supports("x86-64-v4");
    switch (level) {
    case JIT_SSE41: return sse41;
    case JIT_AVX2: return avx2;
    case JIT_AVX512: return avx512;
    case JIT_AVX512FP16: return avx512 && __builtin_cpu_supports("avx512fp16");
    default: return false;
    }
}

/* Of Intel's since Sapphire Rapids, the first with halves: nearest lookups of three bytes take 0.6 of the time that
 * sixteen loads do (measured on Granite Rapids). Older ones gather slowly since microcode closed their leak (GDS), Zen 4
 * and 5 by microcode. */
bool jit_target_gathers_fast(void)
{
    __builtin_cpu_init();
    return __builtin_cpu_is("intel") && __builtin_cpu_supports("avx512fp16");
}

const char *jit_target_vector_width(enum jit_level level)
{
    return levels[level].width;
}

const char *jit_target_passes(unsigned optimize)
{
    if (optimize == 0)
        return "function(sroa,early-cse)";
    return "function(sroa,early-cse<memssa>,instcombine<no-verify-fixpoint>,simplifycfg,"
           "loop-mssa(loop-rotate,licm),early-cse<memssa>,adce)";
}

static bool started;

static void start_llvm(void)
{
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
    started = true;
}

bool jit_target_init(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, start_llvm);
    return started;
}

LLVMTargetMachineRef jit_target_machine(enum jit_level level, unsigned optimize)
{
    LLVMTargetRef target;
    char *message = NULL;

    if (LLVMGetTargetFromTriple(TRIPLE, &target, &message)) {
        LLVMDisposeMessage(message);
        return NULL;
    }
    return LLVMCreateTargetMachine(target, TRIPLE, levels[level].cpu, levels[level].features,
                                   optimize ? LLVMCodeGenLevelDefault : LLVMCodeGenLevelNone, LLVMRelocPIC,
                                   LLVMCodeModelSmall);
}
