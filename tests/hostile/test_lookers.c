/* Those who look at captures without drawing them - decode, lint - with words of jobs changed: they say what
 * they find, and come to an end. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>

#include "gpu/lint.h"
#include "tests/gpu/captures.h"
#include "tests/gpu/changed_capture.h"
#include "tools/decode.h"
#include "tools/family.h"
#include "tools/tool.h"

#define ROUNDS 24u

static uint64_t seed;

static uint32_t below(uint32_t n)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(((seed >> 32) * n) >> 32);
}

/* A word is another's, a neighbour of what it was, a bit of it is turned, or it is any. */
static uint32_t other(uint32_t word, uint32_t another)
{
    switch (below(4)) {
    case 0: return another;
    case 1: return word + below(33) - 16;
    case 2: return word ^ 1u << below(32);
    default: return below(UINT32_MAX);
    }
}

/* Words that are not zero are those that mean something. */
static void change_page(void *data, uint8_t *page)
{
    for (uint32_t tries = below(24); tries; tries--) {
        uint32_t word, another, *at = (uint32_t *)(void *)page + below(GPU_PAGE / 4);
        memcpy(&word, at, sizeof word);
        memcpy(&another, page + 4 * below(GPU_PAGE / 4), sizeof another);
        if (word)
            *at = other(word, another);
    }
}

static void change_write(void *data, uint32_t *offset, uint32_t *value)
{
    if (!below(64))
        *value = other(*value, *offset);
}

static void count(void *data, const struct gpu_lint_finding *finding)
{
    *(unsigned *)data += finding->rule != NULL;
}

static void look(const char *path, const char *gpu, unsigned *findings)
{
    struct gpu_lint_summary summary;
    struct util_error error = {0};
    struct capture_reader *reader;
    FILE *nowhere = fopen("/dev/null", "w");
    assert_non_null(nowhere);
    const struct decode_options options = {.path = path, .tiles = below(2), .json = below(2)};
    assert_int_equal(decode_capture(&options, nowhere), TOOL_OK);
    assert_int_equal(fclose(nowhere), 0);
    assert_int_equal(capture_reader_open(path, &reader, &error), 0);
    assert_int_equal(gpu_lint_capture(tool_family_of(gpu)->lint, reader, count, findings, &summary, &error),
                     0);
    capture_reader_close(reader);
}

static void changed_jobs(void **state)
{
    static const char *const names[] = {"gltest", "kmscube"};
    const struct gpu_info *gpu;
    unsigned findings = 0;
    for (unsigned n = 0; (gpu = gpu_info_at(n / 2)); n++) {
        char from[CAPTURES_PATH], path[32];
        if (n % 2 && !captures_find(gpu->name, names[1], from))
            continue;
        captures_need(gpu->name, names[n % 2], from);
        for (uint64_t round = 0; round < ROUNDS; round++) {
            seed = round * 64 + n;
            changed_path(path);
            write_changed(from, path, &(struct changes){NULL, change_page, change_write});
            look(path, gpu->name, &findings);
            unlink(path);
        }
    }
    assert_true(findings > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(changed_jobs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
