/* The vc4 driver's ioctls: what is accepted runs on the device, what is not is refused with the kernel's
 * errno (vc4_validate.c, vc4_validate_shaders.c, vc4_render_cl.c, vc4_bo.c). */
#include "tests/drm/card.h"

#define RED   0xff0000ffu
#define GREEN 0xff00ff00u
#define SIDE  64u /* pixels of the small target: one tile */

/* ---- shaders ---- */

#define END "nop ; thrend\nnop\nnop\n"

static void test_shader_rules(void **state)
{
    static const struct {
        const char *text;
        int result;
    } cases[] = {
        {"mov tlb_color, unif\n" END, 0},
        {"nop\nnop\n", -EINVAL},             /* no end */
        {"nop ; thrend\nnop\n", -EINVAL},    /* no room for the delay slots */
        {"mov host_int, r0\n" END, -EINVAL}, /* registers programs may not use */
        {"mov tmu_noswap, r0\n" END, -EINVAL},
        {"mov tlb_alpha_mask, r0\n" END, -EINVAL},
        {"mov vr_addr, r0\n" END, -EINVAL}, /* VPM DMA */
        {"mov vw_addr, r0\n" END, -EINVAL},
        {"ldi vr_setup, 0x1a00\n" END, 0}, /* but its set-up is harmless */
        {"mov tmu0_t, r0\nmov tmu0_s, r1\nnop ; ldtmu0\n" END, 0},
        {"mov tmu0_s, r1\nnop ; ldtmu0\n" END, -EINVAL},       /* direct, but no add */
        {"add tmu0_s, r0, unif\nnop ; ldtmu0\n" END, -EINVAL}, /* offset not clamped */
        {"max r0, r1, 0\nnop\nmin r0, r0, unif\nadd tmu0_s, r0, unif\nnop ; ldtmu0\n" END, 0},
        {"max r0, r1, 1\nnop\nmin r0, r0, unif\nadd tmu0_s, r0, unif\nnop ; ldtmu0\n" END, -EINVAL},
        {"min r0, r0, unif\nadd tmu0_s, r0, unif\nnop ; ldtmu0\n" END, -EINVAL},
        {"max r0, r1, 0\nnop\nmin r0, r0, unif\nmov r0, r2\nadd tmu0_s, r0, unif\nnop ; ldtmu0\n" END,
         -EINVAL},
        {"mov tmu0_t, unif\nmov tmu0_s, r1\n" END, -EINVAL}, /* uniform read with a set-up */
        {"mov tmu0_t, r0\nmov tmu0_t, r0\nmov tmu0_t, r0\nmov tmu0_t, r0\nmov tmu0_s, r0\n" END, -EINVAL},
        {"mov unif_addr, unif\n" END, -EINVAL}, /* not an add of an immediate */
        {"ldi r0, 4\nnop\nadd unif_addr, r0, unif\n" END, 0},
        {"ldi r0, 8\nnop\nadd unif_addr, r0, unif\n" END, -EINVAL}, /* skips a uniform */
        {"nop ; thrsw\nnop ; thrsw\nnop\nnop\nnop\n" END, -EINVAL}, /* too soon */
        {"mov ra16, r0 ; thrsw\nnop\nnop\n" END, -EINVAL},          /* upper registers, threaded */
        {"mov ra15, r0 ; thrsw\nnop\nnop\n" END, 0},
        {"l:\nnop\nbrr l\nnop\nnop\nnop\n" END, 0},
        {"brr .+0x4000\nnop\nnop\nnop\n" END, -EINVAL},               /* leaves the program */
        {"brr .+36\nnop\nnop\nnop\nnop\n" END, -EINVAL},              /* not aligned */
        {"brr .+40+ra5\nnop\nnop\nnop\nnop\n" END, -EINVAL},          /* relative to a register */
        {"brr l\nnop\nbrr l\nnop\nnop\nnop\nl:\nnop\n" END, -EINVAL}, /* in another's delay slots */
        {"brr l\nnop\nnop\nnop\nl:\nmov r0, unif\n" END, -EINVAL},    /* uniform without its address */
        {"brr l\nnop\nnop\nnop\nl:\nldi r0, 4\nnop\nadd unif_addr, r0, unif\nmov r0, unif\n" END, 0},
    };
    struct card card;
    card_open(&card, 32 << 20, NULL);
    for (size_t i = 0; i < UTIL_ARRAY_SIZE(cases); i++) {
        uint32_t handle;
        int r = card_shader(&card, cases[i].text, &handle);
        if (r != cases[i].result)
            fail_msg("case %zu: %d instead of %d (%s)\n%s", i, r, cases[i].result, card.text, cases[i].text);
    }
    uint64_t words[3] = {0};
    struct drm_vc4_create_shader_bo create = {.size = 12, .data = (uintptr_t)words};
    assert_int_equal(CALL(card.file, DRM_IOCTL_VC4_CREATE_SHADER_BO, &create), -EINVAL);
    create.size = 0;
    assert_int_equal(CALL(card.file, DRM_IOCTL_VC4_CREATE_SHADER_BO, &create), -EINVAL);
    create.size = 24; /* breakpoints */
    assert_int_equal(CALL(card.file, DRM_IOCTL_VC4_CREATE_SHADER_BO, &create), -EINVAL);
    create.data = 0;
    assert_int_equal(CALL(card.file, DRM_IOCTL_VC4_CREATE_SHADER_BO, &create), -EFAULT);
    card_close(&card);
}

