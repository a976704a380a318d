/* `vitrail report` on each GPU's capture of one program: the page's pictures are those that replay draws, the texture is the
 * same picture whatever layout the driver gave it, and the page's data is one document that nothing in it ends. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/gpu/captures.h"
#include "tests/tools/command.h"
#include "tests/tools/json_reader.h"
#include "tools/sheet.h"

#define BEGINS "<script type=\"application/json\" id=\"data\">"

/* The data of the page at `path`; the caller's. */
static struct json_object *data_of(const char *path)
{
    uint8_t *page;
    size_t size;
    assert_true(tool_read_file("test", path, &page, &size));
    const char *data = strstr((char *)page, BEGINS);
    assert_non_null(data);
    data += strlen(BEGINS);
    const char *end = strstr(data, "</script>");
    assert_non_null(end);
    assert_null(memchr(data, '<', (size_t)(end - data)));
    struct json_object *document = json_read(strndup(data, (size_t)(end - data)));
    assert_non_null(document);
    free(page);
    return document;
}

static struct json_object *report_on(const char *capture, uint32_t first)
{
    const char *page = command_at("page.html"), *said = command_at("said");
    char frames[16];
    snprintf(frames, sizeof frames, "%u..", first);
    const char *const words[] = {"report", "--threads", "1",    "--no-cache", "--tier", "quick", "--loops",
                                 "1",      "--frames",  frames, "-o",         page,     capture, NULL};
    assert_int_equal(command_run(tool_report, words, said, said), TOOL_OK);
    return data_of(page);
}

static uint32_t count(struct json_object *document, const char *path)
{
    struct json_object *array = json_at(document, path);
    assert_true(json_object_is_type(array, json_type_array));
    return (uint32_t)json_object_array_length(array);
}

static uint32_t pictures_of(const char *capture)
{
    struct capture_reader *reader;
    assert_int_equal(capture_reader_open(capture, &reader, NULL), 0);
    const uint64_t n = replay_count_pictures(reader, replay_shows_pictures(reader), UINT64_MAX, NULL);
    capture_reader_close(reader);
    return (uint32_t)n;
}

/* The PNG of picture `number`, base64, as replay draws it. */
static char *drawn(const char *capture, uint32_t number)
{
    const struct gpu_options options = {.numeric = ISA_USUAL};
    struct capture_reader *reader;
    struct replay *replay;
    struct capture_frame frame;
    struct util_image image;
    char *bytes = NULL;
    size_t size = 0;
    assert_int_equal(capture_reader_open(capture, &reader, NULL), 0);
    const bool shown = replay_shows_pictures(reader);
    assert_int_equal(replay_create(reader, &options, &replay, NULL), 0);
    for (uint32_t n = 0; n < number; n++)
        assert_int_equal(replay_next_frame(replay, shown, &frame, NULL), 1);
    assert_int_equal(replay_picture(replay, &frame, &image), 0);
    FILE *out = open_memstream(&bytes, &size);
    assert_int_equal(util_image_put_png(&image, out, 0), 0);
    fclose(out);
    char *text = report_to_base64((uint8_t *)bytes, size);
    free(bytes);
    util_image_finish(&image);
    replay_destroy(replay);
    return text;
}

static void each_gpu_has_its_page(void **state)
{
    const struct gpu_info *gpu;
    char *texture = NULL;
    unsigned tried = 0;
    for (unsigned n = 0; (gpu = gpu_info_at(n)); n++) {
        char capture[CAPTURES_PATH], path[64];
        captures_need(gpu->name, "gltest", capture);
        const uint32_t all = pictures_of(capture), first = all > 1 ? 2 : 1;
        struct json_object *document = report_on(capture, first);
        assert_true(json_is(document, "sheet/gpu", gpu->name));
        assert_int_equal(count(document, "sheet/pictures"), all - first + 1);
        for (uint32_t k = 0; k < all - first + 1; k++) {
            char *want = drawn(capture, k + first);
            snprintf(path, sizeof path, "sheet/pictures/%u/number", k);
            assert_int_equal((int)json_number(document, path), k + first);
            snprintf(path, sizeof path, "sheet/pictures/%u/png", k);
            assert_true(json_is(document, path, want));
            free(want);
        }
        assert_true(count(document, "profile/draws") > 0);
        assert_true(count(document, "profile/tiles") > 0);
        assert_true(json_number(document, "profile/tiles/0/pixels") >= 0);
        assert_true(count(document, "profile/programs") > 0);
        assert_true(count(document, "listing") > 0);
        assert_int_equal((int)json_number(document, "lint/errors"), 0);
        if (count(document, "sheet/textures")) {
            struct json_object *png = json_at(document, "sheet/textures/0/png");
            assert_true(json_object_is_type(png, json_type_string));
            if (!texture)
                texture = strdup(json_object_get_string(png));
            assert_string_equal(json_object_get_string(png), texture);
            assert_true(json_number(document, "sheet/textures/0/uses/0/draw") >= 1);
            tried++;
        }
        json_object_put(document);
    }
    assert_true(tried >= 10); /* all but Libre-SOC */
    free(texture);
}

static void a_page_needs_a_name(void **state)
{
    const char *said = command_at("said");
    const char *const words[] = {"report", "x.vtc", NULL};
    assert_int_equal(command_run(tool_report, words, said, said), TOOL_USAGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_gpu_has_its_page),
        cmocka_unit_test(a_page_needs_a_name),
    };
    return cmocka_run_group_tests(tests, command_begin, command_end);
}
