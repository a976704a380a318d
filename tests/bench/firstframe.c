/* Preloaded into a program that draws with GL: how long its first frame takes, from the first call that makes
 * a GPU work to the frame's end, a page flip or a glFinish. One line in $FIRSTFRAME_LOG: milliseconds of wall
 * time and of the process's processor time. Programs get GL's functions by name (dlsym, eglGetProcAddress).
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef void (*any_fn)(void);

enum { CLEAR, ARRAYS, ELEMENTS, MIPMAP, FINISH, ADDRESS, COUNT };
static any_fn real[COUNT];

static double begun[2];
static int ended;

static double ms(clockid_t clock)
{
    struct timespec t = {0};
    clock_gettime(clock, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static void begin(void)
{
    if (begun[0] > 0)
        return;
    begun[0] = ms(CLOCK_MONOTONIC);
    begun[1] = ms(CLOCK_PROCESS_CPUTIME_ID);
}

static void end(void)
{
    double wall = ms(CLOCK_MONOTONIC), cpu = ms(CLOCK_PROCESS_CPUTIME_ID);
    const char *path = getenv("FIRSTFRAME_LOG");
    FILE *file;
    if (ended || !(begun[0] > 0))
        return;
    ended = 1;
    if (path && (file = fopen(path, "w"))) {
        fprintf(file, "%.3f %.3f\n", wall - begun[0], cpu - begun[1]);
        fclose(file);
    }
}

static void our_clear(unsigned mask)
{
    begin();
    ((void (*)(unsigned))real[CLEAR])(mask);
}

static void our_arrays(unsigned mode, int first, int count)
{
    begin();
    ((void (*)(unsigned, int, int))real[ARRAYS])(mode, first, count);
}

static void our_elements(unsigned mode, int count, unsigned type, const void *indices)
{
    begin();
    ((void (*)(unsigned, int, unsigned, const void *))real[ELEMENTS])(mode, count, type, indices);
}

static void our_mipmap(unsigned target)
{
    begin();
    ((void (*)(unsigned))real[MIPMAP])(target);
}

static void our_finish(void)
{
    real[FINISH]();
    end();
}

static any_fn our_address(const char *name);

/* What a program gets that asks for a function by name. */
static void *replaced(const char *name, void *found)
{
    static const struct {
        const char *name;
        any_fn ours;
    } calls[COUNT] = {[CLEAR] = {"glClear", (any_fn)our_clear},
                      [ARRAYS] = {"glDrawArrays", (any_fn)our_arrays},
                      [ELEMENTS] = {"glDrawElements", (any_fn)our_elements},
                      [MIPMAP] = {"glGenerateMipmap", (any_fn)our_mipmap},
                      [FINISH] = {"glFinish", our_finish},
                      [ADDRESS] = {"eglGetProcAddress", (any_fn)our_address}};

    for (unsigned i = 0; found && i < COUNT; i++)
        if (!strcmp(calls[i].name, name)) {
            memcpy(&real[i], &found, sizeof found);
            memcpy(&found, &calls[i].ours, sizeof found);
            break;
        }
    return found;
}

static any_fn our_address(const char *name)
{
    any_fn address = ((any_fn(*)(const char *))real[ADDRESS])(name);
    void *found;
    memcpy(&found, &address, sizeof found);
    found = replaced(name, found);
    memcpy(&address, &found, sizeof found);
    return address;
}

void *dlsym(void *restrict handle, const char *restrict name)
{
    static void *(*next)(void *restrict, const char *restrict);
    if (!next)
        *(void **)&next = dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.2.5");
    return replaced(name, next(handle, name));
}

int drmModePageFlip(int fd, unsigned crtc, unsigned fb, unsigned flags, void *data)
{
    int (*next)(int, unsigned, unsigned, unsigned, void *) = NULL;
    *(void **)&next = dlsym(RTLD_NEXT, "drmModePageFlip");
    end();
    return next(fd, crtc, fb, flags, data);
}
