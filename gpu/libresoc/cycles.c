#include "gpu/libresoc/cycles.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

const char *libresoc_kind_name(enum libresoc_kind kind)
{
    static const char *const names[LIBRESOC_KINDS] = {
        [LIBRESOC_KIND_INTEGER] = "integer", [LIBRESOC_KIND_MULTIPLY] = "multiply",
        [LIBRESOC_KIND_FLOAT] = "float",     [LIBRESOC_KIND_DIVIDE] = "divide",
        [LIBRESOC_KIND_LOAD] = "load",       [LIBRESOC_KIND_STORE] = "store",
    };
    return names[kind];
}

int libresoc_cycles_init(struct libresoc_cycles *cycles, const struct libresoc_core *core,
                         const struct simple_v_program *program)
{
    *cycles = (struct libresoc_cycles){.core = *core, .program = program};
    const int err = libresoc_scoreboard_create(core, &cycles->board);
    if (err)
        return err;
    cycles->cost = calloc(program->count ? program->count : 1, sizeof *cycles->cost);
    if (cycles->cost)
        return 0;
    libresoc_cycles_finish(cycles);
    return -ENOMEM;
}

void libresoc_cycles_finish(struct libresoc_cycles *cycles)
{
    libresoc_scoreboard_destroy(cycles->board);
    free(cycles->cost);
    *cycles = (struct libresoc_cycles){0};
}

/* Its halfword in the program. */
static uint32_t place_of(const struct simple_v_program *p, const struct libresoc_origin *origin)
{
    const uint32_t at = (uint32_t)((origin->pc - p->address) / 2);
    return origin->in_block ? at + p->blocks[p->block[at] - 1].head + origin->opptr : at;
}

/* The cycles up to that of the issue. */
static void count_issue(struct libresoc_cycles *c, uint64_t issue)
{
    if (issue == c->last) {
        c->last_count++;
        return;
    }
    c->issued[c->last ? c->last_count : 0] += c->last != 0;
    c->issued[0] += issue - c->last - 1;
    c->last = issue;
    c->last_count = 1;
}

struct libresoc_when libresoc_cycles_take(struct libresoc_cycles *c, const struct libresoc_op *op,
                                          const struct libresoc_origin *origin)
{
    struct libresoc_when when;
    const uint64_t before = c->last;
    const bool fresh = c->instruction != origin->instruction + 1;
    const int err = libresoc_scoreboard_issue(c->board, op, &when);
    assert(!err); /* all elements are of the files */
    (void)err;
    count_issue(c, when.issue);
    c->kinds[op->kind]++;
    c->instructions += fresh;
    c->instruction = origin->instruction + 1;
    struct libresoc_cost *cost = &c->cost[place_of(c->program, origin)];
    cost->times += fresh;
    cost->ops++;
    cost->cycles += when.issue - before;
    return when;
}

void libresoc_cycles_end(struct libresoc_cycles *c)
{
    if (c->last)
        c->issued[c->last_count]++;
    c->last_count = 0;
}
