/* What a program may do with the card's nodes beyond drawing: status, duplicates, mappings, dma-bufs, fork,
 * waits. Built for every architecture there is a client for, and run by tests/e2e/run. Exit status 5 is
 * success, so that a program that never ran cannot pass. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <linux/magic.h>
#include <linux/sync_file.h>

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

static bool has_name(const char *folder, const char *name)
{
    DIR *all = opendir(folder);
    bool found = false;
    CHECK(all);
    for (const struct dirent *entry; (entry = readdir(all));)
        found |= !strcmp(entry->d_name, name);
    CHECK(!closedir(all));
    return found;
}

/* As sd-device(3) goes, from one name to the next: to the card, which this machine may have no class for, and to what is
 * this machine's. */
static int walk(const char *const *names)
{
    int at = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
    for (; at >= 0 && *names; names++) {
        int next = openat(at, *names, O_PATH | O_NOFOLLOW | O_CLOEXEC);
        CHECK(!close(at));
        at = next;
    }
    return at;
}

static int is_node(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

static void check_classes(void)
{
    static const char *const card[] = {"sys", "devices", "platform", "vitrail-gpu", "drm", "card0", NULL};
    static const char *const class[] = {"sys", "class", "drm", NULL};
    static const char *const number[] = {"sys", "dev", "char", NULL};
    static const char *const processors[] = {"sys", "devices", "system", "cpu", NULL};
    struct statfs fs;
    char link[256];
    CHECK(has_name("/sys/class", "drm") && has_name("/sys/class/", "input"));
    struct dirent **names;
    int count = scandir("/sys/class/drm", &names, is_node, alphasort);
    CHECK(count == 2 && !strcmp(names[0]->d_name, "card0") && !strcmp(names[1]->d_name, "renderD128"));
    for (int i = 0; i < count; i++)
        free(names[i]);
    free(names);
    int fd = walk(card);
    CHECK(fd >= 0 && !fstatfs(fd, &fs) && fs.f_type == SYSFS_MAGIC && !faccessat(fd, "uevent", R_OK, 0));
    CHECK(!close(fd));
    fd = walk(class);
    CHECK(fd >= 0 && readlinkat(fd, "card0", link, sizeof link) > 0 && !close(fd));
    fd = walk(number);
    CHECK(fd >= 0 && readlinkat(fd, "226:0", link, sizeof link) > 0 && !close(fd));
    fd = walk(processors);
    CHECK(fd >= 0 && !faccessat(fd, "online", R_OK, 0) && !close(fd));
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

static int64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000000ll + now.tv_nsec;
}

/* A sync file of what the sync object waits for. */
static int sync_file(int fd, uint32_t sync)
{
    struct drm_syncobj_handle h = {.handle = sync, .flags = DRM_SYNCOBJ_HANDLE_TO_FD_FLAGS_EXPORT_SYNC_FILE};
    CHECK(!ioctl(fd, DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD, &h));
    return h.fd;
}

/* Clears of a large image, one after the other, and every way to wait for them. */
static void check_jobs(int fd)
{
    enum { SIDE = 1024, JOBS = 12 };
    const struct drm_vc4_submit_rcl_surface none = {.hindex = UINT32_MAX};
    struct drm_vc4_create_bo create = {.size = SIDE * SIDE * 4};
    struct drm_syncobj_create sync[2] = {{0}};
    int fence[2];
    CHECK(!ioctl(fd, DRM_IOCTL_VC4_CREATE_BO, &create));
    struct drm_vc4_mmap_bo map = {.handle = create.handle};
    CHECK(!ioctl(fd, DRM_IOCTL_VC4_MMAP_BO, &map));
    volatile uint32_t *pixels = mmap(NULL, create.size, PROT_READ, MAP_SHARED, fd, (off_t)map.offset);
    CHECK(pixels != MAP_FAILED);
    struct drm_vc4_submit_cl submit = {.color_read = none,
                                       .zs_read = none,
                                       .zs_write = none,
                                       .msaa_color_write = none,
                                       .msaa_zs_write = none,
                                       .color_write = {.hindex = 0, .bits = 1 << 2}, /* linear RGBA8888 */
                                       .bo_handles = (uintptr_t)&create.handle,
                                       .bo_handle_count = 1,
                                       .width = SIDE,
                                       .height = SIDE,
                                       .max_x_tile = SIDE / 64 - 1,
                                       .max_y_tile = SIDE / 64 - 1,
                                       .flags = VC4_SUBMIT_CL_USE_CLEAR_COLOR};
    for (uint32_t i = 0; i < 2; i++)
        CHECK(!ioctl(fd, DRM_IOCTL_SYNCOBJ_CREATE, &sync[i]));
    for (uint32_t i = 1; i <= JOBS; i++) {
        uint64_t before = submit.seqno;
        submit.clear_color[0] = submit.clear_color[1] = i;
        submit.out_sync = sync[i % 2].handle;
        CHECK(!ioctl(fd, DRM_IOCTL_VC4_SUBMIT_CL, &submit) && submit.seqno > before);
    }
    for (unsigned i = 0; i < 2; i++)
        fence[i] = sync_file(fd, sync[i].handle);
    struct sync_merge_data merged = {.name = "both", .fd2 = fence[1]};
    CHECK(!ioctl(fence[0], SYNC_IOC_MERGE, &merged));
    struct pollfd readable = {merged.fence, POLLIN, 0};
    CHECK(poll(&readable, 1, 10000) == 1 && readable.revents & POLLIN);
    struct sync_file_info info = {0};
    CHECK(!ioctl(merged.fence, SYNC_IOC_FILE_INFO, &info) && info.status == 1);
    CHECK(pixels[0] == JOBS && pixels[SIDE * SIDE - 1] == JOBS);
    CHECK(!close(merged.fence) && !close(fence[0]) && !close(fence[1]));

    submit.clear_color[0] = submit.clear_color[1] = 77;
    CHECK(!ioctl(fd, DRM_IOCTL_VC4_SUBMIT_CL, &submit));
    struct drm_vc4_wait_bo wait_bo = {.handle = create.handle, .timeout_ns = UINT64_MAX};
    CHECK(!ioctl(fd, DRM_IOCTL_VC4_WAIT_BO, &wait_bo) && pixels[SIDE] == 77);
    submit.clear_color[0] = submit.clear_color[1] = 78;
    CHECK(!ioctl(fd, DRM_IOCTL_VC4_SUBMIT_CL, &submit));
    struct drm_vc4_wait_seqno wait = {.seqno = submit.seqno, .timeout_ns = UINT64_MAX};
    CHECK(!ioctl(fd, DRM_IOCTL_VC4_WAIT_SEQNO, &wait) && pixels[SIDE] == 78);
    wait = (struct drm_vc4_wait_seqno){.seqno = submit.seqno + 1}; /* nobody has submitted that */
    CHECK(ioctl(fd, DRM_IOCTL_VC4_WAIT_SEQNO, &wait) < 0 && errno == ETIME);
    int64_t start = now_ns();
    wait.timeout_ns = 20000000;
    CHECK(ioctl(fd, DRM_IOCTL_VC4_WAIT_SEQNO, &wait) < 0 && errno == ETIME);
    CHECK(now_ns() >= start + 20000000);
    CHECK(!munmap((void *)pixels, create.size));
    struct drm_gem_close gone = {.handle = create.handle};
    CHECK(!ioctl(fd, DRM_IOCTL_GEM_CLOSE, &gone));
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

/* ---- descriptors that come from elsewhere ---- */

/* Sends a descriptor with a number, or receives one. */
static void transfer(int socket, int *fd, uint32_t *number, bool send)
{
    union {
        char bytes[CMSG_SPACE(sizeof(int))];
        struct cmsghdr align;
    } control = {0};
    struct iovec part = {number, sizeof *number};
    struct msghdr header = {.msg_iov = &part,
                            .msg_iovlen = 1,
                            .msg_control = control.bytes,
                            .msg_controllen = sizeof control.bytes};
    struct cmsghdr *rights = CMSG_FIRSTHDR(&header);
    *rights = (struct cmsghdr){CMSG_LEN(sizeof *fd), SOL_SOCKET, SCM_RIGHTS};
    memcpy(CMSG_DATA(rights), fd, sizeof *fd);
    CHECK((send ? sendmsg(socket, &header, 0) : recvmsg(socket, &header, 0)) == sizeof *number);
    memcpy(fd, CMSG_DATA(CMSG_FIRSTHDR(&header)), sizeof *fd);
}

/* The same file as that which made `handle`, whoever has opened it: the card, as its master. */
static void check_given(int fd, uint32_t handle)
{
    struct stat st;
    struct drm_vc4_mmap_bo map = {.handle = handle};
    struct drm_mode_crtc off = {.crtc_id = 1};
    CHECK(!fstat(fd, &st) && S_ISCHR(st.st_mode) && minor(st.st_rdev) == 0);
    CHECK((fcntl(fd, F_GETFL) & O_ACCMODE) == O_RDWR);
    CHECK(!ioctl(fd, DRM_IOCTL_VC4_MMAP_BO, &map));
    const char *mapped = mmap(NULL, SIZE, PROT_READ, MAP_SHARED, fd, (off_t)map.offset);
    CHECK(mapped != MAP_FAILED && !strcmp(mapped, "given") && !munmap((void *)mapped, SIZE));
    CHECK(!ioctl(fd, DRM_IOCTL_MODE_SETCRTC, &off));
}

static int make_given(uint32_t *handle)
{
    int fd = open("/dev/dri/card0", O_RDWR);
    struct drm_vc4_create_bo create = {.size = SIZE};
    CHECK(fd >= 0 && !ioctl(fd, DRM_IOCTL_VC4_CREATE_BO, &create));
    struct drm_vc4_mmap_bo map = {.handle = create.handle};
    CHECK(!ioctl(fd, DRM_IOCTL_VC4_MMAP_BO, &map));
    char *mapped = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)map.offset);
    CHECK(mapped != MAP_FAILED);
    strcpy(mapped, "given");
    *handle = create.handle;
    return fd;
}

