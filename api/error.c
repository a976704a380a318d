/* Errors in words, and structures of another version than ours. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "api/internal.h"
#include "util/bits.h"

static _Thread_local char last_error[512];
static _Thread_local const struct vitrail_context *failed; /* whose log is to have last_error */

static _Thread_local char this_thread; /* its address names the thread */

uintptr_t api_me(void)
{
    return (uintptr_t)&this_thread;
}

static _Thread_local const struct vitrail_context *logging; /* whose log callback this thread is inside of */

bool api_is_logging(const struct vitrail_context *context)
{
    return logging == context;
}

void api_log(struct vitrail_context *context, int level, const char *text)
{
    const struct vitrail_context *outer = logging;
    if (!context->config.log || level > context->config.log_level || outer == context)
        return;
    logging = context;
    context->config.log(context->config.log_data, level, text);
    logging = outer;
}

int api_fail(struct vitrail_context *context, int code, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(last_error, sizeof last_error, format, args);
    va_end(args);
    failed = context ? context : failed;
    return code;
}

void api_log_failure(struct vitrail_context *context)
{
    if (failed != context)
        return;
    failed = NULL;
    api_log(context, VITRAIL_LOG_ERROR, last_error);
}

int api_fail_error(struct vitrail_context *context, int code, const char *what,
                   const struct util_error *error)
{
    return api_fail(context, code, "%s: %s", what,
                    error && error->code ? error->text : vitrail_strerror(code));
}

const char *vitrail_last_error(void)
{
    return last_error;
}

const char *vitrail_strerror(int code)
{
    static const struct {
        int code;
        const char *text;
    } texts[] = {
        {EINVAL, "invalid argument"},
        {EBUSY, "in use: by another thread, or by the call that this callback belongs to"},
        {E2BIG, "a structure of a newer version, with fields that this library does not know"},
        {ENOENT, "not found"},
        {ENOTSUP, "not supported"},
        {EPERM, "not permitted: the file is not sealed against shrinking"},
        {EBADF, "bad file descriptor"},
        {EACCES, "permission denied"},
        {ENODEV, "no such device, or no file that can be mapped"},
        {ENOMEM, "out of memory"},
        {EAGAIN, "no resources for another thread"},
        {EIO, "input or output error"},
        {EFAULT, "outside guest memory"},
        {ENODATA, "nothing there yet"},
        {ERANGE, "the buffer is too small"},
        {ENOSPC, "no room"},
        {EBADMSG, "damaged, or not a capture"},
        {EISDIR, "is a directory"},
        {EMFILE, "too many open files"},
        {ENFILE, "too many open files in the system"},
        {ELOOP, "too many symbolic links"},
        {ENOTDIR, "not a directory"},
        {ENAMETOOLONG, "name too long"},
    };
    if (code >= 0)
        return "success";
    for (size_t i = 0; i < UTIL_ARRAY_SIZE(texts); i++)
        if (code == -texts[i].code)
            return texts[i].text;
    return "unknown error";
}

uint32_t vitrail_api_version(void)
{
    return VITRAIL_API_MAJOR << 16 | VITRAIL_API_MINOR << 8 | VITRAIL_API_PATCH;
}

const char *vitrail_version(void)
{
    return VITRAIL_VERSION;
}

/* ---- structures ---- */

int api_give(void *to, const void *from, size_t known, size_t first)
{
    size_t size;
    memcpy(&size, to, sizeof size);
    if (size < first)
        return api_fail(NULL, -EINVAL, "size is %zu: the structure was never smaller than %zu", size, first);
    size_t copied = UTIL_MIN(size, known);
    memcpy((char *)to + sizeof size, (const char *)from + sizeof size, copied - sizeof size);
    if (size > copied)
        memset((char *)to + copied, 0, size - copied);
    return 0;
}

int api_take(void *to, const void *from, size_t known, size_t first)
{
    size_t size;
    memcpy(&size, from, sizeof size);
    if (size < first)
        return api_fail(NULL, -EINVAL, "size is %zu: the structure was never smaller than %zu", size, first);
    for (size_t i = known; i < size; i++)
        if (((const char *)from)[i])
            return api_fail(NULL, -E2BIG, "fields from byte %zu on belong to a newer version", i);
    memcpy(to, from, UTIL_MIN(size, known));
    return 0;
}
