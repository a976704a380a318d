/* Programs of Mali's pixel processors made of the fuzzer's bytes: decoded, printed, assembled back, checked,
 * analysed, interpreted and, short ones, compiled, which gives the same; and the bytes as text for the
 * assembler.
 *
 * Input: flags (1 byte: bits 0 to 3 which world and lanes, compiled too when of bits 4, 6 and 7 only bit 4 is
 * set, bit 5 as silicon computes), then words. */
#include "tests/diff/pp_harness.h"
#include "tests/fuzz/engine.h"

enum { MAX_WORDS = 512, MAX_COMPILED = 12 };
/* One in eight: a compile takes as long as some tens of interpreted programs. */
enum { COMPILED = 16, NOT_COMPILED = 64 | 128 };

static void ignore_breach(void *data, uint32_t at, const char *rule, const char *source)
{
    *(size_t *)data += strlen(rule) + strlen(source) + at;
}

/* Every instruction has a text, and the text gives back its words. */
static void go_round(const uint32_t *words, uint32_t count)
{
    for (uint32_t place = 0; place < count;) {
        char text[UTGARD_PP_TEXT_MAX];
        uint32_t *again, length_again, length = utgard_pp_disasm(words, count, place, text);
        if (!length || utgard_pp_asm(text, strlen(text), &again, &length_again, NULL) ||
            length_again != length)
            abort();
        /* a branch's target is relative to where it stands: as raw words or as a number, it is the same */
        if (!strstr(text, "branch") && memcmp(again, &words[place], length * sizeof *again) != 0)
            abort();
        free(again);
        place += length;
    }
}

/* UBSan looks before a function for its type: compiled code has none there. */
__attribute__((no_sanitize("function"))) static void run_program(const struct utgard_pp_program *p,
                                                                 const uint32_t *words, uint8_t flags)
{
    static struct world expected, got;
    enum isa_numeric numeric = flags & 32 ? ISA_EXACT : ISA_FAST;
    uint64_t seed = flags & 15;
    bool all = flags & 1;
    uint16_t lanes = all ? 0xffff : (uint16_t)random_next(&seed);
    make_world(&expected, &seed, numeric);
    got = expected;
    interpret(p, &expected, lanes);
    if ((flags & (COMPILED | NOT_COMPILED)) != COMPILED || p->insn_count > MAX_COMPILED)
        return;
    run_fn run = compile(fuzz_engine(), p, all, numeric);
    if (!run)
        abort();
    run(&got, lanes, FUEL);
    if (!alike(words, p->word_count, &expected, &got, lanes))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static uint32_t words[MAX_WORDS];
    struct utgard_pp_program *program;
    uint32_t count = size ? (uint32_t)UTIL_MIN((size - 1) / 4, (size_t)MAX_WORDS) : 0, *assembled, length;
    size_t sum = 0;
    if (count)
        memcpy(words, bytes + 1, count * sizeof *words);
    go_round(words, count);
    utgard_pp_check(words, count, ignore_breach, &sum);
    if (count && !utgard_pp_program_create(words, count, &program, NULL)) {
        unsigned saved = util_fpenv_enter();
        run_program(program, words, bytes[0]);
        util_fpenv_leave(saved);
        utgard_pp_program_destroy(program);
    }
    if (!utgard_pp_asm((const char *)bytes, size, &assembled, &length, NULL))
        free(assembled);
    return 0;
}
