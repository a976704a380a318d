/* Vertex stages: attribute fetch, VPM access modes, compiled code against the interpreter, faults. */
#include <errno.h>

#include "tests/gpu/vc4/guest.h"

#include "gpu/vc4/vertex.h"
#include "gpu/vc4/vertex_internal.h"
#include "jit/engine.h"
#include "util/fpenv.h"

#define MEMORY_BYTES (1u << 20)

static struct jit_engine *engine;
static struct gpu_programs *programs;
static uint64_t seed = 3;

static uint32_t random32(void)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(seed >> 32);
}

/* ---- running a stage ---- */

static struct vc4_shader_state read_state(const struct guest_shader *s)
{
    struct vc4_shader_state state;
    struct gpu_fault fault;
    if (!vc4_shader_state_read(programs, &guest_memory, guest_shader_record(s), s->attribute_count, false,
                               &state, &fault))
        fail_msg("%s", fault.text);
    return state;
}

/* A shader of which only the coordinate program matters. */
static struct guest_shader shader_with(const char *program)
{
    static uint32_t nothing;
    if (!nothing)
        nothing = guest_program(GUEST_END);
    struct guest_shader s = {.flags = 1, .fs = nothing, .vs = nothing, .cs = guest_program(program)};
    s.cs_uniforms = guest_alloc(64, 16);
    return s;
}

static struct vc4_vertex_stage *prepare(const struct vc4_shader_state *state, struct jit_engine *with,
                                        uint32_t max_index)
{
    struct vc4_vertex_stage *stage;
    struct gpu_fault fault;
    if (vc4_vertex_prepare(&guest_memory, with, state, true, max_index, 1000, NULL, &stage, &fault))
        fail_msg("%s", fault.text);
    return stage;
}

static int run(const struct vc4_vertex_stage *stage, const uint32_t index[16], struct vc4_vertex_batch *out,
               struct gpu_fault *fault)
{
    unsigned saved = util_fpenv_enter();
    memset(out, 0xcd, sizeof *out);
    int status = vc4_vertex_shade(stage, index, out, fault);
    util_fpenv_leave(saved);
    return status;
}

static bool was_compiled; /* by the last run_both */

/* Both ways, and compiled code of both tiers; they must agree. Returns the status. */
static int run_both(const struct guest_shader *s, uint32_t max_index, const uint32_t index[16],
                    struct vc4_vertex_batch *out, struct gpu_fault *fault)
{
    static struct vc4_vertex_batch compiled;
    struct vc4_shader_state state = read_state(s);
    struct vc4_vertex_stage *stage[2] = {prepare(&state, NULL, max_index),
                                         prepare(&state, engine, max_index)};
    *fault = (struct gpu_fault){0};
    assert_null(stage[0]->function);
    was_compiled = stage[1]->function;
    int status = run(stage[0], index, out, fault);
    for (unsigned tier = 0; tier < 2; tier++) {
        struct gpu_fault second = {0};
        assert_int_equal(run(stage[1], index, &compiled, &second), status);
        if (!status)
            assert_memory_equal(out, &compiled, vc4_vertex_rows(stage[0]) * sizeof out->row[0]);
        assert_int_equal(fault->kind, second.kind);
        assert_int_equal(fault->pc, second.pc);
        assert_int_equal(fault->lane, second.lane);
        assert_int_equal(fault->address, second.address);
        jit_engine_optimise(engine);
    }
    assert_int_equal(vc4_vertex_rows(stage[0]), vc4_vertex_rows(stage[1]));
    vc4_vertex_release(stage[0]);
    vc4_vertex_release(stage[1]);
    return status;
}

static const uint32_t sequence[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};

/* ---- attributes ---- */