/* ---- a job: one triangle into one tile ---- */

struct job {
    struct card *card;
    struct drm_vc4_submit_cl submit;
    uint8_t list[256], records[256], uniforms[256];
    uint32_t handles[8]; /* 0 target, 1 fs, 2 vs, 3 cs, 4 vertices, 5 indices */
    uint64_t target, vertices, indices;
};

static void put8(struct job *j, uint32_t v)
{
    j->list[j->submit.bin_cl_size++] = (uint8_t)v;
}

static void put16(struct job *j, uint32_t v)
{
    put8(j, v & 255);
    put8(j, v >> 8 & 255);
}

static void put32(struct job *j, uint32_t v)
{
    put16(j, v & 0xffff);
    put16(j, v >> 16);
}

static void put_float(struct job *j, float v)
{
    put32(j, util_f2u(v));
}

/* Everything up to the draw. */
static void begin_list(struct job *j)
{
    put8(j, 112); /* tile binning configuration: addresses are the kernel's */
    put32(j, 0), put32(j, 0), put32(j, 0);
    put8(j, 1), put8(j, 1), put8(j, 0);
    put8(j, 6);
    put8(j, 56), put8(j, 0x12); /* 16-bit indices, triangles */
    put8(j, 102), put16(j, 0), put16(j, 0), put16(j, SIDE), put16(j, SIDE);
    put8(j, 96), put8(j, 3), put8(j, 7 << 4), put8(j, 0); /* both faces, depth test always */
    put8(j, 103), put16(j, SIDE / 2 << 4), put16(j, SIDE / 2 << 4);
    put8(j, 105), put_float(j, SIDE / 2 * 16.0f), put_float(j, SIDE / 2 * 16.0f);
    put8(j, 106), put_float(j, 0.5f), put_float(j, 0.5f);
    put8(j, 64), put32(j, 2); /* shader state with two attributes */
}

static void put_triangles(struct job *j, uint32_t vertices)
{
    put8(j, 33), put8(j, 4), put32(j, vertices), put32(j, 0);
}

static void end_list(struct job *j)
{
    put8(j, 7);
    put8(j, 4);
}

/* A shader record of 52 bytes behind its five handle indices. */
static void put_record(struct job *j)
{
    const uint32_t indices[5] = {1, 2, 3, 4, 4};
    uint8_t *r = j->records + sizeof indices;
    memcpy(j->records, indices, sizeof indices);
    memset(r, 0, 52);
    r[0] = 1 | 4; /* single-threaded fragment program, clipping */
    r[14] = 2;    /* vertex program: attribute 1, 12 bytes */
    r[15] = 12;
    r[26] = 1; /* coordinate program: attribute 0, 28 bytes */
    r[27] = 28;
    r[36 + 4] = 27, r[36 + 5] = 40; /* attribute 0: 28 bytes of each 40 */
    util_store32(r + 44, 28);
    r[44 + 4] = 11, r[44 + 5] = 40; /* attribute 1: the 12 that follow */
    j->submit.shader_rec_size = sizeof indices + 52;
    j->submit.shader_rec_count = 1;
}

/* Vertices as both programs pass them on: Xc Yc Zc Wc, Ys<<16|Xs, Zs, 1/Wc; then the last three again. */
static void put_vertex(struct job *j, unsigned n, float x, float y)
{
    uint32_t screen =
        (uint32_t)(uint16_t)(int)(x * SIDE / 2 * 16) | (uint32_t)(uint16_t)(int)(y * SIDE / 2 * 16) << 16;
    const uint32_t words[10] = {util_f2u(x),    util_f2u(y),    util_f2u(0), util_f2u(1),    screen,
                                util_f2u(0.5f), util_f2u(1.0f), screen,      util_f2u(0.5f), util_f2u(1.0f)};
    memcpy(gpu_memory_at(&j->card->memory, j->vertices + n * 40, 40), words, 40);
}

