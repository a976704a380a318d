/* Contexts: opened from a configuration, entered by one thread at a time, closed. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "api/internal.h"
#include "gpu/written.h"
#include "util/bits.h"

#define DEFAULT_MEMORY (1ull << 30)

/* ---- configuration ---- */

int vitrail_config_init(struct vitrail_config *config, size_t size)
{
    static const struct vitrail_config defaults = {
        .gpu = "vc4",
        .memory = VITRAIL_MEMORY_OWN,
        .memory_fd = -1,
        .memory_size = DEFAULT_MEMORY,
        .threads = -1,
        .execution = VITRAIL_EXECUTION_COMPILED,
        .numeric = VITRAIL_NUMERIC_USUAL,
        .log_level = VITRAIL_LOG_WARNING,
    };
    if (!config || size < sizeof *config)
        return api_fail(NULL, -EINVAL, config ? "size is %zu: too small" : "config is NULL", size);
    memset(config, 0, size);
    config->size = size;
    return api_give(config, &defaults, sizeof defaults, sizeof defaults);
}

static int check_config(struct vitrail_context *context)
{
    const struct vitrail_config *c = &context->config;
    if (!c->gpu)
        return api_fail(context, -EINVAL, "gpu is NULL");
    context->gpu = gpu_info_find(c->gpu);
    if (!context->gpu)
        return api_fail(context, -ENOENT, "no GPU of the name '%s'", c->gpu);
    const struct gpu_info *gpu = context->gpu;
    if (c->memory < VITRAIL_MEMORY_OWN || c->memory > VITRAIL_MEMORY_POINTER)
        return api_fail(context, -EINVAL, "memory: no kind %d", c->memory);
    if (c->memory == VITRAIL_MEMORY_POINTER && gpu->maps_pages)
        return api_fail(context, -ENOTSUP, "memory: %s maps pages, for which memory must be a file",
                        gpu->name);
    if (c->region_count && (!c->regions || c->region_count > GPU_MEMORY_REGIONS))
        return api_fail(context, -EINVAL, "regions: %u of them, of at most %u", c->region_count,
                        GPU_MEMORY_REGIONS);
    if (c->region_count && (c->memory != VITRAIL_MEMORY_FD || !strcmp(gpu->family, "libresoc")))
        return api_fail(context, -ENOTSUP, "regions: %s",
                        c->memory != VITRAIL_MEMORY_FD ? "of a file only" : gpu->name);
    if (!c->region_count && (c->memory_size < GPU_PAGE || c->memory_size > gpu->memory_max))
        return api_fail(context, -EINVAL, "memory_size: %llu is not from 4096 to %llu",
                        (unsigned long long)c->memory_size, (unsigned long long)gpu->memory_max);
    if (c->threads < -1 || c->threads > UTIL_POOL_MAX)
        return api_fail(context, -EINVAL, "threads: %d is not from -1 to %d", c->threads, UTIL_POOL_MAX);
    if (c->execution < VITRAIL_EXECUTION_COMPILED || c->execution > VITRAIL_EXECUTION_REFERENCE)
        return api_fail(context, -EINVAL, "execution: no mode %d", c->execution);
    if (c->numeric < VITRAIL_NUMERIC_FAST || c->numeric > VITRAIL_NUMERIC_USUAL)
        return api_fail(context, -EINVAL, "numeric: no mode %d", c->numeric);
    return 0;
}

/* ---- opening ---- */

static int import_regions(struct vitrail_context *context)
{
    const struct vitrail_config *c = &context->config;
    struct gpu_memory_region regions[GPU_MEMORY_REGIONS];
    for (uint32_t n = 0; n < c->region_count; n++)
        regions[n] =
            (struct gpu_memory_region){c->regions[n].address, c->regions[n].size, c->regions[n].offset};
    return gpu_memory_import_regions(c->memory_fd, regions, c->region_count, !context->gpu->maps_pages,
                                     c->memory_unsealed != 0, &context->memory);
}

static int open_memory(struct vitrail_context *context)
{
    const struct vitrail_config *c = &context->config;
    int code = 0;
    switch (c->memory) {
    case VITRAIL_MEMORY_OWN: code = gpu_memory_create(c->memory_size, &context->memory); break;
    case VITRAIL_MEMORY_FD:
        code = c->region_count ? import_regions(context)
                               : gpu_memory_import(c->memory_fd, c->memory_offset, c->memory_size,
                                                   c->memory_unsealed != 0, &context->memory);
        break;
    default: code = gpu_memory_borrow(c->memory_pointer, c->memory_size, &context->memory);
    }
    if (!code)
        code = gpu_written_create(&context->memory, &context->memory.written);
    return code ? api_fail_error(context, code, "guest memory", NULL) : 0;
}

static int open_pool(struct vitrail_context *context)
{
    int threads = context->config.threads;
    if (threads < 0) {
        long processors = sysconf(_SC_NPROCESSORS_ONLN);
        threads = processors > UTIL_POOL_MAX ? UTIL_POOL_MAX : processors > 1 ? (int)processors - 1 : 0;
    }
    int code = util_pool_create((unsigned)threads, &context->pool);
    return code ? api_fail_error(context, code, "worker threads", NULL) : 0;
}

