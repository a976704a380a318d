/* The server, spoken to by hand: greetings, rings, descriptors, forks, and peers that die. */
#include "tests/drm/host.h"

static void test_both_ways(void **state)
{
    struct host h;
    struct peer p;
    host_open(&h);
    peer_open(&p, &h);
    uint32_t file = open_file(&p, DRM_MINOR_RENDER);
    for (unsigned i = 0; i < 2000; i++) {
        struct drm_vc4_get_param param = {.param = DRM_VC4_PARAM_SUPPORTS_ETC1};
        int r = i % 7 ? ioctl_by_ring(&p, file, DRM_IOCTL_VC4_GET_PARAM, &param)
                      : ioctl_by_socket(&p, file, DRM_IOCTL_VC4_GET_PARAM, &param, -1, NULL);
        assert_int_equal(r, 0);
        assert_int_equal(param.value, 1);
        if (i % 500 == 0)
            usleep(1000); /* let the server fall asleep */
    }
    struct drm_vc4_get_tiling tiling = {0};
    assert_int_equal(ioctl_by_ring(&p, file, DRM_IOCTL_VC4_GET_TILING, &tiling), -ENOENT);
    assert_int_equal(ioctl_by_ring(&p, file + 1, DRM_IOCTL_VC4_GET_TILING, &tiling), -EBADF);
    peer_close(&p);
    host_close(&h);
}

/* What the memory file shows is what the card works with; it cannot be cut short, nor can the channel. */
static void test_shared_memory(void **state)
{
    struct host h;
    struct peer p;
    host_open(&h);
    peer_open(&p, &h);
    uint32_t file = open_file(&p, DRM_MINOR_RENDER), handle = create(&p, file, 4096);
    struct drm_vc4_mmap_bo map = {.handle = handle};
    assert_int_equal(ioctl_by_ring(&p, file, DRM_IOCTL_VC4_MMAP_BO, &map), 0);
    assert_int_equal(pwrite(p.memory, "glass", 5, (off_t)map.offset), 5);
    assert_memory_equal(gpu_memory_at(&h.card.memory, map.offset, 5), "glass", 5);
    assert_int_not_equal(ftruncate(p.memory, 0), 0);
    assert_int_not_equal(ftruncate(p.channel_fd, 0), 0);
    const struct drm_message m = {.type = DRM_MSG_MMAP, .file = file, .a = map.offset, .b = 4096};
    const struct drm_message too_far = {.type = DRM_MSG_MMAP, .file = file, .a = map.offset, .b = 8192};
    struct drm_reply reply;
    int got[3];
    assert_int_equal(call(&p, &m, -1, &reply, got), 0);
    assert_int_equal(call(&p, &too_far, -1, &reply, got), -EINVAL);
    peer_close(&p);
    host_close(&h);
}

static void test_descriptors(void **state)
{
    struct host h;
    struct peer a, b;
    int fd, got[3];
    struct drm_reply reply;
    host_open(&h);
    peer_open(&a, &h);
    peer_open(&b, &h);
    uint32_t file_a = open_file(&a, DRM_MINOR_RENDER), file_b = open_file(&b, DRM_MINOR_RENDER);
    struct drm_prime_handle out = {.handle = create(&a, file_a, 8192)};
    assert_int_equal(ioctl_by_socket(&a, file_a, DRM_IOCTL_PRIME_HANDLE_TO_FD, &out, -1, &fd), 0);
    assert_true(fd >= 0);
    struct drm_prime_handle in = {.fd = 12345}; /* the number means nothing, the descriptor does */
    assert_int_equal(ioctl_by_socket(&b, file_b, DRM_IOCTL_PRIME_FD_TO_HANDLE, &in, fd, NULL), 0);
    assert_int_equal(ioctl_by_socket(&b, file_b, DRM_IOCTL_PRIME_FD_TO_HANDLE, &in, b.memory, NULL), -EINVAL);
    assert_int_equal(ioctl_by_socket(&b, file_b, DRM_IOCTL_PRIME_FD_TO_HANDLE, &in, -1, NULL), -EINVAL);
    const struct drm_message m = {.type = DRM_MSG_DMABUF};
    assert_int_equal(call(&b, &m, fd, &reply, got), 0);
    assert_int_equal(reply.b, 8192);
    assert_int_equal(call(&b, &m, b.memory, &reply, got), -EINVAL);
    close(fd);
    peer_close(&a);
    peer_close(&b);
    host_close(&h);
}

