/* Binning lists as programs: sub-lists, semaphores, extension; and what is refused, by name. */
#include "tests/gpu/vc4/binner_scene.h"

/* ---- control flow ---- */

static void test_flow(void **unused)
{
    struct list inner = {0}, middle = {0}, main_list = {0};
    start_device(NULL);
    one_tile_triangle(0, 5);
    uint32_t top = guest_top;
    put_array(&inner, TILER_TRIANGLES, 3, 0);
    put(&inner, VC4_CL_RETURN, 1);
    uint32_t inner_at = guest_copy(inner.bytes, inner.size, 1);
    put_record(&middle, VC4_CL_BRANCH_TO_SUB_LIST, 1, inner_at, 0);
    put_record(&middle, VC4_CL_BRANCH_TO_SUB_LIST, 1, inner_at, 0);
    put(&middle, VC4_CL_RETURN, 1);
    uint32_t middle_at = guest_copy(middle.bytes, middle.size, 1);
    put(&main_list, VC4_CL_NOP, 1);
    put(&main_list, VC4_CL_RETURN, 1); /* nothing on the stack: ignored */
    put_start(&main_list, &plain);
    put_clip(&main_list, 0, 0, 256, 256);
    put_state(&main_list, shader[0], 3);
    put_record(&main_list, VC4_CL_BRANCH_TO_SUB_LIST, 1, middle_at, 0);
    put_end(&main_list);
    run_well(&main_list);
    read_tiles(&plain);
    assert_int_equal(tile_lists[5].count, 2);
    assert_int_equal(vc4_read(device, VC4_CT0LC), 1u << 16 | 3);

    struct list deep = {0}; /* a list that calls itself */
    uint32_t at = guest_alloc(16, 16);
    put_record(&deep, VC4_CL_BRANCH_TO_SUB_LIST, 1, at, 0);
    memcpy(guest_memory.base + at, deep.bytes, deep.size);
    struct gpu_fault fault = run(&deep);
    assert_int_equal(fault.kind, GPU_FAULT_LIST);
    assert_int_equal(fault.address, at);
    guest_memory.base[at] = VC4_CL_BRANCH; /* an endless one */
    fault = run(&deep);
    assert_int_equal(fault.kind, GPU_FAULT_TIMEOUT);
    deep.size = 0;
    put_record(&deep, VC4_CL_BRANCH, 1, MEMORY_BYTES, 0);
    fault = run(&deep);
    assert_int_equal(fault.kind, GPU_FAULT_LIST);
    assert_int_equal(fault.address, MEMORY_BYTES);
    guest_top = top;
}

static void test_waiting_and_extending(void **unused)
{
    struct list l = {0};
    start_device(NULL);
    one_tile_triangle(0, 5);
    put_start(&l, &plain);
    put_clip(&l, 0, 0, 256, 256);
    put_state(&l, shader[0], 3);
    uint32_t pause = l.size;
    put_array(&l, TILER_TRIANGLES, 3, 0);
    put(&l, VC4_CL_WAIT_ON_SEMAPHORE, 1);
    uint32_t wait = l.size - 1;
    put_end(&l);
    uint32_t top = guest_top, at = guest_copy(l.bytes, l.size, 16);
    vc4_write(device, VC4_CT0CA, at);
    vc4_write(device, VC4_CT0EA, at + pause); /* the list is not all there yet */
    assert_int_equal(vc4_read(device, VC4_CT0CA), at + pause);
    assert_int_equal(host.flush_done, 0);
    vc4_write(device, VC4_CT0EA, at + l.size);
    assert_int_equal(vc4_read(device, VC4_CT0CA), at + wait); /* waits for the renderer */
    assert_int_equal(host.flush_done, 0);
    uint32_t signal = guest_alloc(1, 1);
    guest_memory.base[signal] = VC4_CL_INCREMENT_SEMAPHORE;
    vc4_write(device, VC4_CT1CA, signal);
    vc4_write(device, VC4_CT1EA, signal + 1);
    assert_int_equal(vc4_read(device, VC4_CT0CA), at + l.size);
    assert_int_equal(host.flush_done, 1);
    read_tiles(&plain);
    assert_int_equal(tile_lists[5].count, 1);
    guest_top = top;
}

