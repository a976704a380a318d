/* Jobs whose program has gone: which are broken off or never run, and which are run to their end because
 * somebody else can see what they do. */
#include "tests/drm/gate.h"

enum { SIDE = 512, BYTES = SIDE * SIDE * 4, GREEN = 0x0000ff00 };

struct scene {
    struct card card;
    struct gate gate;
    struct gate_worker worker;
    const struct drm_fence_page *fences;
    uint32_t target[2];
    uint64_t address[2];
};

static void scene_open(struct scene *s, bool asynchronous)
{
    gate_init(&s->gate);
    card_open_as(&s->card, 64 << 20, NULL, &s->gate.observer, asynchronous);
    s->fences = gate_fences(&s->card);
    gate_worker_start(&s->worker, s->card.drm);
    for (unsigned i = 0; i < 2; i++)
        s->target[i] = card_buffer(&s->card, BYTES, &s->address[i]);
}

static void scene_close(struct scene *s)
{
    gate_set(&s->gate, true);
    gate_worker_stop(&s->worker);
    card_close(&s->card);
    munmap((void *)s->fences, GPU_PAGE);
}

/* A job of 64 tiles. */
static uint64_t clear(struct drm_file *file, uint32_t handle)
{
    struct drm_vc4_submit_cl submit = gate_clear(&handle, GREEN);
    submit.width = submit.height = SIDE;
    submit.max_x_tile = submit.max_y_tile = SIDE / 64 - 1;
    assert_int_equal(CALL(file, DRM_IOCTL_VC4_SUBMIT_CL, &submit), 0);
    return submit.seqno;
}

static uint32_t green(struct scene *s, unsigned target)
{
    const uint32_t *pixels = (const uint32_t *)gpu_memory_at(&s->card.memory, s->address[target], BYTES);
    uint32_t count = 0;
    for (uint32_t i = 0; i < SIDE * SIDE; i++)
        count += pixels[i] == GREEN;
    return count;
}

/* Two jobs, the first of them under way; from now on the gate lets everything through. */
static uint64_t begin(struct scene *s, struct drm_file *file)
{
    clear(file, s->target[0]);
    gate_await(&s->gate, 1);
    return clear(file, s->target[1]);
}

static void end(struct scene *s, uint64_t seqno)
{
    gate_set(&s->gate, true);
    gate_wait(&s->card, s->fences, seqno);
}

static void test_nobody_left(void **state)
{
    struct scene s;
    scene_open(&s, true);
    uint64_t seqno = begin(&s, s.card.file);
    drm_abandon(s.card.file); /* does not wait */
    end(&s, seqno);
    assert_in_range(green(&s, 0), 0, SIDE * SIDE - 1); /* broken off */
    assert_int_equal(green(&s, 1), 0);                 /* not begun */
    assert_int_equal(s.card.faults, 0);
    assert_int_equal(s.card.messages, 0);
    struct drm_file *other;
    uint64_t address;
    assert_int_equal(drm_open(s.card.drm, DRM_MINOR_RENDER, &other), 0);
    drm_close(s.card.file);
    s.card.file = other;
    uint32_t handle = card_buffer(&s.card, BYTES, &address);
    seqno = clear(other, handle);
    gate_wait(&s.card, s.fences, seqno);
    s.address[0] = address;
    assert_int_equal(green(&s, 0), SIDE * SIDE); /* others' jobs are run as ever */
    scene_close(&s);
}