/* Every size, at any alignment and stride: bytes packed from the row on, the last word filled with zero. */
static void test_fetch(void **unused)
{
    struct guest_shader s = shader_with(GUEST_END);
    s.cs = guest_copy_program(16);
    s.attribute_count = 3;
    for (uint32_t bytes = 1; bytes <= 24; bytes++) {
        uint32_t index[16], stride = bytes % 5 ? bytes + bytes % 7 : 0;
        for (unsigned i = 0; i < 16; i++)
            index[i] = bytes & 1 ? random32() % 40 : i + 3;
        s.attribute[0] = (struct guest_attribute){guest_alloc(4096, 16) + bytes % 4, bytes, stride, 0, 8};
        s.attribute[1] = (struct guest_attribute){guest_alloc(4096, 16), 4, 4, 0, 4};
        s.attribute[2] = (struct guest_attribute){guest_alloc(64, 16), 2, 0, 0, 0};
        for (uint32_t i = 0; i < 4096; i++)
            guest_memory.base[s.attribute[0].address + i] = (uint8_t)random32();
        for (uint32_t i = 0; i < 1024; i++)
            util_store32(guest_memory.base + s.attribute[1].address + i * 4, i * 1000);
        util_store32(guest_memory.base + s.attribute[2].address, 0xddccbbaa);

        struct vc4_vertex_batch out;
        struct gpu_fault fault;
        assert_int_equal(run_both(&s, 42, index, &out, &fault), 0);
        for (unsigned lane = 0; lane < 16; lane++) {
            uint8_t want[32] = {0};
            memcpy(want, guest_memory.base + s.attribute[0].address + stride * index[lane], bytes);
            assert_int_equal(out.row[0][lane], 0xbbaa);
            assert_int_equal(out.row[1][lane], index[lane] * 1000);
            for (unsigned row = 0; row < 8; row++)
                assert_int_equal(out.row[2 + row][lane], util_load32(want + row * 4));
        }
    }
}

/* An attribute whose last element ends where memory ends: nothing behind may be touched (a guard follows). */
static void test_fetch_at_the_end(void **unused)
{
    struct guest_shader s = shader_with(GUEST_END);
    s.cs = guest_copy_program(8);
    s.attribute_count = 1;
    for (uint32_t bytes = 1; bytes <= 20; bytes++) {
        uint32_t start = MEMORY_BYTES - 16 * bytes;
        s.attribute[0] = (struct guest_attribute){start, bytes, bytes, 0, 0};
        for (uint32_t i = start; i < MEMORY_BYTES; i++)
            guest_memory.base[i] = (uint8_t)i;
        struct vc4_vertex_batch out;
        struct gpu_fault fault;
        assert_int_equal(run_both(&s, 15, sequence, &out, &fault), 0);
        assert_int_equal(out.row[0][15] & 0xff, (start + 15 * bytes) & 0xff);

        struct vc4_shader_state state = read_state(&s);
        struct vc4_vertex_stage *stage;
        assert_int_equal(vc4_vertex_prepare(&guest_memory, NULL, &state, true, 16, 1, NULL, &stage, &fault),
                         -EFAULT);
        assert_int_equal(fault.kind, GPU_FAULT_MEMORY);
        assert_int_equal(fault.address, start);
        assert_non_null(strstr(fault.text, "attribute array 0"));
        assert_null(stage);
    }
}

static void test_bad_attributes(void **unused)
{
    const struct {
        struct guest_attribute attribute;
        enum gpu_fault_kind kind;
    } cases[] = {
        {{MEMORY_BYTES, 4, 4, 0, 0}, GPU_FAULT_MEMORY},
        {{UINT32_MAX, 256, 255, 0, 0}, GPU_FAULT_MEMORY},
        {{4096, 4, 4, 0, 2}, GPU_FAULT_PACKET},     /* not a whole row */
        {{4096, 16, 16, 0, 244}, GPU_FAULT_PACKET}, /* beyond row 63 */
    };
    for (size_t i = 0; i < UTIL_ARRAY_SIZE(cases); i++) {
        struct guest_shader s = shader_with(GUEST_END);
        s.attribute_count = 1;
        s.attribute[0] = cases[i].attribute;
        struct vc4_shader_state state = read_state(&s);
        struct vc4_vertex_stage *stage;
        struct gpu_fault fault;
        assert_int_equal(vc4_vertex_prepare(&guest_memory, NULL, &state, true, 0, 1, NULL, &stage, &fault),
                         -EFAULT);
        assert_int_equal(fault.kind, cases[i].kind);
    }
    struct guest_shader s = shader_with(GUEST_END);
    struct vc4_vertex_batch out;
    struct gpu_fault fault;
    s.attribute_count = 1;
    s.attribute[0] = (struct guest_attribute){4096, 4, 4, 0, 0};
    assert_int_equal(run_both(&s, 14, sequence, &out, &fault),
                     -EFAULT); /* an index beyond what was checked */
    assert_int_equal(fault.kind, GPU_FAULT_PACKET);
}

