/* Mali Utgard's part of `vitrail decode`: registers and the GP's lists. */
#include "tools/decode_utgard.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/families.h"
#include "gpu/utgard/cl.h"
#include "util/bits.h"

static int create(struct decode *d, void **self)
{
    struct utgard_decode *u = *self = calloc(1, sizeof *u);
    if (!u)
        return -ENOMEM;
    u->decode = d;
    /* The GP's programs are interpreted, for the primitives of tiles: seconds at most. */
    const struct gpu_options options = {.job_fuel = 64u << 20};
    struct gpu_device gpu;
    int error = gpu_create(d->gpu, &d->memory, &options, &gpu);
    if (error)
        free(u);
    else
        u->device = gpu.self;
    return error;
}

static void destroy(void *self)
{
    struct utgard_decode *u = self;
    if (u)
        utgard_device_destroy(u->device);
    free(u);
}

/* ---- the GP's lists ---- */

/* Reads the command at `at`; false after saying why there is none. */
static bool fetch(struct utgard_decode *u, const struct gpu_space *space, enum utgard_cl_list list,
                  uint32_t at, struct utgard_cl_command *out)
{
    struct listing *l = &u->decode->listing;
    const uint8_t *bytes = gpu_space_at(space, at, UTGARD_CL_BYTES, GPU_RIGHT_READ);
    if (!bytes)
        listing_line(l, "broken", "0x%08x  the list leaves memory", at);
    else if (!utgard_cl_decode(list, util_load64(bytes), out))
        listing_line(l, "broken", "0x%08x  0x%016llx is no command: the list cannot be followed further", at,
                     (unsigned long long)util_load64(bytes));
    else
        return true;
    return false;
}

static void keep_state(struct utgard_decode *u, uint32_t address)
{
    for (uint32_t n = 0; n < u->state_count; n++)
        if (u->state[n] == address)
            return;
    if (u->state_count < UTGARD_STATES_MAX)
        u->state[u->state_count++] = address;
}

static void list_command(struct utgard_decode *u, const struct gpu_space *space, uint32_t at,
                         const struct utgard_cl_command *c, struct utgard_vs_state *vs)
{
    struct listing *l = &u->decode->listing;
    struct gpu_field fields[UTGARD_CL_MAX_FIELDS];
    listing_open(l, "command", "0x%08x  %s", at, utgard_cl_name(c->id));
    listing_fields(l, fields, utgard_cl_fields(c, fields));
    utgard_vs_set(vs, c);
    if (c->id == UTGARD_VS_DRAW && c->field[UTGARD_DRAW_VERTICES])
        utgard_list_vertices(u, space, vs, c->field[UTGARD_DRAW_VERTICES]);
    if (c->id == UTGARD_PLBU_STATE) {
        utgard_list_state(u, space, c->field[UTGARD_STATE_AT]);
        keep_state(u, c->field[UTGARD_STATE_AT]);
    }
    listing_close(l);
}

/* A list from `at` to `end`, jumps followed. */
static void list_commands(struct utgard_decode *u, enum utgard_cl_list list, uint32_t at, uint32_t end)
{
    struct listing *l = &u->decode->listing;
    struct gpu_fault fault = {0};
    const struct gpu_space *space = utgard_device_space(u->device, 0, &fault);
    struct utgard_vs_state vs = {0};
    struct utgard_cl_command c;
    listing_open(l, "list", "job %llu, %s list 0x%08x..0x%08x", (unsigned long long)u->decode->job,
                 list == UTGARD_VS ? "VS" : "PLBU", at, end);
    if (!space)
        listing_line(l, "broken", "%s", fault.text);
    for (uint32_t n = 0; space && at != end; n++) {
        if (n == DECODE_RECORDS_MAX) {
            listing_line(l, "broken", "(stopped after %u commands: the list does not end)", n);
            break;
        }
        if (!fetch(u, space, list, at, &c))
            break;
        list_command(u, space, at, &c, &vs);
        if (c.id == UTGARD_PLBU_END)
            break;
        at = c.id == UTGARD_VS_JUMP || c.id == UTGARD_PLBU_JUMP ? c.field[0] : at + UTGARD_CL_BYTES;
    }
    listing_close(l);
}

/* ---- registers ---- */

static bool begins(const void *self, uint32_t offset, uint32_t value)
{
    const struct utgard_decode *u = self;
    struct utgard_work work = utgard_device_starts(u->device, offset, value);
    return work.vs || work.plbu;
}

static void list_work(struct utgard_decode *u, const struct utgard_work *work)
{
    enum { VS_START, VS_END, PLBU_START, PLBU_END };
    const uint32_t *gp = utgard_device_words(u->device, UTGARD_IP_GP);
    if (work->vs || work->plbu) {
        u->state_count = 0;
        u->states_listed = false;
    }
    if (work->vs)
        list_commands(u, UTGARD_VS, gp[VS_START], gp[VS_END]);
    if (work->plbu)
        list_commands(u, UTGARD_PLBU, gp[PLBU_START], gp[PLBU_END]);
    for (unsigned pp = 0; pp < UTGARD_MAX_PP; pp++)
        if (work->pps >> pp & 1)
            utgard_list_frame(u, pp);
}

static void open_register(struct utgard_decode *u, uint32_t offset, uint32_t value, bool reply)
{
    struct listing *l = &u->decode->listing;
    const char *why = reply ? "in answer to an interrupt: " : "";
    struct gpu_field fields[UTGARD_FLAGS_MAX];
    struct utgard_register r;
    if (!utgard_device_register(u->device, offset, &r))
        listing_open(l, "register", "%sno register [0x%05x] = 0x%08x", why, offset, value);
    else if (r.counted)
        listing_open(l, "register", "%s%s %s %u%s%s%s [0x%05x] = 0x%08x", why, r.block, r.name, r.number,
                     r.word ? " (" : "", r.word ? r.word : "", r.word ? ")" : "", offset, value);
    else
        listing_open(l, "register", "%s%s %s [0x%05x] = 0x%08x", why, r.block, r.name, offset, value);
    listing_fields(l, fields, utgard_register_fields(u->device, offset, value, fields));
}

/* PPs only read what is listed; the GP makes the tile lists. */
static void list_write(void *self, uint32_t offset, uint32_t value, bool reply)
{
    struct utgard_decode *u = self;
    struct listing *l = &u->decode->listing;
    struct utgard_work work = utgard_device_starts(u->device, offset, value);
    bool gp = work.vs || work.plbu;
    if (!l->muted) {
        open_register(u, offset, value, reply);
        list_work(u, &work);
        listing_close(l);
    }
    if ((!gp || u->decode->tiles) && !work.pps)
        utgard_write(u->device, offset, value);
}

const struct decode_family decode_utgard = {create, destroy, begins, list_write};
