/* New namespaces of a process: of users, mounts and what else a program with a root of its own has for itself. */
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "drm/launch/mounts.h"

static int write_text(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC), r = 0;
    if (fd < 0)
        return -errno;
    if (write(fd, text, strlen(text)) < 0)
        r = -errno;
    close(fd);
    return r;
}

int drm_root_map_user(uid_t inner, gid_t inner_group, uid_t outer, gid_t outer_group)
{
    char text[64];
    prctl(PR_SET_DUMPABLE, 1); /* otherwise /proc/self is root's (proc(5)) */
    write_text("/proc/self/setgroups", "deny");
    snprintf(text, sizeof text, "%u %u 1\n", inner, outer);
    int r = write_text("/proc/self/uid_map", text);
    snprintf(text, sizeof text, "%u %u 1\n", inner_group, outer_group);
    if (!r)
        r = write_text("/proc/self/gid_map", text);
    prctl(PR_SET_DUMPABLE, 0);
    return r;
}

static void raise_loopback(void)
{
    struct ifreq request = {.ifr_name = "lo"};
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return;
    if (!ioctl(fd, SIOCGIFFLAGS, &request)) {
        request.ifr_flags |= IFF_UP;
        ioctl(fd, SIOCSIFFLAGS, &request);
    }
    close(fd);
}

int drm_root_enter(const struct drm_root *root, struct util_error *error)
{
    uid_t user = geteuid();
    gid_t group = getegid();
    int spaces = CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | (root->shares ? 0 : CLONE_NEWIPC) |
                 (root->net ? 0 : CLONE_NEWNET);
    if (unshare(spaces))
        return util_fail(
            error, -errno,
            "this machine gives no namespaces to programs (%s): --root cannot be had here; without it "
            "programs run as --sysroot has them",
            strerror(errno));
    int r = drm_root_map_user(0, 0, user, group); /* binfmt_misc and mounts are for user 0 */
    if (!r && mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL))
        r = -errno;
    if (r)
        return util_fail(error, r, "no namespaces: %s", strerror(-r));
    if (!root->net)
        raise_loopback();
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* which the new credentials have cleared */
    return 0;
}
