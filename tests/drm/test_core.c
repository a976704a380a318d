/* What every DRM driver answers: capabilities, nodes and rights, names, PRIME, sync objects. */
#include "tests/drm/card.h"

#include <poll.h>
#include <fcntl.h>

static void test_version_and_caps(void **state)
{
    struct card card;
    card_open(&card, 32 << 20, NULL);
    char name[8] = "xxxxxxx";
    struct drm_version v = {.name_len = 2, .name = name};
    assert_int_equal(CALL(card.file, DRM_IOCTL_VERSION, &v), 0);
    assert_int_equal(v.name_len, 3); /* the true length; what fitted was copied */
    assert_memory_equal(name, "vcxxxxx", 8);
    struct drm_unique unique = {.unique_len = 99};
    struct drm_file *file;
    assert_int_equal(drm_open(card.drm, DRM_MINOR_CARD, &file), 0);
    assert_int_equal(CALL(file, DRM_IOCTL_GET_UNIQUE, &unique), 0);
    assert_int_equal(unique.unique_len, 0);
    struct drm_get_cap cap = {.capability = DRM_CAP_PRIME};
    assert_int_equal(CALL(card.file, DRM_IOCTL_GET_CAP, &cap), 0);
    assert_int_equal(cap.value, 3);
    cap.capability = 0x7777;
    assert_int_equal(CALL(card.file, DRM_IOCTL_GET_CAP, &cap), -EINVAL);
    assert_int_equal(drm_open(card.drm, 7, &file), -ENOENT);
    card_close(&card);
}

/* Callers may know shorter and longer forms of an argument. */
static void test_argument_sizes(void **state)
{
    struct card card;
    card_open(&card, 32 << 20, NULL);
    uint32_t shorter[2] = {4096, 0};
    assert_int_equal(CALL(card.file, _IOWR(DRM_IOCTL_BASE, 0x43, shorter), shorter), 0);
    struct {
        struct drm_vc4_create_bo known;
        uint64_t unknown;
    } longer = {{.size = 4096}, 0x1234};
    assert_int_equal(CALL(card.file, _IOWR(DRM_IOCTL_BASE, 0x43, longer), &longer), 0);
    assert_int_equal(longer.known.handle, 2);
    assert_int_equal(longer.unknown, 0x1234);
    card_close(&card);
}

static void test_master_and_auth(void **state)
{
    struct card card;
    struct drm_file *first, *second;
    card_open(&card, 32 << 20, NULL);
    assert_int_equal(drm_open(card.drm, DRM_MINOR_CARD, &first), 0);
    assert_int_equal(drm_open(card.drm, DRM_MINOR_CARD, &second), 0);
    struct drm_gem_flink flink = {.handle = 1};
    assert_int_equal(CALL(second, DRM_IOCTL_GEM_FLINK, &flink), -EACCES);
    struct drm_auth auth = {0};
    assert_int_equal(CALL(second, DRM_IOCTL_GET_MAGIC, &auth), 0);
    assert_int_equal(CALL(second, DRM_IOCTL_AUTH_MAGIC, &auth), -EACCES);
    struct drm_auth wrong = {auth.magic + 5};
    assert_int_equal(CALL(first, DRM_IOCTL_AUTH_MAGIC, &wrong), -EINVAL);
    assert_int_equal(CALL(first, DRM_IOCTL_AUTH_MAGIC, &auth), 0);
    assert_int_equal(CALL(second, DRM_IOCTL_GEM_FLINK, &flink), -ENOENT);
    assert_int_equal(CALL(second, DRM_IOCTL_SET_MASTER, NULL), -EBUSY);
    assert_int_equal(CALL(first, DRM_IOCTL_DROP_MASTER, NULL), 0);
    assert_int_equal(CALL(first, DRM_IOCTL_DROP_MASTER, NULL), -EINVAL);
    assert_int_equal(CALL(second, DRM_IOCTL_SET_MASTER, NULL), 0);
    struct drm_mode_card_res res = {0};
    assert_int_equal(CALL(card.file, DRM_IOCTL_MODE_GETRESOURCES, &res), -EACCES); /* the render node */
    card_close(&card);
}

