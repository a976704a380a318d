/* Our descriptors: which they are, what stands behind them, and how they are mapped. A device is the read
 * end of the pipe its events come through, so that poll and read need no hook; a dma-buf is a memory file of
 * the buffer's size that stands for it. */
#define _GNU_SOURCE
#include "drm/client/client.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_FD 65536

struct entry {
    enum client_kind kind;
    struct client_node *node;
};

static struct entry entries[MAX_FD];
static unsigned used; /* entries in use: 0 spares every other call a lock */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pid_t owner; /* of the table: a child of vfork shares it, and what that closes is not closed here */

void *client_next(const char *name)
{
    return dlsym(RTLD_NEXT, name);
}

void client_lock(void)
{
    pthread_mutex_lock(&lock);
}

void client_unlock(void)
{
    pthread_mutex_unlock(&lock);
}

bool client_active(void)
{
    static int active = -1;
    if (active < 0)
        active = getenv(DRM_ENV_SOCKET) != NULL;
    return active;
}

static bool any_used(void)
{
    return __atomic_load_n(&used, __ATOMIC_ACQUIRE);
}

/* Whether a change to a descriptor of this process changes the table. */
static bool may_change(int fd)
{
    return any_used() && fd >= 0 && fd < MAX_FD && getpid() == owner;
}

enum client_kind client_kind_of(int fd, struct client_node *node)
{
    if (!any_used() || fd < 0 || fd >= MAX_FD)
        return CLIENT_NONE;
    client_lock();
    enum client_kind kind = entries[fd].kind;
    if (entries[fd].node)
        *node = *entries[fd].node;
    client_unlock();
    return kind;
}

static void set_entry(int fd, enum client_kind kind, struct client_node *node)
{
    entries[fd] = (struct entry){kind, node};
    __atomic_add_fetch(&used, 1, __ATOMIC_RELEASE);
}

/* (locked) Its node, if that has no descriptor left, before `others`. */
static struct client_node *drop_entry(int fd, struct client_node *others)
{
    struct entry e = entries[fd];
    if (e.kind == CLIENT_NONE)
        return others;
    entries[fd] = (struct entry){CLIENT_NONE, NULL};
    __atomic_sub_fetch(&used, 1, __ATOMIC_RELEASE);
    if (!e.node || --e.node->refs)
        return others;
    e.node->next = others;
    return e.node;
}

/* ---- fork ---- */

static void before_fork(void)
{
    client_lock();
    wire_before_fork();
}

static void after_fork_in_parent(void)
{
    wire_after_fork(false);
    client_unlock();
}

static void after_fork_in_child(void)
{
    wire_after_fork(true);
    owner = getpid();
    client_unlock();
}

/* ---- opening and closing ---- */

/* (locked) 0 or -errno. */
static int begin(void)
{
    static bool watching_forks;
    int r = wire_connect();
    if (!r && !watching_forks) {
        watching_forks = true;
        owner = getpid();
        pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
    }
    return r;
}

/* (locked) The server is told that this process holds a file no more; 0: it keeps none. */
static void close_file(uint32_t file)
{
    const struct drm_message message = {.type = DRM_MSG_CLOSE, .file = file};
    struct drm_reply reply;
    if (file)
        wire_call(&message, &reply, -1, NULL);
}

static int open_device(int device, struct client_node *node, struct client_fds *got)
{
    bool input = CLIENT_MAJOR(device) == DRM_INPUT_MAJOR;
    const struct drm_message message = {.type = DRM_MSG_OPEN, .a = CLIENT_MINOR(device)};
    struct drm_reply reply = {0};
    int r = begin();
    if (!r)
        r = input ? client_input_open(device, got) : wire_call(&message, &reply, -1, got);
    if (r)
        return r;
    if (got->count != 1 || got->fd[0] >= MAX_FD) { /* there was no room for the descriptor */
        close_file(reply.file);
        return -EMFILE;
    }
    *node = (struct client_node){reply.file, device, 1, input ? NULL : client_driver_find(reply.a), NULL};
    return 0;
}

static enum client_kind kind_of_device(int device)
{
    return CLIENT_MAJOR(device) == DRM_INPUT_MAJOR ? CLIENT_INPUT : CLIENT_DRM;
}

/* Whether a descriptor may be a device's: a pipe no larger than theirs, where that can be told. */
static bool may_be_node(int fd)
{
    struct stat st;
    if (!client_active() || fd < 0 || fd >= MAX_FD || (owner && getpid() != owner) || NEXT(fstat)(fd, &st) ||
        !S_ISFIFO(st.st_mode))
        return false;
    return NEXT(fcntl)(fd, F_GETPIPE_SZ) <= DRM_EVENT_PIPE;
}

static struct client_node *find_node(uint32_t file)
{
    for (unsigned fd = 0; file && fd < MAX_FD; fd++)
        if (entries[fd].kind == CLIENT_DRM && entries[fd].node->file == file)
            return entries[fd].node;
    return NULL;
}

