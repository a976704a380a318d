/* Hostile frames of the Libre-SOC GPU: a good one in which one thing is wrong. Each ends in a report that names unit, draw, place and
 * what it is, the same on any number of threads, interpreted and compiled; and after it the good frame draws the picture that it draws alone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>
#include <pthread.h>
#include <unistd.h>
#include <xxhash.h>

#include "isa/random.h"
#include "tests/gpu/engine.h"
#include "tests/gpu/libresoc/guest.h"

#define SIDE 72u

static void put_draw(struct guest *g, float z)
{
    static const uint32_t fours[] = {4, 4};
    const float vertices[3][8] = {
        {-1, -1, z, 1, 1, 0, 0, 1}, {1, -1, z, 1, 0, 1, 0, 1}, {-1, 1, z, 1, 0, 0, 1, 1}};
    static const uint16_t indices[3] = {0, 1, 2};
    struct libresoc_draw_record *d = guest_draw(g, 3);
    d->attribute_count = 2;
    d->varying_count = 4;
    d->attributes = guest_attributes(g, &vertices[0][0], fours, 2, 3);
    d->index_type = 2;
    d->indices = guest_put(g, indices, sizeof indices);
    d->stage[LIBRESOC_VERTEX] = guest_program(g, GUEST_COPY(8), 0);
    d->stage[LIBRESOC_FRAGMENT] = guest_program(g, GUEST_COLOR_PROGRAM, 0);
}

/* Two draws, of which the second is spoilt. */
static void put_frame(struct guest *g)
{
    guest_frame(g, SIDE, SIDE);
    put_draw(g, 0);
    put_draw(g, 0.5f);
}

static struct libresoc_program_record text(struct guest *g, const char *program)
{
    return guest_program(g, program, 0);
}

#define FRAGMENT draw[1].stage[LIBRESOC_FRAGMENT]
#define VERTEX   draw[1].stage[LIBRESOC_VERTEX]
#define BLEND    draw[1].stage[LIBRESOC_BLEND]

/* ---- records ---- */

static void no_mark(struct guest *g)
{
    g->frame.mark = 7;
}
static void too_large(struct guest *g)
{
    g->frame.width = 5000;
}
static void many_draws(struct guest *g)
{
    g->frame.draw_count = 65537;
}
static void odd_format(struct guest *g)
{
    g->frame.color_format = 9;
}
static void bad_clear(struct guest *g)
{
    g->frame.clear_depth = -1;
}
static void no_depth_to_load(struct guest *g)
{
    g->frame.depth = 0;
    g->frame.load_depth = 1;
}
static void narrow_rows(struct guest *g)
{
    g->frame.color_stride = SIDE * 4 - 4;
}
static void image_outside(struct guest *g)
{
    g->frame.color = UINT64_MAX - 100;
    g->frame.color &= ~3ull;
}
static void image_behind_memory(struct guest *g)
{
    g->frame.color = GUEST_MEMORY - 4096;
}
static void image_in_heap(struct guest *g)
{
    g->frame.color = GUEST_HEAP + 4096;
}
static void depth_in_image(struct guest *g)
{
    g->frame.depth = GUEST_COLOR + 64;
}
static void heap_at_0(struct guest *g)
{
    g->frame.heap = 0;
}
static void no_heap(struct guest *g)
{
    g->frame.heap_bytes = 512;
}
static void little_heap(struct guest *g)
{
    g->frame.heap_bytes = 1024 + 256;
}
static void draws_outside(struct guest *g)
{
    g->frame.draws = 1ull << 40;
}
static void odd_mode(struct guest *g)
{
    g->draw[1].mode = 9;
}
static void many_varyings(struct guest *g)
{
    g->draw[1].varying_count = 61;
}
static void many_instances(struct guest *g)
{
    g->draw[1].instance_count = UINT32_MAX;
}
static void no_number(struct guest *g)
{
    g->draw[1].scale_x = util_u2f(0x7fc00000);
}
static void attribute_outside(struct guest *g)
{
    g->draw[1].vertex_count = 1u << 22;
}
static void attributes_outside(struct guest *g)
{
    g->draw[1].attributes = GUEST_MEMORY - 4;
}
static void attribute_in_heap(struct guest *g)
{
    uint32_t words[2 * LIBRESOC_ATTRIBUTE_WORDS];
    memcpy(words, g->memory.base + g->draw[1].attributes, sizeof words);
    words[0] = GUEST_HEAP + 64;
    g->draw[1].attributes = guest_put(g, words, sizeof words);
}
static void indices_outside(struct guest *g)
{
    g->draw[1].indices = UINT64_MAX - 2;
}
static void index_too_great(struct guest *g)
{
    g->draw[1].vertex_count = 2;
}
static void more_than_vertices(struct guest *g)
{
    g->draw[1].index_type = 0;
    g->draw[1].count = 4;
}

