#include "util/image.h"

#include <errno.h>
#include <png.h>
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

int util_image_put_png(const struct util_image *image, FILE *file, int alpha)
{
    png_image png = {.version = PNG_IMAGE_VERSION, .width = image->width, .height = image->height};
    size_t pixels = (size_t)image->width * image->height;
    uint8_t *rgb = NULL;

    png.format = alpha ? PNG_FORMAT_RGBA : PNG_FORMAT_RGB;
    if (!alpha) {
        rgb = malloc(pixels * 3);
        if (!rgb)
            return -ENOMEM;
        for (size_t i = 0; i < pixels; i++)
            memcpy(rgb + 3 * i, image->pixels + 4 * i, 3);
    }
    errno = 0;
    int put = png_image_write_to_stdio(&png, file, 0, alpha ? image->pixels : rgb, 0, NULL);
    int err = put ? 0 : errno ? -errno : -EIO;
    free(rgb);
    return err;
}

int util_image_write_png(const struct util_image *image, const char *path, int alpha)
{
    FILE *file = util_fopen(path, "wb");
    if (!file)
        return -errno;
    int err = util_image_put_png(image, file, alpha);
    if (fclose(file) && !err)
        err = -errno;
    if (err)
        util_remove_file(path); /* half a picture is none */
    return err;
}

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
