/* Which pages of memory a GPU wrote, as who sends a virtual machine elsewhere must know. Memory is a file of the test's own,
 * which it writes through a mapping of its own, as the machine's processors do. Linked against the library alone. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "gpus.h"

#define PAGE 4096u
enum { RUNS = 256 };

static char cache[] = "/tmp/vitrail-written-XXXXXX"; /* of compiled programs */

struct machine {
    struct vitrail_context *gpu;
    struct vitrail_capture *capture;
    uint64_t size,
        half; /* bytes of memory; half is not 0: the lower `half` bytes stand behind the others in the file */
    int fd;
    uint8_t *cpu;     /* the file */
    uint8_t *copy;    /* what it would be but for the GPU */
    uint8_t *written; /* for each page of the file whether it was given */
    uint64_t given;   /* pages since they were last checked, each time */
};

/* Of a guest address, or of an offset the address. */
static uint64_t other(const struct machine *m, uint64_t at)
{
    return at < m->half ? at + m->half : at - m->half;
}

static void *map(size_t size, int fd)
{
    void *at = mmap(NULL, size, PROT_READ | PROT_WRITE,
                    fd < 0 ? MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE : MAP_SHARED, fd, 0);
    assert_true(at != MAP_FAILED);
    return at;
}

static struct machine start(const char *path, int threads, bool split)
{
    struct machine m = {0};
    struct vitrail_capture_info info = {.size = sizeof info};
    struct vitrail_config config;
    char whole[512];
    snprintf(whole, sizeof whole, CAPTURES "%s", path);
    assert_int_equal(vitrail_capture_open(whole, &m.capture), 0);
    assert_int_equal(vitrail_capture_get_info(m.capture, &info), 0);
    m.size = info.memory_size;
    m.half = split ? m.size / 2 : 0;
    m.fd = memfd_create("ram", MFD_ALLOW_SEALING);
    assert_true(m.fd >= 0 && !ftruncate(m.fd, (off_t)m.size) && !fcntl(m.fd, F_ADD_SEALS, F_SEAL_SHRINK));
    m.cpu = map(m.size, m.fd);
    m.copy = map(m.size, -1);
    m.written = map(m.size / PAGE, -1);
    const struct vitrail_region regions[] = {{0, m.half, m.half}, {m.half, m.half, 0}};
    assert_int_equal(vitrail_config_init(&config, sizeof config), 0);
    config.gpu = info.gpu;
    config.threads = threads;
    config.cache_dir = cache;
    config.memory = VITRAIL_MEMORY_FD;
    config.memory_fd = m.fd;
    config.memory_size = m.size;
    config.regions = regions;
    config.region_count = split ? 2 : 0;
    assert_int_equal(vitrail_open(&config, &m.gpu), 0);
    return m;
}

static void stop(struct machine *m)
{
    vitrail_close(&m->gpu);
    vitrail_capture_close(&m->capture);
    munmap(m->cpu, m->size);
    munmap(m->copy, m->size);
    munmap(m->written, m->size / PAGE);
    close(m->fd);
}

static void put(struct machine *m, uint64_t address, const void *bytes, size_t size)
{
    assert_int_equal(address / PAGE, (address + size - 1) / PAGE); /* as captures have them */
    memcpy(m->cpu + other(m, address), bytes, size);
    memcpy(m->copy + other(m, address), bytes, size);
}

/* What a driver does up to the next picture. False: there is none. */
static bool drive(struct machine *m)
{
    struct vitrail_event event = {.size = sizeof event};
    for (;;) {
        assert_int_equal(vitrail_capture_next(m->capture, &event), 0);
        switch (event.type) {
        case VITRAIL_EVENT_END: return false;
        case VITRAIL_EVENT_FRAME: return true;
        case VITRAIL_EVENT_MEMORY: put(m, event.address, event.bytes, event.count); break;
        default:
            assert_int_equal(vitrail_write_register(m->gpu, event.offset, event.value), 0);
            assert_int_equal(vitrail_wait(m->gpu), 0);
        }
    }
}

