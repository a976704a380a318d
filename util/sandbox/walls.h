/* The walls of util/sandbox/sandbox.h. Not for its users. 0 or -errno; both need no_new_privs. */
#ifndef VITRAIL_UTIL_SANDBOX_WALLS_H
#define VITRAIL_UTIL_SANDBOX_WALLS_H

#include <sys/types.h>

/* The calling thread and those that it makes; -ENOSYS, -EOPNOTSUPP: the kernel has none. */
int util_sandbox_landlock(void);

/* All threads. `broker` may be waited for; pipe_bytes as in struct util_sandbox. */
int util_sandbox_filter(unsigned pipe_bytes, pid_t broker);

#endif
