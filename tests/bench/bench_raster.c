/* Speed of set-up, coverage and tile stores, each alone on one thread. Built by hand:
 *
 *   ninja vt_raster && cc -O2 -I. tests/bench/bench_raster.c BUILD/raster/libvt_raster.a -lm
 *
 * (plus the libraries vt_raster needs). Prints the best of several runs; a run takes milliseconds. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "raster/cover.h"
#include "raster/surface.h"
#include "util/fpenv.h"

#define COUNT 4096
#define RUNS  9

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static struct raster_tile tile;
static struct raster_vertex vertices[COUNT][3];
static float values[COUNT][3][8];
static struct raster_prim prims[COUNT];
static struct raster_block blocks[RASTER_BLOCKS_MAX];
static const struct raster_rect everywhere = {0, 0, 4096, 4096};
static uint64_t checksum; /* keeps work from being dropped */

static int32_t pick(int32_t limit)
{
    static uint64_t state = 1;
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (int32_t)((state >> 33) % (uint64_t)limit);
}

/* Triangles whose sides are about `reach` pixels, in the tile. */
static void make_triangles(int32_t reach)
{
    for (unsigned i = 0; i < COUNT; i++) {
        int32_t x = pick(64 * 16), y = pick(64 * 16);
        for (unsigned k = 0; k < 3; k++) {
            vertices[i][k] = (struct raster_vertex){.x = tile.x * 16 + x + pick(reach * 32) - reach * 16,
                                                    .y = tile.y * 16 + y + pick(reach * 32) - reach * 16,
                                                    .z = 0.25f * (float)k,
                                                    .inv_w = 1.0f + 0.1f * (float)k,
                                                    .vary = values[i][k],
                                                    .vary_stride = 1};
            for (unsigned n = 0; n < 8; n++)
                values[i][k][n] = (float)pick(1000);
        }
    }
}

static double setup_seconds(void)
{
    struct raster_setup setup = {.vary_count = 8, .centres_only = tile.samples == 1};
    double best = 1e9;
    for (unsigned run = 0; run < RUNS; run++) {
        double start = now();
        for (unsigned i = 0; i < COUNT; i++)
            if (!raster_setup_triangle(&prims[i], &setup, vertices[i]))
                prims[i].max_x = INT32_MIN; /* covers nothing */
        double t = now() - start;
        best = t < best ? t : best;
    }
    return best;
}

static double cover_seconds(enum raster_cover_level level, uint64_t *block_count, uint64_t *pixel_count)
{
    double best = 1e9;
    for (unsigned run = 0; run < RUNS; run++) {
        uint64_t n = 0;
        double start = now();
        for (unsigned i = 0; i < COUNT; i++)
            n += raster_cover_at(level, &prims[i], &tile, &everywhere, blocks);
        double t = now() - start;
        best = t < best ? t : best;
        *block_count = n;
        checksum += n;
    }
    *pixel_count = 0;
    for (unsigned i = 0; i < COUNT; i++) {
        uint32_t n = raster_cover_at(level, &prims[i], &tile, &everywhere, blocks);
        for (uint32_t b = 0; b < n; b++)
            *pixel_count += (uint64_t)__builtin_popcount(blocks[b].mask);
    }
    return best;
}

static void bench_triangles(int32_t reach, uint32_t samples)
{
    static const char *const names[COVER_LEVELS] = {"sse4.1", "avx2"};
    tile = (struct raster_tile){.width = samples == 4 ? 32 : 64, .samples = samples, .x = 128, .y = 192};
    tile.height = tile.width;
    make_triangles(reach);
    double setup = setup_seconds();
    printf("triangles, sides to %3d px, %u sample(s), 8 varyings: set-up %.1f ns", 2 * reach, samples,
           setup / COUNT * 1e9);
    for (int level = 0; level <= (int)raster_cover_level(); level++) {
        uint64_t n, pixels;
        double t = cover_seconds((enum raster_cover_level)level, &n, &pixels);
        printf("; %s %.1f ns", names[level], t / COUNT * 1e9);
        if (level == (int)raster_cover_level())
            printf(" (%.2f blocks, %.1f px each: %.2f Mtri/s with set-up, %.0f Mpix/s)", (double)n / COUNT,
                   (double)pixels / COUNT, COUNT / (t + setup) * 1e-6, (double)pixels / t * 1e-6);
    }
    printf("\n");
}

