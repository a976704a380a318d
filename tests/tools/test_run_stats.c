/* `run --stats`: the processors that a process and all that it began take. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tools/run_stats.h"

static double cpu_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void work(double seconds)
{
    while (cpu_seconds() < seconds)
        ;
}

/* Two processes that one stands above; one of them ends and is waited for. */
static void test_all_that_it_began(void **state)
{
    int ready[2];
    char byte = 0;
    assert_int_equal(pipe(ready), 0);
    pid_t parent = fork();
    if (!parent) {
        pid_t ended = fork();
        if (!ended) {
            work(0.3);
            _exit(0);
        }
        pid_t stays = fork();
        if (!stays) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            work(0.3);
            if (write(ready[1], &byte, 1) != 1)
                _exit(1);
            for (;;)
                pause();
        }
        waitpid(ended, NULL, 0);
        if (write(ready[1], &byte, 1) != 1)
            _exit(1);
        waitpid(stays, NULL, 0);
        _exit(0);
    }
    assert_true(parent > 0);
    for (unsigned i = 0; i < 2; i++)
        assert_int_equal(read(ready[0], &byte, 1), 1);
    const double used = run_stats_processors(parent);
    assert_true(used >= 0.5 && used < 1.5);
    assert_true(run_stats_processors(getpid()) >= used);
    kill(parent, SIGTERM);
    waitpid(parent, NULL, 0);
    assert_true(run_stats_processors(parent) == 0); /* who is not there takes none */
    close(ready[0]);
    close(ready[1]);
}

/* One that worked and that nobody waits for ends between two words: nothing is less than 0. */
static void test_one_that_is_lost(void **state)
{
    int ready[2] = {-1, -1}, said[2] = {-1, -1};
    char text[512];
    struct run_stats *stats = run_stats_create();
    assert_non_null(stats);
    assert_int_equal(pipe(ready), 0);
    assert_int_equal(pipe(said), 0);
    pid_t parent = fork();
    if (!parent) {
        signal(SIGCHLD, SIG_IGN);
        pid_t worker = fork();
        if (!worker)
            work(0.3);
        if (write(ready[1], &worker, sizeof worker) != sizeof worker)
            _exit(1);
        for (;;)
            pause();
    }
    pid_t workers[2] = {0}; /* the parent says who it is, the worker 0, when it has worked */
    assert_true(parent > 0);
    for (unsigned i = 0; i < 2; i++)
        assert_int_equal(read(ready[0], &workers[i], sizeof *workers), sizeof *workers);
    assert_true(run_stats_processors(parent) >= 0.25);
    run_stats_tell(stats, parent, 0);
    kill(workers[0] + workers[1], SIGKILL);
    while (run_stats_processors(parent) >= 0.25)
        usleep(1000);
    int err = dup(STDERR_FILENO);
    if (err < 0)
        fail_msg("no copy of standard error");
    else
        dup2(said[1], STDERR_FILENO);
    run_stats_tell(stats, parent, 0);
    if (err >= 0) {
        dup2(err, STDERR_FILENO);
        close(err);
    }
    ssize_t n = read(said[0], text, sizeof text - 1);
    assert_true(n > 0);
    text[n] = 0;
    assert_non_null(strstr(text, "processors: program 0.00"));
    kill(parent, SIGKILL);
    waitpid(parent, NULL, 0);
    for (unsigned i = 0; i < 2; i++) {
        close(ready[i]);
        close(said[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_all_that_it_began),
                                       cmocka_unit_test(test_one_that_is_lost)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
