/* The sandbox: what a process that reads foreign input - a guest's commands, a capture, a picture - may still
 * ask of the kernel. Entered before anything foreign is read; there is no way back.
 *
 * The rule: no system call that takes a path, an address or another process. Three walls, each enough to keep
 * every file and process of the user out of reach:
 *  - a filter of system calls (filter.c, with libseccomp). Files that the command line named are opened by
 *    the broker (broker.h), so the filter need not know them;
 *  - Landlock with no rule at all (landlock.c): nothing of the file system, no TCP, and as far as the kernel
 *    knows these, no abstract socket and no signal to the outside. Kernels without it have the other walls;
 *  - the process, its broker and the tool around a server cannot be dumped or traced by their user's other
 *    processes.
 * What is left to an intruder: the files that were granted, what their process has in memory, processor time
 * and disk.
 *
 * The library (include/vitrail.h) has no part of it: an embedder chooses its own. */
#ifndef VITRAIL_UTIL_SANDBOX_SANDBOX_H
#define VITRAIL_UTIL_SANDBOX_SANDBOX_H

#include "util/sandbox/broker.h"

struct util_sandbox {
    const struct util_grant *grants; /* borrowed until the sandbox is entered */
    uint32_t grant_count;
    void (*at_end)(void *data); /* in the broker, after util_sandbox_leave; NULL: nothing */
    void *data;
    /* Not 0: it talks with clients - sockets that are open already, leases, events, whose pipes it makes so large. */
    unsigned pipe_bytes;
    enum {
        UTIL_WALLS_ALL,
        UTIL_WALL_FILTER,   /* as with a kernel that lacks Landlock */
        UTIL_WALL_LANDLOCK, /* tests: to see that it holds alone */
    } walls;
};

/* 0. -ENOSYS: the kernel has no such filter, -ENOTSUP: built with a sanitizer, whose runtime traces the
 * process and reads its maps; nothing has changed then. -EBUSY: there is more than one thread, or it was
 * entered already. Any other code: the process may be walled in halfway and should end. */
int util_sandbox_enter(const struct util_sandbox *sandbox);
/* Before the end: ends the broker and waits for it. Without a sandbox nothing. */
void util_sandbox_leave(void);

/* The user's other processes can neither trace this one nor read its memory, and it leaves no core. */
void util_sandbox_close_memory(void);

#endif
