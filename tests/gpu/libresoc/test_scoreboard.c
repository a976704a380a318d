/* The scoreboard of a hybrid core: the sequences of SIMPLE_V.md 13.3 and the conditions of 13.4. */
#include "gpu/libresoc/scoreboard.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "isa/random.h"

#define MOST_OPS 512u

/* ---- texts of operations ---- */

/* x5.b2, f3.h1, x9.w0, x8.d: an element of a register. */
static struct libresoc_element element(const char *text)
{
    char *rest;
    const unsigned long reg = strtoul(text + 1, &rest, 10);
    assert_true((text[0] == 'x' || text[0] == 'f') && *rest == '.' && reg < 128);
    const uint8_t size = rest[1] == 'b' ? 1 : rest[1] == 'h' ? 2 : rest[1] == 'w' ? 4 : 8;
    const unsigned long index = size == 8 ? 0 : strtoul(rest + 2, &rest, 10);
    assert_true(index < 8u / size);
    return (struct libresoc_element){
        .file = text[0] == 'f', .size = size, .at = (uint16_t)(reg * 8 + index * size)};
}

/* An operation of the width of its result. */
static struct libresoc_op op(const char *result, const char *a, const char *b)
{
    struct libresoc_op o = {.result = element(result), .source = {element(a), element(b)}};
    o.width = (uint8_t)(o.result.size * 8);
    return o;
}

/* ---- what became of them ---- */

struct pair {
    uint64_t earlier, later;
    uint32_t hazards;
};

struct run {
    struct libresoc_when when[MOST_OPS];
    struct libresoc_totals totals;
    struct pair pair[MOST_OPS * MOST_OPS / 2];
    uint32_t pairs;
};

static void note_pair(void *context, uint64_t earlier, uint64_t later, uint32_t hazards)
{
    struct run *run = context;
    assert_true(earlier < later);
    assert_true(run->pairs < sizeof run->pair / sizeof run->pair[0]);
    run->pair[run->pairs++] = (struct pair){earlier, later, hazards};
}

static void run_ops(struct run *run, const struct libresoc_core *core, const struct libresoc_op *ops,
                    uint32_t count)
{
    assert_true(count <= MOST_OPS);
    struct libresoc_scoreboard *board;
    run->pairs = 0;
    assert_int_equal(libresoc_scoreboard_create(core, &board), 0);
    libresoc_scoreboard_watch(board, note_pair, run);
    for (uint32_t i = 0; i < count; i++)
        assert_int_equal(libresoc_scoreboard_issue(board, &ops[i], &run->when[i]), 0);
    run->totals = libresoc_scoreboard_totals(board);
    libresoc_scoreboard_destroy(board);
}

static struct run run;

/* The core of SIMPLE_V.md 13.3's column of cycles. */
static struct libresoc_core example_core(void)
{
    struct libresoc_core core = libresoc_core_default();
    core.issue = 8;
    for (uint32_t i = 0; i < LIBRESOC_KINDS; i++)
        core.latency[i] = 2;
    return core;
}

static void is_when(uint32_t index, uint64_t issue, uint64_t read, uint64_t write)
{
    assert_int_equal(run.when[index].issue, issue);
    assert_int_equal(run.when[index].read, read);
    assert_int_equal(run.when[index].write, write);
}

enum { RAW = 1 << LIBRESOC_STALL_RAW, WAR = 1 << LIBRESOC_STALL_WAR, WAW = 1 << LIBRESOC_STALL_WAW };

/* The edges are these, "1 2 RAW" being {0, 1, RAW}. */
static void are_pairs(const struct pair *pair, uint32_t count)
{
    assert_int_equal(run.pairs, count);
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(run.pair[i].earlier, pair[i].earlier);
        assert_int_equal(run.pair[i].later, pair[i].later);
        assert_int_equal(run.pair[i].hazards, pair[i].hazards);
    }
}
#define PAIRS(...)                                                                                           \
    are_pairs((const struct pair[]){__VA_ARGS__}, sizeof(struct pair[]){__VA_ARGS__} / sizeof(struct pair))

