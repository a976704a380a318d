#include "tools/run_stats.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "util/list.h"

enum { MOST = 4096 }; /* processes that are looked at */

struct sample {
    double time, program, server; /* seconds */
    uint64_t pictures, busy;
};

struct run_stats {
    uint64_t pictures, busy; /* the server's; ns */
    struct sample last;      /* the tool's */
};

struct run_stats *run_stats_create(void)
{
    void *page =
        mmap(NULL, sizeof(struct run_stats), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return page == MAP_FAILED ? NULL : page;
}

void run_stats_put(struct run_stats *s, struct drm *drm)
{
    if (!s)
        return;
    __atomic_store_n(&s->pictures, drm_frames_presented(drm), __ATOMIC_RELAXED);
    __atomic_store_n(&s->busy, drm_used(drm).busy, __ATOMIC_RELAXED);
}

/* ---- processes ---- */

/* The text of a small file; "" where there is none. */
static void read_small(const char *path, char *text, size_t room)
{
    FILE *file = fopen(path, "re");
    size_t n = file ? fread(text, 1, room - 1, file) : 0;
    text[n] = 0;
    if (file)
        fclose(file);
}

/* Its own, and of those that it has waited for: proc_pid_stat(5), fields 14 to 17. */
static double used_by(pid_t process)
{
    char path[64], text[1024];
    unsigned long own, kernel, others, others_kernel;
    snprintf(path, sizeof path, "/proc/%d/stat", (int)process);
    read_small(path, text, sizeof text);
    const char *rest = strrchr(text, ')'); /* behind its name, in which anything may stand */
    if (!rest || sscanf(rest + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu %lu %lu", &own,
                        &kernel, &others, &others_kernel) != 4)
        return 0;
    return (double)(own + kernel + others + others_kernel) / (double)sysconf(_SC_CLK_TCK);
}

struct family {
    pid_t *at;
    uint32_t count, room;
};

/* Those that a process has begun, by any of its threads. */
static void add_children(struct family *all, pid_t process)
{
    char path[64], text[4096], *save;
    snprintf(path, sizeof path, "/proc/%d/task", (int)process);
    DIR *tasks = opendir(path);
    for (const struct dirent *task; tasks && (task = readdir(tasks));) {
        char children[sizeof path + sizeof task->d_name + 16];
        snprintf(children, sizeof children, "%s/%s/children", path, task->d_name);
        read_small(children, text, sizeof text);
        for (char *word = strtok_r(text, " ", &save); word && all->count < MOST;
             word = strtok_r(NULL, " ", &save))
            UTIL_LIST_ADD(*all, (pid_t)atoi(word));
    }
    if (tasks)
        closedir(tasks);
}

double run_stats_processors(pid_t process)
{
    struct family all = {0};
    double used = used_by(process);
    add_children(&all, process);
    for (uint32_t i = 0; i < all.count; i++) {
        used += used_by(all.at[i]);
        add_children(&all, all.at[i]);
    }
    free(all.at);
    return used;
}

/* ---- what is said ---- */

/* Of a second: who ends unwaited for takes its time out of the sum, which is no work done backwards. */
static double at_work(double now, double last, double passed)
{
    return now > last ? (now - last) / passed : 0;
}

void run_stats_tell(struct run_stats *s, pid_t program, pid_t server)
{
    struct timespec t;
    if (!s)
        return;
    clock_gettime(CLOCK_MONOTONIC, &t);
    const struct sample now = {.time = (double)t.tv_sec + (double)t.tv_nsec * 1e-9,
                               .program = program ? run_stats_processors(program) : s->last.program,
                               .server = server ? used_by(server) : s->last.server,
                               .pictures = __atomic_load_n(&s->pictures, __ATOMIC_RELAXED),
                               .busy = __atomic_load_n(&s->busy, __ATOMIC_RELAXED)};
    const struct sample *last = &s->last;
    const double passed = now.time - last->time;
    if (last->time > 0 && passed > 0)
        fprintf(stderr,
                "vitrail: %.1f pictures a second; the GPU at work %.0f %% of the time; processors: program "
                "%.2f, GPU %.2f\n",
                (double)(now.pictures - last->pictures) / passed,
                (double)(now.busy - last->busy) / passed * 1e-7, at_work(now.program, last->program, passed),
                at_work(now.server, last->server, passed));
    s->last = now;
}
