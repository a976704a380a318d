/* Readers, and what is sent to them. */
#include "drm/input/internal.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "drm/protocol.h"
#include "util/files.h"

/* ---- readers ---- */

/* Whether nobody has its descriptor open any more. */
static bool has_gone(const struct drm_input_reader *reader)
{
    struct pollfd end = {reader->pipe, 0, 0};
    return poll(&end, 1, 0) == 1;
}

/* A place for a new one; those that have gone make room. */
static struct drm_input_reader *free_place(struct drm_input *input)
{
    struct drm_input_reader *place = NULL;
    for (struct drm_input_reader *r = input->readers; r < input->readers + INPUT_READERS; r++) {
        if (r->pipe >= 0 && has_gone(r))
            drm_input_reader_close(input, r);
        if (r->pipe < 0 && !place)
            place = r;
    }
    return place;
}

/* Two ends of a pipe of which the program gets the one that blocks. */
static int make_pipe(int ends[2], struct stat *st)
{
    if (pipe2(ends, O_CLOEXEC))
        return -errno;
    int r = fcntl(ends[1], F_SETPIPE_SZ, DRM_EVENT_PIPE) < 0 || fcntl(ends[1], F_SETFL, O_NONBLOCK)
                ? -errno
                : util_fstat(ends[0], st);
    if (!r)
        return 0;
    close(ends[0]);
    close(ends[1]);
    return r;
}

int drm_input_open(struct drm_input *input, uint64_t device, uint64_t long_bytes)
{
    struct stat st;
    int ends[2];
    if (device >= DRM_INPUT_COUNT)
        return -ENOENT;
    if (long_bytes != 4 && long_bytes != 8)
        return -EINVAL;
    pthread_mutex_lock(&input->lock);
    struct drm_input_reader *reader = free_place(input);
    int r = reader ? make_pipe(ends, &st) : -EMFILE;
    if (!r)
        *reader = (struct drm_input_reader){.pipe = ends[1],
                                            .on = st.st_dev,
                                            .inode = st.st_ino,
                                            .device = (uint8_t)device,
                                            .long_bytes = (uint8_t)long_bytes,
                                            .clock = CLOCK_REALTIME};
    pthread_mutex_unlock(&input->lock);
    return r ? r : ends[0];
}

int drm_input_device_of(struct drm_input *input, int fd)
{
    pthread_mutex_lock(&input->lock);
    const struct drm_input_reader *reader = drm_input_reader_of(input, fd);
    int device = reader ? reader->device : -EINVAL;
    pthread_mutex_unlock(&input->lock);
    return device;
}

bool drm_input_is_open(struct drm_input *input, enum drm_input_number device)
{
    bool open = false;
    pthread_mutex_lock(&input->lock);
    for (const struct drm_input_reader *r = input->readers; !open && r < input->readers + INPUT_READERS; r++)
        open = r->pipe >= 0 && r->device == device && !has_gone(r);
    pthread_mutex_unlock(&input->lock);
    return open;
}

int drm_input_ioctl(struct drm_input *input, int fd, uint32_t request, uint64_t value, uint8_t *argument,
                    uint32_t room, uint32_t *written)
{
    *written = 0;
    pthread_mutex_lock(&input->lock);
    struct drm_input_reader *reader = drm_input_reader_of(input, fd);
    int r = reader ? drm_input_answer(input, reader, request, value, argument, room, written) : -ENOTTY;
    pthread_mutex_unlock(&input->lock);
    return r;
}

/* ---- events ---- */

/* `struct input_event` of a machine with longs of 8 or 4 bytes; its size. */
static size_t put_event(const struct drm_input_reader *reader, const struct timespec *now,
                        const struct drm_input_event *event, uint8_t *out)
{
    const int64_t time64[2] = {now->tv_sec, now->tv_nsec / 1000};
    const uint32_t time32[2] = {(uint32_t)now->tv_sec, (uint32_t)(now->tv_nsec / 1000)};
    size_t n = 2 * reader->long_bytes;
    memcpy(out, reader->long_bytes == 8 ? (const void *)time64 : time32, n);
    memcpy(out + n, event, 8);
    return n + 8;
}

