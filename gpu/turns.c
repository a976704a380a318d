#include "gpu/turns.h"

#include "gpu/device.h"

bool gpu_turns_may_work(const struct gpu_host *host)
{
    return !host->turns || host->inside;
}

bool gpu_turns_goes_on(const struct gpu_host *host)
{
    return !host->posted_count && !host->stopped;
}

void gpu_turns_stop(struct gpu_host *host)
{
    host->stopped = true;
    gpu_host_cancel(host, true);
}

static void leave(struct gpu_host *host)
{
    host->inside = false;
    host->turns->leave(host->turns->data);
}

static void enter(struct gpu_host *host)
{
    host->turns->enter(host->turns->data);
    host->inside = true;
}

void gpu_turns_leave(struct gpu_host *host, unsigned unit)
{
    if (!host->turns)
        return;
    host->working |= 1u << unit;
    host->shown = host->counters;
    leave(host);
}

void gpu_turns_enter(struct gpu_host *host, unsigned unit)
{
    if (!host->turns)
        return;
    enter(host);
    host->working &= ~(1u << unit);
}

void gpu_turns_pause(struct gpu_host *host)
{
    if (host->turns)
        enter(host);
}

void gpu_turns_resume(struct gpu_host *host)
{
    if (host->turns)
        leave(host);
}

/* ---- posted writes ---- */

bool gpu_turns_next(struct gpu_host *host, struct gpu_posted *out)
{
    if (!host->posted_count || host->stopped)
        return false;
    if (host->cancel_posted) /* the job has ended */
        gpu_host_cancel(host, false);
    host->cancel_posted = false;
    *out = host->posted[host->posted_first];
    host->posted_first = (host->posted_first + 1) % GPU_POSTED_MOST;
    host->posted_count--;
    return true;
}

bool gpu_turns_find(const struct gpu_host *host, uint32_t offset, uint32_t *value)
{
    for (uint32_t n = host->posted_count; n--;) {
        const struct gpu_posted *p = &host->posted[(host->posted_first + n) % GPU_POSTED_MOST];
        if (p->offset == offset) {
            *value = p->value;
            return true;
        }
    }
    return false;
}

static void post(struct gpu_host *host, uint32_t offset, uint32_t value)
{
    struct gpu_fault fault;
    if (host->posted_count < GPU_POSTED_MOST) {
        host->posted[(host->posted_first + host->posted_count++) % GPU_POSTED_MOST] =
            (struct gpu_posted){offset, value};
        return;
    }
    gpu_fault_set(&fault, GPU_FAULT_UNSUPPORTED, "registers", offset,
                  "write of 0x%08x: more than %u writes while the device is at a job", value,
                  GPU_POSTED_MOST);
    gpu_host_fault(host, &fault);
}

void gpu_device_post(const struct gpu_device *gpu, uint32_t offset, uint32_t value)
{
    struct gpu_host *host = gpu->host;
    const enum gpu_when when =
        gpu_turns_may_work(host) ? GPU_WRITE_NOW : gpu->functions->when(gpu->self, offset, value);
    const bool idle = !host->working && !host->posted_count;
    if (when == GPU_WRITE_NOW || (when != GPU_WRITE_POSTED && idle)) {
        gpu_device_write(gpu, offset, value);
        return;
    }
    if (when == GPU_WRITE_CANCELS && host->working) {
        host->cancel_posted = true;
        gpu_host_cancel(host, true);
    }
    post(host, offset, value);
}
