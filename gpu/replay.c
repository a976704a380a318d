/* Plays captures: pages into guest memory, register writes to the device, interrupts answered as they were.
 */
#include "gpu/replay.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "gpu/families.h"
#include "gpu/picture.h"
#include "util/bits.h"

#define AHEAD 64

struct replay {
    struct capture_reader *reader;
    struct gpu_memory memory;
    struct gpu_options options;
    struct gpu_device gpu; /* its `self` is NULL while there is none */
    /* Events that were read and not given yet. Only the last may be anything but a write. */
    struct capture_event ahead[AHEAD];
    uint32_t next, end;
    bool has_presented;
    replay_listen_fn listen;
    void *listen_data;
    double device_wall, device_cpu; /* seconds inside register writes and page copies */
    int read_error;                 /* behind those events */
    struct util_error error;
};

static bool is_write(const struct capture_event *event)
{
    return event->type == CAPTURE_EVENT_REGISTER || event->type == CAPTURE_EVENT_IRQ_REPLY;
}

/* False at an error. */
static bool peek_event(struct replay *replay)
{
    if (replay->next == replay->end && !replay->read_error) {
        replay->next = replay->end = 0;
        replay->read_error = capture_read(replay->reader, &replay->ahead[0], &replay->error);
        replay->end = !replay->read_error;
    }
    return replay->next < replay->end;
}

/* Reads writes that follow each other, so that the clock need not be asked for each. */
static void read_ahead(struct replay *replay)
{
    while (replay->end < AHEAD && is_write(&replay->ahead[replay->end - 1]) && !replay->read_error) {
        replay->read_error = capture_read(replay->reader, &replay->ahead[replay->end], &replay->error);
        replay->end += !replay->read_error;
    }
}

static void tell(const struct replay *replay, const struct capture_event *event)
{
    if (replay->listen)
        replay->listen(replay->listen_data, event, &replay->memory);
}

/* Where the device must be answered at once, the recorded driver's answers follow the write that started the
 * work: they are given until it is. Otherwise work waits, and they are writes like all others. */
static void on_interrupt(void *data, uint32_t pending)
{
    struct replay *replay = data;
    while (gpu_device_must_answer(&replay->gpu, pending)) {
        const struct capture_event *event;
        if (!peek_event(replay) || replay->ahead[replay->next].type != CAPTURE_EVENT_IRQ_REPLY)
            return;
        event = &replay->ahead[replay->next++];
        tell(replay, event);
        gpu_device_write(&replay->gpu, event->reg.offset, event->reg.value);
    }
}

static int make_device(struct replay *replay)
{
    struct capture_info info;
    capture_reader_info(replay->reader, &info);
    int error = gpu_create(info.gpu, &replay->memory, &replay->options, &replay->gpu);
    if (!error)
        gpu_host_set_irq(replay->gpu.host, on_interrupt, replay);
    return error;
}

int replay_create(struct capture_reader *reader, const struct gpu_options *options, struct replay **out,
                  struct util_error *error)
{
    struct capture_info info;
    capture_reader_info(reader, &info);
    if (!gpu_info_find(info.gpu))
        return util_fail(error, -ENOTSUP, "capture of a '%s', which is not among the GPUs here", info.gpu);
    struct replay *replay = calloc(1, sizeof *replay);
    if (!replay)
        return util_fail(error, -ENOMEM, "no memory");
    replay->options = *options;
    replay->reader = reader;
    int code = gpu_memory_create(info.memory_size, &replay->memory);
    if (!code)
        code = make_device(replay);
    if (code) {
        replay->reader = NULL; /* stays the caller's */
        replay_destroy(replay);
        return util_fail(error, code, "no guest memory of %llu bytes: %s",
                         (unsigned long long)info.memory_size, strerror(-code));
    }
    *out = replay;
    return 0;
}

void replay_destroy(struct replay *replay)
{
    if (!replay)
        return;
    gpu_device_destroy(&replay->gpu);
    gpu_memory_destroy(&replay->memory);
    capture_reader_close(replay->reader);
    free(replay);
}

static int start_over(struct replay *replay)
{
    gpu_device_destroy(&replay->gpu);
    gpu_memory_clear(&replay->memory);
    replay->next = replay->end = 0;
    replay->read_error = 0;
    return make_device(replay);
}

int replay_rewind(struct replay *replay)
{
    capture_reader_rewind(replay->reader);
    return start_over(replay);
}

int replay_seek(struct replay *replay, bool shown, uint64_t number, uint64_t *before)
{
    struct capture_counts counts;
    capture_reader_seek(replay->reader, shown, number, &counts);
    *before = shown ? counts.shown : counts.all;
    return start_over(replay);
}

