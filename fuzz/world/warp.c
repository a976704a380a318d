/* Sixteen random threads, for programs of isa/warp: fragments, vertices or a workgroup, whatever they ask for. Ports are
 * made of exclusive ors, so that what each was asked for can be told from what it gives; compiled code calls the same
 * ones. Memory is there at nearly all addresses, again and again. */
#include <stdlib.h>
#include <string.h>

#include "fuzz/random.h"
#include "fuzz/world/warp.h"
#include "util/bits.h"

const char *const world_warp_modes[] = {"some lanes",
                                        "all lanes",
                                        "some lanes, helpers",
                                        "all lanes, helpers",
                                        "some lanes, fixed blends",
                                        "all lanes, fixed blends",
                                        "side by side, helpers",
                                        "side by side, the last",
                                        NULL};

const struct world_field world_warp_fields[] = {
    WORLD_FIELD(struct world_warp, uniform, 4, WORLD_GIVEN),
    WORLD_FIELD(struct world_warp, special, 4, WORLD_GIVEN),
    WORLD_FIELD(struct world_warp, buffer, 4, WORLD_GIVEN),
    WORLD_FIELD(struct world_warp, address, 8, WORLD_GIVEN),
    WORLD_FIELD(struct world_warp, back, 8, WORLD_GIVEN),
    WORLD_FIELD(struct world_warp, lanes, 2, WORLD_GIVEN),
    WORLD_FIELD(struct world_warp, helpers, 2, WORLD_GIVEN),
    WORLD_FIELD(struct world_warp, fixed, 1, WORLD_GIVEN),
    WORLD_FIELD(struct world_warp, whole, 1, WORLD_GIVEN),
    WORLD_FIELD(struct world_warp, memory, 1, WORLD_GIVEN | WORLD_LEFT),
    WORLD_FIELD(struct world_warp, reg, 4, WORLD_GIVEN | WORLD_LEFT),
    WORLD_FIELD(struct world_warp, seen, 4, WORLD_GIVEN | WORLD_LEFT),
    WORLD_FIELD(struct world_warp, live, 2, WORLD_LEFT),
    WORLD_FIELD(struct world_warp, returned, 2, WORLD_LEFT),
    WORLD_FIELD(struct world_warp, fault, 4, WORLD_LEFT),
    WORLD_FIELD(struct world_warp, fault_address, 8, WORLD_LEFT),
    WORLD_FIELD(struct world_warp, executed, 8, WORLD_LEFT),
    {0},
};

/* ---- ports ---- */

/* A sixteenth of all addresses is nowhere. */
static bool reaches(const struct world_warp *w, const struct isa_access *a, uint16_t lanes,
                    struct isa_place *fault)
{
    for (uint32_t l = 0; l < 16 && !w->whole; l++)
        if (lanes >> l & 1 && a->address[l] >> 60 == 13) {
            *fault = (struct isa_place){l, a->address[l]};
            return false;
        }
    return true;
}

static uint8_t *byte_at(struct world_warp *w, uint64_t address)
{
    return &w->memory[address % MEMORY];
}

static bool load(void *ctx, const struct isa_access *a, uint16_t lanes, uint32_t out[4][16],
                 struct isa_place *fault)
{
    struct world_warp *w = ctx;
    if (!reaches(w, a, lanes, fault))
        return false;
    for (unsigned l = 0; l < 16; l++)
        for (unsigned n = 0; lanes >> l & 1 && n < a->bytes; n++)
            out[n / 4][l] |= (uint32_t)*byte_at(w, a->address[l] + n) << 8 * (n % 4);
    return true;
}

static bool store(void *ctx, const struct isa_access *a, uint16_t lanes, const uint32_t value[4][16],
                  struct isa_place *fault)
{
    struct world_warp *w = ctx;
    if (!reaches(w, a, lanes, fault))
        return false;
    for (unsigned l = 0; l < 16; l++)
        for (unsigned n = 0; lanes >> l & 1 && n < a->bytes; n++)
            if (a->enable >> n & 1)
                *byte_at(w, a->address[l] + n) = (uint8_t)(value[n / 4][l] >> 8 * (n % 4)) ^ a->hint;
    return true;
}