/* ---- VPM accesses ---- */

/* The word at (row, column) names its place, each byte too: 4 * (row * 16 + column) + byte, in 8 bits. */
static void fill(uint32_t (*vpm)[16])
{
    for (unsigned row = 0; row < 64; row++)
        for (unsigned column = 0; column < 16; column++) {
            uint32_t first = 4 * (row * 16 + column);
            vpm[row][column] = (first & 0xff) | ((first + 1) & 0xff) << 8 | ((first + 2) & 0xff) << 16 |
                               ((first + 3) & 0xff) << 24;
        }
}

static uint32_t byte_of(unsigned row, unsigned column, unsigned byte)
{
    return (4 * (row * 16 + column) + byte) & 0xff;
}
static uint32_t half_of(unsigned row, unsigned column, unsigned half)
{
    return byte_of(row, column, half * 2) | byte_of(row, column, half * 2 + 1) << 8;
}

enum {
    VERTICAL = 0,
    HORIZONTAL = 1 << 11,
    PACKED = 0,
    LANED = 1 << 10,
    BITS8 = 0,
    BITS16 = 1 << 8,
    BITS32 = 2 << 8
};

/* Guide figures 8 and 9, element by element. */
static void test_vpm_modes(void **unused)
{
    static uint32_t vpm[64][16], copy[64][16];
    for (unsigned i = 0; i < 16; i++) {
        const struct {
            uint32_t setup, want;
        } cases[] = {
            {HORIZONTAL | PACKED | BITS8 | (0 << 2 | 2), byte_of(0, 8 + i / 4, i % 4)},
            {HORIZONTAL | LANED | BITS8 | (1 << 2 | 1), byte_of(1, i, 1)},
            {HORIZONTAL | LANED | BITS16 | (2 << 1 | 0), half_of(2, i, 0)},
            {HORIZONTAL | PACKED | BITS16 | (3 << 1 | 1), half_of(3, 8 + i / 2, i % 2)},
            {HORIZONTAL | BITS32 | 63, byte_of(63, i, 0) | byte_of(63, i, 1) << 8 | half_of(63, i, 1) << 16},
            {VERTICAL | PACKED | BITS8 | (0 << 6 | 0 << 2 | 1), byte_of(4 + i / 4, 0, i % 4)},
            {VERTICAL | LANED | BITS8 | (0 << 6 | 1 << 2 | 2), byte_of(i, 1, 2)},
            {VERTICAL | LANED | BITS16 | (0 << 5 | 2 << 1 | 0), half_of(i, 2, 0)},
            {VERTICAL | PACKED | BITS16 | (0 << 5 | 15 << 1 | 1), half_of(8 + i / 2, 15, i % 2)},
            {VERTICAL | BITS32 | (1 << 4 | 1),
             byte_of(16 + i, 1, 0) | byte_of(16 + i, 1, 1) << 8 | half_of(16 + i, 1, 1) << 16},
        };
        for (size_t k = 0; k < UTIL_ARRAY_SIZE(cases); k++) {
            struct vc4_vpm_access access;
            uint32_t out[16];
            fill(vpm);
            assert_true(vc4_vpm_setup(cases[k].setup | 1 << 12, &access));
            vc4_vpm_get((const uint32_t(*)[16])vpm, &access, out);
            assert_int_equal(out[i], cases[k].want);
            /* What is written comes back, and nothing else changes. */
            memcpy(copy, vpm, sizeof vpm);
            assert_true(vc4_vpm_setup(cases[k].setup | 1 << 12, &access));
            uint32_t value[16];
            for (unsigned l = 0; l < 16; l++)
                value[l] = ~out[l];
            vc4_vpm_put(vpm, &access, value, (uint16_t)(1u << i));
            unsigned changed = 0;
            for (unsigned w = 0; w < 64 * 16; w++)
                changed += (unsigned)__builtin_popcount(vpm[w / 16][w % 16] ^ copy[w / 16][w % 16]);
            assert_int_equal(changed, (cases[k].setup >> 8 & 3) == 0   ? 8
                                      : (cases[k].setup >> 8 & 3) == 1 ? 16
                                                                       : 32);
            assert_true(vc4_vpm_setup(cases[k].setup | 1 << 12, &access));
            vc4_vpm_get((const uint32_t(*)[16])vpm, &access, value);
            assert_int_equal(value[i] ^ out[i], (cases[k].setup >> 8 & 3) == 0   ? 0xffu
                                                : (cases[k].setup >> 8 & 3) == 1 ? 0xffffu
                                                                                 : UINT32_MAX);
        }
    }
}

