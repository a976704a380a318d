/* The panfrost driver's ioctls: what is accepted, and what is refused with the kernel's errno (panfrost_drv.c,
 * panfrost_gem.c, panfrost_job.c, panfrost_perfcnt.c). */
#include "drm/launch/launch.h"
#include "tests/drm/panfrost_card.h"

/* ---- the card ---- */

static uint64_t param(struct card *card, uint32_t which)
{
    struct panfrost_get_param get = {.param = which};
    assert_int_equal(CALL(card->file, PANFROST_IOCTL_GET_PARAM, &get), 0);
    return get.value;
}

static void test_parameters(void **state)
{
    for (size_t i = 0; i < UTIL_ARRAY_SIZE(products); i++) {
        struct card card;
        card_open(&card, products[i], false);
        assert_int_equal(param(&card, PANFROST_PARAM_GPU_PROD_ID), products[i]);
        assert_int_equal(param(&card, PANFROST_PARAM_GPU_REVISION), products[i] == 0x860 ? 0x2000 : 0x1000);
        assert_int_equal(param(&card, PANFROST_PARAM_SHADER_PRESENT), products[i] == 0x720 ? 3 : 0xf);
        assert_int_equal(param(&card, PANFROST_PARAM_TILER_PRESENT), 1);
        assert_int_equal(param(&card, PANFROST_PARAM_L2_PRESENT), 1);
        assert_int_equal(param(&card, PANFROST_PARAM_STACK_PRESENT), 0);
        assert_int_equal(param(&card, PANFROST_PARAM_AS_PRESENT), 0xf);
        assert_int_equal(param(&card, PANFROST_PARAM_JS_PRESENT), 7);
        assert_int_equal(param(&card, PANFROST_PARAM_L2_FEATURES), 0x07120206);
        assert_int_equal(param(&card, PANFROST_PARAM_CORE_FEATURES), 0);
        assert_int_equal(param(&card, PANFROST_PARAM_TILER_FEATURES), 0x809);
        assert_int_equal(param(&card, PANFROST_PARAM_MEM_FEATURES), 1);
        assert_int_equal(param(&card, PANFROST_PARAM_MMU_FEATURES), products[i] == 0x720 ? 0x2821 : 0x2830);
        assert_int_equal(param(&card, PANFROST_PARAM_THREAD_FEATURES), 0x0a040400);
        assert_int_equal(param(&card, PANFROST_PARAM_MAX_THREADS), 256);
        assert_int_equal(param(&card, PANFROST_PARAM_THREAD_MAX_WORKGROUP_SZ), 256);
        assert_int_equal(param(&card, PANFROST_PARAM_THREAD_MAX_BARRIER_SZ), 256);
        assert_int_equal(param(&card, PANFROST_PARAM_COHERENCY_FEATURES), 0);
        assert_int_equal(param(&card, PANFROST_PARAM_TEXTURE_FEATURES), 0x00fe001e);
        assert_int_equal(param(&card, PANFROST_PARAM_TEXTURE_FEATURES + 2), 0x9f81ffff);
        assert_int_equal(param(&card, PANFROST_PARAM_JS_FEATURES + 2), 0x7e);
        assert_int_equal(param(&card, PANFROST_PARAM_JS_FEATURES + 3), 0); /* of a slot that is not there */
        assert_int_equal(param(&card, PANFROST_PARAM_NR_CORE_GROUPS), 1);
        assert_int_equal(param(&card, PANFROST_PARAM_THREAD_TLS_ALLOC), 0);
        assert_int_equal(param(&card, 40), products[i] == 0x720 ? 0 : 1); /* AFBC_FEATURES: the last */
        struct panfrost_get_param bad = {.param = 41};
        assert_int_equal(CALL(card.file, PANFROST_IOCTL_GET_PARAM, &bad), -EINVAL);
        bad = (struct panfrost_get_param){.pad = 1};
        assert_int_equal(CALL(card.file, PANFROST_IOCTL_GET_PARAM, &bad), -EINVAL);
        char name[16] = "";
        struct drm_version version = {.name_len = sizeof name, .name = name};
        assert_int_equal(CALL(card.file, DRM_IOCTL_VERSION, &version), 0);
        assert_memory_equal(name, "panfrost", 8);
        assert_true(version.version_major == 1 && version.version_minor == 2);
        card_close(&card);
    }
}

