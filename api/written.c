/* Which pages of guest memory the context wrote. Without the context's lock, as scans take longer than an access may. */
#include "gpu/written.h"

#include <errno.h>
#include <limits.h>

#include "api/internal.h"
#include "util/bits.h"

static int enter(struct vitrail_context *context)
{
    if (!context)
        return api_fail(NULL, -EINVAL, "context is NULL");
    return api_is_logging(context) ? api_fail(NULL, -EBUSY, "the log callback must not use the context") : 0;
}

int vitrail_track_writes(struct vitrail_context *context, int on)
{
    int code = enter(context);
    if (code)
        return code;
    if (on)
        code = gpu_written_begin(context->memory.written);
    else
        gpu_written_end(context->memory.written);
    if (code)
        api_fail_error(context, code, "tracking writes", NULL);
    api_log_failure(context);
    return code;
}

static int take(struct vitrail_context *context, struct vitrail_region *out, uint32_t capacity)
{
    struct gpu_written *written = context->memory.written;
    struct gpu_memory_region run;
    uint32_t count = 0;
    for (; count < capacity && gpu_written_next(written, &run); count++)
        out[count] = (struct vitrail_region){run.address, run.size, run.offset};
    if (count == capacity) /* what a job notes after the last was taken is not counted: it is not in `out` */
        count += gpu_written_left(written);
    return (int)UTIL_MIN(count, (uint32_t)INT_MAX);
}

int vitrail_written(struct vitrail_context *context, struct vitrail_region *out, uint32_t capacity)
{
    int code = enter(context);
    if (code)
        return code;
    if (!out && capacity)
        code = api_fail(context, -EINVAL, "out is NULL");
    else if (gpu_written_gather(context->memory.written))
        code = api_fail(context, -ENODATA, "writes are not tracked");
    else
        code = take(context, out, capacity);
    api_log_failure(context);
    return code;
}
