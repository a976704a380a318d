/* What a hostile client may ask of the server: ioctls of any direction and size with the fuzzer's arguments,
 * out of a channel that holds the fuzzer's bytes, on a card node and a render node, with a descriptor and
 * without, as messages that the server handles. None may get at a descriptor that the server has. The last
 * byte chooses the GPU. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "drm/core/card.h"
#include "drm/core/driver.h"
#include "drm/kms/kms.h"
#include "drm/server/internal.h"
#include "tests/fuzz/gpus.h"

#define MEMORY (8u << 20)
#define STEPS  64

struct session {
    struct drm *drm;
    struct drm_server server;
    struct drm_server_connection connection;
    uint32_t file[2];
    uint8_t *data;   /* the channel's */
    int fd;          /* the last descriptor handed out, or -1 */
    int treasure[2]; /* a pipe of the server's own */
    uint64_t kept;   /* descriptors that it needs, a bit each */
};

static void take_fault(void *data, const struct gpu_fault *fault)
{
    char text[512];
    gpu_fault_format(fault, text, sizeof text);
}

static void take_message(void *data, const char *text)
{
    *(size_t *)data += strlen(text);
}

/* The row-th of all ioctls. */
static uint32_t request_of(const struct drm *drm, unsigned row)
{
    const struct drm_ioctl_row *const tables[] = {drm->driver->ioctls, drm_core_ioctls, drm_gem_ioctls,
                                                  drm_sync_ioctls,     drm_kms_ioctls,  drm_fb_ioctls,
                                                  drm_atomic_ioctls};
    uint32_t requests[256];
    unsigned count = 0;
    for (unsigned t = 0; t < UTIL_ARRAY_SIZE(tables); t++)
        for (const struct drm_ioctl_row *at = tables[t]; at->fn && count < 256; at++)
            requests[count++] = at->request;
    return requests[row % count];
}

/* Descriptors in use, of the first 64. */
static uint64_t in_use(void)
{
    uint64_t bits = 0;
    for (int fd = 0; fd < 64; fd++)
        if (fcntl(fd, F_GETFD) >= 0)
            bits |= 1ull << fd;
    return bits;
}

/* Sends a message; of the descriptors that come the last is kept. What is handed out was made for it: none of
 * those that the server had is given away, and it keeps what it needs. */
static struct drm_server_answer ask(struct session *s, const struct drm_message *m, int fd)
{
    struct drm_server_answer a = {0};
    bool gives = m->type == DRM_MSG_IOCTL && drm_protocol_gives_fd(m->request);
    uint64_t before = gives ? in_use() : 0;
    drm_server_handle(&s->connection, m, fd, &a);
    if (a.reply.written > DRM_CHANNEL_BYTES - DRM_CHANNEL_DATA || (gives && s->kept & ~in_use()))
        abort();
    for (unsigned i = 0; i < a.fd_count; i++) {
        if (a.lent[i])
            continue;
        if (a.fd[i] < 0 || a.fd[i] >= 64 || before >> a.fd[i] & 1)
            abort();
        if (s->fd >= 0)
            close(s->fd);
        s->fd = a.fd[i];
    }
    return a;
}

/* A step: which ioctl, on which node, with an argument of the size that the ioctl has, from the input. Bits:
 * 0 the node, 1 another direction and size follow, 2 with the server's own descriptor, 3 with one that there
 * was no room for, 4 closes the node. */