/* Takes what was written, `capacity` runs at a time; how many runs there were. */
static unsigned take(struct machine *m, uint32_t capacity)
{
    struct vitrail_region runs[RUNS];
    unsigned total = 0;
    int count;
    assert_in_range(capacity, 1, RUNS);
    do {
        memset(runs, 0, sizeof runs); /* what is not filled in is seen */
        count = vitrail_written(m->gpu, runs, capacity);
        assert_true(count >= 0);
        for (int n = 0; n < count && n < (int)capacity; n++, total++) {
            const struct vitrail_region *r = &runs[n];
            assert_true(r->size && (r->address | r->size | r->offset) % PAGE == 0);
            assert_true(r->address < m->size && r->size <= m->size - r->address);
            assert_int_equal(r->offset, other(m, r->address));
            assert_int_equal(r->offset + r->size, other(m, r->address + r->size - PAGE) + PAGE);
            memset(m->written + r->offset / PAGE, 1, r->size / PAGE);
            m->given += r->size / PAGE;
        }
    } while (count > (int)capacity);
    return total;
}

/* Every page that the GPU changed was given; how many it changed. They become those of the copy. */
static uint64_t check(struct machine *m)
{
    uint64_t changed = 0;
    for (off_t at = lseek(m->fd, 0, SEEK_DATA), end; at >= 0; at = lseek(m->fd, end, SEEK_DATA)) {
        end = lseek(m->fd, at, SEEK_HOLE);
        for (; at < end; at += PAGE) {
            if (!memcmp(m->cpu + at, m->copy + at, PAGE))
                continue;
            if (!m->written[at / PAGE])
                fail_msg("page 0x%llx was changed, and not given",
                         (unsigned long long)other(m, (uint64_t)at));
            memcpy(m->copy + at, m->cpu + at, PAGE);
            changed++;
        }
    }
    memset(m->written, 0, m->size / PAGE);
    return changed;
}

/* Whether this kernel can, as far as is seen from here: Linux 6.7, and userfaultfd is not forbidden. */
static bool kernel_can(void)
{
    struct utsname kernel;
    unsigned major = 0, minor = 0;
    assert_int_equal(uname(&kernel), 0);
    assert_int_equal(sscanf(kernel.release, "%u.%u", &major, &minor), 2);
    const int fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC | 1 /* UFFD_USER_MODE_ONLY */);
    if (fd >= 0)
        close(fd);
    return fd >= 0 && (major > 6 || (major == 6 && minor >= 7));
}

/* False: this kernel cannot. */
static bool track(struct machine *m)
{
    const int code = vitrail_track_writes(m->gpu, 1);
    assert_int_equal(code, kernel_can() ? 0 : -ENOTSUP);
    if (code)
        print_message("left out: %s\n", vitrail_last_error());
    return !code;
}

static const struct {
    const char *path;
    bool split; /* also as two regions */
} captures[] = {{"gltest.vtc", true},          {"mali400/gltest.vtc", true}, {"mali450/gltest.vtc", true},
                {"t860/gltest.vtc", true},     {"g52/gltest.vtc", true},     {"g57/gltest.vtc", true},
                {"libresoc/gltest.vtc", false}};

/* Of each family: what changed was given, and no more than was written; then nothing. Begun before and amid work. */
static void pages_are_exact(void **state)
{
    for (size_t c = 0; c < sizeof captures / sizeof *captures * 2; c++) {
        if (c & 1 && !captures[c / 2].split)
            continue;
        struct machine m = start(captures[c / 2].path, 1, c & 1);
        uint64_t changed = 0;
        bool more = true;
        assert_int_equal(vitrail_written(m.gpu, NULL, 0), -ENODATA);
        if (!track(&m)) {
            stop(&m);
            skip();
        }
        assert_int_equal(vitrail_track_writes(m.gpu, 1), 0);
        assert_int_equal(take(&m, RUNS), 0);
        for (unsigned frame = 0; more && frame < 4; frame++) {
            more = drive(&m);
            const int count = vitrail_written(m.gpu, NULL, 0);
            assert_int_equal(take(&m, frame & 1 ? RUNS : 1), count);
            changed += check(&m);
            assert_int_equal(take(&m, RUNS), 0);
            if (frame != 1)
                continue;
            assert_int_equal(vitrail_track_writes(m.gpu, 0), 0); /* once around the others */
            assert_int_equal(vitrail_written(m.gpu, NULL, 0), -ENODATA);
            assert_int_equal(vitrail_track_writes(m.gpu, 1), 0);
            assert_int_equal(take(&m, RUNS), 0);
        }
        print_message("%s: %llu pages changed, %llu given\n", captures[c / 2].path,
                      (unsigned long long)changed, (unsigned long long)m.given);
        assert_true(changed > 0);
        assert_true(m.given < 2 * changed); /* also written: bytes that were the same before */
        stop(&m);
    }
}

