/* The lima driver's ioctls: what is accepted, and what is refused with the kernel's errno (lima_drv.c,
 * lima_gem.c, lima_gp.c, lima_pp.c). */
#include "tests/drm/lima_card.h"

/* ---- parameters and buffers ---- */

static uint64_t param(struct card *card, uint32_t which)
{
    struct lima_get_param get = {.param = which};
    assert_int_equal(CALL(card->file, LIMA_IOCTL_GET_PARAM, &get), 0);
    return get.value;
}

static void test_parameters(void **state)
{
    for (int is_450 = 0; is_450 < 2; is_450++) {
        struct card card;
        card_open(&card, is_450, false);
        assert_int_equal(param(&card, LIMA_PARAM_GPU_ID), is_450 ? LIMA_GPU_MALI450 : LIMA_GPU_MALI400);
        assert_int_equal(param(&card, LIMA_PARAM_NUM_PP), is_450 ? 6 : 2);
        assert_int_equal(param(&card, LIMA_PARAM_GP_VERSION) >> 16, is_450 ? 0xd07 : 0xb07);
        assert_int_equal(param(&card, LIMA_PARAM_PP_VERSION) >> 16, is_450 ? 0xcf07 : 0xcd07);
        struct lima_get_param bad = {.param = 4};
        assert_int_equal(CALL(card.file, LIMA_IOCTL_GET_PARAM, &bad), -EINVAL);
        bad = (struct lima_get_param){.pad = 1};
        assert_int_equal(CALL(card.file, LIMA_IOCTL_GET_PARAM, &bad), -EINVAL);
        char name[8] = "";
        struct drm_version version = {.name_len = sizeof name, .name = name};
        assert_int_equal(CALL(card.file, DRM_IOCTL_VERSION, &version), 0);
        assert_memory_equal(name, "lima", 4);
        assert_true(version.version_major == 1 && version.version_minor == 1);
        card_close(&card);
    }
}

static void test_devices_that_are_none(void **state)
{
    struct gpu_memory memory;
    static struct mock mock;
    struct drm *drm;
    assert_int_equal(gpu_memory_create(MEMORY, &memory), 0);
    struct drm_options options = {.gpu = mock_gpu(&mock, &memory, false)};
    options.gpu.name = "mali200";
    assert_int_equal(drm_create(&memory, &options, &drm), -ENODEV);
    options.gpu = mock_gpu(&mock, &memory, false);
    mock.no_mmu = true;
    assert_int_equal(drm_create(&memory, &options, &drm), -ENODEV);
    options.gpu = mock_gpu(&mock, &memory, false);
    mock.reg[(LIMA_PP(0) + LIMA_PP_VERSION) / 4] = 0;
    assert_int_equal(drm_create(&memory, &options, &drm), -ENODEV);
    gpu_memory_destroy(&memory);
}

static void test_buffers(void **state)
{
    struct card card;
    struct lima_gem_info one, two, heap;
    card_open(&card, false, false);
    make_buffer(card.file, 5000, 0, &one);
    make_buffer(card.file, 1, 0, &two);
    make_buffer(card.file, 16 << 20, LIMA_CREATE_HEAP, &heap);
    assert_true(one.address && one.address % GPU_PAGE == 0 && one.address + 8192 <= two.address);
    assert_int_equal(drm_check_mmap(card.file, one.offset, 8192, true), 0);
    assert_int_not_equal(drm_check_mmap(card.file, heap.offset, 4096, false), 0);
    static const struct lima_gem_create bad[] = {{.size = 0}, {.size = 1, .flags = 2}, {.size = 1, .pad = 1}};
    for (size_t i = 0; i < UTIL_ARRAY_SIZE(bad); i++) {
        struct lima_gem_create create = bad[i];
        assert_int_equal(CALL(card.file, LIMA_IOCTL_GEM_CREATE, &create), -EINVAL);
    }
    struct lima_gem_create large = {.size = UINT32_MAX};
    assert_int_equal(CALL(card.file, LIMA_IOCTL_GEM_CREATE, &large), -ENOMEM);
    struct lima_gem_info unknown = {.handle = 99};
    assert_int_equal(CALL(card.file, LIMA_IOCTL_GEM_INFO, &unknown), -ENOENT);
    /* An address is free again when its buffer is gone. */
    struct drm_gem_close close_it = {.handle = one.handle};
    assert_int_equal(CALL(card.file, DRM_IOCTL_GEM_CLOSE, &close_it), 0);
    uint32_t address = one.address;
    make_buffer(card.file, 8192, 0, &one);
    assert_int_equal(one.address, address);
    card_close(&card);
}

/* ---- what is refused ---- */