/* A child inherits the files; they live until both have let go. */
static void test_fork(void **state)
{
    struct host h;
    struct peer parent, child = {.memory = -1};
    struct drm_reply reply;
    int got[3];
    host_open(&h);
    peer_open(&parent, &h);
    uint32_t file = open_file(&parent, DRM_MINOR_RENDER), handle = create(&parent, file, 4096);
    const struct drm_message fork_message = {.type = DRM_MSG_FORK};
    assert_int_equal(call(&parent, &fork_message, -1, &reply, got), 0);
    child.socket = got[0];
    use_channel(&child, got[1]);
    peer_close(&parent);
    struct drm_vc4_get_tiling tiling = {.handle = handle};
    assert_int_equal(ioctl_by_ring(&child, file, DRM_IOCTL_VC4_GET_TILING, &tiling), 0);
    const struct drm_message close_message = {.type = DRM_MSG_CLOSE, .file = file};
    assert_int_equal(call(&child, &close_message, -1, &reply, got), 0);
    assert_int_equal(ioctl_by_ring(&child, file, DRM_IOCTL_VC4_GET_TILING, &tiling), -EBADF);
    peer_close(&child);
    host_close(&h);
}

static int close_held(struct peer *p, uint32_t file)
{
    const struct drm_message m = {.type = DRM_MSG_CLOSE, .file = file};
    struct drm_reply reply;
    int got[3];
    return call(p, &m, -1, &reply, got);
}

static int adopt(struct peer *p, int fd, struct drm_reply *reply)
{
    const struct drm_message m = {.type = DRM_MSG_ADOPT};
    int got[3];
    return call(p, &m, fd, reply, got);
}

/* Whether a file is the card's master: only that may set modes. */
static bool is_master(struct peer *p, uint32_t file)
{
    struct drm_mode_crtc off = {.crtc_id = 1};
    int r = ioctl_by_ring(p, file, DRM_IOCTL_MODE_SETCRTC, &off);
    assert_true(!r || r == -EACCES);
    return !r;
}

/* A descriptor given to another process is the same file there: handles, mastery. It lives until the last descriptor is
 * closed, though for a while no process holds it. */
static void test_passing(void **state)
{
    struct host h;
    struct peer a, b;
    struct drm_reply reply;
    int fd;
    host_open(&h);
    peer_open(&a, &h);
    peer_open(&b, &h);
    uint32_t file = open_node(&a, DRM_MINOR_CARD, &fd), handle = create(&a, file, 4096);
    assert_true(is_master(&a, file));
    peer_close(&a);
    uint32_t mine = open_file(&b, DRM_MINOR_CARD);
    usleep(20000); /* the server has seen that it is gone */
    assert_false(is_master(&b, mine));
    for (unsigned i = 0; i < 2; i++) { /* twice is once */
        assert_int_equal(adopt(&b, fd, &reply), 0);
        assert_int_equal(reply.file, file);
        assert_int_equal(reply.b, DRM_MINOR_CARD);
    }
    assert_true(is_master(&b, file));
    struct drm_vc4_get_tiling tiling = {.handle = handle};
    assert_int_equal(ioctl_by_ring(&b, file, DRM_IOCTL_VC4_GET_TILING, &tiling), 0);
    assert_int_equal(close_held(&b, file), 0);
    assert_int_equal(ioctl_by_ring(&b, file, DRM_IOCTL_VC4_GET_TILING, &tiling), -EBADF);
    assert_int_equal(adopt(&b, fd, &reply), 0); /* the descriptor was open still */
    assert_int_equal(ioctl_by_ring(&b, reply.file, DRM_IOCTL_VC4_GET_TILING, &tiling), 0);
    close(fd);
    assert_int_equal(close_held(&b, file), 0);
    assert_int_equal(close_held(&b, mine), 0);
    assert_true(is_master(&b, open_file(&b, DRM_MINOR_CARD))); /* it is closed when that is answered */
    peer_close(&b);
    host_close(&h);
}

