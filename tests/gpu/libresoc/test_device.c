/* The command processor: registers, interrupts, a frame that draws, and the same bytes at any number of threads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/gpu/libresoc/guest.h"

/* x, y, z, w, red, green, blue, alpha */
static const float triangle[3][8] = {
    {-1, -1, 0, 1, 1, 0, 0, 1}, {1, -1, 0, 1, 0, 1, 0, 1}, {-1, 1, 0, 1, 0, 0, 1, 1}};
static const uint32_t fours[] = {4, 4};

static void put_triangle(struct guest *g, uint32_t width, uint32_t height)
{
    guest_frame(g, width, height);
    struct libresoc_draw_record *d = guest_draw(g, 3);
    d->attribute_count = 2;
    d->varying_count = 4;
    d->attributes = guest_attributes(g, &triangle[0][0], fours, 2, 3);
    d->stage[LIBRESOC_VERTEX] = guest_program(g, GUEST_COPY(8), 0);
    d->stage[LIBRESOC_FRAGMENT] = guest_program(g, GUEST_COLOR_PROGRAM, 0);
}

/* The upper left half is the triangle's, its colours those of its corners, weighed. */
static void test_triangle(void **state)
{
    struct guest g;
    guest_open(&g, 0);
    put_triangle(&g, 100, 100);
    guest_run(&g);
    for (uint32_t y = 0; y < 100; y++)
        for (uint32_t x = 0; x < 100; x++) {
            const uint32_t pixel = guest_pixel(&g, x, y);
            const double green = (x + 0.5) / 100, blue = (y + 0.5) / 100, red = 1 - green - blue;
            if (x + y + 1 > 100) {
                assert_int_equal(pixel, 0xff402010);
            } else if (x + y + 1 < 100) {
                assert_true(abs((int)(pixel & 255) - (int)(red * 255 + 0.5)) <= 1);
                assert_true(abs((int)(pixel >> 8 & 255) - (int)(green * 255 + 0.5)) <= 1);
                assert_true(abs((int)(pixel >> 16 & 255) - (int)(blue * 255 + 0.5)) <= 1);
                assert_int_equal(pixel >> 24, 255);
            }
        }
    guest_close(&g);
}

/* ---- what is drawn ---- */

/* A rectangle of two triangles from (x0, y0) to (x1, y1) in clip coordinates, of one depth and colour. */
static void put_rectangle(struct guest *g, float x0, float y0, float x1, float y1, float z,
                          const float color[4])
{
    const float corner[6][2] = {{x0, y0}, {x1, y0}, {x0, y1}, {x0, y1}, {x1, y0}, {x1, y1}};
    float vertices[6][8];
    for (unsigned n = 0; n < 6; n++) {
        const float position[4] = {corner[n][0], corner[n][1], z, 1};
        memcpy(vertices[n], position, sizeof position);
        memcpy(vertices[n] + 4, color, 4 * sizeof *color);
    }
    struct libresoc_draw_record *d = guest_draw(g, 6);
    d->attribute_count = 2;
    d->varying_count = 4;
    d->attributes = guest_attributes(g, &vertices[0][0], fours, 2, 6);
    d->stage[LIBRESOC_VERTEX] = guest_program(g, GUEST_COPY(8), 0);
    d->stage[LIBRESOC_FRAGMENT] = guest_program(g, GUEST_COLOR_PROGRAM, 0);
}

static const float red[4] = {1, 0, 0, 1}, green[4] = {0, 1, 0, 1}, glass[4] = {0, 0, 1, 0.5f};

/* Green stands in front of red, and comes first; depths are stored. */
static void test_depth(void **state)
{
    struct guest g;
    guest_open(&g, 0);
    guest_frame(&g, 40, 24);
    put_rectangle(&g, -1, -1, 0, 1, 0, green);
    put_rectangle(&g, -0.5f, -1, 1, 1, 0.5f, red);
    for (unsigned n = 0; n < 2; n++) {
        g.draw[n].depth_func = 1; /* less */
        g.draw[n].depth_write = 1;
    }
    guest_run(&g);
    for (uint32_t y = 0; y < 24; y++)
        for (uint32_t x = 0; x < 40; x++) {
            const uint32_t depth = util_load32(g.memory.base + GUEST_DEPTH + y * 160 + x * 4);
            assert_int_equal(guest_pixel(&g, x, y), x < 20 ? 0xff00ff00 : 0xff0000ff);
            assert_int_equal(depth, (x < 20 ? 0x800000u : 0xbfffffu) << 8);
        }
    guest_close(&g);
}

