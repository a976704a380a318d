/* The linter over the GP's two lists: commands, the vertex stage, draws. */
#include <string.h>

#include "gpu/utgard/cl.h"
#include "gpu/utgard/lint.h"
#include "gpu/utgard/vertex_internal.h"
#include "util/bits.h"

#define COMMANDS_MAX 1000000u /* of one list: one that loops ends here */
#define TABLE_ENTRY  8u       /* bytes */

#define LIST    "list"
#define COMMAND "command"

/* ---- the vertex stage ---- */

struct vs {
    struct utgard_lint *lint;
    const struct gpu_space *space;
    const struct utgard_vs_state *state;
    const struct utgard_gp_program *program;
    uint32_t vertices;
};

/* One array of a draw: whether all of it may be reached. */
static void lint_array(const struct vs *vs, bool varying, uint32_t n, uint32_t address,
                       struct utgard_layout layout)
{
    struct gpu_array array;
    const char *place = varying ? "varying" : "attribute";
    uint64_t where = 0;
    bool known = utgard_array(address, layout, varying, &array);
    uint64_t size = array.stride * (vs->vertices - 1ull) + array.bytes;
    if (!known)
        utgard_lint_tell(vs->lint, UTGARD_LINT_ATTRIBUTE_TYPE, place, address, "%s %u: type 0x%x", place, n,
                         layout.type);
    else if (!gpu_space_allows(vs->space, address, size, varying ? GPU_RIGHT_WRITE : GPU_RIGHT_READ, &where))
        utgard_lint_tell(vs->lint, varying ? UTGARD_LINT_VARYING_OUTSIDE : UTGARD_LINT_ATTRIBUTE_OUTSIDE,
                         place, address, "%s %u, %u vertices: no page at 0x%08llx", place, n, vs->vertices,
                         (unsigned long long)where);
}

static const uint8_t *table(const struct vs *vs, uint32_t address, uint32_t count)
{
    const uint8_t *at = gpu_space_at(vs->space, address, (uint64_t)count * TABLE_ENTRY, GPU_RIGHT_READ);
    if (count && !at)
        utgard_lint_tell(vs->lint, UTGARD_LINT_TABLE_OUTSIDE, "table", address, "%u entries", count);
    return at;
}

static void lint_attributes(const struct vs *vs)
{
    const struct utgard_vs_state *s = vs->state;
    uint32_t used = vs->program->attributes, count = s->attribute_count;
    const uint8_t *at = table(vs, s->attributes, count);
    if (count < 32 && used >> count)
        utgard_lint_tell(vs->lint, UTGARD_LINT_ATTRIBUTE_MISSING, "vertex program", s->program,
                         "0x%x are read, of %u", used, count);
    for (uint32_t n = 0; at && n < UTIL_MIN(count, 32u); n++) {
        uint32_t address = util_load32(at + n * TABLE_ENTRY);
        struct utgard_layout layout = utgard_layout(util_load32(at + n * TABLE_ENTRY + 4));
        if (used >> n & 1)
            lint_array(vs, false, n, address, layout);
        else
            utgard_lint_tell(vs->lint, UTGARD_LINT_ATTRIBUTE_UNUSED, "attribute", address, "attribute %u", n);
    }
}

static void lint_varyings(const struct vs *vs)
{
    const struct utgard_vs_state *s = vs->state;
    struct utgard_lint *l = vs->lint;
    uint32_t stored = vs->program->varyings, count = s->varying_count;
    const uint8_t *at = table(vs, s->varyings, count);
    bool position = false;
    if (count < 32 && stored >> count)
        utgard_lint_tell(l, UTGARD_LINT_VARYING_MISSING, "vertex program", s->program,
                         "0x%x are stored, of %u", stored, count);
    for (uint32_t n = 0; at && n < UTIL_MIN(count, 32u); n++) {
        uint32_t address = util_load32(at + n * TABLE_ENTRY);
        struct utgard_layout layout = utgard_layout(util_load32(at + n * TABLE_ENTRY + 4));
        position |= layout.type == UTGARD_TYPE_SPECIAL && layout.components == 1;
        lint_array(vs, true, n, address, layout);
        if (l->array_count < UTGARD_LINT_DRAWS)
            l->arrays[l->array_count++] = (struct utgard_lint_array){address, stored >> n & 1};
    }
    if (at && !position)
        utgard_lint_tell(l, UTGARD_LINT_NO_POSITION, "table", s->varyings, "%u entries", count);
}

static void lint_uniforms(const struct vs *vs)
{
    const struct utgard_vs_state *s = vs->state;
    uint64_t needed = vs->program->loads * 16ull;
    if (needed > s->uniform_bytes)
        utgard_lint_tell(vs->lint, UTGARD_LINT_GP_UNIFORMS, "vertex program", s->program,
                         "%llu bytes are loaded, of %u", (unsigned long long)needed, s->uniform_bytes);
    else if (s->uniform_bytes && !gpu_space_at(vs->space, s->uniforms, s->uniform_bytes, GPU_RIGHT_READ))
        utgard_lint_tell(vs->lint, UTGARD_LINT_GP_UNIFORMS, "uniforms", s->uniforms,
                         "%u bytes are not in memory", s->uniform_bytes);
}

