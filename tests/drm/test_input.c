/* Keyboard and pointers, asked by peers as the client asks: devices, answers, what is sent to whom, who is behind. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "tests/drm/host.h"

#include <linux/input.h>

#include "drm/input/input.h"

struct bed {
    struct host host;
    struct drm_input *input;
    struct peer peer;
};

static void open_bed(struct bed *b)
{
    memset(b, 0, sizeof *b);
    assert_int_equal(drm_input_create(640, 360, &b->input), 0);
    card_open(&b->host.card, 64 << 20, NULL);
    host_serve_both(&b->host, b->host.card.drm, &b->host.card.memory, b->input);
    peer_open(&b->peer, &b->host);
}

static void close_bed(struct bed *b)
{
    peer_close(&b->peer);
    host_close(&b->host);
    drm_input_destroy(b->input);
}

static int ask_open(struct bed *b, uint64_t device, uint64_t long_bytes, int *fd)
{
    const struct drm_message m = {.type = DRM_MSG_INPUT, .a = device, .b = long_bytes};
    struct drm_reply reply;
    int got[3];
    int r = call(&b->peer, &m, -1, &reply, got);
    *fd = got[0];
    return r;
}

static int open_device(struct bed *b, uint64_t device)
{
    int fd;
    assert_int_equal(ask_open(b, device, 8, &fd), 0);
    assert_true(fd >= 0);
    fcntl(fd, F_SETFL, O_NONBLOCK);
    return fd;
}

/* The result; `bytes` get what came back. */
static int ask(struct bed *b, int fd, uint32_t request, uint64_t value, void *bytes, uint64_t *back)
{
    const struct drm_message m = {.type = DRM_MSG_INPUT_IOCTL, .request = request, .a = value};
    struct drm_reply reply;
    int got[3];
    if (bytes)
        memcpy(b->peer.data + DRM_CHANNEL_ARGUMENT, bytes, _IOC_SIZE(request));
    int r = call(&b->peer, &m, fd, &reply, got);
    assert_int_equal(got[0], -1);
    assert_true(reply.a <= _IOC_SIZE(request));
    if (bytes)
        memcpy(bytes, b->peer.data + DRM_CHANNEL_ARGUMENT, reply.a);
    if (back)
        *back = reply.a;
    return r;
}

static void press(struct bed *b, enum drm_input_number device, uint16_t type, uint16_t code, int32_t value)
{
    const struct drm_input_event event = {type, code, value};
    drm_input_send(b->input, device, &event, 1);
}

static void expect(int fd, uint16_t type, uint16_t code, int32_t value)
{
    struct input_event event;
    assert_int_equal(read(fd, &event, sizeof event), sizeof event);
    assert_int_equal(event.type, type);
    assert_int_equal(event.code, code);
    assert_int_equal(event.value, value);
}

static void expect_nothing(int fd)
{
    struct input_event event;
    assert_int_equal(read(fd, &event, sizeof event), -1);
    assert_int_equal(errno, EAGAIN);
}

static void test_devices(void **state)
{
    struct bed b;
    int fd;
    open_bed(&b);
    assert_int_equal(ask_open(&b, DRM_INPUT_COUNT, 8, &fd), -ENOENT);
    assert_int_equal(ask_open(&b, UINT64_MAX, 8, &fd), -ENOENT);
    assert_int_equal(ask_open(&b, DRM_INPUT_MOUSE, 5, &fd), -EINVAL);
    assert_false(drm_input_is_open(b.input, DRM_INPUT_MOUSE));
    int mouse = open_device(&b, DRM_INPUT_MOUSE);
    assert_true(drm_input_is_open(b.input, DRM_INPUT_MOUSE));
    assert_false(drm_input_is_open(b.input, DRM_INPUT_KEYBOARD));
    /* adopted as the device it is; a pipe of the peer's own is none */
    const struct drm_message adopt = {.type = DRM_MSG_ADOPT};
    struct drm_reply reply;
    int got[3], own[2];
    assert_int_equal(call(&b.peer, &adopt, mouse, &reply, got), 0);
    assert_int_equal(reply.file, 0);
    assert_int_equal(reply.b, DRM_INPUT_MOUSE);
    assert_int_equal(pipe(own), 0);
    assert_int_equal(call(&b.peer, &adopt, own[0], &reply, got), -EINVAL);
    assert_int_equal(ask(&b, own[0], EVIOCGVERSION, 0, NULL, NULL), -ENOTTY);
    assert_int_equal(ask(&b, -1, EVIOCGVERSION, 0, NULL, NULL), -ENOTTY);
    close(own[0]);
    close(own[1]);
    close(mouse);
    assert_false(drm_input_is_open(b.input, DRM_INPUT_MOUSE));
    close_bed(&b);
}

