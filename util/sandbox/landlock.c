/* Landlock, Linux 5.13 and later: Documentation/userspace-api/landlock.rst. The numbers are the kernel's;
 * they are written out because Debian 12's headers end with the second version. */
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "util/bits.h"
#include "util/sandbox/walls.h"

#define LANDLOCK_VERSION 1u /* flag: say how much is known */

struct ruleset {
    uint64_t files, network, scopes;
};

/* What each version handles: bits of rights from the lowest, and how much of the struct it takes. */
static const struct version {
    uint8_t files, network, scopes, size;
} versions[] = {
    {13, 0, 0, offsetof(struct ruleset, network)},
    {14, 0, 0, offsetof(struct ruleset, network)}, /* links between folders */
    {15, 0, 0, offsetof(struct ruleset, network)}, /* truncation */
    {15, 2, 0, offsetof(struct ruleset, scopes)},  /* TCP: bind, connect */
    {16, 2, 0, offsetof(struct ruleset, scopes)},  /* ioctls of devices */
    {16, 2, 2, sizeof(struct ruleset)},            /* abstract sockets, signals */
};

static uint64_t all(unsigned bits)
{
    return (1ull << bits) - 1;
}

/* Everything is handled, and there is no rule: so nothing is allowed. */
int util_sandbox_landlock(void)
{
    long known = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_VERSION);
    if (known < 1)
        return known < 0 ? -errno : -ENOSYS;
    const struct version *v = &versions[UTIL_MIN((size_t)known, UTIL_ARRAY_SIZE(versions)) - 1];
    const struct ruleset ruleset = {all(v->files), all(v->network), all(v->scopes)};
    int fd = (int)syscall(SYS_landlock_create_ruleset, &ruleset, v->size, 0);
    if (fd < 0)
        return -errno;
    int r = syscall(SYS_landlock_restrict_self, fd, 0) ? -errno : 0;
    close(fd);
    return r;
}