static void send_to(struct drm_input *input, struct drm_input_reader *reader,
                    const struct drm_input_event *events, unsigned count)
{
    static const struct drm_input_event dropped = {EV_SYN, SYN_DROPPED, 0};
    uint8_t bytes[(DRM_INPUT_PACKET + 2) * sizeof(struct input_event)];
    struct timespec now;
    size_t size = 0;
    clock_gettime(reader->clock, &now);
    if (reader->behind)
        size = put_event(reader, &now, &dropped, bytes);
    for (unsigned i = 0; i < count; i++)
        size += put_event(reader, &now, &events[i], bytes + size);
    if (write(reader->pipe, bytes, size) == (ssize_t)size)
        reader->behind = false;
    else if (errno == EPIPE)
        drm_input_reader_close(input, reader);
    else
        reader->behind = true;
}

static bool has_code(const struct drm_input_device *device, const struct drm_input_event *event)
{
    for (const struct drm_input_codes *c = device->codes; c->type; c++)
        if (event->type == c->type && event->code >= c->first && event->code <= c->last)
            return true;
    return false;
}

/* Whether it changes anything; then that is kept. */
static bool changes(struct drm_input_state *state, const struct drm_input_event *event)
{
    if (event->type == EV_REL)
        return event->value != 0;
    if (event->type == EV_ABS) {
        int32_t *value = &state->range[event->code].value;
        bool moves = *value != event->value;
        *value = event->value;
        return moves;
    }
    uint8_t *keys = &state->keys[event->code / 8], bit = (uint8_t)(1 << event->code % 8);
    if (!(*keys & bit) == !event->value)
        return false;
    *keys ^= bit;
    return true;
}

void drm_input_send(struct drm_input *input, enum drm_input_number device,
                    const struct drm_input_event *events, unsigned count)
{
    struct drm_input_event packet[DRM_INPUT_PACKET + 1];
    unsigned n = 0;
    pthread_mutex_lock(&input->lock);
    struct drm_input_state *state = &input->state[device];
    for (unsigned i = 0; i < count && i < DRM_INPUT_PACKET; i++)
        if (has_code(&drm_input_devices[device], &events[i]) && changes(state, &events[i]))
            packet[n++] = events[i];
    if (n)
        packet[n++] = (struct drm_input_event){EV_SYN, SYN_REPORT, 0};
    for (struct drm_input_reader *r = input->readers; n && r < input->readers + INPUT_READERS; r++)
        if (r->pipe >= 0 && r->device == device && (!state->grabbed || state->grabbed == r))
            send_to(input, r, packet, n);
    pthread_mutex_unlock(&input->lock);
}

/* ---- all of it ---- */

int drm_input_create(uint32_t width, uint32_t height, struct drm_input **out)
{
    struct drm_input *input = calloc(1, sizeof *input);
    if (!input)
        return -ENOMEM;
    pthread_mutex_init(&input->lock, NULL);
    for (unsigned i = 0; i < INPUT_READERS; i++)
        input->readers[i].pipe = -1;
    struct input_absinfo *range = input->state[DRM_INPUT_POINTER].range;
    range[ABS_X].maximum = (int32_t)width - 1;
    range[ABS_Y].maximum = (int32_t)height - 1;
    *out = input;
    return 0;
}

void drm_input_destroy(struct drm_input *input)
{
    if (!input)
        return;
    for (struct drm_input_reader *r = input->readers; r < input->readers + INPUT_READERS; r++)
        if (r->pipe >= 0)
            drm_input_reader_close(input, r);
    pthread_mutex_destroy(&input->lock);
    free(input);
}
