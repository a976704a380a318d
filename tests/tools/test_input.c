/* tools/input.c: scripts become events, in order and in time; what is wrong is named by its line. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <linux/input.h>
#include <stdatomic.h>
#include <time.h>

#include "tests/tools/command.h"
#include "tools/input.h"
#include "tools/tool.h"
#include "util/bits.h"

static struct tool_input *script;

static int read_text(const char *text)
{
    command_write_text(command_at("script"), text);
    fflush(NULL);
    int before = dup(STDERR_FILENO), file = open(command_at("err"), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    assert_true(before >= 0 && file >= 0);
    dup2(file, STDERR_FILENO);
    int code = tool_input_read("run", command_at("script"), 640, 360, &script);
    dup2(before, STDERR_FILENO);
    close(before);
    close(file);
    return code;
}

static void refused(const char *text, const char *sentence)
{
    char said[512] = "";
    assert_int_equal(read_text(text), TOOL_BAD_FILE);
    FILE *file = fopen(command_at("err"), "r");
    assert_non_null(file);
    assert_non_null(fgets(said, sizeof said, file));
    assert_null(fgets(said + strlen(said), 2, file)); /* one line */
    fclose(file);
    if (!strstr(said, sentence))
        fail_msg("%s", said);
}

static void test_wrong(void **state)
{
    refused("key a\n\nfrob\n", "script: line 3: no such command; there are key,");
    refused("key\n", "line 1: usage: key NAME");
    refused("key a b\n", "line 1: usage: key NAME");
    refused("key nosuch\n", "line 1: no such key or button");
    refused("key KEY_A\n", "line 1: no such key or button");
    refused("down btn_trigger_happy1\n", "line 1: no such key or button");
    refused("key btn_touch\n", "line 1: no such key or button");
    refused("click a\n", "line 1: no such button");
    refused("# here\nmove 640 0\n", "line 2: a number is out of range, or is none");
    refused("move 1\n", "line 1: usage: move X Y");
    refused("move -1 0\n", "out of range");
    refused("move x 0\n", "out of range, or is none");
    refused("turn 1e9 0\n", "out of range");
    refused("wheel nan\n", "out of range");
    refused("wheel 1 2 3 4 5 6\n", "usage: wheel UP [RIGHT]");
    refused("pause -1\n", "out of range");
    refused("wait 0\n", "out of range");
    refused("type\n", "usage: type TEXT");
    refused("type \xc3\xa9\n", "type takes what a US keyboard has");
    assert_int_equal(tool_input_read("run", command_at("none"), 1, 1, &script), TOOL_BAD_FILE);
}

static atomic_uint shown;

static uint64_t shown_until_now(void *data)
{
    return atomic_load(&shown);
}

static struct drm_input *input;

static int reader_of(enum drm_input_number device)
{
    int fd = drm_input_open(input, device, 8);
    assert_true(fd >= 0);
    return fd;
}

/* The next event but SYN_REPORT; it waits for it. */
static void expect(int fd, unsigned type, unsigned code, int32_t value)
{
    struct input_event event;
    do
        assert_int_equal(read(fd, &event, sizeof event), sizeof event);
    while (event.type == EV_SYN);
    assert_int_equal(event.type, type);
    assert_int_equal(event.code, code);
    assert_int_equal(event.value, value);
}

static void expect_nothing(int fd)
{
    struct input_event event;
    int flags = fcntl(fd, F_GETFL);
    fcntl(fd, F_SETFL, flags | O_NONBLOCK);
    while (read(fd, &event, sizeof event) == sizeof event)
        assert_int_equal(event.type, EV_SYN);
    fcntl(fd, F_SETFL, flags);
}

