/* The linter over captures: programs against shader records, uniforms and control records. Each rule that
 * only captures show has a capture that breaks it, and one that keeps it. */
#include "vc4_guest.h"

#include <errno.h>
#include <unistd.h>

#include "gpu/capture.h"
#include "gpu/vc4/cl.h"
#include "gpu/lint.h"
#include "isa/vc4_qpu/lint.h"

#define MEMORY_BYTES (1u << 20)

/* Seven rows in and out: good for a coordinate program, and for a vertex program with four varyings. */
enum { ROWS = 7, VARYINGS = 4 };

struct scene {
    const char *fs, *vs;
    uint32_t uniforms[8];
    uint32_t fs_uniforms_at; /* 0: where `uniforms` stand */
    uint32_t flags, primitive, varyings, attribute_bytes;
    float point_size;
    bool user; /* the fragment program is queued as a user program instead */
    bool nv;   /* pre-shaded vertices: the record has no vertex programs */
};

#define FS(text)                                                                                             \
    text "mov r0, vary\nmov r0, vary\nmov r0, vary\nmov r0, vary\nmov tlb_color, r0\n"                       \
         "nop ; thrend\nnop\nnop ; sbdone\n"

static const struct scene good = {.fs = FS(""),
                                  .flags = 1,
                                  .primitive = 4,
                                  .varyings = VARYINGS,
                                  .attribute_bytes = ROWS * 4,
                                  .point_size = 1};

static void put(uint8_t **at, uint32_t value, unsigned bytes)
{
    memcpy(*at, &value, bytes);
    *at += bytes;
}

/* Writes the guest's memory; returns the binning list's address and its end. */
static uint32_t write_guest(const struct scene *s, uint32_t *end, uint32_t *fs)
{
    guest_top = 4096;
    memset(guest_memory.base, 0, guest_memory.size);
    uint32_t uniforms = guest_copy(s->uniforms, sizeof s->uniforms, 16);
    uint32_t vs = s->vs ? guest_program(s->vs) : guest_copy_program(ROWS);
    *fs = guest_program(s->fs);
    struct guest_shader shader = {.flags = s->flags,
                                  .varyings = s->varyings,
                                  .fs = *fs,
                                  .fs_uniforms = s->fs_uniforms_at ? s->fs_uniforms_at : uniforms,
                                  .vs = vs,
                                  .cs = vs,
                                  .attribute_count = 1,
                                  .attribute = {{.bytes = s->attribute_bytes, .stride = 32}}};
    uint32_t record = guest_shader_record(&shader);
    uint8_t *sizes = guest_memory.base + record;
    sizes[15] = sizes[27] = (uint8_t)s->attribute_bytes;
    uint32_t point_size = util_f2u(s->point_size);
    uint8_t list[64], *at = list;
    /* Guide table 46: flags, stride, uniforms, varyings, program, uniforms, vertices */
    const uint32_t nv[] = {s->flags | 32u << 8 | s->varyings << 24, *fs, shader.fs_uniforms, uniforms};
    put(&at, s->nv ? VC4_CL_NV_SHADER_STATE : VC4_CL_GL_SHADER_STATE, 1);
    put(&at, s->nv ? guest_copy(nv, sizeof nv, 16) : record | 1, 4);
    put(&at, VC4_CL_POINT_SIZE, 1);
    put(&at, point_size, 4);
    put(&at, VC4_CL_ARRAY_PRIMITIVES, 1);
    put(&at, s->primitive, 1);
    put(&at, 3, 4);
    put(&at, 0, 4);
    put(&at, VC4_CL_FLUSH, 1);
    uint32_t start = guest_copy(list, (uint32_t)(at - list), 16);
    *end = start + (uint32_t)(at - list);
    return start;
}

struct found {
    unsigned count;
    struct gpu_lint_finding finding[16];
    struct gpu_lint_summary summary;
};

static void keep(void *data, const struct gpu_lint_finding *finding)
{
    struct found *found = data;
    if (found->count < UTIL_ARRAY_SIZE(found->finding))
        found->finding[found->count] = *finding;
    found->count++;
}

static struct found lint(const struct scene *s)
{
    char path[] = "/tmp/vitrail-lint-XXXXXX";
    struct capture_writer *writer;
    struct capture_reader *reader;
    struct util_error error = {0};
    struct found found = {0};
    uint32_t end, fs, start = write_guest(s, &end, &fs);
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    assert_int_equal(capture_writer_create(path, "vc4", "lint", MEMORY_BYTES, &writer, &error), 0);
    assert_int_equal(capture_write_range(writer, &guest_memory, 0, MEMORY_BYTES), 0);
    for (unsigned twice = 0; twice < 2; twice++) {
        if (s->user) {
            capture_write_register(writer, VC4_SRQPC, fs, false);
            continue;
        }
        capture_write_register(writer, VC4_CT0CA, start, false);
        capture_write_register(writer, VC4_CT0EA, end, false);
    }
    assert_int_equal(capture_writer_close(writer), 0);
    assert_int_equal(capture_reader_open(path, &reader, &error), 0);
    assert_int_equal(gpu_lint_capture(&vc4_linter, reader, keep, &found, &found.summary, &error), 0);
    capture_reader_close(reader);
    unlink(path);
    return found;
}