/* What the kernel writes for silicon's errata, and what every device needs. */
static void test_start(void **state)
{
    static const uint32_t shader[] = {1u << 18 | 1u << 25, 1u << 16, 1u << 16, 0, 1u << 17, 0, 1u << 29},
                          tiler[] = {0x100, 0x101, 0x101, 0x100, 0x100, 0x100, 0x100},
                          jm[] = {0, 0, 0x3f << 3, 0, 0, 0xf << 16, 0xf << 16};
    for (size_t i = 0; i < UTIL_ARRAY_SIZE(products); i++) {
        struct card card;
        card_open(&card, products[i], false);
        const uint32_t *reg = card.mock.reg;
        assert_int_equal(card.mock.resets, 1);
        assert_int_equal(reg[PANFROST_SHADER_CONFIG / 4], shader[i]);
        assert_int_equal(reg[PANFROST_TILER_CONFIG / 4], tiler[i]);
        assert_int_equal(reg[PANFROST_JM_CONFIG / 4], jm[i]);
        assert_int_equal(reg[PANFROST_SHADER_READY / 4], reg[PANFROST_SHADER_PRESENT / 4]);
        assert_int_equal(reg[PANFROST_TILER_READY / 4], 1);
        assert_int_equal(reg[PANFROST_L2_READY / 4], 1);
        assert_int_equal(reg[PANFROST_GPU_INT_MASK / 4], 0x30081);
        assert_int_equal(reg[PANFROST_JOB_INT_MASK / 4], 0x70007);
        assert_int_equal(reg[PANFROST_MMU_INT_MASK / 4], UINT32_MAX);
        card_close(&card);
    }
}

static void test_devices_that_are_none(void **state)
{
    struct gpu_memory memory;
    static struct mock mock;
    struct drm *drm;
    assert_int_equal(gpu_memory_create(MEMORY, &memory), 0);
#define REFUSED(change)                                                                                      \
    do {                                                                                                     \
        struct drm_options options = {.gpu = mock_gpu(&mock, &memory, 0x860)};                               \
        change;                                                                                              \
        assert_int_equal(drm_create(&memory, &options, &drm), -ENODEV);                                      \
    } while (0)
    REFUSED(options.gpu.name = "t999");
    REFUSED(options.gpu.name = "t760"); /* is none */
    REFUSED(mock.no_reset = true);
    REFUSED(mock.no_power = true);
#undef REFUSED
    gpu_memory_destroy(&memory);
}

static void test_tree(void **state)
{
    static const struct {
        const char *name, *compatible;
    } gpus[] = {{"t720", "mali-t720"},     {"t760", "mali-t760"},   {"t860", "mali-t860"},
                {"g72", "mali-bifrost"},   {"g31", "mali-bifrost"}, {"g52", "mali-bifrost"},
                {"g57", "mali-valhall-jm"}};
    for (size_t i = 0; i < UTIL_ARRAY_SIZE(gpus); i++) {
        char folder[] = "/tmp/vitrail-tree-XXXXXX", path[128], text[512] = "", compatible[64];
        assert_non_null(mkdtemp(folder));
        assert_int_equal(drm_tree_create(folder, gpus[i].name), 0);
        snprintf(path, sizeof path, "%s/sys/devices/platform/vitrail-gpu/uevent", folder);
        FILE *file = fopen(path, "r");
        assert_non_null(file);
        assert_true(fread(text, 1, sizeof text - 1, file) > 0);
        fclose(file);
        snprintf(compatible, sizeof compatible, "OF_COMPATIBLE_1=arm,%s\n", gpus[i].compatible);
        assert_non_null(strstr(text, compatible));
        assert_non_null(strstr(text, "DRIVER=panfrost\n"));
        drm_tree_remove(folder);
    }
}

/* ---- buffers ---- */

static void test_buffers(void **state)
{
    struct card card;
    card_open(&card, 0x860, false);
    struct buffer one = make_buffer(card.file, 5000, PANFROST_BO_NOEXEC);
    struct buffer two = make_buffer(card.file, 1, PANFROST_BO_NOEXEC);
    assert_true(one.address >= 32 << 20 && one.address % GPU_PAGE == 0 && one.address + 8192 <= two.address);
    assert_int_equal(drm_check_mmap(card.file, one.offset, 8192, true), 0);
    struct panfrost_get_bo_offset get = {.handle = one.handle};
    assert_int_equal(CALL(card.file, PANFROST_IOCTL_GET_BO_OFFSET, &get), 0);
    assert_int_equal(get.address, one.address);
    /* Blocks of 2 MiB, and heaps of them. */
    struct buffer large = make_buffer(card.file, (2 << 20) + 1, PANFROST_BO_NOEXEC);
    struct buffer heap = make_buffer(card.file, (2 << 20) + 1, PANFROST_BO_NOEXEC | PANFROST_BO_HEAP);
    struct buffer behind = make_buffer(card.file, 2 << 20, PANFROST_BO_NOEXEC);
    assert_int_equal(large.address % (2 << 20), 0);
    assert_int_equal(heap.address % (2 << 20), 0);
    assert_int_equal(behind.address - heap.address, 4 << 20);
    /* An address is free again when its buffer is gone. */
    close_buffer(card.file, one.handle);
    assert_int_equal(make_buffer(card.file, 8192, PANFROST_BO_NOEXEC).address, one.address);
    card_close(&card);
}

