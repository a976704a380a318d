/* Programs that stock drivers wrote, of every capture of a Mali: what the disassembler prints has no raw words, and
 * assembles to the program. The linter meets them; VideoCore IV's has a look of its own, so that its programs are not met
 * here. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <dirent.h>
#include <stdlib.h>

#include "gpu/lint.h"
#include "isa/sets.h"
#include "tests/gpu/captures.h"
#include "util/bits.h"

static const char *capture; /* at hand */
static unsigned met;

/* In the place of the linter's look at a program (tests/CMakeLists.txt). */
void __wrap_gpu_lint_program(const struct gpu_lint_program *p);
void __wrap_gpu_lint_program(const struct gpu_lint_program *p)
{
    struct util_error error = {0};
    char *text = NULL;
    size_t length;
    void *again = NULL;
    uint32_t count = 0;
    FILE *out = open_memstream(&text, &length);
    assert_non_null(out);
    assert_int_equal(p->set->disassemble(out, p->words, p->count), 0);
    assert_int_equal(fclose(out), 0);
    if (strstr(text, ".word"))
        fail_msg("%s, %s at %llx: %.200s", capture, p->place, (unsigned long long)p->address,
                 strstr(text, ".word"));
    if (isa_assemble(p->set->syntax, text, strlen(text), &again, &count, &error))
        fail_msg("%s, %s at %llx: %s\n%s", capture, p->place, (unsigned long long)p->address, error.text,
                 text);
    if (count != p->count || memcmp(again, p->words, (size_t)count * p->set->word_bytes) != 0)
        fail_msg("%s, %s at %llx: other words:\n%s", capture, p->place, (unsigned long long)p->address, text);
    free(again);
    free(text);
    met++;
}

static void ignore(void *data, const struct gpu_lint_finding *finding) {}

static void programs_of(const struct gpu_linter *linter, const char *path)
{
    struct gpu_lint_summary summary;
    struct util_error error = {0};
    struct capture_reader *reader;
    capture = path;
    if (capture_reader_open(path, &reader, &error) ||
        gpu_lint_capture(linter, reader, ignore, NULL, &summary, &error))
        fail_msg("%s: %s", path, error.text);
    capture_reader_close(reader);
}

static void captured_programs_go_round(void **state)
{
    static const struct gpu_linter *const linters[] = {&utgard_linter, &mali_linter};
    const struct gpu_info *gpu;
    for (unsigned g = 0; (gpu = gpu_info_at(g)); g++)
        for (unsigned n = 0; n < UTIL_ARRAY_SIZE(linters); n++) {
            char folder[CAPTURES_PATH], path[CAPTURES_PATH + 256];
            const struct dirent *entry;
            if (strcmp(linters[n]->family, gpu->family) != 0)
                continue;
            captures_folder(gpu->name, folder);
            DIR *files = opendir(folder);
            assert_non_null(files);
            met = 0;
            while ((entry = readdir(files)))
                if (strstr(entry->d_name, ".vtc")) {
                    snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
                    programs_of(linters[n], path);
                }
            closedir(files);
            print_message("%s: %u programs\n", gpu->name, met);
            assert_true(met >= 4); /* gltest alone has as many */
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(captured_programs_go_round)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
