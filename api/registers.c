/* Memory, registers and the interrupt line. */
#include <errno.h>
#include <string.h>

#include "api/internal.h"

/* ---- guest memory ---- */

int vitrail_memory_pointer(struct vitrail_context *context, uint64_t address, uint64_t size, void **out)
{
    if (!context)
        return api_fail(NULL, -EINVAL, "context is NULL");
    if (api_is_logging(context))
        return api_fail(NULL, -EBUSY, "the log callback must not use the context");
    int code = 0;
    void *found = gpu_memory_at(&context->memory, address, size);
    if (!out || !size)
        code = api_fail(context, -EINVAL, "%s", out ? "size is 0" : "out is NULL");
    else if (!found)
        code = api_fail(context, -EFAULT, "%llu bytes at 0x%llx are outside guest memory",
                        (unsigned long long)size, (unsigned long long)address);
    else
        *out = found;
    api_log_failure(context);
    return code;
}

int vitrail_memory_read(struct vitrail_context *context, uint64_t address, void *to, size_t size)
{
    void *from = NULL;
    if (!to)
        return api_fail(NULL, -EINVAL, "to is NULL");
    if (context && !size)
        return 0;
    int code = vitrail_memory_pointer(context, address, size, &from);
    if (from)
        memcpy(to, from, size);
    return code;
}

int vitrail_memory_write(struct vitrail_context *context, uint64_t address, const void *from, size_t size)
{
    void *to = NULL;
    if (!from)
        return api_fail(NULL, -EINVAL, "from is NULL");
    if (context && !size)
        return 0;
    int code = vitrail_memory_pointer(context, address, size, &to);
    if (to)
        memcpy(to, from, size);
    return code;
}

uint64_t vitrail_memory_size(const struct vitrail_context *context)
{
    return context ? context->memory.size : 0;
}

int vitrail_memory_fd(const struct vitrail_context *context)
{
    if (!context)
        return api_fail(NULL, -EINVAL, "context is NULL");
    return context->memory.fd >= 0 ? context->memory.fd
                                   : api_fail(NULL, -ENOTSUP, "the memory is the embedder's pointer");
}

/* ---- registers ---- */

static int check_offset(struct vitrail_context *context, uint32_t offset)
{
    uint32_t bytes = context->gpu->register_bytes;
    if (offset % 4 || offset >= bytes)
        return api_fail(context, -EINVAL, "register 0x%x: not a multiple of 4 below 0x%x", offset, bytes);
    return 0;
}

int vitrail_wait(struct vitrail_context *context)
{
    int code = api_enter_outermost(context);
    if (code)
        return code;
    api_wait(context);
    api_leave(context);
    return 0;
}

int vitrail_read_register(struct vitrail_context *context, uint32_t offset, uint32_t *value)
{
    int code = api_enter(context);
    if (code)
        return code;
    if (!value)
        code = api_fail(context, -EINVAL, "value is NULL");
    else
        code = check_offset(context, offset);
    if (!code)
        *value = gpu_device_read(&context->device, offset);
    api_leave(context);
    return code;
}

int vitrail_write_register(struct vitrail_context *context, uint32_t offset, uint32_t value)
{
    int code = api_enter(context);
    if (code)
        return code;
    code = check_offset(context, offset);
    if (!code)
        api_write(context, offset, value);
    api_leave(context);
    return code;
}

int vitrail_set_irq(struct vitrail_context *context, vitrail_irq_fn irq, void *data)
{
    int code = api_enter(context);
    if (code)
        return code;
    context->irq = irq;
    context->irq_data = data;
    context->told = context->missed = 0;
    api_leave(context);
    return 0;
}

const char *vitrail_line_name(const struct vitrail_context *context, uint32_t line)
{
    return context && context->device.self && line < 32 ? gpu_device_line_name(&context->device, line) : NULL;
}
