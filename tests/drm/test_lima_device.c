/* The lima personality and the Utgard device together: what one writes into registers the other understands,
 * spaces, resets and faults included. */
#include "tests/drm/call.h"
#include "tests/drm/lima_mock.h"

#include "gpu/families.h"

#define MEMORY (128u << 20)

/* The PLBU's command that ends a list: value, then what it is. */
static const uint32_t plbu_end[] = {0, 0x50000000};

struct card {
    struct gpu_memory memory;
    struct gpu_device gpu;
    struct drm *drm;
    struct drm_file *file;
    uint32_t context;
    unsigned messages, faults;
    char text[256];
};

static void on_message(void *data, const char *text)
{
    struct card *card = data;
    card->messages++;
    snprintf(card->text, sizeof card->text, "%s", text);
}

static void on_fault(void *data, const struct gpu_fault *fault)
{
    ((struct card *)data)->faults++;
}

static uint32_t make_context(struct card *card)
{
    struct lima_context create = {0};
    assert_int_equal(CALL(card->file, LIMA_IOCTL_CTX_CREATE, &create), 0);
    return create.id;
}

static void card_open(struct card *card, const char *name)
{
    const struct gpu_options device = {.reference = true};
    memset(card, 0, sizeof *card);
    assert_int_equal(gpu_memory_create(MEMORY, &card->memory), 0);
    assert_int_equal(gpu_create(name, &card->memory, &device, &card->gpu), 0);
    struct drm_options options = {.gpu = card->gpu, .listener = {card, on_fault, on_message}};
    assert_int_equal(drm_create(&card->memory, &options, &card->drm), 0);
    assert_int_equal(drm_open(card->drm, DRM_MINOR_RENDER, &card->file), 0);
    card->context = make_context(card);
    if (card->messages)
        fail_msg("%s", card->text);
}

static void card_close(struct card *card)
{
    drm_destroy(card->drm);
    gpu_device_destroy(&card->gpu);
    gpu_memory_destroy(&card->memory);
}

/* A task whose PLBU commands are at `address`, in a buffer that is named. */
static int submit(struct card *card, uint32_t handle, uint32_t address)
{
    struct lima_submit_buffer buffer = {handle, LIMA_BUFFER_READ};
    struct lima_gp_frame frame = {.registers = {0, 0, address, address + (uint32_t)sizeof plbu_end, 0, 0}};
    struct lima_gem_submit args = {.context = card->context,
                                   .pipe = LIMA_PIPE_GP,
                                   .buffer_count = 1,
                                   .frame_size = sizeof frame,
                                   .buffers = (uintptr_t)&buffer,
                                   .frame = (uintptr_t)&frame};
    return CALL(card->file, LIMA_IOCTL_GEM_SUBMIT, &args);
}

static void run(const char *name)
{
    struct card card;
    struct gpu_counters counters;
    card_open(&card, name);
    struct lima_get_param count = {.param = LIMA_PARAM_NUM_PP};
    assert_int_equal(CALL(card.file, LIMA_IOCTL_GET_PARAM, &count), 0);
    assert_int_equal(count.value, strcmp(name, "mali450") ? 2 : 6);
    struct lima_gem_create create = {.size = 4096};
    assert_int_equal(CALL(card.file, LIMA_IOCTL_GEM_CREATE, &create), 0);
    struct lima_gem_info info = {.handle = create.handle};
    assert_int_equal(CALL(card.file, LIMA_IOCTL_GEM_INFO, &info), 0);
    memcpy(card.memory.base + info.offset, plbu_end, sizeof plbu_end);
    assert_int_equal(submit(&card, create.handle, info.address), 0);
    assert_int_equal(submit(&card, create.handle, info.address), 0);
    assert_int_equal(card.messages + card.faults, 0);
    counters = card.gpu.host->counters;
    assert_int_equal(counters.jobs, 2);
    /* Where no page is: named, and the context given up. */
    assert_int_equal(submit(&card, create.handle, 0x40000000), 0);
    assert_non_null(strstr(card.text, "page fault"));
    assert_true(card.messages && card.faults);
    unsigned messages = card.messages;
    assert_int_equal(submit(&card, create.handle, info.address), 0);
    counters = card.gpu.host->counters;
    assert_int_equal(counters.jobs, 3);
    /* Another context finds a GPU that works. */
    card.context = make_context(&card);
    assert_int_equal(submit(&card, create.handle, info.address), 0);
    assert_int_equal(card.messages, messages);
    counters = card.gpu.host->counters;
    assert_int_equal(counters.jobs, 4);
    /* What is no command is an error of the GP. */
    util_store32(card.memory.base + info.offset + 4, 0x90000000);
    assert_int_equal(submit(&card, create.handle, info.address), 0);
    assert_int_equal(card.messages, messages + 1);
    assert_non_null(strstr(card.text, "failed"));
    card_close(&card);
}

static void test_mali400(void **state)
{
    run("mali400");
}

static void test_mali450(void **state)
{
    run("mali450");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_mali400), cmocka_unit_test(test_mali450)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
