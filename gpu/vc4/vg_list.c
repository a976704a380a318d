#include "gpu/vc4/vg_list.h"

#include "gpu/vc4/device_internal.h"
#include "util/bits.h"

#define UNIT "VG list"

enum { TYPE_RHTS = 1, TYPE_RHT_STRIP = 3, TYPE_TRIANGLES, TYPE_STRIP, TYPE_FAN };

static int fail(const struct vc4_vg_list *l, enum gpu_fault_kind kind, const char *what,
                struct gpu_fault *fault)
{
    gpu_fault_set(fault, kind, UNIT, l->record, "%s", what);
    return -1;
}

bool vc4_vg_list_begin(struct vc4_vg_list *l, const struct gpu_memory *memory,
                       const struct vc4_cl_record *record, uint32_t address, uint32_t after,
                       struct vc4_vg_fan *fan, uint64_t budget, struct gpu_fault *fault)
{
    bool array = record->id == VC4_CL_VG_COORDINATE_ARRAY, goes_on = record->field[VC4_VG_CONTINUATION] != 0;
    *l = (struct vc4_vg_list){
        .memory = memory,
        .fan = fan,
        .record = address,
        .at = array ? record->field[VC4_VG_ADDRESS] : after,
        .left = array ? record->field[VC4_VG_LENGTH] : UINT64_MAX,
        .budget = budget,
        .type = (uint8_t)record->field[VC4_VG_TYPE],
    };
    if (l->type == TYPE_RHTS || l->type == TYPE_RHT_STRIP)
        return fail(l, GPU_FAULT_UNSUPPORTED, "RHT primitives", fault) > 0;
    if (l->type < TYPE_TRIANGLES || l->type > TYPE_FAN)
        return fail(l, GPU_FAULT_PACKET, "reserved primitive type", fault) > 0;
    if (goes_on && (l->type != TYPE_FAN || !fan->count))
        return fail(l, GPU_FAULT_PACKET, "a continuation, but not of a triangle fan", fault) > 0;
    if (!goes_on)
        fan->count = 0;
    return true;
}

static bool read_words(struct vc4_vg_list *l, uint32_t *out, uint32_t count, struct gpu_fault *fault)
{
    const uint8_t *bytes = gpu_memory_at(l->memory, l->at, count * 4ull);
    if (!bytes)
        return fail(l, GPU_FAULT_LIST, "coordinates leave memory", fault) > 0;
    for (uint32_t i = 0; i < count; i++)
        out[i] = util_load32(bytes + 4 * i);
    l->at += count * 4;
    return true;
}

/* Ends a list; what a fan has of its first vertices waits for its continuation. */
static int end(struct vc4_vg_list *l, uint32_t count, const uint32_t vertex[2])
{
    l->left = 0;
    if (l->type == TYPE_FAN) {
        l->fan->count = count;
        l->fan->vertex[0] = vertex[0];
        l->fan->vertex[1] = vertex[1];
    }
    return 0;
}

/* The first three coordinates of a strip or fan, up to the third. 1, or how vc4_vg_list_next ends. */
static int first_three(struct vc4_vg_list *l, uint32_t v[3], struct gpu_fault *fault)
{
    bool fan = l->type == TYPE_FAN;
    if (!read_words(l, v, 3, fault))
        return -1;
    if (fan && l->fan->count)
        v[0] = l->fan->vertex[0];
    if (fan && l->fan->count == 2)
        v[1] = l->fan->vertex[1];
    else if (fan && v[1] == VC4_VG_END) /* "must still be present": all three were read */
        return end(l, 1, v);
    l->before[0] = v[0];
    l->before[1] = v[1];
    l->inside = true;
    return 1;
}

/* One of a strip or fan: the vertices before, and the next. */
static int next_joined(struct vc4_vg_list *l, uint32_t v[3], struct gpu_fault *fault)
{
    uint32_t third;
    if (!l->inside) {
        int opened = first_three(l, v, fault);
        if (opened <= 0)
            return opened;
        third = v[2];
    } else if (!read_words(l, &third, 1, fault)) {
        return -1;
    }
    if (third == VC4_VG_END)
        return end(l, 2, l->before);
    if (third == VC4_VG_PAD)
        return 2;
    v[0] = l->before[l->odd];
    v[1] = l->before[!l->odd];
    v[2] = third;
    if (l->type == TYPE_STRIP) {
        l->before[0] = l->before[1];
        l->odd = !l->odd;
    }
    l->before[1] = third;
    return 1;
}

static int next_single(struct vc4_vg_list *l, uint32_t v[3], struct gpu_fault *fault)
{
    if (!read_words(l, v, 3, fault))
        return -1;
    return v[2] == VC4_VG_END ? end(l, 0, v) : v[2] == VC4_VG_PAD ? 2 : 1;
}

int vc4_vg_list_next(struct vc4_vg_list *l, uint32_t xy[3], struct gpu_fault *fault)
{
    for (;;) {
        if (!l->left)
            return l->inside ? end(l, 2, l->before) : 0;
        if (!l->budget)
            return fail(l, GPU_FAULT_TIMEOUT, "list exceeds its budget", fault);
        l->budget--;
        int got = l->type == TYPE_TRIANGLES ? next_single(l, xy, fault) : next_joined(l, xy, fault);
        if (got <= 0)
            return got;
        l->left -= l->left != UINT64_MAX;
        if (got == 1)
            return 1;
    }
}