static const char *place(enum vc4_qpu_stage stage)
{
    static char name[32];
    snprintf(name, sizeof name, "%s program", vc4_qpu_stage_name(stage));
    return stage ? name : "record";
}

/* The one finding of a scene. */
static void finds(const struct scene *s, enum vc4_qpu_lint_rule rule, enum vc4_qpu_stage stage, uint32_t pc)
{
    struct found found = lint(s);
    const struct gpu_lint_finding *f = &found.finding[0];
    const char *name = vc4_qpu_lint_rule(rule)->name;
    if (found.count != 1 || f->rule != vc4_qpu_lint_rule(rule) || strcmp(f->place, place(stage)) ||
        f->pc != pc)
        fail_msg("%u findings, first %s in %s at %u; expected %s in %s at %u", found.count,
                 found.count ? f->rule->name : "none", found.count ? f->place : "", f->pc, name, place(stage),
                 pc);
    assert_int_equal(f->job, 1); /* the second job says nothing new */
}

static void finds_nothing(const struct scene *s)
{
    struct found found = lint(s);
    if (found.count)
        fail_msg("%s at %u", found.finding[0].rule->name, found.finding[0].pc);
}

static void good_draws(void **state)
{
    struct found found = lint(&good);
    assert_int_equal(found.count, 0);
    assert_int_equal(found.summary.jobs, 2);
    assert_int_equal(found.summary.draws, 2);
    assert_int_equal(found.summary.programs, 2);
}

static void varyings(void **state)
{
    struct scene s = good;
    uint32_t last = 7;
    s.primitive = 0; /* points: two more are set up */
    finds(&s, VC4_QPU_LINT_VARYINGS_LEFT, VC4_QPU_STAGE_FRAGMENT, last);
    s.primitive = 1; /* lines: one more */
    finds(&s, VC4_QPU_LINT_VARYINGS_LEFT, VC4_QPU_STAGE_FRAGMENT, last);
    s.fs = FS("mov -, vary\n");
    finds_nothing(&s);
    s.primitive = 4;
    finds(&s, VC4_QPU_LINT_VARYINGS_EXCESS, VC4_QPU_STAGE_FRAGMENT, last + 1);
}

static void pre_shaded(void **state)
{
    struct scene s = good;
    s.nv = true;
    s.vs = "mov vpm, r0\nnop ; thrend\nnop\nnop\n"; /* not looked at */
    struct found found = lint(&s);
    assert_int_equal(found.count, 0);
    assert_int_equal(found.summary.programs, 1);
    s.varyings = 3;
    finds(&s, VC4_QPU_LINT_VARYINGS_EXCESS, VC4_QPU_STAGE_FRAGMENT, 7);
}

static void rows(void **state)
{
    struct scene s = good;
    s.attribute_bytes = 24;
    struct found found = lint(&s); /* vertex and coordinate program, one program in two roles */
    assert_int_equal(found.count, 2);
    assert_ptr_equal(found.finding[0].rule, vc4_qpu_lint_rule(VC4_QPU_LINT_ROWS_IN));
    assert_string_equal(found.finding[0].place, "vertex program");
    assert_string_equal(found.finding[1].place, "coordinate program");
    s = good;
    s.varyings = 5;
    s.fs = FS("mov -, vary\n");
    finds(&s, VC4_QPU_LINT_ROWS_OUT, VC4_QPU_STAGE_VERTEX, 14);
}

static void threads(void **state)
{
    struct scene s = good;
    s.fs = FS("mov ra16, 1\n");
    finds_nothing(&s);
    s.flags = 0;
    finds(&s, VC4_QPU_LINT_THREADABLE, VC4_QPU_STAGE_FRAGMENT, 0);
}

static void uniforms(void **state)
{
    struct scene s = good;
    s.fs = FS("mov r1, unif\nmov r1, unif\n");
    finds_nothing(&s);
    s.fs_uniforms_at = MEMORY_BYTES - 8;
    finds_nothing(&s);
    s.fs_uniforms_at = MEMORY_BYTES - 4;
    finds(&s, VC4_QPU_LINT_UNIFORMS_OUTSIDE, VC4_QPU_STAGE_FRAGMENT, 0);
}

#define TEXEL "mov tmu0_r, 0\nmov tmu0_t, 0\nmov tmu0_s, 0\nnop ; ldtmu0\n"

