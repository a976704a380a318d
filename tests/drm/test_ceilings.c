/* As many of each kind of thing as a card has at most, one more, which is refused as the kernel would, one
 * less, and one more again; and none is charged for any more when all are gone. */
#include "tests/drm/gate.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>

#include "drm/core/card.h"
#include "drm/core/handle.h"
#include "drm/lima/abi.h"
#include "gpu/families.h"

struct world {
    struct gpu_memory memory;
    struct gpu_device gpu;
    struct drm *drm;
    struct drm_file *file[2]; /* card and render node */
    struct gate gate;
    struct gate_worker worker;
    uint32_t buffer, shown, sync;
    uint64_t pending[2]; /* jobs at the gate */
    void *code;
    uint32_t code_bytes;
};

/* Makes the n-th and says what it is; or -errno. */
struct row {
    enum drm_kind kind;
    const char *gpu;
    int error;
    uint64_t each; /* what one is charged for, at most */
    int (*make)(struct world *w, uint64_t *made);
    int (*drop)(struct world *w, uint64_t made);
};

static int make_file(struct world *w, uint64_t *made)
{
    struct drm_file *file;
    int r = drm_open(w->drm, DRM_MINOR_RENDER, &file);
    *made = (uintptr_t)file;
    return r;
}

static int drop_file(struct world *w, uint64_t made)
{
    drm_close((struct drm_file *)(uintptr_t)made);
    return 0;
}

/* Purged at once when memory runs out, so their number alone bounds them. */
static int make_buffer(struct world *w, uint64_t *made)
{
    struct drm_vc4_create_bo create = {.size = 4096};
    int r = CALL(w->file[1], DRM_IOCTL_VC4_CREATE_BO, &create);
    struct drm_vc4_gem_madvise advise = {.handle = create.handle, .madv = VC4_MADV_DONTNEED};
    *made = create.handle;
    return r ? r : CALL(w->file[1], DRM_IOCTL_VC4_GEM_MADVISE, &advise);
}

static int drop_handle(struct world *w, uint64_t made)
{
    struct drm_gem_close gone = {.handle = (uint32_t)made};
    return CALL(w->file[1], DRM_IOCTL_GEM_CLOSE, &gone);
}

/* Numbers without end for one buffer: what hangs names is handed out anew each time. */
static int make_handle(struct world *w, uint64_t *made)
{
    struct drm_bo *bo = drm_handle_get(w->file[0], w->shown);
    uint32_t handle;
    pthread_mutex_lock(&w->drm->lock);
    int r = drm_handle_add(w->file[1], bo, &handle);
    pthread_mutex_unlock(&w->drm->lock);
    *made = handle;
    return r;
}

static int make_shader(struct world *w, uint64_t *made)
{
    struct drm_vc4_create_shader_bo create = {.size = w->code_bytes, .data = (uintptr_t)w->code};
    int r = CALL(w->file[1], DRM_IOCTL_VC4_CREATE_SHADER_BO, &create);
    *made = create.handle;
    return r;
}

static int make_export(struct world *w, uint64_t *made)
{
    struct drm_vc4_create_bo create = {.size = 4096};
    int fd = -1, r = CALL(w->file[1], DRM_IOCTL_VC4_CREATE_BO, &create);
    struct drm_prime_handle prime = {.handle = create.handle};
    if (!r)
        r = CALL_GIVING(w->file[1], DRM_IOCTL_PRIME_HANDLE_TO_FD, &prime, &fd);
    drop_handle(w, create.handle);
    *made = (uint64_t)fd;
    return r;
}

static int drop_fd(struct world *w, uint64_t made)
{
    close((int)made);
    struct drm_file *file; /* descriptors that are closed are looked for now and then */
    return drm_open(w->drm, DRM_MINOR_RENDER, &file) ? -1 : (drm_close(file), 0);
}

static int make_sync(struct world *w, uint64_t *made)
{
    struct drm_syncobj_create create = {0};
    int r = CALL(w->file[1], DRM_IOCTL_SYNCOBJ_CREATE, &create);
    *made = create.handle;
    return r;
}

