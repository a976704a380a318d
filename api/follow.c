/* What follows when the device was let run: its faults, its interrupt line. */
#include "api/internal.h"

void api_interrupt(void *data, uint32_t pending)
{
    struct vitrail_context *context = data;
    if (context->playing) {
        context->answer(context->playing, context, pending);
        pending = context->device.self ? gpu_device_irq_pending(&context->device) : 0;
        if (!pending)
            return;
    }
    context->irq_high = true;
    if (context->irq)
        context->irq(context->irq_data, pending);
}

static void fetch_faults(struct vitrail_context *context)
{
    struct gpu_fault fault;
    while (gpu_host_faults(context->device.host, &fault, 1)) {
        char text[512];
        context->fault_total++;
        if (context->fault_count < API_FAULTS_MAX)
            context->faults[context->fault_count++] = fault;
        gpu_fault_format(&fault, text, sizeof text);
        api_log(context, VITRAIL_LOG_WARNING, text);
    }
}

void api_follow(struct vitrail_context *context)
{
    fetch_faults(context);
    if (!context->irq_high || gpu_device_irq_pending(&context->device))
        return;
    context->irq_high = false;
    if (context->irq)
        context->irq(context->irq_data, 0);
}

void api_write(struct vitrail_context *context, uint32_t offset, uint32_t value)
{
    gpu_device_write(&context->device, offset, value);
    api_follow(context);
}