struct watcher {
    struct machine *machine;
    atomic_bool over;
    atomic_uint looks;
    unsigned given; /* runs */
};

static void *look_on(void *data)
{
    struct watcher *w = data;
    for (; !atomic_load(&w->over); atomic_fetch_add(&w->looks, 1))
        w->given += take(w->machine, RUNS);
    return NULL;
}

/* Until the watcher has looked once from the beginning. */
static void wait_for_look(struct watcher *w)
{
    for (const unsigned before = atomic_load(&w->looks); atomic_load(&w->looks) - before < 2;)
        usleep(50);
}

/* Asked all the time while jobs run, with several workers: all that changed is given once at least. */
static void nothing_is_lost(void **state)
{
    static const int threads[] = {0, 2, 7};
    for (size_t c = 0; c < sizeof captures / sizeof *captures; c++)
        for (unsigned t = 0; t < 3; t++) {
            struct machine m = start(captures[c].path, threads[t], false);
            struct watcher w = {.machine = &m};
            pthread_t thread;
            if (!track(&m)) {
                stop(&m);
                skip();
            }
            assert_int_equal(pthread_create(&thread, NULL, look_on, &w), 0);
            wait_for_look(&w);
            while (drive(&m))
                ;
            wait_for_look(&w);
            atomic_store(&w.over, true);
            pthread_join(thread, NULL);
            assert_true(w.given > 0);
            assert_int_equal(take(&m, RUNS), 0);
            assert_true(check(&m) > 0);
            stop(&m);
        }
}

/* What the context itself writes for its embedder counts; memory that becomes zero is given whole. */
static void embedders_write(void **state)
{
    struct vitrail_region runs[4];
    struct vitrail_frame frame = {.size = sizeof frame};
    struct machine m = start("gltest.vtc", 0, false);
    if (!track(&m)) {
        stop(&m);
        skip();
    }
    assert_int_equal(vitrail_memory_write(m.gpu, 3 * PAGE - 1, "ab", 2), 0);
    assert_int_equal(vitrail_written(m.gpu, runs, 4), 1);
    assert_int_equal(runs[0].address, 2 * PAGE);
    assert_int_equal(runs[0].size, 2 * PAGE);
    assert_int_equal(vitrail_reset(m.gpu, VITRAIL_RESET_MEMORY), 0);
    assert_int_equal(vitrail_written(m.gpu, runs, 4), 1);
    assert_int_equal(runs[0].size, m.size);
    assert_int_equal(vitrail_written(m.gpu, runs, 4), 0);
    assert_int_equal(vitrail_capture_play(m.capture, m.gpu, 0, &frame), 1);
    take(&m, RUNS);
    assert_true(check(&m) > 0);
    stop(&m);
}

static void misuse(void **state)
{
    struct vitrail_region run;
    struct vitrail_config config;
    struct vitrail_context *gpu;
    void *memory = aligned_alloc(PAGE, PAGE * 16);
    assert_non_null(memory);
    assert_int_equal(vitrail_track_writes(NULL, 1), -EINVAL);
    assert_int_equal(vitrail_written(NULL, &run, 1), -EINVAL);
    assert_int_equal(vitrail_config_init(&config, sizeof config), 0);
    config.memory = VITRAIL_MEMORY_POINTER;
    config.memory_pointer = memory;
    config.memory_size = PAGE * 16;
    config.execution = VITRAIL_EXECUTION_INTERPRETED;
    assert_int_equal(vitrail_open(&config, &gpu), 0);
    assert_int_equal(vitrail_track_writes(gpu, 1), -ENOTSUP);
    assert_non_null(strstr(vitrail_last_error(), "tracking"));
    assert_int_equal(vitrail_track_writes(gpu, 0), 0);
    assert_int_equal(vitrail_written(gpu, &run, 1), -ENODATA);
    assert_int_equal(vitrail_written(gpu, NULL, 1), -EINVAL);
    vitrail_close(&gpu);
    free(memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pages_are_exact),
        cmocka_unit_test(nothing_is_lost),
        cmocka_unit_test(embedders_write),
        cmocka_unit_test(misuse),
    };
    if (!mkdtemp(cache))
        return 1;
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    char command[64];
    snprintf(command, sizeof command, "rm -rf %s", cache);
    return system(command) || failed;
}
