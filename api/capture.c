/* Captures, event by event or played on a context. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "api/internal.h"

struct vitrail_capture {
    struct api_guard guard;
    struct capture_reader *reader;
    struct capture_event event; /* the last one read; PAGES are handed out one at a time */
    uint32_t page;
    bool kept;      /* the interrupt handler read an event that is not its own */
    bool playing;   /* events belong to vitrail_capture_play */
    bool is_frame;  /* the event handed out last was a frame */
    int read_error; /* met while an interrupt was answered */
};

static int enter(struct vitrail_capture *capture)
{
    if (!capture)
        return api_fail(NULL, -EINVAL, "capture is NULL");
    if (api_guard_enter(&capture->guard, false))
        return api_fail(NULL, -EBUSY, "the capture is in use");
    if (!capture->playing)
        return 0;
    api_guard_leave(&capture->guard);
    return api_fail(NULL, -EBUSY, "the capture is being played");
}

static void leave(struct vitrail_capture *capture)
{
    api_guard_leave(&capture->guard);
}

/* ---- opening ---- */

/* Wraps a reader that was opened with `code`. */
static int wrap(int code, struct capture_reader *reader, const struct util_error *error, const char *what,
                struct vitrail_capture **out)
{
    if (code)
        return api_fail_error(NULL, code, what, error);
    struct vitrail_capture *capture = calloc(1, sizeof *capture);
    if (!capture) {
        capture_reader_close(reader);
        return api_fail(NULL, -ENOMEM, "out of memory");
    }
    capture->reader = reader;
    *out = capture;
    return 0;
}

int vitrail_capture_open(const char *path, struct vitrail_capture **out)
{
    struct capture_reader *reader = NULL;
    struct util_error error = {0};
    if (!out)
        return api_fail(NULL, -EINVAL, "out is NULL");
    *out = NULL;
    if (!path)
        return api_fail(NULL, -EINVAL, "path is NULL");
    int code = capture_reader_open(path, &reader, &error);
    return wrap(code, reader, &error, path, out);
}

int vitrail_capture_open_memory(const void *bytes, size_t size, struct vitrail_capture **out)
{
    struct capture_reader *reader = NULL;
    struct util_error error = {0};
    if (!out)
        return api_fail(NULL, -EINVAL, "out is NULL");
    *out = NULL;
    if (!bytes)
        return api_fail(NULL, -EINVAL, "bytes is NULL");
    int code = capture_reader_from_memory(bytes, size, &reader, &error);
    return wrap(code, reader, &error, "a capture in memory", out);
}

int vitrail_capture_close(struct vitrail_capture **capture)
{
    if (!capture)
        return api_fail(NULL, -EINVAL, "capture is NULL");
    if (!*capture)
        return 0;
    if (api_guard_enter(&(*capture)->guard, true))
        return api_fail(NULL, -EBUSY, "the capture is in use");
    capture_reader_close((*capture)->reader);
    free(*capture);
    *capture = NULL;
    return 0;
}

int vitrail_capture_get_info(struct vitrail_capture *capture, struct vitrail_capture_info *out)
{
    int code = enter(capture);
    if (code)
        return code;
    struct capture_info from;
    struct vitrail_capture_info info = {.size = sizeof info};
    capture_reader_info(capture->reader, &from);
    memcpy(info.gpu, from.gpu, sizeof info.gpu);
    memcpy(info.command, from.command, sizeof info.command);
    info.gpu[sizeof info.gpu - 1] = info.command[sizeof info.command - 1] = 0;
    info.memory_size = from.memory_size;
    info.file_size = from.file_size;
    info.position = capture_reader_position(capture->reader);
    info.version = from.version;
    info.torn = from.torn;
    code = out ? api_give(out, &info, sizeof info, sizeof info) : api_fail(NULL, -EINVAL, "out is NULL");
    leave(capture);
    return code;
}