static void begin_job(struct job *j, struct card *card)
{
    static const char copy7[] =
        "ldi vr_setup, 0x701a00\nldi vw_setup, 0x1a00\nmov vpm, vpm\nmov vpm, vpm\nmov vpm, "
        "vpm\nmov vpm, vpm\nmov vpm, vpm\nmov vpm, vpm\nmov vpm, vpm\n" END;
    static const char copy3[] =
        "ldi vr_setup, 0x301a00\nldi vw_setup, 0x1a00\nmov vpm, vpm\nmov vpm, vpm\nmov vpm, vpm\n" END;
    memset(j, 0, sizeof *j);
    j->card = card;
    j->handles[0] = card_buffer(card, SIDE * SIDE * 4, &j->target);
    assert_int_equal(card_shader(card, "mov tlb_color, unif\n" END, &j->handles[1]), 0);
    assert_int_equal(card_shader(card, copy3, &j->handles[2]), 0);
    assert_int_equal(card_shader(card, copy7, &j->handles[3]), 0);
    j->handles[4] = card_buffer(card, 4096, &j->vertices);
    j->handles[5] = card_buffer(card, 4096, &j->indices);
    put_vertex(j, 0, -0.75f, -0.75f);
    put_vertex(j, 1, 0.75f, -0.75f);
    put_vertex(j, 2, -0.75f, 0.75f);
    struct drm_vc4_submit_cl *s = &j->submit;
    const struct drm_vc4_submit_rcl_surface none = {.hindex = UINT32_MAX};
    s->color_read = s->zs_read = s->zs_write = s->msaa_color_write = s->msaa_zs_write = none;
    s->color_write = (struct drm_vc4_submit_rcl_surface){.hindex = 0, .bits = 1 << 2}; /* RGBA8888, linear */
    s->bin_cl = (uintptr_t)j->list;
    s->shader_rec = (uintptr_t)j->records;
    s->uniforms = (uintptr_t)j->uniforms;
    s->bo_handles = (uintptr_t)j->handles;
    s->bo_handle_count = 6;
    s->width = s->height = SIDE;
    s->clear_color[0] = s->clear_color[1] = GREEN;
    s->clear_z = 0xffffff;
    s->flags = VC4_SUBMIT_CL_USE_CLEAR_COLOR;
}

static void begin_triangle(struct job *j, struct card *card)
{
    begin_job(j, card);
    begin_list(j);
    put_record(j);
    util_store32(j->uniforms, RED);
    j->submit.uniforms_size = 4;
}

static int submit(struct job *j)
{
    return CALL(j->card->file, DRM_IOCTL_VC4_SUBMIT_CL, &j->submit);
}

static uint32_t pixel(const struct job *j, uint32_t x, uint32_t y)
{
    return util_load32(gpu_memory_at(&j->card->memory, j->target + (y * SIDE + x) * 4, 4));
}

static void test_clear(void **state)
{
    struct card card;
    struct job j;
    card_open(&card, 64 << 20, NULL);
    begin_job(&j, &card);
    assert_int_equal(submit(&j), 0);
    assert_int_equal(j.submit.seqno, 1);
    assert_int_equal(pixel(&j, 0, 0), GREEN);
    assert_int_equal(pixel(&j, SIDE - 1, SIDE - 1), GREEN);
    struct drm_vc4_wait_seqno wait = {.seqno = 1};
    assert_int_equal(CALL(card.file, DRM_IOCTL_VC4_WAIT_SEQNO, &wait), 0);
    wait.seqno = 2;
    assert_int_equal(CALL(card.file, DRM_IOCTL_VC4_WAIT_SEQNO, &wait), -ETIME);
    struct drm_vc4_wait_bo wait_bo = {.handle = j.handles[0], .timeout_ns = 1};
    assert_int_equal(CALL(card.file, DRM_IOCTL_VC4_WAIT_BO, &wait_bo), 0);
    wait_bo.pad = 1;
    assert_int_equal(CALL(card.file, DRM_IOCTL_VC4_WAIT_BO, &wait_bo), -EINVAL);
    assert_int_equal(submit(&j), 0);
    assert_int_equal(j.submit.seqno, 2);
    assert_int_equal(card.faults, 0);
    card_close(&card);
}

/* What was refused counts for nothing, nor what every driver answers. */
static void test_use(void **state)
{
    struct card card;
    struct job j;
    struct drm_file *other;
    card_open(&card, 64 << 20, NULL);
    struct drm_mode_create_dumb dumb = {.width = 64, .height = 64, .bpp = 32};
    struct drm_version version = {0};
    assert_int_equal(drm_open(card.drm, DRM_MINOR_CARD, &other), 0);
    assert_int_equal(CALL(other, DRM_IOCTL_VERSION, &version), 0);
    assert_int_equal(CALL(other, DRM_IOCTL_MODE_CREATE_DUMB, &dumb), 0);
    struct drm_vc4_get_param param = {.param = 99};
    assert_int_equal(CALL(other, DRM_IOCTL_VC4_GET_PARAM, &param), -EINVAL);
    struct drm_use use = drm_used(card.drm);
    assert_true(use.files == 2 && !use.driver && !use.jobs);
    param.param = DRM_VC4_PARAM_V3D_IDENT0;
    assert_int_equal(CALL(other, DRM_IOCTL_VC4_GET_PARAM, &param), 0);
    assert_int_equal(drm_used(card.drm).driver, 1);
    drm_close(other);
    begin_job(&j, &card);
    j.submit.bo_handle_count = 0;
    assert_int_not_equal(submit(&j), 0);
    assert_int_equal(drm_used(card.drm).jobs, 0);
    j.submit.bo_handle_count = 6;
    assert_int_equal(submit(&j), 0);
    use = drm_used(card.drm);
    assert_true(use.files == 2 && use.driver > 1 && use.jobs == 1);
    card_close(&card);
}

