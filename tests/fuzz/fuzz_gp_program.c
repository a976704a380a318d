/* Programs of Mali's vertex processor made of the fuzzer's bytes: decoded, printed, assembled back, checked,
 * analysed, interpreted and, short ones, compiled, which gives the same; and the bytes as text for the
 * assembler.
 *
 * Input: flags (1 byte: bits 0 to 3 which world and lanes, compiled too when of bits 4, 6 and 7 only bit 4 is
 * set), then words. */
#include "tests/diff/gp_harness.h"
#include "tests/fuzz/engine.h"

enum { MAX_COMPILED = 12 };
/* One in eight: a compile takes as long as some tens of interpreted programs. */
enum { COMPILED = 16, NOT_COMPILED = 64 | 128 };

static void ignore_breach(void *data, uint32_t pc, const char *rule, const char *source)
{
    *(size_t *)data += strlen(rule) + strlen(source) + pc;
}

/* Every instruction has a text, and the text gives back its words. */
static void go_round(const uint64_t word[UTGARD_GP_WORDS])
{
    char text[UTGARD_GP_TEXT_MAX];
    uint64_t *again;
    uint32_t count;
    size_t length = utgard_gp_disasm(word, text);
    if (utgard_gp_asm(text, length, &again, &count, NULL) || count != 1 ||
        memcmp(again, word, UTGARD_GP_WORDS * sizeof *word) != 0)
        abort();
    free(again);
}

/* UBSan looks before a function for its type: compiled code has none there. */
__attribute__((no_sanitize("function"))) static void run_program(const struct utgard_gp_program *p,
                                                                 const uint64_t *words, uint8_t flags)
{
    static struct world expected, got;
    uint64_t seed = flags & 15;
    uint16_t lanes = flags & 1 ? 0xffff : (uint16_t)random_next(&seed);
    make_world(&expected, &seed);
    fill_temporaries(&expected);
    got = expected;
    interpret(p, &expected, lanes);
    if ((flags & (COMPILED | NOT_COMPILED)) != COMPILED || p->insn_count > MAX_COMPILED)
        return;
    run_fn run = compile(fuzz_engine(), p);
    if (!run)
        abort();
    run(&got, lanes, FUEL);
    if (!alike(words, p->insn_count, &expected, &got, lanes))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static uint64_t words[UTGARD_GP_MAX_INSNS * UTGARD_GP_WORDS];
    struct utgard_gp_program *program;
    uint32_t count = size ? (uint32_t)UTIL_MIN((size - 1) / 16, (size_t)UTGARD_GP_MAX_INSNS) : 0, length;
    uint64_t *assembled;
    size_t sum = 0;
    if (count)
        memcpy(words, bytes + 1, (size_t)count * 16);
    for (uint32_t pc = 0; pc < count; pc++)
        go_round(&words[pc * UTGARD_GP_WORDS]);
    utgard_gp_check(words, count, ignore_breach, &sum);
    if (count && !utgard_gp_program_create(words, count, &program, NULL)) {
        unsigned saved = util_fpenv_enter();
        run_program(program, words, bytes[0]);
        util_fpenv_leave(saved);
        utgard_gp_program_destroy(program);
    }
    if (!utgard_gp_asm((const char *)bytes, size, &assembled, &length, NULL))
        free(assembled);
    return 0;
}