static void play(const char *text)
{
    const struct tool_input_stage stage = {input, shown_until_now, NULL};
    assert_int_equal(read_text(text), TOOL_OK);
    assert_int_equal(tool_input_play(script, &stage), 0);
}

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void test_played(void **state)
{
    int keyboard = reader_of(DRM_INPUT_KEYBOARD), pointer = reader_of(DRM_INPUT_POINTER),
        mouse = reader_of(DRM_INPUT_MOUSE);
    double began = seconds();
    play("# all of it\n  \tkey  enter \r\ntype aZ~\nclick\nclick right\nmove 12.9 34\nwheel -1 2\nturn 3 "
         "-4\npause 0.2\ndown btn_side");
    expect(keyboard, EV_KEY, KEY_ENTER, 1);
    expect(keyboard, EV_KEY, KEY_ENTER, 0);
    expect(keyboard, EV_KEY, KEY_A, 1);
    expect(keyboard, EV_KEY, KEY_A, 0);
    for (unsigned i = 0; i < 2; i++) {
        expect(keyboard, EV_KEY, KEY_LEFTSHIFT, 1);
        expect(keyboard, EV_KEY, i ? KEY_GRAVE : KEY_Z, 1);
        expect(keyboard, EV_KEY, i ? KEY_GRAVE : KEY_Z, 0);
        expect(keyboard, EV_KEY, KEY_LEFTSHIFT, 0);
    }
    for (unsigned code = BTN_LEFT; code <= BTN_RIGHT; code++) {
        expect(pointer, EV_KEY, code, 1);
        expect(pointer, EV_KEY, code, 0);
    }
    expect(pointer, EV_ABS, ABS_X, 12);
    expect(pointer, EV_ABS, ABS_Y, 34);
    expect(pointer, EV_REL, REL_WHEEL, -1);
    expect(pointer, EV_REL, REL_HWHEEL, 2);
    expect(mouse, EV_REL, REL_X, 3);
    expect(mouse, EV_REL, REL_Y, -4);
    expect(pointer, EV_KEY, BTN_SIDE, 1);
    assert_true(seconds() - began >= 0.2);
    assert_int_equal(tool_input_stop(script), 0);
    close(keyboard);
    close(pointer);
    close(mouse);
}

/* Events wait for a reader, and `wait` for pictures. */
static void test_waits(void **state)
{
    const struct timespec moment = {.tv_nsec = 50000000};
    atomic_store(&shown, 100);
    play("key a\nwait 2\nkey b\n");
    nanosleep(&moment, NULL); /* nobody reads yet */
    int keyboard = reader_of(DRM_INPUT_KEYBOARD);
    expect(keyboard, EV_KEY, KEY_A, 1);
    expect(keyboard, EV_KEY, KEY_A, 0);
    nanosleep(&moment, NULL); /* after the key it rests, and then it counts from here */
    nanosleep(&moment, NULL);
    atomic_store(&shown, 101);
    nanosleep(&moment, NULL);
    expect_nothing(keyboard);
    atomic_store(&shown, 1000000);
    expect(keyboard, EV_KEY, KEY_B, 1);
    expect(keyboard, EV_KEY, KEY_B, 0);
    assert_int_equal(tool_input_stop(script), 0);
    close(keyboard);
}

/* Stopped wherever it is, it says where that was. */
static void test_stopped(void **state)
{
    static const char *const texts[] = {"\nkey a\n", "pause 86400\nkey a\n", "wait 5\nkey a\n"};
    for (size_t i = 0; i < UTIL_ARRAY_SIZE(texts); i++) {
        play(texts[i]);
        assert_int_equal(tool_input_stop(script), 2);
    }
    assert_int_equal(read_text("key a\n"), TOOL_OK);
    assert_int_equal(tool_input_stop(script), 0); /* it was never played */
    assert_int_equal(tool_input_stop(NULL), 0);
    play("pause 86400\n"); /* nothing to send */
    assert_int_equal(tool_input_stop(script), 0);
}

static int setup(void **state)
{
    signal(SIGPIPE, SIG_IGN);
    return drm_input_create(640, 360, &input) || command_begin(state);
}

static int teardown(void **state)
{
    drm_input_destroy(input);
    return command_end(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_wrong),
        cmocka_unit_test(test_played),
        cmocka_unit_test(test_waits),
        cmocka_unit_test(test_stopped),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
