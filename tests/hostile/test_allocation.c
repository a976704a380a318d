/* Memory, threads and files of memory that the host does not give: whichever request fails, the answer is
 * -ENOMEM (or the like), a guest fault that says so, or the right result; nothing crashes, nothing leaks
 * (under the sanitizers), and what comes afterwards works. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <unistd.h>
#include <xxhash.h>

#include "drm/drm.h"
#include "gpu/capture.h"
#include "gpu/families.h"
#include "gpu/replay.h"
#include "tests/drm/call.h"
#include "tests/drm/panfrost_mock.h"
#include "tests/gpu/captures.h"
#include "tests/gpu/vc4/renderer_scene.h"
#include "tests/hostile/refuse.h"

/* ---- devices ---- */

static const char *gpu_name;

static int make_device(void)
{
    struct gpu_memory memory;
    struct util_pool *pool = NULL;
    struct gpu_device gpu = {0};
    struct drm *drm = NULL;
    struct drm_file *file;
    int r = gpu_memory_create(1 << 20, &memory);
    if (r)
        return r;
    r = util_pool_create(2, &pool);
    const struct gpu_options options = {.pool = pool};
    if (!r)
        r = gpu_create(gpu_name, &memory, &options, &gpu);
    const struct drm_options card = {.gpu = gpu, .width = 64, .height = 64};
    if (!r)
        r = drm_create(&memory, &card, &drm);
    if (!r)
        r = drm_open(drm, DRM_MINOR_RENDER, &file);
    drm_destroy(drm);
    gpu_device_destroy(&gpu);
    util_pool_destroy(pool);
    gpu_memory_destroy(&memory);
    return r;
}

/* A device alone, without a card. */
static int make_alone(void)
{
    struct gpu_memory memory;
    struct gpu_device gpu = {0};
    int r = gpu_memory_create(1 << 20, &memory);
    if (r)
        return r;
    r = gpu_create(gpu_name, &memory, &(struct gpu_options){0}, &gpu);
    gpu_device_destroy(&gpu);
    gpu_memory_destroy(&memory);
    return r;
}

static void test_devices(void **unused)
{
    const struct gpu_info *gpu;
    for (unsigned n = 0; (gpu = gpu_info_at(n)); n++) {
        gpu_name = gpu->name;
        refuse_each(gpu->driver ? make_device : make_alone);
    }
    gpu_name = "t860";
    refuse_each(make_alone);
}

/* ---- a card behind an MMU ---- */

static int make_buffer(struct drm_file *file, uint32_t size, uint32_t flags, struct panfrost_create_bo *made)
{
    *made = (struct panfrost_create_bo){.size = size, .flags = flags};
    int r = CALL(file, PANFROST_IOCTL_CREATE_BO, made);
    return r == -ENOSPC ? -ENOMEM : r; /* lists of addresses need memory, too */
}

/* A program on a mock of a Mali: buffers of all kinds, a chain that makes a heap grow, counters. */
static int run_program(struct drm_file *file, struct gpu_memory *memory)
{
    struct panfrost_create_bo chain, heap, code, large;
    uint32_t sample[7 * 64];
    int r = make_buffer(file, 4096, PANFROST_BO_NOEXEC, &chain);
    if (!r)
        r = make_buffer(file, 4 << 20, PANFROST_BO_NOEXEC | PANFROST_BO_HEAP, &heap);
    if (!r)
        r = make_buffer(file, 8192, 0, &code);
    if (!r)
        r = make_buffer(file, (2 << 20) + 4096, PANFROST_BO_NOEXEC, &large);
    if (r)
        return r;
    struct panfrost_mmap_bo map = {.handle = chain.handle};
    assert_int_equal(CALL(file, PANFROST_IOCTL_MMAP_BO, &map), 0);
    struct mock_job *job = (struct mock_job *)(memory->base + map.offset);
    *job = (struct mock_job){.program = code.address, .heap = heap.address, .bytes = 4 << 20};
    const uint32_t handles[] = {chain.handle, heap.handle, code.handle, large.handle};
    struct panfrost_submit submit = {
        .chain = chain.address, .bo_handles = (uintptr_t)handles, .bo_handle_count = 4};
    r = CALL(file, PANFROST_IOCTL_SUBMIT, &submit);
    if (r)
        return r;
    assert_int_equal(job->count, 1);
    struct panfrost_perfcnt_enable enable = {.enable = 1};
    struct panfrost_perfcnt_dump dump = {.buffer = (uintptr_t)sample};
    r = CALL(file, PANFROST_IOCTL_PERFCNT_ENABLE, &enable);
    return r ? (r == -ENOSPC ? -ENOMEM : r) : CALL(file, PANFROST_IOCTL_PERFCNT_DUMP, &dump);
}

