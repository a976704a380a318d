/* Requests for memory, threads and files of memory that the host refuses, whichever the test names. Those of the
 * program and its libraries are counted through the linker (--wrap, tests/CMakeLists.txt); those of shared
 * libraries are not: LLVM ends the process without memory. Included by tests/hostile/test_*allocation.c. */
#ifndef VITRAIL_TESTS_HOSTILE_REFUSE_H
#define VITRAIL_TESTS_HOSTILE_REFUSE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/mman.h>

#include "tests/sample.h"
#include "tests/wrap.h"

static atomic_bool counting;
static atomic_long left;  /* requests that are still granted */
static atomic_bool later; /* those behind the first refused one are refused too */
static atomic_bool fired;

static inline bool refused(void)
{
    if (!atomic_load(&counting))
        return false;
    long n = atomic_fetch_sub(&left, 1);
    if (n > 0 || (n < 0 && !atomic_load(&later)))
        return false;
    atomic_store(&fired, true);
    errno = ENOMEM;
    return true;
}

WRAP(void *, malloc, NULL, (size_t size), size)
WRAP(void *, calloc, NULL, (size_t count, size_t size), count, size)
WRAP(void *, realloc, NULL, (void *old, size_t size), old, size)
WRAP(void *, aligned_alloc, NULL, (size_t align, size_t size), align, size)
WRAP(void *, mmap, MAP_FAILED, (void *at, size_t size, int prot, int flags, int fd, off_t offset), at, size,
     prot, flags, fd, offset)
WRAP(int, mprotect, -1, (void *at, size_t size, int prot), at, size, prot)
WRAP(int, memfd_create, -1, (const char *name, unsigned flags), name, flags)
WRAP(int, pthread_create, EAGAIN,
     (pthread_t * thread, const pthread_attr_t *attributes, void *(*routine)(void *), void *data), thread,
     attributes, routine, data)

static inline void refuse_begin(long nth, bool all_after)
{
    atomic_store(&left, nth);
    atomic_store(&later, all_after);
    atomic_store(&fired, false);
    atomic_store(&counting, true);
}

/* Whether a request was refused. */
static inline bool refuse_end(void)
{
    atomic_store(&counting, false);
    return atomic_load(&fired);
}

/* Runs `action` with the nth request refused, and with all from the nth on, for every n, or of a sample
 * fewer, up to the one that it gets by without. It returns 0 or an error. */
static inline void refuse_each(int (*action)(void))
{
    const unsigned step = sample_step();
    for (int mode = 0; mode < 2; mode++) {
        long n = 0;
        do {
            refuse_begin(n, mode == 1);
            int r = action();
            bool any = refuse_end();
            if (r && r != -ENOMEM && r != -EAGAIN)
                fail_msg("request %ld refused%s: %d", n, mode ? ", and all after it" : "", r);
            if (!any)
                assert_int_equal(r, 0);
            n += step;
        } while (atomic_load(&fired));
        assert_true(n > step);
        assert_int_equal(action(), 0);
    }
}

#endif