#define RUN(core, ...)                                                                                       \
    run_ops(&run, core, (const struct libresoc_op[]){__VA_ARGS__},                                           \
            sizeof(struct libresoc_op[]){__VA_ARGS__} / sizeof(struct libresoc_op))

/* Eight 8-bit elements of one register. */
static void eight_bytes(struct libresoc_op ops[8])
{
    for (uint32_t i = 0; i < 8; i++) {
        ops[i] = op("x5.b0", "x6.b0", "x7.b0");
        ops[i].result.at += i;
        ops[i].source[0].at += i;
        ops[i].source[1].at += i;
    }
}

static void test_lanes_of_one_register(void **state)
{ /* D1 */
    (void)state;
    const struct libresoc_core core = example_core();
    struct libresoc_op ops[8];
    eight_bytes(ops);
    run_ops(&run, &core, ops, 8);
    assert_int_equal(run.pairs, 0);
    for (uint32_t i = 0; i < 8; i++)
        is_when(i, 1, 2, 4);
    assert_int_equal(run.totals.rows[LIBRESOC_FILE_X], 3);
    assert_int_equal(run.totals.in_flight, 8);
}

static void test_whole_registers(void **state)
{ /* D1' */
    (void)state;
    struct libresoc_core core = example_core();
    core.whole = true;
    struct libresoc_op ops[8];
    eight_bytes(ops);
    run_ops(&run, &core, ops, 8);
    assert_int_equal(run.pairs, 28);
    for (uint32_t i = 0; i < run.pairs; i++)
        assert_int_equal(run.pair[i].hazards, WAW);
    for (uint32_t i = 0; i < 8; i++)
        is_when(i, 1, 2, 4 + i);
}

static void test_cascades(void **state)
{ /* D2 to D6, D19 */
    (void)state;
    const struct libresoc_core core = example_core();
    RUN(&core, op("x5.b2", "x20.b0", "x21.b0"), op("x8.d", "x5.d", "x22.d"));
    PAIRS({0, 1, RAW});
    is_when(1, 1, 5, 7);
    RUN(&core, op("x5.b0", "x20.b0", "x21.b0"), op("x8.h0", "x5.h1", "x22.h0"));
    assert_int_equal(run.pairs, 0);
    is_when(0, 1, 2, 4);
    is_when(1, 1, 2, 4);
    RUN(&core, op("x5.b0", "x20.b0", "x21.b0"), op("x8.h0", "x5.h0", "x22.h0"));
    PAIRS({0, 1, RAW});
    is_when(1, 1, 5, 7);
    RUN(&core, op("x5.b0", "x20.b0", "x21.b0"), op("x5.h1", "x20.h0", "x21.h0"),
        op("x5.h2", "x20.h0", "x21.h0"), op("x5.h3", "x20.h0", "x21.h0"), op("x5.b1", "x20.b0", "x21.b0"));
    assert_int_equal(run.pairs, 0);
    RUN(&core, op("x9.d", "x20.d", "x21.d"), op("x8.d", "x5.d", "x9.d"), op("x5.b7", "x22.b0", "x23.b0"));
    PAIRS({0, 1, RAW}, {1, 2, WAR});
    is_when(1, 1, 5, 7);
    is_when(2, 1, 2, 6);
    assert_int_equal(run.totals.stall[LIBRESOC_STALL_RAW], 3);
    assert_int_equal(run.totals.stall[LIBRESOC_STALL_WAR], 2);
    RUN(&core, op("x5.b1", "x20.b0", "x21.b0"), op("x10.h0", "x5.h0", "x22.h0"),
        op("x11.w0", "x10.w0", "x23.w0"), op("x12.d", "x11.d", "x24.d"));
    PAIRS({0, 1, RAW}, {1, 2, RAW}, {2, 3, RAW});
}