static uint64_t changed(enum isa_atomic op, uint64_t old, uint64_t value, uint64_t compare)
{
    switch (op) {
    case ISA_ATOMIC_ADD: return old + value;
    case ISA_ATOMIC_AND: return old & value;
    case ISA_ATOMIC_OR: return old | value;
    case ISA_ATOMIC_COMPARE_EXCHANGE:
        return old ^ value ^ compare << 1; /* which is which, also where they differ */
    default: return (old ^ value) + (uint64_t)op;
    }
}

static bool atomic(void *ctx, const struct isa_access *a, uint16_t lanes, const uint32_t value[2][16],
                   const uint32_t compare[2][16], uint32_t out[2][16], struct isa_place *fault)
{
    struct world_warp *w = ctx;
    if (!reaches(w, a, lanes, fault))
        return false;
    for (unsigned l = 0; l < 16; l++) {
        uint64_t old = 0;
        if (!(lanes >> l & 1))
            continue;
        for (unsigned n = 0; n < a->bytes; n++)
            old |= (uint64_t)*byte_at(w, a->address[l] + n) << 8 * n;
        const uint64_t new = changed(a->op, old, value[0][l] | (uint64_t)value[1][l] << 32,
                                     compare[0][l] | (uint64_t)compare[1][l] << 32);
        for (unsigned n = 0; n < a->bytes; n++)
            *byte_at(w, a->address[l] + n) = (uint8_t)(new >> 8 * n);
        out[0][l] = (uint32_t)old;
        out[1][l] = (uint32_t)(old >> 32);
    }
    return true;
}

static bool uniform(void *ctx, const uint32_t buffer[16], const uint32_t offset[16], unsigned bytes,
                    uint16_t lanes, uint32_t out[4][16], struct isa_place *fault)
{
    const struct world_warp *w = ctx;
    for (unsigned l = 0; l < 16; l++)
        for (unsigned n = 0; n < bytes; n++)
            out[n / 4][l] |= (w->buffer[(offset[l] + n) % BUFFER] ^ buffer[l]) % 256 << 8 * (n % 4);
    return true;
}

/* A level that fixed point has, mostly. */
static uint32_t level_of(const struct isa_texture_request *r, unsigned c, unsigned l, uint32_t v)
{
    v ^= r->gradient[0][c % 3][l] ^ r->gradient[1][c % 3][l] << 1;
    return (v ^ r->no_bias ^ (uint32_t)r->no_clamp << 1) & 0xc3ffffff;
}

/* With derivatives what a lane gets depends on its whole quad. */
static bool texture(void *ctx, const struct isa_texture_request *r, uint16_t lanes, uint32_t out[4][16],
                    struct isa_place *fault)
{
    const uint32_t kind = (uint32_t)r->op << 28 ^ (uint32_t)r->mode << 24 ^ (uint32_t)r->dimensions << 22 ^
                          (uint32_t)r->sampler_type << 20 ^ (uint32_t)r->derivatives << 19 ^
                          (uint32_t)r->has_lod << 18 ^ (uint32_t)r->has_offset << 17;
    for (unsigned l = 0; l < 16; l++)
        for (unsigned c = 0; c < 4; c++) {
            uint32_t v = r->coordinate[c][l] ^ kind;
            if (r->derivatives)
                v ^= r->coordinate[c][l ^ 1] ^ r->coordinate[c][l ^ 2] >> 1 ^ r->coordinate[c][l ^ 3] >> 2;
            if (r->op == ISA_TEXTURE_LEVEL)
                v = level_of(r, c, l, v);
            out[c][l] = c == 0   ? v ^ r->texture[l]
                        : c == 1 ? v ^ r->sampler[l]
                        : c == 2 ? v ^ r->lod[l]
                                 : v ^ (uint32_t)r->offset[0][l] ^ (uint32_t)r->offset[1][l] << 8 ^
                                       (uint32_t)r->offset[2][l] << 16;
        }
    return true;
}

