/* A context's state as bytes, for a virtual machine that is saved or moves. */
#include <errno.h>
#include <string.h>

#include "api/internal.h"

#define STATE_MAGIC   0x54535456u /* "VTST" */
#define STATE_VERSION 1u

/* Head and state. False: not between jobs. */
static bool transfer(struct vitrail_context *context, struct gpu_state *state)
{
    uint32_t head[2] = {STATE_MAGIC, STATE_VERSION};
    uint32_t name[4] = {0};
    memcpy(name, context->gpu->name, strlen(context->gpu->name)); /* of less than 16 bytes */
    for (unsigned n = 0; n < 2; n++) {
        uint32_t word = head[n];
        gpu_state_u32(state, &word, UINT32_MAX);
        state->torn |= word != head[n];
    }
    for (unsigned n = 0; n < 4; n++) {
        uint32_t word = name[n];
        gpu_state_u32(state, &word, UINT32_MAX);
        state->torn |= word != name[n];
    }
    return (state->loads && state->torn) || gpu_device_transfer(&context->device, state);
}

int vitrail_save(struct vitrail_context *context, void *to, size_t size)
{
    int code = api_enter_outermost(context);
    if (code)
        return code;
    struct gpu_state state = {.bytes = to, .size = to ? size : 0};
    api_wait_for_jobs(context);
    if (context->working || context->player || !transfer(context, &state))
        code = api_fail(context, -EBUSY, "a job waits for the host");
    else if (to && state.at > size)
        code = api_fail(context, -ERANGE, "room for %zu bytes, %zu are needed", size, state.at);
    else
        code = (int)state.at;
    api_leave(context);
    return code;
}

int vitrail_restore(struct vitrail_context *context, const void *from, size_t size)
{
    if (!from)
        return api_fail(NULL, -EINVAL, "from is NULL");
    int code = api_enter_outermost(context);
    if (code)
        return code;
    struct gpu_state state = {.bytes = (uint8_t *)from, .size = size, .loads = true};
    api_stop(context);
    code = api_renew_device(context);
    if (!code && (!transfer(context, &state) || state.torn || state.at != size)) {
        code = api_renew_device(context);
        code = code ? code : api_fail(context, -EBADMSG, "no state of a %s, or damaged", context->gpu->name);
    }
    api_go_on(context);
    api_leave(context);
    return code;
}