static void test_writes(void **state)
{ /* D7, D8, D18 */
    (void)state;
    struct libresoc_core core = example_core();
    RUN(&core, op("x5.b0", "x20.b0", "x21.b0"), op("x5.b0", "x22.b0", "x23.b0"));
    PAIRS({0, 1, WAW});
    is_when(0, 1, 2, 4);
    is_when(1, 1, 2, 5);
    RUN(&core, op("x5.d", "x20.d", "x21.d"), op("x5.b3", "x22.b0", "x23.b0"));
    PAIRS({0, 1, WAW});
    is_when(1, 1, 2, 5);
    assert_int_equal(run.totals.stall[LIBRESOC_STALL_WAW], 1);
    core.in_order = true; /* the 6600's way: it is the issue that waits */
    RUN(&core, op("x5.b0", "x20.b0", "x21.b0"), op("x5.b0", "x22.b0", "x23.b0"));
    assert_int_equal(run.pairs, 0);
    is_when(1, 5, 6, 8);
    assert_int_equal(run.totals.stall[LIBRESOC_STALL_WAW], 4);
    core.in_order = false;
    RUN(&core, op("f32.d", "f1.d", "f2.d"), op("f32.w0", "f3.w0", "f4.w0"), op("f32.w1", "f5.w0", "f6.w0"));
    PAIRS({0, 1, WAW}, {0, 2, WAW});
}

static void test_floats(void **state)
{ /* D9 to D13 */
    (void)state;
    const struct libresoc_core core = example_core();
    RUN(&core, op("f32.w0", "f1.w0", "f2.w0"), op("f8.w0", "f32.w1", "f3.w0"));
    assert_int_equal(run.pairs, 0);
    RUN(&core, op("f32.w0", "f1.w0", "f2.w0"), op("f8.w0", "f32.w0", "f3.w0"));
    PAIRS({0, 1, RAW});
    RUN(&core, op("f32.d", "f1.d", "f2.d"), op("f8.w0", "f32.w1", "f3.w0"));
    PAIRS({0, 1, RAW});
    RUN(&core, op("f5.w0", "f1.w0", "f1.w0"), op("f6.h0", "f5.h1", "f2.h0"));
    PAIRS({0, 1, RAW});
    RUN(&core, op("f5.h1", "f1.h0", "f2.h0"), op("f6.w0", "f5.w0", "f3.w0"));
    PAIRS({0, 1, RAW});
    RUN(&core, op("x5.b0", "x20.b0", "x21.b0"), op("f5.d", "f1.d", "f2.d"));
    assert_int_equal(run.pairs, 0);
}

static void test_rows_of_names(void **state)
{ /* D14, D15; rows are at least five, so each sequence holds some first */
    (void)state;
    struct libresoc_core core = example_core();
    core.rows = 5;
    RUN(&core, op("x1.d", "x2.d", "x3.d"), op("x4.d", "x5.d", "x6.d"));
    assert_int_equal(run.pairs, 0);
    is_when(0, 1, 2, 4);
    is_when(1, 5, 6, 8);
    assert_int_equal(run.totals.stall[LIBRESOC_STALL_ROW], 4);
    assert_int_equal(run.totals.rows[LIBRESOC_FILE_X], 3);
    core.rows = 6;
    RUN(&core, op("x1.d", "x2.d", "x3.d"), op("x4.d", "x5.d", "x6.d"));
    is_when(1, 1, 2, 4);
    core.rows = 5;
    RUN(&core, op("x1.d", "x2.d", "x3.d"), op("x3.d", "x1.d", "x2.d"));
    PAIRS({0, 1, RAW | WAR});
    is_when(1, 1, 5, 7);
    /* A file has rows of its own. */
    RUN(&core, op("x1.d", "x2.d", "x3.d"), op("f4.d", "f5.d", "f6.d"));
    is_when(1, 1, 2, 4);
}

