/* Write-back: registers, formats, and the stores of a tile. */
#include "gpu/utgard/writeback.h"

#include <string.h>

#include "gpu/utgard/pp_fault.h"
#include "raster/texture.h"
#include "util/bits.h"

#define UNIT "write-back"

/* Registers of a unit (lima's lima_pp_wb_reg). */
enum { SOURCE, ADDRESS, FORMAT, DOWNSAMPLE, LAYOUT, PITCH, FLAGS, SAMPLE_BITS, SAMPLE_PITCH };
#define FLAG_SWAP    4u
#define LAYOUT_TILED 2u

static uint32_t format_bytes(enum utgard_wb_format format)
{
    switch (format) {
    case UTGARD_WB_B8: return 1;
    case UTGARD_WB_BGRA8888:
    case UTGARD_WB_Z24S8: return 4;
    default: return 2;
    }
}

static uint64_t plane_bytes(const struct utgard_wb *wb)
{
    uint64_t bytes = format_bytes(wb->format);

    if (wb->tiled)
        return (uint64_t)wb->pitch * util_div_up(wb->height, 16) * 256 * bytes;
    return (uint64_t)wb->pitch * (wb->height - 1) + wb->width * bytes;
}

static bool in_memory(const struct utgard_wb *wb, const struct gpu_space *space, struct gpu_fault *fault)
{
    uint64_t where = 0;

    for (unsigned k = 0; k < RASTER_MAX_SAMPLES; k++) {
        uint64_t at = wb->address + (uint64_t)k * wb->sample_pitch;

        if (k && !(wb->samples >> k & 1))
            continue;
        if (at > UINT32_MAX || !gpu_space_allows(space, at, plane_bytes(wb), GPU_RIGHT_WRITE, &where))
            return utgard_pp_refuse(fault, GPU_FAULT_MEMORY, UNIT, (uint32_t)where,
                                    "an image of %ux%u at 0x%08x is not all in memory", wb->width, wb->height,
                                    wb->address);
    }
    return true;
}

bool utgard_wb_decode(const uint32_t words[UTGARD_WB_WORDS], uint32_t width, uint32_t height,
                      const struct gpu_space *space, struct utgard_wb *out, struct gpu_fault *fault)
{
    bool zs = words[SOURCE] == UTGARD_WB_ZS;
    uint32_t format = words[FORMAT];

    *out = (struct utgard_wb){.source = (enum utgard_wb_source)words[SOURCE],
                              .format = (enum utgard_wb_format)format,
                              .address = words[ADDRESS],
                              .tiled = words[LAYOUT] == LAYOUT_TILED,
                              .swap = words[FLAGS] & FLAG_SWAP,
                              .pitch = words[LAYOUT] == LAYOUT_TILED ? words[PITCH] : words[PITCH] * 8,
                              .samples = words[SAMPLE_BITS],
                              .sample_pitch = words[SAMPLE_PITCH],
                              .width = width,
                              .height = height};
    if (words[SOURCE] == UTGARD_WB_OFF)
        return true;
    if (words[SOURCE] > UTGARD_WB_COLOR || (words[LAYOUT] && words[LAYOUT] != LAYOUT_TILED) ||
        (words[FLAGS] & ~FLAG_SWAP) || words[SAMPLE_BITS] > 15)
        return utgard_pp_refuse(fault, GPU_FAULT_PACKET, UNIT, words[ADDRESS],
                                "source %u, layout %u, flags 0x%x, samples 0x%x are not known", words[SOURCE],
                                words[LAYOUT], words[FLAGS], words[SAMPLE_BITS]);
    if (words[DOWNSAMPLE])
        return utgard_pp_refuse(fault, GPU_FAULT_UNSUPPORTED, UNIT, words[ADDRESS], "images made smaller");
    if (format >= 6 && format <= 8)
        return utgard_pp_refuse(fault, GPU_FAULT_UNSUPPORTED, UNIT, words[ADDRESS], "images of halves");
    if (format > UTGARD_WB_Z24S8 || (format > UTGARD_WB_GB88 && format < UTGARD_WB_Z16) ||
        zs != (format >= UTGARD_WB_Z16))
        return utgard_pp_refuse(fault, GPU_FAULT_PACKET, UNIT, words[ADDRESS], "format %u of %s", format,
                                zs ? "depths" : "colours");
    if (words[PITCH] > UINT16_MAX ||
        out->pitch < (out->tiled ? util_div_up(width, 16) : width * format_bytes(out->format)))
        return utgard_pp_refuse(fault, GPU_FAULT_PACKET, UNIT, words[ADDRESS], "pitch %u for %u pixels",
                                words[PITCH], width);
    return in_memory(out, space, fault);
}

