/* Captures that a test writes into a temporary file. Behind cmocka.h. */
#ifndef VITRAIL_TESTS_GPU_CAPTURE_FILE_H
#define VITRAIL_TESTS_GPU_CAPTURE_FILE_H

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "gpu/capture.h"

#define PAGES_SIZE (64 * GPU_PAGE)

struct file {
    char path[64];
    uint8_t *bytes;
    size_t size;
};

static inline void load(struct file *f)
{
    FILE *in = fopen(f->path, "rb");
    assert_non_null(in);
    fseek(in, 0, SEEK_END);
    f->size = (size_t)ftell(in);
    rewind(in);
    free(f->bytes);
    f->bytes = malloc(f->size);
    assert_int_equal(fread(f->bytes, 1, f->size, in), f->size);
    fclose(in);
}

static inline void temporary(struct file *f)
{
    *f = (struct file){.path = "/tmp/vitrail-capture-XXXXXX"};
    int fd = mkstemp(f->path);
    assert_true(fd >= 0);
    close(fd);
}

static inline void discard(struct file *f)
{
    unlink(f->path);
    free(f->bytes);
}

static inline struct capture_writer *begin(struct file *f)
{
    struct capture_writer *w;
    temporary(f);
    assert_int_equal(capture_writer_create(f->path, "vc4", "glmark2 -b build", PAGES_SIZE, &w, NULL), 0);
    return w;
}

#endif
