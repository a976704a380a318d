/* Write-back: registers and formats. */
#include "gpu/utgard/writeback.h"

#include "gpu/utgard/pp_fault.h"
#include "util/bits.h"

#define UNIT "write-back"

#define FLAGS_DONE   ((uint32_t)(UTGARD_WB_FLAG_SWAP | UTGARD_WB_FLAG_REVERSE | UTGARD_WB_FLAG_BIG_ENDIAN))
#define LAYOUT_TILED 2u
#define SHRINK_X     8  /* two bits */
#define SHRINK_Y     12 /* three */
#define SHRINK_BITS  (3u << SHRINK_X | 7u << SHRINK_Y)
#define SHRINK_MAX_Y 4u /* a tile's rows become one */

/* Formats with red where blue stands (the image's `swap` has the rest), and with components in the other order:
 * each is as wide as it was. */
static const struct {
    uint16_t format, reversed;
} formats[] = {
    [UTGARD_WB_BGR565] = {RASTER_R5G6B5_UNORM, RASTER_B5G6R5_UNORM},
    [UTGARD_WB_BGRA5551] = {RASTER_R5G5B5A1_UNORM, RASTER_A1B5G5R5_UNORM},
    [UTGARD_WB_BGRA4444] = {RASTER_R4G4B4A4_UNORM, RASTER_A4B4G4R4_UNORM},
    [UTGARD_WB_BGRA8888] = {RASTER_R8G8B8A8_UNORM, RASTER_A8B8G8R8_UNORM},
    [UTGARD_WB_B8] = {RASTER_R8_UNORM, RASTER_R8_UNORM},
    [UTGARD_WB_GB88] = {RASTER_R8G8_UNORM, RASTER_G8R8_UNORM},
    [UTGARD_WB_BGRA16F] = {RASTER_R16G16B16A16_FLOAT, RASTER_A16B16G16R16_FLOAT},
    [UTGARD_WB_B16F] = {RASTER_R16_FLOAT, RASTER_R16_FLOAT},
    [UTGARD_WB_GB16F] = {RASTER_R16G16_FLOAT, RASTER_G16R16_FLOAT},
    [UTGARD_WB_Z16] = {RASTER_Z16_UNORM, RASTER_Z16_UNORM},
    [UTGARD_WB_Z24S8] = {RASTER_Z24_UNORM_S8_UINT, RASTER_Z24_UNORM_S8_UINT},
};

uint64_t utgard_wb_plane_bytes(const struct utgard_wb *wb)
{
    uint64_t bytes;

    raster_surface_size(&wb->image, &bytes); /* more than there is memory is too much anyway */
    return bytes;
}

static bool in_memory(const struct utgard_wb *wb, const struct gpu_space *space, struct gpu_fault *fault)
{
    uint64_t where = 0;

    for (unsigned k = 0; k < RASTER_MAX_SAMPLES; k++) {
        uint64_t at = wb->address + (uint64_t)k * wb->sample_pitch;

        if (k && !(wb->samples >> k & 1))
            continue;
        if (at > UINT32_MAX ||
            !gpu_space_allows(space, at, utgard_wb_plane_bytes(wb), GPU_RIGHT_WRITE, &where)) {
            utgard_pp_refuse(fault, GPU_FAULT_MEMORY, UNIT, (uint32_t)where,
                             "an image of %ux%u at 0x%08x is not all in memory", wb->image.width,
                             wb->image.height, wb->address);
            fault->write = true;
            return false;
        }
    }
    return true;
}