static void test_units(void **state)
{ /* D16, D17 */
    (void)state;
    struct libresoc_core core = example_core();
    core.units32 = 2;
    RUN(&core, op("x1.d", "x2.d", "x3.d"), op("x4.d", "x5.d", "x6.d"));
    is_when(1, 5, 6, 8);
    assert_int_equal(run.totals.stall[LIBRESOC_STALL_UNIT32], 4);
    /* Two 32-bit operations fill the pair as well. */
    RUN(&core, op("x1.w0", "x2.w0", "x3.w0"), op("x4.w0", "x5.w0", "x6.w0"), op("x7.w0", "x8.w0", "x9.w0"));
    is_when(1, 1, 2, 4);
    is_when(2, 5, 6, 8);
    core = example_core();
    core.units8 = 4;
    RUN(&core, op("x1.h0", "x2.h0", "x3.h0"), op("x4.h0", "x5.h0", "x6.h0"), op("x7.h0", "x8.h0", "x9.h0"));
    is_when(1, 1, 2, 4);
    is_when(2, 5, 6, 8);
    assert_int_equal(run.totals.stall[LIBRESOC_STALL_UNIT8], 4);
}

static void test_pairs_stay_whole(void **state)
{
    (void)state;
    struct libresoc_core core = example_core();
    core.units32 = 4;
    /* Two single units are of one pair, and so the other is there for the operation of 64 bits. */
    RUN(&core, op("x2.w0", "x20.w0", "x21.w0"), op("x4.w1", "x20.w0", "x21.w0"), op("x7.d", "x8.d", "x9.d"));
    is_when(2, 1, 2, 4);
}

static void test_batches(void **state)
{
    (void)state;
    struct libresoc_core core = example_core();
    core.units8 = 2;
    struct libresoc_op ops[8];
    eight_bytes(ops);
    run_ops(&run, &core, ops, 8);
    const uint64_t alone = run.totals.cycles;
    core.batch = true;
    run_ops(&run, &core, ops, 8);
    assert_true(run.totals.cycles < alone);
    for (uint32_t i = 0; i < 8; i++) /* two 8-bit units, then two 32-bit ones for the rest of both words */
        is_when(i, 1, 2, 4);
    core.units32 = 2;
    for (uint32_t i = 0; i < 8; i++) /* elements of different instructions share none */
        ops[i].instruction = i;
    run_ops(&run, &core, ops, 8);
    is_when(3, 1, 2, 4);
    assert_true(run.when[4].issue > 1);
}

static void test_masks(void **state)
{ /* D20 */
    (void)state;
    const struct libresoc_core core = example_core();
    struct libresoc_op ops[6] = {op("x9.d", "x20.d", "x21.d")};
    for (uint32_t i = 0; i < 4; i++) {
        ops[1 + i] = op("x5.b0", "x6.b0", "x7.b0");
        ops[1 + i].result.at += i;
        ops[1 + i].mask = element("x9.d");
        ops[1 + i].dies = i % 2;
    }
    ops[5] = op("x5.b1", "x22.b0", "x23.b0"); /* after one that dies */
    run_ops(&run, &core, ops, 6);
    const uint32_t mask = 1 << LIBRESOC_STALL_MASK;
    PAIRS({0, 1, mask}, {0, 2, mask}, {0, 3, mask}, {0, 4, mask}, {2, 5, WAW});
    is_when(1, 1, 5, 7);
    is_when(2, 1, 5, 5); /* reads its mask and is gone */
    is_when(5, 1, 2, 6); /* until then nobody knows that there will be no write */
    assert_int_equal(run.totals.died, 2);
    assert_int_equal(run.totals.stall[LIBRESOC_STALL_MASK], 4 * 3);
}

/* ---- ports ---- */

