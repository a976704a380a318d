/* How long a register access takes while the GPU is at a frame: what a virtual machine's processor is held by. Plays a
 * capture as a driver would, each write at once, and reads registers while jobs run.
 *
 *   access CAPTURE [THREADS]
 *
 * Prints the longest and the 999th of a thousand, of writes and of reads, and the longest job, in microseconds. Built by
 * hand, with the shared library:
 *
 *   gcc -O2 -Iinclude tests/bench/access.c -o access -Lbuild/api -lvitrail -Wl,-rpath,build/api
 *   chrt -r 5 ./access CAPTURE      (else others of the machine are measured)
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <vitrail.h>

enum { MOST = 1 << 20, UNITS = 16 };

struct times {
    const char *name;
    float *us;
    uint32_t count;
};

static double now_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

static void note(struct times *times, double from)
{
    if (times->count < MOST)
        times->us[times->count++] = (float)(now_us() - from);
}

static int order(const void *a, const void *b)
{
    const float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

static void print(struct times *times)
{
    if (!times->count)
        return;
    qsort(times->us, times->count, sizeof *times->us, order);
    printf("%u %s: longest %.1f us, 999 of 1000 within %.1f us\n", times->count, times->name,
           (double)times->us[times->count - 1], (double)times->us[(uint64_t)times->count * 999 / 1000]);
}

static int runs(struct vitrail_context *gpu)
{
    struct vitrail_unit units[UNITS];
    const int count = vitrail_units(gpu, units, UNITS);
    for (int n = 0; n < count && n < UNITS; n++)
        if (units[n].state == VITRAIL_UNIT_RUNNING)
            return 1;
    return 0;
}

static int fails(void)
{
    fprintf(stderr, "access: %s\n", vitrail_last_error());
    return 1;
}

static double play(struct vitrail_capture *capture, struct vitrail_context *gpu, uint32_t registers,
                   struct times *writes, struct times *reads)
{
    struct vitrail_event event = {.size = sizeof event};
    double longest_job = 0;
    uint32_t value, at = 0;
    while (!vitrail_capture_next(capture, &event) && event.type != VITRAIL_EVENT_END) {
        if (event.type == VITRAIL_EVENT_MEMORY)
            vitrail_memory_write(gpu, event.address, event.bytes, event.count);
        if (event.type != VITRAIL_EVENT_REGISTER && event.type != VITRAIL_EVENT_IRQ_REPLY)
            continue;
        const double from = now_us();
        vitrail_write_register(gpu, event.offset, event.value);
        note(writes, from);
        while (runs(gpu)) {
            const double before = now_us();
            vitrail_read_register(gpu, at = (at + 4) % registers, &value);
            note(reads, before);
        }
        const double job = now_us() - from;
        longest_job = job > longest_job ? job : longest_job;
    }
    return longest_job;
}

int main(int argc, char **argv)
{
    struct vitrail_capture_info info = {.size = sizeof info};
    struct vitrail_gpu about = {.size = sizeof about};
    struct vitrail_config config;
    struct vitrail_capture *capture;
    struct vitrail_context *gpu;
    struct times writes = {.name = "writes"}, reads = {.name = "reads while jobs ran"};
    if (argc < 2) {
        fprintf(stderr, "usage: access CAPTURE [THREADS]\n");
        return 2;
    }
    vitrail_config_init(&config, sizeof config);
    if (vitrail_capture_open(argv[1], &capture) || vitrail_capture_get_info(capture, &info) ||
        vitrail_gpu_find(info.gpu, &about))
        return fails();
    config.gpu = info.gpu;
    config.memory_size = info.memory_size;
    config.threads = argc > 2 ? atoi(argv[2]) : -1;
    writes.us = malloc(MOST * sizeof *writes.us);
    reads.us = malloc(MOST * sizeof *reads.us);
    if (!writes.us || !reads.us || vitrail_open(&config, &gpu))
        return fails();
    const double job = play(capture, gpu, about.register_bytes, &writes, &reads);
    print(&writes);
    print(&reads);
    printf("longest job: %.0f us\n", job);
    vitrail_close(&gpu);
    vitrail_capture_close(&capture);
    free(writes.us);
    free(reads.us);
    return 0;
}
