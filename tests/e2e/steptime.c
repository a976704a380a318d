/* Preloaded beside the client: makes time a matter of frames, so that two runs of an animated program draw
 * the same pictures. Clocks stand still within a frame and advance by STEPTIME_US microseconds (default
 * 16667) at each page flip or mode set. */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static uint64_t frames;

static uint64_t now_us(void)
{
    const char *step = getenv("STEPTIME_US");
    return 1000000000ull + frames * (step ? strtoull(step, NULL, 10) : 16667);
}

int clock_gettime(clockid_t id, struct timespec *out)
{
    (void)id;
    out->tv_sec = (time_t)(now_us() / 1000000);
    out->tv_nsec = (long)(now_us() % 1000000 * 1000);
    return 0;
}

int gettimeofday(struct timeval *restrict out, void *restrict zone)
{
    (void)zone;
    out->tv_sec = (time_t)(now_us() / 1000000);
    out->tv_usec = (suseconds_t)(now_us() % 1000000);
    return 0;
}

time_t time(time_t *out)
{
    time_t t = (time_t)(now_us() / 1000000);
    if (out)
        *out = t;
    return t;
}

static long long real_ns(clockid_t id)
{
    struct timespec t = {0};
    syscall(SYS_clock_gettime, id, &t);
    return (long long)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void log_flip(void)
{
    static FILE *file;
    const char *path = getenv("STEPTIME_LOG");
    if (!file && path)
        file = fopen(path, "w");
    if (file) {
        fprintf(file, "%lld %lld\n", real_ns(CLOCK_MONOTONIC), real_ns(CLOCK_PROCESS_CPUTIME_ID));
        fflush(file);
    }
}

int drmModePageFlip(int fd, uint32_t crtc, uint32_t fb, uint32_t flags, void *data)
{
    int (*real)(int, uint32_t, uint32_t, uint32_t, void *) = NULL;
    *(void **)&real = dlsym(RTLD_NEXT, "drmModePageFlip");
    log_flip();
    frames++;
    return real(fd, crtc, fb, flags, data);
}