static void test_vpm_addresses(void **unused)
{
    static uint32_t vpm[64][16];
    struct vc4_vpm_access access;
    uint32_t out[16];
    fill(vpm);
    assert_true(vc4_vpm_setup(HORIZONTAL | BITS32 | 62 | 3 << 12 | 5 << 20, &access));
    assert_int_equal(access.left, 5);
    vc4_vpm_get((const uint32_t(*)[16])vpm, &access, out);
    assert_int_equal(out[0], vpm[62][0]);
    vc4_vpm_get((const uint32_t(*)[16])vpm, &access, out);
    assert_int_equal(out[0], vpm[1][0]); /* 65 wraps to 1 */
    assert_true(vc4_vpm_setup(HORIZONTAL | BITS32 | 7, &access));
    assert_int_equal(access.left, 16); /* 0 means 16 vectors, a stride of 64 */
    vc4_vpm_get((const uint32_t(*)[16])vpm, &access, out);
    vc4_vpm_get((const uint32_t(*)[16])vpm, &access, out);
    assert_int_equal(out[0], vpm[7][0]);
    assert_false(vc4_vpm_setup(0x80000000, &access)); /* DMA */
    assert_false(vc4_vpm_setup(0xc0000000, &access));
    assert_false(vc4_vpm_setup(HORIZONTAL | 3 << 8, &access)); /* a reserved width */
}

/* ---- programs ---- */

/* Several read blocks and strides, uniforms, conditional writes, a second write set-up. */
static const char busy_program[] = "ldi vw_setup, 0x1a00\n"
                                   "ldi vr_setup, 0x201a00\n" /* rows 0, 1 */
                                   "ldi vr_setup, 0x202a02\n" /* rows 2, 4 */
                                   "nop\nnop\n"
                                   "mov r0, vpm\n"
                                   "mov r1, vpm\n"
                                   "mov r2, vpm\n"
                                   "mov r3, vpm\n"
                                   "fadd vpm, r0, r1\n"
                                   "nop ; fmul r1, r1, unif\n"
                                   "fsub vpm, r2, r3\n"
                                   "fsub.sf -, r0, r3\n"
                                   "mov vpm, unif\n"
                                   "mov.zc vpm, r2\n"
                                   "mov.ns vpm, r3\n"
                                   "mov vpm, r1\n"
                                   "ldi vw_setup, 0x1a09\n"
                                   "mov vpm, r3\n" GUEST_END;

static float row_value(const struct guest_shader *s, uint32_t index, uint32_t row)
{
    return util_u2f(util_load32(guest_memory.base + s->attribute[0].address + index * 20 + row * 4));
}

