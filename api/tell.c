/* What the embedder is told: interrupt lines that changed, faults. */
#include "api/internal.h"

bool api_untold(const struct vitrail_context *context)
{
    return context->device.self && (gpu_device_lines(&context->device) != context->told ||
                                    __atomic_load_n(&context->device.host->fault_count, __ATOMIC_RELAXED));
}

void api_fetch_faults(struct vitrail_context *context)
{
    struct gpu_fault fault;
    while (context->device.self && gpu_host_faults(context->device.host, &fault, 1)) {
        char text[512];
        context->fault_total++;
        if (context->fault_count < API_FAULTS_MAX)
            context->faults[context->fault_count++] = fault;
        if (!context->config.log)
            continue;
        gpu_fault_format(&fault, text, sizeof text);
        pthread_mutex_unlock(&context->lock);
        api_log(context, VITRAIL_LOG_WARNING, text);
        pthread_mutex_lock(&context->lock);
    }
}

void api_note_missed(struct vitrail_context *context)
{
    if (context->telling && context->device.self)
        context->missed |= gpu_device_lines(&context->device) ^ context->told;
}

/* One thread at a time calls the embedder, until what it knows is so: a change that comes amid a call is told by the
 * thread that is in it, which may be this one, further out. That is so for a line that has changed back, too: the
 * embedder may have seen it otherwise in its status meanwhile, and waits to hear of it. */
void api_tell(struct vitrail_context *context)
{
    api_fetch_faults(context);
    if (context->telling) {
        api_note_missed(context);
        return;
    }
    context->telling = api_me();
    for (;;) {
        const uint32_t now = context->device.self ? gpu_device_lines(&context->device) : 0;
        const uint32_t change = (now ^ context->told) | context->missed;
        if (!change)
            break;
        const unsigned line = (unsigned)__builtin_ctz(change);
        context->missed &= ~(1u << line);
        context->told ^= 1u << line;
        const int level = (int)(context->told >> line & 1);
        vitrail_irq_fn irq = context->irq;
        void *data = context->irq_data;
        if (!irq)
            continue;
        pthread_mutex_unlock(&context->lock);
        irq(data, line, level);
        pthread_mutex_lock(&context->lock);
    }
    context->telling = 0;
    if (api_untold(context)) /* a fault meanwhile */
        pthread_cond_signal(&context->told_of);
    pthread_cond_broadcast(&context->changed);
}
