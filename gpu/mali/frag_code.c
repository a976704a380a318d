/* A draw's code: its forms out of what was prepared, and the code that has them. */
#include "gpu/mali/frag_code.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/mali/device_internal.h"
#include "gpu/mali/frag_preload.h"
#include "gpu/program_key.h"
#include "isa/midgard/names.h"
#include "raster/zs_blocks.h"
#include "util/bits.h"

enum { KEY_PARTS = 3 + MALI_TARGETS };

/* ---- forms ---- */

static void set_varying(const struct mali_frag *f, uint32_t n, struct mali_frag_varying_form *out)
{
    static const uint8_t kinds[] = {[MALI_ARRAY_FRAG_COORD] = FRAG_VARYING_COORD,
                                    [MALI_ARRAY_POINT_COORD_MIN_Y] = FRAG_VARYING_POINT,
                                    [MALI_ARRAY_POINT_COORD_MAX_Y] = FRAG_VARYING_POINT_UP,
                                    [MALI_ARRAY_FRONT_FACING] = FRAG_VARYING_FACING};
    struct mali_frag_descriptor d;
    struct mali_stop unheard;
    if (!mali_frag_describe(f, n | f->varying_table, &d, &unheard))
        return;
    out->order = (uint16_t)d.order;
    if (d.constant) {
        out->kind = FRAG_VARYING_CONSTANT;
    } else if (d.kind == MALI_ARRAY_1D && f->slot_of[n] != FRAG_NO_SLOT) {
        const struct mali_frag_slot *slot = &f->slot[f->slot_of[n]];
        out->kind = FRAG_VARYING_SLOT;
        out->format = slot->flat ? slot->format : 0;
        out->flat = slot->flat;
        out->first = slot->first;
        out->count = slot->count;
    } else if (d.kind < UTIL_ARRAY_SIZE(kinds)) {
        out->kind = kinds[d.kind];
    }
}

/* Which may be kept as bytes: every member is written, and there is no padding. */
static void set_forms(const struct mali_frag *f, struct mali_frag_forms *out)
{
    out->tile = *f->tile;
    out->zs = f->zs;
    out->has_program = f->has_program;
    out->early = f->early;
    out->runs_failed = f->runs_failed;
    out->per_sample = f->per_sample;
    out->stencil_given = f->stencil_given;
    out->depth_given = f->depth_given;
    out->alpha_func = f->alpha_func;
    out->alpha_to_coverage = f->alpha_to_coverage;
    out->query = (uint8_t)f->query;
    out->ahead = f->ahead;
    out->sample_mask = f->sample_mask;
    for (uint32_t t = 0; t < f->tile->count; t++) {
        out->blend[t] = f->target[t].blend;
        out->written |= (uint8_t)(f->target[t].written << t);
        out->alpha_to_one |= (uint8_t)(f->target[t].alpha_to_one << t);
        out->shaders |= (uint8_t)((f->target[t].shader != NULL) << t);
    }
    out->version = (uint8_t)f->shared->job->version;
    if (f->has_program && f->world.program->warp)
        mali_frag_set_warp_forms(f, out);
    for (uint32_t k = 0; f->asked && k < f->asked->count && f->asked->number[k] < MALI_CODE_ARRAYS; k++)
        set_varying(f, f->asked->number[k], &out->varying[f->asked->number[k]]);
}

/* What code has no way to do. */
static bool for_reference(const struct mali_frag *f)
{
    return f->has_program &&
           (f->world.program->barriers || (f->world.program->warp && !mali_frag_has_warp_code(f)));
}

/* ---- keys ---- */

/* What a key begins with; lookups, the blend shaders' words and the program's follow. */
struct head {
    char mark[16];
    uint32_t kind, words, shader_words[MALI_TARGETS];
    struct mali_frag_forms forms;
};
static const char mark[16] = "mali fragment 7";

static int emit(struct jit_builder *b, void *data)
{
    return mali_frag_emit(b, data);
}

/* The blend shaders of a key: their words stand behind its lookups, in `bytes` of `keys`. 0 or a negative errno;
 * finish_shaders has to follow either way. */