/* ---- what is refused ---- */

enum step { AT_ONCE, AFTER_CONFIG, AFTER_START, AFTER_STATE };

static void expect(enum step step, const uint8_t *bytes, uint32_t size, enum gpu_fault_kind kind)
{
    struct list l = {0};
    start_device(NULL);
    if (step == AFTER_CONFIG)
        put_config(&l, &plain);
    if (step >= AFTER_START)
        put_start(&l, &plain);
    if (step == AFTER_STATE)
        put_state(&l, shader[0], 3);
    memcpy(l.bytes + l.size, bytes, size);
    l.size += size;
    struct gpu_fault fault = run(&l);
    if (fault.kind != kind)
        fail_msg("record %u: fault %d (%s), not %d", bytes[0], fault.kind, fault.text, kind);
    assert_true(fault.text[0]);
    assert_string_equal(fault.gpu, "vc4");
    assert_true(vc4_read(device, VC4_CT0CS) & 1u << 3); /* CTERR */
}

#define EXPECT(step, kind, ...)                                                                              \
    do {                                                                                                     \
        const uint8_t bytes_[] = {__VA_ARGS__};                                                              \
        expect(step, bytes_, sizeof bytes_, kind);                                                           \
    } while (0)

static void test_refusals(void **unused)
{
    for (unsigned id = 0; id < 256; id++)
        if (!vc4_cl_name(id))
            EXPECT(AFTER_START, GPU_FAULT_PACKET, (uint8_t)id, 0, 0, 0, 0, 0, 0, 0, 0);
        else if (!vc4_cl_allowed(id, false))
            EXPECT(AFTER_START, GPU_FAULT_PACKET, (uint8_t)id, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
    EXPECT(AT_ONCE, GPU_FAULT_PACKET, VC4_CL_START_TILE_BINNING);
    EXPECT(AFTER_START, GPU_FAULT_PACKET, VC4_CL_START_TILE_BINNING);
    EXPECT(AT_ONCE, GPU_FAULT_PACKET, VC4_CL_FLUSH);
    EXPECT(AFTER_START, GPU_FAULT_PACKET, VC4_CL_PRIMITIVE_LIST_FORMAT, 0x22);
    EXPECT(AFTER_START, GPU_FAULT_PACKET, VC4_CL_PRIMITIVE_LIST_FORMAT, 0x14);
    EXPECT(AFTER_START, GPU_FAULT_PACKET, VC4_CL_VG_COORDINATE_ARRAY, 4, 0, 0, 0, 0, 0, 0, 0, 0);
    EXPECT(AFTER_STATE, GPU_FAULT_PACKET, VC4_CL_VG_INLINE, 4); /* in GL mode */
    EXPECT(AFTER_STATE, GPU_FAULT_MEMORY, VC4_CL_NV_SHADER_STATE, 0xf0, 0xff, 0xff, 0xff,
           VC4_CL_ARRAY_PRIMITIVES, 4, 3, 0, 0, 0, 0, 0, 0, 0);
    /* in VG mode: vertices, RHTs, reserved types, a continuation of nothing, coordinates outside memory */
    EXPECT(AFTER_STATE, GPU_FAULT_PACKET, VC4_CL_VG_SHADER_STATE, 0, 0, 0, 0, VC4_CL_ARRAY_PRIMITIVES, 4, 3,
           0, 0, 0, 0, 0, 0, 0);
    EXPECT(AFTER_STATE, GPU_FAULT_UNSUPPORTED, VC4_CL_VG_SHADER_STATE, 0, 0, 0, 0, VC4_CL_VG_INLINE, 1);
    EXPECT(AFTER_STATE, GPU_FAULT_UNSUPPORTED, VC4_CL_VG_SHADER_STATE, 0, 0, 0, 0, VC4_CL_VG_INLINE, 3);
    EXPECT(AFTER_STATE, GPU_FAULT_PACKET, VC4_CL_VG_SHADER_STATE, 0, 0, 0, 0, VC4_CL_VG_INLINE, 2);
    EXPECT(AFTER_STATE, GPU_FAULT_PACKET, VC4_CL_VG_SHADER_STATE, 0, 0, 0, 0, VC4_CL_VG_INLINE, 0x16);
    EXPECT(AFTER_STATE, GPU_FAULT_PACKET, VC4_CL_VG_SHADER_STATE, 0, 0, 0, 0, VC4_CL_VG_INLINE, 0x14);
    EXPECT(AFTER_STATE, GPU_FAULT_LIST, VC4_CL_VG_SHADER_STATE, 0, 0, 0, 0, VC4_CL_VG_COORDINATE_ARRAY, 4, 1,
           0, 0, 0, 0xf8, 0xff, 0xff, 0xff);
    EXPECT(AFTER_START, GPU_FAULT_PACKET, VC4_CL_CONFIGURATION_BITS, 0xc3, 0, 0); /* oversampling 3 */
    EXPECT(AFTER_CONFIG, GPU_FAULT_PACKET, VC4_CL_ARRAY_PRIMITIVES, 4, 3, 0, 0, 0, 0, 0, 0, 0);
    EXPECT(AFTER_START, GPU_FAULT_PACKET, VC4_CL_ARRAY_PRIMITIVES, 4, 3, 0, 0, 0, 0, 0, 0, 0);
    EXPECT(AFTER_STATE, GPU_FAULT_PACKET, VC4_CL_ARRAY_PRIMITIVES, 7, 3, 0, 0, 0, 0, 0, 0, 0);
    EXPECT(AFTER_STATE, GPU_FAULT_PACKET, VC4_CL_ARRAY_PRIMITIVES, 4, 3, 0, 0, 0, 0xfe, 0xff, 0, 0);
    EXPECT(AFTER_STATE, GPU_FAULT_PACKET, VC4_CL_ARRAY_PRIMITIVES, 4, 0xff, 0xff, 0xff, 0xff, 1, 0, 0, 0);
    /* indices: outside memory, of a reserved type, greater than the maximum, attributes outside memory */
    EXPECT(AFTER_STATE, GPU_FAULT_MEMORY, VC4_CL_INDEXED_PRIMITIVES, 0x14, 3, 0, 0, 0, 0xff, 0xff, 0xff, 0xff,
           3, 0, 0, 0);
    EXPECT(AFTER_STATE, GPU_FAULT_PACKET, VC4_CL_INDEXED_PRIMITIVES, 0x24, 3, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0,
           0);
    util_store32(guest_memory.base, 0x00020001);
    EXPECT(AFTER_STATE, GPU_FAULT_PACKET, VC4_CL_INDEXED_PRIMITIVES, 0x14, 2, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0,
           0);
    EXPECT(AFTER_STATE, GPU_FAULT_MEMORY, VC4_CL_GL_SHADER_STATE, 0xf1, 0xff, 0xff, 0xff,
           VC4_CL_ARRAY_PRIMITIVES, 4, 3, 0, 0, 0, 0, 0, 0, 0);
    /* configurations: not initialised, no tiles, not aligned, too little memory */
    EXPECT(AT_ONCE, GPU_FAULT_UNSUPPORTED, VC4_CL_TILE_BINNING_CONFIG, 0, 0, 64, 0, 0, 0, 16, 0, 0, 0, 96, 0,
           4, 4, 0);
    EXPECT(AT_ONCE, GPU_FAULT_PACKET, VC4_CL_TILE_BINNING_CONFIG, 0, 0, 64, 0, 0, 0, 16, 0, 0, 0, 96, 0, 0, 4,
           4);
    EXPECT(AT_ONCE, GPU_FAULT_PACKET, VC4_CL_TILE_BINNING_CONFIG, 4, 0, 64, 0, 0, 0, 16, 0, 0, 0, 96, 0, 4, 4,
           4);
    EXPECT(AT_ONCE, GPU_FAULT_TILE_MEMORY, VC4_CL_TILE_BINNING_CONFIG, 0, 0, 64, 0, 0xff, 1, 0, 0, 0, 0, 96,
           0, 4, 4, 4, VC4_CL_START_TILE_BINNING);
    EXPECT(AT_ONCE, GPU_FAULT_MEMORY, VC4_CL_TILE_BINNING_CONFIG, 0, 0, 0, 0xff, 0, 0, 16, 0, 0, 0, 96, 0, 4,
           4, 4, VC4_CL_START_TILE_BINNING);
    EXPECT(AT_ONCE, GPU_FAULT_MEMORY, VC4_CL_TILE_BINNING_CONFIG, 0, 0, 64, 0, 0, 0, 16, 0, 0, 0, 0, 0xff, 4,
           4, 4, VC4_CL_START_TILE_BINNING);
}

/* A host without end of memory: the same piece again and again. */
static void endless(void *data, uint32_t pending)
{
    if (pending & VC4_INT_OUTOMEM) {
        vc4_write(device, VC4_BPOA, OVERSPILL + (2u << 20));
        vc4_write(device, VC4_BPOS, 1u << 20);
    }
    vc4_write(device, VC4_INTCTL, pending);
}

/* Work that no record shows is paid for too: many indices, many tiles looked at. */
static void test_budget(void **unused)
{
    for (unsigned wide = 0; wide < 2; wide++) {
        struct list l = {0};
        start_device(NULL);
        gpu_host_set_irq(vc4_device_host(device), endless, NULL);
        for (uint32_t i = 0; i < 3; i++) /* from corner to corner */
            set_vertex(i, i == 1 ? 30000 : -27000, i == 1 ? 30000 : -27000 + (int32_t)i * 16);
        for (uint32_t i = 0; i < 60000; i++)
            guest_memory.base[OVERSPILL + (4u << 20) + i] = (uint8_t)(i % 3);
        put_config(&l, &plain);
        if (wide) { /* 64 x 64 tiles */
            util_store32(l.bytes + 5, 0x1fffff);
            l.bytes[13] = l.bytes[14] = 64;
        }
        put(&l, VC4_CL_START_TILE_BINNING, 1);
        put_state(&l, shader[0], 3);
        put_record(&l, VC4_CL_VIEWPORT_OFFSET, 1, wide ? 0x7fff7fff : 0, 0);
        for (unsigned i = 0; i < 40; i++)
            put_indexed(&l, wide ? TILER_TRIANGLES : TILER_POINTS, false, wide ? 3000 : 60000,
                        OVERSPILL + (4u << 20), 2);
        put_end(&l);
        struct gpu_fault fault = run(&l);
        assert_int_equal(fault.kind, GPU_FAULT_TIMEOUT);
        assert_in_range(fault.draw, 2, 39);
    }
}

/* Valid lists with bytes changed: whatever happens is a fault or a picture, never a crash or a hang. */
static void test_mutations(void **unused)
{
    unsigned faults = 0, fine = 0;
    start_device(NULL);
    random_vertices(200, 300);
    for (unsigned number = 0; number < 3000; number++) {
        struct list l = {0};
        put_start(&l, &plain);
        put_clip(&l, 0, 0, 256, 256);
        put_state(&l, shader[number % 3], 3);
        put_array(&l, number % 7, 60, number % 50);
        put_indexed(&l, 4, number & 1, 90, vertex_address, 0xffff);
        put_end(&l);
        for (unsigned changes = random32() % 4; changes; changes--)
            l.bytes[random32() % l.size] =
                random32() % 3 ? (uint8_t)random32() : (uint8_t)(1u << random32() % 8);
        host.left = 4;
        host.next = OVERSPILL;
        host.chunk = 4096;
        struct gpu_fault fault = run(&l);
        faults += fault.kind != GPU_FAULT_NONE;
        fine += fault.kind == GPU_FAULT_NONE;
        if (fault.kind != GPU_FAULT_NONE)
            assert_true(fault.text[0] && fault.unit);
        /* A write to tile memory may have gone anywhere: put the guest back. */
        if (number % 100 == 99)
            start_device(NULL);
    }
    assert_true(faults > 200 && fine > 200);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_flow),      TEST(test_waiting_and_extending), TEST(test_refusals), TEST(test_budget),
        TEST(test_mutations),
    };
    return cmocka_run_group_tests_name("binner flow", tests, set_up, tear_down);
}
