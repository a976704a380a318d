/* Hostile Mali-400 jobs: a recorded submission in which one thing is as no driver has it. Each ends in a
 * report that names unit, draw, place and what it is, the same whichever way the job is run; and after a
 * reset the same job as it was recorded draws its picture. */
#include "tests/gpu/utgard/job.h"

#include <xxhash.h>

#include "isa/utgard_gp/asm.h"
#include "isa/utgard_pp/asm.h"

/* Where things stand in tests/data/mali400/triangle. */
enum {
    VS_LIST = 0x040f21c0,
    PLBU_LIST = 0x040f2240,
    STATE = 0x040f2180,
    GP_PROGRAM = 0x041f5000,
    PP_PROGRAM = 0x041f4000,
    BLOCKS = 0x03051000,
    BLOCKS_BYTES = 0x40000,
    HEAP = 0x03091000,
    MASTER = 0x041f7000,
    COLORS = 0x04092000,
    OUTSIDE = 0x01000000 /* nothing is mapped there */
};

struct job {
    struct guest guest;
    uint8_t *memory;
    uint32_t gp[6], pp[WORDS];
};

static void put(struct job *j, uint32_t address, uint32_t word)
{
    util_store32(j->memory + (address - FIRST), word);
}
static void command(struct job *j, uint32_t address, uint32_t value, uint32_t opcode)
{
    put(j, address, value);
    put(j, address + 4, opcode);
}
static uint32_t word_at(const struct job *j, uint32_t address)
{
    return util_load32(j->memory + (address - FIRST));
}

static void put_gp(struct job *j, const char *text)
{
    uint64_t *words;
    uint32_t count;
    assert_int_equal(utgard_gp_asm(text, strlen(text), &words, &count, NULL), 0);
    memcpy(j->memory + (GP_PROGRAM - FIRST), words, (size_t)count * 16);
    free(words);
}
static void put_pp(struct job *j, const char *text)
{
    uint32_t *words, count;
    assert_int_equal(utgard_pp_asm(text, strlen(text), &words, &count, NULL), 0);
    memcpy(j->memory + (PP_PROGRAM - FIRST), words, (size_t)count * 4);
    put(j, STATE + 9 * 4, PP_PROGRAM | (words[0] & 31));
    free(words);
}

/* ---- before the GP ---- */

static void vs_list_jumps_to_itself(struct job *j)
{
    command(j, VS_LIST, VS_LIST, 0xf0000000);
}
static void plbu_list_jumps_to_itself(struct job *j)
{
    command(j, PLBU_LIST, PLBU_LIST, 0xf0000000);
}
static void vs_list_outside(struct job *j)
{
    j->gp[0] = OUTSIDE;
    j->gp[1] = OUTSIDE + 64;
}
static void plbu_list_outside(struct job *j)
{
    j->gp[2] = OUTSIDE;
    j->gp[3] = OUTSIDE + 64;
}
static void unknown_command(struct job *j)
{
    command(j, PLBU_LIST + 8, 0, 0xc0000000);
}
static void endless_vertices(struct job *j)
{
    put_gp(j, "attr 0 ; pass f0.w ; branch 0");
}
static void attributes_outside(struct job *j)
{
    put(j, 0x040f20c0, OUTSIDE);
}
static void blocks_outside(struct job *j)
{
    command(j, PLBU_LIST + 32, OUTSIDE, 0x280000ff);
}
static void directory_outside(struct job *j)
{
    for (uint32_t n = 0; n < 1024; n++)
        util_store32(j->guest.memory.base + n * 4, 0xfffff001);
}
static void tables_that_loop(struct job *j)
{
    for (uint32_t n = 0; n < 1024; n++)
        util_store32(j->guest.memory.base + n * 4, 1);
}

/* ---- between the GP and the PPs ---- */