/* ---- programs ---- */

static void program_outside(struct guest *g)
{
    g->FRAGMENT.address = GUEST_MEMORY;
}
static void program_in_image(struct guest *g)
{
    g->FRAGMENT.address = GUEST_COLOR;
}
static void entry_behind(struct guest *g)
{
    g->VERTEX.entry = g->VERTEX.bytes;
}
static void endless_vertex(struct guest *g)
{
    g->VERTEX = text(g, "again: jal x0, again\n");
}
static void endless_fragment(struct guest *g)
{
    g->FRAGMENT = text(g, "again: addi x5, x5, 1\njal x0, again\n");
}
static void endless_blend(struct guest *g)
{
    g->BLEND = text(g, "again: jal x0, again\n");
}
static void no_end(struct guest *g)
{
    g->FRAGMENT = text(g, "addi x5, x0, 1\n");
}
static void load_outside(struct guest *g)
{
    g->FRAGMENT = text(g, "addi x5, x0, -8\nld x6, 0(x5)\n");
}
static void load_behind_table(struct guest *g)
{
    g->FRAGMENT = text(g, "lw x6, 2044(x13)\nlw x6, 2045(x13)\n");
}
static void load_image(struct guest *g)
{
    g->FRAGMENT = text(g, "lui x5, 0x3800\nlw x6, 0(x5)\n");
}
static void store_memory(struct guest *g)
{
    g->FRAGMENT = text(g, "lui x5, 0x1\nsw x6, 8(x5)\n");
}
static void store_input(struct guest *g)
{
    g->VERTEX = text(g, "sw x6, 0(x13)\n");
}
static void stack_runs_over(struct guest *g)
{
    g->VERTEX = text(g, "again: sd x6, -8(x2)\naddi x2, x2, -8\njal x0, again\n");
}
static void illegal(struct guest *g)
{
    g->FRAGMENT = text(g, "addi x5, x0, 1\n.word 0x0000\n");
}
static void call(struct guest *g)
{
    g->VERTEX = text(g, "ecall\n");
}
/* Element 5 of eight addresses is nowhere. */
static void gather(struct guest *g)
{
    static const uint64_t addresses[8] = {64, 64, 64, 64, 64, 1ull << 60, 64, 64};
    g->FRAGMENT = guest_program(g,
                                "sv.setvl x0, x0, 8\n"
                                "p48 ld x32v, 0(x15)\n"
                                "p48 lwu x48v, 4(x32v), itype:32\n",
                                guest_put(g, addresses, sizeof addresses));
}
/* 256 elements an instruction: they count for more than one. */
static void endless_vectors(struct guest *g)
{
    g->FRAGMENT = text(g, "sv.setvl x0, x0, 64\n"
                          "csrrwi x0, subvl, 2\n"
                          "again:\n"
                          "p48 fdiv.s f32v, f32v, f64v\n"
                          "p48 fadd.h f32v, f64v, f64v\n"
                          "p48 fsqrt.s f64v, f32v\n"
                          "jal x0, again\n");
}
static void overrun(struct guest *g)
{
    g->FRAGMENT = text(g, "sv.setvl x0, x0, 64\np48 add x96v, x96v, x32v\n");
}

