/* What user programs reach through their registers: uniforms, texture units, VPM, DMA. Compiled code calls
 * these (struct vc4_user_calls), and the interpreter's ports do. */
#include <string.h>

#include "gpu/vc4/device_internal.h"
#include "gpu/vc4/frag.h"
#include "gpu/vc4/user_internal.h"
#include "util/bits.h"

#define SAMPLE_WORK 256u /* instructions that take as long as sampling a texture does here */

/* ---- uniforms, texture units ---- */

/* SRQUL bounds the stream as long as it runs on from where it began; a program that moves the pointer is on
 * its own. */
static uint32_t call_uniform(struct vc4_user_qpu *qpu, uint32_t address, uint32_t *value)
{
    if (address != qpu->next_uniform)
        qpu->uniform_words = UINT32_MAX;
    qpu->next_uniform = address + 4;
    bool disabled = qpu->uniform_words != UINT32_MAX && (address - qpu->uniforms) / 4 >= qpu->uniform_words;
    if (!disabled && !(address & 3) && vc4_user_read(qpu, address, 4, value))
        return VC4_QPU_OK;
    qpu->report.address = address;
    return VC4_QPU_FAULT_UNIFORM;
}

static uint32_t *next_result(struct vc4_user_qpu *qpu, unsigned unit)
{
    struct vc4_user_results *results = &qpu->results[unit];
    return results->word[(results->first + results->count++) % VC4_QPU_TMU_SLOTS];
}

static bool plain_lookup(const struct vc4_user_qpu *qpu, const uint32_t address[16], uint32_t out[16])
{
    uint32_t outside = 0;
    for (uint32_t i = 0; i < 16; i++)
        outside |= (address[i] & ~3u) > qpu->last_word;
    if (qpu->stores.used)
        for (uint32_t i = 0; i < 16; i++)
            outside |= vc4_user_is_written(&qpu->stores, address[i]);
    for (uint32_t i = 0; i < 16 && !outside; i++)
        out[i] = util_load32(qpu->base + (address[i] & ~3u));
    return !outside;
}

/* "The bottom two bits of the address are ignored" (Guide section 4). */
enum vc4_qpu_fault vc4_user_lookup(struct vc4_user_qpu *qpu, unsigned unit, const uint32_t address[16])
{
    uint32_t *out = next_result(qpu, unit);
    if (plain_lookup(qpu, address, out))
        return VC4_QPU_OK;
    for (uint32_t i = 0; i < 16; i++)
        if (!vc4_user_read(qpu, address[i] & ~3u, 4, &out[i])) {
            qpu->report.lane = i;
            qpu->report.address = address[i];
            return VC4_QPU_FAULT_MEMORY;
        }
    return VC4_QPU_OK;
}

/* Texels are read from memory as the round found it. */
enum vc4_qpu_fault vc4_user_sample(struct vc4_user_qpu *qpu, unsigned unit, const struct vc4_qpu_request *r)
{
    struct raster_texture_key key;
    struct raster_texture texture;
    const float *c[4];
    for (unsigned i = 0; i < 4; i++)
        c[i] = r->has[i] || i == 0 ? (const float *)r->coordinate[i] : NULL;
    if (!vc4_texture_decode(qpu->memory, r->params, r->param_count, c[2], c[3], &key, &texture,
                            &qpu->fault)) {
        qpu->report.address = (uint32_t)qpu->fault.address;
        return VC4_QPU_FAULT_MEMORY;
    }
    qpu->work += SAMPLE_WORK;
    raster_texture_sample(&key, &texture, c[0], c[1], c[2], c[3], next_result(qpu, unit));
    return VC4_QPU_OK;
}

void vc4_user_take_result(struct vc4_user_qpu *qpu, unsigned unit, uint32_t out[16])
{
    struct vc4_user_results *results = &qpu->results[unit];
    memcpy(out, results->word[results->first], sizeof results->word[0]);
    results->first = (results->first + 1) % VC4_QPU_TMU_SLOTS;
    results->count--;
}

/* The slots of requests (isa/vc4_qpu/README.md, rule 12), which the interpreter counts itself. */
static uint32_t take_slots(struct vc4_user_qpu *qpu, uint32_t unit, bool direct)
{
    struct vc4_qpu_outstanding *o = &qpu->machine.outstanding[unit];
    unsigned slots = vc4_qpu_tmu_slots(direct);
    if (o->taken + slots > VC4_QPU_TMU_SLOTS)
        return VC4_QPU_FAULT_TMU_FULL;
    o->slots[o->count++] = (uint8_t)slots;
    o->taken += slots;
    return VC4_QPU_OK;
}

static uint32_t call_lookup(struct vc4_user_qpu *qpu, uint32_t unit, const uint32_t address[16])
{
    uint32_t fault = take_slots(qpu, unit, true);
    return fault ? fault : vc4_user_lookup(qpu, unit, address);
}

static uint32_t call_sample(struct vc4_user_qpu *qpu, uint32_t unit, uint32_t what)
{
    struct vc4_qpu_request *r = &qpu->machine.request[unit];
    uint32_t fault = take_slots(qpu, unit, false);
    for (unsigned i = 0; i < 4; i++)
        r->has[i] = what >> i & 1;
    r->param_count = what >> 4;
    if (!fault)
        fault = vc4_user_sample(qpu, unit, r);
    memset(r, 0, sizeof *r);
    return fault;
}

static uint32_t call_load(struct vc4_user_qpu *qpu, uint32_t unit, uint32_t out[16])
{
    struct vc4_qpu_outstanding *o = &qpu->machine.outstanding[unit];
    if (!o->count)
        return VC4_QPU_FAULT_TMU_EMPTY;
    o->taken -= o->slots[0];
    memmove(o->slots, o->slots + 1, --o->count);
    vc4_user_take_result(qpu, unit, out);
    return VC4_QPU_OK;
}

