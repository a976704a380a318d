/* Jobs that run while the program goes on: what is said of them before and after they are done, what they
 * keep alive, what waits for them. */
#include "tests/drm/gate.h"

#include <fcntl.h>
#include <poll.h>

struct scene {
    struct card card;
    struct gate gate;
    struct gate_worker worker;
    const struct drm_fence_page *fences;
    uint32_t target;
    uint64_t address;
};

static void scene_open(struct scene *s)
{
    gate_init(&s->gate);
    card_open_observed(&s->card, 64 << 20, NULL, &s->gate.observer);
    s->fences = gate_fences(&s->card);
    gate_worker_start(&s->worker, s->card.drm);
    s->target = card_buffer(&s->card, GATE_SIDE * GATE_SIDE * 4, &s->address);
}

static void scene_close(struct scene *s)
{
    gate_set(&s->gate, true);
    gate_worker_stop(&s->worker);
    card_close(&s->card);
    munmap((void *)s->fences, GPU_PAGE);
}

static uint64_t clear(struct scene *s, uint32_t color)
{
    struct drm_vc4_submit_cl submit = gate_clear(&s->target, color);
    assert_int_equal(CALL(s->card.file, DRM_IOCTL_VC4_SUBMIT_CL, &submit), 0);
    return submit.seqno;
}

static uint32_t pixel(const struct scene *s)
{
    return util_load32(gpu_memory_at(&s->card.memory, s->address, 4));
}

static int wait_seqno(struct scene *s, uint64_t seqno)
{
    struct drm_vc4_wait_seqno wait = {.seqno = seqno};
    return CALL(s->card.file, DRM_IOCTL_VC4_WAIT_SEQNO, &wait);
}

static int wait_bo(struct scene *s, uint32_t handle)
{
    struct drm_vc4_wait_bo wait = {.handle = handle};
    return CALL(s->card.file, DRM_IOCTL_VC4_WAIT_BO, &wait);
}

static bool is_readable(int fd)
{
    struct pollfd p = {fd, POLLIN, 0};
    return poll(&p, 1, 0) == 1 && p.revents & POLLIN;
}

/* A call made by another thread, which may block. */
struct call {
    struct drm_file *file;
    uint32_t request;
    void *argument;
    int result, given;
    int returned;
    pthread_t thread;
};

static void *run_call(void *data)
{
    struct call *c = data;
    c->result = CALL_GIVING(c->file, c->request, c->argument, &c->given);
    __atomic_store_n(&c->returned, 1, __ATOMIC_RELEASE);
    return NULL;
}

static void begin_call(struct call *c, struct drm_file *file, uint32_t request, void *argument)
{
    *c = (struct call){.file = file, .request = request, .argument = argument};
    assert_int_equal(pthread_create(&c->thread, NULL, run_call, c), 0);
}

static bool has_returned(struct call *c)
{
    usleep(20000);
    return __atomic_load_n(&c->returned, __ATOMIC_ACQUIRE);
}

static int end_call(struct call *c)
{
    pthread_join(c->thread, NULL);
    return c->result;
}

/* ---- waiting ---- */

static void test_waits(void **state)
{
    struct scene s;
    scene_open(&s);
    uint32_t other = card_buffer(&s.card, 4096, NULL), turn = s.fences->turn;
    assert_int_equal(clear(&s, 0x11), 1);
    assert_int_equal(clear(&s, 0x22), 2);
    gate_await(&s.gate, 1);
    assert_int_equal(wait_seqno(&s, 0), 0);
    assert_int_equal(wait_seqno(&s, 1), -ETIME);
    assert_int_equal(wait_bo(&s, s.target), -ETIME);
    assert_int_equal(wait_bo(&s, other), 0);
    assert_int_equal(wait_bo(&s, 99), -EINVAL);
    assert_int_equal(gate_finished(s.fences), 0);
    assert_int_equal(pixel(&s), 0);
    gate_set(&s.gate, true);
    gate_wait(&s.card, s.fences, 2);
    assert_int_equal(__atomic_load_n(&s.fences->turn, __ATOMIC_SEQ_CST), turn + 2);
    assert_int_equal(wait_seqno(&s, 2), 0);
    assert_int_equal(wait_seqno(&s, 3), -ETIME);
    assert_int_equal(wait_bo(&s, s.target), 0);
    assert_int_equal(pixel(&s), 0x22); /* in the order of the submits */
    scene_close(&s);
}