static int read_shaders(const struct head *head, const uint8_t *keys, size_t bytes,
                        struct mali_frag_variant *out)
{
    const struct gpu_program_kind *kind = mali_program_kind(head->kind);
    struct jit_key_reader in = {keys, bytes};
    int status = 0;
    uint64_t lookups = (uint64_t)head->forms.world.lookup_count * sizeof(struct mali_code_lookup);
    if (in.left < lookups)
        return -EINVAL;
    in.at += lookups;
    in.left -= lookups;
    for (uint32_t t = 0; t < MALI_TARGETS && !status; t++) {
        void *shader = NULL;
        if (!(head->forms.shaders >> t & 1))
            continue;
        status = gpu_program_words_read(&in, kind, head->shader_words[t], &shader);
        out->shader[t] = shader;
    }
    return status;
}

static void finish_shaders(const struct head *head, struct mali_frag_variant *variant)
{
    for (uint32_t t = 0; t < MALI_TARGETS; t++)
        mali_program_kind(head->kind)->destroy((void *)(uintptr_t)variant->shader[t]);
}

static bool has_messages(const struct mali_frag_forms *f)
{
    return f->messages[0].type || f->messages[1].type;
}

/* The variant's program, from there on with what the hardware does before it. */
static int preload(struct mali_frag_variant *variant, struct mali_decoded *out)
{
    int status = variant->program->warp
                     ? mali_frag_preloaded_create(variant->program, variant->forms->messages, out)
                     : -EINVAL;
    if (!status)
        variant->program = out;
    return status;
}

static int emit_key(struct jit_builder *b, const void *key, size_t size)
{
    struct jit_key_reader in = {key, size};
    struct gpu_program_recipe recipe = {.program = NULL};
    struct head head;
    if (!jit_key_read(&in, &head, sizeof head) || head.kind >= MALI_KIND_COUNT)
        return -EINVAL;
    const size_t left = in.left;
    int status =
        head.words ? gpu_program_key_read(&in, mali_program_kind(head.kind), head.words, &recipe) : 0;
    if (status)
        return status;
    struct mali_frag_variant variant = {recipe.program, &head.forms, recipe.keys, {NULL}};
    if (head.words) {
        struct mali_decoded preloaded = {.warp = NULL};
        status = has_messages(&head.forms) ? preload(&variant, &preloaded) : 0;
        if (!status)
            status = read_shaders(&head, recipe.keys,
                                  left - head.words * mali_program_kind(head.kind)->word_bytes, &variant);
        if (!status)
            status = mali_frag_emit(b, &variant);
        finish_shaders(&head, &variant);
        warp_program_destroy(preloaded.warp);
        gpu_program_recipe_finish(&recipe);
        return status;
    }
    return mali_frag_emit(b, &variant);
}

/* What a draw's code is found with. */
struct finding {
    struct mali_frag *frag;
    struct { /* with the lookups, the key among those of the program */
        struct jit_engine *engine;
        uint64_t in_order;
        struct head head;
        const struct gpu_program *shader[MALI_TARGETS]; /* of the same cache: they stay as long */
    } id;
    struct mali_code_lookup lookups[MALI_CODE_LOOKUPS];
};

static struct jit_key_part words_of(const struct gpu_program *program)
{
    return (struct jit_key_part){program->words, program->bytes, 1, program->bytes};
}