/* Half of what is there and half of what comes. */
#define HALF_PROGRAM                                                                                         \
    "sv.setvl x0, x0, 64\n"                                                                                  \
    "p48 lw x32v, 0(x13), itype:32\n"                                                                        \
    "p48 lw x64v, 0(x14), itype:32\n"                                                                        \
    "lui x5, 0x7f7f8\n"                                                                                      \
    "addi x5, x5, -129\n"                                                                                    \
    "p48 srli x32v, x32v, 1, itype:32\n"                                                                     \
    "p48 srli x64v, x64v, 1, itype:32\n"                                                                     \
    "p48 and x32v, x32v, x5, itype:32\n"                                                                     \
    "p48 and x64v, x64v, x5, itype:32\n"                                                                     \
    "p48 add x32v, x32v, x64v, itype:32\n"                                                                   \
    "p48 sw x32v, 0(x14), itype:32\n"                                                                        \
    "jalr x0, 0(x1)\n"
/* Even rows are killed: there is neither colour nor depth. */
static void test_blend_and_kill(void **state)
{
    static const char killing[] = "addi x5, x0, 255\n"
                                  "slli x5, x5, 8\n"
                                  "slli x6, x5, 16\n"
                                  "or x5, x5, x6\n"
                                  "slli x6, x5, 32\n"
                                  "or x5, x5, x6\n"
                                  "and x9, x9, x5\n" GUEST_COLOR_PROGRAM;
    struct guest g;
    guest_open(&g, 0);
    guest_frame(&g, 64, 64);
    put_rectangle(&g, -1, -1, 1, 1, 0.5f, red);
    put_rectangle(&g, -1, -1, 0, 1, 0, glass);
    g.draw[1].kills = 1;
    g.draw[1].depth_func = 1;
    g.draw[1].depth_write = 1;
    g.draw[1].stage[LIBRESOC_FRAGMENT] = guest_program(&g, killing, 0);
    g.draw[1].stage[LIBRESOC_BLEND] = guest_program(&g, HALF_PROGRAM, 0);
    guest_run(&g);
    for (uint32_t y = 0; y < 64; y++)
        for (uint32_t x = 0; x < 64; x++) {
            const uint32_t depth = util_load32(g.memory.base + GUEST_DEPTH + y * 256 + x * 4);
            const bool glassy = x < 32 && y % 2;
            assert_int_equal(guest_pixel(&g, x, y), glassy ? 0xbf7f007f : 0xff0000ff);
            assert_int_equal(depth, (glassy ? 0x800000u : 0xffffffu) << 8);
        }
    guest_close(&g);
}

/* Without a fragment program a draw leaves depths alone; one that is loaded is what the next is tested with. */
static void test_load(void **state)
{
    struct guest g;
    guest_open(&g, 0);
    guest_frame(&g, 32, 32);
    put_rectangle(&g, -1, -1, 0, 1, 0, red);
    g.draw[0].depth_write = 1;
    g.draw[0].stage[LIBRESOC_FRAGMENT] = (struct libresoc_program_record){0};
    guest_run(&g);
    assert_int_equal(guest_pixel(&g, 0, 0), 0xff402010);
    g.frame.draw_count = 0;
    g.frame.draws = 0;
    g.frame.load_color = g.frame.load_depth = 1;
    g.frame.clear_color = 0x01020304; /* of no pixel */
    put_rectangle(&g, -1, -1, 1, 1, 0.5f, green);
    g.draw[0].depth_func = 1;
    guest_run(&g);
    for (uint32_t x = 0; x < 32; x++)
        assert_int_equal(guest_pixel(&g, x, 31), x < 16 ? 0xff402010 : 0xff00ff00);
    guest_close(&g);
}