static void test_triangle(void **state)
{
    struct card card;
    struct job j;
    card_open(&card, 64 << 20, NULL);
    begin_triangle(&j, &card);
    put_triangles(&j, 3);
    end_list(&j);
    if (submit(&j) || card.faults)
        fail_msg("%s", card.text);
    assert_int_equal(pixel(&j, SIDE / 4, SIDE / 4), RED);
    assert_int_equal(pixel(&j, SIDE * 3 / 4, SIDE * 3 / 4), GREEN);
    assert_int_equal(pixel(&j, 0, 0), GREEN);
    card_close(&card);
}

static void put_indexed(struct job *j, uint32_t buffer, uint32_t offset, uint32_t count, uint32_t max)
{
    put8(j, 254), put32(j, buffer), put32(j, 0);
    put8(j, 32), put8(j, 0x14), put32(j, count), put32(j, offset), put32(j, max);
}

static void test_indexed(void **state)
{
    static const struct {
        uint32_t buffer, offset, count, max;
        int result;
    } cases[] = {
        {5, 2, 3, 2, 0},
        {5, 4096, 0, 2, 0},
        {5, 4090, 4, 2, -EINVAL}, /* indices outside their buffer */
        {5, 0xffffffff, 3, 2, -EINVAL},
        {5, 0, 0x80000000, 2, -EINVAL}, /* 2^32 bytes of them */
        {1, 0, 3, 2, -EINVAL},          /* a program is no index buffer */
        {9, 0, 3, 2, -EINVAL},          /* no such buffer */
        {5, 2, 3, 200, -EINVAL},        /* vertices outside theirs */
    };
    struct card card;
    card_open(&card, 64 << 20, NULL);
    for (size_t i = 0; i < UTIL_ARRAY_SIZE(cases); i++) {
        struct job j;
        begin_triangle(&j, &card);
        const uint16_t indices[4] = {7, 0, 1, 2};
        memcpy(gpu_memory_at(&card.memory, j.indices, 8), indices, 8);
        put_indexed(&j, cases[i].buffer, cases[i].offset, cases[i].count, cases[i].max);
        end_list(&j);
        int r = submit(&j);
        if (r != cases[i].result)
            fail_msg("case %zu: %d instead of %d: %s", i, r, cases[i].result, card.text);
        if (i == 0)
            assert_int_equal(pixel(&j, SIDE / 4, SIDE / 4), RED);
    }
    assert_int_equal(card.faults, 0);
    card_close(&card);
}

/* Each case breaks one thing of a triangle that is otherwise good. */
static void break_job(struct job *j, int what)
{
    struct drm_vc4_submit_cl *s = &j->submit;
    switch (what) {
    case 0: s->flags |= 1 << 9; break;
    case 1: s->pad2 = 1; break;
    case 2: s->bo_handle_count = 0; break;
    case 3: j->handles[5] = 1000; break;
    case 4: s->color_write.hindex = 1; break;          /* a program as target */
    case 5: s->color_write.hindex = 6; break;          /* no such buffer */
    case 6: s->color_write.hindex = UINT32_MAX; break; /* nothing to store */
    case 7: s->color_write.bits = 3 << 2; break;       /* no such format */
    case 8: s->color_write.bits |= 1 << 12; break;     /* unknown bit */
    case 9: s->color_write.flags = 1; break;
    case 10: s->color_write.offset = 16; break; /* leaves the buffer */
    case 11: s->width = 65; break;
    case 12: s->min_x_tile = 1; break; /* none: 1..0 */
    case 13: s->max_x_tile = 2; break; /* not binned */
    case 14: s->zs_write = (struct drm_vc4_submit_rcl_surface){.hindex = 0, .bits = 2, .offset = 8}; break;
    case 15: s->zs_write = (struct drm_vc4_submit_rcl_surface){.hindex = 0, .bits = 0}; break;
    case 16: s->zs_write = (struct drm_vc4_submit_rcl_surface){.hindex = 0, .bits = 0x102}; break;
    case 17: s->msaa_color_write = (struct drm_vc4_submit_rcl_surface){.hindex = 0, .bits = 1}; break;
    case 18: s->msaa_color_write = (struct drm_vc4_submit_rcl_surface){.hindex = 0, .offset = 4}; break;
    case 19: s->shader_rec_count = 0; break; /* more states than declared */
    case 20: s->shader_rec_size -= 4; break;
    case 21: s->uniforms_size = 0; break;
    case 22: util_store32(j->records, 4); break;              /* data as a program */
    case 23: util_store32(j->records + 12, 1); break;         /* a program as attribute */
    case 24: util_store32(j->records + 20 + 4, 8); break;     /* program not at 0 */
    case 25: j->records[20] &= (uint8_t)~1; break;            /* threaded, says the record */
    case 26: util_store32(j->records + 20 + 36, 4090); break; /* attribute leaves its buffer */
    case 27: j->records[20 + 36 + 5] = 255, util_store32(j->records + 20 + 36, 4000); break;
    case 28: j->list[13] = 0; break;                  /* no tiles */
    case 29: j->list[15] = 2; break;                  /* 64-bit tile buffer */
    case 30: j->list[13] = j->list[14] = 255; break;  /* too many tiles */
    case 31: j->list[16] = 1; break;                  /* no start */
    case 32: j->list[s->bin_cl_size - 2] = 1; break;  /* no semaphore */
    case 33: j->list[s->bin_cl_size - 1] = 1; break;  /* no flush */
    case 34: j->list[s->bin_cl_size - 3] = 4; break;  /* flush in the middle */
    case 35: j->list[s->bin_cl_size - 2] = 17; break; /* a branch */
    case 36: j->list[s->bin_cl_size - 1] = 33; break; /* cut off */
    case 37: s->bin_cl = 0; break;
    case 38: s->bo_handles = 0; break;
    case 39: s->in_sync = 77; break;
    case 40: s->out_sync = 77; break;
    case 41: s->perfmonid = 77; break;
    case 42: s->bin_cl_size = 0x7fffffff; break;
    case 43: s->shader_rec_count = 0xffffffff; break;
    default: break;
    }
}