static void special(void *ctx, unsigned which, uint32_t out[2][16])
{
    memcpy(out, ((const struct world_warp *)ctx)->special[which % SPECIALS], sizeof(uint32_t[2][16]));
}

static bool message(void *ctx, const struct warp_message *m, uint16_t lanes,
                    uint32_t out[WARP_MESSAGE_WORDS][16], uint16_t *leave, struct isa_place *fault)
{
    struct world_warp *w = ctx;
    uint32_t kind = 0;
    for (unsigned n = 0; n < sizeof m->asked; n++)
        kind = kind * 31 + ((const uint8_t *)&m->asked)[n];
    for (uint32_t l = 0; l < 16; l++) {
        if (lanes >> l & 1 && !w->whole && (m->operand[1][0][l] ^ kind) % 64 == 7) {
            *fault = (struct isa_place){l, m->operand[1][0][l]};
            return false;
        }
        for (unsigned k = 0; lanes >> l & 1 && k < WARP_MESSAGE_WORDS; k++) {
            out[k][l] = kind ^ m->operand[k % 3][k & 1][l] ^ m->value[k][l] << 1;
            w->seen[k][l] = w->seen[k][l] * 3 + out[k][l];
        }
        if (m->operand[0][0][l] & 1 && !w->fixed)
            *leave &= (uint16_t)~(1u << l);
    }
    return true;
}

/* The interpreter's; compiled code makes the same of `message`: what a descriptor is asked for is in it, too. */
static bool message_asks(void *ctx, const struct warp_message *m, uint16_t lanes,
                         uint32_t out[WARP_MESSAGE_WORDS][16], uint16_t *leave, struct isa_place *fault)
{
    struct isa_attribute a;
    uint32_t instance[16];
    if (!message(ctx, m, lanes, out, leave, fault))
        return false;
    for (unsigned l = 0; warp_message_attribute(m, &a, instance) && l < 16; l++)
        out[0][l] ^= a.index[l] ^ a.vertex[l] << 1 ^ instance[l] << 2 ^ a.coordinate[0][l] ^
                     a.coordinate[1][l] << 3 ^ a.coordinate[2][l] << 5 ^ a.coordinate[3][l] << 7 ^
                     (uint32_t)a.type << 20 ^ (uint32_t)a.interpolation << 24 ^ a.secondary;
    return true;
}

static bool far(void *ctx, const struct warp_far *to, uint16_t lanes, uint32_t reg[WARP_REGISTERS][16],
                uint16_t *back, struct isa_place *fault)
{
    for (uint32_t l = 0; l < 16; l++) {
        if (!(lanes >> l & 1))
            continue;
        for (unsigned n = 0; n < WARP_REGISTERS; n += 7)
            reg[n][l] ^= (uint32_t)(to->target[l] >> 32) + (uint32_t)to->target[l] + (uint32_t)to->back;
        *back |= (uint16_t)((to->target[l] >> 3 & 1) << l);
    }
    return true;
}

/* ---- worlds ---- */

/* And small numbers. */
static uint32_t any_word(uint64_t *seed)
{
    return random_next(seed) % 8 ? random_word(seed) : (uint32_t)random_next(seed) % 20;
}

