#include "micro.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

double micro_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + t.tv_nsec * 1e-9;
}

void micro_cpu(double *user, double *system)
{
    struct rusage r;
    getrusage(RUSAGE_SELF, &r);
    *user = r.ru_utime.tv_sec + r.ru_utime.tv_usec * 1e-6;
    *system = r.ru_stime.tv_sec + r.ru_stime.tv_usec * 1e-6;
}

double micro_busy(void)
{
    enum { USER, NICE, SYSTEM, IDLE, IOWAIT, IRQ, SOFTIRQ, STEAL, COUNT };
    unsigned long long v[COUNT] = {0};
    FILE *file = fopen("/proc/stat", "r");

    if (!file)
        return 0;
    int got = fscanf(file, "cpu %llu %llu %llu %llu %llu %llu %llu %llu", v, v + 1, v + 2, v + 3, v + 4,
                     v + 5, v + 6, v + 7);
    fclose(file);
    if (got < COUNT)
        return 0;
    return (v[USER] + v[NICE] + v[SYSTEM] + v[IRQ] + v[SOFTIRQ] + v[STEAL]) / (double)sysconf(_SC_CLK_TCK);
}

void micro_wait_quiet(double processors)
{
    for (int i = 0; i < 300; i++) {
        struct timespec pause = {0, 200000000};
        double busy = micro_busy(), started = micro_now(), user[2], system[2];

        micro_cpu(&user[0], &system[0]);
        nanosleep(&pause, NULL);
        micro_cpu(&user[1], &system[1]);
        double own = user[1] - user[0] + system[1] - system[0];
        if ((micro_busy() - busy - own) / (micro_now() - started) < processors)
            return;
    }
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

double micro_median(double *values, int count)
{
    qsort(values, count, sizeof *values, compare);
    return count & 1 ? values[count / 2] : 0.5 * (values[count / 2 - 1] + values[count / 2]);
}
