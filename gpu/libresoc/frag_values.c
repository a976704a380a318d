#include "gpu/libresoc/frag_values.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/simple_v/context.h"
#include "util/bits.h"
#include "util/list.h"

/* ---- while the program runs ---- */

static void note(struct libresoc_values *v, bool written, bool integer, unsigned at, unsigned bytes)
{
    const uint8_t *file = integer ? v->state->x : v->state->f;
    struct libresoc_access access = {.step = v->steps - 1,
                                     .at = (uint16_t)at,
                                     .bytes = (uint8_t)bytes,
                                     .element = (uint8_t)((v->elements - 1) / v->subvl),
                                     .vl = v->vl ? v->vl : 1,
                                     .integer = integer,
                                     .written = written,
                                     .all = v->all};
    memcpy(&access.value, file + at, bytes);
    if (v->steps <= LIBRESOC_VALUES_STEPS && !v->left_out && !UTIL_LIST_ADD(v->accesses, access))
        v->out_of_memory = true;
}

static void on_read(void *data, bool integer, unsigned at, unsigned bytes)
{
    note(data, false, integer, at, bytes);
}

static void on_write(void *data, bool integer, unsigned at, unsigned bytes)
{
    note(data, true, integer, at, bytes);
}

/* Of instructions without elements nothing is told but their registers: sources here, the result when the next one begins. */
static void on_element(void *data, const struct simple_v_state *state, const struct simple_v_context *x,
                       bool left_out)
{
    struct libresoc_values *v = data;
    v->state = state;
    v->all = !x->loops;
    v->left_out = left_out;
    v->vl = state->vl;
    v->subvl = (uint8_t)(x->prefixed && x->subvl ? x->subvl : state->subvl);
    v->elements++;
    for (unsigned n = SIMPLE_V_RS1; n < SIMPLE_V_PLACES && x->class == SIMPLE_V_PLAIN; n++)
        if (x->operand[n].there && x->operand[n].reg)
            note(v, false, true, x->operand[n].reg * 8u, 8);
    const struct simple_v_operand_context *rd = &x->operand[SIMPLE_V_RD];
    v->result = x->class == SIMPLE_V_PLAIN && rd->there ? rd->reg : 0;
}

void libresoc_values_begin(struct libresoc_values *values)
{
    *values = (struct libresoc_values){.watch = {values, on_element, on_read, on_write}, .subvl = 1};
}

void libresoc_values_step(struct libresoc_values *values, const struct simple_v_state *state)
{
    if (values->result && state == values->state)
        note(values, true, true, values->result * 8u, 8);
    values->result = 0;
    values->steps++;
    values->elements = 0;
}

void libresoc_values_finish(struct libresoc_values *values)
{
    free(values->accesses.at);
}

/* ---- afterwards ---- */

/* As the digest names parts of registers: x5.b2, x5.h1, x5.w0, x5. */
static void name_of(const struct libresoc_access *a, char out[16])
{
    const unsigned reg = a->at / 8u, part = a->at % 8u / a->bytes;
    if (a->bytes == 8)
        snprintf(out, 16, "%c%u", a->integer ? 'x' : 'f', reg);
    else
        snprintf(out, 16, "%c%u.%c%u", a->integer ? 'x' : 'f', reg,
                 a->bytes == 4   ? 'w'
                 : a->bytes == 2 ? 'h'
                                 : 'b',
                 part);
}

void libresoc_values_tell(const struct libresoc_values *values, uint32_t step, unsigned pixel, uint32_t *next,
                          struct gpu_follower *f)
{
    for (; *next < values->accesses.count && values->accesses.at[*next].step <= step; ++*next) {
        const struct libresoc_access *a = &values->accesses.at[*next];
        char name[16];
        if (a->step < step || (!a->all && a->element != pixel % a->vl))
            continue;
        name_of(a, name);
        struct gpu_value *value = a->written ? gpu_follow_write(f, name) : gpu_follow_read(f, name);
        if (!value)
            continue;
        const uint32_t high = (uint32_t)(a->value >> 32);
        const bool boxed = !a->integer && a->bytes == 8 && high == UINT32_MAX;
        value->known = true;
        value->number = boxed || (!a->integer && a->bytes == 4);
        value->count = high && !boxed ? 2 : 1; /* the low word first */
        value->value[0] = (uint32_t)a->value;
        value->value[1] = high;
    }
}