static void test_ports(void **state)
{ /* M7 */
    (void)state;
    struct libresoc_core core = example_core();
    struct libresoc_op ops[4];
    for (uint32_t i = 0; i < 4; i++) { /* packed: two elements a register, one in each bank */
        ops[i] = op("f8.w0", "f16.w0", "f24.w0");
        ops[i].result.at += 4 * i;
        ops[i].source[0].at += 4 * i;
        ops[i].source[1].at += 4 * i;
    }
    run_ops(&run, &core, ops, 4);
    for (uint32_t i = 0; i < 4; i++)
        is_when(i, 1, 2, 4);
    assert_int_equal(run.totals.stall[LIBRESOC_STALL_PORT], 0);
    for (uint32_t i = 0; i < 4; i++) { /* an element a register, as in a VBLOCK: two banks, twice */
        ops[i] = op("f8.d", "f16.d", "f24.d");
        ops[i].result.at += 8 * i;
        ops[i].source[0].at += 8 * i;
        ops[i].source[1].at += 8 * i;
    }
    run_ops(&run, &core, ops, 4);
    is_when(1, 1, 2, 4);
    is_when(2, 1, 3, 5); /* three read ports do for one and a half */
    is_when(3, 1, 3, 5);
    core.reads = 4;
    run_ops(&run, &core, ops, 4);
    is_when(3, 1, 2, 5); /* one write port a bank */
    core.writes = 2;
    run_ops(&run, &core, ops, 4);
    is_when(3, 1, 2, 4);
}

/* ---- against counting by brute force ---- */

static struct libresoc_element random_element(struct isa_random *random, uint8_t size, uint32_t registers)
{
    const uint32_t bytes = registers * 8;
    return (struct libresoc_element){.file = isa_random_one_in(random, 8),
                                     .size = size,
                                     .at = (uint16_t)(isa_random_below(random, bytes / size) * size)};
}

static struct libresoc_op random_op(struct isa_random *random, uint32_t registers)
{
    struct libresoc_op o = {.kind = isa_random_below(random, LIBRESOC_KINDS),
                            .width = (uint8_t)(8 << isa_random_below(random, 4)),
                            .instruction = isa_random_below(random, 3)};
    const uint32_t sources = isa_random_below(random, LIBRESOC_SOURCES + 1);
    for (uint32_t i = 0; i < sources; i++)
        o.source[i] = random_element(random, (uint8_t)(1 << isa_random_below(random, 4)), registers);
    if (isa_random_below(random, 4))
        o.result = random_element(random, o.width / 8, registers);
    if (isa_random_one_in(random, 4)) {
        o.mask = random_element(random, 8, registers);
        o.dies = isa_random_below(random, 2);
    }
    return o;
}

static struct libresoc_core random_core(struct isa_random *random)
{
    struct libresoc_core core = {.units32 = 2 + 2 * isa_random_below(random, 8),
                                 .units8 = 2 + 2 * isa_random_below(random, 16),
                                 .rows = LIBRESOC_MIN_ROWS + isa_random_below(random, 32),
                                 .issue = 1 + isa_random_below(random, 8),
                                 .reads = 1 + isa_random_below(random, LIBRESOC_PORTS),
                                 .writes = 1 + isa_random_below(random, LIBRESOC_PORTS),
                                 .whole = isa_random_one_in(random, 4),
                                 .batch = isa_random_below(random, 2),
                                 .in_order = isa_random_one_in(random, 4)};
    for (uint32_t i = 0; i < LIBRESOC_KINDS; i++)
        core.latency[i] = 1 + isa_random_below(random, isa_random_below(random, 8) ? 8 : 64);
    return core;
}

/* The bytes of each register, as bits. */
struct bytes {
    uint8_t reg[LIBRESOC_FILES][LIBRESOC_FILE_BYTES / 8];
};

static void mark(struct bytes *bytes, const struct libresoc_element *e, bool whole)
{
    if (e->size)
        bytes->reg[e->file][e->at / 8] |= whole ? 0xff : ((1u << e->size) - 1) << e->at % 8;
}

static bool common(const struct bytes *a, const struct bytes *b)
{
    bool any = false;
    for (uint32_t file = 0; file < LIBRESOC_FILES; file++) {
        for (uint32_t i = 0; i < LIBRESOC_FILE_BYTES / 8; i++)
            any |= (a->reg[file][i] & b->reg[file][i]) != 0;
    }
    return any;
}

