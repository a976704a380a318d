/* Hostile jobs of Bifrost and Valhall: a recorded submission of a G52 and of a G57 in which one thing is as no driver has
 * it - chains, jobs that shade their own vertices, tilers' contexts and heaps, states, environments and tables of
 * resources, programs, frames. Each ends in a report that names unit, job, place and what it is, the same whichever way
 * the job is run; and after a reset the same device draws the submission's picture as it was recorded. */
#include "tests/hostile/mali_late_job.h"

static const enum mali_kind kinds[] = {MALI_G52, MALI_G57};

static void set_primitive(struct job *j, const char *name, uint64_t value)
{
    set(j, section(j, MALI_SECTION_PRIMITIVE), &mali_desc_primitive, name, value);
}

#define ENDLESS_BIFROST                                                                                      \
    "again: ds(0) nbb { *NOP t0 ; +JUMP t1, again ; const 0x0, again }\nds(0) eos { *NOP t0 ; +NOP t1 }\n"
#define ENDLESS_VALHALL "again: BRANCHZ.eq.reconverge 0x0, offset:again\nNOP.end\n"

static uint64_t context(struct job *j)
{
    return word_at(j, section(j, MALI_SECTION_TILER));
}
static uint64_t heap(struct job *j)
{
    return word_at(j, context(j) + 24);
}
static uint64_t frame_of(struct job *j)
{
    return word_at(j, j->s.chain[0] + 40) & ~63ull;
}
static uint64_t target_of(struct job *j)
{
    return frame_of(j) + (word_at(j, j->s.chain[0] + 40) & 2 ? 192 : 128);
}

/* ---- before the first chain ---- */