static void test_names(void **state)
{
    struct card card;
    struct drm_file *a, *b;
    card_open(&card, 32 << 20, NULL);
    assert_int_equal(drm_open(card.drm, DRM_MINOR_CARD, &a), 0);
    assert_int_equal(CALL(a, DRM_IOCTL_DROP_MASTER, NULL), 0);
    assert_int_equal(drm_open(card.drm, DRM_MINOR_CARD, &b), 0);
    struct drm_vc4_create_bo create = {.size = 8192};
    assert_int_equal(CALL(a, DRM_IOCTL_VC4_CREATE_BO, &create), 0);
    struct drm_gem_flink flink = {.handle = create.handle};
    assert_int_equal(CALL(a, DRM_IOCTL_GEM_FLINK, &flink), 0);
    struct drm_gem_open open = {.name = flink.name}, again = open;
    assert_int_equal(CALL(b, DRM_IOCTL_GEM_OPEN, &open), 0);
    assert_int_equal(open.size, 8192);
    assert_int_equal(CALL(b, DRM_IOCTL_GEM_OPEN, &again), 0);
    assert_int_equal(again.handle, open.handle);
    drm_close(a); /* the name lives as long as a handle does */
    assert_int_equal(CALL(b, DRM_IOCTL_GEM_OPEN, &again), 0);
    struct drm_gem_close close = {.handle = open.handle};
    assert_int_equal(CALL(b, DRM_IOCTL_GEM_CLOSE, &close), 0);
    assert_int_equal(CALL(b, DRM_IOCTL_GEM_OPEN, &again), -ENOENT);
    card_close(&card);
}

