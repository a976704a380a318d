/* Programs of one instruction set, FUZZ_SET, made of the fuzzer's bytes: printed, assembled back, checked,
 * linted, interpreted and, short ones, compiled, which gives the same (fuzz/world); and the bytes as text
 * for the assembler.
 *
 * Input: flags (1 byte: bits 0 to 2 which world, compiled too when of bits 3, 6 and 7 only bit 3 is set, bits
 * 4, 5 and 0 the mode), then words. */
#include <stdlib.h>
#include <string.h>

#include "tests/fuzz/engine.h"
#include "fuzz/program.h"
#include "util/bits.h"
#include "util/fpenv.h"

enum { MAX_BYTES = 2048, MAX_COMPILED = 192 };
/* One in eight: a compile takes as long as some tens of interpreted programs. */
enum { COMPILED = 8, NOT_COMPILED = 64 | 128 };

/* Interpreted, and compiled when it is short; the engine's code is of this program alone. */
static void run_program(const struct world_set *set, void *program, bool compile, uint8_t flags)
{
    static uint64_t number;
    static void *input;
    unsigned mode = ((flags >> 4 & 3) | (flags & 1u) << 2) % world_modes(set);
    bool translated;
    struct world_batch batch = {set, &program, 1, mode, &translated};
    const uint64_t key[2] = {number++, mode};
    struct world_outcome outcome = {0};
    world_fn code;
    if (!input && !(input = aligned_alloc(64, (set->bytes + 63) & ~(size_t)63)))
        abort();
    set->fill(input, program, mode, flags & 7);
    if (!compile) {
        set->run(program, mode, input);
        return;
    }
    if (world_compile(fuzz_engine(), &batch, key, &code, NULL))
        abort();
    if (translated && !world_compare(set, program, mode, code, 0, input, &outcome))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static _Alignas(16) uint8_t words[MAX_BYTES];
    static const struct world_set *set;
    void *program, *assembled;
    uint32_t length;
    unsigned stages = 0, breaches;

    if (!set && !(set = world_find(FUZZ_SET)))
        abort();
    const struct isa_set *isa = set->isa;
    uint32_t count = size ? (uint32_t)(UTIL_MIN(size - 1, sizeof words) / isa->word_bytes) : 0;
    uint8_t flags = size ? bytes[0] : 0;
    if (count)
        memcpy(words, bytes + 1, (size_t)count * isa->word_bytes);
    while (isa->stages[stages])
        stages++;
    if (fuzz_program_look(set, words, count, flags % stages, &breaches))
        abort();
    if (count && !isa->create(words, count, &program, NULL)) {
        bool compile =
            (flags & (COMPILED | NOT_COMPILED)) == COMPILED && count * isa->word_bytes <= MAX_COMPILED;
        unsigned saved = util_fpenv_enter();
        run_program(set, program, compile, flags);
        util_fpenv_leave(saved);
        isa->destroy(program);
    }
    if (!isa_assemble(isa->syntax, (const char *)bytes, size, &assembled, &length, NULL))
        free(assembled);
    return 0;
}
