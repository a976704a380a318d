#include "gpu/libresoc/scoreboard.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/libresoc/ports.h"

/* What waits, waits for older operations alone, so one pass in program order settles all cycles of an operation when
 * it issues, and nothing can wait in a circle. */

/* Elements of a batch share a 32-bit unit. */
#define MOST_IN_FLIGHT (LIBRESOC_UNITS * 4 + LIBRESOC_UNITS)

#define REGISTERS (LIBRESOC_FILE_BYTES / 8)

enum { CLASS_32, CLASS_8, CLASSES };

struct in_flight {
    uint64_t number;
    struct libresoc_op op;
    struct libresoc_when when; /* its unit and its names are free in the cycle after `write` */
    uint8_t class;
    uint64_t units; /* of its class, as bits */
};

struct libresoc_scoreboard {
    struct libresoc_core core;
    struct libresoc_ports ports;
    libresoc_edge edge;
    void *context;

    uint64_t cycle;  /* of the last issue */
    uint32_t issued; /* in it */

    struct in_flight flight[MOST_IN_FLIGHT]; /* in program order */
    uint32_t count;
    uint64_t busy[CLASSES];                    /* units, as bits */
    uint16_t users[LIBRESOC_FILES][REGISTERS]; /* in flight, of each name */
    uint32_t names[LIBRESOC_FILES];            /* that have any */

    struct libresoc_totals totals;
};

struct libresoc_core libresoc_core_default(void)
{
    return (struct libresoc_core){
        .units32 = 8,
        .units8 = 32,
        .rows = 32,
        .issue = 4,
        .reads = 3,
        .writes = 1,
        .latency = {[LIBRESOC_KIND_INTEGER] = 1,
                    [LIBRESOC_KIND_MULTIPLY] = 3,
                    [LIBRESOC_KIND_FLOAT] = 4,
                    [LIBRESOC_KIND_DIVIDE] = 16,
                    [LIBRESOC_KIND_LOAD] = 3,
                    [LIBRESOC_KIND_STORE] = 1},
    };
}

uint64_t libresoc_core_cells(const struct libresoc_core *core, uint32_t classes)
{
    const uint64_t units = (uint64_t)(core->units32 + core->units8) * classes / CLASSES;
    return units * units;
}

const char *libresoc_stall_name(enum libresoc_stall stall)
{
    static const char *const name[LIBRESOC_STALLS] = {
        [LIBRESOC_STALL_RAW] = "RAW",       [LIBRESOC_STALL_WAR] = "WAR",     [LIBRESOC_STALL_WAW] = "WAW",
        [LIBRESOC_STALL_UNIT32] = "unit32", [LIBRESOC_STALL_UNIT8] = "unit8", [LIBRESOC_STALL_ROW] = "row",
        [LIBRESOC_STALL_PORT] = "port",     [LIBRESOC_STALL_MASK] = "mask",
    };
    return name[stall];
}

/* ---- what is valid ---- */

static bool in_range(uint32_t value, uint32_t low, uint32_t high)
{
    return value >= low && value <= high;
}

static bool core_is_valid(const struct libresoc_core *core)
{
    for (uint32_t i = 0; i < LIBRESOC_KINDS; i++) {
        if (!in_range(core->latency[i], 1, LIBRESOC_LATENCY))
            return false;
    }
    return in_range(core->units32, 2, LIBRESOC_UNITS) && core->units32 % 2 == 0 &&
           in_range(core->units8, 2, LIBRESOC_UNITS) && core->units8 % 2 == 0 &&
           in_range(core->rows, LIBRESOC_MIN_ROWS, LIBRESOC_ROWS) &&
           in_range(core->issue, 1, LIBRESOC_ISSUE) && in_range(core->reads, 1, LIBRESOC_PORTS) &&
           in_range(core->writes, 1, LIBRESOC_PORTS);
}

static bool is_power(uint32_t value, uint32_t low, uint32_t high)
{
    return in_range(value, low, high) && (value & (value - 1)) == 0;
}

static bool element_is_valid(const struct libresoc_element *e)
{
    return e->size == 0 || (is_power(e->size, 1, 8) && e->file < LIBRESOC_FILES &&
                            e->at < LIBRESOC_FILE_BYTES && e->at % e->size == 0);
}

static bool op_is_valid(const struct libresoc_op *op)
{
    for (uint32_t i = 0; i < LIBRESOC_SOURCES; i++) {
        if (!element_is_valid(&op->source[i]))
            return false;
    }
    return op->kind < LIBRESOC_KINDS && is_power(op->width, 8, 64) && element_is_valid(&op->mask) &&
           element_is_valid(&op->result);
}

