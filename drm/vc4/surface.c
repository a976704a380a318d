/* Where images lie: render targets and textures must stay inside their buffers. Formats and layouts: Guide
 * section 4 and tables 15 to 18; utiles are 64 bytes, a T tile is 8x8 utiles. */
#include "drm/vc4/internal.h"

#include "gpu/vc4/cl.h"

enum { LAYOUT_LINEAR, LAYOUT_T, LAYOUT_LT };
enum { MAX_SIDE = 4096 }; /* window coordinates are signed 12.4 from the centre */

struct utile {
    uint32_t width, height;
};

static struct utile utile_of(uint32_t cpp)
{
    switch (cpp) {
    case 1: return (struct utile){8, 8};
    case 2: return (struct utile){8, 4};
    case 4: return (struct utile){4, 4};
    default: return (struct utile){2, 4};
    }
}

static bool is_lt(uint32_t width, uint32_t height, uint32_t cpp)
{
    struct utile u = utile_of(cpp);
    return width <= 4 * u.width || height <= 4 * u.height;
}

/* Bytes of one level. */
static uint64_t level_bytes(uint32_t layout, uint32_t width, uint32_t height, uint32_t cpp)
{
    struct utile u = utile_of(cpp);
    uint32_t across = layout == LAYOUT_T ? 8 * u.width : u.width;
    uint32_t down = layout == LAYOUT_T ? 8 * u.height : layout == LAYOUT_LT ? u.height : 1;
    return util_align(width, across) * util_align(height, down) * cpp;
}

bool drm_vc4_surface_fits(const struct drm_vc4_exec *exec, const struct drm_bo *bo, uint64_t offset,
                          uint32_t layout, uint32_t width, uint32_t height, uint32_t cpp)
{
    if (width > MAX_SIDE || height > MAX_SIDE || layout > LAYOUT_LT) {
        drm_vc4_debug(exec, "image of %ux%u in layout %u", width, height, layout);
        return false;
    }
    if (!util_in_range(offset, level_bytes(layout, width, height, cpp), bo->size)) {
        drm_vc4_debug(exec, "image of %ux%u (%u bytes a texel) at %llu leaves its buffer of %llu bytes",
                      width, height, cpp, (unsigned long long)offset, (unsigned long long)bo->size);
        return false;
    }
    return true;
}

/* Bytes a texel of a texture type (Guide table 18), of a 4x4 block for ETC1; 0: the kernel does not allow
 * it. */
static uint32_t texel_bytes(uint32_t type)
{
    switch (type) {
    case 0:            /* RGBA8888 */
    case 1:            /* RGBX8888 */
    case 16: return 4; /* RGBA32R */
    case 2:            /* RGBA4444 */
    case 3:            /* RGBA5551 */
    case 4:            /* RGB565 */
    case 7:            /* LUMALPHA */
    case 9:            /* S16F */
    case 11: return 2; /* S16 */
    case 5:            /* LUMINANCE */
    case 6:            /* ALPHA */
    case 10: return 1; /* S8 */
    case 8: return 8;  /* ETC1 */
    default: return 0;
    }
}

struct texture {
    uint32_t p0, p1, p2, p3; /* set-up words, 0 when not sent */
};

static uint32_t word_at(const struct drm_vc4_sample *sample, unsigned i, const uint8_t *stream)
{
    return sample->offset[i] == VC4_NO_OFFSET ? 0 : util_load32(stream + sample->offset[i]);
}

/* The stride between cube faces stands in one of the last two words, with type 1 in bits 31:30. */
static bool cube_stride(const struct drm_vc4_exec *exec, const struct texture *t, uint32_t *stride)
{
    const uint32_t words[2] = {t->p2, t->p3};
    *stride = 0;
    for (unsigned i = 0; i < 2; i++) {
        if (util_bits(words[i], 30, 2) != 1)
            continue;
        if (*stride) {
            drm_vc4_debug(exec, "cube map stride set twice");
            return false;
        }
        *stride = words[i] & 0x3ffff000;
    }
    if (!*stride)
        drm_vc4_debug(exec, "cube map without a stride");
    return *stride;
}

/* Smaller levels stand below the base, each padded; once small enough they are LT. */
static bool levels_fit(const struct drm_vc4_exec *exec, uint32_t base, uint32_t levels, uint32_t layout,
                       uint32_t width, uint32_t height, uint32_t cpp)
{
    uint64_t room = base;
    for (uint32_t i = 1; i <= levels; i++) {
        uint32_t w = UTIL_MAX(width >> i, 1u), h = UTIL_MAX(height >> i, 1u);
        if (layout == LAYOUT_T && is_lt(w, h, cpp))
            layout = LAYOUT_LT;
        uint64_t bytes = level_bytes(layout, w, h, cpp);
        if (room < bytes) {
            drm_vc4_debug(exec, "level %u of a texture lies below its buffer", i);
            return false;
        }
        room -= bytes;
    }
    return true;
}

static bool texture_fits(const struct drm_vc4_exec *exec, const struct drm_bo *bo, const struct texture *t)
{
    uint32_t width = (uint32_t)util_bits(t->p1, 8, 11), height = (uint32_t)util_bits(t->p1, 20, 11);
    uint32_t type = (uint32_t)(util_bits(t->p0, 4, 4) | util_bits(t->p1, 31, 1) << 4),
             cpp = texel_bytes(type);
    uint32_t base = t->p0 & 0xfffff000, stride = 0;
    if (!cpp) {
        drm_vc4_debug(exec, "texture type %u", type);
        return false;
    }
    width = width ? width : 2048;
    height = height ? height : 2048;
    if (type == 8) { /* ETC1: blocks of 4x4 */
        width = util_div_up(width, 4);
        height = util_div_up(height, 4);
    }
    if (util_bits(t->p0, 9, 1) && !cube_stride(exec, t, &stride))
        return false;
    uint32_t layout = type == 16 ? LAYOUT_LINEAR : is_lt(width, height, cpp) ? LAYOUT_LT : LAYOUT_T;
    return drm_vc4_surface_fits(exec, bo, base + 5ull * stride, layout, width, height, cpp) &&
           levels_fit(exec, base, (uint32_t)util_bits(t->p0, 0, 4), layout, width, height, cpp);
}

bool drm_vc4_relocate_texture(struct drm_vc4_exec *exec, const struct drm_vc4_sample *sample, uint32_t index,
                              const uint8_t *stream, uint8_t *out)
{
    const struct drm_bo *bo = drm_vc4_use_bo(exec, index);
    if (!bo)
        return false;
    struct texture t = {word_at(sample, 0, stream), word_at(sample, 1, stream), word_at(sample, 2, stream),
                        word_at(sample, 3, stream)};
    if (sample->direct) { /* p0: where the buffer starts, p1: the largest offset the program reaches */
        if (!util_in_range((uint64_t)t.p0 + t.p1, 4, bo->size)) {
            drm_vc4_debug(exec, "uniform buffer at %u may be read up to %u, outside its buffer", t.p0, t.p1);
            return false;
        }
    } else if (!texture_fits(exec, bo, &t)) {
        return false;
    }
    util_store32(out + sample->offset[0], (uint32_t)bo->offset + t.p0);
    return true;
}
