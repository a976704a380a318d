/* The files of a card that a program sees: removed as a whole, also by several at once. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "drm/launch/launch.h"

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

/* A program may leave links in its folder, to whatever it can name. */
static void test_what_a_link_names_stays(void **state)
{
    char folder[] = "/tmp/vitrail-tree-XXXXXX", kept[] = "/tmp/vitrail-kept-XXXXXX";
    char link[64], file[64];

    assert_non_null(mkdtemp(folder));
    assert_non_null(mkdtemp(kept));
    snprintf(link, sizeof link, "%s/link", folder);
    snprintf(file, sizeof file, "%s/file", kept);
    int fd = open(file, O_WRONLY | O_CREAT | O_EXCL, 0600);
    assert_true(fd >= 0);
    close(fd);
    assert_int_equal(symlink(kept, link), 0);
    drm_tree_remove(folder);
    assert_int_equal(access(folder, F_OK), -1);
    assert_int_equal(errno, ENOENT);
    assert_int_equal(access(file, F_OK), 0);
    assert_int_equal(unlink(file), 0);
    assert_int_equal(rmdir(kept), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_two_remove_at_once),
                                       cmocka_unit_test(test_what_a_link_names_stays)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