static int compile(const struct finding *x, struct jit_function **out)
{
    const struct mali_frag *f = x->frag;
    const struct gpu_program *from = f->has_program ? f->world.from : NULL;
    struct mali_frag_variant variant = {
        f->has_program ? f->world.program : NULL, &x->id.head.forms, x->lookups, {NULL}};
    struct jit_key_part parts[KEY_PARTS] = {
        {&x->id.head, sizeof x->id.head, 1, sizeof x->id.head},
        {x->lookups, sizeof *x->lookups, x->id.head.forms.world.lookup_count, sizeof *x->lookups}};
    unsigned count = 2;
    struct jit_request request = {.name = "mali_fragment_program",
                                  .emit = emit,
                                  .data = &variant,
                                  .emit_key = emit_key,
                                  .run_cost = from ? from->insns : 1};
    for (uint32_t t = 0; t < MALI_TARGETS; t++)
        if (x->id.head.forms.shaders >> t & 1) {
            variant.shader[t] = f->target[t].shader->program;
            parts[count++] = words_of(f->target[t].shader->from);
        }
    if (from)
        parts[count++] = words_of(from);
    uint8_t *key = jit_key_write(parts, count, &request.key_size);
    request.key = key;
    int status = key ? jit_engine_get_function(x->id.engine, &request, out, NULL) : -ENOMEM;
    free(key);
    return status;
}

static int find(void *ctx, enum raster_ir_form form, struct jit_function **code, struct jit_function **test)
{
    struct finding *x = ctx;
    const struct raster_zs zs = x->frag->zs;
    x->id.head.forms.form = (uint8_t)form;
    if (form != RASTER_IR_PRIM) /* then the tests are others' code */
        memset(&x->id.head.forms.zs, 0, sizeof zs);
    int status = compile(x, code);
    x->id.head.forms.zs = zs;
    *test = NULL;
    if (!status && form == RASTER_IR_DEFERRED && !raster_zs_is_idle(&zs))
        status = raster_zs_blocks(x->id.engine, &zs, (enum raster_depth_kind)x->id.head.forms.tile.depth,
                                  test, NULL);
    return status;
}

/* ---- opaque draws ---- */

/* Each lane writes its colour, once, at the program's end. */
static bool writes_always(const struct midgard_program *p)
{
    if (!p->straight || p->write_count != 1 || p->any_target || p->targets != 1)
        return false;
    const struct midgard_insn *i = &p->insns[p->writes[0].insn];
    for (unsigned n = 0; n < 2; n++)
        if (midgard_has(i, (enum midgard_unit)(MIDGARD_BRANCH + n)) && i->jump[n].op == MIDGARD_WRITEOUT)
            return i->jump[n].condition == (n ? 0xffff : MIDGARD_IF_ALWAYS);
    return false;
}

static bool may_be_opaque(const struct mali_frag *f)
{
    const struct mali_frag_target *t = &f->target[0];
    enum raster_format format = (enum raster_format)f->tile->format[0];
    bool plain = f->tile->samples == 1 && f->tile->total == 1 && f->sample_mask & 1 && f->early &&
                 f->query == RASTER_QUERY_NONE;
    if (!plain || (raster_depth_is_32((enum raster_depth_kind)f->tile->depth) && !raster_zs_is_idle(&f->zs)))
        return false;
    const struct mali_decoded *p = f->has_program ? f->world.program : NULL;
    if (!p || (!t->written && !p->stores))
        return true;
    if (t->shader)
        return false;
    return f->alpha_func == RASTER_ALWAYS && !p->reads_tile && !p->loads && !p->stores &&
           (p->warp ? mali_frag_writes_always(p->warp) : writes_always(p->midgard)) &&
           !raster_output_reads(format, &t->blend);
}

/* ---- all of it ---- */

static struct jit_function *find_with_calls(struct finding *x)
{
    struct jit_function *code, *test;
    x->id.head.forms.calls = true;
    return find(x, RASTER_IR_PRIM, &code, &test) ? NULL : code;
}

/* As struct mali_frag and its shader have them. */
struct code {
    struct jit_function *in_order, *deferred, *test, *called;
    bool opaque, has_quads;
    struct raster_shader_quads quads;
    struct finding of; /* of quads, when they are wanted */
};

static void find_all(struct finding *x, bool in_order, struct code *code)
{
    struct raster_shader *s = &x->frag->shader;
    if (raster_shader_find(s, !in_order && !x->id.head.forms.at_once && may_be_opaque(x->frag), find, x))
        code->called = x->frag->has_program ? find_with_calls(x) : NULL;
    code->in_order = s->in_order;
    code->deferred = s->deferred;
    code->test = s->test;
    code->opaque = s->opaque;
    code->has_quads = s->opaque && !s->cheap && s->colors;
    code->of = *x;
    code->of.frag = NULL;
    code->of.id.head.forms.calls = false;
}

