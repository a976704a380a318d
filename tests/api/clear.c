/* The smallest embedder: memory of its own, a rendering list written by hand that clears an image of 96x80
 * pixels, the picture read back. An example of include/vitrail.h, and a test of it: exit status 0 when all
 * pixels have the colour. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <vitrail.h>

#define MEMORY (1u << 20)
#define LIST   0x1000u
#define IMAGE  0x10000u
#define WIDTH  96u
#define HEIGHT 80u
#define TILE   64u
#define COLOR  0xff8040c0u /* lowest byte first: c0, 40, 80, ff */

/* Registers of thread 1, which renders (Guide tables 50 and 51). */
#define CT1EA 0x10cu
#define CT1CA 0x114u

static uint8_t *put(uint8_t *at, uint32_t value, unsigned bytes)
{
    while (bytes--) {
        *at++ = (uint8_t)value;
        value >>= 8;
    }
    return at;
}

/* Guide table 38, by record number. Returns the list's end. */
static uint8_t *write_list(uint8_t *at)
{
    at = put(at, 114, 1); /* clear colours: two pixels, Z, stencil */
    at = put(at, COLOR, 4);
    at = put(at, COLOR, 4);
    at = put(at, 0, 4);
    at = put(at, 0, 1);
    at = put(at, 113, 1); /* rendering mode: image, size, 32-bit pixels in rows */
    at = put(at, IMAGE, 4);
    at = put(at, WIDTH, 2);
    at = put(at, HEIGHT, 2);
    at = put(at, 1 << 2, 2);
    at = put(at, 115, 1); /* tile 0,0, and a store of nothing: it gives the tile buffer its clear colour */
    at = put(at, 0, 2);
    at = put(at, 28, 1);
    at = put(at, 0, 2);
    at = put(at, 0, 4);
    unsigned columns = (WIDTH + TILE - 1) / TILE, rows = (HEIGHT + TILE - 1) / TILE;
    for (unsigned i = 0; i < columns * rows; i++) {
        at = put(at, 115, 1);
        at = put(at, i % columns, 1);
        at = put(at, i / columns, 1);
        at = put(at, i + 1 == columns * rows ? 25 : 24, 1); /* store the tile; the last one ends the frame */
    }
    return at;
}

int main(void)
{
    struct vitrail_config config;
    struct vitrail_context *gpu = NULL;
    struct vitrail_frame frame = {.size = sizeof frame};
    uint8_t *memory = aligned_alloc(4096, MEMORY);
    uint8_t *pixels = malloc(WIDTH * HEIGHT * 4);
    int status = 1;

    vitrail_config_init(&config, sizeof config);
    config.memory = VITRAIL_MEMORY_POINTER;
    config.memory_pointer = memory;
    config.memory_size = MEMORY;
    config.threads = 0;
    config.execution = VITRAIL_EXECUTION_INTERPRETED; /* a clear runs no program */
    if (!memory || !pixels || vitrail_open(&config, &gpu) < 0)
        goto out;
    uint32_t end = LIST + (uint32_t)(write_list(memory + LIST) - (memory + LIST));
    if (vitrail_write_register(gpu, CT1CA, LIST) < 0 || vitrail_write_register(gpu, CT1EA, end) < 0 ||
        vitrail_wait(gpu) < 0 || vitrail_last_frame(gpu, &frame) < 0)
        goto out;
    frame.pixels = VITRAIL_PIXELS_RGBA8888; /* this guest means red by the lowest byte */
    if (vitrail_read_frame(gpu, &frame, VITRAIL_READ_RGBA8, pixels, WIDTH * 4, WIDTH * HEIGHT * 4) < 0)
        goto out;

    unsigned good = 0;
    for (unsigned i = 0; i < WIDTH * HEIGHT; i++)
        good += pixels[i * 4] == 0xc0 && pixels[i * 4 + 1] == 0x40 && pixels[i * 4 + 2] == 0x80 &&
                pixels[i * 4 + 3] == 0xff;
    printf("%ux%u, %u pixels have the colour\n", frame.width, frame.height, good);
    status = frame.width != WIDTH || frame.height != HEIGHT || good != WIDTH * HEIGHT;
out:
    if (status)
        fprintf(stderr, "clear: %s\n", vitrail_last_error());
    vitrail_close(&gpu);
    free(pixels);
    free(memory);
    return status;
}
