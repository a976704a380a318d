/* What `vitrail run` says at the end of a run that never used the GPU: programs draw in software, and exit
 * with 0, when Mesa finds no driver for the card or is told not to use it. */
#include "tools/run.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static void add(char *text, size_t size, size_t *n, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
static void add(char *text, size_t size, size_t *n, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int more = vsnprintf(text + *n, size - *n, format, args);
    va_end(args);
    if (more > 0)
        *n = *n + (size_t)more < size ? *n + (size_t)more : size - 1;
}

/* What may have kept Mesa from the driver. */
static void add_causes(const struct run *run, char *text, size_t size, size_t *n)
{
    static const char *const names[] = {"GBM_ALWAYS_SOFTWARE", "LIBGL_ALWAYS_SOFTWARE",
                                        "MESA_LOADER_DRIVER_OVERRIDE", "LIBGL_DRIVERS_PATH"};
    size_t before = *n;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (getenv(names[i]))
            add(text, size, n, "; %s is %s", names[i], getenv(names[i]));
    if (*n == before && run->no_driver)
        add(text, size, n,
            "; %s is a native program, and this machine's Mesa has no %s driver: LIBGL_DRIVERS_PATH names a "
            "build that has one, or take an arm64 program",
            run->argv[0], run->launch.driver);
}

static bool is_unused(const struct run *run, const struct drm_use *use, char *text, size_t size)
{
    size_t n = 0;
    if (run->any_driver || use->jobs)
        return false;
    add(text, size, &n, "the GPU was never used: ");
    if (!use->files) {
        add(text, size, &n, "nothing opened /dev/dri");
    } else if (use->driver) {
        add(text, size, &n, RUN_IDLE_DRIVER);
    } else {
        add(text, size, &n, "its driver was not at work, what was drawn was drawn in software");
        add_causes(run, text, size, &n);
    }
    add(text, size, &n, " (--any-driver: take that for success)");
    return true;
}

int run_judge(struct run *run, const struct drm_use *use)
{
    char text[1024];
    if (!is_unused(run, use, text, sizeof text))
        return TOOL_OK;
    run->reports = 0; /* it is said in any case */
    run_report(run, text);
    return TOOL_UNUSED;
}