static void master_list_outside(struct job *j)
{
    j->pp[LISTS] = OUTSIDE;
}
static void no_frame(struct job *j)
{
    memset(j->pp, 0, sizeof j->pp);
}
static void master_list_without_end(struct job *j)
{
    for (uint32_t at = MASTER; at < MASTER + 0x2000; at += 16) {
        command(j, at, 0, 0xb8000000);
        command(j, at + 8, 0, 0xb0000000);
    }
}
static void tile_list_goes_on_in_itself(struct job *j)
{
    for (uint32_t at = BLOCKS; at < BLOCKS + BLOCKS_BYTES; at += 512)
        command(j, at, at, 0x80000000);
}
/* Where the first tile's list ended it begins again. */
static void tile_list_goes_round(struct job *j)
{
    uint32_t at = BLOCKS;
    while (word_at(j, at + 4) >> 28 || word_at(j, at)) /* END is a word of zero */
        at += 8;
    assert_in_range(at, BLOCKS + 16, BLOCKS + 504);
    command(j, at, BLOCKS, 0x80000000);
}
static void tile_list_outside(struct job *j)
{
    for (uint32_t at = BLOCKS; at < BLOCKS + BLOCKS_BYTES; at += 512)
        command(j, at, OUTSIDE, 0x80000000);
}
static void unknown_entry(struct job *j)
{
    for (uint32_t at = BLOCKS; at < BLOCKS + BLOCKS_BYTES; at += 512)
        command(j, at, 0, 0xa0000000);
}
static void endless_fragments(struct job *j)
{
    put_pp(j, "branch 0\nstop");
}
static void no_program(struct job *j)
{
    put(j, PP_PROGRAM, 0);
}
static void program_outside(struct job *j)
{
    put(j, STATE + 9 * 4, OUTSIDE | 3);
}
static void varyings_outside(struct job *j)
{
    put(j, STATE + 15 * 4, OUTSIDE);
}
static void unknown_state(struct job *j)
{
    put(j, STATE + 2 * 4, word_at(j, STATE + 2 * 4) | 0x1f << 11);
}
static void write_back_outside(struct job *j)
{
    j->pp[FRAME_WORDS + 2] = OUTSIDE;
}
static void unknown_format(struct job *j)
{
    j->pp[FRAME_WORDS + 3] = 0xf;
}

static const struct hostile {
    const char *name;
    void (*before_gp)(struct job *);
    void (*before_pp)(struct job *);
    const char *report;
} cases[] = {
    {"a VS list that jumps to itself", vs_list_jumps_to_itself, NULL,
     "job 1, vs, at 0x040f21c0: timeout: the list goes round: it has been at 0x040f21c0"},
    {"a PLBU list that jumps to itself", plbu_list_jumps_to_itself, NULL,
     "job 1, plbu, at 0x040f2240: timeout: the list goes round: it has been at 0x040f2240"},
    {"a VS list outside", vs_list_outside, NULL,
     "job 1, vs, at 0x01000000: address outside memory: command of 8 bytes at 0x01000000: no page there may "
     "be read"},
    {"a PLBU list outside", plbu_list_outside, NULL,
     "job 1, plbu, at 0x01000000: address outside memory: command of 8 bytes at 0x01000000: no page there "
     "may be read"},
    {"a command that is none", unknown_command, NULL,
     "job 1, plbu, at 0x040f2248: bad record: command 0xc0000000 with value 0x00000000 is not known"},
    {"an endless vertex program", endless_vertices, NULL,
     "job 1, vertex program, draw 1, at 0x041f5000, pc 0, lane 0: timeout: vertex 0 loops for too long"},
    {"attributes outside", attributes_outside, NULL,
     "job 1, vertex program, draw 1, at 0x01000000: address outside memory: attribute array of 80 bytes at "
     "0x01000000: no page there may be read"},
    {"an array of blocks outside", blocks_outside, NULL,
     "job 1, plbu, at 0x01000000: address outside memory: array of blocks of 1024 bytes at 0x01000000: no "
     "page there may be read"},
    {"page tables outside memory", directory_outside, NULL,
     "job 1, vs, at 0x040f21c0: address outside memory: command of 8 bytes at 0x040f21c0: no page there may "
     "be read"},
    {"page tables that are their own directory", tables_that_loop, NULL,
     "job 1, vs, at 0x040f21c0: address outside memory: command of 8 bytes at 0x040f21c0: no page there may "
     "be read"},
    {"a master list outside", NULL, master_list_outside,
     "job 2, frame, at 0x01000000: bad list: the list of tiles leaves memory"},
    {"no frame at all", NULL, no_frame,
     "job 2, frame, at 0x00000000: bad list: the list of tiles leaves memory"},
    {"a master list without end", NULL, master_list_without_end,
     "job 2, frame, at 0x041f7008: bad list: 0x00000000 0xb0000000 in a list of tiles"},
    {"a tile list that goes on in itself", NULL, tile_list_goes_on_in_itself,
     "job 2, tile list, at 0x03051000: timeout: the list goes round: it has been at 0x03051000"},
    {"a tile list that begins again", NULL, tile_list_goes_round,
     "job 2, tile list, draw 1, at 0x03051010: timeout: the list goes round: it has been at 0x03051000"},
    {"a tile list outside", NULL, tile_list_outside,
     "job 2, tile list, at 0x01000000: address outside memory: 8 bytes of the list are not in memory"},
    {"an entry that is none", NULL, unknown_entry,
     "job 2, tile list, at 0x03051000: bad list: 0xa000000000000000 is no entry"},
    {"an endless fragment program", NULL, endless_fragments,
     "job 2, fragment program, draw 1, at 0x041f4000, pc 0, lane 0: timeout: loops repeat more instructions "
     "than the fuel allows"},
    {"no instruction", NULL, no_program,
     "job 2, fragment program, draw 1, at 0x041f4000: bad program: word 0 is no instruction, or goes beyond "
     "the program's memory"},
    {"a program outside", NULL, program_outside,
     "job 2, fragment program, draw 1, at 0x01000000: address outside memory: the program is outside memory"},
    {"varyings outside", NULL, varyings_outside,
     "job 2, fragment program, draw 1, at 0x01000000: address outside memory: varyings of vertex 0 are not "
     "in memory"},
    {"a blend factor that is none", NULL, unknown_state,
     "job 2, render state, draw 1, at 0x040f2180: bad record: blending 0xfc3bfad2 is not known"},
    {"an image outside", NULL, write_back_outside,
     "job 2, write-back, at 0x01000000: address outside memory: an image of 256x256 at 0x01000000 is not all "
     "in memory"},
    {"a format that is none", NULL, unknown_format,
     "job 2, write-back, at 0x04092000: bad record: format 15 of colours"},
};

