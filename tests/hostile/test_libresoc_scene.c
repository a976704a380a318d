/* Scenes of `vitrail libresoc draw` in which something is wrong: a good one with words, numbers and bytes replaced. Each is refused with a
 * text that names the file, or is drawn, as far as its programs go. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <unistd.h>

#include "gpu/families.h"
#include "gpu/libresoc/regs.h"
#include "isa/random.h"
#include "tools/libresoc_scene.h"
#include "util/bits.h"

#define ROUNDS 1500u
#define MOST   8192u

/* The scene of docs/SIMPLE_V.md, with one thing of each kind that it has not. */
static const char good[] =
    "{\"size\": [64, 40], \"clear\": [0, 0.5, 1, 1], \"clear_depth\": 1, \"heap\": 65536, \"format\": "
    "\"B8G8R8A8_UNORM\","
    " \"buffers\": {\"corners\": [{\"f32\": [0.0, 0.8, 1, 0, 0, -0.8, -0.8, 0, 1, 0, 0.8, -0.8, 0, 0, 1]}],"
    " \"which\": [{\"u16\": [0, 1, 2]}], \"mixed\": [{\"u8\": [1, 2]}, {\"u32\": [7]}, {\"address\": "
    "\"corners\"}, {\"texture\": \"t\"}]},"
    " \"textures\": {\"t\": {\"png\": \"t.png\", \"wrap\": \"repeat\"}},"
    " \"programs\": {\"vertex\": {\"asm\": \"vertex.s\"}, \"fragment\": {\"asm\": \"fragment.s\"}},"
    " \"draws\": [{\"mode\": \"triangles\", \"vertices\": 3, \"varyings\": 3, \"indices\": \"which\", "
    "\"instances\": 2,"
    " \"attributes\": [{\"buffer\": \"corners\", \"stride\": 20, \"format\": \"R32G32_FLOAT\"},"
    " {\"buffer\": \"corners\", \"offset\": 8, \"stride\": 20, \"format\": \"R32G32B32_FLOAT\", "
    "\"components\": 3, \"divisor\": 0}],"
    " \"vertex\": {\"program\": \"vertex\"}, \"fragment\": {\"program\": \"fragment\", \"uniforms\": "
    "\"mixed\"},"
    " \"depth\": {\"func\": \"less\", \"write\": true}, \"cull\": \"none\", \"viewport\": [0, 0, 64, 40], "
    "\"clip\": [0, 0, 64, 40],"
    " \"offset\": [0, 0], \"flat\": 2, \"kills\": false, \"line_width\": 1}]}";

static char folder[] = "/tmp/vitrail-scene-XXXXXX", path[64];

static void copy(const char *from, const char *to)
{
    char command[512];
    snprintf(command, sizeof command, "cp %s/tests/libresoc/draw/%s %s/%s", SOURCE_DIR, from, folder, to);
    assert_int_equal(system(command), 0);
}

static void write_scene(const char *text, size_t size)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

/* The text's bytes from `begin` to `end` become others; its size. */
static size_t replace(char *text, size_t size, size_t begin, size_t end, const char *by)
{
    const size_t length = strlen(by);
    memmove(text + begin + length, text + end, size - end);
    memcpy(text + begin, by, length);
    return size - (end - begin) + length;
}

/* A byte, a number, or anything between two marks becomes something else. */
static size_t spoil(struct isa_random *random, char *text, size_t size)
{
    static const char *const numbers[] = {
        "-1", "0", "1e300", "4294967295", "4294967296", "9223372036854775807", "0.5", "64", "-0.0",
        "3",  "1", "2",     "65536",      "16777216"};
    static const char *const words[] = {"null",
                                        "[]",
                                        "{}",
                                        "\"\"",
                                        "true",
                                        "\"corners\"",
                                        "\"fragment\"",
                                        "[0, 1]",
                                        "\"t\"",
                                        "\"R8G8B8A8_UNORM\"",
                                        ","};
    const uint32_t kind = isa_random_below(random, 6);
    size_t begin = isa_random_below(random, (uint32_t)size), end;
    if (!kind) {
        text[begin] = (char)isa_random_next(random);
        return size;
    }
    const char *of = kind == 1 ? "" : "-.0123456789";
    while (*of && begin < size && !strchr(of, text[begin]))
        begin++;
    while (begin && (*of ? strchr(of, text[begin - 1]) != NULL : !strchr(" [{:", text[begin - 1])))
        begin--;
    for (end = begin; end < size && (*of ? strchr(of, text[end]) != NULL : !strchr(",]}:", text[end]));)
        end++;
    return replace(text, size, begin, end,
                   *of ? numbers[isa_random_below(random, UTIL_ARRAY_SIZE(numbers))]
                       : words[isa_random_below(random, UTIL_ARRAY_SIZE(words))]);
}

/* 0: it was read. */
static int load_and_draw(struct gpu_memory *memory)
{
    const struct gpu_options options = {.fuel = 500, .packet_budget = 1u << 16, .job_fuel = 1u << 16};
    struct util_error error = {0};
    struct tool_scene scene;
    struct gpu_device gpu;
    struct gpu_fault fault;
    char report[512];
    const int status = tool_scene_load(path, memory, &scene, &error);
    if (status) {
        assert_true(status < 0 && status != -ENOMEM && !strncmp(error.text, path, strlen(path)));
        return status;
    }
    assert_int_equal(gpu_create("libresoc", memory, &options, &gpu), 0);
    gpu_device_write(&gpu, LIBRESOC_RECORD_LOW, (uint32_t)scene.record);
    gpu_device_write(&gpu, LIBRESOC_RECORD_HIGH, (uint32_t)(scene.record >> 32));
    gpu_device_write(&gpu, LIBRESOC_COMMAND, LIBRESOC_BIT(COMMAND, START));
    if (gpu_host_faults(gpu.host, &fault, 1))
        assert_true(gpu_fault_format(&fault, report, sizeof report) &&
                    !strncmp(report, "libresoc job 1, ", 16));
    gpu_device_destroy(&gpu);
    return 0;
}

static void test_scenes(void **state)
{
    struct isa_random random = {3};
    unsigned drawn = 0;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/scene.json", folder);
    copy("first_vertex.s", "vertex.s");
    copy("first_fragment.s", "fragment.s");
    copy("glass.png", "t.png");
    for (unsigned round = 0; round < ROUNDS; round++) {
        char text[MOST];
        size_t size = sizeof good - 1;
        struct gpu_memory memory;
        memcpy(text, good, size);
        for (unsigned n = round ? 1 + isa_random_below(&random, 3) : 0; n; n--)
            size = spoil(&random, text, size);
        write_scene(text, size);
        assert_int_equal(gpu_memory_create(TOOL_SCENE_MEMORY, &memory), 0);
        const int status = load_and_draw(&memory);
        drawn += !status;
        assert_true(round || !status);
        gpu_memory_destroy(&memory);
    }
    assert_in_range(drawn, ROUNDS / 20, ROUNDS * 19 / 20);
    static const char *const files[] = {"scene.json", "vertex.s", "fragment.s", "t.png"};
    for (unsigned n = 0; n < UTIL_ARRAY_SIZE(files); n++) {
        snprintf(path, sizeof path, "%s/%s", folder, files[n]);
        unlink(path);
    }
    assert_int_equal(rmdir(folder), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_scenes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