/* ---- VPM and DMA ---- */

#define TRANSFER_MAX 4096u /* bytes moved at once */

static uint32_t bad_setup(struct vc4_user_qpu *qpu, const char *what, uint32_t value)
{
    gpu_fault_set(&qpu->fault, GPU_FAULT_SHADER, "user program", 0, "%s 0x%08x", what, value);
    return VC4_QPU_FAULT_VPM;
}

/* "The particular type of setup data written is identified from the MSBs" (Guide section 7). */
static uint32_t call_read_setup(struct vc4_user_qpu *qpu, uint32_t value)
{
    struct vc4_user_dma dma;
    if (value >> 28 == 9) {
        qpu->load_stride = value;
        return VC4_QPU_OK;
    }
    if (value >> 31) {
        qpu->load_setup = value;
        return vc4_user_dma_load(value, 0, &dma) ? VC4_QPU_OK : bad_setup(qpu, "DMA load set-up", value);
    }
    if (qpu->reads_queued == 2)
        return bad_setup(qpu, "a third block of VPM reads is queued, which the silicon ignores:", value);
    if (!vc4_vpm_setup(value, &qpu->read[qpu->reads_queued]))
        return bad_setup(qpu, "VPM read set-up", value);
    qpu->reads_queued++;
    return VC4_QPU_OK;
}

static uint32_t call_write_setup(struct vc4_user_qpu *qpu, uint32_t value)
{
    struct vc4_user_dma dma;
    switch (value >> 30) {
    case 3: qpu->store_stride = value; return VC4_QPU_OK;
    case 2:
        qpu->store_setup = value;
        return vc4_user_dma_store(value, 0, &dma) ? VC4_QPU_OK : bad_setup(qpu, "DMA store set-up", value);
    default:
        qpu->writable = vc4_vpm_setup(value, &qpu->write);
        return qpu->writable ? VC4_QPU_OK : bad_setup(qpu, "VPM write set-up", value);
    }
}

static uint32_t call_vpm_read(struct vc4_user_qpu *qpu, uint32_t out[16])
{
    if (!qpu->reads_queued)
        return VC4_QPU_FAULT_VPM;
    vc4_vpm_get((const uint32_t(*)[16])qpu->vpm.row, &qpu->read[0], out);
    if (!--qpu->read[0].left) {
        qpu->read[0] = qpu->read[1];
        qpu->reads_queued--;
    }
    return VC4_QPU_OK;
}

static uint32_t call_vpm_write(struct vc4_user_qpu *qpu, const uint32_t value[16], uint32_t lanes)
{
    if (!qpu->writable)
        return VC4_QPU_FAULT_VPM;
    vc4_user_vpm_put(&qpu->vpm, &qpu->write, value, (uint16_t)lanes);
    return VC4_QPU_OK;
}

/* `count` rows from row `first` on, which follow each other in memory without a gap. */
static bool transfer(struct vc4_user_qpu *qpu, const struct vc4_user_dma *dma, uint64_t address,
                     uint32_t first, uint32_t count)
{
    uint8_t bytes[TRANSFER_MAX];
    uint32_t size = count * dma->row_bytes;
    if (!dma->store && !vc4_user_read(qpu, address, size, bytes))
        return false;
    for (uint32_t i = 0; i < count; i++) {
        if (dma->store)
            vc4_user_dma_get(dma, &qpu->vpm, first + i, bytes + i * dma->row_bytes);
        else
            vc4_user_dma_put(dma, &qpu->vpm, first + i, bytes + i * dma->row_bytes);
    }
    return !dma->store || vc4_user_write(qpu, address, size, bytes);
}

/* A transfer is over when the instruction that starts it is: nothing observes it in between. */
static uint32_t call_dma(struct vc4_user_qpu *qpu, uint32_t store, uint32_t value)
{
    struct vc4_user_dma dma;
    bool known = store ? vc4_user_dma_store(qpu->store_setup, qpu->store_stride, &dma)
                       : vc4_user_dma_load(qpu->load_setup, qpu->load_stride, &dma);
    if (!known)
        return bad_setup(
            qpu, store ? "a DMA store without a set-up, to" : "a DMA load without a set-up, from", value);
    qpu->work += dma.rows * (1 + dma.row_bytes / 16);
    uint32_t at_once = dma.pitch == dma.row_bytes ? TRANSFER_MAX / dma.row_bytes : 1;
    for (uint32_t i = 0; i < dma.rows; i += at_once) {
        uint64_t address = value + (uint64_t)i * dma.pitch;
        if (transfer(qpu, &dma, address, i, UTIL_MIN(at_once, dma.rows - i)))
            continue;
        qpu->report.address = (uint32_t)address;
        gpu_fault_set(&qpu->fault, GPU_FAULT_MEMORY, "user program", (uint32_t)address,
                      "row %u of a DMA %s of %u rows of %u bytes, or one behind it, lies outside memory", i,
                      store ? "store" : "load", dma.rows, dma.row_bytes);
        return VC4_QPU_FAULT_MEMORY;
    }
    return VC4_QPU_OK;
}

static uint32_t call_is_full(struct vc4_user_qpu *qpu)
{
    return vc4_user_is_full(qpu);
}

const struct vc4_user_calls vc4_user_calls = {
    .uniform = call_uniform,
    .lookup = call_lookup,
    .sample = call_sample,
    .load = call_load,
    .read_setup = call_read_setup,
    .write_setup = call_write_setup,
    .vpm_read = call_vpm_read,
    .vpm_write = call_vpm_write,
    .dma = call_dma,
    .is_full = call_is_full,
};