static void chain_outside(struct job *j)
{
    j->s.chain[1] = OUTSIDE;
}
static void chain_goes_round(struct job *j)
{
    put(j, tiler_job(j) + AT_NEXT, j->s.chain[1]);
}
static void unknown_type(struct job *j)
{
    uint8_t *type = at(j, tiler_job(j) + 16);
    *type = (uint8_t)(*type & 1) | 0x7f << 1;
}
static void job_of_the_other_version(struct job *j)
{
    uint8_t *type = at(j, tiler_job(j) + 16);
    const unsigned other = is_v9(j) ? MALI_JOB_TYPE_INDEXED_VERTEX : MALI_JOB_TYPE_MALLOC_VERTEX;
    *type = (uint8_t)((*type & 1) | other << 1);
}
static void context_outside(struct job *j)
{
    put(j, section(j, MALI_SECTION_TILER), OUTSIDE);
}
static void heap_is_nowhere(struct job *j)
{
    put(j, context(j) + 24, OUTSIDE);
}
static void heap_outside(struct job *j)
{
    set(j, heap(j), &mali_desc_tiler_heap, "base", OUTSIDE);
    set(j, heap(j), &mali_desc_tiler_heap, "bottom", OUTSIDE);
    set(j, heap(j), &mali_desc_tiler_heap, "top", OUTSIDE + 0x100000);
}
static void heap_too_small(struct job *j)
{
    set(j, heap(j), &mali_desc_tiler_heap, "top", word_at(j, heap(j) + 16) + 64);
}
static void heap_upside_down(struct job *j)
{
    set(j, heap(j), &mali_desc_tiler_heap, "top", word_at(j, heap(j) + 16) - 4096);
}
static void heap_where_the_job_is(struct job *j)
{
    const uint64_t page = tiler_job(j) & ~0xfffull;
    set(j, heap(j), &mali_desc_tiler_heap, "base", page);
    set(j, heap(j), &mali_desc_tiler_heap, "bottom", page);
    set(j, heap(j), &mali_desc_tiler_heap, "top", page + 0x100);
}
static void frame_without_sides(struct job *j)
{
    put32(j, context(j) + 12, UINT32_MAX);
}
static void all_vertices(struct job *j)
{
    set_primitive(j, "index count", UINT32_MAX);
}
static void all_instances(struct job *j)
{
    if (is_v9(j))
        put32(j, section(j, MALI_SECTION_INSTANCE_COUNT), UINT32_MAX);
    else
        put(j, tiler_job(j) + AT_INVOCATION, UINT32_MAX); /* all along z: the shifts are 0 */
}
static void indices_outside(struct job *j)
{
    set_primitive(j, "index type", MALI_INDEX_TYPE_UINT16);
    if (is_v9(j))
        put(j, section(j, MALI_SECTION_INDICES), OUTSIDE);
    else
        set_primitive(j, "indices", OUTSIDE);
}
static void unknown_mode(struct job *j)
{
    *at(j, section(j, MALI_SECTION_PRIMITIVE)) = 0x1f;
}
static void vertices_named_outside(struct job *j)
{
    set_named(j, of_vertices(j), OUTSIDE);
}
static void vertex_program_outside(struct job *j)
{
    set_program(j, of_vertices(j), OUTSIDE);
}
static void vertex_program_of_nothing(struct job *j)
{
    set_program(j, of_vertices(j), ODD);
}
static void endless_vertices(struct job *j)
{
    assemble(j, of_vertices(j), ENDLESS_BIFROST, ENDLESS_VALHALL);
}
static void attributes_outside(struct job *j)
{
    if (is_v9(j)) { /* the table of attributes */
        const uint64_t tables = word_at(j, of_vertices(j) + 32) & ~63ull;
        put(j, tables + 16, OUTSIDE);
    } else {
        put(j, of_vertices(j) + AT_BUFFERS - AT_DRAW + 8, OUTSIDE);
    }
}
static void tables_outside(struct job *j)
{
    if (is_v9(j))
        put(j, of_vertices(j) + 32, OUTSIDE | 12);
    else
        put(j, of_vertices(j) + AT_BUFFERS - AT_DRAW, OUTSIDE);
}
static void rasterised_where_nothing_is(struct job *j)
{
    if (is_v9(j))
        set(j, section(j, MALI_SECTION_DRAW), &mali_desc_draw_v9, "depth/stencil", OUTSIDE);
    else
        put(j, of_fragments(j) + AT_VIEWPORT - AT_DRAW, OUTSIDE);
}

/* ---- between the two ---- */

static void frame_job_outside(struct job *j)
{
    j->s.chain[0] = OUTSIDE;
}
static void empty_bounds(struct job *j)
{
    put32(j, j->s.chain[0] + 32, 5);
    put32(j, j->s.chain[0] + 36, 4);
}
static void frame_taken_away(struct job *j)
{
    put(j, j->s.chain[0] + 40, OUTSIDE | 1);
}
static void frame_tagged_otherwise(struct job *j)
{
    put(j, j->s.chain[0] + 40, word_at(j, j->s.chain[0] + 40) ^ 2);
}
static void too_large_a_frame(struct job *j)
{
    set(j, frame_of(j), &mali_desc_mfb, "width", 65536);
    set(j, frame_of(j), &mali_desc_mfb, "height", 65536);
}
static void context_taken_away(struct job *j)
{
    set(j, frame_of(j), &mali_desc_mfb, "tiler", OUTSIDE);
}
static void draws_before_outside(struct job *j)
{
    set(j, frame_of(j), &mali_desc_mfb, "pre frame 0", MALI_PRE_POST_FRAME_SHADER_MODE_ALWAYS);
    set(j, frame_of(j), &mali_desc_mfb, "frame shader DCDs", OUTSIDE);
}
/* Words of a context are the header of its lists (gpu/mali/tile_lists.h). */
static void list_of_another_frame(struct job *j)
{
    put32(j, context(j) + 128 + 4, 1);
}
static void table_outside(struct job *j)
{
    put32(j, context(j) + 128 + 12, OUTSIDE);
}
static void draw_is_no_job_of_draws(struct job *j)
{
    uint8_t *type = at(j, tiler_job(j) + 16);
    *type = (uint8_t)(*type & 1) | MALI_JOB_TYPE_COMPUTE << 1;
}
static void fragments_named_outside(struct job *j)
{
    set_named(j, of_fragments(j), OUTSIDE);
}
static void fragment_program_outside(struct job *j)
{
    set_program(j, of_fragments(j), OUTSIDE);
}
static void fragment_program_of_nothing(struct job *j)
{
    set_program(j, of_fragments(j), ODD);
}
static void endless_fragments(struct job *j)
{
    assemble(j, of_fragments(j), ENDLESS_BIFROST, ENDLESS_VALHALL);
}
static void image_outside(struct job *j)
{
    set(j, target_of(j), &mali_desc_target, "writeback base", OUTSIDE);
}
static void image_in_rows_of_nothing(struct job *j)
{
    set(j, target_of(j), &mali_desc_target, "writeback row stride", 0);
}