/* `bits` bits nearest to an 8-bit channel. */
static uint32_t narrow(uint32_t v, unsigned bits)
{
    return ((v & 255) * ((1u << bits) - 1) + 127) / 255;
}

/* The pixel's bits; `word` is the tile's. */
static uint32_t encode(const struct utgard_wb *wb, uint32_t word)
{
    uint32_t r = word & 255, g = word >> 8 & 255, b = word >> 16 & 255, a = word >> 24;

    if (wb->swap) {
        b = r;
        r = word >> 16 & 255;
    }
    switch (wb->format) {
    case UTGARD_WB_BGR565: return narrow(b, 5) | narrow(g, 6) << 5 | narrow(r, 5) << 11;
    case UTGARD_WB_BGRA5551:
        return narrow(b, 5) | narrow(g, 5) << 5 | narrow(r, 5) << 10 | narrow(a, 1) << 15;
    case UTGARD_WB_BGRA4444: return narrow(b, 4) | narrow(g, 4) << 4 | narrow(r, 4) << 8 | narrow(a, 4) << 12;
    case UTGARD_WB_BGRA8888: return b | g << 8 | r << 16 | a << 24;
    case UTGARD_WB_B8: return b;
    case UTGARD_WB_GB88: return b | g << 8;
    case UTGARD_WB_Z16: return word >> 16;
    default: return word >> 8 | word << 24;
    }
}

static uint32_t average(const uint32_t *word)
{
    uint32_t out = 0;

    for (unsigned shift = 0; shift < 32; shift += 8) {
        uint32_t sum = 2;

        for (unsigned k = 0; k < 4; k++)
            sum += word[16ull * k] >> shift & 255;
        out |= (sum >> 2) << shift;
    }
    return out;
}

/* One plane: sample `k`, or the average for k < 0. */
static void store_plane(const struct utgard_wb *wb, uint8_t *at, const struct raster_tile *tile, int k)
{
    const uint32_t *plane = wb->source == UTGARD_WB_ZS ? tile->zs : tile->color;
    uint32_t bytes = format_bytes(wb->format), x0 = (uint32_t)tile->x, y0 = (uint32_t)tile->y;
    bool mixed = k < 0 && tile->samples == 4 && wb->source == UTGARD_WB_COLOR;
    uint32_t sample = k > 0 && tile->samples == 4 ? (uint32_t)k : 0;

    for (uint32_t y = 0; y < tile->height && y0 + y < wb->height; y++)
        for (uint32_t x = 0; x < tile->width && x0 + x < wb->width; x++) {
            const uint32_t *from = &plane[raster_pixel_index(tile, x, y, sample)];
            uint32_t word = encode(wb, mixed ? average(from) : *from);
            uint32_t offset = raster_texel_offset(wb->tiled ? RASTER_UTGARD_TILED : RASTER_LINEAR, bytes,
                                                  wb->pitch, x0 + x, y0 + y);

            memcpy(at + offset, &word, bytes);
        }
}

void utgard_wb_store(const struct utgard_wb *wb, uint8_t *memory, const struct raster_tile *tile)
{
    if (wb->source == UTGARD_WB_OFF || tile->x < 0 || tile->y < 0)
        return;
    if (!wb->samples)
        store_plane(wb, memory + wb->address, tile, -1);
    for (int k = 0; k < (int)RASTER_MAX_SAMPLES; k++)
        if (wb->samples >> k & 1)
            store_plane(wb, memory + wb->address + (uint64_t)k * wb->sample_pitch, tile, k);
}
