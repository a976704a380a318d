/* Programs of the panfrost driver that die, on the device itself and through the server: chains that they left
 * do not go on for ever, what they had comes back, and others' chains run. */
#include "tests/drm/host.h"

#include "drm/panfrost/abi.h"
#include "gpu/families.h"
#include "isa/midgard/asm.h"

enum { MEMORY = 64 << 20, MOST = 40 << 20, ROUNDS = 6, JOB_BYTES = 64 };
static const char *const gpus[] = {"t720", "t760", "t860"};

struct mali {
    struct gpu_memory memory;
    struct gpu_device gpu;
    struct drm *drm;
    struct host host;
    unsigned messages, faults;
};

/* Memory that is not back yet is refused, and asked for again. */
static void on_said(void *data, const char *text)
{
    if (strncmp(text, "out of GPU memory", 17) == 0)
        return;
    print_message("%s\n", text);
    ((struct mali *)data)->messages++;
}

static void on_faulted(void *data, const struct gpu_fault *fault)
{
    ((struct mali *)data)->faults++;
}

static void mali_open(struct mali *m, const char *name)
{
    const struct gpu_options device = {0};
    memset(m, 0, sizeof *m);
    assert_int_equal(gpu_memory_create(MEMORY, &m->memory), 0);
    assert_int_equal(gpu_create(name, &m->memory, &device, &m->gpu), 0);
    const struct drm_options options = {
        .gpu = m->gpu, .asynchronous = true, .listener = {m, on_faulted, on_said}};
    assert_int_equal(drm_create(&m->memory, &options, &m->drm), 0);
    host_serve(&m->host, m->drm, &m->memory);
}

static void mali_close(struct mali *m)
{
    host_end(&m->host);
    drm_destroy(m->drm);
    gpu_device_destroy(&m->gpu);
    gpu_memory_destroy(&m->memory);
}

/* ---- buffers, chains ---- */

struct buffer {
    uint32_t handle;
    uint64_t address;
    uint8_t *at;
};

/* The memory of a program that died comes back by and by. */
static struct buffer make_buffer(struct mali *m, struct peer *p, uint32_t file, uint32_t size, uint32_t flags)
{
    struct panfrost_create_bo create = {.size = size, .flags = flags};
    int r = -ENOMEM;
    for (unsigned tries = 0; r == -ENOMEM && tries < 5000; tries++) {
        r = ioctl_by_ring(p, file, PANFROST_IOCTL_CREATE_BO, &create);
        if (r)
            usleep(1000);
    }
    assert_int_equal(r, 0);
    struct panfrost_mmap_bo map = {.handle = create.handle};
    assert_int_equal(ioctl_by_ring(p, file, PANFROST_IOCTL_MMAP_BO, &map), 0);
    return (struct buffer){create.handle, create.address, m->memory.base + map.offset};
}

/* A job at the beginning of the buffer that writes a zero of 64 bits to its end; `next`: what comes then. */
static void put_job(const struct buffer *b, uint32_t size, uint64_t next)
{
    memset(b->at, 0, JOB_BYTES);
    util_store32(b->at + 16, 1 | 2 << 1 | 1 << 16); /* 64 bits, write value */
    util_store64(b->at + 24, next);
    util_store64(b->at + 32, b->address + size - 8);
    util_store32(b->at + 40, 3);
    util_store64(b->at + size - 8, UINT64_MAX);
}

/* Behind it a compute job of as many threads as a word counts: it takes hours. */
static void put_endless(const struct buffer *b, uint32_t size, const struct buffer *program)
{
    enum { JOB = 64, DRAW = JOB + 64, STATE = 512, STORAGE = 768, NOTHING = 1024 };
    static const uint8_t lists[] = {6, 8, 10, 12, 16, 18, 20, 22}; /* words of the draw */
    static const char text[] = "vmul.imov.32 r0, r24, r0 ; stop\n";
    struct util_error error = {0};
    uint32_t count;
    void *words;
    assert_int_equal(midgard_asm(text, strlen(text), &words, &count, &error), 0);
    memcpy(program->at, words, count * 16u);
    free(words);
    put_job(b, size, b->address + JOB);
    memset(b->at + JOB, 0, NOTHING - JOB);
    util_store32(b->at + JOB + 16, 1 | 4 << 1 | 2 << 16); /* 64 bits, compute */
    util_store32(b->at + JOB + 32, UINT32_MAX);
    util_store32(b->at + DRAW, 6); /* descriptors of 64 bits */
    for (size_t n = 0; n < sizeof lists; n++)
        util_store64(b->at + DRAW + 4 * lists[n], b->address + NOTHING);
    util_store64(b->at + DRAW + 4 * 14, b->address + STATE);
    util_store64(b->at + DRAW + 4 * 28, b->address + STORAGE);
    util_store64(b->at + STATE, program->address);
    util_store32(b->at + STATE + 4 * 4, 1 << 21);
    util_store32(b->at + STORAGE + 4, 31);
}