static const struct hostile {
    struct spoilt spoilt;
    const char *report[UTIL_ARRAY_SIZE(kinds)];
} cases[] = {
    {{"chain outside", chain_outside, NULL},
     {"job 1, job manager, draw 1, at 0x01000000: address outside memory: job header at 0x01000000, 32 "
      "bytes, cannot be read at 0x01000000",
      "job 1, job manager, draw 1, at 0x01000000: address outside memory: job header at 0x01000000, 32 "
      "bytes, cannot be read at 0x01000000"}},
    {{"chain goes round", chain_goes_round, NULL},
     {"job 1, job manager, at 0x02077140: timeout: the chain goes round: it has been at 0x02077140",
      "job 1, job manager, at 0x02075180: timeout: the chain goes round: it has been at 0x02075180"}},
    {{"unknown type", unknown_type, NULL},
     {"job 1, job manager, draw 1, at 0x02077140: bad record: job header: type is 127, which means nothing",
      "job 1, job manager, draw 1, at 0x02075180: bad record: job header: type is 127, which means nothing"}},
    {{"job of the other version", job_of_the_other_version, NULL},
     {"job 1, job manager, draw 1, at 0x02077140: bad record: job header: type is 11, which means nothing",
      "job 1, job manager, draw 1, at 0x02075180: unsupported: what an indexed vertex job of v9 holds is not "
      "known"}},
    {{"context outside", context_outside, NULL},
     {"job 1, job manager, draw 1, at 0x01000000: address outside memory: tiler context at 0x01000000, 192 "
      "bytes, cannot be read at 0x01000000",
      "job 1, job manager, draw 1, at 0x01000000: address outside memory: tiler context at 0x01000000, 192 "
      "bytes, cannot be read at 0x01000000"}},
    {{"heap is nowhere", heap_is_nowhere, NULL},
     {"job 1, job manager, draw 1, at 0x01000000: address outside memory: tiler heap at 0x01000000, 32 "
      "bytes, cannot be read at 0x01000000",
      "job 1, job manager, draw 1, at 0x01000000: address outside memory: tiler heap at 0x01000000, 32 "
      "bytes, cannot be read at 0x01000000"}},
    {{"heap outside", heap_outside, NULL},
     {"job 1, tiler, draw 1, at 0x01000000: address outside memory: heap at 0x01000000, 384 bytes, cannot be "
      "written at 0x01000000",
      "job 1, tiler, draw 1, at 0x01000000: address outside memory: heap at 0x01000000, 384 bytes, cannot be "
      "written at 0x01000000"}},
    {{"heap too small", heap_too_small, NULL},
     {"job 1, tiler, draw 1, at 0x02200040: out of tile memory: the heap has no room for tile lists",
      "job 1, tiler, draw 1, at 0x02200040: out of tile memory: the heap has no room for tile lists"}},
    {{"heap upside down", heap_upside_down, NULL},
     {"job 1, tiler, draw 1, at 0x021ff000: out of tile memory: the heap has no room for tile lists",
      "job 1, tiler, draw 1, at 0x021ff000: out of tile memory: the heap has no room for tile lists"}},
    {{"heap where the job is", heap_where_the_job_is, NULL},
     {"job 1, tiler, draw 1, at 0x02077100: out of tile memory: the heap has no room for tile lists",
      "job 1, tiler, draw 1, at 0x02075100: out of tile memory: the heap has no room for tile lists"}},
    {{"frame without sides", frame_without_sides, NULL},
     {"job 1, tiler, draw 1, at 0x02077140: unsupported: a frame of 65536x65536 pixels: more than 8192 a "
      "side are not done",
      "job 1, tiler, draw 1, at 0x02075180: unsupported: a frame of 65536x65536 pixels: more than 8192 a "
      "side are not done"}},
    {{"all vertices", all_vertices, NULL},
     {"job 1, position program, draw 1, at 0x02197000, pc 2, lane 12: address outside memory: converted "
      "store at 0x02197000, 16 bytes, cannot be written at 0x02197000",
      "job 1, tiler, draw 1, at 0x0a200000: out of tile memory: the heap has no room for 4294967295 vertices "
      "of 1 instances"}},
    {{"all instances", all_instances, NULL},
     {"job 1, position program, draw 1, at 0x02077140: unsupported: more than 2^32 workgroups are not done",
      "job 1, tiler, draw 1, at 0x0a200000: out of tile memory: the heap has no room for 3 vertices of "
      "4294967295 instances"}},
    {{"indices outside", indices_outside, NULL},
     {"job 1, tiler, draw 1, at 0x01000000: address outside memory: indices at 0x01000000, 6 bytes, cannot "
      "be read at 0x01000000",
      "job 1, tiler, draw 1, at 0x01000000: address outside memory: indices at 0x01000000, 6 bytes, cannot "
      "be read at 0x01000000"}},
    {{"unknown mode", unknown_mode, NULL},
     {"job 1, job manager, draw 1, at 0x02077168: bad record: primitive: draw mode is 31, which means "
      "nothing",
      "job 1, job manager, draw 1, at 0x020751a0: bad record: primitive: draw mode is 31, which means "
      "nothing"}},
    {{"vertices named outside", vertices_named_outside, NULL},
     {"job 1, job manager, draw 1, at 0x01000000: address outside memory: renderer state at 0x01000000, 64 "
      "bytes, cannot be read at 0x01000000",
      "job 1, job manager, draw 1, at 0x01000000: address outside memory: shader program at 0x01000000, 32 "
      "bytes, cannot be read at 0x01000000"}},
    {{"vertex program outside", vertex_program_outside, NULL},
     {"job 1, position program, draw 1, at 0x01000000: address outside memory: program at 0x01000000, 16 "
      "bytes, cannot be executed at 0x01000000",
      "job 1, position program, draw 1, at 0x01000000: address outside memory: program at 0x01000000, 8 "
      "bytes, cannot be executed at 0x01000000"}},
    {{"vertex program of nothing", vertex_program_of_nothing, NULL},
     {"job 1, position program, draw 1, at 0x30000000: bad program: quadword 0: tag 0x00 has no meaning for "
      "quadword 0 of a clause",
      "job 1, position program, draw 1, at 0x30000000: bad program: a program of 0 instructions has no end"}},
    {{"endless vertices", endless_vertices, NULL},
     {"job 1, position program, draw 1, at 0x30001000, pc 0, lane 0: timeout: loops repeat more instructions "
      "than the fuel allows",
      "job 1, position program, draw 1, at 0x30001000, pc 0, lane 0: timeout: loops repeat more instructions "
      "than the fuel allows"}},
    {{"attributes outside", attributes_outside, NULL},
     {"job 1, job manager, draw 1, at 0x01000000, pc 0, lane 0: address outside memory: attribute at "
      "0x01000000, 8 bytes, cannot be read at 0x01000000",
      "job 1, job manager, draw 1, at 0x01000000, pc 0, lane 0: address outside memory: resource at "
      "0x01000000, 32 bytes, cannot be read at 0x01000000"}},
    {{"tables outside", tables_outside, NULL},
     {"job 1, job manager, draw 1, at 0x01000000, pc 0, lane 0: address outside memory: attribute buffer at "
      "0x01000000, 16 bytes, cannot be read at 0x01000000",
      "job 1, job manager, draw 1, at 0x01000010, pc 0, lane 0: address outside memory: resource table at "
      "0x01000010, 16 bytes, cannot be read at 0x01000010"}},
    {{"rasterised where nothing is", rasterised_where_nothing_is, NULL},
     {"job 1, job manager, draw 1, at 0x01000000: address outside memory: viewport at 0x01000000, 32 bytes, "
      "cannot be read at 0x01000000",
      "job 1, job manager, draw 1, at 0x01000000: address outside memory: depth and stencil at 0x01000000, "
      "32 bytes, cannot be read at 0x01000000"}},
    {{"frame job outside", NULL, frame_job_outside},
     {"job 2, job manager, draw 1, at 0x01000000: address outside memory: job header at 0x01000000, 32 "
      "bytes, cannot be read at 0x01000000",
      "job 2, job manager, draw 1, at 0x01000000: address outside memory: job header at 0x01000000, 32 "
      "bytes, cannot be read at 0x01000000"}},
    {{"empty bounds", NULL, empty_bounds},
     {"job 2, fragment job, draw 1, at 0x02077540: bad record: the frame's bounds are empty",
      "job 2, fragment job, draw 1, at 0x02075980: bad record: the frame's bounds are empty"}},
    {{"frame taken away", NULL, frame_taken_away},
     {"job 2, job manager, draw 1, at 0x01000000: address outside memory: framebuffer parameters at "
      "0x01000000, 64 bytes, cannot be read at 0x01000000",
      "job 2, job manager, draw 1, at 0x01000000: address outside memory: framebuffer parameters at "
      "0x01000000, 64 bytes, cannot be read at 0x01000000"}},
    {{"frame tagged otherwise", NULL, frame_tagged_otherwise},
     {"job 2, job manager, draw 1, at 0x02077000: bad record: framebuffer: its tag is that of another",
      "job 2, job manager, draw 1, at 0x02075000: bad record: framebuffer: its tag is that of another"}},
    {{"too large a frame", NULL, too_large_a_frame},
     {"job 2, framebuffer, draw 1, at 0x02077000: bad record: an image of 65536x65536 pixels does not have "
      "rows of 16",
      "job 2, framebuffer, draw 1, at 0x02075000: bad record: an image of 65536x65536 pixels does not have "
      "rows of 16"}},
    {{"context taken away", NULL, context_taken_away},
     {"job 2, job manager, draw 1, at 0x01000000: address outside memory: tiler context at 0x01000000, 192 "
      "bytes, cannot be read at 0x01000000",
      "job 2, job manager, draw 1, at 0x01000000: address outside memory: tiler context at 0x01000000, 192 "
      "bytes, cannot be read at 0x01000000"}},
    {{"draws before outside", NULL, draws_before_outside},
     {"job 2, job manager, draw 1, at 0x01000000: address outside memory: draw at 0x01000000, 128 bytes, "
      "cannot be read at 0x01000000",
      "job 2, job manager, draw 1, at 0x01000040: address outside memory: shader environment at 0x01000040, "
      "64 bytes, cannot be read at 0x01000040"}},
    {{"list of another frame", NULL, list_of_another_frame},
     {"job 2, fragment job, draw 1, at 0x02077500: bad list: the polygon list is none of a frame of 256x256",
      "job 2, fragment job, draw 1, at 0x02075500: bad list: the polygon list is none of a frame of "
      "256x256"}},
    {{"table outside", NULL, table_outside},
     {"job 2, fragment job, draw 1, at 0x01000000: address outside memory: table of tile lists at "
      "0x01000000, 384 bytes, cannot be read at 0x01000000",
      "job 2, fragment job, draw 1, at 0x01000000: address outside memory: table of tile lists at "
      "0x01000000, 384 bytes, cannot be read at 0x01000000"}},
    {{"draw is no job of draws", NULL, draw_is_no_job_of_draws},
     {"job 2, fragment program, draw 1, at 0x02077140: bad list: the draw's job is none of the tiler's",
      "job 2, fragment program, draw 1, at 0x02075180: bad list: the draw's job is none of the tiler's"}},
    {{"fragments named outside", NULL, fragments_named_outside},
     {"job 2, fragment program, draw 1, at 0x01000000: address outside memory: renderer state at 0x01000000, "
      "64 bytes, cannot be read at 0x01000000",
      "job 2, fragment program, draw 1, at 0x01000000: address outside memory: shader program at 0x01000000, "
      "32 bytes, cannot be read at 0x01000000"}},
    {{"fragment program outside", NULL, fragment_program_outside},
     {"job 2, fragment program, draw 1, at 0x01000000: address outside memory: program at 0x01000000, 16 "
      "bytes, cannot be executed at 0x01000000",
      "job 2, fragment program, draw 1, at 0x01000000: address outside memory: program at 0x01000000, 8 "
      "bytes, cannot be executed at 0x01000000"}},
    {{"fragment program of nothing", NULL, fragment_program_of_nothing},
     {"job 2, fragment program, draw 1, at 0x30000000: bad program: quadword 0: tag 0x00 has no meaning for "
      "quadword 0 of a clause",
      "job 2, fragment program, draw 1, at 0x30000000: bad program: a program of 0 instructions has no end"}},
    {{"endless fragments", NULL, endless_fragments},
     {"job 2, fragment program, draw 1, at 0x30001000, pc 0, lane 12: timeout: loops repeat more "
      "instructions than the fuel allows",
      "job 2, fragment program, draw 1, at 0x30001000, pc 0, lane 12: timeout: loops repeat more "
      "instructions than the fuel allows"}},
    {{"image outside", NULL, image_outside},
     {"job 2, framebuffer, draw 1, at 0x01000000: address outside memory: image at 0x01000000, 262144 bytes, "
      "cannot be written at 0x01000000",
      "job 2, framebuffer, draw 1, at 0x01000000: address outside memory: image at 0x01000000, 262144 bytes, "
      "cannot be written at 0x01000000"}},
    {{"image in rows of nothing", NULL, image_in_rows_of_nothing},
     {"job 2, framebuffer, draw 1, at 0x02077000: bad record: an image of 256x256 pixels does not have rows "
      "of 0",
      "job 2, framebuffer, draw 1, at 0x02075000: bad record: an image of 256x256 pixels does not have rows "
      "of 0"}},
};

static void test_reports(void **state_)
{
    struct ways *w = *state_;
    unsigned wrong = 0;
    for (unsigned kind = 0; kind < UTIL_ARRAY_SIZE(kinds); kind++) {
        uint64_t right = 0;
        for (unsigned n = 0; n < UTIL_ARRAY_SIZE(cases); n++)
            for (unsigned way = 0; way < 4; way++) {
                struct mali_options options = options_of(w, way);
                struct job j;
                options.kind = kinds[kind];
                open_job(&j, &options);
                wrong += !reported(&j, &cases[n].spoilt, way, kind ? "g57" : "g52", cases[n].report[kind]);
                uint64_t hash = n % 4 == way ? draw_whole(&j) : right;
                right = right ? right : hash;
                assert_int_equal(hash, right);
                close_job(&j);
            }
    }
    assert_int_equal(wrong, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_reports)};
    return cmocka_run_group_tests(tests, begin, end);
}