void replay_set_listener(struct replay *replay, replay_listen_fn listen, void *data)
{
    replay->listen = listen;
    replay->listen_data = data;
}

const struct gpu_device *replay_device(const struct replay *replay)
{
    return &replay->gpu;
}

static int finish_error(struct replay *replay, int code, struct util_error *error)
{
    if (error && !error->code)
        *error = replay->error;
    replay->error = (struct util_error){0};
    return code;
}

static double seconds(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void copy_pages(struct replay *replay)
{
    const struct capture_event *event = &replay->ahead[replay->next++];

    tell(replay, event);
    for (uint32_t i = 0; i < event->pages.count; i++) /* addresses were checked against the memory's size */
        memcpy(replay->memory.base + event->pages.pages[i].address, event->pages.pages[i].bytes, GPU_PAGE);
}

/* The writes that were read. Interrupts take of them while they are given. */
static void give_writes(struct replay *replay)
{
    while (replay->next < replay->end && is_write(&replay->ahead[replay->next])) {
        const struct capture_event *event = &replay->ahead[replay->next++];

        tell(replay, event);
        gpu_device_write(&replay->gpu, event->reg.offset, event->reg.value);
    }
}

static void flush(struct replay *replay)
{
    gpu_device_flush(&replay->gpu);
}

/* What takes the device's time. */
static void on_the_clock(struct replay *replay, void (*act)(struct replay *))
{
    double wall = seconds(CLOCK_MONOTONIC), cpu = seconds(CLOCK_PROCESS_CPUTIME_ID);

    act(replay);
    replay->device_wall += seconds(CLOCK_MONOTONIC) - wall;
    replay->device_cpu += seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu;
}

void replay_device_time(const struct replay *replay, double *wall, double *cpu)
{
    *wall = replay->device_wall;
    *cpu = replay->device_cpu;
}

int replay_next_frame(struct replay *replay, bool presented_only, struct capture_frame *frame,
                      struct util_error *error)
{
    if (!replay->gpu.self)
        return util_fail(error, -EINVAL, "the device could not be made");
    for (;;) {
        if (!peek_event(replay))
            return finish_error(replay, replay->read_error, error);
        switch (replay->ahead[replay->next].type) {
        case CAPTURE_EVENT_END: on_the_clock(replay, flush); return 0;
        case CAPTURE_EVENT_PAGES: on_the_clock(replay, copy_pages); break;
        case CAPTURE_EVENT_REGISTER:
        case CAPTURE_EVENT_IRQ_REPLY:
            read_ahead(replay);
            on_the_clock(replay, give_writes);
            break;
        case CAPTURE_EVENT_FRAME:
            *frame = replay->ahead[replay->next].frame;
            on_the_clock(replay, flush); /* reading a register did that: it is not recorded */
            tell(replay, &replay->ahead[replay->next++]);
            replay->has_presented |= frame->presented != 0;
            if (presented_only && !frame->presented)
                break;
            return 1;
        }
    }
}

int replay_picture(struct replay *replay, const struct capture_frame *frame, struct util_image *out)
{
    return gpu_picture(&replay->memory, frame, out);
}

void *replay_picture_keep(struct replay *replay, const struct capture_frame *frame)
{
    return gpu_picture_keep(&replay->memory, frame, NULL);
}

/* ---- the rest ---- */

uint64_t replay_count_pictures(struct capture_reader *reader, bool shown, uint64_t limit,
                               struct util_error *error)
{
    struct capture_counts total;
    struct capture_event event = {0};
    uint64_t count = 0;
    if (capture_reader_counts(reader, &total))
        return UTIL_MIN(shown ? total.shown : total.all, limit);
    while (count < limit && !capture_read(reader, &event, error) && event.type != CAPTURE_EVENT_END)
        count += event.type == CAPTURE_EVENT_FRAME && (!shown || event.frame.presented);
    capture_reader_rewind(reader);
    return count;
}

bool replay_shows_pictures(struct capture_reader *reader)
{
    return replay_count_pictures(reader, true, 1, NULL) > 0;
}

bool replay_has_presented(const struct replay *replay)
{
    return replay->has_presented;
}

unsigned replay_faults(struct replay *replay, struct gpu_fault *out, unsigned capacity)
{
    return replay->gpu.self ? gpu_host_faults(replay->gpu.host, out, capacity) : 0;
}

void replay_counters(const struct replay *replay, struct gpu_counters *out)
{
    *out = (struct gpu_counters){0};
    if (replay->gpu.self)
        *out = replay->gpu.host->counters;
}

void replay_info(const struct replay *replay, struct capture_info *out)
{
    capture_reader_info(replay->reader, out);
}

uint64_t replay_position(const struct replay *replay)
{
    return capture_reader_position(replay->reader);
}