void world_warp_fill(void *world, const void *program, unsigned mode, uint64_t seed)
{
    struct world_warp *w = world;
    memset(w, 0, sizeof *w);
    w->ports = (struct warp_ports){.load = load,
                                   .store = store,
                                   .atomic = atomic,
                                   .uniform = uniform,
                                   .texture = texture,
                                   .special = special,
                                   .message = message,
                                   .far = far};
    for (unsigned n = 0; n < UNIFORMS; n++)
        w->uniform[n] = any_word(&seed);
    for (unsigned n = 0; n < SPECIALS * 32; n++)
        w->special[n / 32][n / 16 % 2][n % 16] = any_word(&seed);
    for (unsigned n = 0; n < BUFFER; n++)
        w->buffer[n] = any_word(&seed);
    for (unsigned n = 0; n < MEMORY; n++)
        w->memory[n] = (uint8_t)random_next(&seed);
    for (unsigned n = 0; n < WARP_REGISTERS * 16; n++)
        w->reg[n / 16][n % 16] = any_word(&seed);
    w->address = (uint64_t)random_next(&seed) << 20;
    w->back = (w->address & ~0xffffffffull) | (random_next(&seed) % 3 ? 0x3f800000u : w->uniform[3]);
    w->lanes = mode & ALL_LANES ? 0xffff : (uint16_t)(random_next(&seed) | 1u << random_next(&seed) % 16);
    const uint32_t some = (uint32_t)random_next(&seed), few = (uint32_t)random_next(&seed);
    w->fixed = mode & FIXED;
    w->whole = mode >= SIDE_BY_SIDE;
    w->helpers = world_warp_helps(mode) ? (uint16_t)(some & few & w->lanes) : 0;
}

void world_warp_run(const void *program, unsigned mode, void *world)
{
    struct world_warp *w = world;
    static struct warp_state state;
    struct warp_report report;
    const struct warp_input input = {.uniform = w->uniform,
                                     .uniform_count = UNIFORMS,
                                     .address = w->address,
                                     .back = w->back,
                                     .lanes = w->lanes,
                                     .helpers = w->helpers,
                                     .fuel = FUEL};
    struct warp_ports own = w->ports;
    own.ctx = w;
    own.message = message_asks;
    warp_start(&input, &state);
    memcpy(state.reg, w->reg, sizeof state.reg);
    do {
        warp_run(program, &own, &state, &report);
        w->executed += report.executed;
    } while (!report.fault && state.running);
    w->fault = isa_fault_pack(report.fault, report.place.lane, report.at);
    w->fault_address = report.place.address;
    w->live = state.live;
    w->returned = state.returned;
    memcpy(w->reg, state.reg, sizeof w->reg);
}

/* ---- comparing ---- */

bool world_warp_same(const void *program, unsigned mode, const void *input, const void *expected,
                     const void *got)
{
    const struct world_warp *x = expected, *y = got;
    if (x->fault != y->fault || x->fault_address != y->fault_address)
        return world_differs("fault %x at %llx, expected %x at %llx", y->fault,
                             (unsigned long long)y->fault_address, x->fault,
                             (unsigned long long)x->fault_address);
    if (x->fault)
        return true;
    if (x->executed != y->executed || x->live != y->live || x->returned != y->returned)
        return world_differs("%llu instructions, live %04x, returned %04x, expected %llu, %04x, %04x",
                             (unsigned long long)y->executed, y->live, y->returned,
                             (unsigned long long)x->executed, x->live, x->returned);
    if (memcmp(x->memory, y->memory, sizeof x->memory) != 0 || memcmp(x->seen, y->seen, sizeof x->seen) != 0)
        return world_differs("memory, or what messages said, differs");
    for (unsigned l = 0; l < 16; l++)
        for (unsigned n = 0; x->lanes >> l & 1 && n < WARP_REGISTERS; n++)
            if (x->reg[n][l] != y->reg[n][l])
                return world_differs("lane %u: r%u is %08x, expected %08x", l, n, y->reg[n][l], x->reg[n][l]);
    return true;
}

void world_warp_count(const void *w_, struct world_outcome *outcome)
{
    const struct world_warp *w = w_;
    const unsigned lanes = (unsigned)__builtin_popcount(w->lanes);
    outcome->lanes += lanes;
    outcome->faulted += w->fault ? lanes : 0;
    outcome->discarded += (unsigned)__builtin_popcount(w->lanes & ~w->live);
}
