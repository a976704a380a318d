/* The preloaded client: makes a program believe that it opens /dev/dri/card0 or renderD128, and carries what
 * it asks to the server. Depends on nothing but libc; builds for arm64, armhf and amd64.
 *
 * hooks*.c hold the functions that stand in for libc's; path.c says which paths are ours; files.c knows our
 * descriptors; ioctl.c takes ioctls, fence.c those of fences; marshal.c packs them, as drivers.c says; wire.c
 * speaks with the server. One lock protects all of it: functions marked (locked) expect it to be held. */
#ifndef VITRAIL_DRM_CLIENT_CLIENT_H
#define VITRAIL_DRM_CLIENT_CLIENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "drm/protocol.h"

#define CLIENT_EXPORT __attribute__((visibility("default")))

/* The next definition of a libc function, found once. */
void *client_next(const char *name);
#define NEXT(function)                                                                                       \
    ({                                                                                                       \
        static __typeof__(&function) next_;                                                                  \
        if (!next_)                                                                                          \
            next_ = (__typeof__(&function))client_next(#function);                                           \
        next_;                                                                                               \
    })

void client_lock(void);
void client_unlock(void);
bool client_active(void); /* whether a server was named in the environment */

/* ---- path.c ---- */
#define CLIENT_PATH_MAX 4096
/* The path to use instead: `path` itself, or one inside the server's tree, in `buffer`. */
const char *client_path(const char *path, char buffer[CLIENT_PATH_MAX]);
/* The same of a name in a folder (a directory's descriptor, or AT_FDCWD): under /sys, where sd-device(3) walks from name
 * to name, a folder has what this machine has and what the tree has. */
const char *client_path_at(int folder, const char *path, char buffer[CLIENT_PATH_MAX]);
/* The path as the program should see it: what `client_path` put before it is taken away, in place. */
void client_visible_path(char *path);
/* Whether an open file is one of the card's under /sys, which programs take for what it is only on a sysfs. */
bool client_is_sysfs(int fd);
/* The number of a device of ours (CLIENT_DEVICE) that exists, or -1. `folder` is a directory descriptor or AT_FDCWD. */
int client_device_of_path(int folder, const char *path);

/* Devices by their numbers (drm/protocol.h). */
#define CLIENT_DEVICE(major, minor) ((major) << 8 | (minor))
#define CLIENT_MAJOR(device)        ((unsigned)(device) >> 8)
#define CLIENT_MINOR(device)        ((unsigned)(device) & 255)

/* ---- wire.c (locked) ---- */
struct client_fds {
    int fd[3];
    unsigned count;
};
/* Sends a message and waits for the reply. `give` is a descriptor to send, or -1; `got` takes those that come
 * back, NULL when none may. Returns the reply's result; -EIO when there is no server (any more). */
int wire_call(const struct drm_message *message, struct drm_reply *reply, int give, struct client_fds *got);
uint8_t *wire_data(void); /* the channel's data area, DRM_CHANNEL_BYTES - DRM_CHANNEL_DATA bytes, or NULL */
int wire_connect(void);   /* 0 or -errno; once connected it stays so */
int wire_memory(void);    /* the GPU's memory file */
/* The page of fences, which needs no lock once connected. */
bool wire_fence_done(uint64_t fence);
uint32_t wire_fence_turn(void);
/* Sleeps while the page's turn is this one, at most so long. */
void wire_fence_sleep(uint32_t turn, uint64_t nanoseconds);
bool wire_owns(int fd); /* descriptors that the program must not close */
/* Around fork: the child gets a connection of its own. */
void wire_before_fork(void);
void wire_after_fork(bool child);

/* ---- files.c ---- */
enum client_kind { CLIENT_NONE, CLIENT_DRM, CLIENT_INPUT, CLIENT_DMABUF, CLIENT_SYNC_FILE };

struct client_node { /* an open device, shared by its duplicates */
    uint32_t file;   /* the server's number of a DRM node; 0: it keeps none */
    int device;      /* CLIENT_DEVICE */
    unsigned refs;
    const struct client_driver *driver; /* of a DRM node */
    struct client_node *next;           /* of those to be released */
};
/* *node is filled for CLIENT_DRM and CLIENT_INPUT. */
enum client_kind client_kind_of(int fd, struct client_node *node);
/* The same, also of a device's descriptor that came from another process, or was open before an exec: it becomes one of
 * ours. */
enum client_kind client_adopt(int fd, struct client_node *node);
int client_device_of(int fd);                        /* of a device's descriptor, adopted; else -1 */
int client_open(int device, int flags);              /* a descriptor, or -1 and errno */
void client_register(int fd, enum client_kind kind); /* (locked) dma-buf or sync file */
void client_duplicated(int from, int to);
/* Descriptors that are about to be closed, or were replaced, are ours no more. Those nodes of which they were the last
 * are released once they are closed: then the server sees whether another process has them. */
struct client_node *client_forget(unsigned first, unsigned last);
void client_release(struct client_node *nodes); /* NULL is accepted */
/* Maps a DRM node or dma-buf; `fd` is of such a kind. MAP_FAILED and errno on failure. */
void *client_mmap(void *address, size_t size, int protection, int flags, int fd, uint64_t offset);
/* Whether a descriptor that came from elsewhere is one of our dma-bufs. */
bool client_is_dmabuf(int fd);

/* ---- fence.c ---- */
/* A descriptor that is always readable: a fence that is signalled. (locked) */
int fence_new(void);
/* Until it is signalled; a descriptor that is no fence is given up in the end. */
void fence_wait(int fd);
/* What ioctl(2) asks of a sync file and of a dma-buf: 0 or -errno. */
int fence_ioctl(int fd, unsigned long request, void *argument);
int fence_dmabuf_ioctl(unsigned long request, void *argument);

/* ---- drivers.c: what there is to know of a driver's ioctls; each has its part in drm/DRIVER/client.c ----
 */
enum client_direction {
    CLIENT_IN = 1,
    CLIENT_OUT = 2,
    CLIENT_BOTH = 3 /* also arrays that are filled only when they are big enough */
};

/* A pointer in an argument: where it stands, where its count stands (or, without one, how many), how large an
 * element is. What it points to has no pointers. */
struct client_pointer {
    uint32_t request; /* 0 ends a table */
    uint16_t at, count_at;
    uint8_t count_bytes; /* 4 or 8; 0: count_at is the count itself */
    uint16_t element;
    uint8_t direction; /* enum client_direction */
};
#define CLIENT_ROW(request, type, pointer, count, element, direction)                                        \
    {request,                                                                                                \
     offsetof(struct type, pointer),                                                                         \
     offsetof(struct type, count),                                                                           \
     sizeof(((struct type *)0)->count),                                                                      \
     element,                                                                                                \
     CLIENT_##direction}

/* An ioctl that waits. The server does not block and answers -ETIME for "not yet". */
struct client_wait {
    uint32_t request;    /* 0 ends a table */
    uint16_t timeout_at; /* ns, in the argument */
    bool relative;       /* the timeout counts from the call on; else it is a time of CLOCK_MONOTONIC */
    bool glance;         /* what it waits for may also come of another call, which turns no page of fences */
    bool has_fence; /* the fence that it waits for stands in the argument: the page of fences is enough */
    uint16_t fence_at;
};

struct client_driver {
    const struct client_pointer *pointers;
    const struct client_wait *waits;
    int busy, timed_out; /* what a wait is told in the end: without any time to wait, and after it */
};
bool client_is_drivers(uint32_t request); /* the numbers that the kernel leaves to each driver */
/* By its number in the protocol (drm/drivers.inc); one without rows when there is none such. */
const struct client_driver *client_driver_find(uint64_t number);

/* ---- marshal.c (locked) ---- */
/* One ioctl, which does not wait: the server's answer, or -errno. */
int marshal_call(const struct client_node *node, uint32_t request, void *argument);

/* ---- ioctl.c ---- */
int client_ioctl(enum client_kind kind, int fd, const struct client_node *node, unsigned long request,
                 void *argument); /* as ioctl(2) */

/* ---- input.c: what is asked of input's devices; (locked) ---- */
/* Opens a device. As wire_call. */
int client_input_open(int device, struct client_fds *got);
/* As ioctl(2) on its descriptor: >= 0 or -errno. */
int client_input_ioctl(int fd, unsigned long request, void *argument);

/* ---- hooks.c ---- */
int client_ioctl_hook(int fd, unsigned long request, void *argument); /* ioctl(2) on any descriptor */

#endif