static void lint_vertices(struct vs *vs)
{
    uint64_t words[UTGARD_GP_MAX_INSNS * UTGARD_GP_WORDS];
    struct utgard_gp_program *program;
    const struct utgard_vs_state *s = vs->state;
    const uint64_t key[] = {vs->lint->lint.summary->jobs,
                            (uint64_t)s->program << 32 | s->instructions,
                            (uint64_t)s->uniforms << 32 | s->uniform_bytes,
                            (uint64_t)s->attributes << 32 | s->attribute_count,
                            (uint64_t)s->varyings << 32 | s->varying_count,
                            vs->vertices};
    size_t bytes = s->instructions * sizeof(uint64_t[UTGARD_GP_WORDS]);
    const uint8_t *at = s->instructions && bytes <= sizeof words
                            ? gpu_space_at(vs->space, s->program, bytes, GPU_RIGHT_READ)
                            : NULL;
    if (!gpu_seen_first(&vs->lint->lint.looked_at, key, sizeof key, &vs->lint->lint.error))
        return;
    if (!at) {
        utgard_lint_tell(vs->lint, UTGARD_LINT_GP_PROGRAM, "vertex program", s->program, "%u instructions",
                         s->instructions);
        return;
    }
    memcpy(words, at, bytes);
    utgard_lint_program(vs->lint, "utgard-gp", "vertex program", s->program, words, bytes);
    if (utgard_gp_program_create(words, s->instructions, &program, &(struct util_error){0}))
        return;
    vs->program = program;
    lint_attributes(vs);
    lint_varyings(vs);
    lint_uniforms(vs);
    utgard_gp_program_destroy(program);
}

/* ---- the PLBU's draws ---- */

struct plbu {
    uint32_t state, state_at; /* the render state, and the command that named it */
    bool has_state, used, ended;
    uint32_t indices, tiles_x, tiles_y, shift_x, shift_y, stride;
    uint32_t setup[UTGARD_SETUP_CULL_NEGATIVE + 1];
};

static void lint_indices(struct utgard_lint *l, const struct gpu_space *space, const struct plbu *p,
                         uint32_t at, const struct utgard_cl_command *c)
{
    uint32_t size = p->setup[UTGARD_SETUP_U32] ? 4 : p->setup[UTGARD_SETUP_U16] ? 2 : 1;
    uint32_t count = c->field[UTGARD_PRIMITIVES_COUNT];
    uint64_t bytes = ((uint64_t)c->field[UTGARD_PRIMITIVES_START] + count) * size, where = 0;
    if (!p->indices)
        utgard_lint_tell(l, UTGARD_LINT_NO_INDICES, COMMAND, at, "%u indices", count);
    else if (count && !gpu_space_allows(space, p->indices, bytes, GPU_RIGHT_READ, &where))
        utgard_lint_tell(l, UTGARD_LINT_INDICES_OUTSIDE, COMMAND, at, "%u of %u bytes: no page at 0x%08llx",
                         count, size, (unsigned long long)where);
}

static void lint_draw(struct utgard_lint *l, const struct gpu_space *space, struct plbu *p, uint32_t at,
                      const struct utgard_cl_command *c)
{
    l->lint.draw++;
    l->lint.summary->draws++;
    if (!p->has_state)
        utgard_lint_tell(l, UTGARD_LINT_NO_STATE, COMMAND, at, "%s", "");
    if (c->id == UTGARD_PLBU_DRAW_ELEMENTS)
        lint_indices(l, space, p, at, c);
    if (p->has_state && l->draw_count < UTGARD_LINT_DRAWS)
        l->draws[l->draw_count++] = (struct utgard_lint_draw){p->state, l->lint.draw};
    p->used = true;
}

static void lint_blocks(struct utgard_lint *l, const struct plbu *p, uint32_t at, uint32_t count)
{
    uint64_t across = (p->tiles_x + (1ull << p->shift_x) - 1) >> p->shift_x;
    uint64_t down = (p->tiles_y + (1ull << p->shift_y) - 1) >> p->shift_y;
    uint64_t stride = p->stride ? p->stride : across;
    if (across && down && stride * (down - 1) + across > count)
        utgard_lint_tell(l, UTGARD_LINT_BLOCKS_FEW, COMMAND, at, "%u blocks for %llu by %llu squares", count,
                         (unsigned long long)across, (unsigned long long)down);
}

static void unused_state(struct utgard_lint *l, const struct plbu *p)
{
    if (p->has_state && !p->used)
        utgard_lint_tell(l, UTGARD_LINT_STATE_UNUSED, COMMAND, p->state_at, "render state 0x%08x", p->state);
}