static void test_refused_jobs(void **state)
{
    static const struct {
        int what, result;
    } others[] = {{37, -EFAULT}, {38, -EFAULT}, {39, -ENOENT}, {41, -ENOENT}};
    struct card card;
    card_open(&card, 64 << 20, NULL);
    for (int what = 0; what <= 44; what++) {
        struct job j;
        begin_triangle(&j, &card);
        put8(&j, 1); /* a no-op to be broken */
        put_triangles(&j, 3);
        put8(&j, 1);
        end_list(&j);
        break_job(&j, what);
        int expected = what == 44 ? 0 : -EINVAL, r = submit(&j);
        for (size_t i = 0; i < UTIL_ARRAY_SIZE(others); i++)
            expected = others[i].what == what ? others[i].result : expected;
        if (r != expected)
            fail_msg("case %d: %d instead of %d (%s)", what, r, expected, card.text);
        assert_int_equal(j.submit.seqno, what == 44); /* what is refused has no number */
    }
    assert_int_equal(card.faults, 0);
    card_close(&card);
}

/* Lists that outgrow their slot of 512 KiB: the device asks for more, and gets it. */
static void test_tile_memory_grows(void **state)
{
    struct card card;
    struct job j;
    card_open(&card, 64 << 20, NULL);
    for (unsigned round = 0; round < 2; round++) {
        begin_triangle(&j, &card);
        struct drm_vc4_create_bo create = {.size = 1200000};
        assert_int_equal(CALL(card.file, DRM_IOCTL_VC4_CREATE_BO, &create), 0);
        struct drm_vc4_mmap_bo map = {.handle = create.handle};
        assert_int_equal(CALL(card.file, DRM_IOCTL_VC4_MMAP_BO, &map), 0);
        uint16_t *indices = (uint16_t *)gpu_memory_at(&card.memory, map.offset, 1200000);
        for (unsigned i = 0; i < 600000; i++) /* after the first, specks of one pixel */
            indices[i] =
                (uint16_t)(i < 3 ? i : 3 + i % 3 + (i / 3 & 1) * 57); /* far apart: not a byte each */
        for (unsigned n = 3; n < 63; n++)
            put_vertex(&j, n, n % 3 == 1 ? 0.05f : 0, n % 3 == 2 ? 0.05f : 0);
        j.handles[5] = create.handle;
        put_indexed(&j, 5, 0, 600000, 62);
        end_list(&j);
        if (submit(&j) || card.faults)
            fail_msg("%s", card.text);
        assert_int_equal(pixel(&j, SIDE / 4, SIDE / 4), RED);
        struct drm_gem_close close = {.handle = create.handle};
        assert_int_equal(CALL(card.file, DRM_IOCTL_GEM_CLOSE, &close), 0);
    }
    struct gpu_counters counters = vc4_device_host(card.gpu)->counters;
    assert_true(counters.bytes_tile_lists > 2 * (512u << 10)); /* else the test tests nothing */
    card_close(&card);
}

