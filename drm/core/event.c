/* Events that a file is sent, through a pipe. */
#include "drm/core/event.h"

#include <errno.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "drm/core/card.h"
#include "drm/core/log.h"

#define EVENT_SPACE 4096 /* bytes of unread events a file may have (drm_file.c of the kernel) */

int drm_event_reserve(struct drm_file *file, uint32_t size)
{
    int waiting = 0;
    if (ioctl(file->event_write, FIONREAD, &waiting) ||
        (uint32_t)waiting + file->events_due + size > EVENT_SPACE)
        return -ENOMEM;
    file->events_due += size;
    return 0;
}

void drm_event_cancel(struct drm_file *file, uint32_t size)
{
    file->events_due -= size;
}

void drm_event_send(struct drm_file *file, const void *event, uint32_t size)
{
    file->events_due -= size;
    if (write(file->event_write, event, size) == (ssize_t)size || errno == EPIPE) /* EPIPE: nobody reads */
        return;
    drm_log(file->drm, "an event was lost"); /* the program wrote into its own pipe */
}

int drm_file_events(const struct drm_file *file)
{
    return file->event_read;
}

int drm_file_hand_out(struct drm_file *file)
{
    int fd = file->event_read;
    file->event_read = -1;
    return fd;
}

bool drm_file_gone(const struct drm_file *file)
{
    struct pollfd end = {file->event_write, 0, 0};
    return poll(&end, 1, 0) == 1;
}

int drm_file_writer(const struct drm_file *file)
{
    return file->event_write;
}
