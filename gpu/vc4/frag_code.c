/* What is known of a program's use as a fragment program, kept with the program: how it touches the tile, and
 * its code for each state. */
#include <assert.h>
#include <string.h>

#include "gpu/vc4/frag_internal.h"

/* What a variant's code depends on besides the program and the texture keys, which are the key's tail. */
struct key {
    const struct jit_engine *engine;
    struct raster_zs zs;
    uint8_t samples, words, coverage, form, numeric, zero[1];
};
static_assert(sizeof(struct key) == 8 + 18 + 6, "a key is bytes without padding");

struct vc4_frag_entry *vc4_frag_code_get(struct gpu_program *cached, const struct vc4_frag_variant *variant,
                                         const struct jit_engine *engine, enum util_make_status *status)
{
    const struct key head = {.engine = engine,
                             .zs = variant->zs,
                             .samples = variant->samples,
                             .words = (uint8_t)variant->words,
                             .coverage = variant->coverage,
                             .form = (uint8_t)variant->form,
                             .numeric = (uint8_t)variant->numeric};
    const struct util_memo_key key = {&head, sizeof head, variant->keys,
                                      variant->program->sample_count * sizeof *variant->keys};

    *status = UTIL_NOT_MADE;
    return cached ? gpu_program_code(cached, &key, sizeof(struct vc4_frag_entry), status) : NULL;
}

void vc4_frag_plan_find(struct gpu_program *cached, const struct vc4_qpu_program *program, unsigned samples,
                        unsigned words, struct vc4_frag_plan *out)
{
    const char *name = samples > 1 ? "tile of samples" : "tile";
    const uint8_t bytes = (uint8_t)words;
    const struct util_memo_key key = {name, strlen(name), &bytes, sizeof bytes};
    enum util_make_status status = UTIL_NOT_MADE;
    struct vc4_frag_plan *kept = cached ? util_memo_get(&cached->plans, &key, sizeof *kept, &status) : NULL;

    if (status == UTIL_MADE) {
        *out = *kept;
        return;
    }
    vc4_frag_plan_make(program, samples, words, out);
    if (!kept)
        return;
    *kept = *out;
    util_memo_end(&cached->plans, kept, true);
}
