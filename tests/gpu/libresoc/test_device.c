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
    (void)state;
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_triangle),
    };
    return cmocka_run_group_tests_name("libresoc device", tests, NULL, NULL);
}
