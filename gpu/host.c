/* What devices of all families keep for their host. */
#include "gpu/host.h"

#include <string.h>

#include "util/bits.h"

void gpu_host_open(struct gpu_host *host, const char *gpu)
{
    host->gpu = gpu;
    pthread_mutex_init(&host->fault_lock, NULL);
}

void gpu_host_close(struct gpu_host *host)
{
    pthread_mutex_destroy(&host->fault_lock);
}

void gpu_host_set_irq(struct gpu_host *host, gpu_irq_fn irq, void *data)
{
    host->irq = irq;
    host->irq_data = data;
}

void gpu_host_call(const struct gpu_host *host, uint32_t pending)
{
    if (host->irq)
        host->irq(host->irq_data, pending);
}

/* Others look, without the lock, whether there are any. */
static void set_fault_count(struct gpu_host *host, unsigned count)
{
    __atomic_store_n(&host->fault_count, count, __ATOMIC_RELAXED);
}

void gpu_host_fault(struct gpu_host *host, const struct gpu_fault *fault)
{
    gpu_host_fault_of(host, __atomic_load_n(&host->job, __ATOMIC_RELAXED), fault);
}

void gpu_host_fault_of(struct gpu_host *host, uint64_t job, const struct gpu_fault *fault)
{
    if (gpu_host_cancelled(host))
        return;
    pthread_mutex_lock(&host->fault_lock);
    if (host->fault_count < GPU_HOST_FAULTS) {
        struct gpu_fault *kept = &host->faults[host->fault_count];
        *kept = *fault;
        kept->gpu = host->gpu;
        kept->job = job;
        set_fault_count(host, host->fault_count + 1);
    }
    pthread_mutex_unlock(&host->fault_lock);
}

void gpu_host_cancel(struct gpu_host *host, bool on)
{
    __atomic_store_n(&host->cancelled, on, __ATOMIC_RELAXED);
}

void gpu_host_unknown_write(struct gpu_host *host, uint32_t offset, uint32_t value)
{
    struct gpu_fault fault;
    if (host->unknown_writes++)
        return;
    gpu_fault_set(&fault, GPU_FAULT_UNSUPPORTED, "registers", offset,
                  "write of 0x%08x to register 0x%03x, which does not exist (further ones are not reported)",
                  value, offset);
    gpu_host_fault(host, &fault);
}

unsigned gpu_host_faults(struct gpu_host *host, struct gpu_fault *out, unsigned capacity)
{
    pthread_mutex_lock(&host->fault_lock);
    unsigned n = UTIL_MIN(host->fault_count, capacity);
    memcpy(out, host->faults, n * sizeof *out);
    set_fault_count(host, host->fault_count - n);
    memmove(host->faults, host->faults + n, host->fault_count * sizeof *out);
    pthread_mutex_unlock(&host->fault_lock);
    return n;
}

bool gpu_host_frame(struct gpu_host *host, struct capture_frame *out)
{
    pthread_mutex_lock(&host->fault_lock);
    const bool has = host->has_frame;
    *out = host->frame;
    pthread_mutex_unlock(&host->fault_lock);
    return has;
}

void gpu_host_set_frame(struct gpu_host *host, const struct capture_frame *frame)
{
    pthread_mutex_lock(&host->fault_lock);
    host->has_frame = frame != NULL;
    if (frame)
        host->frame = *frame;
    pthread_mutex_unlock(&host->fault_lock);
}