/* More jobs than the queue takes: the submit that finds no room waits for one. */
static uint32_t submitted;

static void *submit_many(void *data)
{
    struct scene *s = data;
    for (uint32_t i = 1; i <= 40; i++) {
        struct drm_vc4_submit_cl submit = gate_clear(&s->target, i);
        if (CALL(s->card.file, DRM_IOCTL_VC4_SUBMIT_CL, &submit) || submit.seqno != i)
            break;
        __atomic_store_n(&submitted, i, __ATOMIC_RELEASE);
    }
    return NULL;
}

static void test_queue_is_bounded(void **state)
{
    struct scene s;
    pthread_t thread;
    scene_open(&s);
    assert_int_equal(pthread_create(&thread, NULL, submit_many, &s), 0);
    gate_await(&s.gate, 1);
    while (__atomic_load_n(&submitted, __ATOMIC_ACQUIRE) < 8)
        usleep(100);
    usleep(20000);
    assert_int_equal(__atomic_load_n(&submitted, __ATOMIC_ACQUIRE), 8);
    struct gpu_counters counters;
    gate_set(&s.gate, true);
    pthread_join(thread, NULL);
    assert_int_equal(submitted, 40);
    gate_wait(&s.card, s.fences, 40);
    assert_int_equal(wait_bo(&s, s.target), 0);
    assert_int_equal(pixel(&s), 40);
    counters = vc4_device_host(s.card.gpu)->counters;
    assert_int_equal(counters.jobs, 40);
    scene_close(&s);
}

/* ---- what jobs keep ---- */

static void test_buffers_stay(void **state)
{
    struct scene s;
    struct drm_file *file;
    scene_open(&s);
    uint64_t own = s.address, again;
    clear(&s, GATE_GREEN);
    gate_await(&s.gate, 1);
    struct drm_gem_close close_bo = {.handle = s.target};
    assert_int_equal(CALL(s.card.file, DRM_IOCTL_GEM_CLOSE, &close_bo), 0);
    assert_int_equal(drm_open(s.card.drm, DRM_MINOR_RENDER, &file), 0);
    drm_close(s.card.file); /* the program is gone */
    s.card.file = file;
    card_buffer(&s.card, GATE_SIDE * GATE_SIDE * 4, &again);
    assert_int_not_equal(again, own);
    gate_set(&s.gate, true);
    gate_wait(&s.card, s.fences, 1);
    card_buffer(&s.card, GATE_SIDE * GATE_SIDE * 4, &again);
    assert_int_equal(again, own);
    assert_int_equal(util_load32(gpu_memory_at(&s.card.memory, own, 4)), 0); /* no longer the job's */
    scene_close(&s);
}

static void test_perfmon_stays(void **state)
{
    struct scene s;
    scene_open(&s);
    struct drm_vc4_perfmon_create create = {.ncounters = 1, .events = {VC4_PERFCNT_QPU_TOTAL_IDLE_CYCLES}};
    assert_int_equal(CALL(s.card.file, DRM_IOCTL_VC4_PERFMON_CREATE, &create), 0);
    struct drm_vc4_submit_cl submit = gate_clear(&s.target, 1);
    submit.perfmonid = create.id;
    assert_int_equal(CALL(s.card.file, DRM_IOCTL_VC4_SUBMIT_CL, &submit), 0);
    gate_await(&s.gate, 1);
    struct drm_vc4_perfmon_destroy destroy = {.id = create.id};
    assert_int_equal(CALL(s.card.file, DRM_IOCTL_VC4_PERFMON_DESTROY, &destroy), 0);
    assert_int_equal(CALL(s.card.file, DRM_IOCTL_VC4_PERFMON_DESTROY, &destroy), -EINVAL);
    gate_set(&s.gate, true);
    gate_wait(&s.card, s.fences, 1);
    assert_int_equal(pixel(&s), 1);
    scene_close(&s);
}

