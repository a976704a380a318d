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

const struct raster_texel *utgard_wb_texel(enum utgard_wb_format format)
{
    static const uint16_t texels[] = {[UTGARD_WB_BGR565] = RASTER_B5G6R5_UNORM,
                                      [UTGARD_WB_BGRA5551] = RASTER_B5G5R5A1_UNORM,
                                      [UTGARD_WB_BGRA4444] = RASTER_B4G4R4A4_UNORM,
                                      [UTGARD_WB_BGRA8888] = RASTER_B8G8R8A8_UNORM,
                                      [UTGARD_WB_B8] = RASTER_R8_UNORM,
                                      [UTGARD_WB_GB88] = RASTER_G8R8_UNORM,
                                      [UTGARD_WB_BGRA16F] = RASTER_R16G16B16A16_FLOAT,
                                      [UTGARD_WB_B16F] = RASTER_R16_FLOAT,
                                      [UTGARD_WB_GB16F] = RASTER_R16G16_FLOAT,
                                      [UTGARD_WB_Z16] = RASTER_Z16_UNORM,
                                      [UTGARD_WB_Z24S8] = RASTER_Z24_UNORM_S8_UINT};
    return &raster_texels[texels[format]];
}

uint32_t utgard_wb_bytes(enum utgard_wb_format format)
{
    return utgard_wb_texel(format)->bits / 8u;
}

uint64_t utgard_wb_plane_bytes(const struct utgard_wb *wb)
{
    uint64_t bytes = utgard_wb_bytes(wb->format);

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
        if (at > UINT32_MAX ||
            !gpu_space_allows(space, at, utgard_wb_plane_bytes(wb), GPU_RIGHT_WRITE, &where)) {
            utgard_pp_refuse(fault, GPU_FAULT_MEMORY, UNIT, (uint32_t)where,
                             "an image of %ux%u at 0x%08x is not all in memory", wb->width, wb->height,
                             wb->address);
            fault->write = true;
            return false;
        }
    }
    return true;
}

bool utgard_wb_decode(const uint32_t words[UTGARD_WB_WORDS], uint32_t width, uint32_t height,
                      const struct gpu_space *space, struct utgard_wb *out, struct gpu_fault *fault)
{
    bool zs = words[UTGARD_WB_WORD_SOURCE] == UTGARD_WB_ZS;
    uint32_t format = words[UTGARD_WB_WORD_FORMAT];
    uint32_t shrink_x = words[UTGARD_WB_WORD_SHRINK] >> SHRINK_X & 3,
             shrink_y = words[UTGARD_WB_WORD_SHRINK] >> SHRINK_Y & 7;

    *out = (struct utgard_wb){.source = (enum utgard_wb_source)words[UTGARD_WB_WORD_SOURCE],
                              .format = (enum utgard_wb_format)format,
                              .address = words[UTGARD_WB_WORD_ADDRESS],
                              .tiled = words[UTGARD_WB_WORD_LAYOUT] == LAYOUT_TILED,
                              .swap = words[UTGARD_WB_WORD_FLAGS] & UTGARD_WB_FLAG_SWAP,
                              .reversed = words[UTGARD_WB_WORD_FLAGS] & UTGARD_WB_FLAG_REVERSE,
                              .big_endian = words[UTGARD_WB_WORD_FLAGS] & UTGARD_WB_FLAG_BIG_ENDIAN,
                              .pitch = words[UTGARD_WB_WORD_LAYOUT] == LAYOUT_TILED
                                           ? words[UTGARD_WB_WORD_PITCH]
                                           : words[UTGARD_WB_WORD_PITCH] * 8,
                              .samples = words[UTGARD_WB_WORD_SAMPLES],
                              .sample_pitch = words[UTGARD_WB_WORD_SAMPLE_PITCH],
                              .width = util_div_up(width, 1u << shrink_x),
                              .height = util_div_up(height, 1u << shrink_y),
                              .shrink_x = (uint8_t)shrink_x,
                              .shrink_y = (uint8_t)shrink_y};
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
    if (words[UTGARD_WB_WORD_PITCH] > UINT16_MAX ||
        out->pitch < (out->tiled ? util_div_up(out->width, 16) : out->width * utgard_wb_bytes(out->format)))
        return utgard_pp_refuse(fault, GPU_FAULT_PACKET, UNIT, words[UTGARD_WB_WORD_ADDRESS],
                                "pitch %u for %u pixels", words[UTGARD_WB_WORD_PITCH], out->width);
    return in_memory(out, space, fault);
}

bool utgard_wb_fits(const struct utgard_wb *wb, bool halves, struct gpu_fault *fault)
{
    bool stored = wb->format >= UTGARD_WB_BGRA16F && wb->format <= UTGARD_WB_GB16F;

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
    uint64_t address = wb->address + (uint64_t)plane * wb->sample_pitch, bytes = utgard_wb_plane_bytes(wb),
             first, at;

    if (!gpu_space_physical(space, address, &first))
        return false;
    for (uint64_t n = GPU_PAGE - (address & (GPU_PAGE - 1)); n < bytes; n += GPU_PAGE)
        if (!gpu_space_physical(space, address + n, &at) || at != first + n)
            return false;
    *out = first;
    return true;
}
