/* Who is inside: of a context any number of threads, but while one plays a capture; of a capture one. */
#include <errno.h>

#include "api/internal.h"

int api_guard_enter(struct api_guard *guard, bool outermost)
{
    uintptr_t me = api_me(), owner = 0;
    if (!atomic_compare_exchange_strong(&guard->owner, &owner, me) && (owner != me || outermost))
        return -EBUSY;
    guard->depth++;
    return 0;
}

void api_guard_leave(struct api_guard *guard)
{
    if (!--guard->depth)
        atomic_store(&guard->owner, 0);
}

int api_enter(struct vitrail_context *context)
{
    if (!context)
        return api_fail(NULL, -EINVAL, "context is NULL");
    if (api_is_logging(context))
        return api_fail(NULL, -EBUSY, "the log callback must not use the context");
    pthread_mutex_lock(&context->lock);
    int code = 0;
    if (context->player && context->player != api_me())
        code = api_fail(NULL, -EBUSY, "another thread plays a capture on the context");
    else if (!context->device.self)
        code = api_fail(NULL, -ENODEV, "the last reset failed: only vitrail_close remains");
    if (code)
        pthread_mutex_unlock(&context->lock);
    return code;
}

/* Callbacks come from threads that a call which sleeps would wait for. */
bool api_is_callback(const struct vitrail_context *context)
{
    return context->telling == api_me() || context->player == api_me();
}

int api_enter_outermost(struct vitrail_context *context)
{
    int code = api_enter(context);
    if (!code && api_is_callback(context)) {
        pthread_mutex_unlock(&context->lock);
        code = api_fail(NULL, -EBUSY, "not from a callback");
    }
    return code;
}

void api_leave(struct vitrail_context *context)
{
    if (context->device.self && gpu_device_due(&context->device) != GPU_DUE_NOTHING)
        pthread_cond_signal(&context->wake);
    if (api_untold(context))
        api_tell(context);
    pthread_mutex_unlock(&context->lock);
    api_log_failure(context);
}
