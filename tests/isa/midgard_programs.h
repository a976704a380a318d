/* The programs of midgard_programs.txt, one after the other. */
#ifndef VITRAIL_TESTS_MIDGARD_PROGRAMS_H
#define VITRAIL_TESTS_MIDGARD_PROGRAMS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MIDGARD_PROGRAM_QUADS = 256 };

/* `gpus`: those that it was written for. Returns how many there are. */
static inline uint32_t midgard_programs_each(void (*one)(char *gpus, const uint64_t *words, uint32_t count))
{
    static uint64_t words[2 * MIDGARD_PROGRAM_QUADS];
    char line[200], gpus[200] = "";
    uint32_t count = 0, programs = 0;
    FILE *file = fopen(SOURCE_DIR "/tests/isa/midgard_programs.txt", "r");
    assert_non_null(file);
    while (fgets(line, sizeof line, file)) {
        if (line[0] == '#')
            continue;
        if (line[0] != 't') {
            assert_true(count < MIDGARD_PROGRAM_QUADS);
            words[2 * count] = strtoull(line + 16, NULL, 16);
            line[16] = 0;
            words[2 * count++ + 1] = strtoull(line, NULL, 16);
            continue;
        }
        if (count)
            one(gpus, words, count);
        memcpy(gpus, line, sizeof gpus);
        gpus[strcspn(gpus, "\n")] = 0;
        programs++;
        count = 0;
    }
    fclose(file);
    one(gpus, words, count);
    return programs;
}

#endif
