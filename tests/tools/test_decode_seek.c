/* `vitrail decode --frame` of captures that are long enough to begin at a restart point, and `vitrail info` of their restart
 * points: what is listed is what a listing from the beginning has of that picture. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "gpu/capture.h"
#include "tests/tools/command.h"
#include "tests/tools/decode_text.h"
#include "util/bits.h"

#define CAPTURES SOURCE_DIR "/tests/captures/"

enum { FRAME = 10, NOISE_PAGES = 64, NOISE_TIMES = 8 };

/* ---- a long capture ---- */

struct longer {
    struct capture_writer *writer;
    uint32_t seed;
};

/* The same pages again and again, which nothing reads: events are many then, and memory is not. */
static void write_noise(struct longer *l, const struct gpu_memory *memory)
{
    struct capture_page pages[NOISE_PAGES];
    const uint64_t start = memory->size - sizeof(uint8_t[NOISE_PAGES][GPU_PAGE]);
    for (unsigned n = 0; n < NOISE_PAGES; n++) {
        uint8_t *page = gpu_memory_at(memory, start + (uint64_t)n * GPU_PAGE, GPU_PAGE);
        for (unsigned at = 0; at < GPU_PAGE; at += 4)
            util_store32(page + at, l->seed = l->seed * 1664525 + 1013904223);
        pages[n] = (struct capture_page){start + (uint64_t)n * GPU_PAGE, page};
    }
    assert_int_equal(capture_write_pages(l->writer, pages, NOISE_PAGES), 0);
}

static void write_event(struct longer *l, const struct capture_event *event, const struct gpu_memory *memory)
{
    for (uint32_t n = 0; event->type == CAPTURE_EVENT_PAGES && n < event->pages.count; n++)
        memcpy(gpu_memory_at(memory, event->pages.pages[n].address, GPU_PAGE), event->pages.pages[n].bytes,
               GPU_PAGE);
    for (unsigned n = 0; event->type == CAPTURE_EVENT_FRAME && n < NOISE_TIMES; n++)
        write_noise(l, memory);
    assert_int_equal(capture_write_event(l->writer, event, memory), 0);
}

/* Memory is that of the driver alone: nothing is drawn. */
static void make_longer(const char *from, const char *to)
{
    struct util_error error = {0};
    struct longer l = {.seed = 1};
    struct capture_reader *reader;
    struct capture_event event;
    struct capture_info info;
    struct gpu_memory memory;
    assert_int_equal(capture_reader_open(from, &reader, &error), 0);
    capture_reader_info(reader, &info);
    assert_int_equal(gpu_memory_create(info.memory_size, &memory), 0);
    assert_int_equal(capture_writer_create(to, info.gpu, info.command, info.memory_size, &l.writer, &error),
                     0);
    capture_set_interval(l.writer, 3);
    while (!capture_read(reader, &event, &error) && event.type != CAPTURE_EVENT_END)
        write_event(&l, &event, &memory);
    assert_int_equal(capture_writer_close(l.writer), 0);
    capture_reader_close(reader);
    gpu_memory_destroy(&memory);
}

/* ---- listings ---- */

static char *list(const char *path, uint64_t job)
{
    return listing_of(
        &(struct decode_options){.path = path, .frame = FRAME, .job = job, .no_programs = true});
}

/* The next line that is not about pages; a job's number in it becomes N. NULL: there is none. */
static const char *next_line(char **text)
{
    for (char *line = strsep(text, "\n"); line; line = strsep(text, "\n")) {
        char *job = strstr(line, "job ");
        if (strstr(line, "memory: ") || !*line)
            continue;
        for (char *digit = job ? job + 4 : line; job && *digit >= '0' && *digit <= '9'; digit++)
            *digit = 'N';
        if (job && job[4] == 'N')
            memmove(job + 5, job + 4 + strspn(job + 4, "N"), strlen(job + 4 + strspn(job + 4, "N")) + 1);
        return line;
    }
    return NULL;
}

static void listings_are_the_same(void **state)
{
    static const char *const captures[] = {"features.vtc", "mali400/features.vtc", "t860/features.vtc",
                                           "g52/features.vtc", "g57/features.vtc"};
    for (size_t n = 0; n < UTIL_ARRAY_SIZE(captures); n++) {
        char from[COMMAND_PATH];
        const char *a, *b, *longer = command_at("longer.vtc");
        unsigned lines = 0;
        snprintf(from, sizeof from, "%s%s", CAPTURES, captures[n]);
        make_longer(from, longer);
        char *whole = list(from, 0), *sought = list(longer, 0), *x = whole, *y = sought;
        assert_non_null(
            strstr(sought, "from the restart point behind picture 9; jobs are counted from there"));
        assert_null(strstr(whole, "from the restart point"));
        strsep(&y, "\n");
        do {
            a = next_line(&x);
            b = next_line(&y);
            if (!a != !b || (a && strcmp(a, b) != 0))
                fail_msg("%s: '%s', from the beginning '%s'", captures[n], b ? b : "", a ? a : "");
            lines += a != NULL;
        } while (a);
        assert_true(lines > 50);
        free(whole);
        free(sought);
        sought = list(longer, 1);
        assert_null(strstr(sought, "from the restart point")); /* its jobs have their numbers */
        free(sought);
    }
}

static void info_tells(void **state)
{
    const char *longer = command_at("longer.vtc"), *out = command_at("out");
    make_longer(CAPTURES "t860/features.vtc", longer);
    assert_int_equal(command_run(tool_info, (const char *[]){"info", longer, NULL}, out, NULL), TOOL_OK);
    assert_true(command_has(out, "restart points   4, behind pictures 3 to 12; "));
    assert_true(command_has(out, " MiB are read to begin at one"));
    assert_int_equal(
        command_run(tool_trim,
                    (const char *[]){"trim", "--restart-every", "0", "--threads", "0", "--frames", "1",
                                     CAPTURES "gltest.vtc", command_at("plain.vtc"), NULL},
                    out, NULL),
        TOOL_OK);
    assert_int_equal(
        command_run(tool_info, (const char *[]){"info", command_at("plain.vtc"), NULL}, out, NULL), TOOL_OK);
    assert_true(command_has(out, "restart points   none: it is played from its beginning alone"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(listings_are_the_same),
        cmocka_unit_test(info_tells),
    };
    return cmocka_run_group_tests(tests, command_begin, command_end);
}