/* A program that never ends: the job does, with a fault, and the state of the hang can be asked for once. */
static void test_hang(void **state)
{
    struct card card;
    struct job j;
    struct drm_file *card_file;
    card_open(&card, 64 << 20, NULL);
    assert_int_equal(drm_open(card.drm, DRM_MINOR_CARD, &card_file), 0);
    struct drm_vc4_get_hang_state get = {0};
    assert_int_equal(CALL(card_file, DRM_IOCTL_VC4_GET_HANG_STATE, &get), -ENOENT);
    begin_triangle(&j, &card);
    assert_int_equal(
        card_shader(&card, "mov tlb_color, unif\nl:\nnop\nbrr l\nnop\nnop\nnop\n" END, &j.handles[1]), 0);
    j.submit.uniforms_size = 8; /* one more: a loop gets a slot for the stream's address */
    put_triangles(&j, 3);
    end_list(&j);
    assert_int_equal(submit(&j), 0);
    assert_int_equal(j.submit.seqno, 1);
    assert_true(card.faults >= 1);
    assert_int_equal(CALL(card.file, DRM_IOCTL_VC4_GET_HANG_STATE, &get), -EACCES); /* not for render nodes */
    assert_int_equal(CALL(card_file, DRM_IOCTL_VC4_GET_HANG_STATE, &get), 0);
    assert_int_equal(get.bo_count, 6);
    struct drm_vc4_get_hang_state_bo bo[6] = {0};
    get.bo = (uintptr_t)bo;
    assert_int_equal(CALL(card_file, DRM_IOCTL_VC4_GET_HANG_STATE, &get), 0);
    assert_int_equal(bo[0].paddr, j.target);
    assert_int_not_equal(bo[0].handle, 0);
    assert_int_equal(CALL(card_file, DRM_IOCTL_VC4_GET_HANG_STATE, &get), -ENOENT);
    unsigned faults = card.faults;
    begin_triangle(&j, &card); /* and the next job is as good as ever */
    put_triangles(&j, 3);
    end_list(&j);
    assert_int_equal(submit(&j), 0);
    assert_int_equal(card.faults, faults);
    assert_int_equal(pixel(&j, SIDE / 4, SIDE / 4), RED);
    card_close(&card);
}

/* ---- textures ---- */

/* A fragment program that samples once, with P0 and P1; its uniforms: texture index, P0, P1. */
static int submit_texture(struct card *card, uint32_t buffer_bytes, uint32_t p0, uint32_t p1,
                          uint64_t *address)
{
    struct job j;
    begin_triangle(&j, card);
    assert_int_equal(card_shader(card,
                                 "mov tmu0_t, r0\nmov tmu0_s, r0\nnop ; ldtmu0\nmov tlb_color, r4\n" END,
                                 &j.handles[1]),
                     0);
    j.handles[6] = card_buffer(card, buffer_bytes, address);
    j.submit.bo_handle_count = 7;
    const uint32_t stream[3] = {6, p0, p1};
    memcpy(j.uniforms, stream, sizeof stream);
    j.submit.uniforms_size = sizeof stream;
    put_triangles(&j, 3);
    end_list(&j);
    return submit(&j);
}

static void test_textures(void **state)
{
    const uint32_t p1_64x64 = 64u << 20 | 64u << 8;
    static const struct {
        uint32_t bytes, p0, width, height, type4;
        int result;
    } cases[] = {
        {16384, 0, 64, 64, 0, 0},
        {12288, 0, 64, 64, 0, -EINVAL}, /* too small */
        {16384, 0x1000, 64, 64, 0, -EINVAL},
        {20480, 0x1000, 64, 64, 0, 0},
        {20480, 0x1001, 64, 64, 0, 0}, /* one level below: 32x32, 4 KiB */
        {16384, 0x0001, 64, 64, 0, -EINVAL},
        {16384, 0x0050, 64, 64, 0, 0},       /* luminance: a quarter */
        {16384, 0x00c0, 64, 64, 0, -EINVAL}, /* BW1: not allowed */
        {16384, 0x0010, 64, 64, 1, -EINVAL}, /* YUV422R neither */
        {16384, 0x0000, 64, 64, 1, 0},       /* raster RGBA */
        {16384, 0x0000, 0, 0, 0, -EINVAL},   /* 2048x2048 */
        {16384, 0x0080, 128, 128, 0, 0},     /* ETC1: half a byte a texel */
        {16384, 0x0080, 256, 256, 0, -EINVAL},
        {16384, 0x0200, 16, 16, 0, -EINVAL}, /* cube without stride */
    };
    struct card card;
    card_open(&card, 96 << 20, NULL);
    for (size_t i = 0; i < UTIL_ARRAY_SIZE(cases); i++) {
        uint32_t p1 = cases[i].height << 20 | cases[i].width << 8 | cases[i].type4 << 31;
        int r = submit_texture(&card, cases[i].bytes, cases[i].p0, p1, NULL);
        if (r != cases[i].result)
            fail_msg("case %zu: %d instead of %d: %s", i, r, cases[i].result, card.text);
    }
    assert_int_equal(submit_texture(&card, 16384, 0, p1_64x64 | 0xf0, NULL), 0);
    card_close(&card);
}