/* Nobody adopts it: it is closed with its last descriptor. */
static void test_passing_to_nobody(void **state)
{
    struct host h;
    struct peer a;
    struct drm_reply reply;
    int fd, ends[2];
    host_open(&h);
    peer_open(&a, &h);
    uint32_t file = open_node(&a, DRM_MINOR_CARD, &fd);
    assert_int_equal(close_held(&a, file), 0);
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(adopt(&a, ends[0], &reply), -EINVAL);
    assert_int_equal(adopt(&a, a.memory, &reply), -EINVAL);
    assert_int_equal(adopt(&a, -1, &reply), -EINVAL);
    close(fd);
    bool master = false;
    for (unsigned tries = 0; !master && tries < 5000; tries++) {
        uint32_t other = open_file(&a, DRM_MINOR_CARD);
        master = is_master(&a, other);
        assert_int_equal(close_held(&a, other), 0);
        usleep(1000);
    }
    assert_true(master);
    open_node(&a, DRM_MINOR_CARD, &fd);
    peer_close(&a);
    host_close(&h); /* with a descriptor that somebody has */
    close(fd);
    close(ends[0]);
    close(ends[1]);
}

/* The memory of a peer that vanished comes back by and by. */
static void create_patiently(struct peer *p, uint32_t file, uint32_t size)
{
    struct drm_vc4_create_bo bo = {.size = size};
    int r = -ENOMEM;
    for (unsigned tries = 0; r && tries < 5000; tries++) {
        r = ioctl_by_ring(p, file, DRM_IOCTL_VC4_CREATE_BO, &bo);
        if (r)
            usleep(1000);
    }
    assert_int_equal(r, 0);
}

/* Peers that vanish, at any moment, leave nothing behind: there is room for one of them at a time. */
static void test_vanishing(void **state)
{
    struct host h;
    host_open(&h);
    for (unsigned i = 0; i < 200; i++) {
        struct peer p;
        peer_open(&p, &h);
        create_patiently(&p, open_file(&p, DRM_MINOR_RENDER), 40 << 20);
        if (i % 3 == 1) /* in the middle of a call */
            __atomic_add_fetch(&p.channel->asked, 1, __ATOMIC_SEQ_CST);
        if (i % 3 == 2) {
            const struct drm_message m = {.type = DRM_MSG_OPEN, .a = DRM_MINOR_CARD};
            send_raw(p.socket, &m, sizeof m, NULL, 0);
        }
        peer_close(&p);
    }
    host_close(&h);
}

/* ---- jobs that run while their programs go on ---- */

/* A submission whose one pointer, to the buffers' handles, points into the channel. */
static uint64_t submit_clear(struct peer *p, uint32_t file, uint32_t handle, uint32_t color)
{
    struct drm_vc4_submit_cl submit = gate_clear(NULL, color);
    submit.bo_handles = DRM_CHANNEL_POINTED;
    memcpy(p->data + DRM_CHANNEL_POINTED, &handle, sizeof handle);
    assert_int_equal(ioctl_by_ring(p, file, DRM_IOCTL_VC4_SUBMIT_CL, &submit), 0);
    return submit.seqno;
}

