/* Capture files made of the fuzzer's bytes: read to the end, and played with small budgets. The first byte
 * chooses. Bit 0: the rest is a file; otherwise the events of one, of the GPU that bits 1 to 6 name, which
 * are then packed with the checksums right: as a capture of version 1, or if bit 7 is set of the newest, whose second
 * half is a restart point in the index, and is sought. */
#include "gpu/replay.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>
#include <zstd.h>

#include "gpu/capture_format.h"
#include "tests/fuzz/gpus.h"
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

static size_t index_size; /* of the last put_restart */

/* A restart point at file offset `at`, and the index of it; their bytes. The first byte of its events says how many pictures
 * were before it. */
static size_t put_restart(uint8_t *to, size_t room, size_t at, const uint8_t *events, size_t size)
{
    uint8_t index[CAPTURE_INDEX_HEAD + CAPTURE_INDEX_ENTRY] = {0};
    uint8_t *plain = calloc(1, 1 + CAPTURE_RESTART_BYTES + size);
    const uint64_t before = events[0] & 7, total = before + 100, offset = at;
    if (!plain)
        return 0;
    plain[0] = CAPTURE_EVENT_RESTART;
    plain[1] = CAPTURE_RESTART_FULL;
    memcpy(plain + 2, &before, 8);
    memcpy(plain + 10, &before, 8);
    memcpy(plain + 1 + CAPTURE_RESTART_BYTES, events + 1, size - 1);
    const size_t used = put_chunk(to, room, CAPTURE_CHUNK_RESTART, plain, CAPTURE_RESTART_BYTES + size);
    free(plain);
    memcpy(index, &total, 8);
    memcpy(index + 8, &total, 8);
    util_store32(index + 16, 1);
    memcpy(index + 20, &offset, 8);
    memcpy(index + 28, &before, 8);
    memcpy(index + 36, &before, 8);
    util_store32(index + 44, CAPTURE_RESTART_FULL);
    index_size = put_chunk(to + used, room - used, CAPTURE_CHUNK_INDEX, index, sizeof index);
    return used + index_size;
}

/* A whole file around the events, malloc'ed; gpu/capture.h has the layout. */
static uint8_t *pack(const char *gpu, uint32_t version, const uint8_t *events, size_t size, size_t *file_size)
{
    size_t room = 1024 + 2 * ZSTD_compressBound(size);
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
    const size_t behind = version < CAPTURE_WITH_INDEX ? 0 : size / 2;
    if (size - behind)
        at += put_chunk(file + at, room - at, CAPTURE_CHUNK_EVENTS, events, size - behind);
    const size_t index = behind ? put_restart(file + at, room - at, at, events + size - behind, behind) : 0;
    at += index;
    at += put_chunk(file + at, room - at, CAPTURE_CHUNK_END, NULL, 0);
    if (index) { /* the end says how long the index is, which stands at the end of these bytes */
        util_store32(file + at - 32 + 12, (uint32_t)index_size);
        const uint64_t sum = XXH3_64bits(file + at - 32, 24);
        memcpy(file + at - 8, &sum, 8);
    }
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
    for (uint64_t number = 1, before; number < 12; number += 5)
        if (!replay_seek(replay, number & 1, number, &before))
            for (int i = 0; i < 2 && replay_next_frame(replay, false, &frame, &error) > 0; i++)
                ;
    replay_destroy(replay);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    size_t file_size;
    if (!size)
        return 0;
    if (bytes[0] & 1) {
        play(bytes + 1, size - 1);
        return 0;
    }
    uint8_t *file = pack(fuzz_gpu(bytes[0] >> 1 & 63), bytes[0] >> 7 ? CAPTURE_VERSION : 1, bytes + 1,
                         size - 1, &file_size);
    if (file)
        play(file, file_size);
    free(file);
    return 0;
}