struct jit_function *mali_frag_quads(const struct raster_shader *shader)
{
    const struct code *code = (const struct code *)((uint8_t *)shader->quads - offsetof(struct code, quads));
    struct jit_function *function, *test;
    struct finding x = code->of;
    x.frag = (struct mali_frag *)(uintptr_t)shader; /* the one that it was found for is of another frame */
    return find(&x, RASTER_IR_QUADS, &function, &test) ? NULL : function;
}

static bool set_args(struct mali_frag *f, struct finding *x)
{
    struct mali_frag_args *args = util_arena_alloc(f->shared->arena, sizeof *args);
    if (!args)
        return false;
    if (f->has_program)
        mali_code_prepare(&f->world, &x->id.head.forms.world, x->lookups, &args->code);
    args->alpha_reference = f->alpha_reference;
    args->fuel = f->world.fuel;
    args->passed = &f->passed;
    for (unsigned n = 0; n < MALI_SPECIAL_BLEND; n++)
        mali_frag_special_words(f, (enum mali_special)n, args->special[n]);
    for (uint32_t t = 0; t < f->tile->count; t++) {
        args->constant[t] = f->target[t].constant;
        args->shader[t] = f->target[t].shader ? f->target[t].shader->address : 0;
    }
    f->args = args;
    f->shader.args = args;
    return true;
}

static void take(struct mali_frag *f, struct code *code)
{
    f->shader.in_order = code->in_order;
    f->shader.deferred = code->deferred;
    f->shader.test = code->test;
    f->shader.opaque = code->opaque;
    f->shader.quads = code->has_quads ? &code->quads : NULL;
    f->called = code->called;
}

void mali_frag_take_code(struct mali_frag *f, struct jit_engine *engine, bool in_order)
{
    struct finding x;
    struct head *head = &x.id.head;
    memset(&x.id, 0, sizeof x.id);
    x.frag = f;
    x.id.engine = engine;
    x.id.in_order = in_order;
    if (!engine || for_reference(f) || !set_args(f, &x))
        return;
    memcpy(head->mark, mark, sizeof mark);
    head->kind = (uint32_t)f->shared->job->device->kind;
    head->words = f->has_program ? (uint32_t)(f->world.from->bytes / f->world.program->word_bytes) : 0;
    set_forms(f, &head->forms);
    for (uint32_t t = 0; t < f->tile->count; t++)
        if (f->target[t].shader) {
            x.id.shader[t] = f->target[t].shader->from;
            head->shader_words[t] = (uint32_t)(x.id.shader[t]->bytes / f->world.program->word_bytes);
        }
    if (!f->has_program) {
        raster_shader_find(&f->shader, !in_order && may_be_opaque(f), find, &x);
        return;
    }
    const struct util_memo_key key = {&x.id, sizeof x.id, x.lookups,
                                      head->forms.world.lookup_count * sizeof *x.lookups};
    enum util_make_status status;
    struct code *code = gpu_program_code(f->world.from, &key, sizeof *code, &status);
    if (status == UTIL_MAKING) {
        find_all(&x, in_order, code);
        status = util_memo_end(&f->world.from->codes, code, true);
    }
    if (status == UTIL_MADE)
        take(f, code);
}

void mali_frag_report(const struct raster_shader *shader, uint32_t code, uint64_t address, void *fault)
{
    const struct mali_frag *f = (const struct mali_frag *)shader;
    if (code == RASTER_SHADER_UNPAID) {
        gpu_fault_set(fault, GPU_FAULT_TIMEOUT, FRAG_UNIT, f->world.address,
                      "programs run longer than the tile's share of the job's fuel allows");
        return;
    }
    struct mali_threads threads = {.world = (struct mali_world *)(uintptr_t)&f->world};
    struct mali_stop stop = {0};
    mali_frag_fault(f, &threads, code, address, &stop);
    *(struct gpu_fault *)fault = stop.fault;
}