static bool is_done(const struct buffer *b, uint32_t size)
{
    return !__atomic_load_n((const uint64_t *)(const void *)(b->at + size - 8), __ATOMIC_ACQUIRE);
}

static struct panfrost_submit submission(struct peer *p, const struct buffer *b)
{
    memcpy(p->data + DRM_CHANNEL_POINTED, &b->handle, sizeof b->handle);
    return (struct panfrost_submit){
        .chain = b->address, .bo_handles = DRM_CHANNEL_POINTED, .bo_handle_count = 1};
}

static void submit(struct peer *p, uint32_t file, const struct buffer *b)
{
    struct panfrost_submit it = submission(p, b);
    assert_int_equal(ioctl_by_ring(p, file, PANFROST_IOCTL_SUBMIT, &it), 0);
}

/* The answer, which waits for room in the queue where there is none, is not waited for. */
static void begin_submit(struct peer *p, uint32_t file, const struct buffer *b)
{
    const struct drm_message m = {.type = DRM_MSG_IOCTL, .file = file, .request = PANFROST_IOCTL_SUBMIT};
    struct panfrost_submit it = submission(p, b);
    memcpy(p->data + DRM_CHANNEL_ARGUMENT, &it, sizeof it);
    send_raw(p->socket, &m, sizeof m, NULL, 0);
}

static void await(const struct buffer *b, uint32_t size)
{
    for (unsigned tries = 0; !is_done(b, size); tries++) {
        assert_true(tries < 10000);
        usleep(1000);
    }
}

/* ---- programs ---- */

/* A chain of it that takes hours is at work, another waits behind, and it is gone: at times in the middle of a
 * call, at times of a submission. */
static void die_at_work(struct mali *m, unsigned round)
{
    struct peer p;
    peer_open(&p, &m->host);
    const uint32_t file = open_file(&p, DRM_MINOR_RENDER);
    const struct buffer program = make_buffer(m, &p, file, GPU_PAGE, 0);
    const struct buffer b = make_buffer(m, &p, file, MOST, PANFROST_BO_NOEXEC);
    put_endless(&b, MOST, &program);
    submit(&p, file, &b);
    submit(&p, file, &b);
    await(&b, MOST);
    if (round % 3 == 1)
        __atomic_add_fetch(&p.channel->asked, 1, __ATOMIC_SEQ_CST);
    if (round % 3 == 2)
        begin_submit(&p, file, &b);
    peer_close(&p);
}

/* One that lives meanwhile has its chains done, and there is room for one that dies at a time. */
static void test_dying_at_work(void **state)
{
    for (size_t n = 0; n < sizeof gpus / sizeof *gpus; n++) {
        struct mali m;
        struct peer other;
        mali_open(&m, gpus[n]);
        peer_open(&other, &m.host);
        const uint32_t file = open_file(&other, DRM_MINOR_RENDER);
        const struct buffer own = make_buffer(&m, &other, file, GPU_PAGE, PANFROST_BO_NOEXEC);
        for (unsigned round = 0; round < ROUNDS; round++) {
            die_at_work(&m, round);
            put_job(&own, GPU_PAGE, 0);
            submit(&other, file, &own);
            await(&own, GPU_PAGE);
        }
        const struct buffer last = make_buffer(&m, &other, file, MOST, PANFROST_BO_NOEXEC);
        put_job(&last, MOST, 0);
        submit(&other, file, &last);
        await(&last, MOST);
        peer_close(&other);
        assert_int_equal(m.messages, 0);
        assert_int_equal(m.faults, 0);
        mali_close(&m);
    }
}

/* More programs than there are address spaces and places in the queue: some die while their submissions wait. */
static void test_dying_in_a_submission(void **state)
{
    enum { PROGRAMS = 40, SMALL = 64 << 10 };
    struct mali m;
    struct peer p[PROGRAMS], other;
    mali_open(&m, "t860");
    for (unsigned i = 0; i < PROGRAMS; i++) {
        peer_open(&p[i], &m.host);
        const uint32_t file = open_file(&p[i], DRM_MINOR_RENDER);
        const struct buffer program = make_buffer(&m, &p[i], file, GPU_PAGE, 0);
        const struct buffer b = make_buffer(&m, &p[i], file, SMALL, PANFROST_BO_NOEXEC);
        put_endless(&b, SMALL, &program);
        begin_submit(&p[i], file, &b);
        if (!i)
            await(&b, SMALL);
    }
    for (unsigned i = 0; i < PROGRAMS; i++)
        peer_close(&p[i]);
    peer_open(&other, &m.host);
    const uint32_t file = open_file(&other, DRM_MINOR_RENDER);
    const struct buffer last = make_buffer(&m, &other, file, MOST, PANFROST_BO_NOEXEC);
    put_job(&last, MOST, 0);
    submit(&other, file, &last);
    await(&last, MOST);
    peer_close(&other);
    assert_int_equal(m.messages + m.faults, 0);
    mali_close(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_dying_at_work),
        cmocka_unit_test(test_dying_in_a_submission),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
