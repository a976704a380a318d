/* What the card tells its owner, one thing at a time. */
#include "drm/core/log.h"

#include <stdarg.h>
#include <stdio.h>

#include "drm/core/card.h"

void drm_log(struct drm *drm, const char *format, ...)
{
    if (!drm->options.listener.message)
        return;
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    pthread_mutex_lock(&drm->listener_lock);
    drm->options.listener.message(drm->options.listener.data, text);
    pthread_mutex_unlock(&drm->listener_lock);
}

static void report(struct drm *drm, const struct gpu_fault *fault)
{
    if (!drm->options.listener.fault)
        return;
    pthread_mutex_lock(&drm->listener_lock);
    drm->options.listener.fault(drm->options.listener.data, fault);
    pthread_mutex_unlock(&drm->listener_lock);
}

void drm_report_faults(struct drm *drm)
{
    struct gpu_fault faults[16];
    for (unsigned n; (n = gpu_host_faults(drm->options.gpu.host, faults, UTIL_ARRAY_SIZE(faults))) > 0;)
        for (unsigned i = 0; i < n; i++)
            report(drm, &faults[i]);
}
