/* One QPU with a user program: what its registers reach, and running it. */
#include <string.h>

#include "gpu/vc4/device_internal.h"
#include "gpu/vc4/frag.h"
#include "gpu/vc4/user_internal.h"
#include "isa/vc4_qpu/interp.h"
#include "util/bits.h"

/* ---- uniforms, texture units ---- */

/* SRQUL bounds the stream as long as it runs on from where it began; a program that moves the pointer is on
 * its own. */
static enum vc4_qpu_fault port_uniform(void *ctx, uint32_t address, uint32_t *value,
                                       struct vc4_qpu_report *report)
{
    struct vc4_user_qpu *qpu = ctx;
    if (address != qpu->next_uniform)
        qpu->uniform_words = UINT32_MAX;
    qpu->next_uniform = address + 4;
    bool disabled = qpu->uniform_words != UINT32_MAX && (address - qpu->uniforms) / 4 >= qpu->uniform_words;
    report->address = address;
    if (disabled || address & 3 || !vc4_user_read(qpu, address, 4, value))
        return VC4_QPU_FAULT_UNIFORM;
    return VC4_QPU_OK;
}

/* "The bottom two bits of the address are ignored" (Guide section 4). */
static enum vc4_qpu_fault lookup(struct vc4_user_qpu *qpu, const uint32_t address[16], uint32_t out[16],
                                 struct vc4_qpu_report *report)
{
    for (uint32_t i = 0; i < 16; i++)
        if (!vc4_user_read(qpu, address[i] & ~3u, 4, &out[i])) {
            report->lane = i;
            report->address = address[i];
            return VC4_QPU_FAULT_MEMORY;
        }
    return VC4_QPU_OK;
}

/* Texels are read from memory as the round found it. */
static enum vc4_qpu_fault port_tmu_request(void *ctx, unsigned unit, const uint32_t *s, const uint32_t *t,
                                           const uint32_t *r, const uint32_t *b, const uint32_t *params,
                                           unsigned param_count, struct vc4_qpu_report *report)
{
    struct vc4_user_qpu *qpu = ctx;
    struct vc4_user_results *results = &qpu->results[unit];
    uint32_t *out = results->word[(results->first + results->count) % VC4_QPU_TMU_SLOTS];
    struct raster_texture_key key;
    struct raster_texture texture;
    results->count++;
    if (!param_count)
        return lookup(qpu, s, out, report);
    if (!vc4_texture_decode(qpu->memory, params, param_count, r, b, &key, &texture, &qpu->fault)) {
        report->address = qpu->fault.address;
        return VC4_QPU_FAULT_MEMORY;
    }
    raster_texture_sample(&key, &texture, (const float *)s, (const float *)t, (const float *)r,
                          (const float *)b, out);
    return VC4_QPU_OK;
}

static enum vc4_qpu_fault port_tmu_load(void *ctx, unsigned unit, uint32_t out[16],
                                        struct vc4_qpu_report *report)
{
    struct vc4_user_results *results = &((struct vc4_user_qpu *)ctx)->results[unit];
    memcpy(out, results->word[results->first], sizeof results->word[0]);
    results->first = (results->first + 1) % VC4_QPU_TMU_SLOTS;
    results->count--;
    return VC4_QPU_OK;
}

/* ---- VPM and DMA ---- */

static enum vc4_qpu_fault bad_setup(struct vc4_user_qpu *qpu, const char *what, uint32_t value)
{
    vc4_fault_set(&qpu->fault, GPU_FAULT_SHADER, "user program", 0, "%s 0x%08x", what, value);
    return VC4_QPU_FAULT_VPM;
}