static const struct {
    const char *name;
    void (*spoil)(struct guest *g);
    const char *report;
} cases[] = {
#define CASE(name, report) {#name, name, report}
    CASE(no_mark, "libresoc job 1, command processor, at 0x00001f80: bad record: the record of a frame does "
                  "not begin with its mark"),
    CASE(too_large,
         "libresoc job 1, command processor, at 0x00001f80: bad record: a frame of 5000x72 pixels"),
    CASE(many_draws,
         "libresoc job 1, command processor, at 0x00001f80: bad record: 65537 draws are more than 65536"),
    CASE(odd_format,
         "libresoc job 1, command processor, at 0x00001f80: bad record: no image of colours has this format"),
    CASE(bad_clear, "libresoc job 1, command processor, at 0x00001f80: bad record: tiles are cleared to a "
                    "depth that is not from 0 to 1"),
    CASE(no_depth_to_load, "libresoc job 1, command processor, at 0x00001f80: bad record: depths are to be "
                           "loaded, and there is no image of them"),
    CASE(narrow_rows, "libresoc job 1, command processor, at 0x03800000: bad record: rows of 284 bytes do "
                      "not hold 72 pixels of an image, or are not aligned to them"),
    CASE(image_outside, "libresoc job 1, command processor, at 0xffffffffffffff98: address outside memory: "
                        "the image of colours is not in memory"),
    CASE(image_behind_memory, "libresoc job 1, command processor, at 0x03fff000: address outside memory: the "
                              "image of colours is not in memory"),
    CASE(image_in_heap, "libresoc job 1, command processor, at 0x03001000: bad record: the image of colours "
                        "stands where the frame writes something else"),
    CASE(depth_in_image, "libresoc job 1, command processor, at 0x03800040: bad record: the image of depths "
                         "stands where the frame writes something else"),
    CASE(heap_at_0,
         "libresoc job 1, command processor, at 0x00000000: bad record: the heap is not aligned, or at 0"),
    CASE(no_heap, "libresoc job 1, command processor, at 0x03000000: out of tile memory: the heap of 512 "
                  "bytes has no room for 1024 more"),
    CASE(little_heap, "libresoc job 1, command processor, draw 2, at 0x03000000: out of tile memory: the "
                      "heap of 1280 bytes has no room for 64 more"),
    CASE(draws_outside, "libresoc job 1, command processor, draw 1, at 0x10000000000: address outside "
                        "memory: the record of a draw is not in memory"),
    CASE(odd_mode,
         "libresoc job 1, command processor, draw 2, at 0x00001440: bad record: draw mode 9 is not known"),
    CASE(many_varyings, "libresoc job 1, command processor, draw 2, at 0x00001440: bad record: 2 attributes, "
                        "or 61 varyings, are too many"),
    CASE(many_instances, "libresoc job 1, command processor, draw 2, at 0x00001440: bad record: 3 vertices, "
                         "or 3 indices, of 4294967295 instances are too many"),
    CASE(no_number, "libresoc job 1, command processor, draw 2, at 0x00001440: bad record: a draw has a "
                    "number that is none"),
    CASE(attribute_outside, "libresoc job 1, vertex fetch, draw 2, at 0x000011c0: address outside memory: "
                            "attribute 0: its elements 0 to 4194303 are not all in memory"),
    CASE(attributes_outside, "libresoc job 1, command processor, draw 2, at 0x03fffffc: address outside "
                             "memory: the record of an attribute is not in memory"),
    CASE(attribute_in_heap, "libresoc job 1, vertex fetch, draw 2, at 0x03000040: address outside memory: "
                            "attribute 0: its elements 0 to 2 are not all in memory"),
    CASE(indices_outside, "libresoc job 1, tiler, draw 2, at 0xfffffffffffffffd: address outside memory: "
                          "indices are not in memory"),
    CASE(index_too_great, "libresoc job 1, tiler, draw 2, at 0x00001280: bad record: index 2 of 2 vertices"),
    CASE(more_than_vertices,
         "libresoc job 1, command processor, draw 2, at 0x00001440: bad record: 4 of 3 vertices are drawn"),
    CASE(program_outside, "libresoc job 1, fragment program, draw 2, at 0x04000000: address outside memory: "
                          "the program is outside memory, or where the frame writes"),
    CASE(program_in_image, "libresoc job 1, fragment program, draw 2, at 0x03800000: address outside memory: "
                           "the program is outside memory, or where the frame writes"),
    CASE(entry_behind, "libresoc job 1, vertex program, draw 2, at 0x000012c0: bad record: a program of 40 "
                       "bytes that begins at byte 40 of them"),
    CASE(endless_vertex, "libresoc job 1, vertex program, draw 2, at 0x00001380, pc 0, lane 0: timeout: "
                         "loops for too long"),
    CASE(endless_fragment, "libresoc job 1, fragment program, draw 2, at 0x00001380, pc 0, lane 0: timeout: "
                           "loops for too long"),
    CASE(endless_blend, "libresoc job 1, blend program, draw 2, at 0x00001380, pc 0, lane 0: timeout: "
                        "loops for too long"),
    CASE(
        endless_vectors,
        "libresoc job 1, fragment program, draw 2, at 0x0000138e, pc 7, lane 0: timeout: loops for too long"),
    CASE(no_end, "libresoc job 1, fragment program, draw 2, at 0x00001384, pc 2, lane 0: address outside "
                 "memory: goes where no code is"),
    CASE(load_outside, "libresoc job 1, fragment program, draw 2, at 0xfffffffffffffff8, pc 2, lane 0: "
                       "address outside memory: ld: loads from where nothing is"),
    CASE(load_behind_table, "libresoc job 1, fragment program, draw 2, at 0x1000107fd, pc 2, lane 0: address "
                            "outside memory: lw: loads from where nothing is"),
    CASE(load_image, "libresoc job 1, fragment program, draw 2, at 0x03800000, pc 2, lane 0: address outside "
                     "memory: lw: loads from where nothing is"),
    CASE(store_memory, "libresoc job 1, fragment program, draw 2, at 0x00001008, pc 2, lane 0: address "
                       "outside memory: sw: stores to where nothing may be stored"),
    CASE(store_input, "libresoc job 1, vertex program, draw 2, at 0x100010000, pc 0, lane 0: address outside "
                      "memory: sw: stores to where nothing may be stored"),
    CASE(stack_runs_over, "libresoc job 1, vertex program, draw 2, at 0xfffffff8, pc 0, lane 0: address "
                          "outside memory: sd: stores to where nothing may be stored"),
    CASE(illegal, "libresoc job 1, fragment program, draw 2, at 0x00001384, pc 2, lane 0: bad program: "
                  "executes an illegal instruction: 0x0 is reserved: 0 is reserved here"),
    CASE(call, "libresoc job 1, vertex program, draw 2, at 0x00001380, pc 0, lane 0: unsupported: ecall: "
               "makes a call that nobody takes"),
    CASE(gather, "libresoc job 1, fragment program, draw 2, at 0x1000000000000004, pc 5, lane 5: address "
                 "outside memory: lwu: loads from where nothing is"),
    CASE(overrun, "libresoc job 1, fragment program, draw 2, at 0x00001384, pc 2, lane 0: bad program: add: "
                  "has a vector beyond the register file"),
};