static int drop_sync(struct world *w, uint64_t made)
{
    struct drm_syncobj_destroy destroy = {.handle = (uint32_t)made};
    return CALL(w->file[1], DRM_IOCTL_SYNCOBJ_DESTROY, &destroy);
}

/* Of the fence of the second job at the gate. */
static int make_sync_file(struct world *w, uint64_t *made)
{
    struct drm_syncobj_handle h = {.handle = w->sync,
                                   .flags = DRM_SYNCOBJ_HANDLE_TO_FD_FLAGS_EXPORT_SYNC_FILE};
    int fd, r = CALL_GIVING(w->file[1], DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD, &h, &fd);
    *made = (uint64_t)fd;
    return r;
}

static int make_fb(struct world *w, uint64_t *made)
{
    struct drm_mode_fb_cmd2 fb = {.width = 16,
                                  .height = 16,
                                  .pixel_format = DRM_FORMAT_XRGB8888,
                                  .handles = {w->shown},
                                  .pitches = {64}};
    int r = CALL(w->file[0], DRM_IOCTL_MODE_ADDFB2, &fb);
    *made = fb.fb_id;
    return r;
}

static int drop_fb(struct world *w, uint64_t made)
{
    uint32_t id = (uint32_t)made;
    return CALL(w->file[0], DRM_IOCTL_MODE_RMFB, &id);
}

static int make_blob_of(struct world *w, uint32_t size, uint64_t *made)
{
    static uint8_t bytes[65536];
    struct drm_mode_create_blob create = {.data = (uintptr_t)bytes, .length = size};
    int r = CALL(w->file[0], DRM_IOCTL_MODE_CREATEPROPBLOB, &create);
    *made = create.blob_id;
    return r;
}

static int make_blob(struct world *w, uint64_t *made)
{
    return make_blob_of(w, 1, made);
}

static int make_large_blob(struct world *w, uint64_t *made)
{
    return make_blob_of(w, 65536, made);
}

static int drop_blob(struct world *w, uint64_t made)
{
    struct drm_mode_destroy_blob destroy = {.blob_id = (uint32_t)made};
    return CALL(w->file[0], DRM_IOCTL_MODE_DESTROYPROPBLOB, &destroy);
}

static int make_perfmon(struct world *w, uint64_t *made)
{
    struct drm_vc4_perfmon_create create = {.ncounters = 1};
    int r = CALL(w->file[1], DRM_IOCTL_VC4_PERFMON_CREATE, &create);
    *made = create.id;
    return r;
}

static int drop_perfmon(struct world *w, uint64_t made)
{
    struct drm_vc4_perfmon_destroy destroy = {.id = (uint32_t)made};
    return CALL(w->file[1], DRM_IOCTL_VC4_PERFMON_DESTROY, &destroy);
}

static int make_context(struct world *w, uint64_t *made)
{
    struct lima_context create = {0};
    int r = CALL(w->file[1], LIMA_IOCTL_CTX_CREATE, &create);
    *made = create.id;
    return r;
}

static int drop_context(struct world *w, uint64_t made)
{
    struct lima_context gone = {.id = (uint32_t)made};
    return CALL(w->file[1], LIMA_IOCTL_CTX_FREE, &gone);
}

static const struct row rows[] = {
    {DRM_FILES, "vc4", -EMFILE, 1, make_file, drop_file},
    {DRM_BUFFERS, "vc4", -ENOMEM, 1, make_buffer, drop_handle},
    {DRM_HANDLES, "vc4", -ENOMEM, 1, make_handle, drop_handle},
    {DRM_PROGRAM_BYTES, "vc4", -ENOMEM, 4 << 20, make_shader, drop_handle},
    {DRM_EXPORTS, "vc4", -EMFILE, 1, make_export, drop_fd},
    {DRM_SYNCS, "vc4", -ENOMEM, 1, make_sync, drop_sync},
    {DRM_SYNC_FILES, "vc4", -EMFILE, 1, make_sync_file, NULL},
    {DRM_FRAMEBUFFERS, "vc4", -ENOMEM, 1, make_fb, drop_fb},
    {DRM_BLOBS, "vc4", -ENOMEM, 1, make_blob, drop_blob},
    {DRM_BLOB_BYTES, "vc4", -ENOMEM, 65536, make_large_blob, drop_blob},
    {DRM_OWN_OBJECTS, "vc4", -ENOMEM, 1, make_perfmon, drop_perfmon},
    {DRM_OWN_OBJECTS, "mali400", -ENOMEM, 1, make_context, drop_context},
};