/* A server without any. */
static void test_none(void **state)
{
    struct bed b = {0};
    int fd;
    host_open(&b.host);
    peer_open(&b.peer, &b.host);
    assert_int_equal(ask_open(&b, DRM_INPUT_KEYBOARD, 8, &fd), -ENOENT);
    assert_int_equal(ask(&b, -1, EVIOCGVERSION, 0, NULL, NULL), -ENOTTY);
    close_bed(&b);
}

/* Every number and size: never more comes back than was asked for, and nothing but an errno otherwise. */
static void test_every_request(void **state)
{
    static const uint32_t sizes[] = {0, 1, 4, 8, 24, 96, 1000, 1024, 1025, 16383};
    static uint8_t bytes[16384];
    struct bed b;
    open_bed(&b);
    int fd[DRM_INPUT_COUNT];
    for (unsigned i = 0; i < DRM_INPUT_COUNT; i++)
        fd[i] = open_device(&b, i);
    unsigned answered = 0;
    for (unsigned dir = 0; dir < 4; dir++)
        for (unsigned nr = 0; nr < 256; nr++)
            for (size_t s = 0; s < UTIL_ARRAY_SIZE(sizes); s++) {
                uint32_t request = _IOC(dir, 'E', nr, sizes[s]);
                uint64_t back;
                if (request == EVIOCREVOKE)
                    continue;
                memset(bytes, 0xa5, sizeof bytes);
                int r = ask(&b, fd[nr % DRM_INPUT_COUNT], request, 0, bytes, &back);
                assert_true(r >= 0 || (r > -134 && r != -EPROTO));
                assert_true(back <= sizes[s]);
                for (uint64_t i = back; i < sizes[s]; i++)
                    assert_int_equal(bytes[i], 0xa5);
                answered += r >= 0 && back;
            }
    assert_true(answered > 100);
    assert_int_equal(ask(&b, fd[0], _IOC(_IOC_READ, 'D', 1, 4), 0, bytes, NULL), -EINVAL);
    for (unsigned i = 0; i < DRM_INPUT_COUNT; i++)
        close(fd[i]);
    close_bed(&b);
}

static void test_changes_alone(void **state)
{
    struct bed b;
    open_bed(&b);
    int keyboard = open_device(&b, DRM_INPUT_KEYBOARD), pointer = open_device(&b, DRM_INPUT_POINTER);
    press(&b, DRM_INPUT_KEYBOARD, EV_KEY, KEY_A, 1);
    press(&b, DRM_INPUT_KEYBOARD, EV_KEY, KEY_A, 1);
    press(&b, DRM_INPUT_KEYBOARD, EV_KEY, BTN_LEFT, 1); /* it has none */
    press(&b, DRM_INPUT_KEYBOARD, EV_KEY, KEY_A, 0);
    expect(keyboard, EV_KEY, KEY_A, 1);
    expect(keyboard, EV_SYN, SYN_REPORT, 0);
    expect(keyboard, EV_KEY, KEY_A, 0);
    expect(keyboard, EV_SYN, SYN_REPORT, 0);
    expect_nothing(keyboard);
    const struct drm_input_event there[] = {{EV_ABS, ABS_X, 5}, {EV_ABS, ABS_Y, 0}, {EV_REL, REL_WHEEL, 0}};
    drm_input_send(b.input, DRM_INPUT_POINTER, there, 3);
    expect(pointer, EV_ABS, ABS_X, 5);
    expect(pointer, EV_SYN, SYN_REPORT, 0);
    expect_nothing(pointer);
    struct input_absinfo range;
    assert_int_equal(ask(&b, pointer, EVIOCGABS(ABS_X), 0, &range, NULL), 0);
    assert_int_equal(range.value, 5);
    assert_int_equal(range.maximum, 639);
    close(keyboard);
    close(pointer);
    close_bed(&b);
}