/* Two programs' jobs take turns as they come; each may wait for the other's by its page of fences. */
static void test_two_programs(void **state)
{
    struct host h;
    struct gate gate;
    struct peer p[2];
    uint32_t file[2], handle[2];
    uint64_t seqno = 0;
    host_open_gated(&h, &gate);
    for (unsigned i = 0; i < 2; i++) {
        peer_open(&p[i], &h);
        file[i] = open_file(&p[i], DRM_MINOR_RENDER);
        handle[i] = create(&p[i], file[i], 4096);
    }
    for (uint32_t n = 1; n <= 6; n++) {
        seqno = submit_clear(&p[n % 2], file[n % 2], handle[n % 2], n);
        assert_int_equal(seqno, n);
    }
    for (unsigned i = 0; i < 2; i++) {
        struct drm_vc4_wait_bo wait = {.handle = handle[i], .timeout_ns = 1000};
        assert_int_equal(ioctl_by_ring(&p[i], file[i], DRM_IOCTL_VC4_WAIT_BO, &wait), -ETIME);
        assert_int_equal(gate_finished(p[i].fences), 0);
    }
    gate_set(&gate, true);
    for (unsigned i = 0; i < 2; i++) {
        struct drm_vc4_wait_bo wait = {.handle = handle[i]};
        struct drm_vc4_mmap_bo map = {.handle = handle[i]};
        gate_wait(&h.card, p[i].fences, seqno);
        assert_int_equal(ioctl_by_ring(&p[i], file[i], DRM_IOCTL_VC4_WAIT_BO, &wait), 0);
        assert_int_equal(ioctl_by_ring(&p[i], file[i], DRM_IOCTL_VC4_MMAP_BO, &map), 0);
        assert_int_equal(util_load32(gpu_memory_at(&h.card.memory, map.offset, 4)), 5 + (i == 0));
        peer_close(&p[i]);
    }
    host_close(&h);
}

/* A program dies, its job goes on: its memory is the job's until then. */
static void test_dying_with_a_job(void **state)
{
    struct host h;
    struct gate gate;
    struct peer p, other;
    host_open_gated(&h, &gate);
    peer_open(&other, &h);
    uint32_t file = open_file(&other, DRM_MINOR_RENDER);
    for (unsigned round = 0; round < 4; round++) {
        gate_shut(&gate);
        peer_open(&p, &h);
        uint32_t own = open_file(&p, DRM_MINOR_RENDER), handle = create(&p, own, 40 << 20);
        submit_clear(&p, own, handle, 1);
        uint64_t seqno = submit_clear(&p, own, handle, 2);
        gate_await(&gate, 1);
        if (round % 2) /* in the middle of a call */
            __atomic_add_fetch(&p.channel->asked, 1, __ATOMIC_SEQ_CST);
        peer_close(&p);
        struct drm_vc4_create_bo bo = {.size = 40 << 20};
        assert_int_equal(ioctl_by_ring(&other, file, DRM_IOCTL_VC4_CREATE_BO, &bo), -ENOMEM);
        gate_set(&gate, true);
        gate_wait(&h.card, other.fences, seqno);
        create_patiently(&other, file, 40 << 20);
        struct drm_gem_close close_bo = {.handle = 1};
        assert_int_equal(ioctl_by_ring(&other, file, DRM_IOCTL_GEM_CLOSE, &close_bo), 0);
    }
    peer_close(&other);
    host_close(&h);
}