/* A card that is destroyed runs what was submitted. */
static void test_destroyed_with_jobs(void **state)
{
    struct scene s;
    struct gpu_counters counters;
    scene_open(&s);
    gate_set(&s.gate, true);
    gate_worker_stop(&s.worker);
    for (uint32_t i = 1; i <= 3; i++)
        clear(&s, i);
    assert_int_equal(wait_seqno(&s, 1), -ETIME);
    drm_destroy(s.card.drm);
    assert_int_equal(gate_finished(s.fences), 3);
    counters = vc4_device_host(s.card.gpu)->counters;
    assert_int_equal(counters.jobs, 3);
    vc4_device_destroy(s.card.gpu);
    gpu_memory_destroy(&s.card.memory);
    munmap((void *)s.fences, GPU_PAGE);
}

/* ---- sync objects ---- */

static int wait_sync(struct scene *s, uint32_t handle, uint32_t flags)
{
    uint64_t point = 0;
    struct drm_syncobj_timeline_wait w = {
        .handles = (uintptr_t)&handle, .points = (uintptr_t)&point, .count_handles = 1, .flags = flags};
    return CALL(s->card.file, DRM_IOCTL_SYNCOBJ_TIMELINE_WAIT, &w);
}

static uint32_t new_sync(struct scene *s)
{
    struct drm_syncobj_create create = {0};
    assert_int_equal(CALL(s->card.file, DRM_IOCTL_SYNCOBJ_CREATE, &create), 0);
    return create.handle;
}

static void test_sync_objects(void **state)
{
    struct scene s;
    scene_open(&s);
    uint32_t out = new_sync(&s), copy = new_sync(&s), moved = new_sync(&s);
    struct drm_vc4_submit_cl submit = gate_clear(&s.target, 1);
    submit.out_sync = out;
    assert_int_equal(wait_sync(&s, out, 0), -EINVAL);
    assert_int_equal(CALL(s.card.file, DRM_IOCTL_VC4_SUBMIT_CL, &submit), 0);
    submit.in_sync = out; /* jobs run in order */
    submit.out_sync = 0;
    assert_int_equal(CALL(s.card.file, DRM_IOCTL_VC4_SUBMIT_CL, &submit), 0);
    assert_int_equal(wait_sync(&s, out, 0), -ETIME);
    assert_int_equal(wait_sync(&s, out, DRM_SYNCOBJ_WAIT_FLAGS_WAIT_AVAILABLE), 0);
    struct drm_syncobj_handle h = {.handle = out, .flags = DRM_SYNCOBJ_HANDLE_TO_FD_FLAGS_EXPORT_SYNC_FILE};
    int fd;
    assert_int_equal(CALL_GIVING(s.card.file, DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD, &h, &fd), 0);
    assert_false(is_readable(fd));
    h.handle = copy;
    h.flags = DRM_SYNCOBJ_FD_TO_HANDLE_FLAGS_IMPORT_SYNC_FILE;
    assert_int_equal(CALL_TAKING(s.card.file, DRM_IOCTL_SYNCOBJ_FD_TO_HANDLE, &h, fd), 0);
    assert_int_equal(wait_sync(&s, copy, 0), -ETIME);
    struct drm_syncobj_transfer transfer = {.src_handle = out, .dst_handle = moved};
    assert_int_equal(CALL(s.card.file, DRM_IOCTL_SYNCOBJ_TRANSFER, &transfer), 0);
    assert_int_equal(wait_sync(&s, moved, 0), -ETIME);
    struct drm_syncobj_array reset = {.handles = (uintptr_t)&moved, .count_handles = 1};
    assert_int_equal(CALL(s.card.file, DRM_IOCTL_SYNCOBJ_SIGNAL, &reset), 0);
    assert_int_equal(wait_sync(&s, moved, 0), 0);
    gate_set(&s.gate, true);
    gate_wait(&s.card, s.fences, 2);
    assert_int_equal(wait_sync(&s, out, 0), 0);
    assert_int_equal(wait_sync(&s, copy, 0), 0);
    assert_true(is_readable(fd));
    h.handle = copy; /* what was a fence once still is one */
    assert_int_equal(CALL_TAKING(s.card.file, DRM_IOCTL_SYNCOBJ_FD_TO_HANDLE, &h, fd), 0);
    assert_int_equal(wait_sync(&s, copy, 0), 0);
    close(fd);
    scene_close(&s);
}

/* ---- dma-bufs: what another process may look at is done when the submit returns ---- */

