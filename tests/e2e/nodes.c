/* What a program may do with the card's nodes beyond drawing: status, duplicates, mappings, dma-bufs, fork,
 * waits. Built for every architecture there is a client for, and run by tests/e2e/run. Exit status 5 is
 * success, so that a program that never ran cannot pass. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <drm.h>
#include <drm_mode.h>
#include <vc4_drm.h>

#define CHECK(x)                                                                                             \
    do {                                                                                                     \
        if (!(x)) {                                                                                          \
            printf("nodes.c:%d: %s (errno %d)\n", __LINE__, #x, errno);                                      \
            fflush(stdout);                                                                                  \
            _exit(1);                                                                                        \
        }                                                                                                    \
    } while (0)

enum { SIZE = 8192, SUCCESS = 5, CHILD = 7 };

static void check_status(int fd)
{
    struct stat st;
    char path[4096];
    CHECK(!fstat(fd, &st) && S_ISCHR(st.st_mode) && major(st.st_rdev) == 226 && minor(st.st_rdev) == 128);
    CHECK(!stat("/dev/dri/card0", &st) && S_ISCHR(st.st_mode) && minor(st.st_rdev) == 0);
    CHECK(stat("/dev/dri/card7", &st) && errno == ENOENT);
    CHECK(open("/dev/dri/card7", O_RDWR) < 0 && errno == ENOENT);
    CHECK(!access("/dev/dri/renderD128", R_OK | W_OK));
    CHECK((fcntl(fd, F_GETFL) & O_ACCMODE) == O_RDWR);
    CHECK(realpath("/sys/dev/char/226:128", path));
    CHECK(!strcmp(path, "/sys/devices/platform/vitrail-gpu/drm/renderD128"));
    int folder = open("/dev/dri", O_RDONLY | O_DIRECTORY), node = openat(folder, "card0", O_RDWR);
    CHECK(folder >= 0 && node >= 0 && !fstat(node, &st) && S_ISCHR(st.st_mode));
    CHECK(!close(node) && !close(folder));
}

/* Arguments with size_t and long look different to 32-bit programs. */
static void check_arguments(int fd)
{
    char name[16];
    struct drm_version version = {.name_len = sizeof name, .name = name};
    CHECK(!ioctl(fd, DRM_IOCTL_VERSION, &version));
    CHECK(version.name_len == 3 && !memcmp(name, "vc4", 3) && version.desc_len > 3);
    int card = open("/dev/dri/card0", O_RDWR | O_CLOEXEC);
    union drm_wait_vblank now = {.request = {.type = _DRM_VBLANK_RELATIVE}}, vblank;
    CHECK(card >= 0 && !ioctl(card, DRM_IOCTL_WAIT_VBLANK, &now));
    vblank = (union drm_wait_vblank){
        .request = {.type = _DRM_VBLANK_RELATIVE | _DRM_VBLANK_EVENT, .sequence = 3, .signal = 77}};
    CHECK(!ioctl(card, DRM_IOCTL_WAIT_VBLANK, &vblank));
    CHECK(vblank.reply.sequence == now.reply.sequence + 3 && vblank.reply.tval_sec > 0);
    struct pollfd wait = {card, POLLIN, 0};
    struct drm_event_vblank event;
    CHECK(poll(&wait, 1, 0) == 1 && read(card, &event, sizeof event) == sizeof event);
    CHECK(event.base.type == DRM_EVENT_VBLANK && event.user_data == 77 && poll(&wait, 1, 0) == 0);
    CHECK(!close(card));
}

static void check_waits(int fd)
{
    struct drm_syncobj_create create = {0};
    CHECK(!ioctl(fd, DRM_IOCTL_SYNCOBJ_CREATE, &create));
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    int64_t start = now.tv_sec * 1000000000ll + now.tv_nsec;
    struct drm_syncobj_wait wait = {.handles = (uintptr_t)&create.handle,
                                    .count_handles = 1,
                                    .flags = DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT,
                                    .timeout_nsec = start + 20000000};
    CHECK(ioctl(fd, DRM_IOCTL_SYNCOBJ_WAIT, &wait) < 0 && errno == ETIME);
    clock_gettime(CLOCK_MONOTONIC, &now);
    CHECK(now.tv_sec * 1000000000ll + now.tv_nsec >= start + 20000000); /* it did wait */
}