static void test_busy_program(void **unused)
{
    struct guest_shader s = shader_with(busy_program);
    s.attribute_count = 1;
    s.attribute[0] = (struct guest_attribute){guest_alloc(20 * 64, 16), 20, 20, 0, 0};
    for (unsigned i = 0; i < 64 * 5; i++)
        util_store32(guest_memory.base + s.attribute[0].address + i * 4,
                     util_f2u((float)(int)(random32() % 64) - 32));
    util_store32(guest_memory.base + s.cs_uniforms, util_f2u(0.5f));
    util_store32(guest_memory.base + s.cs_uniforms + 4, 0x12345678);
    for (unsigned run_number = 0; run_number < 50; run_number++) {
        struct vc4_vertex_batch out;
        struct gpu_fault fault;
        uint32_t index[16];
        for (unsigned i = 0; i < 16; i++)
            index[i] = random32() % 64;
        assert_int_equal(run_both(&s, 63, index, &out, &fault), 0);
        assert_true(was_compiled);
        for (unsigned l = 0; l < 16; l++) {
            float a = row_value(&s, index[l], 0), b = row_value(&s, index[l], 1);
            float c = row_value(&s, index[l], 2), d = row_value(&s, index[l], 4);
            assert_true(util_u2f(out.row[0][l]) == a + b);
            assert_true(util_u2f(out.row[1][l]) == c - d);
            assert_int_equal(out.row[2][l], 0x12345678);
            assert_int_equal(out.row[3][l], a == d ? 0 : util_f2u(c)); /* unwritten lanes read as zero */
            assert_int_equal(out.row[4][l], a < d ? util_f2u(d) : 0);
            assert_true(util_u2f(out.row[5][l]) == b * 0.5f);
            assert_int_equal(out.row[9][l], util_f2u(d));
        }
    }
}

/* A loop around the sums, not around the VPM: compiled. One that writes inside: interpreted. Both right. */
static void test_loops(void **unused)
{
    const char *const programs_text[] = {
        "ldi vr_setup, 0x101a00\nldi vw_setup, 0x1a00\nldi r1, 0\nldi r2, 3\nmov r0, vpm\n"
        "again: add r1, r1, r0\nldi r3, 1\nsub.sf r2, r2, r3\nbrr.anyzc again\nnop\nnop\nnop\n"
        "mov vpm, r1\n" GUEST_END,
        "ldi vr_setup, 0x101a00\nldi vw_setup, 0x1a00\nldi r1, 0\nldi r2, 3\nmov r0, vpm\n"
        "again: add r1, r1, r0\nldi r3, 1\nsub.sf r2, r2, r3\nbrr.anyzc again\nmov vpm, "
        "r1\nnop\nnop\n" GUEST_END,
    };
    for (unsigned i = 0; i < 2; i++) {
        struct guest_shader s = shader_with(programs_text[i]);
        struct vc4_vertex_batch out;
        struct gpu_fault fault;
        s.attribute_count = 1;
        s.attribute[0] = (struct guest_attribute){guest_alloc(64, 16), 4, 4, 0, 0};
        for (uint32_t k = 0; k < 16; k++)
            util_store32(guest_memory.base + s.attribute[0].address + k * 4, k + 1);
        struct vc4_shader_state state = read_state(&s);
        struct vc4_vpm_plan plan;
        vc4_vpm_plan_make(state.cs.program, &plan);
        assert_int_equal(plan.known, i == 0);
        assert_int_equal(run_both(&s, 15, sequence, &out, &fault), 0);
        assert_int_equal(was_compiled, i == 0);
        for (uint32_t l = 0; l < 16; l++) {
            assert_int_equal(out.row[i ? 2 : 0][l], 3 * (l + 1));
            assert_int_equal(out.row[i ? 0 : 1][l], i ? l + 1 : 0);
        }
    }
}