int libresoc_scoreboard_create(const struct libresoc_core *core, struct libresoc_scoreboard **out)
{
    *out = NULL;
    if (!core_is_valid(core))
        return -EINVAL;
    struct libresoc_scoreboard *board = calloc(1, sizeof *board);
    if (!board)
        return -ENOMEM;
    board->core = *core;
    board->cycle = 1;
    /* What issues last can wait for all others in flight, one after the other, and for nothing beyond them. */
    uint64_t span = 0;
    for (uint32_t i = 0; i < LIBRESOC_KINDS; i++)
        span = core->latency[i] > span ? core->latency[i] : span;
    const uint64_t most = core->units8 + (uint64_t)core->units32 * (core->batch ? 4 : 1);
    const int err = libresoc_ports_init(&board->ports, core->reads, core->writes,
                                        (span + 2 * (LIBRESOC_SOURCES + 1)) * (most + 1));
    if (err) {
        free(board);
        return err;
    }
    *out = board;
    return 0;
}

void libresoc_scoreboard_destroy(struct libresoc_scoreboard *board)
{
    if (!board)
        return;
    libresoc_ports_finish(&board->ports);
    free(board);
}

void libresoc_scoreboard_watch(struct libresoc_scoreboard *board, libresoc_edge edge, void *context)
{
    board->edge = edge;
    board->context = context;
}

/* ---- names ---- */

/* The elements of an operation, its result last, which has one if it has a result. */
static uint32_t elements(const struct libresoc_op *op,
                         const struct libresoc_element *out[LIBRESOC_SOURCES + 2])
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < LIBRESOC_SOURCES; i++) {
        if (op->source[i].size)
            out[n++] = &op->source[i];
    }
    if (op->mask.size)
        out[n++] = &op->mask;
    if (op->result.size)
        out[n++] = &op->result;
    return n;
}

static void hold_names(struct libresoc_scoreboard *board, const struct libresoc_op *op)
{
    const struct libresoc_element *e[LIBRESOC_SOURCES + 2];
    const uint32_t n = elements(op, e);
    for (uint32_t i = 0; i < n; i++) {
        if (board->users[e[i]->file][e[i]->at / 8]++ == 0)
            board->names[e[i]->file]++;
    }
}

static void free_names(struct libresoc_scoreboard *board, const struct libresoc_op *op)
{
    const struct libresoc_element *e[LIBRESOC_SOURCES + 2];
    const uint32_t n = elements(op, e);
    for (uint32_t i = 0; i < n; i++) {
        if (--board->users[e[i]->file][e[i]->at / 8] == 0)
            board->names[e[i]->file]--;
    }
}

static bool names_fit(const struct libresoc_scoreboard *board, const struct libresoc_op *op)
{
    const struct libresoc_element *e[LIBRESOC_SOURCES + 2];
    const uint32_t n = elements(op, e);
    uint32_t names[LIBRESOC_FILES] = {board->names[LIBRESOC_FILE_X], board->names[LIBRESOC_FILE_F]};
    for (uint32_t i = 0; i < n; i++) {
        bool known = board->users[e[i]->file][e[i]->at / 8] != 0;
        for (uint32_t j = 0; j < i && !known; j++)
            known = e[j]->file == e[i]->file && e[j]->at / 8 == e[i]->at / 8;
        names[e[i]->file] += !known;
    }
    return names[LIBRESOC_FILE_X] <= board->core.rows && names[LIBRESOC_FILE_F] <= board->core.rows;
}

/* ---- units ---- */

/* `pair`: two neighbours, even and odd; else one, of a pair that is in use already if there is any, so that pairs stay
 * whole. Bits of the units, or 0. */
static uint64_t find_units(uint64_t busy, uint32_t count, bool pair)
{
    uint64_t whole = 0;
    for (uint32_t i = 0; i < count; i += 2) {
        const uint64_t used = busy >> i & 3;
        if (!pair && (used == 1 || used == 2))
            return (used ^ 3) << i;
        if (used == 0 && !whole)
            whole = (pair ? UINT64_C(3) : UINT64_C(1)) << i;
    }
    return whole;
}

/* The units of a batch that the operation can join: neighbours of its instruction, with a result in its word. */
static uint64_t batch_units(const struct libresoc_scoreboard *board, const struct libresoc_op *op)
{
    if (!op->result.size)
        return 0;
    for (uint32_t i = board->count; i-- > 0;) {
        const struct in_flight *f = &board->flight[i];
        if (f->op.instruction != op->instruction)
            return 0;
        if (f->class == CLASS_32 && f->op.width == op->width && f->op.result.file == op->result.file &&
            f->op.result.at / 4 == op->result.at / 4)
            return f->op.result.at < op->result.at ? f->units : 0; /* upwards, so there are four at most */
    }
    return 0;
}

