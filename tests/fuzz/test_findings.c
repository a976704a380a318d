/* What `vitrail fuzz` has found in Vitrail, made small: tried again in every way, it agrees now. The files of findings/ are
 * captures, NAME.vtc, and programs, SET.NAME.bin. */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "fuzz/capture.h"
#include "fuzz/program.h"

static struct fuzz_case one;
static struct fuzz_result result;

static uint8_t *read_file(const char *name, size_t *size)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/tests/fuzz/findings/%s", SOURCE_DIR, name);
    FILE *file = fopen(path, "rb");
    if (!file) {
        fail_msg("%s cannot be read", path);
        return NULL;
    }
    uint8_t *bytes = malloc(1 << 20);
    assert_non_null(bytes);
    *size = fread(bytes, 1, 1 << 20, file);
    fclose(file);
    return bytes;
}

static struct fuzz_subject *open_finding(const char *name)
{
    struct fuzz_subject *s = NULL;
    size_t size = 0;
    uint8_t *bytes = read_file(name, &size);
    if (strstr(name, ".vtc")) {
        assert_int_equal(fuzz_capture_create(bytes, size, NULL, &s, NULL), 0);
        fuzz_capture_case(s, &one);
        return s;
    }
    char set[64];
    snprintf(set, sizeof set, "%.*s", (int)strcspn(name, "."), name);
    const struct world_set *world = world_find(set);
    assert_non_null(world);
    assert_int_equal(fuzz_program_create(world, NULL, &s, NULL), 0);
    assert_int_equal(fuzz_program_case(world, bytes, size, &one), 0);
    free(bytes);
    return s;
}

static void they_agree(void **state)
{
    DIR *folder = opendir(SOURCE_DIR "/tests/fuzz/findings");
    const struct dirent *entry;
    unsigned count = 0;
    assert_non_null(folder);
    while ((entry = readdir(folder))) {
        if (!strstr(entry->d_name, ".vtc") && !strstr(entry->d_name, ".bin"))
            continue;
        struct fuzz_subject *s = open_finding(entry->d_name);
        s->functions->attempt(s, &one, false, &result);
        if (result.verdict == FUZZ_FINDING)
            fail_msg("%s: %s", entry->d_name, result.text);
        s->functions->destroy(s);
        count++;
    }
    closedir(folder);
    assert_true(count > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(they_agree)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
