/* The sandbox of a command: what it named is opened by its broker, everything else is out of reach. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "drm/protocol.h"
#include "tools/tool.h"
#include "util/list.h"

static void grant(struct tool_sandbox *s, struct util_grant grant)
{
    if (grant.path && strcmp(grant.path, "-") != 0 && !UTIL_LIST_ADD(s->files, grant))
        s->out_of_memory = true;
}

void tool_sandbox_reads(struct tool_sandbox *s, const char *path)
{
    grant(s, (struct util_grant){.path = path, .rights = UTIL_GRANT_READ});
}

void tool_sandbox_writes(struct tool_sandbox *s, const char *path)
{
    grant(s, (struct util_grant){.path = path, .rights = UTIL_GRANT_WRITE});
}

void tool_sandbox_writes_pictures(struct tool_sandbox *s, const char *folder)
{
    grant(s, (struct util_grant){.path = folder, .pattern = TOOL_PICTURES, .rights = UTIL_GRANT_WRITE});
}

/* Compiled code has a folder of its own there (jit/cache.h). */
static const char *grant_code(struct tool_sandbox *s)
{
    static char folder[4096];
    const struct tool_device_options *d = s->device;
    if (!d || d->no_cache || d->interpreter || d->reference || !jit_code_folder(true, folder, sizeof folder))
        return "";
    grant(s, (struct util_grant){folder, "[!.]*", UTIL_GRANT_READ | UTIL_GRANT_WRITE, .no_link = true});
    return folder;
}

/* While paths can still be looked at: nothing is worked on for a file that cannot be written. */
static int check_outputs(const struct tool_sandbox *s)
{
    int code = TOOL_OK;
    for (uint32_t i = 0; !code && i < s->files.count; i++)
        if (s->files.at[i].rights == UTIL_GRANT_WRITE && !s->files.at[i].pattern)
            code = tool_check_output(s->name, s->files.at[i].path);
    return code;
}

int tool_sandbox_enter(struct tool_sandbox *s)
{
    const int outputs = check_outputs(s);
    if (outputs) {
        free(s->files.at);
        s->files.at = NULL;
        return outputs;
    }
    const char *code = s->off ? NULL : grant_code(s);
    const struct util_sandbox sandbox = {.grants = s->files.at,
                                         .grant_count = s->files.count,
                                         .at_end = s->at_end,
                                         .data = s->data,
                                         .pipe_bytes = s->serves ? DRM_EVENT_PIPE : 0,
                                         .walls = s->walls};
    int r = s->off ? -ENOTSUP : s->out_of_memory ? -ENOMEM : util_sandbox_enter(&sandbox);
    free(s->files.at);
    s->files.at = NULL;
    if (!r && s->device)
        s->device->code_folder = code;
    s->entered = !r;
    if (r == -ENOSYS)
        tool_error(s->name, 0, "goes on without its sandbox: the kernel has no filters (seccomp)");
    return !r || r == -ENOSYS || r == -ENOTSUP
               ? TOOL_OK
               : tool_error(s->name, TOOL_HOST, "no sandbox: %s", strerror(-r));
}

int tool_with_device(struct tool_sandbox *s, int (*run)(void *data, const struct gpu_options *device),
                     void *data)
{
    struct util_pool *pool;
    struct jit_engine *engine;
    struct gpu_options device;
    int code = tool_sandbox_enter(s);
    if (!code)
        code = tool_device_open(s->name, s->device, &pool, &engine, &device);
    if (code)
        return code;
    code = run(data, &device);
    util_pool_destroy(pool);
    jit_engine_destroy(engine);
    return code;
}

void tool_tell(int pipe, const void *bytes, size_t size)
{
    for (const char *at = bytes; size;) {
        const ssize_t n = write(pipe, at, size);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            _exit(TOOL_HOST);
        at += n;
        size -= (size_t)n;
    }
}