/* A word of memory a lane, addressed by the vertex; the low two bits of the address do not count. */
static void test_lookups(void **unused)
{
    struct guest_shader s = shader_with("ldi vr_setup, 0x101a00\nldi vw_setup, 0x1a00\nnop\nnop\nnop\n"
                                        "mov tmu0_s, vpm\nnop ; ldtmu0\nmov vpm, r4\n" GUEST_END);
    struct vc4_vertex_batch out;
    struct gpu_fault fault;
    uint32_t table = guest_alloc(256, 16);
    s.attribute_count = 1;
    s.attribute[0] = (struct guest_attribute){guest_alloc(64, 16), 4, 4, 0, 0};
    uint8_t *address = guest_memory.base + s.attribute[0].address;
    for (uint32_t i = 0; i < 64; i++)
        util_store32(guest_memory.base + table + i * 4, random32());
    for (uint32_t i = 0; i < 16; i++)
        util_store32(address + i * 4, table + random32() % 256);
    assert_int_equal(run_both(&s, 15, sequence, &out, &fault), 0);
    for (uint32_t i = 0; i < 16; i++)
        assert_int_equal(out.row[0][i],
                         util_load32(guest_memory.base + (util_load32(address + i * 4) & ~3u)));

    util_store32(address + 9 * 4, MEMORY_BYTES);
    util_store32(address + 5 * 4, MEMORY_BYTES - 1); /* the last word: still inside */
    util_store32(address + 12 * 4, UINT32_MAX);
    assert_int_equal(run_both(&s, 15, sequence, &out, &fault), -EFAULT);
    assert_int_equal(fault.kind, GPU_FAULT_MEMORY);
    assert_int_equal(fault.lane, 9);
    assert_int_equal(fault.pc, 5);
    assert_int_equal(fault.address, MEMORY_BYTES);
    assert_string_equal(fault.unit, "coordinate program");
    assert_true(was_compiled);
}

/* Eight words may be under way (Guide section 4), in the order of the requests; a ninth finds no room. */
static void test_lookups_under_way(void **unused)
{
    for (unsigned count = 8; count <= 9; count++) {
        char text[2048] = "ldi vr_setup, 0x101a00\nldi vw_setup, 0x1a00\nnop\nnop\nnop\nmov r0, vpm\n";
        struct vc4_vertex_batch out;
        struct gpu_fault fault;
        for (unsigned i = 0; i < count; i++)
            strcat(text, "mov tmu1_s, r0\nadd r0, r0, 4\n");
        for (unsigned i = 0; i < count; i++)
            strcat(text, "nop ; ldtmu1\nmov vpm, r4\n");
        struct guest_shader s = shader_with(strcat(text, GUEST_END));
        uint32_t table = guest_alloc(256, 16);
        s.varyings = 5; /* eight rows are looked at */
        s.attribute_count = 1;
        s.attribute[0] = (struct guest_attribute){guest_alloc(64, 16), 4, 4, 0, 0};
        for (uint32_t i = 0; i < 64; i++)
            util_store32(guest_memory.base + table + i * 4, random32());
        for (uint32_t i = 0; i < 16; i++)
            util_store32(guest_memory.base + s.attribute[0].address + i * 4, table + i * 8);
        assert_int_equal(run_both(&s, 15, sequence, &out, &fault), count == 8 ? 0 : -EFAULT);
        assert_true(was_compiled || count == 9); /* what always faults is left to the interpreter */
        for (uint32_t i = 0; count == 8 && i < 8 * 16; i++)
            assert_int_equal(out.row[i / 16][i % 16],
                             util_load32(guest_memory.base + table + i % 16 * 8 + i / 16 * 4));
        if (count == 9) {
            assert_int_equal(fault.kind, GPU_FAULT_SHADER);
            assert_string_equal(fault.text, "too many texture requests outstanding");
            assert_int_equal(fault.pc, 6 + 8 * 2);
        }
    }
}