/* A child opens the card and sends it; it has gone before that is looked at. A pipe of one's own is none. */
static void check_passing(void)
{
    int ends[2], fd = -1, own[2];
    uint32_t handle = 0;
    struct drm_gem_close none = {0};
    CHECK(!socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends));
    pid_t child = fork();
    CHECK(child >= 0);
    if (!child) {
        fd = make_given(&handle);
        transfer(ends[1], &fd, &handle, true);
        _exit(CHILD);
    }
    CHECK(waitpid(child, NULL, 0) == child);
    transfer(ends[0], &fd, &handle, false);
    check_given(fd, handle);
    int copy = dup(fd);
    CHECK(!close(fd));
    check_given(copy, handle);
    CHECK(!close(copy) && !pipe(own) && ioctl(own[0], DRM_IOCTL_GEM_CLOSE, &none) < 0);
    CHECK(!close(own[0]) && !close(own[1]) && !close(ends[0]) && !close(ends[1]));
}

/* What is open when a program begins another is the same file in that. Where programs of this architecture cannot be
 * begun the child says so. */
static void check_exec(const char *self)
{
    char number[2][16];
    uint32_t handle;
    int fd = make_given(&handle), status;
    snprintf(number[0], sizeof number[0], "%d", fd);
    snprintf(number[1], sizeof number[1], "%u", handle);
    pid_t child = fork();
    CHECK(child >= 0);
    if (!child) {
        execl(self, self, number[0], number[1], NULL);
        CHECK(errno == ENOEXEC || errno == ENOENT);
        printf("nodes: no program of another architecture can be begun here: exec is not tried\n");
        exit(CHILD);
    }
    CHECK(!close(fd) && waitpid(child, &status, 0) == child && WIFEXITED(status) &&
          WEXITSTATUS(status) == CHILD);
    fd = open("/dev/dri/card0", O_RDWR);
    struct drm_mode_crtc off = {.crtc_id = 1};
    CHECK(fd >= 0 && !ioctl(fd, DRM_IOCTL_MODE_SETCRTC, &off) &&
          !close(fd)); /* the other is closed: master again */
}

int main(int count, char **arguments)
{
    if (count == 3) { /* begun by check_exec */
        check_given(atoi(arguments[1]), (uint32_t)atoi(arguments[2]));
        return CHILD;
    }
    int fd = open("/dev/dri/renderD128", O_RDWR | O_CLOEXEC);
    CHECK(fd >= 0);
    check_status(fd);
    check_classes();
    check_arguments(fd);
    check_waits(fd);
    check_jobs(fd);
    check_passing();
    check_exec(arguments[0]);
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