static void test_refused_submits(void **state)
{
    struct card card;
    struct lima_gem_info info;
    struct task task;
    card_open(&card, false, false);
    make_buffer(card.file, 4096, 0, &info);
#define REFUSED(change, error)                                                                               \
    make_gp(&task, card.context, &info);                                                                     \
    change;                                                                                                  \
    assert_int_equal(submit(card.file, &task), error)
    REFUSED(task.submit.pipe = 2, -EINVAL);
    REFUSED(task.submit.buffer_count = 0, -EINVAL);
    REFUSED(task.submit.flags = 2, -EINVAL);
    REFUSED(task.submit.frame_size = 20, -EINVAL);
    REFUSED(task.submit.buffers = 0, -EFAULT);
    REFUSED(task.submit.frame = 0, -EFAULT);
    REFUSED(task.submit.context = 1, -ENOENT);
    REFUSED(task.submit.context = UINT32_MAX, -ENOENT);
    REFUSED(task.buffer[0].handle = 99, -ENOENT);
    REFUSED(task.submit.out_sync = 7, -ENOENT);
    REFUSED(task.submit.in_sync[1] = 7, -ENOENT);
    REFUSED((task.buffer[1] = task.buffer[0], task.submit.buffer_count = 2), -EALREADY);
    REFUSED(task.submit.buffer_count = UINT32_MAX, -ENOMEM);
    REFUSED(task.gp.registers[1] = 0, -EINVAL);                    /* ends before it starts */
    REFUSED(task.gp.registers[1] = task.gp.registers[0], -EINVAL); /* does nothing */
    REFUSED(task.gp.registers[4] = 1, -EINVAL);
#undef REFUSED
    static const uint32_t counts[] = {0, 3, UINT32_MAX};
    for (size_t i = 0; i < UTIL_ARRAY_SIZE(counts); i++) {
        make_pp(&task, &card, &info);
        task.mali400.pp_count = counts[i];
        assert_int_equal(submit(card.file, &task), -EINVAL);
    }
    assert_int_equal(card.mock.starts, 0);
    struct lima_context none = {.id = 5}, padded = {.pad = 1};
    assert_int_equal(CALL(card.file, LIMA_IOCTL_CTX_FREE, &none), -EINVAL);
    assert_int_equal(CALL(card.file, LIMA_IOCTL_CTX_FREE, &padded), -EINVAL);
    struct lima_gem_wait wait = {.handle = info.handle, .op = 4};
    assert_int_equal(CALL(card.file, LIMA_IOCTL_GEM_WAIT, &wait), -EINVAL);
    wait = (struct lima_gem_wait){.handle = 99, .op = 1};
    assert_int_equal(CALL(card.file, LIMA_IOCTL_GEM_WAIT, &wait), -EINVAL);
    wait.op = 0;
    assert_int_equal(CALL(card.file, LIMA_IOCTL_GEM_WAIT, &wait), 0);
    card_close(&card);
}

/* ---- whatever a program may pass ---- */

/* Words that mean something in one place are tried in all of them. */
static void test_random_arguments(void **state)
{
    static const uint32_t requests[] = {LIMA_IOCTL_GET_PARAM,  LIMA_IOCTL_GEM_CREATE, LIMA_IOCTL_GEM_INFO,
                                        LIMA_IOCTL_GEM_SUBMIT, LIMA_IOCTL_GEM_WAIT,   LIMA_IOCTL_CTX_CREATE,
                                        LIMA_IOCTL_CTX_FREE,   DRM_IOCTL_GEM_CLOSE};
    static const uint32_t words[] = {0,    1,    2,          3,       4,        24,       296,
                                     4096, 5000, UINT32_MAX, 1 << 20, 0x10000u, 0x11000u, 0x80000000};
    static uint8_t pointed[GPU_PAGE];
    const struct drm_user small = {.base = pointed, .size = sizeof pointed};
    uint64_t seed = 1;
    unsigned accepted = 0;
    struct card card;
    card_open(&card, false, false);
    for (unsigned i = 0; i < 200000; i++) {
        uint32_t argument[16];
        for (unsigned k = 0; k < UTIL_ARRAY_SIZE(argument); k++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            argument[k] = words[(seed >> 33) % UTIL_ARRAY_SIZE(words)];
            util_store32(pointed + (seed >> 20) % (sizeof pointed / 4) * 4, argument[k]);
        }
        uint32_t request = requests[(seed >> 40) % UTIL_ARRAY_SIZE(requests)];
        if (request == LIMA_IOCTL_GEM_SUBMIT && seed >> 60 < 12) /* else nearly none gets far */
            argument[3] = argument[1] & 1 ? sizeof(struct lima_mali400_frame) : sizeof(struct lima_gp_frame);
        accepted += !drm_ioctl(card.file, request, argument, &small);
    }
    assert_true(accepted > 8000); /* of contexts as many as there may be */
    card_close(&card);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parameters),       cmocka_unit_test(test_devices_that_are_none),
        cmocka_unit_test(test_buffers),          cmocka_unit_test(test_refused_submits),
        cmocka_unit_test(test_random_arguments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