/* Two instances, side by side by their attribute; indices of each width; the clip rectangle. */
static void test_indices_and_instances(void **state)
{
    static const float corners[4][4] = {{-1, -1, 0, 1}, {-0.5f, -1, 0, 1}, {-1, 1, 0, 1}, {-0.5f, 1, 0, 1}};
    static const float shift[2][4] = {{0, 0, 0, 1}, {1, 0, 1, 0}};
    /* x + what the instance has: the first stream and the fifth; the rest is the colour */
    static const char program[] = "sv.setvl x0, x0, 64\n"
                                  "p48 flw f32v, 0(x13)\n"
                                  "p48 flw f64v, 1024(x13)\n"
                                  "p48 fadd.s f32v, f32v, f64v\n"
                                  "p48 fsw f32v, 0(x14)\n"
                                  "addi x13, x13, 256\n"
                                  "addi x14, x14, 256\n" GUEST_COPY(7);
    static const uint32_t order[6] = {0, 1, 2, 2, 1, 3};
    for (uint32_t type = 1; type <= 3; type++) {
        uint8_t indices[24];
        uint32_t words[2 * LIBRESOC_ATTRIBUTE_WORDS] = {0};
        struct guest g;
        for (unsigned n = 0; n < 6; n++)
            memcpy(indices + (n << (type - 1)), &order[n], 1u << (type - 1));
        guest_open(&g, 1);
        guest_frame(&g, 64, 16);
        struct libresoc_draw_record *d = guest_draw(&g, 4);
        const struct libresoc_attribute_record attribute[2] = {
            {.address = guest_put(&g, corners, sizeof corners), .stride = 16, .format = 3, .components = 4},
            {.address = guest_put(&g, shift, sizeof shift),
             .stride = 16,
             .format = 3,
             .components = 4,
             .divisor = 1}};
        for (unsigned n = 0; n < 2; n++)
            libresoc_record_pack(LIBRESOC_ATTRIBUTE, &attribute[n], words + n * LIBRESOC_ATTRIBUTE_WORDS);
        d->attributes = guest_put(&g, words, sizeof words);
        d->attribute_count = 2;
        d->varying_count = 4;
        d->instance_count = 2;
        d->index_type = type;
        d->indices = guest_put(&g, indices, sizeof indices);
        d->count = 6;
        d->clip_y1 = 10;
        d->clip_x0 = 2;
        d->stage[LIBRESOC_VERTEX] = guest_program(&g, program, 0);
        d->stage[LIBRESOC_FRAGMENT] = guest_program(&g, GUEST_COLOR_PROGRAM, 0);
        guest_run(&g);
        for (uint32_t y = 0; y < 16; y++)
            for (uint32_t x = 0; x < 64; x++) {
                const bool first = x >= 2 && x < 16 && y < 10, second = x >= 32 && x < 48 && y < 10;
                assert_int_equal(guest_pixel(&g, x, y), first    ? 0xff000000
                                                        : second ? 0x00ff00ff
                                                                 : 0xff402010);
            }
        guest_close(&g);
    }
}

/* Triangles that face away are left out by their winding, y down. */
static void test_cull(void **state)
{
    for (unsigned cull = 0; cull < 4; cull++) {
        struct guest g;
        guest_open(&g, 0);
        put_triangle(&g, 32, 32); /* right, then down: clockwise */
        g.draw[0].cull_clockwise = cull & 1;
        g.draw[0].cull_counterclockwise = cull >> 1;
        guest_run(&g);
        assert_int_equal(guest_pixel(&g, 4, 4) == 0xff402010, cull & 1);
        guest_close(&g);
    }
}

/* Images of other formats, whose bytes are those of the colours. */
static void test_formats(void **state)
{
    struct guest g;
    guest_open(&g, 0);
    guest_frame(&g, 20, 20);
    put_rectangle(&g, -1, -1, 1, 1, 0, (const float[4]){1, 0.5f, 0, 1});
    g.frame.color_format = 1;
    guest_run(&g);
    assert_int_equal(guest_pixel(&g, 3, 3), 0xffff8000);
    g.frame.color_format = 2;
    g.frame.color_stride = 40;
    guest_run(&g);
    assert_int_equal(util_load16(g.memory.base + GUEST_COLOR + 40 * 7 + 2 * 19), 0xfc00);
    guest_close(&g);
}

/* ---- registers ---- */

struct listener {
    struct guest *guest;
    unsigned calls;
};