/* A file is closed while the job runs that draws what it has committed: that waits, and nobody else does. */
static void test_closing_with_a_job(void **state)
{
    struct host h;
    struct gate gate;
    struct peer p, other;
    struct drm_reply reply;
    int fds[3];
    unsigned count;
    host_open_gated(&h, &gate);
    peer_open(&p, &h);
    peer_open(&other, &h);
    uint32_t card = open_file(&p, DRM_MINOR_CARD), handle = create(&p, card, 1280 * 720 * 4), connector = 3;
    struct drm_mode_fb_cmd2 fb = {.width = 1280,
                                  .height = 720,
                                  .pixel_format = DRM_FORMAT_XRGB8888,
                                  .handles = {handle},
                                  .pitches = {1280 * 4}};
    assert_int_equal(ioctl_by_ring(&p, card, DRM_IOCTL_MODE_ADDFB2, &fb), 0);
    struct drm_mode_crtc crtc = {.crtc_id = 1};
    assert_int_equal(ioctl_by_ring(&p, card, DRM_IOCTL_MODE_GETCRTC, &crtc), 0);
    memcpy(p.data + DRM_CHANNEL_POINTED, &connector, sizeof connector);
    crtc.set_connectors_ptr = DRM_CHANNEL_POINTED;
    crtc.count_connectors = 1;
    crtc.fb_id = fb.fb_id;
    assert_int_equal(ioctl_by_ring(&p, card, DRM_IOCTL_MODE_SETCRTC, &crtc), 0);
    uint64_t seqno = submit_clear(&p, card, handle, 1);
    struct drm_mode_crtc_page_flip flip = {.crtc_id = 1, .fb_id = fb.fb_id};
    assert_int_equal(ioctl_by_ring(&p, card, DRM_IOCTL_MODE_PAGE_FLIP, &flip), 0);
    const struct drm_message close_message = {.type = DRM_MSG_CLOSE, .file = card};
    send_raw(p.socket, &close_message, sizeof close_message, NULL, 0);
    gate_await(&gate, 1);
    usleep(20000); /* it has come to wait */
    create(&other, open_file(&other, DRM_MINOR_RENDER), 4096);
    assert_int_equal(gate_finished(other.fences), 0);
    gate_set(&gate, true);
    assert_int_equal(receive_raw(p.socket, &reply, fds, &count), sizeof reply);
    assert_true(gate_finished(other.fences) >= seqno);
    peer_close(&p);
    peer_close(&other);
    host_close(&h);
}

/* A program dies, and what its job draws nobody can see: it is broken off. */
static void test_dying_breaks_off(void **state)
{
    struct host h;
    struct gate gate;
    struct peer p, other;
    host_open_gated(&h, &gate);
    peer_open(&other, &h);
    peer_open(&p, &h);
    uint32_t file = open_file(&p, DRM_MINOR_RENDER), handle = create(&p, file, 4096);
    submit_clear(&p, file, handle, 1);
    uint64_t seqno = submit_clear(&p, file, handle, 2);
    gate_await(&gate, 1);
    peer_close(&p);
    while (!__atomic_load_n(&vc4_device_host(h.card.gpu)->cancelled, __ATOMIC_RELAXED))
        usleep(1000);
    gate_set(&gate, true);
    gate_wait(&h.card, other.fences, seqno);
    assert_int_equal(gate.arrived, 1); /* the second was not begun */
    assert_int_equal(h.card.messages + h.card.faults, 0);
    peer_close(&other);
    host_close(&h);
}

/* The thread that runs jobs is one of a program that dies: the job that came meanwhile is not forgotten, though its
 * program only looks at the page of fences. */
static void test_dying_while_others_wait(void **state)
{
    struct host h;
    struct gate gate;
    struct peer p, other;
    host_open_gated(&h, &gate);
    peer_open(&p, &h);
    peer_open(&other, &h);
    const uint32_t file = open_file(&p, DRM_MINOR_RENDER), mine = open_file(&other, DRM_MINOR_RENDER);
    submit_clear(&p, file, create(&p, file, 4096), 1);
    gate_await(&gate, 1);
    const uint64_t seqno = submit_clear(&other, mine, create(&other, mine, 4096), 2);
    peer_close(&p);
    while (!__atomic_load_n(&vc4_device_host(h.card.gpu)->cancelled, __ATOMIC_RELAXED))
        usleep(1000);
    gate_set(&gate, true);
    for (unsigned tries = 0; gate_finished(other.fences) < seqno; tries++) {
        assert_true(tries < 5000);
        usleep(1000);
    }
    assert_int_equal(h.card.messages + h.card.faults, 0);
    peer_close(&other);
    host_close(&h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_both_ways),
        cmocka_unit_test(test_shared_memory),
        cmocka_unit_test(test_descriptors),
        cmocka_unit_test(test_fork),
        cmocka_unit_test(test_passing),
        cmocka_unit_test(test_passing_to_nobody),
        cmocka_unit_test(test_vanishing),
        cmocka_unit_test(test_two_programs),
        cmocka_unit_test(test_dying_with_a_job),
        cmocka_unit_test(test_dying_breaks_off),
        cmocka_unit_test(test_closing_with_a_job),
        cmocka_unit_test(test_dying_while_others_wait),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