static int run_card(void)
{
    static struct mock mock;
    struct gpu_memory memory;
    struct drm *drm = NULL;
    struct drm_file *file;
    int r = gpu_memory_create(16 << 20, &memory);
    if (r)
        return r;
    const struct drm_options options = {
        .gpu = mock_gpu(&mock, &memory, 0x860), .width = 64, .height = 64, .unstable_ioctls = true};
    r = drm_create(&memory, &options, &drm);
    if (!r)
        r = drm_open(drm, DRM_MINOR_RENDER, &file);
    if (!r)
        r = run_program(file, &memory);
    drm_destroy(drm);
    gpu_memory_destroy(&memory);
    return r;
}

static void test_card(void **unused)
{
    refuse_each(run_card);
}

/* ---- compiling and drawing ---- */

static struct way way;

/* A frame; an error, a fault that speaks of memory, or the right picture. */
static int draw(void)
{
    struct scene s;
    struct gpu_fault fault;
    int r = -ENOMEM;
    if (scene_open(&s, way)) {
        triangle_scene(&s, CONFIG_BOTH_FACES | CONFIG_DEPTH(7));
        render(&s);
        r = 0;
        if (gpu_host_faults(vc4_device_host(s.device), &fault, 1)) {
            if (!strstr(fault.text, "memory"))
                fail_msg("%s", fault.text);
            r = -ENOMEM;
        } else {
            assert_int_equal(pixel(&s, 20, 20), BLUE);
            assert_int_equal(pixel(&s, 120, 60), RED);
        }
    }
    scene_close(&s);
    return r;
}

static void test_drawing(void **unused)
{
    way = (struct way){.threads = 0, .reference = true};
    refuse_each(draw);
    way = (struct way){.threads = 2, .jit = true};
    refuse_each(draw);
}

/* ---- captures ---- */

static uint64_t right[8]; /* hashes of the capture's pictures */
static unsigned pictures;
static char capture[CAPTURES_PATH];
static struct jit_engine *engine;

/* Whole replays; what is drawn without a fault is right. */
static int replay_capture(void)
{
    const struct gpu_options options = {.engine = engine};
    struct util_error error = {0};
    struct capture_reader *reader;
    struct capture_frame frame;
    struct replay *replay;
    bool faulted = false;
    int r = capture_reader_open(capture, &reader, &error);
    if (r)
        return r;
    r = replay_create(reader, &options, &replay, &error);
    if (r) {
        capture_reader_close(reader);
        return r;
    }
    for (unsigned i = 0; i < pictures && (r = replay_next_frame(replay, false, &frame, &error)) > 0; i++) {
        struct gpu_fault fault;
        struct util_image image;
        while (replay_faults(replay, &fault, 1)) {
            faulted = true;
            if (!strstr(fault.text, "memory") && fault.kind != GPU_FAULT_TILE_MEMORY)
                fail_msg("%s", fault.text);
        }
        r = replay_picture(replay, &frame, &image);
        if (r)
            break;
        uint64_t hash = XXH3_64bits(image.pixels, (size_t)image.width * image.height * 4);
        util_image_finish(&image);
        if (!right[i])
            right[i] = hash;
        assert_true(faulted || right[i] == hash);
    }
    replay_destroy(replay);
    return r < 0 ? r : faulted ? -ENOMEM : 0;
}

static void test_replay(void **unused)
{
    const struct jit_options jit = {.level = -1, .cache_dir = ""};
    assert_int_equal(jit_engine_create(&jit, &engine, NULL), 0);
    const struct gpu_info *gpu;
    for (unsigned n = 0; (gpu = gpu_info_at(n)); n++) {
        captures_need(gpu->name, "gltest", capture);
        memset(right, 0, sizeof right);
        pictures = 4;
        assert_int_equal(replay_capture(), 0);
        refuse_each(replay_capture);
    }
    jit_engine_destroy(engine);
}

static int write_capture(void)
{
    char path[] = "/tmp/vitrail-allocation-XXXXXX";
    struct capture_writer *writer = NULL;
    struct gpu_memory memory = {.fd = -1};
    int r = gpu_memory_create(1 << 20, &memory), fd = mkstemp(path);
    assert_true(fd >= 0);
    if (!r)
        r = capture_writer_create(path, "vc4", "", memory.size, &writer, NULL);
    if (!r) {
        memset(memory.base, 1, memory.size);
        capture_write_range(writer, &memory, 0, memory.size);
        r = capture_writer_close(writer);
    }
    gpu_memory_destroy(&memory);
    close(fd);
    unlink(path);
    return r;
}

static void test_recording(void **unused)
{
    refuse_each(write_capture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_devices), cmocka_unit_test(test_card),   cmocka_unit_test(test_recording),
        cmocka_unit_test(test_drawing), cmocka_unit_test(test_replay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