static void test_executable_buffers(void **state)
{
    struct card card;
    card_open(&card, 0x860, false);
    for (uint32_t n = 0; n < 400; n++) {
        uint32_t size = n % 7 ? (n * 37 % 61 + 1) * GPU_PAGE : (n + 1) * 4000;
        struct buffer b = make_buffer(card.file, size, 0);
        assert_int_equal(b.address >> 24, (b.address + size - 1) >> 24);
        make_buffer(card.file, GPU_PAGE, PANFROST_BO_NOEXEC);
    }
    card_close(&card);
}

/* All of 4 GiB can be given out, though memory is less. */
static void test_addresses_run_out(void **state)
{
    struct card card;
    card_open(&card, 0x860, false);
    struct buffer b = make_buffer(card.file, 64 << 20, PANFROST_BO_NOEXEC);
    struct panfrost_create_bo create = {.size = 96 << 20, .flags = PANFROST_BO_NOEXEC};
    assert_int_equal(CALL(card.file, PANFROST_IOCTL_CREATE_BO, &create), -ENOMEM);
    create.size = UINT32_MAX;
    assert_int_equal(CALL(card.file, PANFROST_IOCTL_CREATE_BO, &create), -ENOMEM);
    struct drm_prime_handle prime = {.handle = b.handle, .flags = DRM_CLOEXEC};
    int fd;
    assert_int_equal(CALL_GIVING(card.file, DRM_IOCTL_PRIME_HANDLE_TO_FD, &prime, &fd), 0);
    /* The same buffer again is the same handle, at the same address. */
    assert_int_equal(CALL_TAKING(card.file, DRM_IOCTL_PRIME_FD_TO_HANDLE, &prime, fd), 0);
    assert_int_equal(prime.handle, b.handle);
    close(fd);
    card_close(&card);
}

static void test_refused_buffers(void **state)
{
    static const struct panfrost_create_bo bad[] = {
        {.size = 0}, {.size = 1, .pad = 1}, {.size = 1, .flags = 4}, {.size = 1, .flags = PANFROST_BO_HEAP}};
    struct card card;
    card_open(&card, 0x720, false);
    for (size_t i = 0; i < UTIL_ARRAY_SIZE(bad); i++) {
        struct panfrost_create_bo create = bad[i];
        assert_int_equal(CALL(card.file, PANFROST_IOCTL_CREATE_BO, &create), -EINVAL);
    }
    struct buffer b = make_buffer(card.file, 4096, PANFROST_BO_NOEXEC);
    struct panfrost_mmap_bo map = {.handle = b.handle, .flags = 1};
    assert_int_equal(CALL(card.file, PANFROST_IOCTL_MMAP_BO, &map), -EINVAL);
    map = (struct panfrost_mmap_bo){.handle = 99};
    assert_int_equal(CALL(card.file, PANFROST_IOCTL_MMAP_BO, &map), -ENOENT);
    struct panfrost_get_bo_offset get = {.handle = 99};
    assert_int_equal(CALL(card.file, PANFROST_IOCTL_GET_BO_OFFSET, &get), -ENOENT);
    struct panfrost_madvise advise = {.handle = 99};
    assert_int_equal(CALL(card.file, PANFROST_IOCTL_MADVISE, &advise), -ENOENT);
    struct panfrost_wait_bo wait = {.handle = 99};
    assert_int_equal(CALL(card.file, PANFROST_IOCTL_WAIT_BO, &wait), -ENOENT);
    wait = (struct panfrost_wait_bo){.handle = b.handle, .pad = 1};
    assert_int_equal(CALL(card.file, PANFROST_IOCTL_WAIT_BO, &wait), -EINVAL);
    struct panfrost_perfcnt_enable enable = {.enable = 1};
    assert_int_equal(CALL(card.file, PANFROST_IOCTL_PERFCNT_ENABLE, &enable), -ENOSYS);
    struct panfrost_perfcnt_dump dump = {0};
    assert_int_equal(CALL(card.file, PANFROST_IOCTL_PERFCNT_DUMP, &dump), -ENOSYS);
    card_close(&card);
}

/* ---- submissions ---- */