/* ---- running ---- */

static void load(struct job *j)
{
    load_job(j->memory, "mali400/triangle", j->gp, j->pp);
}

static void open_job(struct job *j, const struct utgard_options *options)
{
    guest_create(&j->guest, options);
    j->memory = guest_map(&j->guest, FIRST, BYTES, RIGHT_BOTH);
    load(j);
}

static void start_pps(struct job *j)
{
    for (unsigned n = 0; n < 2; n++) {
        uint32_t base = guest_base(&j->guest, (enum utgard_ip)(UTGARD_IP_PP0 + n));
        guest_start_mmu(&j->guest, (enum utgard_ip)(UTGARD_IP_PPMMU0 + n));
        write_frame(&j->guest, base, j->pp, j->pp[LISTS + n]);
        utgard_write(j->guest.device, base + PP_CTRL, PP_START);
    }
}

static void reset_all(struct job *j)
{
    struct gpu_fault rest[64];
    utgard_write(j->guest.device, guest_base(&j->guest, UTGARD_IP_GP) + GP_CMD, GP_RESET);
    utgard_write(j->guest.device, guest_base(&j->guest, UTGARD_IP_GP) + GP_MASK, 0x707e07);
    guest_start_mmu(&j->guest, UTGARD_IP_GPMMU);
    for (unsigned n = 0; n < 2; n++)
        utgard_write(j->guest.device, guest_base(&j->guest, (enum utgard_ip)(UTGARD_IP_PP0 + n)) + PP_CTRL,
                     0x20);
    gpu_host_faults(utgard_device_host(j->guest.device), rest, 64);
}

static uint64_t picture_of(const struct job *j)
{
    utgard_device_flush(j->guest.device);
    return XXH3_64bits(j->memory + (COLORS - FIRST), SIDE * SIDE * 4);
}

static uint64_t draw_whole(struct job *j)
{
    load(j);
    guest_run(&j->guest, j->gp);
    start_pps(j);
    uint64_t hash = picture_of(j);
    guest_expect_no_fault(&j->guest);
    return hash;
}