static void test_prime(void **state)
{
    struct card card;
    struct drm_file *other;
    uint64_t address, offset, size, next;
    card_open(&card, 32 << 20, NULL);
    assert_int_equal(drm_open(card.drm, DRM_MINOR_RENDER, &other), 0);
    struct drm_prime_handle out = {.handle = card_buffer(&card, 12288, &address),
                                   .flags = DRM_CLOEXEC | DRM_RDWR};
    int fd, untouched = 12345;
    out.fd = untouched;
    assert_int_equal(CALL(card.file, DRM_IOCTL_PRIME_HANDLE_TO_FD, &out), -EINVAL); /* nowhere to put it */
    assert_int_equal(CALL_GIVING(card.file, DRM_IOCTL_PRIME_HANDLE_TO_FD, &out, &fd), 0);
    assert_int_equal(out.fd, untouched);
    assert_int_equal(fcntl(fd, F_GETFD), FD_CLOEXEC);
    assert_int_equal(lseek(fd, 0, SEEK_END), 12288);
    assert_int_not_equal(ftruncate(fd, 4096), 0); /* it stays what it says it is, and holds nothing */
    assert_int_not_equal(ftruncate(fd, 1 << 20), 0);
    assert_int_not_equal(pwrite(fd, "x", 1, 0), 1);
    assert_int_equal(drm_lookup_dmabuf(card.drm, fd, &offset, &size), 0);
    assert_true(offset == address && size == 12288);
    struct drm_prime_handle in = {.fd = fd};
    assert_int_equal(CALL(card.file, DRM_IOCTL_PRIME_FD_TO_HANDLE, &in), -EINVAL); /* only a number */
    assert_int_equal(CALL_TAKING(card.file, DRM_IOCTL_PRIME_FD_TO_HANDLE, &in, fd), 0);
    assert_int_equal(in.handle, out.handle); /* the handle there is */
    assert_int_equal(CALL_TAKING(other, DRM_IOCTL_PRIME_FD_TO_HANDLE, &in, fd), 0);
    struct drm_gem_close gone = {.handle = out.handle};
    assert_int_equal(CALL(card.file, DRM_IOCTL_GEM_CLOSE, &gone), 0);
    gone.handle = in.handle;
    assert_int_equal(CALL(other, DRM_IOCTL_GEM_CLOSE, &gone), 0);
    card_buffer(&card, 4096, &next);
    assert_true(next >= address + 12288); /* the descriptor alone keeps the buffer */
    assert_int_equal(CALL_TAKING(other, DRM_IOCTL_PRIME_FD_TO_HANDLE, &in, fd), 0);
    assert_int_equal(CALL(other, DRM_IOCTL_GEM_CLOSE, &gone), 0);
    int copy = dup(fd);
    close(fd);
    drm_close(other); /* looks for exports that nobody holds */
    card_buffer(&card, 4096, &next);
    assert_true(next > address);
    close(copy);
    assert_int_equal(drm_open(card.drm, DRM_MINOR_RENDER, &other), 0);
    drm_close(other);
    card_buffer(&card, 4096, &next);
    assert_true(next == address); /* now it is gone */
    int pipe_end[2];
    assert_int_equal(pipe(pipe_end), 0);
    assert_int_equal(CALL_TAKING(card.file, DRM_IOCTL_PRIME_FD_TO_HANDLE, &in, pipe_end[0]), -EINVAL);
    assert_int_equal(CALL_TAKING(card.file, DRM_IOCTL_PRIME_FD_TO_HANDLE, &in, card.memory.fd), -EINVAL);
    assert_int_equal(CALL(card.file, DRM_IOCTL_PRIME_FD_TO_HANDLE, &in), -EINVAL);
    uint32_t shader;
    assert_int_equal(card_shader(&card, "nop ; thrend\nnop\nnop\n", &shader), 0);
    out.handle = shader; /* code cannot be shared */
    assert_int_equal(CALL_GIVING(card.file, DRM_IOCTL_PRIME_HANDLE_TO_FD, &out, &fd), -EINVAL);
    out.handle = 77;
    assert_int_equal(CALL_GIVING(card.file, DRM_IOCTL_PRIME_HANDLE_TO_FD, &out, &fd), -ENOENT);
    close(pipe_end[0]);
    close(pipe_end[1]);
    card_close(&card);
}

static uint32_t new_sync(struct card *card, uint32_t flags)
{
    struct drm_syncobj_create create = {.flags = flags};
    assert_int_equal(CALL(card->file, DRM_IOCTL_SYNCOBJ_CREATE, &create), 0);
    return create.handle;
}

static int wait_for(struct card *card, uint32_t a, uint32_t b, uint32_t flags, uint32_t *first)
{
    uint32_t handles[2] = {a, b};
    struct drm_syncobj_wait wait = {
        .handles = (uintptr_t)handles, .count_handles = 2, .flags = flags, .first_signaled = 9};
    int r = CALL(card->file, DRM_IOCTL_SYNCOBJ_WAIT, &wait);
    *first = wait.first_signaled;
    return r;
}

