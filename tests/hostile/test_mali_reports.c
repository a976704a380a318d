/* Hostile Midgard jobs: a recorded submission in which one thing is as no driver has it. Each ends in a report
 * that names unit, job, place and what it is, the same whichever way the job is run; and after a reset the
 * same device draws the submission's picture as it was recorded. */
#include "tests/hostile/mali_job.h"

#include "tiler/list.h"

enum { LIST_TABLE = 12, TABLE_FIRST = 12 }; /* of ours: gpu/mali/tile_lists.h */
#define STORE_AND_STOP(at)                                                                                   \
    "vmul.imov.32 r26.xy, r24.xxxx, r26.xyyy ; const " at ", 0, 0, 0 ; next ldst\n"                          \
    "st_32 al0, al0.x.64, zero.x, 0 ; nop ; stop\n"

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
    uint8_t *type = at(j, vertex_job(j) + 16);
    *type = (uint8_t)(*type & 1) | 0x7f << 1;
}
static void fragment_in_the_wrong_slot(struct job *j)
{
    uint8_t *type = at(j, vertex_job(j) + 16);
    *type = (uint8_t)(*type & 1) | MALI_JOB_TYPE_FRAGMENT << 1;
}
static void endless_vertices(struct job *j)
{
    put_program(j, vertex_job(j), "loop: jump loop, alu1 ; next alu1\nvmul.imov.32 r0, r24, r0 ; stop\n");
}
static void vertex_program_outside(struct job *j)
{
    put(j, state(j, vertex_job(j)), OUTSIDE | 8);
}
static void vertex_state_outside(struct job *j)
{
    put(j, vertex_job(j) + AT_STATE, OUTSIDE);
}
static void vertex_program_of_nothing(struct job *j)
{
    put(j, state(j, vertex_job(j)), ODD | 8);
}
static void vertex_arrays_outside(struct job *j)
{
    uint64_t array = word_at(j, vertex_job(j) + AT_BUFFERS);
    put(j, array, OUTSIDE | 1);
}
static void varyings_outside(struct job *j)
{
    uint64_t array = word_at(j, vertex_job(j) + AT_VARYING_BUFFERS);
    put(j, array, OUTSIDE | 1);
}
static void four_thousand_million_vertices(struct job *j)
{
    put32(j, vertex_job(j) + AT_INVOCATION, UINT32_MAX);
    put32(j, vertex_job(j) + AT_INVOCATION + 4, 0);
}
static void stores_outside(struct job *j)
{
    put_program(j, vertex_job(j), STORE_AND_STOP("0x1000000"));
}
static void heap_outside(struct job *j)
{
    put(j, tiler(j) + 24, OUTSIDE);
    put(j, tiler(j) + 32, OUTSIDE + 0x100000);
}
static void heap_too_small(struct job *j)
{
    put(j, tiler(j) + 32, word_at(j, tiler(j) + 24) + 64);
}
static void list_outside(struct job *j)
{
    put(j, tiler(j) + 8, OUTSIDE);
}
static void endless_indices(struct job *j)
{
    uint8_t *primitive = at(j, tiler_job(j) + AT_PRIMITIVE);
    util_store32(primitive + 12, UINT32_MAX - 1);
}
static void indices_outside(struct job *j)
{
    uint8_t *primitive = at(j, tiler_job(j) + AT_PRIMITIVE);
    util_store32(primitive, util_load32(primitive) | 2 << 8);
    util_store64(primitive + 16, OUTSIDE);
}
static void positions_outside(struct job *j)
{
    put(j, tiler_job(j) + AT_POSITION, OUTSIDE);
}
static void positions_at_the_end(struct job *j)
{
    put(j, tiler_job(j) + AT_POSITION, UINT64_MAX - 15);
}
static void frame_outside(struct job *j)
{
    put(j, tiler_job(j) + AT_FBD, OUTSIDE | 1);
}
static void viewport_outside(struct job *j)
{
    put(j, tiler_job(j) + AT_VIEWPORT, OUTSIDE);
}
static void unknown_mode(struct job *j)
{
    *at(j, tiler_job(j) + AT_PRIMITIVE) = 0x11;
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
/* The polygon list: the header of tile lists. */
static uint64_t lists(struct job *j)
{
    return word_at(j, tiler(j) + 8);
}
/* Its 16 lists' blocks, each of which begins with the first. */
static uint64_t first_block(struct job *j)
{
    uint64_t table = (uint32_t)word_at(j, lists(j) + LIST_TABLE);
    return (uint32_t)word_at(j, table + TABLE_FIRST);
}
static void list_of_another_frame(struct job *j)
{
    const struct mali_lists_sample {
        uint32_t mark, columns, rows;
    } other = {0x4c4d5456, 1, 1};
    memcpy(at(j, word_at(j, tiler(j) + 8)), &other, sizeof other);
}
static void table_outside(struct job *j)
{
    put32(j, lists(j) + LIST_TABLE, OUTSIDE);
}
static void tile_list_outside(struct job *j)
{
    uint64_t table = (uint32_t)word_at(j, lists(j) + LIST_TABLE);
    for (uint32_t n = 0; n < 16; n++)
        put32(j, table + n * 24 + TABLE_FIRST, OUTSIDE);
}
/* An entry in place of all lists' first one. */
static void put_entry(struct job *j, uint64_t entry)
{
    for (uint32_t n = 0; n < 16; n++)
        put(j, first_block(j) + n * 256, entry);
}
static void tile_list_goes_on_in_itself(struct job *j)
{
    for (uint32_t n = 0; n < 16; n++)
        put(j, first_block(j) + n * 256,
            tiler_entry_place(TILER_ENTRY_NEXT, (uint32_t)first_block(j) + n * 256));
}
static void unknown_entry(struct job *j)
{
    put_entry(j, UINT64_MAX);
}
static void record_outside(struct job *j)
{
    put_entry(j, tiler_entry_place(TILER_ENTRY_STATE, OUTSIDE));
}
static void primitive_without_a_draw(struct job *j)
{
    put_entry(j, tiler_field_put(TILER_ENTRY_TRIANGLE, TILER_FIELD_KIND));
}
static void draw_is_no_tiler_job(struct job *j)
{
    uint8_t *type = at(j, tiler_job(j) + 16);
    *type = (uint8_t)(*type & 1) | MALI_JOB_TYPE_VERTEX << 1;
}
static void draw_is_rewritten(struct job *j)
{
    put(j, tiler_job(j) + AT_STATE, OUTSIDE);
}
static void endless_fragments(struct job *j)
{
    put_program(j, tiler_job(j), "loop: jump loop, alu1 ; next alu1\nvmul.imov.32 r0, r24, r0 ; stop\n");
}
static void no_instruction(struct job *j)
{
    put(j, state(j, tiler_job(j)), ODD | 8);
}
static void fragment_program_outside(struct job *j)
{
    put(j, state(j, tiler_job(j)), OUTSIDE | 8);
}
static void varyings_taken_away(struct job *j)
{
    put(j, word_at(j, tiler_job(j) + AT_VARYING_BUFFERS), OUTSIDE | 1);
}
static void stores_unannounced(struct job *j)
{
    put_program(j, tiler_job(j), STORE_AND_STOP("0x30000000"));
}
static void fragments_store_outside(struct job *j)
{
    put_program(j, tiler_job(j), STORE_AND_STOP("0x1000000"));
    put32(j, lists(j) + 20, 1);
}
static void image_outside(struct job *j)
{
    put(j, target(j) + 32, OUTSIDE);
}
static void image_in_rows_of_nothing(struct job *j)
{
    put32(j, target(j) + 40, 0);
}
static void image_in_endless_rows(struct job *j)
{
    put32(j, target(j) + 40, UINT32_MAX);
}
static void too_large_a_frame(struct job *j)
{
    put32(j, frame(j) + mali_frame_at(MALI_V5, MALI_FRAME_PARAMETERS), UINT32_MAX);
}
static void frame_taken_away(struct job *j)
{
    put(j, j->s.chain[0] + 40, OUTSIDE | 1);
}

static const struct hostile {
    struct spoilt spoilt;
    const char *report;
} cases[] = {
    {{"a chain outside", chain_outside, NULL},
     "job 1, job manager, draw 1, at 0x01000000: address outside memory: job header at 0x01000000, 32 bytes, "
     "cannot be read at 0x01000000"},
    {{"a chain that goes round", chain_goes_round, NULL},
     "job 1, job manager, at 0x02075200: timeout: the chain goes round: it has been at 0x02075440"},
    {{"a job of no type", unknown_type, NULL},
     "job 1, job manager, draw 2, at 0x02075140: bad record: job header: type is 127, which means nothing"},
    {{"a fragment job among vertices", fragment_in_the_wrong_slot, NULL},
     "job 1, job manager, draw 2, at 0x02075140: bad record: slot 1 takes no job of type 9"},
    {{"an endless vertex program", endless_vertices, NULL},
     "job 1, vertex program, draw 2, at 0x30001000, pc 0, lane 0: timeout: loops repeat more instructions "
     "than the fuel allows"},
    {{"a vertex program outside", vertex_program_outside, NULL},
     "job 1, vertex program, draw 2, at 0x01000000: address outside memory: program at 0x01000000, 16 bytes, "
     "cannot be executed at 0x01000000"},
    {{"a vertex job's state outside", vertex_state_outside, NULL},
     "job 1, job manager, draw 2, at 0x01000000: address outside memory: renderer state at 0x01000000, 64 "
     "bytes, cannot be read at 0x01000000"},
    {{"a vertex program that is none", vertex_program_of_nothing, NULL},
     "job 1, vertex program, draw 2, at 0x30000000: bad program: quadword 0 is no instruction, or goes "
     "beyond the program's memory"},
    {{"attributes outside", vertex_arrays_outside, NULL},
     "job 1, vertex program, draw 2, at 0x01000010, pc 0, lane 0: address outside memory: attribute at "
     "0x01000010, 16 bytes, cannot be read at 0x01000010"},
    {{"varyings stored outside", varyings_outside, NULL},
     "job 1, vertex program, draw 2, at 0x01000000, pc 6, lane 0: address outside memory: varying at "
     "0x01000000, 8 bytes, cannot be written at 0x01000000"},
    {{"as many vertices as a word holds", four_thousand_million_vertices, NULL},
     "job 1, vertex program, draw 2, at 0x02075140: timeout: programs execute too many instructions"},
    {{"a vertex program that stores outside", stores_outside, NULL},
     "job 1, vertex program, draw 2, at 0x01000000, pc 2, lane 0: address outside memory: memory at "
     "0x01000000, 4 bytes, cannot be written at 0x01000000"},
    {{"a heap outside", heap_outside, NULL},
     "job 1, tiler, draw 3, at 0x01000000: address outside memory: heap at 0x01000000, 384 bytes, cannot be "
     "written at 0x01000000"},
    {{"a heap without room", heap_too_small, NULL},
     "job 1, tiler, draw 3, at 0x02200040: out of tile memory: the heap has no room for tile lists"},
    {{"a polygon list outside", list_outside, NULL},
     "job 1, tiler, draw 3, at 0x01000000: address outside memory: polygon list at 0x01000000, 32 bytes, "
     "cannot be read at 0x01000000"},
    {{"as many vertices to draw as a word holds", endless_indices, NULL},
     "job 1, tiler, draw 3, at 0x021d6000: address outside memory: positions at 0x02186040, 1032192 bytes, "
     "cannot be read at 0x021d6000"},
    {{"indices outside", indices_outside, NULL},
     "job 1, tiler, draw 3, at 0x01000000: address outside memory: indices at 0x01000000, 6 bytes, cannot be "
     "read at 0x01000000"},
    {{"positions outside", positions_outside, NULL},
     "job 1, tiler, draw 3, at 0x01000000: address outside memory: positions at 0x01000000, 48 bytes, cannot "
     "be read at 0x01000000"},
    {{"positions at the end of all addresses", positions_at_the_end, NULL},
     "job 1, tiler, draw 3, at 0xfffffffffffffff0: address outside memory: positions at 0xfffffffffffffff0, "
     "16 bytes, cannot be read at 0xfffffffffffffff0"},
    {{"a tiler job's frame outside", frame_outside, NULL},
     "job 1, job manager, draw 3, at 0x01000000: address outside memory: local storage at 0x01000000, 32 "
     "bytes, cannot be read at 0x01000000"},
    {{"a viewport outside", viewport_outside, NULL},
     "job 1, job manager, draw 3, at 0x01000000: address outside memory: viewport at 0x01000000, 32 bytes, "
     "cannot be read at 0x01000000"},
    {{"primitives that are none", unknown_mode, NULL},
     "job 1, job manager, draw 3, at 0x02075228: bad record: primitive: draw mode is 17, which means "
     "nothing"},
    {{"a fragment job outside", NULL, frame_job_outside},
     "job 2, job manager, draw 1, at 0x01000000: address outside memory: job header at 0x01000000, 32 bytes, "
     "cannot be read at 0x01000000"},
    {{"bounds without a tile", NULL, empty_bounds},
     "job 2, fragment job, draw 1, at 0x02075480: bad record: the frame's bounds are empty"},
    {{"a polygon list of another frame", NULL, list_of_another_frame},
     "job 2, fragment job, draw 1, at 0x02196000: bad list: the polygon list is none of a frame of 256x256"},
    {{"a table of lists outside", NULL, table_outside},
     "job 2, fragment job, draw 1, at 0x01000000: address outside memory: table of tile lists at 0x01000000, "
     "384 bytes, cannot be read at 0x01000000"},
    {{"tile lists outside", NULL, tile_list_outside},
     "job 2, tile list, draw 1, at 0x01000000: address outside memory: 8 bytes of the list are not in "
     "memory"},
    {{"a tile list that goes on in itself", NULL, tile_list_goes_on_in_itself},
     "job 2, tile list, draw 1, at 0x02200180: timeout: the list goes round: it has been at 0x02200180"},
    {{"an entry that is none", NULL, unknown_entry},
     "job 2, tile list, draw 1, at 0x02200180: bad list: 0xffffffffffffffff is no entry"},
    {{"a draw's record outside", NULL, record_outside},
     "job 2, tile list, draw 1, at 0x01000000: address outside memory: 64 bytes of the list are not in "
     "memory"},
    {{"a primitive without a draw", NULL, primitive_without_a_draw},
     "job 2, tile list, draw 1, at 0x02200180: bad list: a primitive without a state"},
    {{"a draw that is no tiler job any more", NULL, draw_is_no_tiler_job},
     "job 2, fragment program, draw 3, at 0x02075200: bad list: the draw's job is none of the tiler's"},
    {{"a draw whose state was taken away", NULL, draw_is_rewritten},
     "job 2, fragment program, draw 3, at 0x01000000: address outside memory: renderer state at 0x01000000, "
     "64 bytes, cannot be read at 0x01000000"},
    {{"an endless fragment program", NULL, endless_fragments},
     "job 2, fragment program, draw 3, at 0x30001000, pc 0, lane 12: timeout: loops repeat more instructions "
     "than the fuel allows"},
    {{"no instruction", NULL, no_instruction},
     "job 2, fragment program, draw 3, at 0x30000000: bad program: quadword 0 is no instruction, or goes "
     "beyond the program's memory"},
    {{"a fragment program outside", NULL, fragment_program_outside},
     "job 2, fragment program, draw 3, at 0x01000000: address outside memory: program at 0x01000000, 16 "
     "bytes, cannot be executed at 0x01000000"},
    {{"varyings taken away", NULL, varyings_taken_away},
     "job 2, fragment program, draw 3, at 0x01000000: address outside memory: a varying of vertex 0 is not "
     "in memory"},
    {{"a program that stores and does not say so", NULL, stores_unannounced},
     "job 2, fragment program, draw 3, at 0x020753c0: bad record: its program stores to memory, its state "
     "says "
     "nothing of side effects"},
    {{"fragments that store outside", NULL, fragments_store_outside},
     "job 2, fragment program, draw 3, at 0x01000000, pc 2, lane 12: address outside memory: memory at "
     "0x01000000, 4 bytes, cannot be written at 0x01000000"},
    {{"an image outside", NULL, image_outside},
     "job 2, framebuffer, draw 1, at 0x01000000: address outside memory: image at 0x01000000, 262144 bytes, "
     "cannot be written at 0x01000000"},
    {{"an image whose rows are one", NULL, image_in_rows_of_nothing},
     "job 2, framebuffer, draw 1, at 0x02075000: bad record: an image of 256x256 pixels does not have rows "
     "of 0"},
    {{"an image whose rows have no end", NULL, image_in_endless_rows},
     "job 2, framebuffer, draw 1, at 0x02075000: bad record: an image of 256x256 pixels does not have rows "
     "of 4194303"},
    {{"a frame that is too large", NULL, too_large_a_frame},
     "job 2, framebuffer, draw 1, at 0x02075000: bad record: an image of 65536x65536 pixels does not have "
     "rows of 16"},
    {{"a frame taken away", NULL, frame_taken_away},
     "job 2, job manager, draw 1, at 0x01000000: address outside memory: local storage at 0x01000000, 32 "
     "bytes, cannot be read at 0x01000000"},
};

static void test_reports(void **state_)
{
    struct ways *w = *state_;
    uint64_t right = 0;
    unsigned wrong = 0;
    for (unsigned n = 0; n < UTIL_ARRAY_SIZE(cases); n++)
        for (unsigned way = 0; way < 4; way++) {
            const struct mali_options options = options_of(w, way);
            struct job j;
            open_job(&j, &options);
            wrong += !reported(&j, &cases[n].spoilt, way, "t860", cases[n].report);
            uint64_t hash = n % 4 == way ? draw_whole(&j) : right;
            right = right ? right : hash;
            assert_int_equal(hash, right);
            close_job(&j);
        }
    assert_int_equal(wrong, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_reports)};
    return cmocka_run_group_tests(tests, begin, end);
}