/* ---- the card ---- */

/* As many lookups as there is room for: much to know about few bytes. */
static void make_code(struct world *w)
{
    static const char lookup[] = "mov tmu0_t, r0\nmov tmu0_s, r0\nnop ; ldtmu0\n",
                      tail[] = "nop ; thrend\nnop\nnop\n";
    const uint32_t count = 40000;
    struct util_error error = {0};
    size_t length = sizeof lookup - 1;
    char *text = malloc(count * length + sizeof tail);
    for (uint32_t i = 0; i < count; i++)
        memcpy(text + i * length, lookup, length);
    memcpy(text + count * length, tail, sizeof tail);
    uint64_t *words;
    uint32_t n;
    if (vc4_qpu_asm(text, count * length + sizeof tail - 1, &words, &n, &error))
        fail_msg("%s", error.text);
    free(text);
    w->code = words;
    w->code_bytes = n * 8;
}

static void world_open(struct world *w, const char *gpu)
{
    *w = (struct world){0};
    gate_init(&w->gate);
    const struct gpu_options device = {.fuel = 1000, .observer = &w->gate.observer};
    assert_int_equal(gpu_memory_create(256 << 20, &w->memory), 0);
    assert_int_equal(gpu_create(gpu, &w->memory, &device, &w->gpu), 0);
    const struct drm_options options = {.gpu = w->gpu, .asynchronous = true};
    assert_int_equal(drm_create(&w->memory, &options, &w->drm), 0);
    assert_int_equal(drm_open(w->drm, DRM_MINOR_CARD, &w->file[0]), 0);
    assert_int_equal(drm_open(w->drm, DRM_MINOR_RENDER, &w->file[1]), 0);
    gate_worker_start(&w->worker, w->drm);
}

static void world_close(struct world *w)
{
    gate_set(&w->gate, true);
    gate_worker_stop(&w->worker);
    drm_destroy(w->drm);
    gpu_device_destroy(&w->gpu);
    gpu_memory_destroy(&w->memory);
    free(w->code);
}

/* What the rows of a vc4 need: buffers, and a job at the gate whose fence is that of `sync`. */
static void prepare_vc4(struct world *w)
{
    struct drm_vc4_create_bo create = {.size = 65536};
    assert_int_equal(CALL(w->file[0], DRM_IOCTL_VC4_CREATE_BO, &create), 0);
    w->shown = create.handle;
    assert_int_equal(CALL(w->file[1], DRM_IOCTL_VC4_CREATE_BO, &create), 0);
    w->buffer = create.handle;
    struct drm_syncobj_create sync = {0};
    assert_int_equal(CALL(w->file[1], DRM_IOCTL_SYNCOBJ_CREATE, &sync), 0);
    w->sync = sync.handle;
    struct drm_vc4_submit_cl submit = gate_clear(&w->buffer, 1);
    submit.out_sync = w->sync;
    assert_int_equal(CALL(w->file[1], DRM_IOCTL_VC4_SUBMIT_CL, &submit), 0);
    make_code(w);
}

/* Until one is refused; how many were made. */
static uint64_t fill(struct world *w, const struct row *row, uint64_t *made)
{
    uint64_t count = 0;
    int r;
    while (!(r = row->make(w, &made[count])))
        count++;
    assert_int_equal(r, row->error);
    return count;
}