static void test_program_faults(void **unused)
{
    const struct {
        const char *text;
        enum gpu_fault_kind kind;
        uint32_t pc;
    } cases[] = {
        {"mov r0, vpm\n" GUEST_END, GPU_FAULT_SHADER, 0}, /* no set-up */
        {"mov vpm, r0\n" GUEST_END, GPU_FAULT_SHADER, 0},
        {"ldi vr_setup, 0x101a00\nnop\nmov r0, vpm\nmov r0, vpm\n" GUEST_END, GPU_FAULT_SHADER, 3},
        {"ldi vr_setup, 0x101a00\nldi vr_setup, 0x101a00\nldi vr_setup, 0x101a00\n" GUEST_END,
         GPU_FAULT_SHADER, 2},
        {"ldi vw_setup, 0x80000000\n" GUEST_END, GPU_FAULT_SHADER, 0},
        {"nop ; ldtmu0\n" GUEST_END, GPU_FAULT_SHADER, 0},
        {"mov tlb_color, r0\n" GUEST_END, GPU_FAULT_UNSUPPORTED, 0},
        {"again: brr again\nnop\nnop\nnop\n" GUEST_END, GPU_FAULT_TIMEOUT, 0},
    };
    for (size_t i = 0; i < UTIL_ARRAY_SIZE(cases); i++) {
        uint64_t *words = NULL;
        uint32_t count;
        struct util_error error = {0};
        if (vc4_qpu_asm(cases[i].text, strlen(cases[i].text), &words, &count, &error))
            fail_msg("%s: %s", cases[i].text, error.text);
        free(words);
        struct guest_shader s = shader_with(cases[i].text);
        struct vc4_vertex_batch out;
        struct gpu_fault fault;
        s.attribute_count = 1;
        s.attribute[0] = (struct guest_attribute){4096, 4, 4, 0, 0};
        assert_int_equal(run_both(&s, 15, sequence, &out, &fault), -EFAULT);
        assert_int_equal(fault.kind, cases[i].kind);
        assert_int_equal(fault.pc, cases[i].pc);
        assert_true(fault.text[0]);
    }
    struct guest_shader s = shader_with("mov r0, unif\n" GUEST_END);
    struct vc4_vertex_stage *stage;
    struct gpu_fault fault;
    s.cs_uniforms = MEMORY_BYTES;
    s.attribute_count = 1;
    s.attribute[0] = (struct guest_attribute){4096, 4, 4, 0, 0};
    struct vc4_shader_state state = read_state(&s);
    assert_int_equal(vc4_vertex_prepare(&guest_memory, engine, &state, true, 0, 1, NULL, &stage, &fault),
                     -EFAULT);
    assert_int_equal(fault.kind, GPU_FAULT_MEMORY);
    assert_int_equal(fault.address, MEMORY_BYTES);
}

/* Random programs of the vertex profile: whatever they do, both ways do the same. */
static void test_random_programs(void **unused)
{
    unsigned ran = 0, compiled = 0;
    for (uint64_t number = 0; number < 150; number++) {
        uint64_t words[512];
        uint32_t top = guest_top, count = vc4_qpu_random(number, VC4_QPU_RANDOM_VERTEX, words, 512);
        struct guest_shader s = shader_with(GUEST_END);
        s.cs = guest_copy(words, count * 8, 8);
        s.cs_uniforms = guest_alloc(4096, 16);
        s.attribute_count = 2;
        s.attribute[0] = (struct guest_attribute){guest_alloc(1024, 16), 64, 64, 0, 0};
        s.attribute[1] = (struct guest_attribute){guest_alloc(1024, 16), 64, 64, 0, 64};
        for (uint32_t i = s.cs_uniforms; i < guest_top; i += 4)
            util_store32(guest_memory.base + i, random32());
        struct vc4_vertex_batch out;
        struct gpu_fault fault;
        ran += !run_both(&s, 15, sequence, &out, &fault);
        compiled += was_compiled;
        guest_top = top;
    }
    assert_true(ran > 75 && compiled > 100);
}

/* ---- shader state records and the program cache ---- */

static void test_program_cache(void **unused)
{
    struct gpu_fault fault;
    uint32_t at = guest_program("ldi r0, 1\n" GUEST_END), twin = guest_program("ldi r0, 1\n" GUEST_END);
    const struct vc4_qpu_program *first = vc4_programs_get(programs, &guest_memory, at, NULL, &fault);
    assert_non_null(first);
    assert_ptr_equal(vc4_programs_get(programs, &guest_memory, at, NULL, &fault), first);
    assert_ptr_equal(vc4_programs_get(programs, &guest_memory, twin, NULL, &fault), first);
    guest_memory.base[at] ^= 2; /* rewritten: another program */
    const struct vc4_qpu_program *second = vc4_programs_get(programs, &guest_memory, at, NULL, &fault);
    assert_non_null(second);
    assert_ptr_not_equal(second, first);
    guest_memory.base[at] ^= 2; /* and back */
    assert_ptr_equal(vc4_programs_get(programs, &guest_memory, at, NULL, &fault), first);

    assert_null(vc4_programs_get(programs, &guest_memory, at + 4, NULL, &fault));
    assert_int_equal(fault.kind, GPU_FAULT_SHADER);
    assert_null(vc4_programs_get(programs, &guest_memory, MEMORY_BYTES, NULL, &fault));
    assert_int_equal(fault.kind, GPU_FAULT_MEMORY);
    memset(guest_memory.base + MEMORY_BYTES - 64, 0, 64); /* runs off the end of memory */
    assert_null(vc4_programs_get(programs, &guest_memory, MEMORY_BYTES - 64, NULL, &fault));
    assert_int_equal(fault.kind, GPU_FAULT_SHADER);
    assert_true(fault.text[0]);
}