static void test_exported_buffers(void **state)
{
    struct scene s;
    struct call call;
    scene_open(&s);
    clear(&s, 1);
    struct drm_prime_handle prime = {.handle = s.target, .flags = DRM_CLOEXEC};
    begin_call(&call, s.card.file, DRM_IOCTL_PRIME_HANDLE_TO_FD, &prime);
    assert_false(has_returned(&call));
    gate_set(&s.gate, true);
    assert_int_equal(end_call(&call), 0);
    int fd = call.given;
    assert_int_equal(pixel(&s), 1);
    gate_shut(&s.gate);
    struct drm_vc4_submit_cl submit = gate_clear(&s.target, 2);
    begin_call(&call, s.card.file, DRM_IOCTL_VC4_SUBMIT_CL, &submit);
    assert_false(has_returned(&call));
    gate_set(&s.gate, true);
    assert_int_equal(end_call(&call), 0);
    assert_int_equal(pixel(&s), 2);
    close(fd); /* nobody looks any more */
    gate_shut(&s.gate);
    assert_int_equal(clear(&s, 3), 3);
    assert_int_equal(wait_seqno(&s, 3), -ETIME);
    scene_close(&s);
}

/* ---- the display ---- */

enum { CRTC = 1, CONNECTOR = 3, PLANE = 4, PROP_FB_ID = 6, PROP_OUT_FENCE = 20 };

/* The console's mode with a framebuffer over the target, which is made large enough. */
static uint32_t show(struct scene *s, struct drm_file *card)
{
    struct drm_mode_crtc crtc = {.crtc_id = CRTC};
    assert_int_equal(CALL(card, DRM_IOCTL_MODE_GETCRTC, &crtc), 0);
    struct drm_vc4_create_bo create = {.size = 1280 * 720 * 4};
    assert_int_equal(CALL(card, DRM_IOCTL_VC4_CREATE_BO, &create), 0);
    struct drm_mode_fb_cmd2 fb = {.width = 1280,
                                  .height = 720,
                                  .pixel_format = DRM_FORMAT_XRGB8888,
                                  .handles = {create.handle},
                                  .pitches = {1280 * 4}};
    assert_int_equal(CALL(card, DRM_IOCTL_MODE_ADDFB2, &fb), 0);
    uint32_t connector = CONNECTOR;
    crtc.fb_id = fb.fb_id;
    crtc.set_connectors_ptr = (uintptr_t)&connector;
    crtc.count_connectors = 1;
    assert_int_equal(CALL(card, DRM_IOCTL_MODE_SETCRTC, &crtc), 0);
    s->target = create.handle;
    return fb.fb_id;
}

static void draw(struct drm_file *card, uint32_t target, uint32_t color)
{
    struct drm_vc4_submit_cl submit = gate_clear(&target, color);
    assert_int_equal(CALL(card, DRM_IOCTL_VC4_SUBMIT_CL, &submit), 0);
}

static void test_flips(void **state)
{
    struct scene s;
    struct drm_file *card;
    struct call call;
    scene_open(&s);
    assert_int_equal(drm_open(s.card.drm, DRM_MINOR_CARD, &card), 0);
    uint32_t fb = show(&s, card);
    uint64_t before = drm_frames_presented(s.card.drm);
    draw(card, s.target, 1);
    struct drm_mode_crtc_page_flip flip = {
        .crtc_id = CRTC, .fb_id = fb, .flags = DRM_MODE_PAGE_FLIP_EVENT, .user_data = 7};
    assert_int_equal(CALL(card, DRM_IOCTL_MODE_PAGE_FLIP, &flip), 0);
    gate_await(&s.gate, 1);
    assert_false(is_readable(drm_file_events(card)));
    assert_int_equal(drm_frames_presented(s.card.drm), before);
    begin_call(&call, card, DRM_IOCTL_MODE_PAGE_FLIP, &flip); /* one at a time */
    assert_false(has_returned(&call));
    gate_set(&s.gate, true);
    assert_int_equal(end_call(&call), 0);
    for (unsigned i = 0; i < 2; i++) {
        struct drm_event_vblank event;
        assert_int_equal(read(drm_file_events(card), &event, sizeof event), sizeof event);
        assert_int_equal(event.user_data, 7);
    }
    assert_int_equal(drm_frames_presented(s.card.drm), before + 2);

    gate_shut(&s.gate);
    draw(card, s.target, 2);
    assert_int_equal(CALL(card, DRM_IOCTL_MODE_PAGE_FLIP, &flip), 0);
    begin_call(&call, card, DRM_IOCTL_MODE_RMFB, &fb); /* what is to be shown is not taken away */
    assert_false(has_returned(&call));
    gate_set(&s.gate, true);
    assert_int_equal(end_call(&call), 0);
    assert_true(is_readable(drm_file_events(card)));
    scene_close(&s);
}