static void test_reports(void **unused)
{
    const struct jit_options jit = {.level = -1, .cache_dir = ""};
    struct jit_engine *engine;
    struct util_pool *pool;
    uint64_t right = 0;
    assert_int_equal(jit_engine_create(&jit, &engine, NULL), 0);
    assert_int_equal(util_pool_create(2, &pool), 0);
    for (unsigned way = 0; way < 4; way++) {
        const struct utgard_options options = {.kind = UTGARD_MALI400,
                                               .pp_count = 2,
                                               .gpu.engine = way & 1 ? engine : NULL,
                                               .gpu.pool = way & 2 ? pool : NULL,
                                               .gpu.fuel = 1000};
        for (unsigned n = 0; n < UTIL_ARRAY_SIZE(cases); n++) {
            struct job j;
            char text[512] = "no fault", expected[512];
            open_job(&j, &options);
            if (cases[n].before_gp)
                cases[n].before_gp(&j);
            guest_run(&j.guest, j.gp);
            if (cases[n].before_pp) {
                guest_expect_no_fault(&j.guest);
                cases[n].before_pp(&j);
                start_pps(&j);
            }
            utgard_device_flush(j.guest.device);
            struct gpu_fault fault = guest_fault(&j.guest);
            if (fault.kind)
                gpu_fault_format(&fault, text, sizeof text);
            snprintf(expected, sizeof expected, "mali400 %s", cases[n].report);
            if (strcmp(text, expected))
                fail_msg("%s, way %u: %s", cases[n].name, way, text);
            guest_destroy(&j.guest);
            open_job(&j, &options);
            reset_all(&j);
            uint64_t hash = draw_whole(&j);
            right = right ? right : hash;
            assert_int_equal(hash, right);
            guest_destroy(&j.guest);
        }
    }
    util_pool_destroy(pool);
    jit_engine_destroy(engine);
}

/* ---- what a driver does at the wrong time ---- */

/* No heap is given: the GP stands still, and is idle after a reset, which may come from inside its own
 * interrupt. */
static void reset_inside(void *data, uint32_t lines)
{
    struct job *j = data;
    uint32_t gp = guest_base(&j->guest, UTGARD_IP_GP);
    uint32_t state = utgard_read(j->guest.device, gp + GP_STAT);
    utgard_write(j->guest.device, gp + GP_CLEAR, state);
    j->guest.interrupts |= state;
    if (lines >> UTGARD_IP_GP & 1 && state & 4)
        utgard_write(j->guest.device, gp + GP_CMD, GP_RESET);
}

static void test_no_heap(void **unused)
{
    const struct utgard_options options = {.kind = UTGARD_MALI400, .pp_count = 2};
    uint64_t right = 0;
    for (unsigned inside = 0; inside < 2; inside++) {
        struct job j;
        open_job(&j, &options);
        uint32_t gp = guest_base(&j.guest, UTGARD_IP_GP);
        if (inside)
            gpu_host_set_irq(utgard_device_host(j.guest.device), reset_inside, &j);
        j.gp[5] = j.gp[4];
        assert_int_equal(guest_run(&j.guest, j.gp) & 7, 5); /* the VS list has ended; the heap is full */
        assert_int_equal(utgard_read(j.guest.device, gp + GP_STATUS) & 8, inside ? 0 : 8);
        guest_expect_no_fault(&j.guest);
        gpu_host_set_irq(utgard_device_host(j.guest.device), guest_irq, &j.guest);
        reset_all(&j);
        assert_int_equal(utgard_read(j.guest.device, gp + GP_STATUS), 0);
        uint64_t hash = draw_whole(&j);
        right = right ? right : hash;
        assert_int_equal(hash, right);
        guest_destroy(&j.guest);
    }
}

/* A PP that is started twice, and one that is reset while it waits for the other: the picture is the same. */
static void test_pps_at_the_wrong_time(void **unused)
{
    const struct utgard_options options = {.kind = UTGARD_MALI400, .pp_count = 2};
    struct job j;
    open_job(&j, &options);
    uint32_t pp0 = guest_base(&j.guest, UTGARD_IP_PP0), pp1 = guest_base(&j.guest, UTGARD_IP_PP1);
    uint64_t right = draw_whole(&j);
    utgard_write(j.guest.device, pp1 + PP_CTRL, PP_START);
    utgard_write(j.guest.device, pp1 + PP_CTRL, PP_START);
    utgard_write(j.guest.device, pp0 + PP_CTRL, PP_START);
    assert_int_equal(picture_of(&j), right);
    guest_expect_no_fault(&j.guest);
    memset(j.memory + (COLORS - FIRST), 0, SIDE * SIDE * 4);
    utgard_write(j.guest.device, pp0 + PP_CTRL, PP_START);
    utgard_write(j.guest.device, pp0 + PP_CTRL, 0x20);
    assert_int_equal(utgard_read(j.guest.device, pp0 + 0x1008) & 1, 0);
    start_pps(&j);
    assert_int_equal(picture_of(&j), right);
    guest_expect_no_fault(&j.guest);
    assert_int_equal(utgard_read(j.guest.device, pp0 + PP_RAW) & 1, 1);
    reset_all(&j);
    utgard_write(j.guest.device, pp0 + PP_CTRL, PP_START); /* without a frame */
    utgard_device_flush(j.guest.device);
    assert_int_equal(guest_fault(&j.guest).kind, GPU_FAULT_LIST);
    guest_destroy(&j.guest);
}

