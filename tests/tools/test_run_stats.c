/* `run --stats`: the processors that a process and all that it began take. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <signal.h>
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

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_all_that_it_began)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