/* The child has the parent's file: its handles, until both have closed it. */
static void check_fork(int fd, const struct drm_vc4_mmap_bo *map, char *mapped, int dmabuf)
{
    pid_t child = fork();
    CHECK(child >= 0);
    if (!child) {
        struct drm_vc4_mmap_bo again = {.handle = map->handle};
        struct drm_prime_handle import = {.fd = dmabuf};
        CHECK(!ioctl(fd, DRM_IOCTL_VC4_MMAP_BO, &again) && again.offset == map->offset);
        strcpy(mapped, "child");
        int mine = open("/dev/dri/card0", O_RDWR);
        CHECK(mine >= 0 && !ioctl(mine, DRM_IOCTL_PRIME_FD_TO_HANDLE, &import));
        struct drm_gem_close gone = {.handle = import.handle};
        CHECK(!ioctl(mine, DRM_IOCTL_GEM_CLOSE, &gone) && !close(mine) && !close(fd));
        CHECK(fcntl(fd, F_GETFD) < 0 && errno == EBADF);
        _exit(CHILD);
    }
    int status;
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == CHILD);
    struct drm_vc4_mmap_bo still = {.handle = map->handle};
    CHECK(!strcmp(mapped, "child") && !ioctl(fd, DRM_IOCTL_VC4_MMAP_BO, &still));
}

/* What a child of vfork closes stays open here: it shares our memory, not our descriptors. */
static void check_vfork(int fd)
{
    struct drm_vc4_get_param param = {.param = DRM_VC4_PARAM_SUPPORTS_ETC1};
    pid_t child = vfork();
    CHECK(child >= 0);
    if (!child) {
        close(fd);
        _exit(0);
    }
    CHECK(waitpid(child, NULL, 0) == child && !ioctl(fd, DRM_IOCTL_VC4_GET_PARAM, &param) &&
          param.value == 1);
}

int main(void)
{
    int fd = open("/dev/dri/renderD128", O_RDWR | O_CLOEXEC);
    CHECK(fd >= 0);
    check_status(fd);
    check_arguments(fd);
    check_waits(fd);
    check_vfork(fd);
    struct drm_vc4_create_bo create = {.size = SIZE};
    CHECK(!ioctl(fd, DRM_IOCTL_VC4_CREATE_BO, &create));
    struct drm_vc4_mmap_bo map = {.handle = create.handle};
    CHECK(!ioctl(fd, DRM_IOCTL_VC4_MMAP_BO, &map));
    char *mapped = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)map.offset);
    CHECK(mapped != MAP_FAILED && !mapped[0]);
    CHECK(mmap(NULL, 2 * SIZE, PROT_READ, MAP_SHARED, fd, (off_t)map.offset) == MAP_FAILED &&
          errno == EINVAL);
    strcpy(mapped, "parent");
    struct drm_prime_handle prime = {.handle = create.handle, .flags = DRM_CLOEXEC | DRM_RDWR};
    CHECK(!ioctl(fd, DRM_IOCTL_PRIME_HANDLE_TO_FD, &prime) && lseek(prime.fd, 0, SEEK_END) == SIZE);
    char *same = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, prime.fd, 0);
    CHECK(same != MAP_FAILED && !strcmp(same, "parent"));
    int copy = dup(fd);
    CHECK(copy >= 0 && !close(fd));
    check_fork(copy, &map, mapped, prime.fd);
    struct drm_vc4_create_bo hostile = {.size = 0xffffffff};
    CHECK(ioctl(copy, DRM_IOCTL_VC4_CREATE_BO, &hostile) < 0 && errno == ENOMEM);
    close_range(3, ~0u, 0);
    CHECK(open("/dev/dri/renderD128", O_RDWR) >= 0); /* our connection was not closed with the rest */
    puts("nodes: good");
    return SUCCESS;
}