struct choice {
    uint8_t class;
    uint64_t units; /* 0: none is free */
};

static struct choice choose_units(const struct libresoc_scoreboard *board, const struct libresoc_op *op)
{
    const struct libresoc_core *core = &board->core;
    if (op->width >= 32)
        return (struct choice){CLASS_32, find_units(board->busy[CLASS_32], core->units32, op->width == 64)};
    struct choice choice = {CLASS_8, find_units(board->busy[CLASS_8], core->units8, op->width == 16)};
    if (!choice.units && core->batch) {
        const uint64_t units = batch_units(board, op);
        const uint64_t fresh = units ? units : find_units(board->busy[CLASS_32], core->units32, false);
        if (fresh)
            choice = (struct choice){CLASS_32, fresh};
    }
    return choice;
}

/* Ends all that wrote before `cycle`. */
static void retire(struct libresoc_scoreboard *board, uint64_t cycle)
{
    uint32_t kept = 0;
    uint64_t busy[CLASSES] = {0};
    for (uint32_t i = 0; i < board->count; i++) {
        struct in_flight *f = &board->flight[i];
        if (f->when.write < cycle) {
            free_names(board, &f->op);
            continue;
        }
        busy[f->class] |= f->units;
        if (kept != i)
            board->flight[kept] = *f;
        kept++;
    }
    board->count = kept;
    memcpy(board->busy, busy, sizeof busy);
}

/* The cycle in which something in flight ends first. */
static uint64_t next_end(const struct libresoc_scoreboard *board)
{
    uint64_t end = UINT64_MAX;
    for (uint32_t i = 0; i < board->count; i++)
        end = board->flight[i].when.write < end ? board->flight[i].when.write : end;
    return end;
}

/* ---- hazards ---- */

static bool overlap(const struct libresoc_core *core, const struct libresoc_element *a,
                    const struct libresoc_element *b)
{
    if (!a->size || !b->size || a->file != b->file)
        return false;
    if (core->whole)
        return a->at / 8 == b->at / 8;
    return a->at < b->at + b->size && b->at < a->at + a->size;
}

static bool reads_bytes(const struct libresoc_core *core, const struct libresoc_op *op,
                        const struct libresoc_element *e)
{
    for (uint32_t i = 0; i < LIBRESOC_SOURCES; i++) {
        if (overlap(core, &op->source[i], e))
            return true;
    }
    return false;
}

static uint32_t hazards_with(const struct libresoc_core *core, const struct libresoc_op *earlier,
                             const struct libresoc_op *later)
{
    uint32_t hazards = 0;
    if (reads_bytes(core, later, &earlier->result))
        hazards |= 1u << LIBRESOC_STALL_RAW;
    if (overlap(core, &later->mask, &earlier->result))
        hazards |= 1u << LIBRESOC_STALL_MASK;
    if (reads_bytes(core, earlier, &later->result) || overlap(core, &earlier->mask, &later->result))
        hazards |= 1u << LIBRESOC_STALL_WAR;
    if (overlap(core, &earlier->result, &later->result))
        hazards |= 1u << LIBRESOC_STALL_WAW;
    return hazards;
}

static void raise(uint64_t *bound, uint64_t value)
{
    *bound = value > *bound ? value : *bound;
}

/* The first cycles in which each hazard lets the operation read (RAW, MASK) or write (WAR, WAW). */
static void find_bounds(const struct libresoc_scoreboard *board, const struct libresoc_op *op,
                        uint64_t bound[LIBRESOC_STALLS])
{
    memset(bound, 0, LIBRESOC_STALLS * sizeof *bound);
    for (uint32_t i = 0; i < board->count; i++) {
        const struct in_flight *f = &board->flight[i];
        const uint32_t hazards = hazards_with(&board->core, &f->op, op);
        if (!hazards)
            continue;
        for (uint32_t stall = 0; stall < LIBRESOC_STALLS; stall++) {
            if (hazards >> stall & 1)
                raise(&bound[stall], (stall == LIBRESOC_STALL_WAR ? f->when.read : f->when.write) + 1);
        }
        if (board->edge)
            board->edge(board->context, f->number, board->totals.ops, hazards);
    }
}

static bool writes_in_flight(const struct libresoc_scoreboard *board, const struct libresoc_op *op)
{
    for (uint32_t i = 0; i < board->count; i++) {
        if (overlap(&board->core, &board->flight[i].op.result, &op->result))
            return true;
    }
    return false;
}