/* A file with a flip on its way is closed: the event has nowhere to go once it is. */
static void *close_file(void *data)
{
    drm_close(data);
    return NULL;
}

static void test_closed_while_flipping(void **state)
{
    struct scene s;
    struct drm_file *card;
    pthread_t thread;
    scene_open(&s);
    assert_int_equal(drm_open(s.card.drm, DRM_MINOR_CARD, &card), 0);
    uint32_t fb = show(&s, card);
    draw(card, s.target, 1);
    struct drm_mode_crtc_page_flip flip = {.crtc_id = CRTC, .fb_id = fb, .flags = DRM_MODE_PAGE_FLIP_EVENT};
    assert_int_equal(CALL(card, DRM_IOCTL_MODE_PAGE_FLIP, &flip), 0);
    gate_await(&s.gate, 1);
    assert_int_equal(pthread_create(&thread, NULL, close_file, card), 0);
    usleep(20000);
    gate_set(&s.gate, true);
    pthread_join(thread, NULL);
    assert_int_equal(gate_finished(s.fences), 1);
    scene_close(&s);
}

static void test_commits(void **state)
{
    struct scene s;
    struct drm_file *card;
    struct call call;
    scene_open(&s);
    assert_int_equal(drm_open(s.card.drm, DRM_MINOR_CARD, &card), 0);
    uint32_t fb = show(&s, card);
    struct drm_set_client_cap cap = {DRM_CLIENT_CAP_ATOMIC, 1};
    assert_int_equal(CALL(card, DRM_IOCTL_SET_CLIENT_CAP, &cap), 0);
    int fence;
    uint32_t objects[2] = {PLANE, CRTC}, counts[2] = {1, 1}, props[2] = {PROP_FB_ID, PROP_OUT_FENCE};
    uint64_t values[2] = {fb, (uintptr_t)&fence};
    struct drm_mode_atomic atomic = {.flags = DRM_MODE_ATOMIC_NONBLOCK,
                                     .count_objs = 2,
                                     .objs_ptr = (uintptr_t)objects,
                                     .count_props_ptr = (uintptr_t)counts,
                                     .props_ptr = (uintptr_t)props,
                                     .prop_values_ptr = (uintptr_t)values};
    draw(card, s.target, 1);
    assert_int_equal(CALL(card, DRM_IOCTL_MODE_ATOMIC, &atomic), -EINVAL); /* nowhere to put the fence */
    assert_int_equal(CALL_GIVING(card, DRM_IOCTL_MODE_ATOMIC, &atomic, &fence), 0);
    assert_true(fence >= 0);
    assert_false(is_readable(fence));
    gate_set(&s.gate, true);
    gate_wait(&s.card, s.fences, 1);
    assert_true(is_readable(fence));
    close(fence);
    gate_shut(&s.gate);
    draw(card, s.target, 2);
    atomic.flags = 0;
    begin_call(&call, card, DRM_IOCTL_MODE_ATOMIC, &atomic); /* one that blocks */
    assert_false(has_returned(&call));
    gate_set(&s.gate, true);
    assert_int_equal(end_call(&call), 0);
    assert_true(is_readable(call.given));
    close(call.given);
    scene_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_waits),
        cmocka_unit_test(test_queue_is_bounded),
        cmocka_unit_test(test_buffers_stay),
        cmocka_unit_test(test_perfmon_stays),
        cmocka_unit_test(test_destroyed_with_jobs),
        cmocka_unit_test(test_sync_objects),
        cmocka_unit_test(test_exported_buffers),
        cmocka_unit_test(test_flips),
        cmocka_unit_test(test_closed_while_flipping),
        cmocka_unit_test(test_commits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
