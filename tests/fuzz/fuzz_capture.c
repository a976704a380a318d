/* Capture files made of the fuzzer's bytes: read to the end, and played with small budgets. The first byte
 * chooses. Bit 0: the rest is a file; otherwise the events of one, of the GPU that bits 1 and 2 name, in the
 * newest format if bit 7 is set, which are then packed with the checksums right. */
#include "gpu/replay.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>
#include <zstd.h>

#include "gpu/capture_format.h"
#include "util/bits.h"

#define MEMORY (1u << 20)

static size_t put_chunk(uint8_t *to, size_t room, uint32_t type, const uint8_t *plain, size_t size)
{
    size_t stored = size ? ZSTD_compress(to + 32, room - 32, plain, size, 1) : 0;
    if (ZSTD_isError(stored))
        return 0;
    util_store32(to, CAPTURE_CHUNK_MAGIC);
    util_store32(to + 4, type);
    util_store32(to + 8, (uint32_t)stored);
    util_store32(to + 12, (uint32_t)size);
    uint64_t hash = XXH3_64bits(to + 32, stored);
    memcpy(to + 16, &hash, 8);
    hash = XXH3_64bits(to, 24);
    memcpy(to + 24, &hash, 8);
    return 32 + stored;
}

/* A whole file around the events, malloc'ed; gpu/capture.h has the layout. */
static uint8_t *pack(const char *gpu, uint32_t version, const uint8_t *events, size_t size, size_t *file_size)
{
    size_t room = 256 + ZSTD_compressBound(size);
    uint8_t *file = calloc(1, room);
    uint64_t memory = MEMORY;
    if (!file)
        return NULL;
    memcpy(file, CAPTURE_MAGIC, 8);
    util_store32(file + 8, version);
    memcpy(file + 16, &memory, 8);
    memcpy(file + 24, gpu, strlen(gpu));
    uint64_t hash = capture_header_hash(file, NULL, 0);
    memcpy(file + 40, &hash, 8);
    size_t at = CAPTURE_HEADER_SIZE;
    if (size)
        at += put_chunk(file + at, room - at, 1, events, size);
    at += put_chunk(file + at, room - at, 2, NULL, 0);
    *file_size = at;
    return file;
}

static void play(const uint8_t *bytes, size_t size)
{
    struct gpu_options options = {.packet_budget = 20000, .job_fuel = 1 << 24, .fuel = 64};
    struct util_error error = {0};
    struct capture_reader *reader;
    struct capture_event event;
    struct capture_frame frame;
    struct capture_info info;
    struct replay *replay;

    if (capture_reader_from_memory(bytes, size, &reader, &error))
        return;
    while (!capture_read(reader, &event, &error) && event.type != CAPTURE_EVENT_END)
        ;
    capture_reader_info(reader, &info);
    capture_reader_rewind(reader);
    if (info.memory_size > (64u << 20) || replay_create(reader, &options, &replay, &error)) {
        capture_reader_close(reader);
        return;
    }
    for (int i = 0; i < 16 && replay_next_frame(replay, false, &frame, &error) > 0; i++) {
        struct util_image image = {0};
        if (frame.width <= 512 && frame.height <= 512 && !replay_picture(replay, &frame, &image))
            util_image_finish(&image);
    }
    replay_destroy(replay);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static const char *const gpus[] = {"vc4", "vc4", "mali400", "mali450"};
    size_t file_size;
    if (!size)
        return 0;
    if (bytes[0] & 1) {
        play(bytes + 1, size - 1);
        return 0;
    }
    uint8_t *file = pack(gpus[bytes[0] >> 1 & 3], 1 + (bytes[0] >> 7), bytes + 1, size - 1, &file_size);
    if (file)
        play(file, file_size);
    free(file);
    return 0;
}