/* ---- all of them ---- */

static void draw(struct guest *g, char report[512])
{
    struct gpu_fault fault;
    guest_write(g);
    guest_start(g);
    *report = 0;
    if (gpu_host_faults(g->gpu.host, &fault, 1))
        gpu_fault_format(&fault, report, 512);
}

static uint64_t picture(const struct guest *g)
{
    return XXH3_64bits(g->memory.base + GUEST_COLOR, SIDE * SIDE * 4);
}

static void test_reports(void **state)
{
    struct guest good, bad;
    char report[512], again[512];
    guest_open(&good, 0);
    put_frame(&good);
    draw(&good, report);
    assert_string_equal(report, "");
    for (size_t n = 0; n < UTIL_ARRAY_SIZE(cases); n++) {
        for (unsigned threads = 0; threads < 8; threads += threads ? 5 : 2) {
            const struct gpu_options options = {.fuel = 3000, .engine = threads == 2 ? engine : NULL};
            guest_open_with(&bad, options, threads);
            put_frame(&bad);
            cases[n].spoil(&bad);
            draw(&bad, threads ? again : report);
            if (threads)
                assert_string_equal(again, report);
            else if (strcmp(report, cases[n].report) != 0)
                fail_msg("%s: %s", cases[n].name, report);
            bad.frame.draw_count = bad.frame.draws = 0;
            put_frame(&bad);
            draw(&bad, again);
            assert_string_equal(again, "");
            assert_true(picture(&bad) == picture(&good));
            guest_close(&bad);
        }
    }
    guest_close(&good);
}

