/* The linter's data flow: states at the entries of all blocks, joined until nothing changes, then one walk
 * that reports. Sets only grow, spans only widen and jump to their ends after some joins, so it ends. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "isa/vc4_qpu/lint_internal.h"
#include "util/bits.h"

#define JOINS_MAX 8u /* of a block, before a span that still widens goes to its end */

struct flow {
    struct vc4_qpu_lint *lint;
    struct vc4_qpu_lint_state *entry; /* per block */
    uint8_t *joins;
    bool *queued;
    uint32_t *queue, head, length;
};

static void join_places(struct vc4_qpu_lint_places *into, const struct vc4_qpu_lint_places *from)
{
    into->bits[0] |= from->bits[0];
    into->bits[1] |= from->bits[1];
}

static void join_span(struct vc4_qpu_lint_span *into, const struct vc4_qpu_lint_span *from, bool widen)
{
    if (from->min < into->min)
        into->min = widen ? 0 : from->min;
    if (from->max > into->max)
        into->max = widen ? LINT_MANY : from->max;
}

/* Whether the entry has changed. */
static bool join(struct vc4_qpu_lint_state *into, const struct vc4_qpu_lint_state *from, bool widen)
{
    struct vc4_qpu_lint_state old = *into;
    if (!into->reached) {
        *into = *from;
        into->reached = true;
        return true;
    }
    join_places(&into->unwritten, &from->unwritten);
    join_places(&into->written, &from->written);
    join_places(&into->lost, &from->lost);
    into->may |= from->may;
    into->must &= from->must;
    for (unsigned i = 0; i < 2; i++) {
        join_span(&into->results[i], &from->results[i], widen);
        join_span(&into->lookups[i], &from->lookups[i], widen);
        into->slots[i] = UTIL_MIN(into->slots[i], from->slots[i]);
    }
    join_span(&into->varyings, &from->varyings, widen);
    join_span(&into->queued, &from->queued, widen);
    join_span(&into->rows_in, &from->rows_in, widen);
    join_span(&into->rows_out, &from->rows_out, widen);
    into->old_queued = UTIL_MAX(into->old_queued, from->old_queued);
    into->since_setup = UTIL_MAX(into->since_setup, from->since_setup); /* in doubt, long ago */
    into->switching = UTIL_MAX(into->switching, from->switching);
    return memcmp(&old, into, sizeof old) != 0;
}

static void enqueue(struct flow *f, uint32_t block)
{
    if (f->queued[block])
        return;
    f->queued[block] = true;
    f->queue[(f->head + f->length++) % f->lint->program->block_count] = block;
}

/* The state behind a block. */
static struct vc4_qpu_lint_state walk(struct flow *f, uint32_t number)
{
    const struct vc4_qpu_block *block = &f->lint->program->blocks[number];
    struct vc4_qpu_lint_state state = f->entry[number];
    for (uint32_t i = 0; i < block->count; i++)
        vc4_qpu_lint_step(f->lint, &state, block->first + i);
    return state;
}

static void solve(struct flow *f)
{
    const struct vc4_qpu_program *p = f->lint->program;
    vc4_qpu_lint_begin(f->lint, &f->entry[0]);
    enqueue(f, 0);
    while (f->length) {
        uint32_t number = f->queue[f->head];
        f->head = (f->head + 1) % p->block_count;
        f->length--;
        f->queued[number] = false;
        struct vc4_qpu_lint_state state = walk(f, number);
        for (unsigned k = 0; k < 2; k++) {
            uint32_t to = p->blocks[number].successor[k];
            if (to == VC4_QPU_NO_OFFSET || !join(&f->entry[to], &state, f->joins[to] >= JOINS_MAX))
                continue;
            f->joins[to] += f->joins[to] < JOINS_MAX;
            enqueue(f, to);
        }
    }
}

static void report(struct flow *f)
{
    const struct vc4_qpu_program *p = f->lint->program;
    f->lint->report = true;
    for (uint32_t i = 0; i < p->block_count; i++) {
        const struct vc4_qpu_block *b = &p->blocks[i];
        if (!f->entry[i].reached)
            continue;
        struct vc4_qpu_lint_state state = walk(f, i);
        if (b->branch == VC4_QPU_NO_OFFSET && b->successor[0] == VC4_QPU_NO_OFFSET)
            vc4_qpu_lint_finish(f->lint, &state, b->first + b->count - 1);
    }
}

int vc4_qpu_lint_flow(struct vc4_qpu_lint *lint)
{
    uint32_t blocks = lint->program->block_count;
    struct flow f = {.lint = lint,
                     .entry = calloc(blocks, sizeof *f.entry),
                     .joins = calloc(blocks, sizeof *f.joins),
                     .queued = calloc(blocks, sizeof *f.queued),
                     .queue = calloc(blocks, sizeof *f.queue)};
    int error = f.entry && f.joins && f.queued && f.queue ? 0 : -ENOMEM;
    if (!error) {
        solve(&f);
        report(&f);
    }
    free(f.entry);
    free(f.joins);
    free(f.queued);
    free(f.queue);
    return error;
}