/* (locked) Asks the server what it is. */
static int adopt(int fd)
{
    const struct drm_message message = {.type = DRM_MSG_ADOPT};
    struct drm_reply reply;
    int r = begin();
    if (!r)
        r = wire_call(&message, &reply, fd, NULL);
    if (r)
        return r;
    int device = reply.file ? CLIENT_DEVICE(DRM_NODE_MAJOR, (int)reply.b)
                            : CLIENT_DEVICE(DRM_INPUT_MAJOR, DRM_INPUT_MINOR + (int)reply.b);
    struct client_node *node = find_node(reply.file);
    if (!node && !(node = calloc(1, sizeof *node))) {
        close_file(reply.file);
        return -ENOMEM;
    }
    *node = (struct client_node){reply.file, device, node->refs + 1,
                                 reply.file ? client_driver_find(reply.a) : NULL, NULL};
    set_entry(fd, kind_of_device(device), node);
    return 0;
}

enum client_kind client_adopt(int fd, struct client_node *node)
{
    enum client_kind kind = client_kind_of(fd, node);
    int saved = errno;
    if (kind == CLIENT_NONE && may_be_node(fd)) {
        client_lock();
        if (entries[fd].kind == CLIENT_NONE)
            adopt(fd);
        client_unlock();
        kind = client_kind_of(fd, node);
    }
    errno = saved;
    return kind;
}

int client_device_of(int fd)
{
    struct client_node node;
    enum client_kind kind = client_adopt(fd, &node);
    return kind == CLIENT_DRM || kind == CLIENT_INPUT ? node.device : -1;
}

int client_open(int device, int flags)
{
    struct client_fds got = {.count = 0};
    struct client_node *node = calloc(1, sizeof *node);
    if (!node) {
        errno = ENOMEM;
        return -1;
    }
    client_lock();
    int r = open_device(device, node, &got);
    if (!r)
        set_entry(got.fd[0], kind_of_device(device), node);
    client_unlock();
    if (r) {
        for (unsigned i = 0; i < got.count; i++)
            NEXT(close)(got.fd[i]);
        free(node);
        errno = -r;
        return -1;
    }
    if (!(flags & O_CLOEXEC))
        NEXT(fcntl)(got.fd[0], F_SETFD, 0);
    if (flags & O_NONBLOCK)
        NEXT(fcntl)(got.fd[0], F_SETFL, O_NONBLOCK);
    return got.fd[0];
}

void client_register(int fd, enum client_kind kind)
{
    if (fd >= 0 && fd < MAX_FD)
        set_entry(fd, kind, NULL);
}

void client_duplicated(int from, int to)
{
    if (!may_change(from) || !may_change(to) || from == to)
        return;
    client_lock();
    struct entry e = entries[from];
    if (e.kind != CLIENT_NONE) {
        if (e.node)
            e.node->refs++;
        set_entry(to, e.kind, e.node);
    }
    client_unlock();
}

struct client_node *client_forget(unsigned first, unsigned last)
{
    struct client_node *nodes = NULL;
    if (!may_change(0) || first >= MAX_FD)
        return NULL;
    client_lock();
    for (unsigned fd = first; fd < MAX_FD && fd <= last; fd++)
        nodes = drop_entry((int)fd, nodes);
    client_unlock();
    return nodes;
}

void client_release(struct client_node *nodes)
{
    while (nodes) {
        struct client_node *node = nodes;
        nodes = node->next;
        client_lock();
        close_file(node->file);
        client_unlock();
        free(node);
    }
}

/* ---- mapping ---- */

bool client_is_dmabuf(int fd)
{
    static const char name[] = "/memfd:vitrail-dmabuf";
    char path[40], target[64];
    if (!client_active() || fd < 0)
        return false;
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    int saved = errno;
    ssize_t n = NEXT(readlink)(path, target, sizeof target);
    errno = saved;
    return n >= (ssize_t)sizeof name - 1 && !memcmp(target, name, sizeof name - 1);
}

/* (locked) Where in the memory file a mapping of this descriptor begins. */
static int place_mapping(int fd, bool is_node, const struct client_node *node, uint64_t size, bool writable,
                         uint64_t *offset)
{
    struct drm_reply reply;
    int r = wire_connect();
    if (r)
        return r;
    if (is_node) {
        const struct drm_message message = {
            .type = DRM_MSG_MMAP, .file = node->file, .request = writable, .a = *offset, .b = size};
        return wire_call(&message, &reply, -1, NULL);
    }
    const struct drm_message message = {.type = DRM_MSG_DMABUF};
    r = wire_call(&message, &reply, fd, NULL);
    if (!r && (*offset > reply.b || size > reply.b - *offset))
        r = -EINVAL;
    *offset += reply.a;
    return r;
}

void *client_mmap(void *address, size_t size, int protection, int flags, int fd, uint64_t offset)
{
    struct client_node node;
    bool is_node = client_kind_of(fd, &node) == CLIENT_DRM;
    uint64_t whole = ((uint64_t)size + 4095) & ~4095ull;
    client_lock();
    int r = place_mapping(fd, is_node, &node, whole, protection & PROT_WRITE, &offset);
    int memory = wire_memory();
    client_unlock();
    if (r) {
        errno = -r;
        return MAP_FAILED;
    }
    return NEXT(mmap64)(address, size, protection, flags, memory, (off64_t)offset);
}