static uint32_t hazards_of(const struct libresoc_op *earlier, const struct libresoc_op *later, bool whole)
{
    static struct bytes read[2], mask[2], written[2];
    const struct libresoc_op *const pair[2] = {earlier, later};
    memset(read, 0, sizeof read);
    memset(mask, 0, sizeof mask);
    memset(written, 0, sizeof written);
    for (uint32_t i = 0; i < 2; i++) {
        for (uint32_t j = 0; j < LIBRESOC_SOURCES; j++)
            mark(&read[i], &pair[i]->source[j], whole);
        mark(&mask[i], &pair[i]->mask, whole);
        mark(&written[i], &pair[i]->result, whole);
    }
    return (uint32_t)common(&written[0], &read[1]) << LIBRESOC_STALL_RAW |
           (uint32_t)common(&written[0], &mask[1]) << LIBRESOC_STALL_MASK |
           (uint32_t)(common(&read[0], &written[1]) || common(&mask[0], &written[1])) << LIBRESOC_STALL_WAR |
           (uint32_t)common(&written[0], &written[1]) << LIBRESOC_STALL_WAW;
}

/* The cycles keep to what each hazard means, and the edges are those of overlapping bytes in flight. */
static void check_run(const struct libresoc_core *core, const struct libresoc_op *ops, uint32_t count)
{
    uint32_t seen = 0;
    for (uint32_t later = 0; later < count; later++) {
        const struct libresoc_when *l = &run.when[later];
        assert_true(l->read > l->issue);
        assert_true(ops[later].dies ? l->write == l->read
                                    : l->write >= l->read + core->latency[ops[later].kind]);
        assert_true(later == 0 || l->issue >= run.when[later - 1].issue);
        for (uint32_t earlier = 0; earlier < later; earlier++) {
            const struct libresoc_when *e = &run.when[earlier];
            const uint32_t hazards = hazards_of(&ops[earlier], &ops[later], core->whole);
            if (hazards & (1u << LIBRESOC_STALL_RAW | 1u << LIBRESOC_STALL_MASK))
                assert_true(l->read > e->write);
            if (hazards & WAR && !ops[later].dies)
                assert_true(l->write > e->read);
            if (hazards & WAW && !ops[later].dies)
                assert_true(l->write > e->write);
            if (hazards && e->write >= l->issue) {
                assert_true(seen < run.pairs);
                assert_int_equal(run.pair[seen].earlier, earlier);
                assert_int_equal(run.pair[seen].later, later);
                assert_int_equal(run.pair[seen++].hazards, hazards);
            }
        }
    }
    assert_int_equal(seen, run.pairs);
}

static void test_random(void **state)
{ /* M2, M3 */
    (void)state;
    struct isa_random random = {.state = 1};
    static struct libresoc_op ops[24];
    for (uint32_t i = 0; i < 2000; i++) {
        const struct libresoc_core core = random_core(&random);
        const uint32_t registers = 2 + isa_random_below(&random, 24);
        for (uint32_t j = 0; j < 24; j++)
            ops[j] = random_op(&random, registers);
        run_ops(&run, &core, ops, 24);
        check_run(&core, ops, 24);
    }
}

