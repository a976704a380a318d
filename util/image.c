#include "util/image.h"

#include <errno.h>
#include <png.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/files.h"

#define MAX_SIDE 16384u

int util_image_init(struct util_image *image, uint32_t width, uint32_t height)
{
    memset(image, 0, sizeof *image);
    if (!width || !height || width > MAX_SIDE || height > MAX_SIDE)
        return -EINVAL;
    image->pixels = calloc((size_t)width * height, 4);
    if (!image->pixels)
        return -ENOMEM;
    image->width = width;
    image->height = height;
    return 0;
}

void util_image_finish(struct util_image *image)
{
    free(image->pixels);
    memset(image, 0, sizeof *image);
}

/* ---- writing ---- */

struct png_settings {
    int level, filters; /* of zlib; of libpng */
    bool alpha;
};

/* libpng's own would write to standard error. */
static void on_warning(png_structp png, png_const_charp text)
{
    (void)png;
    (void)text;
}

static void on_error(png_structp png, png_const_charp text)
{
    (void)text;
    png_longjmp(png, 1);
}

static void write_rows(png_structp png, png_infop info, const struct util_image *image,
                       const struct png_settings *settings)
{
    png_set_IHDR(png, info, image->width, image->height, 8,
                 settings->alpha ? PNG_COLOR_TYPE_RGB_ALPHA : PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE,
                 PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_set_compression_level(png, settings->level);
    png_set_filter(png, PNG_FILTER_TYPE_BASE, settings->filters);
    png_write_info(png, info);
    if (!settings->alpha)
        png_set_filler(png, 0, PNG_FILLER_AFTER);
    for (uint32_t y = 0; y < image->height; y++)
        png_write_row(png, image->pixels + 4 * (size_t)y * image->width);
    png_write_end(png, info);
}

/* 0, -ENOMEM, -EIO or what the file said. */
static int write_to(FILE *file, const struct util_image *image, const struct png_settings *settings)
{
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, on_error, on_warning);
    png_infop info = png ? png_create_info_struct(png) : NULL;
    volatile int code = -ENOMEM; /* it changes behind setjmp */
    if (!info) {
        png_destroy_write_struct(&png, NULL);
        return code;
    }
    errno = 0;
    code = -EIO;
    if (!setjmp(png_jmpbuf(png))) {
        png_init_io(png, file);
        write_rows(png, info, image, settings);
        code = 0;
    } else if (errno) {
        code = -errno;
    }
    png_destroy_write_struct(&png, &info);
    return code;
}

static int write_png(const struct util_image *image, const char *path, const struct png_settings *settings)
{
    FILE *file = util_fopen(path, "wb");
    if (!file)
        return -errno;
    int code = write_to(file, image, settings);
    if (fclose(file) && !code)
        code = -errno;
    if (code)
        util_remove_file(path); /* half a picture is none */
    return code;
}

int util_image_put_png(const struct util_image *image, FILE *file, int alpha)
{
    const struct png_settings settings = {.level = 6, .filters = PNG_ALL_FILTERS, .alpha = alpha};
    return write_to(file, image, &settings);
}

int util_image_write_png(const struct util_image *image, const char *path, int alpha)
{
    const struct png_settings settings = {.level = 6, .filters = PNG_ALL_FILTERS, .alpha = alpha};
    return write_png(image, path, &settings);
}

/* Of libpng's settings, measured over pictures of glmark2 and the feature tests: 3.3 to 3.9 times as fast as
 * the above. Without filters, or by that of the row above, it is no faster and the files are larger. */
int util_image_write_png_fast(const struct util_image *image, const char *path)
{
    const struct png_settings settings = {.level = 1, .filters = PNG_FILTER_SUB};
    return write_png(image, path, &settings);
}

/* ---- reading ---- */

int util_image_read_png(struct util_image *image, const char *path)
{
    png_image png = {.version = PNG_IMAGE_VERSION};
    int err;

    memset(image, 0, sizeof *image);
    FILE *file = util_fopen(path, "rb");
    if (!file)
        return -errno;
    if (!png_image_begin_read_from_stdio(&png, file)) {
        err = -EBADMSG;
        goto out;
    }
    png.format = PNG_FORMAT_RGBA;
    err = util_image_init(image, png.width, png.height);
    if (err)
        goto out;
    if (!png_image_finish_read(&png, NULL, image->pixels, 0, NULL)) {
        util_image_finish(image);
        err = -EBADMSG;
    }
out:
    png_image_free(&png);
    fclose(file);
    return err;
}

int util_image_compare(const struct util_image *a, const struct util_image *b, uint32_t tolerance, int alpha,
                       struct util_image_diff *out)
{
    unsigned channels = alpha ? 4 : 3;
    uint64_t sum = 0;

    memset(out, 0, sizeof *out);
    if (a->width != b->width || a->height != b->height)
        return -EINVAL;
    out->total = (uint64_t)a->width * a->height;
    for (uint64_t i = 0; i < out->total; i++) {
        uint32_t worst = 0;
        for (unsigned c = 0; c < channels; c++) {
            int d = a->pixels[4 * i + c] - b->pixels[4 * i + c];
            uint32_t mag = (uint32_t)abs(d);
            worst = mag > worst ? mag : worst;
            sum += mag;
        }
        if (worst > out->max) {
            out->max = worst;
            out->worst_x = (uint32_t)(i % a->width);
            out->worst_y = (uint32_t)(i / a->width);
        }
        if (worst > tolerance && !out->beyond++) {
            out->x = (uint32_t)(i % a->width);
            out->y = (uint32_t)(i / a->width);
        }
    }
    out->mean = (double)sum / (double)(out->total * channels);
    return 0;
}
