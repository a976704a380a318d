/* What the files of drm/input share. Not for users. */
#ifndef VITRAIL_DRM_INPUT_INTERNAL_H
#define VITRAIL_DRM_INPUT_INTERNAL_H

#include <linux/input.h>
#include <pthread.h>
#include <sys/types.h>

#include "drm/input/input.h"

#define INPUT_READERS 256u

struct drm_input_reader {
    int pipe; /* its end, -1: there is no such reader */
    dev_t on;
    ino_t inode;
    uint8_t device, long_bytes;
    clockid_t clock;
    bool behind; /* what it was to get was lost */
};

struct drm_input_state {
    uint8_t keys[KEY_CNT / 8]; /* that are down */
    struct input_absinfo range[ABS_CNT];
    const struct drm_input_reader *grabbed;
};

struct drm_input {
    pthread_mutex_t lock;
    struct drm_input_reader readers[INPUT_READERS];
    struct drm_input_state state[DRM_INPUT_COUNT];
};

/* ---- reader.c; locked ---- */
/* NULL: it is none's. */
struct drm_input_reader *drm_input_reader_of(struct drm_input *input, int fd);
void drm_input_reader_close(struct drm_input *input, struct drm_input_reader *reader);

/* ---- ioctl.c ---- */
/* Of a reader that there is; locked. As drm_input_ioctl. */
int drm_input_answer(struct drm_input *input, struct drm_input_reader *reader, uint32_t request,
                     uint64_t value, uint8_t *argument, uint32_t room, uint32_t *written);

#endif