/* Another file has a handle to what the second job draws. */
static void test_shared_buffer(void **state)
{
    struct scene s;
    struct drm_file *card, *other;
    scene_open(&s, true);
    assert_int_equal(drm_open(s.card.drm, DRM_MINOR_CARD, &card), 0);
    assert_int_equal(drm_open(s.card.drm, DRM_MINOR_RENDER, &other), 0);
    for (unsigned i = 0; i < 2; i++) {
        struct drm_vc4_create_bo create = {.size = BYTES};
        assert_int_equal(CALL(card, DRM_IOCTL_VC4_CREATE_BO, &create), 0);
        struct drm_vc4_mmap_bo map = {.handle = create.handle};
        assert_int_equal(CALL(card, DRM_IOCTL_VC4_MMAP_BO, &map), 0);
        s.target[i] = create.handle;
        s.address[i] = map.offset;
    }
    struct drm_prime_handle prime = {.handle = s.target[1]};
    int fd;
    assert_int_equal(CALL_GIVING(card, DRM_IOCTL_PRIME_HANDLE_TO_FD, &prime, &fd), 0);
    assert_int_equal(CALL_TAKING(other, DRM_IOCTL_PRIME_FD_TO_HANDLE, &prime, fd), 0);
    close(fd);
    uint64_t seqno = begin(&s, card);
    drm_abandon(card);
    end(&s, seqno);
    assert_in_range(green(&s, 0), 0, SIDE * SIDE - 1);
    assert_int_equal(green(&s, 1), SIDE * SIDE);
    scene_close(&s);
}

/* What was committed to the display is shown, unless nobody looks at that either. */
static void display(bool anybody)
{
    struct scene s;
    struct drm_file *card;
    scene_open(&s, true);
    assert_int_equal(drm_open(s.card.drm, DRM_MINOR_CARD, &card), 0);
    struct drm_mode_crtc crtc = {.crtc_id = 1};
    assert_int_equal(CALL(card, DRM_IOCTL_MODE_GETCRTC, &crtc), 0);
    struct drm_vc4_create_bo create = {.size = 1280 * 720 * 4};
    assert_int_equal(CALL(card, DRM_IOCTL_VC4_CREATE_BO, &create), 0);
    struct drm_vc4_mmap_bo map = {.handle = create.handle};
    assert_int_equal(CALL(card, DRM_IOCTL_VC4_MMAP_BO, &map), 0);
    struct drm_mode_fb_cmd2 fb = {.width = 1280,
                                  .height = 720,
                                  .pixel_format = DRM_FORMAT_XRGB8888,
                                  .handles = {create.handle},
                                  .pitches = {1280 * 4}};
    assert_int_equal(CALL(card, DRM_IOCTL_MODE_ADDFB2, &fb), 0);
    uint32_t connector = 3;
    crtc.fb_id = fb.fb_id;
    crtc.set_connectors_ptr = (uintptr_t)&connector;
    crtc.count_connectors = 1;
    assert_int_equal(CALL(card, DRM_IOCTL_MODE_SETCRTC, &crtc), 0);
    s.address[0] = map.offset;
    uint64_t seqno = clear(card, create.handle);
    gate_await(&s.gate, 1);
    struct drm_mode_crtc_page_flip flip = {.crtc_id = 1, .fb_id = fb.fb_id};
    assert_int_equal(CALL(card, DRM_IOCTL_MODE_PAGE_FLIP, &flip), 0);
    drm_abandon(card);
    if (!anybody)
        drm_cancel(s.card.drm);
    end(&s, seqno);
    if (anybody)
        assert_int_equal(green(&s, 0), SIDE * SIDE);
    else
        assert_in_range(green(&s, 0), 0, SIDE * SIDE - 1);
    scene_close(&s);
}

static void test_display(void **state)
{
    display(true);
    display(false);
}

static void *submit(void *data)
{
    struct scene *s = data;
    clear(s->card.file, s->target[0]);
    return NULL;
}

/* A job that runs inside its submit, with the card locked. */
static void test_inside_submit(void **state)
{
    struct scene s;
    pthread_t thread;
    scene_open(&s, false);
    assert_int_equal(pthread_create(&thread, NULL, submit, &s), 0);
    gate_await(&s.gate, 1);
    drm_abandon(s.card.file);
    gate_set(&s.gate, true);
    pthread_join(thread, NULL);
    assert_in_range(green(&s, 0), 0, SIDE * SIDE - 1);
    scene_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nobody_left),
        cmocka_unit_test(test_shared_buffer),
        cmocka_unit_test(test_display),
        cmocka_unit_test(test_inside_submit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