int vitrail_capture_rewind(struct vitrail_capture *capture)
{
    int code = enter(capture);
    if (code)
        return code;
    capture_reader_rewind(capture->reader);
    capture->event = (struct capture_event){0};
    capture->page = 0;
    capture->kept = capture->is_frame = false;
    capture->read_error = 0;
    leave(capture);
    return 0;
}

/* ---- events ---- */

/* The next event, pages one at a time. 0 or -EBADMSG with the message kept. */
static int next(struct vitrail_capture *capture, struct vitrail_event *out)
{
    struct capture_event *event = &capture->event;
    struct util_error error = {0};
    bool more_pages = event->type == CAPTURE_EVENT_PAGES && capture->page < event->pages.count;
    if (!capture->kept && !more_pages) {
        int code = capture_read(capture->reader, event, &error);
        capture->page = 0;
        if (code) {
            *event = (struct capture_event){0};
            return api_fail_error(NULL, code, "the capture", &error);
        }
    }
    capture->kept = false;
    capture->is_frame = event->type == CAPTURE_EVENT_FRAME;
    *out = (struct vitrail_event){.size = sizeof *out};
    switch (event->type) {
    case CAPTURE_EVENT_END: out->type = VITRAIL_EVENT_END; break;
    case CAPTURE_EVENT_PAGES:
        out->type = VITRAIL_EVENT_MEMORY;
        out->address = event->pages.pages[capture->page].address;
        out->bytes = event->pages.pages[capture->page].bytes;
        out->count = GPU_PAGE;
        capture->page++;
        break;
    case CAPTURE_EVENT_REGISTER:
    case CAPTURE_EVENT_IRQ_REPLY:
        out->type = event->type == CAPTURE_EVENT_REGISTER ? VITRAIL_EVENT_REGISTER : VITRAIL_EVENT_IRQ_REPLY;
        out->offset = event->reg.offset;
        out->value = event->reg.value;
        break;
    case CAPTURE_EVENT_FRAME: out->type = VITRAIL_EVENT_FRAME; break;
    }
    return 0;
}

/* Hands the event that `next` gave last out once more. */
static void keep(struct vitrail_capture *capture)
{
    capture->kept = true;
    if (capture->event.type == CAPTURE_EVENT_PAGES)
        capture->page--;
}

int vitrail_capture_next(struct vitrail_capture *capture, struct vitrail_event *out)
{
    int code = enter(capture);
    if (code)
        return code;
    struct vitrail_event event;
    if (!out || out->size < sizeof event)
        code = api_fail(NULL, -EINVAL, out ? "out->size is too small" : "out is NULL");
    else
        code = next(capture, &event);
    if (!code)
        code = api_give(out, &event, sizeof event, sizeof event);
    leave(capture);
    return code;
}

int vitrail_capture_frame(struct vitrail_capture *capture, struct vitrail_frame *out)
{
    int code = enter(capture);
    if (code)
        return code;
    struct vitrail_frame frame;
    if (!out) {
        code = api_fail(NULL, -EINVAL, "out is NULL");
    } else if (!capture->is_frame) {
        code = api_fail(NULL, -ENODATA, "the last event was no frame");
    } else {
        api_frame_out(&capture->event.frame, &frame);
        code = api_give(out, &frame, sizeof frame, sizeof frame);
    }
    leave(capture);
    return code;
}

/* ---- playing ---- */

/* Makes the register writes that the capture has in answer to the interrupt that stands. */
static void answer(struct vitrail_capture *capture, struct vitrail_context *context, uint32_t pending)
{
    struct vitrail_event event;
    while (gpu_device_must_answer(&context->device, pending)) {
        capture->read_error = next(capture, &event);
        if (capture->read_error)
            return;
        if (event.type != VITRAIL_EVENT_IRQ_REPLY) {
            keep(capture);
            return;
        }
        gpu_device_write(&context->device, event.offset, event.value);
    }
}

