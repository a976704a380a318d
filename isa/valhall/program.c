#include "isa/valhall/program.h"

#include <errno.h>
#include <stdlib.h>
#include <xxhash.h>

#include "isa/valhall/insn.h"
#include "util/bits.h"

int64_t valhall_goes_to(const struct valhall_insn *i, uint32_t at)
{
    if (i->op == VALHALL_BLEND && i->flow != VALHALL_FLOW_END)
        return (int64_t)at + 1 + i->target;
    return valhall_target(i, at);
}

/* Always taken, which drivers write with the constant 0. */
static bool holds(const struct valhall_insn *i)
{
    return i->eq && i->source[0].kind == VALHALL_CONSTANT && i->source[0].index == 0;
}

/* Nothing goes on to the word behind; or nothing has to: a blend shader comes back only where its caller wants more
 * than that. */
static bool leaves(const struct valhall_insn *i)
{
    return i->flow == VALHALL_FLOW_END || (i->op == VALHALL_BRANCHZ && holds(i));
}
static bool may_leave(const struct valhall_insn *i)
{
    return i->op == VALHALL_BRANCHZI && holds(i);
}

/* Words one after the other, until one behind which nothing goes on, beyond which no branch goes. */
static int take(const uint64_t *words, uint32_t count, struct warp_insn *out, uint32_t *taken,
                struct util_error *error)
{
    int64_t furthest = 0;
    bool soft = false;
    for (uint32_t at = 0;; at++) {
        struct valhall_insn insn;
        struct util_error why = {0};
        if (at >= count || valhall_decode(words[at], &insn, &why)) {
            *taken = at;
            if (soft && furthest < at)
                return 0;
            return util_fail(error, -EBADMSG, "word %u: %s", at,
                             at < count ? why.text : "the program has no end");
        }
        const int64_t target = valhall_goes_to(&insn, at);
        if (insn.op == VALHALL_BRANCHZ && target < 0)
            return util_fail(error, -EBADMSG, "the branch at word %u goes to word %lld", at,
                             (long long)target);
        valhall_lower(&insn, at, &out[at]);
        furthest = UTIL_MAX(furthest, target);
        soft = may_leave(&insn) || (insn.op == VALHALL_BLEND && leaves(&insn));
        if (leaves(&insn) && !soft && furthest <= at) {
            *taken = at + 1;
            return 0;
        }
    }
}

int valhall_program_create(const uint64_t *words, uint32_t count, struct warp_program **out,
                           struct util_error *error)
{
    count = UTIL_MIN(count, VALHALL_MAX_WORDS);
    struct warp_insn *insns = calloc(count ? count : 1, sizeof *insns);
    uint32_t taken = 0;
    if (!insns)
        return util_fail(error, -ENOMEM, "out of memory");
    int status = take(words, count, insns, &taken, error);
    if (status) {
        free(insns);
        return status;
    }
    status = warp_program_create(insns, taken, sizeof *words, out, error);
    if (!status)
        (*out)->hash = XXH3_64bits(words, taken * sizeof *words);
    return status;
}
