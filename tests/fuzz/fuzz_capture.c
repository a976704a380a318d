/* Capture files made of the fuzzer's bytes: read to the end, and played with small budgets. */
#include "gpu/replay.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct vc4_options options = {.packet_budget = 20000, .fuel = 64};
    struct util_error error = {0};
    struct capture_reader *reader;
    struct capture_event event;
    struct capture_frame frame;
    struct capture_info info;
    struct replay *replay;

    if (capture_reader_from_memory(bytes, size, &reader, &error))
        return 0;
    while (!capture_read(reader, &event, &error) && event.type != CAPTURE_EVENT_END)
        ;
    capture_reader_info(reader, &info);
    capture_reader_rewind(reader);
    if (info.memory_size > (64u << 20) || replay_create(reader, &options, &replay, &error)) {
        capture_reader_close(reader);
        return 0;
    }
    for (int i = 0; i < 16 && replay_next_frame(replay, false, &frame, &error) > 0; i++) {
        struct util_image image = {0};
        if (frame.width <= 512 && frame.height <= 512 && !replay_picture(replay, &frame, &image))
            util_image_finish(&image);
    }
    replay_destroy(replay);
    return 0;
}
