/* Programs taken whole. */
#include "isa/bifrost/program.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "isa/bifrost/asm.h"
#include "util/bits.h"

const struct bifrost_insn *bifrost_branch_of(const struct bifrost_clause *c)
{
    const struct bifrost_tuple *last = &c->tuple[c->tuple_count - 1];
    for (unsigned unit = 0; unit < 2; unit++)
        if (bifrost_branches(&last->insn[unit]))
            return &last->insn[unit];
    return NULL;
}

bool bifrost_leaves(const struct bifrost_clause *c)
{
    const struct bifrost_insn *branch = bifrost_branch_of(c);
    return c->flow == BIFROST_FLOW_END || (branch && branch->op == BIFROST_OP_JUMP);
}

static int add_clause(struct bifrost_program *p, const struct bifrost_clause *c, uint32_t *room,
                      struct util_error *error)
{
    if (p->clause_count == *room) {
        *room = *room ? *room * 2 : 16;
        struct bifrost_clause *grown = realloc(p->clauses, *room * sizeof *grown);
        if (!grown)
            return util_fail(error, -ENOMEM, "out of memory");
        p->clauses = grown;
    }
    p->clauses[p->clause_count++] = *c;
    return 0;
}

/* Goes on behind what leaves as far as some branch goes. */
static int take_clauses(struct bifrost_program *p, const void *words, uint32_t count,
                        struct util_error *error)
{
    int64_t furthest = -1, target;
    uint32_t at = 0, room = 0;
    for (bool more = true; more;) {
        struct bifrost_clause c;
        struct util_error why = {0};
        uint32_t length = bifrost_decode(words, count, at, &c, &why);
        if (at >= count)
            return util_fail(error, -EBADMSG, "the program goes on behind its last clause");
        if (!length)
            return util_fail(error, -EBADMSG, "quadword %" PRIu32 ": %s", at, why.text);
        int err = add_clause(p, &c, &room, error);
        if (err)
            return err;
        const struct bifrost_insn *branch = bifrost_branch_of(&c);
        if (branch && bifrost_target(&c, branch, &target))
            furthest = UTIL_MAX(furthest, target);
        at += length;
        more = !bifrost_leaves(&c) || furthest >= at;
    }
    p->quad_count = at;
    return 0;
}

static int compare(const void *quad, const void *clause)
{
    int64_t here = *(const int64_t *)quad, there = ((const struct bifrost_clause *)clause)->at;
    return (here > there) - (here < there);
}

static uint32_t clause_at(const struct bifrost_program *p, int64_t quad)
{
    const struct bifrost_clause *found =
        bsearch(&quad, p->clauses, p->clause_count, sizeof *p->clauses, compare);
    return found ? (uint32_t)(found - p->clauses) : BIFROST_NO_CLAUSE;
}

static int find_targets(struct bifrost_program *p, struct util_error *error)
{
    int64_t target;
    p->targets = calloc(p->clause_count, sizeof *p->targets);
    if (!p->targets)
        return util_fail(error, -ENOMEM, "out of memory");
    for (uint32_t n = 0; n < p->clause_count; n++) {
        const struct bifrost_insn *branch = bifrost_branch_of(&p->clauses[n]);
        p->targets[n] = BIFROST_NO_CLAUSE;
        if (!branch)
            continue;
        if (!bifrost_target(&p->clauses[n], branch, &target)) {
            p->computed = true;
            continue;
        }
        p->targets[n] = clause_at(p, target);
        if (p->targets[n] == BIFROST_NO_CLAUSE)
            return util_fail(error, -EBADMSG,
                             "quadword %" PRIu32 ": the branch goes to quadword %" PRId64
                             ", where no clause begins",
                             p->clauses[n].at, target);
        p->repeats |= p->targets[n] <= n;
    }
    return 0;
}

int bifrost_program_create(const void *words, uint32_t count, struct bifrost_program **out,
                           struct util_error *error)
{
    *out = NULL;
    if (count > BIFROST_MAX_QUADS)
        return util_fail(error, -E2BIG, "the program has more than %u quadwords", BIFROST_MAX_QUADS);
    struct bifrost_program *p = calloc(1, sizeof *p);
    if (!p)
        return util_fail(error, -ENOMEM, "out of memory");
    int err = take_clauses(p, words, count, error);
    if (!err)
        err = find_targets(p, error);
    if (!err)
        p->hash = XXH3_64bits(words, (size_t)p->quad_count * BIFROST_WORD_BYTES);
    if (err) {
        bifrost_program_destroy(p);
        return err;
    }
    *out = p;
    return 0;
}

void bifrost_program_destroy(struct bifrost_program *p)
{
    if (!p)
        return;
    free(p->clauses);
    free(p->targets);
    free(p);
}