static int check_play(struct vitrail_capture *capture, struct vitrail_context *context, uint32_t flags,
                      const struct vitrail_frame *frame)
{
    struct capture_info info;
    capture_reader_info(capture->reader, &info);
    if (flags & ~VITRAIL_PLAY_PRESENTED)
        return api_fail(context, -EINVAL, "unknown flags 0x%x", flags & ~VITRAIL_PLAY_PRESENTED);
    if (!frame || frame->size < sizeof *frame)
        return api_fail(context, -EINVAL, frame ? "frame->size is too small" : "frame is NULL");
    if (strcmp(info.gpu, context->gpu->name) != 0)
        return api_fail(context, -ENOTSUP, "a capture of a '%.16s' on a %s", info.gpu, context->gpu->name);
    if (info.memory_size > context->memory.size)
        return api_fail(context, -ENOSPC, "the capture needs %llu bytes of guest memory, there are %llu",
                        (unsigned long long)info.memory_size, (unsigned long long)context->memory.size);
    return 0;
}

/* The embedder hears of what the device did. */
static void tell(struct vitrail_context *context)
{
    pthread_mutex_lock(&context->lock);
    api_tell(context);
    pthread_mutex_unlock(&context->lock);
}

/* The device's, on the thread that plays. */
static void on_interrupt(void *data, uint32_t pending)
{
    struct vitrail_context *context = data;
    answer(context->playing, context, pending);
    tell(context);
}

/* A recorded host read registers, too, which is not in a capture. */
static void finish_jobs(struct vitrail_context *context)
{
    gpu_device_flush(&context->device);
    tell(context);
}

/* The device is this thread's alone, and works inside its register writes. -EBUSY: a job waits for the host. */
static int take_device(struct vitrail_capture *capture, struct vitrail_context *context)
{
    api_wait(context);
    if (context->working || context->player)
        return api_fail(context, -EBUSY, "a job waits for the host, or another thread plays a capture");
    context->player = api_me();
    context->playing = capture;
    capture->playing = true;
    context->device.host->turns = NULL;
    gpu_host_set_irq(context->device.host, on_interrupt, context);
    return 0;
}

static void give_device(struct vitrail_capture *capture, struct vitrail_context *context)
{
    gpu_host_set_irq(context->device.host, NULL, NULL);
    context->device.host->turns = &context->turns;
    context->player = 0;
    context->playing = NULL;
    capture->playing = false;
}

/* 1 at a frame, 0 at the end, or an error. */
static int play(struct vitrail_capture *capture, struct vitrail_context *context, uint32_t flags,
                struct vitrail_frame *frame)
{
    struct vitrail_event event;
    for (;;) {
        int code = capture->read_error ? capture->read_error : next(capture, &event);
        if (code)
            return code;
        switch (event.type) {
        case VITRAIL_EVENT_END: finish_jobs(context); return 0;
        case VITRAIL_EVENT_MEMORY: { /* the reader checked its address against the memory's size */
            uint8_t *to = gpu_memory_at(&context->memory, event.address, event.count);
            memcpy(to, event.bytes, event.count);
            break;
        }
        case VITRAIL_EVENT_REGISTER:
        case VITRAIL_EVENT_IRQ_REPLY:
            gpu_device_write(&context->device, event.offset, event.value);
            tell(context);
            break;
        default:
            if ((flags & VITRAIL_PLAY_PRESENTED) && !capture->event.frame.presented)
                break;
            finish_jobs(context);
            api_frame_out(&capture->event.frame, frame);
            return 1;
        }
    }
}

int vitrail_capture_play(struct vitrail_capture *capture, struct vitrail_context *context, uint32_t flags,
                         struct vitrail_frame *frame)
{
    int code = enter(capture);
    if (code)
        return code;
    code = api_enter_outermost(context);
    if (code)
        goto out;
    code = check_play(capture, context, flags, frame);
    if (!code)
        code = take_device(capture, context);
    if (!code) {
        struct vitrail_frame found;
        pthread_mutex_unlock(&context->lock);
        code = play(capture, context, flags, &found);
        pthread_mutex_lock(&context->lock);
        give_device(capture, context);
        if (code == 1)
            api_give(frame, &found, sizeof found, sizeof found);
    }
    api_leave(context);
out:
    leave(capture);
    return code;
}
