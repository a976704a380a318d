/* Elements of the register files: the digest, sections 3 and 6. */
#include <string.h>

#include "isa/simple_v/interp_internal.h"

unsigned simple_v_index(const struct simple_v_machine *m, const struct simple_v_operand_context *o,
                        unsigned i, unsigned s)
{
    return o->vector ? i * m->subvl + s : o->tagged ? s : 0;
}

static uint8_t *file_of(struct simple_v_machine *m, const struct simple_v_operand_context *o)
{
    return o->integer ? m->state->x : m->state->f;
}

/* First byte of an element; false: it is beyond the file. */
static bool place(struct simple_v_machine *m, const struct simple_v_operand_context *o, unsigned index,
                  unsigned *at)
{
    const unsigned bytes = simple_v_stride(o) / 8;
    *at = o->reg * 8u + index * bytes;
    return *at + bytes <= SIMPLE_V_FILE_BYTES || simple_v_machine_fault(m, SIMPLE_V_FAULT_OVERRUN);
}

void simple_v_note_left_out(const struct simple_v_machine *m, unsigned which, unsigned i, unsigned s)
{
    const struct simple_v_operand_context *o = &m->x.operand[which];
    const unsigned bytes = simple_v_stride(o) / 8, at = o->reg * 8u + simple_v_index(m, o, i, s) * bytes;
    if (!o->there || at + bytes > SIMPLE_V_FILE_BYTES)
        return;
    if (which == SIMPLE_V_RD)
        simple_v_note_write(m, o->integer, at, bytes);
    else
        simple_v_note_read(m, o->integer, at, bytes);
}

bool simple_v_read(struct simple_v_machine *m, const struct simple_v_operand_context *o, unsigned index,
                   uint64_t *out)
{
    unsigned at;
    *out = 0;
    if (!place(m, o, index, &at))
        return false;
    memcpy(out, file_of(m, o) + at, o->width / 8);
    simple_v_note_read(m, o->integer, at, simple_v_stride(o) / 8); /* of what is boxed the box, too */
    return true;
}

/* Whether elements of the operand are registers, of which writes leave nothing as it was. */
static bool is_alone(const struct simple_v_machine *m, const struct simple_v_operand_context *o)
{
    return !o->vector && !(o->tagged && m->subvl > 1);
}

bool simple_v_write_integer(struct simple_v_machine *m, const struct simple_v_operand_context *o,
                            unsigned index, uint64_t value, unsigned width, bool is_signed)
{
    unsigned at;
    if (!place(m, o, index, &at))
        return false;
    if (at < 8) /* x0 */
        return true;
    value = simple_v_extend(value, width, is_signed);
    if (is_alone(m, o)) {
        value = simple_v_extend(value, o->width, is_signed);
        memcpy(m->state->x + at, &value, sizeof value);
    } else {
        memcpy(m->state->x + at, &value, o->width / 8);
    }
    simple_v_note_write(m, true, at, is_alone(m, o) ? 8 : o->width / 8u);
    return true;
}

bool simple_v_write_float(struct simple_v_machine *m, const struct simple_v_operand_context *o,
                          unsigned index, uint64_t bits)
{
    unsigned at;
    if (!place(m, o, index, &at))
        return false;
    if (o->boxed && o->width < 64)
        bits |= ~0ull << o->width;
    memcpy(m->state->f + at, &bits, simple_v_stride(o) / 8);
    simple_v_note_write(m, false, at, simple_v_stride(o) / 8);
    return true;
}

bool simple_v_write_zero(struct simple_v_machine *m, const struct simple_v_operand_context *o, unsigned index)
{
    return o->integer ? simple_v_write_integer(m, o, index, 0, 64, false)
                      : simple_v_write_float(m, o, index, 0);
}