static void bench_surface(const char *name, uint32_t layout, struct raster_surface s, uint32_t samples,
                          bool load)
{
    enum { WIDTH = 1920, HEIGHT = 1088 };
    uint32_t side = samples == 4 ? 32 : 64;
    bool halves = raster_format_is_halves((enum raster_format)s.format);
    uint32_t bytes = raster_format_bytes((enum raster_format)s.format);
    s.width = WIDTH;
    s.height = HEIGHT;
    s.layout = layout;
    s.stride = layout == RASTER_LINEAR         ? WIDTH * bytes
               : layout == RASTER_UTGARD_TILED ? WIDTH / 16
               : layout == RASTER_VC4_T        ? 15 * bytes
                                               : 120 * bytes;
    s.base = aligned_alloc(64, (size_t)WIDTH * HEIGHT * bytes);
    if (!s.base)
        return;
    if (halves)
        side = 32;
    memset(s.base, 0, (size_t)WIDTH * HEIGHT * bytes);
    tile = (struct raster_tile){.width = side, .height = side, .samples = samples};
    tile.target = halves ? RASTER_TARGET_RGBA16F : RASTER_TARGET_8888;
    double best = 1e9;
    for (unsigned run = 0; run < RUNS; run++) {
        double start = now();
        for (uint32_t y = 0; y < HEIGHT / side * side; y += side)
            for (uint32_t x = 0; x < WIDTH; x += side) {
                tile.x = (int32_t)x;
                tile.y = (int32_t)y;
                if (load)
                    raster_surface_load(&s, &tile);
                else
                    raster_surface_store(&s, &tile, (struct raster_resolve){.count = 4});
            }
        double t = now() - start;
        best = t < best ? t : best;
    }
    double pixels = (double)WIDTH * (HEIGHT / side * side);
    printf("%s %s: %.2f ms a 1080p frame, %.1f GB/s of image, %.0f Mpix/s\n", load ? "load " : "store", name,
           best * 1e3, pixels * bytes / best * 1e-9, pixels / best * 1e-6);
    checksum += s.base[99];
    free(s.base);
}

static void bench_clear(void)
{
    double best = 1e9;
    tile = (struct raster_tile){.width = 64, .height = 64, .samples = 1};
    for (unsigned run = 0; run < RUNS; run++) {
        double start = now();
        for (unsigned i = 0; i < 1000; i++) {
            raster_tile_clear(&tile, i, i);
            checksum += tile.color[i];
        }
        double t = (now() - start) / 1000;
        best = t < best ? t : best;
    }
    printf("clear: %.0f ns a tile, %.1f GB/s\n", best * 1e9, 32768 / best * 1e-9);
}

int main(void)
{
    util_fpenv_enter();
    static const int32_t reach[] = {1, 2, 5, 15, 60, 300};
    for (unsigned samples = 1; samples <= 4; samples += 3)
        for (unsigned i = 0; i < sizeof reach / sizeof *reach; i++)
            bench_triangles(reach[i], samples);
    const struct raster_surface rgba = {.format = RASTER_R8G8B8A8_UNORM},
                                bgra = {.format = RASTER_R8G8B8A8_UNORM, .swap = true},
                                rgb565 = {.format = RASTER_B5G6R5_UNORM},
                                dithered = {.format = RASTER_B5G6R5_UNORM, .dither = true},
                                halves = {.format = RASTER_R16G16B16A16_FLOAT},
                                z16 = {.format = RASTER_Z16_UNORM, .plane = RASTER_PLANE_ZS};
    for (unsigned load = 0; load < 2; load++) {
        bench_surface("RGBA8888 T", RASTER_VC4_T, rgba, 1, load);
        bench_surface("RGBA8888 LT", RASTER_VC4_LT, rgba, 1, load);
        bench_surface("RGBA8888 linear", RASTER_LINEAR, rgba, 1, load);
        bench_surface("RGBA8888 T, 4 samples", RASTER_VC4_T, rgba, 4, load);
        bench_surface("565 linear", RASTER_LINEAR, rgb565, 1, load);
        bench_surface("565 dithered T", RASTER_VC4_T, dithered, 1, load);
        bench_surface("halves T", RASTER_VC4_T, halves, 1, load);
        bench_surface("BGRA8888 linear", RASTER_LINEAR, bgra, 1, load);
        bench_surface("BGRA8888 Utgard", RASTER_UTGARD_TILED, bgra, 1, load);
        bench_surface("BGRA8888 Utgard, 4 samples", RASTER_UTGARD_TILED, bgra, 4, load);
        bench_surface("565 Utgard", RASTER_UTGARD_TILED, rgb565, 1, load);
        bench_surface("Z16 Utgard", RASTER_UTGARD_TILED, z16, 1, load);
        bench_surface("halves Utgard", RASTER_UTGARD_TILED, halves, 1, load);
    }
    bench_clear();
    return checksum == 0;
}
