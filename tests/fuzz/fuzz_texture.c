/* Texture units set up by the fuzzer's bytes: decoded as a draw would, then sampled at the fuzzer's
 * coordinates. Whatever is accepted must stay inside guest memory for every coordinate. */
#include <stdlib.h>
#include <string.h>

#include "gpu/vc4/frag.h"
#include "util/fpenv.h"

#define MEMORY (256u << 10)

/* s, t, r and bias of 16 lanes: the bytes, over and over. */
static void fill(float out[4][16], const uint8_t *bytes, size_t size)
{
    uint8_t *to = (uint8_t *)out;
    for (size_t i = 0; i < sizeof(float[4][16]); i++)
        to[i] = size ? bytes[i % size] : 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static struct gpu_memory memory;
    struct raster_texture texture;
    struct raster_texture_key key;
    struct gpu_fault fault = {0};
    uint32_t params[4] = {0}, out[16];
    float coordinate[4][16];

    if (!memory.base && gpu_memory_create(MEMORY, &memory))
        abort();
    if (size < 1 + sizeof params)
        return 0;
    unsigned count = bytes[0] & 7, has = bytes[0] >> 3;
    memcpy(params, bytes + 1, sizeof params);
    /* Addresses near or in the memory, as most bits of the first word are one. */
    if (has & 8)
        params[0] &= (MEMORY << 1) - 1;
    if (!vc4_texture_decode(&memory, params, count > 4 ? 4 : count, has & 2, has & 4, &key, &texture,
                            &fault)) {
        if (fault.kind == GPU_FAULT_NONE || !fault.text[0])
            abort(); /* a refusal says why */
        return 0;
    }
    fill(coordinate, bytes + 1 + sizeof params, size - 1 - sizeof params);
    unsigned saved = util_fpenv_enter();
    raster_texture_sample(&key, &texture, coordinate[0], has & 1 ? coordinate[1] : NULL,
                          has & 2 ? coordinate[2] : NULL, has & 4 ? coordinate[3] : NULL, out);
    util_fpenv_leave(saved);
    return 0;
}