/* ---- an operation's cycles ---- */

/* Waits until there is room for the operation, and tells its units. */
static struct choice wait_for_issue(struct libresoc_scoreboard *board, const struct libresoc_op *op)
{
    if (board->issued == board->core.issue) {
        board->cycle++;
        board->issued = 0;
    }
    for (;;) {
        retire(board, board->cycle);
        const struct choice choice = choose_units(board, op);
        enum libresoc_stall stall;
        if (!choice.units)
            stall = op->width >= 32 ? LIBRESOC_STALL_UNIT32 : LIBRESOC_STALL_UNIT8;
        else if (!names_fit(board, op))
            stall = LIBRESOC_STALL_ROW;
        else if (board->core.in_order && writes_in_flight(board, op))
            stall = LIBRESOC_STALL_WAW;
        else
            return choice;
        const uint64_t cycle = next_end(board) + 1;
        board->totals.stall[stall] += cycle - board->cycle;
        board->cycle = cycle;
        board->issued = 0;
    }
}

/* Moves *cycle to what a hazard asks for, which is what it costs. */
static void wait_for(struct libresoc_scoreboard *board, enum libresoc_stall stall, uint64_t bound,
                     uint64_t *cycle)
{
    if (bound <= *cycle)
        return;
    board->totals.stall[stall] += bound - *cycle;
    *cycle = bound;
}

static void settle(struct libresoc_scoreboard *board, const struct libresoc_op *op,
                   struct libresoc_when *when)
{
    uint64_t bound[LIBRESOC_STALLS];
    find_bounds(board, op, bound);
    const struct libresoc_element *e[LIBRESOC_SOURCES + 2];
    const uint32_t reads = elements(op, e) - (op->result.size != 0);
    uint64_t read = when->issue + 1;
    wait_for(board, LIBRESOC_STALL_RAW, bound[LIBRESOC_STALL_RAW], &read);
    wait_for(board, LIBRESOC_STALL_MASK, bound[LIBRESOC_STALL_MASK], &read);
    when->read = read;
    for (uint32_t i = 0; i < reads; i++)
        raise(&when->read, libresoc_ports_take(&board->ports, LIBRESOC_ACCESS_READ, read, e[i]));
    board->totals.stall[LIBRESOC_STALL_PORT] += when->read - read;
    if (op->dies) {
        when->write = when->read;
        return;
    }
    uint64_t write = when->read + board->core.latency[op->kind];
    wait_for(board, LIBRESOC_STALL_WAR, bound[LIBRESOC_STALL_WAR], &write);
    wait_for(board, LIBRESOC_STALL_WAW, bound[LIBRESOC_STALL_WAW], &write);
    when->write = libresoc_ports_take(&board->ports, LIBRESOC_ACCESS_WRITE, write, &op->result);
    board->totals.stall[LIBRESOC_STALL_PORT] += when->write - write;
}

static void count(struct libresoc_scoreboard *board, const struct libresoc_op *op,
                  const struct libresoc_when *when)
{
    struct libresoc_totals *totals = &board->totals;
    totals->ops++;
    totals->died += op->dies;
    raise(&totals->cycles, when->write);
    for (uint32_t i = 0; i < LIBRESOC_FILES; i++)
        totals->rows[i] = board->names[i] > totals->rows[i] ? board->names[i] : totals->rows[i];
    totals->in_flight = board->count > totals->in_flight ? board->count : totals->in_flight;
}

int libresoc_scoreboard_issue(struct libresoc_scoreboard *board, const struct libresoc_op *op,
                              struct libresoc_when *when)
{
    if (!op_is_valid(op))
        return -EINVAL;
    const struct choice choice = wait_for_issue(board, op);
    board->issued++;
    when->issue = board->cycle;
    settle(board, op, when);
    board->flight[board->count++] = (struct in_flight){
        .number = board->totals.ops, .op = *op, .when = *when, .class = choice.class, .units = choice.units};
    const uint64_t fresh = choice.units & ~board->busy[choice.class]; /* what joins a batch finds them held */
    *(choice.class == CLASS_32 ? &board->totals.busy32 : &board->totals.busy8) +=
        (uint64_t)__builtin_popcountll(fresh) * (when->write - when->issue + 1);
    board->busy[choice.class] |= choice.units;
    hold_names(board, op);
    count(board, op, when);
    return 0;
}

struct libresoc_totals libresoc_scoreboard_totals(const struct libresoc_scoreboard *board)
{
    return board->totals;
}
