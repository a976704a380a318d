/* What a hostile client may ask of the card: ioctls with the fuzzer's arguments, out of a channel that holds
 * the fuzzer's bytes, on a card node and a render node, as the server hands them to drm_ioctl. The last byte
 * chooses the GPU. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "drm/internal.h"
#include "drm/protocol.h"
#include "gpu/families.h"

#define MEMORY  (8u << 20)
#define CHANNEL (64u << 10)
#define STEPS   64

struct session {
    struct drm *drm;
    struct drm_file *file[2];
    uint8_t channel[CHANNEL];
    int fd; /* the last descriptor handed out, or -1 */
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
    const struct drm_ioctl_row *const tables[] = {drm->driver->ioctls, drm_core_ioctls, drm_sync_ioctls,
                                                  drm_kms_ioctls,      drm_fb_ioctls,   drm_atomic_ioctls};
    uint32_t requests[256];
    unsigned count = 0;
    for (unsigned t = 0; t < UTIL_ARRAY_SIZE(tables); t++)
        for (const struct drm_ioctl_row *at = tables[t]; at->fn && count < 256; at++)
            requests[count++] = at->request;
    return requests[row % count];
}

/* As run_ioctl of drm/server.c does it. */
static void ask(struct session *s, struct drm_file *file, uint32_t request, const uint8_t *bytes, size_t size)
{
    uint64_t argument[DRM_ARG_MAX / 8] = {0}, written = 0;
    uint8_t *descriptor = (uint8_t *)argument + DRM_PROTOCOL_FD_AT;
    memcpy(argument, bytes, UTIL_MIN(size, sizeof argument));
    if (drm_protocol_takes_fd(request))
        memcpy(descriptor, &s->fd, sizeof s->fd);
    struct drm_user user = {s->channel, CHANNEL, &written};
    int r = drm_ioctl(file, request, argument, &user);
    if (written > CHANNEL)
        abort();
    if (!r && drm_protocol_gives_fd(request)) {
        if (s->fd >= 0)
            close(s->fd);
        memcpy(&s->fd, descriptor, sizeof s->fd);
    }
    /* What was made is asked about with the next argument more easily when the channel has it. */
    memcpy(s->channel + DRM_CHANNEL_ARGUMENT, argument, sizeof argument);
}

/* A step: which ioctl, on which node, with an argument of the size that the ioctl has, from the input. */
static size_t step(struct session *s, const uint8_t *bytes, size_t size)
{
    uint32_t request = request_of(s->drm, bytes[0]);
    if (bytes[1] & 2) /* a shorter or a longer form */
        request = (request & ~(uint32_t)IOCSIZE_MASK) | (uint32_t)(bytes[1] >> 2) * 8 << IOCSIZE_SHIFT;
    size_t take = UTIL_MIN((size_t)_IOC_SIZE(request), size - 2);
    ask(s, s->file[bytes[1] & 1], request, bytes + 2, take);
    drm_check_mmap(s->file[bytes[1] & 1], util_load32(s->channel), util_load32(s->channel + 8), bytes[1] & 4);
    return 2 + take;
}

static int start(struct session *s, struct gpu_memory *memory, const struct gpu_device *gpu, size_t *sum)
{
    struct drm_options options = {.gpu = *gpu, .listener = {sum, take_fault, take_message}};
    if (drm_create(memory, &options, &s->drm))
        return -1;
    if (drm_open(s->drm, DRM_MINOR_CARD, &s->file[0]) || drm_open(s->drm, DRM_MINOR_RENDER, &s->file[1])) {
        drm_destroy(s->drm);
        return -1;
    }
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static struct session s;
    struct gpu_options options = {.packet_budget = 20000, .fuel = 64};
    struct gpu_memory memory;
    static const char *const gpus[] = {"vc4", "vc4", "mali400", "mali450"};
    struct gpu_device gpu = {0};
    size_t sum = 0;

    if (size < 4 || gpu_memory_create(MEMORY, &memory))
        return 0;
    if (gpu_create(gpus[bytes[size - 1] >> 6], &memory, &options, &gpu) || start(&s, &memory, &gpu, &sum)) {
        gpu_device_destroy(&gpu);
        gpu_memory_destroy(&memory);
        return 0;
    }
    /* The end of the input is what pointers point to. */
    size_t steps_end = 2 + ((bytes[0] | (size_t)bytes[1] << 8) % (size - 2));
    memset(s.channel, 0, sizeof s.channel);
    memcpy(s.channel + DRM_CHANNEL_POINTED, bytes + steps_end,
           UTIL_MIN(size - steps_end, (size_t)CHANNEL - DRM_CHANNEL_POINTED));
    s.fd = -1;
    size_t at = 2;
    for (unsigned i = 0; i < STEPS && at + 2 <= steps_end; i++)
        at += step(&s, bytes + at, steps_end - at);
    if (s.fd >= 0)
        close(s.fd);
    drm_destroy(s.drm);
    gpu_device_destroy(&gpu);
    gpu_memory_destroy(&memory);
    return 0;
}