/* ---- cancelled ---- */

static void *run_endless(void *data)
{
    guest_start(data);
    return NULL;
}

static void check_cancelled(void (*spoil)(struct guest *g), const struct gpu_options *options)
{
    struct gpu_fault fault;
    pthread_t thread;
    struct guest g;
    guest_open_with(&g, *options, 1);
    put_frame(&g);
    spoil(&g);
    guest_write(&g);
    assert_int_equal(pthread_create(&thread, NULL, run_endless, &g), 0);
    usleep(20000);
    alarm(60); /* instead of waiting for ever */
    gpu_host_cancel(g.gpu.host, true);
    pthread_join(thread, NULL);
    alarm(0);
    gpu_host_cancel(g.gpu.host, false);
    assert_int_equal(gpu_host_faults(g.gpu.host, &fault, 1), 0);
    guest_close(&g);
}

/* Each launch would take long, and there are many; or one alone would take hours. */
static void test_cancel(void **state)
{
    check_cancelled(endless_fragment, &(const struct gpu_options){0});
    check_cancelled(endless_fragment, &(const struct gpu_options){.fuel = UINT32_MAX});
    check_cancelled(endless_vertex, &(const struct gpu_options){.fuel = UINT32_MAX});
    check_cancelled(endless_vectors, &(const struct gpu_options){.fuel = UINT32_MAX});
    check_cancelled(endless_vectors, &(const struct gpu_options){.fuel = UINT32_MAX, .engine = engine});
}

/* ---- records of any bits ---- */

static void test_bits(void **state)
{
    struct isa_random random = {11};
    for (unsigned round = 0; round < 400; round++) {
        const struct gpu_options options = {.fuel = 2000, .packet_budget = 1u << 16, .job_fuel = 1u << 20};
        struct guest g;
        char report[512];
        guest_open_with(&g, options, 0);
        put_frame(&g);
        guest_write(&g);
        for (unsigned n = 1 + isa_random_below(&random, 6); n; n--) {
            const bool frame = isa_random_one_in(&random, 4);
            const uint32_t words = frame ? LIBRESOC_FRAME_WORDS : 2 * LIBRESOC_DRAW_WORDS;
            uint8_t *at =
                g.memory.base + (frame ? g.record : g.frame.draws) + 4ul * isa_random_below(&random, words);
            util_store32(at, util_load32(at) ^ 1u << isa_random_below(&random, 32));
        }
        guest_start(&g);
        struct gpu_fault fault;
        if (gpu_host_faults(g.gpu.host, &fault, 1))
            assert_true(gpu_fault_format(&fault, report, sizeof report) > 20);
        else
            assert_int_equal(gpu_device_read(&g.gpu, LIBRESOC_FRAMES), 1);
        guest_close(&g);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reports),
        cmocka_unit_test(test_cancel),
        cmocka_unit_test(test_bits),
    };
    return cmocka_run_group_tests_name("libresoc reports", tests, start_engine, stop_engine);
}