/* "The particular type of setup data written is identified from the MSBs" (Guide section 7). */
static enum vc4_qpu_fault port_read_setup(void *ctx, uint32_t value, struct vc4_qpu_report *report)
{
    struct vc4_user_qpu *qpu = ctx;
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

static enum vc4_qpu_fault port_write_setup(void *ctx, uint32_t value, struct vc4_qpu_report *report)
{
    struct vc4_user_qpu *qpu = ctx;
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

static enum vc4_qpu_fault port_vpm_read(void *ctx, uint32_t out[16], struct vc4_qpu_report *report)
{
    struct vc4_user_qpu *qpu = ctx;
    if (!qpu->reads_queued)
        return VC4_QPU_FAULT_VPM;
    vc4_vpm_get((const uint32_t(*)[16])qpu->vpm.row, &qpu->read[0], out);
    if (!--qpu->read[0].left) {
        qpu->read[0] = qpu->read[1];
        qpu->reads_queued--;
    }
    return VC4_QPU_OK;
}

static enum vc4_qpu_fault port_vpm_write(void *ctx, const uint32_t value[16], uint16_t lanes,
                                         struct vc4_qpu_report *report)
{
    struct vc4_user_qpu *qpu = ctx;
    if (!qpu->writable)
        return VC4_QPU_FAULT_VPM;
    vc4_user_vpm_put(&qpu->vpm, &qpu->write, value, lanes);
    return VC4_QPU_OK;
}

/* A transfer is over when the instruction that starts it is: nothing observes it in between. */
static enum vc4_qpu_fault port_dma_address(void *ctx, bool store, uint32_t value,
                                           struct vc4_qpu_report *report)
{
    struct vc4_user_qpu *qpu = ctx;
    struct vc4_user_dma dma;
    uint8_t row[512];
    bool known = store ? vc4_user_dma_store(qpu->store_setup, qpu->store_stride, &dma)
                       : vc4_user_dma_load(qpu->load_setup, qpu->load_stride, &dma);
    if (!known)
        return bad_setup(
            qpu, store ? "a DMA store without a set-up, to" : "a DMA load without a set-up, from", value);
    for (uint32_t i = 0; i < dma.rows; i++) {
        uint64_t address = value + (uint64_t)i * dma.pitch;
        bool inside;
        if (store) {
            vc4_user_dma_get(&dma, &qpu->vpm, i, row);
            inside = vc4_user_write(qpu, address, dma.row_bytes, row);
        } else {
            inside = vc4_user_read(qpu, address, dma.row_bytes, row);
            if (inside)
                vc4_user_dma_put(&dma, &qpu->vpm, i, row);
        }
        if (!inside) {
            report->address = (uint32_t)address;
            vc4_fault_set(&qpu->fault, GPU_FAULT_MEMORY, "user program", (uint32_t)address,
                          "row %u of a DMA %s of %u rows of %u bytes lies outside memory", i,
                          store ? "store" : "load", dma.rows, dma.row_bytes);
            return VC4_QPU_FAULT_MEMORY;
        }
    }
    return VC4_QPU_OK;
}

static enum vc4_qpu_fault port_dma_status(void *ctx, bool store, bool wait, uint32_t *value,
                                          struct vc4_qpu_report *report)
{
    *value = 0;
    return VC4_QPU_OK;
}

/* ---- other programs, the host ---- */

static enum vc4_qpu_fault granted(const struct vc4_user_qpu *qpu, unsigned sync)
{
    return qpu->granted & sync ? VC4_QPU_OK : VC4_QPU_FAULT_UNSUPPORTED;
}

static enum vc4_qpu_fault port_mutex(void *ctx, bool acquire, struct vc4_qpu_report *report)
{
    return granted(ctx, acquire ? VC4_QPU_SYNC_TAKE : VC4_QPU_SYNC_GIVE);
}

static enum vc4_qpu_fault port_semaphore(void *ctx, bool decrement, unsigned number,
                                         struct vc4_qpu_report *report)
{
    return granted(ctx, decrement ? VC4_QPU_SYNC_DOWN : VC4_QPU_SYNC_UP);
}

static enum vc4_qpu_fault port_host_interrupt(void *ctx, struct vc4_qpu_report *report)
{
    return granted(ctx, VC4_QPU_SYNC_INTERRUPT);
}

/* ---- running ---- */

struct gate {
    struct vc4_user_qpu *qpu;
    bool first; /* the instruction at which the run begins */
};

/* What was granted is for the instruction at which the program stopped. */
static bool gate(void *data, uint32_t pc, const struct vc4_qpu_insn *insn)
{
    struct gate *g = data;
    unsigned sync = vc4_qpu_sync_of(insn);
    if (!g->first)
        g->qpu->granted = 0;
    g->first = false;
    return (sync & ~g->qpu->granted) || (vc4_user_is_full(g->qpu) && vc4_qpu_starts_dma(insn));
}

void vc4_user_qpu_run(struct vc4_user_qpu *qpu)
{
    const struct vc4_qpu_ports ports = {
        .ctx = qpu,
        .uniform = port_uniform,
        .tmu_request = port_tmu_request,
        .tmu_load = port_tmu_load,
        .vpm_read_setup = port_read_setup,
        .vpm_write_setup = port_write_setup,
        .vpm_read = port_vpm_read,
        .vpm_write = port_vpm_write,
        .dma_address = port_dma_address,
        .dma_status = port_dma_status,
        .mutex = port_mutex,
        .semaphore = port_semaphore,
        .host_interrupt = port_host_interrupt,
    };
    struct gate g = {qpu, true};
    qpu->machine.slice = VC4_USER_SLICE;
    qpu->stop = vc4_qpu_interp_on(qpu->program, &qpu->machine, &ports, gate, &g, NULL, NULL, &qpu->report);
    qpu->granted = 0;
}

void vc4_user_qpu_fault(const struct vc4_user_qpu *qpu, struct gpu_fault *fault)
{
    static const struct {
        enum gpu_fault_kind kind;
        const char *text;
    } words[] = {
        [VC4_QPU_OK] = {GPU_FAULT_SHADER, "stopped"},
        [VC4_QPU_FAULT_FUEL] = {GPU_FAULT_TIMEOUT, "more instructions than the job's fuel allows"},
        [VC4_QPU_FAULT_PC] = {GPU_FAULT_SHADER, "branch outside the program"},
        [VC4_QPU_FAULT_UNIFORM] = {GPU_FAULT_MEMORY,
                                   "uniform read outside memory, or past the stream's length (SRQUA, SRQUL)"},
        [VC4_QPU_FAULT_MEMORY] = {GPU_FAULT_MEMORY, "memory lookup outside memory"},
        [VC4_QPU_FAULT_TMU_EMPTY] = {GPU_FAULT_SHADER, "texture result loaded without a request"},
        [VC4_QPU_FAULT_TMU_FULL] = {GPU_FAULT_SHADER, "too many texture requests outstanding"},
        [VC4_QPU_FAULT_VPM] = {GPU_FAULT_SHADER, "VPM access without a set-up, or past its block"},
        [VC4_QPU_FAULT_RESERVED] = {GPU_FAULT_SHADER, "reserved operation, signal or register"},
        [VC4_QPU_FAULT_UNSUPPORTED] =
            {GPU_FAULT_UNSUPPORTED, "an access that user programs do not have here (tile buffer, varyings)"},
    };
    const struct vc4_qpu_report *r = &qpu->report;
    unsigned kind = (unsigned)r->fault < UTIL_ARRAY_SIZE(words) ? (unsigned)r->fault : VC4_QPU_OK;
    const char *text = words[kind].text;
    enum gpu_fault_kind what = words[kind].kind;
    if (qpu->fault.kind) {
        text = qpu->fault.text;
        what = qpu->fault.kind;
    }
    vc4_fault_set(fault, what, "user program", r->address ? r->address : qpu->machine.code + r->pc * 8,
                  "QPU %u: %s", qpu->number, text);
    fault->job = qpu->job;
    fault->pc = r->pc;
    fault->lane = r->lane;
}