static void test_shader_record(void **unused)
{
    struct guest_shader s = shader_with(GUEST_END);
    struct vc4_shader_state state;
    struct gpu_fault fault;
    s.flags = 6;
    s.varyings = 5;
    s.attribute_count = 2;
    s.attribute[0] = (struct guest_attribute){0x1000, 256, 255, 4, 8};
    s.attribute[1] = (struct guest_attribute){0x2000, 1, 0, 12, 16};
    uint32_t at = guest_shader_record(&s);
    assert_true(vc4_shader_state_read(programs, &guest_memory, at, 2, false, &state, &fault));
    assert_true(state.clipping && state.point_size && !state.single_threaded);
    assert_int_equal(state.varying_count, 5);
    assert_int_equal(state.attribute[0].bytes, 256);
    assert_int_equal(state.attribute[0].stride, 255);
    assert_int_equal(state.attribute[1].vs_offset, 12);
    assert_int_equal(state.attribute[1].cs_offset, 16);
    assert_int_equal(state.cs.uniforms, s.cs_uniforms);
    assert_ptr_equal(state.fs.program, state.vs.program);

    /* An extended record has all arrays, and strides of 26 bits. */
    uint32_t extended = guest_alloc(132, 16);
    memset(guest_memory.base + extended, 0, 132);
    memcpy(guest_memory.base + extended, guest_memory.base + at, 52);
    util_store32(guest_memory.base + extended + 100, 0xffabcd11);
    assert_true(vc4_shader_state_read(programs, &guest_memory, extended, 2, true, &state, &fault));
    assert_int_equal(state.attribute_count, 8);
    assert_int_equal(state.attribute[0].stride, 0x03abcdff);

    assert_false(vc4_shader_state_read(programs, &guest_memory, MEMORY_BYTES - 32, 1, false, &state, &fault));
    assert_int_equal(fault.kind, GPU_FAULT_MEMORY);
    guest_memory.base[at] |= 8;
    assert_false(vc4_shader_state_read(programs, &guest_memory, at, 2, false, &state, &fault));
    assert_int_equal(fault.kind, GPU_FAULT_PACKET);
}

static int set_up(void **unused)
{
    const struct jit_options options = {
        .level = -1, .optimize = JIT_AUTOMATIC, .hot_runs = 1, .cache_dir = ""};
    struct util_error error = {0};
    return gpu_memory_create(MEMORY_BYTES, &guest_memory) ||
           gpu_programs_create(&vc4_program_kind, &programs) || jit_engine_create(&options, &engine, &error);
}

static int tear_down(void **unused)
{
    struct jit_stats stats;
    jit_engine_stats(engine, &stats);
    if (!stats.optimised) /* then the second tier was never tried */
        return -1;
    jit_engine_destroy(engine);
    gpu_programs_destroy(programs);
    gpu_memory_destroy(&guest_memory);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fetch),
        cmocka_unit_test(test_fetch_at_the_end),
        cmocka_unit_test(test_bad_attributes),
        cmocka_unit_test(test_vpm_modes),
        cmocka_unit_test(test_vpm_addresses),
        cmocka_unit_test(test_busy_program),
        cmocka_unit_test(test_loops),
        cmocka_unit_test(test_lookups),
        cmocka_unit_test(test_lookups_under_way),
        cmocka_unit_test(test_program_faults),
        cmocka_unit_test(test_random_programs),
        cmocka_unit_test(test_program_cache),
        cmocka_unit_test(test_shader_record),
    };
    return cmocka_run_group_tests_name("vertex stages", tests, set_up, tear_down);
}
