/* Input's devices: all that is asked of one goes to the server with its descriptor, by which that knows it. */
#define _GNU_SOURCE
#include "drm/client/client.h"

#include <errno.h>
#include <linux/input.h>
#include <string.h>
#include <sys/ioctl.h>

int client_input_open(int device, struct client_fds *got)
{
    const struct drm_message message = {
        .type = DRM_MSG_INPUT, .a = CLIENT_MINOR(device) - DRM_INPUT_MINOR, .b = sizeof(long)};
    struct drm_reply reply;
    return wire_call(&message, &reply, -1, got);
}

/* Requests whose argument is a number, and no pointer. */
static bool is_number(uint32_t request)
{
    return request == EVIOCGRAB || request == EVIOCREVOKE || request == EVIOCRMFF;
}

int client_input_ioctl(int fd, unsigned long request, void *argument)
{
    struct drm_message message = {.type = DRM_MSG_INPUT_IOCTL, .request = (uint32_t)request};
    struct drm_reply reply;
    uint8_t *there = wire_data() ? wire_data() + DRM_CHANNEL_ARGUMENT : NULL;
    if (!there)
        return -EIO;
    if (is_number(message.request))
        message.a = (uintptr_t)argument;
    else if (_IOC_DIR(request) & _IOC_WRITE)
        memcpy(there, argument, _IOC_SIZE(request));
    int r = wire_call(&message, &reply, fd, NULL);
    if (r >= 0 && !is_number(message.request) && reply.a <= _IOC_SIZE(request))
        memcpy(argument, there, reply.a);
    return r;
}