static size_t step(struct session *s, const uint8_t *bytes, size_t size)
{
    uint32_t request = request_of(s->drm, bytes[0]), file = s->file[bytes[1] & 1];
    size_t at = 2;
    if (bytes[1] & 2 && size >= 4) {
        uint32_t other = util_load16(bytes + 2);
        request = (request & ~(uint32_t)(IOCSIZE_MASK | IOC_INOUT)) | (other & 0x3fff) << IOCSIZE_SHIFT |
                  other >> 14 << _IOC_DIRSHIFT;
        at = 4;
    }
    size_t take = UTIL_MIN((size_t)_IOC_SIZE(request), size - at);
    memcpy(s->data + DRM_CHANNEL_ARGUMENT, bytes + at, UTIL_MIN(take, (size_t)DRM_ARG_MAX));
    int fd = bytes[1] & 8 ? -EMFILE : bytes[1] & 4 ? s->treasure[0] : s->fd;
    ask(s, &(struct drm_message){.type = DRM_MSG_IOCTL, .file = file, .request = request}, fd);
    ask(s, &(struct drm_message){.type = DRM_MSG_DMABUF}, fd);
    ask(s, &(struct drm_message){.type = DRM_MSG_ADOPT}, fd);
    ask(s,
        &(struct drm_message){.type = DRM_MSG_MMAP,
                              .file = file,
                              .request = bytes[1] & 4,
                              .a = util_load32(s->data),
                              .b = util_load32(s->data + 8)},
        -1);
    if (bytes[1] & 16)
        ask(s, &(struct drm_message){.type = DRM_MSG_CLOSE, .file = file}, -1);
    return at + take;
}

static int start(struct session *s, struct gpu_memory *memory, const struct gpu_device *gpu, size_t *sum)
{
    struct drm_options options = {.gpu = *gpu, .listener = {sum, take_fault, take_message}};
    s->kept = in_use();
    if (drm_create(memory, &options, &s->drm))
        return -1;
    s->server.drm = s->drm;
    s->server.memory = memory;
    for (unsigned i = 0; i < 2; i++) {
        const struct drm_message open = {.type = DRM_MSG_OPEN, .a = i ? DRM_MINOR_RENDER : DRM_MINOR_CARD};
        s->file[i] = ask(s, &open, -1).reply.file;
    }
    return 0;
}

static void stop(struct session *s)
{
    if (s->fd >= 0)
        close(s->fd); /* which may be all that keeps a file */
    for (uint32_t id = 0; id < s->connection.held_count; id++)
        drm_server_close_file(drm_server_let_go(&s->connection, id));
    free(s->connection.held);
    s->connection.held = NULL;
    s->connection.held_count = 0;
    for (uint32_t id = 1; id < s->server.files.count; id++)
        drm_server_close_file(drm_ids_remove(&s->server.files, id));
    drm_ids_finish(&s->server.files);
    drm_destroy(s->drm);
}

/* What stays from input to input. */
static struct session *session(void)
{
    static struct session s;
    if (s.data) {
        madvise(s.connection.channel, DRM_CHANNEL_BYTES, MADV_DONTNEED); /* zeros */
        return &s;
    }
    void *channel = mmap(NULL, DRM_CHANNEL_BYTES, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (channel == MAP_FAILED || pipe2(s.treasure, O_CLOEXEC))
        abort();
    signal(SIGPIPE, SIG_IGN); /* of events that nobody is left to read */
    pthread_mutex_init(&s.server.lock, NULL);
    s.server.kept = -1;
    s.connection.server = &s.server;
    s.connection.channel = channel;
    s.data = (uint8_t *)channel + DRM_CHANNEL_DATA;
    return &s;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct session *s = session();
    struct gpu_options options = {.packet_budget = 20000, .job_fuel = 1 << 24, .fuel = 64};
    struct gpu_memory memory;
    struct gpu_device gpu = {0};
    size_t sum = 0;

    if (size < 4 || gpu_memory_create(MEMORY, &memory))
        return 0;
    s->fd = -1;
    if (gpu_create(fuzz_driven_gpu(bytes[size - 1]), &memory, &options, &gpu) ||
        start(s, &memory, &gpu, &sum)) {
        gpu_device_destroy(&gpu);
        gpu_memory_destroy(&memory);
        return 0;
    }
    /* The end of the input is what pointers point to. */
    size_t steps_end = 2 + ((bytes[0] | (size_t)bytes[1] << 8) % (size - 2));
    memcpy(s->data + DRM_CHANNEL_POINTED, bytes + steps_end, size - steps_end);
    size_t at = 2;
    for (unsigned i = 0; i < STEPS && at + 2 <= steps_end; i++)
        at += step(s, bytes + at, steps_end - at);
    stop(s);
    gpu_device_destroy(&gpu);
    gpu_memory_destroy(&memory);
    return 0;
}