static void test_syncobj(void **state)
{
    struct card card;
    uint32_t first;
    card_open(&card, 32 << 20, NULL);
    uint32_t a = new_sync(&card, 0), b = new_sync(&card, DRM_SYNCOBJ_CREATE_SIGNALED);
    const uint32_t all = DRM_SYNCOBJ_WAIT_FLAGS_WAIT_ALL, later = DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT;
    assert_int_equal(wait_for(&card, b, b, all, &first), 0);
    assert_int_equal(wait_for(&card, a, b, 0, &first), -EINVAL); /* a has no fence */
    assert_int_equal(wait_for(&card, a, b, later, &first), 0);
    assert_int_equal(first, 1);
    assert_int_equal(wait_for(&card, a, b, later | all, &first), -ETIME);
    assert_int_equal(wait_for(&card, a, 99, later, &first), -ENOENT);
    struct drm_syncobj_array array = {.handles = (uintptr_t)&a, .count_handles = 1};
    assert_int_equal(CALL(card.file, DRM_IOCTL_SYNCOBJ_SIGNAL, &array), 0);
    assert_int_equal(wait_for(&card, a, b, all, &first), 0);
    assert_int_equal(CALL(card.file, DRM_IOCTL_SYNCOBJ_RESET, &array), 0);
    assert_int_equal(wait_for(&card, a, b, all | later, &first), -ETIME);
    array.count_handles = 0;
    assert_int_equal(CALL(card.file, DRM_IOCTL_SYNCOBJ_RESET, &array), -EINVAL);

    struct drm_syncobj_handle h = {.handle = a, .flags = DRM_SYNCOBJ_HANDLE_TO_FD_FLAGS_EXPORT_SYNC_FILE};
    int fd;
    assert_int_equal(CALL_GIVING(card.file, DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD, &h, &fd), -EINVAL); /* no fence */
    h.handle = b;
    assert_int_equal(CALL_GIVING(card.file, DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD, &h, &fd), 0);
    struct pollfd poll_fd = {fd, POLLIN, 0};
    assert_int_equal(poll(&poll_fd, 1, 0), 1);
    h.handle = a;
    h.flags = DRM_SYNCOBJ_FD_TO_HANDLE_FLAGS_IMPORT_SYNC_FILE;
    assert_int_equal(CALL(card.file, DRM_IOCTL_SYNCOBJ_FD_TO_HANDLE, &h), -EINVAL);
    assert_int_equal(CALL_TAKING(card.file, DRM_IOCTL_SYNCOBJ_FD_TO_HANDLE, &h, fd), 0);
    assert_int_equal(wait_for(&card, a, b, all, &first), 0);
    close(fd);

    struct drm_syncobj_handle share = {.handle = a};
    assert_int_equal(CALL_GIVING(card.file, DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD, &share, &fd), 0);
    struct drm_syncobj_handle shared = {0};
    assert_int_equal(CALL_TAKING(card.file, DRM_IOCTL_SYNCOBJ_FD_TO_HANDLE, &shared, fd), 0);
    assert_int_not_equal(shared.handle, a);
    array = (struct drm_syncobj_array){.handles = (uintptr_t)&shared.handle, .count_handles = 1};
    assert_int_equal(CALL(card.file, DRM_IOCTL_SYNCOBJ_RESET, &array), 0);
    assert_int_equal(wait_for(&card, a, a, 0, &first), -EINVAL); /* it is the same object */
    close(fd);

    uint64_t point = 5;
    struct drm_syncobj_timeline_array t = {
        .handles = (uintptr_t)&a, .points = (uintptr_t)&point, .count_handles = 1};
    assert_int_equal(CALL(card.file, DRM_IOCTL_SYNCOBJ_TIMELINE_SIGNAL, &t), 0);
    point = 0;
    assert_int_equal(CALL(card.file, DRM_IOCTL_SYNCOBJ_QUERY, &t), 0);
    assert_int_equal(point, 5);
    struct drm_syncobj_timeline_wait tw = {
        .handles = (uintptr_t)&a, .points = (uintptr_t)&point, .count_handles = 1};
    assert_int_equal(CALL(card.file, DRM_IOCTL_SYNCOBJ_TIMELINE_WAIT, &tw), 0);
    point = 6;
    tw.flags = later;
    assert_int_equal(CALL(card.file, DRM_IOCTL_SYNCOBJ_TIMELINE_WAIT, &tw), -ETIME);
    struct drm_syncobj_destroy destroy = {.handle = a};
    assert_int_equal(CALL(card.file, DRM_IOCTL_SYNCOBJ_DESTROY, &destroy), 0);
    assert_int_equal(CALL(card.file, DRM_IOCTL_SYNCOBJ_DESTROY, &destroy), -EINVAL);
    card_close(&card);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_version_and_caps),
        cmocka_unit_test(test_argument_sizes),
        cmocka_unit_test(test_master_and_auth),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_prime),
        cmocka_unit_test(test_syncobj),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