/* More of anything never costs a cycle: of a loop over vectors as blending has it. */
static void test_more_is_no_slower(void **state)
{ /* M5, M6 */
    (void)state;
    static struct libresoc_op ops[MOST_OPS];
    for (uint32_t i = 0; i < MOST_OPS; i++) { /* widen, multiply, add, narrow; elements of 16 at a time */
        const uint32_t step = i / 16 % 4, lane = i % 16;
        struct libresoc_op *o = &ops[i];
        *o = step == 3 ? op("x12.b0", "x96.h0", "x80.h0") : op("x64.h0", "x12.b0", "x20.b0");
        if (step == 1 || step == 2)
            *o = op(step == 1 ? "x80.h0" : "x96.h0", "x64.h0", "x80.h0");
        o->kind = step == 1 ? LIBRESOC_KIND_MULTIPLY : LIBRESOC_KIND_INTEGER;
        o->instruction = i / 16;
        o->result.at += o->result.size * lane;
        o->source[0].at += o->source[0].size * lane;
        o->source[1].at += o->source[1].size * lane;
    }
    const struct libresoc_core base = libresoc_core_default();
    run_ops(&run, &base, ops, MOST_OPS);
    const uint64_t cycles = run.totals.cycles;
    struct libresoc_core more[6];
    for (uint32_t i = 0; i < 6; i++)
        more[i] = base;
    more[0].units32 *= 2, more[1].units8 *= 2, more[2].rows *= 2, more[3].reads++, more[4].writes++,
        more[5].issue *= 2;
    for (uint32_t i = 0; i < 6; i++) {
        run_ops(&run, &more[i], ops, MOST_OPS);
        assert_true(run.totals.cycles <= cycles);
    }
    struct libresoc_core whole = base;
    whole.whole = true;
    run_ops(&run, &whole, ops, MOST_OPS);
    assert_true(run.totals.cycles > cycles);
}

static void test_cells(void **state)
{ /* M8 */
    (void)state;
    const struct libresoc_core core = {.units32 = 8, .units8 = 8};
    assert_int_equal(libresoc_core_cells(&core, 2), 16 * 16);
    assert_int_equal(libresoc_core_cells(&core, 4), 32 * 32);
}

static void test_refused(void **state)
{
    (void)state;
    struct libresoc_scoreboard *board;
    struct libresoc_core bad[10];
    for (uint32_t i = 0; i < 10; i++)
        bad[i] = libresoc_core_default();
    bad[0].units32 = 3, bad[1].units8 = 0, bad[2].units32 = LIBRESOC_UNITS + 2,
    bad[3].rows = LIBRESOC_MIN_ROWS - 1;
    bad[4].issue = 0, bad[5].reads = LIBRESOC_PORTS + 1, bad[6].writes = 0,
    bad[7].latency[LIBRESOC_KIND_LOAD] = 0;
    bad[8].rows = LIBRESOC_ROWS + 1, bad[9].latency[0] = LIBRESOC_LATENCY + 1;
    for (uint32_t i = 0; i < 10; i++) {
        assert_int_equal(libresoc_scoreboard_create(&bad[i], &board), -EINVAL);
        assert_null(board);
    }
    const struct libresoc_core core = libresoc_core_default();
    assert_int_equal(libresoc_scoreboard_create(&core, &board), 0);
    struct libresoc_op ops[5];
    for (uint32_t i = 0; i < 5; i++)
        ops[i] = op("x1.w0", "x2.w0", "x3.w0");
    ops[0].width = 24, ops[1].result.at = 2, ops[2].source[1].file = LIBRESOC_FILES, ops[3].mask.size = 3;
    ops[4].source[0].at = LIBRESOC_FILE_BYTES;
    struct libresoc_when when;
    for (uint32_t i = 0; i < 5; i++)
        assert_int_equal(libresoc_scoreboard_issue(board, &ops[i], &when), -EINVAL);
    assert_int_equal(libresoc_scoreboard_totals(board).ops, 0);
    libresoc_scoreboard_destroy(board);
    libresoc_scoreboard_destroy(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lanes_of_one_register),
        cmocka_unit_test(test_whole_registers),
        cmocka_unit_test(test_cascades),
        cmocka_unit_test(test_writes),
        cmocka_unit_test(test_floats),
        cmocka_unit_test(test_rows_of_names),
        cmocka_unit_test(test_units),
        cmocka_unit_test(test_pairs_stay_whole),
        cmocka_unit_test(test_batches),
        cmocka_unit_test(test_masks),
        cmocka_unit_test(test_ports),
        cmocka_unit_test(test_random),
        cmocka_unit_test(test_more_is_no_slower),
        cmocka_unit_test(test_cells),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