static void test_grab(void **state)
{
    struct bed b;
    open_bed(&b);
    int first = open_device(&b, DRM_INPUT_KEYBOARD), second = open_device(&b, DRM_INPUT_KEYBOARD);
    assert_int_equal(ask(&b, first, EVIOCGRAB, 0, NULL, NULL), -EINVAL);
    assert_int_equal(ask(&b, first, EVIOCGRAB, 1, NULL, NULL), 0);
    assert_int_equal(ask(&b, second, EVIOCGRAB, 1, NULL, NULL), -EBUSY);
    press(&b, DRM_INPUT_KEYBOARD, EV_KEY, KEY_B, 1);
    expect(first, EV_KEY, KEY_B, 1);
    expect_nothing(second);
    close(first); /* with that its grab is over */
    press(&b, DRM_INPUT_KEYBOARD, EV_KEY, KEY_B, 0);
    press(&b, DRM_INPUT_KEYBOARD, EV_KEY, KEY_B, 1);
    expect(second, EV_KEY, KEY_B, 0);
    expect(second, EV_SYN, SYN_REPORT, 0);
    expect(second, EV_KEY, KEY_B, 1);
    assert_int_equal(ask(&b, second, EVIOCREVOKE, 0, NULL, NULL), 0);
    expect(second, EV_SYN, SYN_REPORT, 0);
    struct input_event event;
    assert_int_equal(read(second, &event, sizeof event), 0);
    assert_int_equal(ask(&b, second, EVIOCGVERSION, 0, NULL, NULL), -ENOTTY);
    close(second);
    close_bed(&b);
}

/* One that does not read loses what its pipe has no room for, and is told. */
static void test_behind(void **state)
{
    struct bed b;
    struct input_event event;
    unsigned read_whole = 0;
    open_bed(&b);
    int slow = open_device(&b, DRM_INPUT_MOUSE), narrow;
    assert_int_equal(ask_open(&b, DRM_INPUT_MOUSE, 4, &narrow), 0);
    for (unsigned i = 0; i < 1000; i++)
        press(&b, DRM_INPUT_MOUSE, EV_REL, REL_X, 1);
    while (read(slow, &event, sizeof event) == sizeof event)
        read_whole++;
    assert_in_range(read_whole, 100, DRM_EVENT_PIPE / sizeof event);
    press(&b, DRM_INPUT_MOUSE, EV_REL, REL_X, 7);
    expect(slow, EV_SYN, SYN_DROPPED, 0);
    expect(slow, EV_REL, REL_X, 7);
    expect(slow, EV_SYN, SYN_REPORT, 0);
    press(&b, DRM_INPUT_MOUSE, EV_REL, REL_X, 8);
    expect(slow, EV_REL, REL_X, 8);
    /* events of a machine with longs of four bytes have 16 */
    uint8_t small[32];
    assert_int_equal(read(narrow, small, sizeof small), sizeof small);
    assert_int_equal(util_load32(small + 8), EV_REL | REL_X << 16);
    assert_int_equal(util_load32(small + 24), EV_SYN | SYN_REPORT << 16);
    close(slow);
    close(narrow);
    close_bed(&b);
}

/* There is a most, and those that went make room. */
static void test_many(void **state)
{
    struct bed b;
    int fd[300], refused = 0;
    open_bed(&b);
    for (unsigned i = 0; i < 300; i++)
        refused += ask_open(&b, DRM_INPUT_KEYBOARD, 8, &fd[i]) == -EMFILE;
    assert_int_equal(refused, 44);
    for (unsigned i = 0; i < 300; i++)
        if (fd[i] >= 0)
            close(fd[i]);
    close(open_device(&b, DRM_INPUT_KEYBOARD));
    close_bed(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_devices),       cmocka_unit_test(test_none),
        cmocka_unit_test(test_every_request), cmocka_unit_test(test_changes_alone),
        cmocka_unit_test(test_grab),          cmocka_unit_test(test_behind),
        cmocka_unit_test(test_many),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