static int open_engine(struct vitrail_context *context)
{
    const struct vitrail_config *c = &context->config;
    struct jit_options options = {.level = -1,
                                  .optimize = JIT_AUTOMATIC,
                                  .background = util_pool_workers(context->pool) > 1,
                                  .cache_dir = c->cache_dir,
                                  .cache_bytes = c->cache_bytes};
    struct util_error error = {0};
    for (int l = 0; c->level && l < JIT_LEVEL_COUNT; l++)
        if (!strcmp(c->level, jit_level_name((enum jit_level)l)))
            options.level = l;
    if (c->level && options.level < 0)
        return api_fail(context, -EINVAL, "level: no host vector level '%s'", c->level);
    if (c->execution != VITRAIL_EXECUTION_COMPILED)
        return 0;
    int code = jit_engine_create(&options, &context->engine, &error);
    return code ? api_fail_error(context, code, "the compiler", &error) : 0;
}

static int open_device(struct vitrail_context *context)
{
    static const uint8_t numeric[] = {[VITRAIL_NUMERIC_FAST] = ISA_FAST,
                                      [VITRAIL_NUMERIC_EXACT] = ISA_EXACT,
                                      [VITRAIL_NUMERIC_USUAL] = ISA_USUAL};
    const struct vitrail_config *config = &context->config;
    const struct gpu_options options = {.pool = context->pool,
                                        .engine = context->engine,
                                        .reference = config->execution == VITRAIL_EXECUTION_REFERENCE,
                                        .packet_budget = config->packet_budget,
                                        .job_fuel = config->job_fuel,
                                        .fuel = config->loop_fuel,
                                        .numeric = (enum isa_numeric)numeric[config->numeric]};
    int code = gpu_create(context->gpu->name, &context->memory, &options, &context->device);
    if (code)
        return api_fail_error(context, code, "the GPU", NULL);
    context->device.host->turns = &context->turns;
    return 0;
}

static void close_device(struct vitrail_context *context)
{
    gpu_device_destroy(&context->device);
    context->device = (struct gpu_device){0};
}

static void destroy(struct vitrail_context *context)
{
    api_threads_destroy(context);
    close_device(context);
    jit_engine_destroy(context->engine);
    util_pool_destroy(context->pool);
    gpu_written_destroy(context->memory.written);
    gpu_memory_destroy(&context->memory);
    pthread_cond_destroy(&context->told_of);
    pthread_cond_destroy(&context->changed);
    pthread_cond_destroy(&context->wake);
    pthread_mutex_destroy(&context->lock);
    free(context);
}

static void log_opened(struct vitrail_context *context)
{
    static const char *const kinds[] = {"its own", "a file's", "the embedder's"};
    static const char *const executions[] = {"compiled for ", "interpreted", "reference"};
    char text[160];
    snprintf(text, sizeof text, "%s: %llu KiB of %s memory, %u workers, programs %s%s", context->gpu->name,
             (unsigned long long)context->memory.size / 1024, kinds[context->config.memory],
             util_pool_workers(context->pool), executions[context->config.execution],
             context->engine ? jit_level_name(jit_engine_level(context->engine)) : "");
    api_log(context, VITRAIL_LOG_INFO, text);
}

static void init_locks(struct vitrail_context *context)
{
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_mutex_init(&context->lock, NULL);
    pthread_cond_init(&context->wake, &monotonic);
    pthread_cond_init(&context->changed, NULL);
    pthread_cond_init(&context->told_of, NULL);
    pthread_condattr_destroy(&monotonic);
}

int vitrail_open(const struct vitrail_config *config, struct vitrail_context **out)
{
    if (!out)
        return api_fail(NULL, -EINVAL, "out is NULL");
    *out = NULL;
    struct vitrail_context *context = calloc(1, sizeof *context);
    if (!context)
        return api_fail(NULL, -ENOMEM, "out of memory");
    context->memory.fd = -1;
    init_locks(context);
    int code = vitrail_config_init(&context->config, sizeof context->config);
    if (!code && config)
        code = api_take(&context->config, config, sizeof *config, sizeof *config);
    if (!code)
        code = check_config(context);
    if (!code)
        code = open_memory(context);
    if (!code)
        code = open_pool(context);
    if (!code)
        code = open_engine(context);
    if (!code)
        code = open_device(context);
    if (!code) {
        code = api_threads_create(context);
        if (code)
            api_fail_error(context, code, "the context's threads", NULL);
    }
    if (code) {
        api_log_failure(context);
        destroy(context);
        return code;
    }
    log_opened(context);
    context->config.gpu = context->gpu->name;
    context->config.level = context->config.cache_dir = NULL;
    context->config.regions = NULL;
    *out = context;
    return 0;
}

int vitrail_close(struct vitrail_context **context)
{
    if (!context)
        return api_fail(NULL, -EINVAL, "context is NULL");
    if (!*context)
        return 0;
    struct vitrail_context *closed = *context;
    pthread_mutex_lock(&closed->lock);
    const bool busy = api_is_callback(closed) || closed->inside || closed->player || api_is_logging(closed);
    pthread_mutex_unlock(&closed->lock);
    if (busy)
        return api_fail(NULL, -EBUSY, "the context is in use");
    destroy(closed);
    *context = NULL;
    return 0;
}

int api_renew_device(struct vitrail_context *context)
{
    close_device(context);
    context->fault_count = 0;
    context->fault_total = 0;
    return open_device(context);
}

int vitrail_reset(struct vitrail_context *context, uint32_t flags)
{
    int code = api_enter_outermost(context);
    if (code)
        return code;
    if (flags & ~VITRAIL_RESET_MEMORY) {
        code = api_fail(context, -EINVAL, "unknown flags 0x%x", flags & ~VITRAIL_RESET_MEMORY);
        goto out;
    }
    api_stop(context);
    if (flags & VITRAIL_RESET_MEMORY)
        gpu_memory_clear(&context->memory);
    code = api_renew_device(context);
    api_go_on(context);
out:
    api_leave(context);
    return code;
}