/* ---- buffers ---- */

static void test_buffers(void **state)
{
    struct card card;
    uint64_t a, b;
    card_open(&card, 32 << 20, NULL);
    struct drm_vc4_create_bo create = {.size = 0};
    assert_int_equal(CALL(card.file, DRM_IOCTL_VC4_CREATE_BO, &create), -EINVAL);
    create.size = 0xffffffff;
    assert_int_equal(CALL(card.file, DRM_IOCTL_VC4_CREATE_BO, &create), -ENOMEM);
    uint32_t first = card_buffer(&card, 5000, &a);
    assert_int_not_equal(a, 0);
    assert_int_equal(a % 4096, 0);
    memset(gpu_memory_at(&card.memory, a, 8192), 0x5a, 8192);
    struct drm_gem_close close = {.handle = first};
    assert_int_equal(CALL(card.file, DRM_IOCTL_GEM_CLOSE, &close), 0);
    assert_int_equal(CALL(card.file, DRM_IOCTL_GEM_CLOSE, &close), -EINVAL);
    assert_int_equal(card_buffer(&card, 8192, &b), first); /* the lowest free number, the same place */
    assert_int_equal(a, b);
    for (unsigned i = 0; i < 8192; i++)
        assert_int_equal(*gpu_memory_at(&card.memory, b + i, 1), 0);
    assert_int_equal(drm_check_mmap(card.file, b, 8192, true), 0);
    assert_int_equal(drm_check_mmap(card.file, b + 4096, 8192, true), -EINVAL);
    assert_int_equal(drm_check_mmap(card.file, 0, 4096, false), -EINVAL);
    assert_int_equal(drm_check_mmap(card.file, b, UINT64_MAX, false), -EINVAL);
    uint32_t shader;
    assert_int_equal(card_shader(&card, END, &shader), 0);
    struct drm_vc4_mmap_bo map = {.handle = shader};
    assert_int_equal(CALL(card.file, DRM_IOCTL_VC4_MMAP_BO, &map), 0);
    assert_int_equal(drm_check_mmap(card.file, map.offset, 4096, false), 0);
    assert_int_equal(drm_check_mmap(card.file, map.offset, 4096, true), -EINVAL);
    map.handle = 999;
    assert_int_equal(CALL(card.file, DRM_IOCTL_VC4_MMAP_BO, &map), -EINVAL);
    card_close(&card);
}

static void test_tiling_label_param(void **state)
{
    struct card card;
    card_open(&card, 32 << 20, NULL);
    struct drm_vc4_get_tiling get = {0}; /* handle 0 must not be found, or Mesa turns tiling off */
    assert_int_equal(CALL(card.file, DRM_IOCTL_VC4_GET_TILING, &get), -ENOENT);
    uint32_t bo = card_buffer(&card, 4096, NULL);
    struct drm_vc4_set_tiling set = {.handle = bo, .modifier = DRM_FORMAT_MOD_BROADCOM_VC4_T_TILED};
    assert_int_equal(CALL(card.file, DRM_IOCTL_VC4_SET_TILING, &set), 0);
    get.handle = bo;
    assert_int_equal(CALL(card.file, DRM_IOCTL_VC4_GET_TILING, &get), 0);
    assert_true(get.modifier == DRM_FORMAT_MOD_BROADCOM_VC4_T_TILED);
    assert_int_equal(CALL(card.file, DRM_IOCTL_VC4_GET_TILING, &get), -EINVAL); /* modifier not 0 */
    set.modifier = 12345;
    assert_int_equal(CALL(card.file, DRM_IOCTL_VC4_SET_TILING, &set), -EINVAL);
    struct drm_vc4_label_bo label = {.handle = bo, .len = 3, .name = (uintptr_t)"abc"};
    assert_int_equal(CALL(card.file, DRM_IOCTL_VC4_LABEL_BO, &label), 0);
    label.len = 0;
    assert_int_equal(CALL(card.file, DRM_IOCTL_VC4_LABEL_BO, &label), -EINVAL);
    struct drm_vc4_get_param param = {.param = DRM_VC4_PARAM_V3D_IDENT0};
    assert_int_equal(CALL(card.file, DRM_IOCTL_VC4_GET_PARAM, &param), 0);
    assert_int_equal(param.value & 0xffffff, 'V' | '3' << 8 | 'D' << 16);
    for (param.param = DRM_VC4_PARAM_SUPPORTS_BRANCHES; param.param <= DRM_VC4_PARAM_SUPPORTS_PERFMON;
         param.param++) {
        assert_int_equal(CALL(card.file, DRM_IOCTL_VC4_GET_PARAM, &param), 0);
        assert_int_equal(param.value, 1);
    }
    param.param = 99;
    assert_int_equal(CALL(card.file, DRM_IOCTL_VC4_GET_PARAM, &param), -EINVAL);
    assert_int_equal(CALL(card.file, _IO(DRM_IOCTL_BASE, 0x7e), NULL), -EINVAL);
    assert_int_equal(CALL(card.file, _IO('x', 0), NULL), -ENOTTY);
    card_close(&card);
}