static void test_refused_submits(void **state)
{
    struct card card;
    struct task task;
    card_open(&card, 0x860, false);
    struct buffer b = make_buffer(card.file, 4096, PANFROST_BO_NOEXEC);
    struct drm_syncobj_create sync = {0};
    assert_int_equal(CALL(card.file, DRM_IOCTL_SYNCOBJ_CREATE, &sync), 0);
    uint32_t syncs[2] = {sync.handle, sync.handle};
#define REFUSED(change, error)                                                                               \
    make_task(&task, &b);                                                                                    \
    change;                                                                                                  \
    assert_int_equal(submit(card.file, &task), error)
#define WITH_SYNCS(count) (task.submit.in_syncs = (uintptr_t)syncs, task.submit.in_sync_count = (count))
    REFUSED(task.submit.chain = 0, -EINVAL);
    REFUSED(task.submit.requirements = 2, -EINVAL);
    REFUSED(task.submit.out_sync = 7, -ENODEV);
    REFUSED(task.submit.in_sync_count = 1, -EFAULT);
    REFUSED(WITH_SYNCS(UINT32_MAX), -ENOMEM);
    REFUSED(WITH_SYNCS(2), -EINVAL); /* no fence in it */
    syncs[0] = 0;
    REFUSED(WITH_SYNCS(1), -ENOENT);
    syncs[0] = 99;
    REFUSED(WITH_SYNCS(1), -ENOENT);
    REFUSED(task.submit.bo_handles = 0, -EFAULT);
    REFUSED(task.submit.bo_handle_count = UINT32_MAX, -ENOMEM);
    REFUSED(task.handles[0] = 99, -ENOENT);
    REFUSED(task.handles[0] = 0, -ENOENT);
    REFUSED((task.handles[1] = b.handle, task.submit.bo_handle_count = 2), -EALREADY);
    /* What comes first counts. */
    REFUSED((task.submit.chain = 0, task.submit.out_sync = 7), -EINVAL);
    REFUSED((WITH_SYNCS(1), task.submit.out_sync = 7), -ENODEV);
    REFUSED((WITH_SYNCS(1), task.submit.bo_handles = 0), -ENOENT);
#undef REFUSED
    assert_int_equal(card.mock.starts, 0);
    make_task(&task, &b); /* and nothing of them is left */
    assert_int_equal(submit(card.file, &task), 0);
    assert_int_equal(job_in(&card, &b)->count, 1);
    card_close(&card);
}

/* ---- whatever a program may pass ---- */

/* Words that mean something in one place are tried in all of them. */
static void test_random_arguments(void **state)
{
    static const uint32_t requests[] = {
        PANFROST_IOCTL_SUBMIT,         PANFROST_IOCTL_WAIT_BO,      PANFROST_IOCTL_CREATE_BO,
        PANFROST_IOCTL_MMAP_BO,        PANFROST_IOCTL_GET_PARAM,    PANFROST_IOCTL_GET_BO_OFFSET,
        PANFROST_IOCTL_PERFCNT_ENABLE, PANFROST_IOCTL_PERFCNT_DUMP, PANFROST_IOCTL_MADVISE,
        DRM_IOCTL_GEM_CLOSE,           DRM_IOCTL_PRIME_HANDLE_TO_FD};
    static const uint32_t words[] = {0,    1,    2,          3,       4,         24,        296,
                                     4096, 5000, UINT32_MAX, 3 << 20, 0x2000000, 0x2001000, 0x80000000};
    static uint8_t pointed[2 * GPU_PAGE];
    uint64_t seed = 1;
    unsigned accepted = 0, submitted = 0;
    struct card card;
    card_open_with(&card, 0x860, (struct drm_options){.unstable_ioctls = true});
    for (unsigned i = 0; i < 200000; i++) {
        uint32_t argument[16];
        int given = -1;
        const struct drm_user small = {.base = pointed, .size = sizeof pointed, .given = &given};
        for (unsigned k = 0; k < UTIL_ARRAY_SIZE(argument); k++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            argument[k] = words[(seed >> 33) % UTIL_ARRAY_SIZE(words)];
            util_store32(pointed + (seed >> 20) % (sizeof pointed / 4) * 4, argument[k]);
        }
        uint32_t request = requests[(seed >> 40) % UTIL_ARRAY_SIZE(requests)];
        if (request == PANFROST_IOCTL_SUBMIT && seed >> 60 < 12) { /* else nearly none gets far */
            for (unsigned k = 1; k < 10; k++)
                argument[k] = k == 6 ? argument[6] : k == 8 ? 1 : 0;
        }
        int r = drm_ioctl(card.file, request, argument, &small);
        accepted += !r;
        submitted += !r && request == PANFROST_IOCTL_SUBMIT;
        if (given >= 0)
            close(given);
    }
    assert_true(accepted > 3000);
    assert_true(submitted > 30);
    card_close(&card);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parameters),
        cmocka_unit_test(test_start),
        cmocka_unit_test(test_devices_that_are_none),
        cmocka_unit_test(test_tree),
        cmocka_unit_test(test_buffers),
        cmocka_unit_test(test_executable_buffers),
        cmocka_unit_test(test_addresses_run_out),
        cmocka_unit_test(test_refused_buffers),
        cmocka_unit_test(test_refused_submits),
        cmocka_unit_test(test_random_arguments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