/* A guest that brings another program each frame: the engine holds the code of a few, and what is drawn stays
 * right. */
static void test_programs_without_end(void **unused)
{
    const struct jit_options few = {.level = -1, .cache_dir = "", .code_bytes = 100 << 10};
    const uint32_t frames = 40;
    struct jit_engine *engine;
    struct jit_stats stats;
    uint64_t most = 0, first = 0, different = 0;
    struct job j;
    assert_int_equal(jit_engine_create(&few, &engine, NULL), 0);
    const struct utgard_options options = {.kind = UTGARD_MALI400, .pp_count = 2, .gpu.engine = engine};
    open_job(&j, &options);
    for (uint32_t n = 0; n < frames; n++) {
        char text[128];
        load(&j);
        snprintf(text, sizeof text,
                 "c0 %u.0, 0.0, 0.0, 255.0 ; c1 0x1c04, 0x1c04, 0x1c04, 0x1c04 ; "
                 "mul.v0 r0, c0, c1 ; stop",
                 n * 6);
        put_pp(&j, text);
        guest_run(&j.guest, j.gp);
        start_pps(&j);
        uint64_t hash = picture_of(&j);
        guest_expect_no_fault(&j.guest);
        first = first ? first : hash;
        different += hash != first;
        jit_engine_stats(engine, &stats);
        most = UTIL_MAX(most, stats.code_bytes);
    }
    assert_int_equal(different, frames - 1);
    assert_in_range(stats.compiled, frames, 4 * frames);
    assert_in_range(most, 20 << 10, 200 << 10);
    guest_destroy(&j.guest);
    jit_engine_destroy(engine);
}

/* The picture of one more frame, with the program that stands there now. */
static uint64_t draw_again(struct job *j)
{
    memset(j->memory + (COLORS - FIRST), 0, SIDE * SIDE * 4);
    guest_run(&j->guest, j->gp);
    start_pps(j);
    uint64_t hash = picture_of(j);
    guest_expect_no_fault(&j->guest);
    return hash;
}

/* A program is what stands there when the frame comes: rewritten in place, by other pages at its address; and
 * what stood there before needs no new code. */
static void test_programs_that_change(void **unused)
{
    static const char red[] = "c0 1.0, 0.0, 0.0, 1.0 ; mov.v0 r0, c0 ; stop",
                      blue[] = "c0 0.0, 0.0, 1.0, 1.0 ; mov.v0 r0, c0 ; stop";
    const struct jit_options jit = {.level = -1, .cache_dir = ""};
    struct jit_engine *engine;
    struct jit_stats before, after;
    struct job j;
    assert_int_equal(jit_engine_create(&jit, &engine, NULL), 0);
    const struct utgard_options options = {.kind = UTGARD_MALI400, .pp_count = 2, .gpu = {.engine = engine}};
    open_job(&j, &options);
    uint8_t *spare = guest_map(&j.guest, FIRST + BYTES, GPU_PAGE, RIGHT_READ);
    uint8_t *entry = guest_entry(&j.guest, PP_PROGRAM), *other = guest_entry(&j.guest, FIRST + BYTES);
    uint32_t own = util_load32(entry);
    put_pp(&j, blue);
    memcpy(spare, j.memory + (PP_PROGRAM - FIRST), GPU_PAGE);
    uint64_t is_blue = draw_again(&j);
    put_pp(&j, red);
    uint64_t is_red = draw_again(&j);
    assert_int_not_equal(is_red, is_blue);
    jit_engine_stats(engine, &before);
    for (unsigned round = 0; round < 3; round++) {
        memcpy(entry, other, 4);
        assert_int_equal(draw_again(&j), is_blue);
        util_store32(entry, own);
        assert_int_equal(draw_again(&j), is_red);
        put_pp(&j, blue);
        assert_int_equal(draw_again(&j), is_blue);
        assert_int_equal(draw_again(&j), is_blue);
        put_pp(&j, red);
        assert_int_equal(draw_again(&j), is_red);
    }
    jit_engine_stats(engine, &after);
    assert_int_equal(after.compiled, before.compiled);
    assert_int_equal(after.memory_hits, before.memory_hits);
    guest_destroy(&j.guest);
    jit_engine_destroy(engine);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reports),
        cmocka_unit_test(test_no_heap),
        cmocka_unit_test(test_pps_at_the_wrong_time),
        cmocka_unit_test(test_programs_without_end),
        cmocka_unit_test(test_programs_that_change),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
