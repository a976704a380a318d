/* What is known of a program's use as a fragment program, kept with the program: how it touches the tile, and
 * its code for each state. Lists grow at the front and are read without locks. */
#include <stdlib.h>
#include <string.h>

#include "gpu/vc4/frag_internal.h"

struct vc4_frag_code {
    struct vc4_frag_code *next;
    struct jit_engine *engine;
    struct vc4_frag_entry entry;
    struct raster_zs zs;
    uint8_t samples, words, coverage;
    enum raster_ir_form form;
    enum isa_numeric numeric;
    uint32_t key_count;
    struct raster_texture_key keys[];
};

void vc4_frag_code_destroy(struct vc4_frag_code *list)
{
    for (struct vc4_frag_code *next; list; list = next) {
        next = list->next;
        free(list);
    }
}

bool vc4_frag_code_find(const struct vc4_program_notes *notes, const struct vc4_frag_variant *variant,
                        const struct jit_engine *engine, struct vc4_frag_entry *out)
{
    uint32_t count = variant->program->sample_count;
    const struct vc4_frag_code *code =
        notes ? atomic_load_explicit(&notes->fragment, memory_order_acquire) : NULL;

    while (code && (code->engine != engine || code->samples != variant->samples ||
                    code->words != variant->words || code->coverage != variant->coverage ||
                    code->form != variant->form || code->numeric != variant->numeric ||
                    code->key_count != count || memcmp(&code->zs, &variant->zs, sizeof code->zs) != 0 ||
                    memcmp(code->keys, variant->keys, count * sizeof *code->keys) != 0))
        code = code->next;
    if (code)
        *out = code->entry;
    return code;
}

void vc4_frag_code_keep(struct vc4_program_notes *notes, const struct vc4_frag_variant *variant,
                        struct jit_engine *engine, const struct vc4_frag_entry *entry)
{
    size_t bytes = variant->program->sample_count * sizeof *variant->keys;
    struct vc4_frag_code *code = notes ? malloc(sizeof *code + bytes) : NULL;

    if (!code) /* then the next draw asks the engine again */
        return;
    code->engine = engine;
    code->entry = *entry;
    code->zs = variant->zs;
    code->samples = variant->samples;
    code->words = variant->words;
    code->coverage = variant->coverage;
    code->form = variant->form;
    code->numeric = variant->numeric;
    code->key_count = variant->program->sample_count;
    memcpy(code->keys, variant->keys, bytes);
    code->next = atomic_load(&notes->fragment);
    while (!atomic_compare_exchange_weak(&notes->fragment, &code->next, code))
        ;
}

void vc4_frag_plan_find(struct vc4_program_notes *notes, const struct vc4_qpu_program *program,
                        unsigned samples, unsigned words, struct vc4_frag_plan *out)
{
    unsigned which = (samples > 1) | (words > 1) << 1;
    struct vc4_frag_plan *known =
        notes ? atomic_load_explicit(&notes->tile[which], memory_order_acquire) : NULL;

    if (known) {
        *out = *known;
        return;
    }
    vc4_frag_plan_make(program, samples, words, out);
    struct vc4_frag_plan *keep = notes ? malloc(sizeof *keep) : NULL;
    if (!keep)
        return;
    *keep = *out;
    if (!atomic_compare_exchange_strong(&notes->tile[which], &known, keep))
        free(keep); /* another thread was first */
}
