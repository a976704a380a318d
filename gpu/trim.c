#include "gpu/trim.h"

#include <errno.h>

struct trim {
    struct capture_writer *writer;
    bool before; /* the part has not begun: the picture before it is not complete */
    bool begun;  /* its state is written */
    int code;    /* of the writer, the first */
};

static void on_event(void *data, const struct capture_event *event, const struct gpu_memory *memory)
{
    struct trim *trim = data;
    const bool write = event->type == CAPTURE_EVENT_REGISTER || event->type == CAPTURE_EVENT_IRQ_REPLY;
    if (trim->code)
        return;
    if (trim->before || event->restart) {
        if (write)
            capture_note_register(trim->writer, event->reg.offset, event->reg.value);
        return;
    }
    if (!trim->begun)
        trim->code = capture_write_state(trim->writer, memory);
    trim->begun = true;
    if (!trim->code)
        trim->code = capture_write_event(trim->writer, event, memory);
}

int gpu_trim(struct replay *replay, struct capture_writer *writer, bool shown, uint64_t first, uint64_t last,
             void (*progress)(void *data, uint64_t position), void *data, uint64_t *pictures,
             struct util_error *error)
{
    struct trim trim = {.writer = writer};
    struct capture_frame frame;
    uint64_t number;
    int got = 1;
    *pictures = 0;
    if (replay_seek(replay, shown, first, &number))
        return util_fail(error, -ENOMEM, "out of memory");
    replay_set_listener(replay, on_event, &trim);
    while (number < last && got > 0 && !trim.code) {
        trim.before = number + 1 < first;
        got = replay_next_frame(replay, shown, &frame, error);
        number += got > 0;
        if (progress)
            progress(data, replay_position(replay));
    }
    replay_set_listener(replay, NULL, NULL);
    *pictures = number < first ? 0 : number - first + 1;
    return trim.code ? trim.code : got < 0 ? got : 0;
}
