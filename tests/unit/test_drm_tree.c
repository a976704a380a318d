/* The files of a card that a program sees: removed as a whole, also by several at once. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "drm/launch.h"

/* The tool and its broker. */
static void test_two_remove_at_once(void **state)
{
    for (unsigned n = 0; n < 300; n++) {
        char folder[] = "/tmp/vitrail-tree-XXXXXX";
        int go[2];
        char byte = 0;

        assert_non_null(mkdtemp(folder));
        assert_int_equal(drm_tree_create(folder, "vc4"), 0);
        assert_int_equal(pipe(go), 0);
        pid_t other = fork();
        assert_true(other >= 0);
        if (!other) {
            close(go[1]);
            if (read(go[0], &byte, 1) < 0)
                _exit(1);
            drm_tree_remove(folder);
            _exit(access(folder, F_OK) && errno == ENOENT ? 0 : 2);
        }
        close(go[0]);
        close(go[1]);
        drm_tree_remove(folder);
        assert_int_equal(access(folder, F_OK), -1);
        assert_int_equal(errno, ENOENT);
        int status = 1;
        assert_int_equal(waitpid(other, &status, 0), other);
        assert_int_equal(status, 0);
    }
}

static void test_what_is_not_there(void **state)
{
    drm_tree_remove("/tmp/vitrail-tree-none/at/all");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_two_remove_at_once),
                                       cmocka_unit_test(test_what_is_not_there)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
