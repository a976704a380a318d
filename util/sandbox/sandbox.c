#include "util/sandbox/sandbox.h"

#include <errno.h>
#include <linux/seccomp.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "util/sandbox/walls.h"

#if defined(__has_feature)
#define HAS(feature) __has_feature(feature)
#else
#define HAS(feature) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || HAS(address_sanitizer) ||               \
    HAS(thread_sanitizer)
#define SANITIZED true
#else
#define SANITIZED false
#endif

static struct util_broker broker = {-1, -1};
static bool entered;

static bool has_filters(void)
{
    const uint32_t action = SECCOMP_RET_KILL_PROCESS;
    return !syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action);
}

/* The folder of a process's threads has a link for each. */
static bool has_threads(void)
{
    struct stat status;
    return !stat("/proc/self/task", &status) && status.st_nlink > 3;
}

void util_sandbox_close_memory(void)
{
    prctl(PR_SET_DUMPABLE, 0);
}

static int raise_walls(const struct util_sandbox *sandbox)
{
    int r = prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ? -errno : 0;
    if (!r && sandbox->walls != UTIL_WALL_FILTER) {
        int landlock = util_sandbox_landlock();
        r = sandbox->walls == UTIL_WALL_LANDLOCK ? landlock : 0; /* the filter holds without it */
    }
    if (!r && sandbox->walls != UTIL_WALL_LANDLOCK)
        r = util_sandbox_filter(sandbox->pipe_bytes, broker.process);
    return r;
}

int util_sandbox_enter(const struct util_sandbox *sandbox)
{
    if (SANITIZED)
        return -ENOTSUP;
    if (entered || has_threads())
        return -EBUSY;
    if (!has_filters())
        return -ENOSYS;
    int r = util_broker_start(sandbox->grants, sandbox->grant_count, sandbox->at_end, sandbox->data, &broker);
    if (r)
        return r;
    entered = true;
    if (isatty(STDOUT_FILENO)) /* which the C library could not find out any more */
        setvbuf(stdout, NULL, _IOLBF, 0);
    util_sandbox_close_memory();
    return raise_walls(sandbox);
}

void util_sandbox_leave(void)
{
    if (broker.socket >= 0)
        util_broker_end(&broker);
}