static void textures(void **state)
{
    struct scene s = good;
    s.fs = FS(TEXEL);
    s.uniforms[0] = 0x10000;
    s.uniforms[1] = 48 << 20 | 48 << 8; /* RGBA8888: tiled, any width */
    finds_nothing(&s);
    s.uniforms[1] = 1u << 31 | 48 << 20 | 64 << 8; /* type 16, RGBA32R */
    finds_nothing(&s);
    s.uniforms[1] = 1u << 31 | 64 << 20 | 48 << 8;
    finds(&s, VC4_QPU_LINT_RASTER_NPOT, VC4_QPU_STAGE_FRAGMENT, 2);
    s.uniforms[0] |= 1 << 4; /* type 17, YUYV422R */
    finds(&s, VC4_QPU_LINT_RASTER_NPOT, VC4_QPU_STAGE_FRAGMENT, 2);

    s.uniforms[1] = 64 << 20 | 64 << 8;
    s.uniforms[2] = 2u << 30 | 2047 << 12 | 2047;
    finds_nothing(&s);
    s.uniforms[2] = 2u << 30 | 2047 << 12 | 0;
    finds(&s, VC4_QPU_LINT_CHILD_IMAGE_2048, VC4_QPU_STAGE_FRAGMENT, 2);
    s.uniforms[2] = 2u << 30 | 0 << 12 | 16;
    finds(&s, VC4_QPU_LINT_CHILD_IMAGE_2048, VC4_QPU_STAGE_FRAGMENT, 2);
}

static void stencil(void **state)
{
    struct scene s = good;
    s.fs = FS("nop\nnop\nmov tlb_stencil, unif\n");
    s.uniforms[0] = 3u << 30;
    finds_nothing(&s);
    s.uniforms[0] = 1u << 30;
    finds(&s, VC4_QPU_LINT_STENCIL_FACING, VC4_QPU_STAGE_FRAGMENT, 2);
}

static void point_sizes(void **state)
{
    struct scene s = good;
    s.primitive = 0;
    s.fs = FS("mov -, vary\nmov -, vary\n");
    s.point_size = 0.125f;
    finds_nothing(&s);
    s.point_size = 0.1f;
    finds(&s, VC4_QPU_LINT_POINT_SIZE_ZERO, VC4_QPU_STAGE_UNKNOWN, UINT32_MAX);
    s.primitive = 4;
    s.fs = good.fs;
    finds_nothing(&s);
}

static void user_programs(void **state)
{
    struct scene s = good;
    s.user = true;
    s.fs = "mov -, mutex\nmov mutex, 1\nnop ; thrend\nnop\nnop\n";
    finds_nothing(&s);
    s.fs = "mov -, mutex\nnop ; thrend\nnop\nnop\n";
    finds(&s, VC4_QPU_LINT_MUTEX_LEFT, VC4_QPU_STAGE_USER, 3);
}

/* What the stock driver makes is right, but for one habit: it reads the VPM at once. */
static void the_driver(void **state)
{
    static const char *const names[] = {"features",       "features-samples", "demo",
                                        "desktop-shadow", "shadow",           "gltest"};
    uint64_t programs = 0;
    for (size_t i = 0; i < UTIL_ARRAY_SIZE(names); i++) {
        char path[256];
        struct capture_reader *reader;
        struct found found = {0};
        snprintf(path, sizeof path, SOURCE_DIR "/tests/captures/%s.vtc", names[i]);
        assert_int_equal(capture_reader_open(path, &reader, NULL), 0);
        assert_int_equal(gpu_lint_capture(&vc4_linter, reader, keep, &found, &found.summary, NULL), 0);
        capture_reader_close(reader);
        for (unsigned k = 0; k < UTIL_MIN(found.count, 16u); k++)
            if (found.finding[k].rule != vc4_qpu_lint_rule(VC4_QPU_LINT_VPM_READ_EARLY))
                fail_msg("%s: job %u, %s pc %u: %s", names[i], (unsigned)found.finding[k].job,
                         found.finding[k].place, found.finding[k].pc, found.finding[k].rule->name);
        assert_true(found.count <= 16);
        programs += found.summary.programs;
    }
    assert_true(programs > 80);
}

static int open_memory(void **state)
{
    return gpu_memory_create(MEMORY_BYTES, &guest_memory);
}

static int close_memory(void **state)
{
    gpu_memory_destroy(&guest_memory);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(good_draws),    cmocka_unit_test(varyings),   cmocka_unit_test(pre_shaded),
        cmocka_unit_test(rows),          cmocka_unit_test(threads),    cmocka_unit_test(uniforms),
        cmocka_unit_test(textures),      cmocka_unit_test(stencil),    cmocka_unit_test(point_sizes),
        cmocka_unit_test(user_programs), cmocka_unit_test(the_driver),
    };
    return cmocka_run_group_tests(tests, open_memory, close_memory);
}