bool utgard_wb_decode(const uint32_t words[UTGARD_WB_WORDS], uint32_t width, uint32_t height,
                      const struct gpu_space *space, struct utgard_wb *out, struct gpu_fault *fault)
{
    bool zs = words[UTGARD_WB_WORD_SOURCE] == UTGARD_WB_ZS,
         tiled = words[UTGARD_WB_WORD_LAYOUT] == LAYOUT_TILED,
         reversed = words[UTGARD_WB_WORD_FLAGS] & UTGARD_WB_FLAG_REVERSE;
    uint32_t format = words[UTGARD_WB_WORD_FORMAT];
    uint32_t shrink_x = words[UTGARD_WB_WORD_SHRINK] >> SHRINK_X & 3,
             shrink_y = words[UTGARD_WB_WORD_SHRINK] >> SHRINK_Y & 7;

    *out =
        (struct utgard_wb){.source = (enum utgard_wb_source)words[UTGARD_WB_WORD_SOURCE],
                           .image = {.width = util_div_up(width, 1u << shrink_x),
                                     .height = util_div_up(height, 1u << shrink_y),
                                     .layout = tiled ? RASTER_UTGARD_TILED : RASTER_LINEAR,
                                     .stride = words[UTGARD_WB_WORD_PITCH] * (tiled ? 1 : 8),
                                     .plane = zs ? RASTER_PLANE_ZS : RASTER_PLANE_COLOR,
                                     .swap = !(words[UTGARD_WB_WORD_FLAGS] & UTGARD_WB_FLAG_SWAP),
                                     .big_endian = words[UTGARD_WB_WORD_FLAGS] & UTGARD_WB_FLAG_BIG_ENDIAN},
                           .address = words[UTGARD_WB_WORD_ADDRESS],
                           .sample_pitch = words[UTGARD_WB_WORD_SAMPLE_PITCH],
                           .samples = words[UTGARD_WB_WORD_SAMPLES],
                           .average = {(uint8_t)shrink_x, (uint8_t)shrink_y, 0, RASTER_MAX_SAMPLES}};
    if (words[UTGARD_WB_WORD_SOURCE] == UTGARD_WB_OFF)
        return true;
    if (words[UTGARD_WB_WORD_SOURCE] > UTGARD_WB_COLOR ||
        (words[UTGARD_WB_WORD_LAYOUT] && words[UTGARD_WB_WORD_LAYOUT] != LAYOUT_TILED) ||
        (words[UTGARD_WB_WORD_FLAGS] & ~(FLAGS_DONE | (uint32_t)UTGARD_WB_FLAG_DITHER)) ||
        words[UTGARD_WB_WORD_SAMPLES] > 15)
        return utgard_pp_refuse(fault, GPU_FAULT_PACKET, UNIT, words[UTGARD_WB_WORD_ADDRESS],
                                "source %u, layout %u, flags 0x%x, samples 0x%x are not known",
                                words[UTGARD_WB_WORD_SOURCE], words[UTGARD_WB_WORD_LAYOUT],
                                words[UTGARD_WB_WORD_FLAGS], words[UTGARD_WB_WORD_SAMPLES]);
    if (words[UTGARD_WB_WORD_SHRINK] & ~SHRINK_BITS || shrink_y > SHRINK_MAX_Y)
        return utgard_pp_refuse(fault, GPU_FAULT_PACKET, UNIT, words[UTGARD_WB_WORD_ADDRESS],
                                "images made smaller by 0x%x are not known", words[UTGARD_WB_WORD_SHRINK]);
    if (words[UTGARD_WB_WORD_FLAGS] & UTGARD_WB_FLAG_DITHER)
        return utgard_pp_refuse(fault, GPU_FAULT_UNSUPPORTED, UNIT, words[UTGARD_WB_WORD_ADDRESS],
                                "dithering of what is stored");
    if (format > UTGARD_WB_Z24S8 || (format > UTGARD_WB_GB16F && format < UTGARD_WB_Z16) ||
        zs != (format >= UTGARD_WB_Z16))
        return utgard_pp_refuse(fault, GPU_FAULT_PACKET, UNIT, words[UTGARD_WB_WORD_ADDRESS],
                                "format %u of %s", format, zs ? "depths" : "colours");
    out->image.format = reversed ? formats[format].reversed : formats[format].format;
    if (words[UTGARD_WB_WORD_PITCH] > UINT16_MAX ||
        out->image.stride < (tiled ? util_div_up(out->image.width, 16)
                                   : out->image.width * raster_format_bytes(out->image.format)))
        return utgard_pp_refuse(fault, GPU_FAULT_PACKET, UNIT, words[UTGARD_WB_WORD_ADDRESS],
                                "pitch %u for %u pixels", words[UTGARD_WB_WORD_PITCH], out->image.width);
    return in_memory(out, space, fault);
}

bool utgard_wb_fits(const struct utgard_wb *wb, bool halves, struct gpu_fault *fault)
{
    bool stored = raster_format_is_halves((enum raster_format)wb->image.format);

    if (wb->source == UTGARD_WB_OFF)
        return true;
    if (halves && wb->samples)
        return utgard_pp_refuse(fault, GPU_FAULT_UNSUPPORTED, UNIT, wb->address,
                                "samples apart of tiles of halves");
    if (wb->source == UTGARD_WB_COLOR && stored != halves)
        return utgard_pp_refuse(fault, GPU_FAULT_UNSUPPORTED, UNIT, wb->address,
                                halves ? "an image of bytes of tiles of halves"
                                       : "an image of halves of tiles of bytes");
    return true;
}

bool utgard_wb_physical(const struct utgard_wb *wb, const struct gpu_space *space, unsigned plane,
                        uint64_t *out)
{
    return gpu_space_physical_span(space, wb->address + (uint64_t)plane * wb->sample_pitch,
                                   utgard_wb_plane_bytes(wb), out);
}

struct raster_resolve utgard_wb_plane(const struct utgard_wb *wb, int plane)
{
    struct raster_resolve resolve = wb->average;

    if (plane >= 0) {
        resolve.first = (uint8_t)plane;
        resolve.count = 1;
    }
    return resolve;
}

/* A plane's place in the host's memory. */
static struct raster_surface plane_image(const struct utgard_wb *wb, uint8_t *memory, int plane)
{
    struct raster_surface image = wb->image;

    image.base = memory + wb->address + (plane > 0 ? (uint64_t)plane * wb->sample_pitch : 0);
    return image;
}

static bool has_plane(const struct utgard_wb *wb, int plane)
{
    return wb->source != UTGARD_WB_OFF && (plane < 0 ? !wb->samples : wb->samples >> plane & 1);
}

void utgard_wb_store(const struct utgard_wb *wb, uint8_t *memory, const struct raster_tile *tile)
{
    for (int plane = -1; plane < (int)RASTER_MAX_SAMPLES; plane++) {
        struct raster_surface image = plane_image(wb, memory, plane);

        if (has_plane(wb, plane))
            raster_surface_store(&image, tile, utgard_wb_plane(wb, plane));
    }
}

bool utgard_wb_fill(const struct utgard_wb *wb, uint8_t *memory, enum raster_target target, uint64_t color,
                    const struct raster_rect *pixels)
{
    bool done = true;

    for (int plane = -1; plane < (int)RASTER_MAX_SAMPLES; plane++) {
        struct raster_surface image = plane_image(wb, memory, plane);
        struct raster_resolve one = utgard_wb_plane(wb, UTIL_MAX(plane, 0));

        if (has_plane(wb, plane))
            done &= raster_surface_fill(&image, target, color, pixels, one);
    }
    return done;
}