/* Buffers given up go when memory runs out, and only then; jobs may not use them meanwhile. */
static void test_madvise(void **state)
{
    struct card card;
    card_open(&card, 64 << 20, NULL);
    struct job j;
    begin_job(&j, &card);
    uint64_t address;
    uint32_t big = card_buffer(&card, 20 << 20, &address);
    struct drm_vc4_gem_madvise advise = {.handle = big, .madv = VC4_MADV_DONTNEED};
    assert_int_equal(CALL(card.file, DRM_IOCTL_VC4_GEM_MADVISE, &advise), 0);
    assert_int_equal(advise.retained, 1);
    assert_int_equal(drm_check_mmap(card.file, address, 4096, true), -EINVAL);
    j.handles[5] = big;
    assert_int_equal(submit(&j), -EINVAL);
    advise.madv = VC4_MADV_WILLNEED;
    assert_int_equal(CALL(card.file, DRM_IOCTL_VC4_GEM_MADVISE, &advise), 0);
    assert_int_equal(advise.retained, 1);
    assert_int_equal(submit(&j), 0);
    advise.madv = VC4_MADV_DONTNEED;
    assert_int_equal(CALL(card.file, DRM_IOCTL_VC4_GEM_MADVISE, &advise), 0);
    card_buffer(&card, 40 << 20, NULL); /* what else there is */
    card_buffer(&card, 18 << 20, NULL); /* takes its place */
    advise.madv = VC4_MADV_WILLNEED;
    assert_int_equal(CALL(card.file, DRM_IOCTL_VC4_GEM_MADVISE, &advise), 0);
    assert_int_equal(advise.retained, 0);
    assert_int_equal(submit(&j), -EINVAL);
    advise.madv = 2;
    assert_int_equal(CALL(card.file, DRM_IOCTL_VC4_GEM_MADVISE, &advise), -EINVAL);
    card_close(&card);
}

static void test_perfmon(void **state)
{
    struct card card;
    struct job j;
    card_open(&card, 64 << 20, NULL);
    struct drm_vc4_perfmon_create create = {
        .ncounters = 2, .events = {VC4_PERFCNT_FEP_VALID_PRIMS_RENDER, VC4_PERFCNT_NUM_EVENTS}};
    assert_int_equal(CALL(card.file, DRM_IOCTL_VC4_PERFMON_CREATE, &create), -EINVAL);
    create.events[1] = VC4_PERFCNT_QPU_TOTAL_CLK_CYCLES_EXEC_VALID_INST;
    assert_int_equal(CALL(card.file, DRM_IOCTL_VC4_PERFMON_CREATE, &create), 0);
    begin_triangle(&j, &card);
    put_triangles(&j, 3);
    end_list(&j);
    j.submit.perfmonid = create.id;
    struct gpu_counters before, after;
    before = vc4_device_host(card.gpu)->counters;
    assert_int_equal(submit(&j), 0);
    assert_int_equal(submit(&j), 0);
    after = vc4_device_host(card.gpu)->counters;
    j.submit.perfmonid = 0; /* not counted */
    assert_int_equal(submit(&j), 0);
    uint64_t values[2] = {99, 99};
    struct drm_vc4_perfmon_get_values get = {.id = create.id, .values_ptr = (uintptr_t)values};
    assert_int_equal(CALL(card.file, DRM_IOCTL_VC4_PERFMON_GET_VALUES, &get), 0);
    assert_int_equal(values[0], 2);
    assert_int_equal(values[1], (after.instructions - before.instructions) * 4);
    assert_int_equal(vc4_read(card.gpu, VC4_PCTRE), 0);
    struct drm_vc4_perfmon_destroy destroy = {.id = create.id};
    assert_int_equal(CALL(card.file, DRM_IOCTL_VC4_PERFMON_DESTROY, &destroy), 0);
    assert_int_equal(CALL(card.file, DRM_IOCTL_VC4_PERFMON_DESTROY, &destroy), -EINVAL);
    card_close(&card);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shader_rules),
        cmocka_unit_test(test_clear),
        cmocka_unit_test(test_use),
        cmocka_unit_test(test_triangle),
        cmocka_unit_test(test_indexed),
        cmocka_unit_test(test_refused_jobs),
        cmocka_unit_test(test_tile_memory_grows),
        cmocka_unit_test(test_hang),
        cmocka_unit_test(test_textures),
        cmocka_unit_test(test_buffers),
        cmocka_unit_test(test_tiling_label_param),
        cmocka_unit_test(test_madvise),
        cmocka_unit_test(test_perfmon),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