static void run_into(struct world *w, const struct row *row, uint64_t *made)
{
    uint64_t before = w->drm->charged[row->kind], most = drm_ceiling(row->kind);
    uint64_t count = fill(w, row, made);
    assert_true(w->drm->charged[row->kind] <= most);
    assert_true(most - w->drm->charged[row->kind] < row->each);
    uint64_t refused;
    assert_int_equal(row->make(w, &refused), row->error);
    if (!row->drop) { /* they go when the job is done */
        gate_set(&w->gate, true);
        for (uint64_t i = 0; i < count; i++) {
            struct pollfd one = {(int)made[i], POLLIN, 0};
            assert_int_equal(poll(&one, 1, 5000), 1);
            close((int)made[i]);
        }
        drm_frames_presented(w->drm);
    } else {
        assert_int_equal(row->drop(w, made[count / 2]), 0);
        assert_int_equal(row->make(w, &made[count / 2]), 0);
        assert_int_equal(row->make(w, &refused), row->error);
        for (uint64_t i = 0; i < count; i++)
            assert_int_equal(row->drop(w, made[i]), 0);
    }
    assert_int_equal(w->drm->charged[row->kind], before);
}

static void test_every_row(void **state)
{
    static const char *const gpus[] = {"vc4", "mali400"};
    uint64_t *made = malloc(sizeof *made << 20);
    for (unsigned g = 0; g < UTIL_ARRAY_SIZE(gpus); g++) {
        struct world w;
        world_open(&w, gpus[g]);
        if (!g)
            prepare_vc4(&w);
        for (unsigned i = 0; i < UTIL_ARRAY_SIZE(rows); i++)
            if (!strcmp(rows[i].gpu, gpus[g]))
                run_into(&w, &rows[i], made);
        world_close(&w);
    }
    free(made);
}

/* A table that has grown is paid for as long as its file is open, few as the numbers in it may be. */
static void test_numbers(void **state)
{
    struct world w;
    struct drm_file *file[64];
    unsigned count = 0;
    int r = 0;
    world_open(&w, "vc4");
    for (; !r && count < UTIL_ARRAY_SIZE(file); count++) {
        struct drm_syncobj_create create = {0};
        assert_int_equal(drm_open(w.drm, DRM_MINOR_RENDER, &file[count]), 0);
        for (uint32_t n = 0; !r && n < drm_ceiling(DRM_SYNCS) - UTIL_ARRAY_SIZE(file); n++)
            r = CALL(file[count], DRM_IOCTL_SYNCOBJ_CREATE, &create);
        for (uint32_t handle = 1; handle < create.handle; handle++) {
            struct drm_syncobj_destroy destroy = {.handle = handle};
            assert_int_equal(CALL(file[count], DRM_IOCTL_SYNCOBJ_DESTROY, &destroy), 0);
        }
    }
    assert_int_equal(r, -ENOMEM);
    assert_true(count > 8);
    assert_true(w.drm->charged[DRM_NUMBERS] <= drm_ceiling(DRM_NUMBERS));
    while (count--)
        drm_close(file[count]);
    struct drm_syncobj_create create = {0};
    assert_int_equal(CALL(w.file[1], DRM_IOCTL_SYNCOBJ_CREATE, &create), 0);
    world_close(&w);
}

/* A submission that would take too much of the host's memory, before it is looked at. */
static void test_submission(void **state)
{
    struct world w;
    world_open(&w, "vc4");
    prepare_vc4(&w);
    struct drm_vc4_submit_cl submit = gate_clear(&w.buffer, 1);
    submit.bin_cl = submit.shader_rec = 16; /* nothing is there */
    submit.bin_cl_size = 16;
    submit.shader_rec_size = submit.shader_rec_count = 60 << 20;
    assert_int_equal(CALL(w.file[1], DRM_IOCTL_VC4_SUBMIT_CL, &submit), -ENOMEM);
    gate_set(&w.gate, true);
    submit = gate_clear(&w.buffer, 1);
    assert_int_equal(CALL(w.file[1], DRM_IOCTL_VC4_SUBMIT_CL, &submit), 0);
    world_close(&w);
}

int main(void)
{
    struct rlimit files = {0};
    getrlimit(RLIMIT_NOFILE, &files);
    files.rlim_cur = files.rlim_max;
    setrlimit(RLIMIT_NOFILE, &files); /* ceilings, not the process's own bound */
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_row),
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_submission),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