/* Starts the same frame again, once. */
static void on_irq(void *data, uint32_t pending)
{
    struct listener *l = data;
    assert_int_equal(pending, LIBRESOC_INT_DONE);
    assert_int_equal(gpu_device_read(&l->guest->gpu, LIBRESOC_STATUS), LIBRESOC_BIT(STATUS, BUSY));
    gpu_device_write(&l->guest->gpu, LIBRESOC_INT_CLEAR, pending);
    if (!l->calls++)
        gpu_device_write(&l->guest->gpu, LIBRESOC_COMMAND, LIBRESOC_BIT(COMMAND, START));
}

static void test_interrupt(void **state)
{
    struct guest g;
    struct listener listener = {.guest = &g};
    guest_open(&g, 0);
    put_triangle(&g, 20, 20);
    guest_run(&g);
    assert_int_equal(gpu_device_read(&g.gpu, LIBRESOC_INT_RAWSTAT), LIBRESOC_INT_DONE);
    assert_int_equal(gpu_device_irq_pending(&g.gpu), 0);
    gpu_device_write(&g.gpu, LIBRESOC_INT_CLEAR, LIBRESOC_INT_DONE);
    gpu_host_set_irq(g.gpu.host, on_irq, &listener);
    gpu_device_write(&g.gpu, LIBRESOC_INT_MASK, LIBRESOC_INT_ALL);
    guest_start(&g);
    assert_int_equal(listener.calls, 2);
    assert_int_equal(gpu_device_read(&g.gpu, LIBRESOC_FRAMES), 3);
    assert_int_equal(gpu_device_read(&g.gpu, LIBRESOC_STATUS), 0);
    assert_int_equal(gpu_device_irq_pending(&g.gpu), 0);
    guest_close(&g);
}

static void test_registers(void **state)
{
    struct gpu_fault fault;
    struct guest g;
    guest_open(&g, 0);
    assert_int_equal(gpu_device_read(&g.gpu, LIBRESOC_ID), 0x53560001);
    gpu_device_write(&g.gpu, LIBRESOC_ID, 1);
    assert_int_equal(gpu_device_read(&g.gpu, LIBRESOC_ID), 0x53560001);
    gpu_device_write(&g.gpu, LIBRESOC_RECORD_LOW, 0x12345678);
    assert_int_equal(gpu_device_read(&g.gpu, LIBRESOC_RECORD_LOW), 0x12345678);
    gpu_device_write(&g.gpu, LIBRESOC_COMMAND, LIBRESOC_BIT(COMMAND, START)); /* there is no such record */
    assert_int_equal(gpu_device_read(&g.gpu, LIBRESOC_STATUS), LIBRESOC_BIT(STATUS, FAULTED));
    assert_int_equal(gpu_device_read(&g.gpu, LIBRESOC_FAULT_KIND), LIBRESOC_FAULT_MEMORY);
    assert_int_equal(gpu_device_read(&g.gpu, LIBRESOC_FAULT_ADDRESS_LOW), 0x12345678);
    assert_int_equal(gpu_device_read(&g.gpu, LIBRESOC_INT_RAWSTAT), LIBRESOC_INT_FAULT);
    assert_int_equal(gpu_host_faults(g.gpu.host, &fault, 1), 1);
    gpu_device_write(&g.gpu, LIBRESOC_COMMAND, LIBRESOC_BIT(COMMAND, RESET));
    assert_int_equal(gpu_device_read(&g.gpu, LIBRESOC_STATUS), 0);
    assert_int_equal(gpu_device_read(&g.gpu, LIBRESOC_RECORD_LOW), 0);
    assert_int_equal(gpu_device_read(&g.gpu, LIBRESOC_INT_RAWSTAT), 0);
    gpu_device_write(&g.gpu, 0x800, 1); /* no register */
    assert_int_equal(gpu_host_faults(g.gpu.host, &fault, 1), 1);
    assert_int_equal(gpu_device_read(&g.gpu, 0x800), 0);
    guest_close(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_triangle),
        cmocka_unit_test(test_depth),
        cmocka_unit_test(test_blend_and_kill),
        cmocka_unit_test(test_load),
        cmocka_unit_test(test_indices_and_instances),
        cmocka_unit_test(test_cull),
        cmocka_unit_test(test_formats),
        cmocka_unit_test(test_interrupt),
        cmocka_unit_test(test_registers),
    };
    return cmocka_run_group_tests_name("libresoc device", tests, NULL, NULL);
}