static void lint_command(struct utgard_lint *l, const struct gpu_space *space, struct plbu *p, uint32_t at,
                         const struct utgard_cl_command *c)
{
    const uint32_t *f = c->field;
    switch (c->id) {
    case UTGARD_PLBU_DRAW_ARRAYS:
    case UTGARD_PLBU_DRAW_ELEMENTS: lint_draw(l, space, p, at, c); break;
    case UTGARD_PLBU_INDICES: p->indices = f[0]; break;
    case UTGARD_PLBU_SETUP: memcpy(p->setup, f, sizeof p->setup); break;
    case UTGARD_PLBU_TILES:
        p->tiles_x = f[UTGARD_TILES_WIDTH];
        p->tiles_y = f[UTGARD_TILES_HEIGHT];
        break;
    case UTGARD_PLBU_BLOCK_STEP:
        p->shift_x = f[UTGARD_STEP_X] & 31;
        p->shift_y = f[UTGARD_STEP_Y] & 31;
        break;
    case UTGARD_PLBU_STRIDE: p->stride = f[0]; break;
    case UTGARD_PLBU_BLOCKS: lint_blocks(l, p, at, f[UTGARD_BLOCKS_COUNT]); break;
    case UTGARD_PLBU_STATE:
        unused_state(l, p);
        p->state = f[UTGARD_STATE_AT];
        p->state_at = at;
        p->has_state = true;
        p->used = false;
        break;
    case UTGARD_PLBU_END: p->ended = true; break;
    default: break;
    }
}

/* ---- lists ---- */

static bool fetch(struct utgard_lint *l, const struct gpu_space *space, enum utgard_cl_list list, uint32_t at,
                  struct utgard_cl_command *out)
{
    const uint8_t *bytes = gpu_space_at(space, at, UTGARD_CL_BYTES, GPU_RIGHT_READ);
    if (!bytes)
        utgard_lint_tell(l, UTGARD_LINT_LIST_OUTSIDE, LIST, at, "%s", "");
    else if (!utgard_cl_decode(list, util_load64(bytes), out))
        utgard_lint_tell(l, UTGARD_LINT_COMMAND, COMMAND, at, "0x%016llx",
                         (unsigned long long)util_load64(bytes));
    else
        return true;
    return false;
}

/* The PLBU's draws are those that count; the VS's belong to them in order. */
static void lint_vs(struct utgard_lint *l, const struct gpu_space *space, uint32_t at, uint32_t end)
{
    struct utgard_vs_state state = {0};
    struct utgard_cl_command c;
    for (uint32_t n = 0; n < COMMANDS_MAX && at != end && fetch(l, space, UTGARD_VS, at, &c); n++) {
        struct vs vs = {l, space, &state, NULL, c.field[UTGARD_DRAW_VERTICES]};
        utgard_vs_set(&state, &c);
        if (c.id == UTGARD_VS_DRAW && vs.vertices) {
            l->lint.draw++;
            lint_vertices(&vs);
        }
        at = c.id == UTGARD_VS_JUMP ? c.field[0] : at + UTGARD_CL_BYTES;
    }
    l->lint.draw = 0;
}

static void lint_plbu(struct utgard_lint *l, const struct gpu_space *space, uint32_t start, uint32_t end)
{
    struct plbu p = {0};
    struct utgard_cl_command c;
    uint32_t at = start;
    bool whole = true;
    for (uint32_t n = 0; n < COMMANDS_MAX && at != end && !p.ended && whole; n++) {
        whole = fetch(l, space, UTGARD_PLBU, at, &c);
        if (whole)
            lint_command(l, space, &p, at, &c);
        at = whole && c.id == UTGARD_PLBU_JUMP ? c.field[0] : at + UTGARD_CL_BYTES;
    }
    if (whole) {
        unused_state(l, &p);
        l->lint.draw = 0;
        if (!p.ended)
            utgard_lint_tell(l, UTGARD_LINT_NO_END, LIST, start, "0x%08x to 0x%08x", start, end);
    }
    l->lint.draw = 0;
}

void utgard_lint_lists(struct utgard_lint *l, bool vs, bool plbu)
{
    const uint32_t *gp = utgard_device_words(l->device, UTGARD_IP_GP);
    struct gpu_fault fault = {0};
    const struct gpu_space *space = utgard_device_space(l->device, 0, &fault);
    uint32_t start = gp[UTGARD_GP_HEAP_START], end = gp[UTGARD_GP_HEAP_END];
    l->draw_count = l->array_count = 0;
    if (!space) {
        utgard_lint_tell(l, UTGARD_LINT_PAGING, "job", gp[UTGARD_GP_VS_START], "%s", fault.text);
        return;
    }
    if (vs)
        lint_vs(l, space, gp[UTGARD_GP_VS_START], gp[UTGARD_GP_VS_END]);
    if (plbu && (end < start || (end > start && !gpu_space_allows(space, start, 1, GPU_RIGHT_WRITE, NULL))))
        utgard_lint_tell(l, UTGARD_LINT_HEAP, "heap", start, "0x%08x to 0x%08x", start, end);
    if (plbu)
        lint_plbu(l, space, gp[UTGARD_GP_PLBU_START], gp[UTGARD_GP_PLBU_END]);
}
