/* Vertex batches through the interpreter: the reference, and the way for programs that cannot be compiled. */
#include <errno.h>
#include <string.h>

#include "gpu/vc4/device_internal.h"
#include "gpu/vc4/frag.h"
#include "gpu/vc4/vertex_internal.h"
#include "isa/vc4_qpu/interp.h"
#include "util/bits.h"

struct batch {
    const struct vc4_vertex_stage *stage;
    const uint32_t (*in)[16];
    uint32_t (*out)[16];
    struct vc4_vpm_access read[2], write;
    uint32_t reads_queued;
    bool writable;
    struct {
        uint32_t count;
        uint32_t result[VC4_QPU_TMU_SLOTS][16];
    } tmu[2];
};

static enum vc4_qpu_fault port_uniform(void *ctx, uint32_t address, uint32_t *value,
                                       struct vc4_qpu_report *report)
{
    const struct vc4_vertex_stage *stage = ((struct batch *)ctx)->stage;
    uint32_t offset = address - stage->uniforms_at;
    if (address >= stage->uniforms_at && !(offset & 3) && offset / 4 < stage->program->uniform_count) {
        *value = stage->uniforms[offset / 4];
        return VC4_QPU_OK;
    }
    const uint8_t *guest = address & 3 ? NULL : gpu_memory_at(stage->memory, address, 4);
    if (!guest) {
        report->address = address;
        return VC4_QPU_FAULT_UNIFORM;
    }
    *value = util_load32(guest);
    return VC4_QPU_OK;
}

/* A direct lookup: a word of memory a lane; "the bottom two bits of the address are ignored" (Guide section
 * 4). */
static enum vc4_qpu_fault lookup(const struct vc4_vertex_stage *stage, const uint32_t address[16],
                                 uint32_t out[16], struct vc4_qpu_report *report)
{
    for (uint32_t i = 0; i < 16; i++) {
        const uint8_t *guest = gpu_memory_at(stage->memory, address[i] & ~3u, 4);
        if (!guest) {
            report->lane = i;
            report->address = address[i];
            return VC4_QPU_FAULT_MEMORY;
        }
        out[i] = util_load32(guest);
    }
    return VC4_QPU_OK;
}

static enum vc4_qpu_fault port_tmu_request(void *ctx, unsigned unit, const uint32_t *s, const uint32_t *t,
                                           const uint32_t *r, const uint32_t *b, const uint32_t *params,
                                           unsigned param_count, struct vc4_qpu_report *report)
{
    struct batch *batch = ctx;
    uint32_t *out = batch->tmu[unit].result[batch->tmu[unit].count++];
    if (!t && !r && !b)
        return lookup(batch->stage, s, out, report);
    struct raster_texture_key key;
    struct raster_texture texture;
    struct gpu_fault fault;
    if (!vc4_texture_decode(batch->stage->memory, params, param_count, r, b, &key, &texture, &fault)) {
        report->address = (uint32_t)fault.address;
        return VC4_QPU_FAULT_MEMORY;
    }
    raster_texture_sample(&key, &texture, (const float *)s, (const float *)t, (const float *)r,
                          (const float *)b, out);
    return VC4_QPU_OK;
}

static enum vc4_qpu_fault port_tmu_load(void *ctx, unsigned unit, uint32_t out[16],
                                        struct vc4_qpu_report *report)
{
    struct batch *batch = ctx;
    memcpy(out, batch->tmu[unit].result[0], sizeof batch->tmu[unit].result[0]);
    batch->tmu[unit].count--;
    memmove(batch->tmu[unit].result[0], batch->tmu[unit].result[1],
            batch->tmu[unit].count * sizeof batch->tmu[unit].result[0]);
    return VC4_QPU_OK;
}

/* At most two read blocks wait (Guide section 7: a third set-up would be ignored); here it is a fault. */
static enum vc4_qpu_fault port_read_setup(void *ctx, uint32_t value, struct vc4_qpu_report *report)
{
    struct batch *batch = ctx;
    if (batch->reads_queued == 2 || !vc4_vpm_setup(value, &batch->read[batch->reads_queued]))
        return VC4_QPU_FAULT_VPM;
    batch->reads_queued++;
    return VC4_QPU_OK;
}

static enum vc4_qpu_fault port_write_setup(void *ctx, uint32_t value, struct vc4_qpu_report *report)
{
    struct batch *batch = ctx;
    batch->writable = vc4_vpm_setup(value, &batch->write);
    return batch->writable ? VC4_QPU_OK : VC4_QPU_FAULT_VPM;
}

static enum vc4_qpu_fault port_read(void *ctx, uint32_t out[16], struct vc4_qpu_report *report)
{
    struct batch *batch = ctx;
    if (!batch->reads_queued)
        return VC4_QPU_FAULT_VPM;
    vc4_vpm_get(batch->in, &batch->read[0], out);
    if (!--batch->read[0].left) {
        batch->read[0] = batch->read[1];
        batch->reads_queued--;
    }
    return VC4_QPU_OK;
}

static enum vc4_qpu_fault port_write(void *ctx, const uint32_t value[16], uint16_t lanes,
                                     struct vc4_qpu_report *report)
{
    struct batch *batch = ctx;
    if (!batch->writable)
        return VC4_QPU_FAULT_VPM;
    vc4_vpm_put(batch->out, &batch->write, value, lanes);
    return VC4_QPU_OK;
}

/* No DMA can be under way, for none can be started: the status says so. */
static enum vc4_qpu_fault port_dma_status(void *ctx, bool store, bool wait, uint32_t *value,
                                          struct vc4_qpu_report *report)
{
    *value = 0;
    return VC4_QPU_OK;
}

int vc4_vertex_interpret(const struct vc4_vertex_stage *stage, const uint32_t (*in)[16], uint32_t (*out)[16],
                         uint64_t *executed, struct gpu_fault *fault)
{
    struct batch batch = {.stage = stage, .in = in, .out = out};
    const struct vc4_qpu_ports ports = {
        .ctx = &batch,
        .uniform = port_uniform,
        .tmu_request = port_tmu_request,
        .tmu_load = port_tmu_load,
        .vpm_read_setup = port_read_setup,
        .vpm_write_setup = port_write_setup,
        .vpm_read = port_read,
        .vpm_write = port_write,
        .dma_status = port_dma_status,
    };
    const struct vc4_qpu_start start = {
        .uniforms = stage->uniforms_at, .fuel = stage->fuel, .numeric = stage->numeric};
    struct vc4_qpu_report report = {0};
    if (vc4_qpu_interp(stage->program, &start, &ports, NULL, NULL, NULL, &report) == VC4_QPU_OK) {
        *executed += report.executed;
        return 0;
    }
    vc4_vertex_fault(stage, &report, fault);
    return -EFAULT;
}

void vc4_vertex_fault(const struct vc4_vertex_stage *stage, const struct vc4_qpu_report *report,
                      struct gpu_fault *fault)
{
    /* Where these programs have more than the set's texts say. */
    static const char *const texts[VC4_QPU_FAULT_COUNT] = {
        [VC4_QPU_FAULT_MEMORY] = "texture or memory lookup outside memory",
        [VC4_QPU_FAULT_VPM] = "VPM access without a set-up, past its block, or by a set-up of another kind",
        [VC4_QPU_FAULT_UNSUPPORTED] =
            ("an access that vertex programs do not have here (tile buffer, varyings, "
             "DMA, mutex, semaphores, host interrupt)"),
    };
    const struct isa_fault_row *row = &vc4_qpu_faults[report->fault];
    const char *text = texts[report->fault];
    gpu_fault_set(fault, gpu_fault_kind_of(row->class), stage->unit,
                  report->address ? report->address : stage->code + report->pc * 8, "%s",
                  text ? text : row->text);
    fault->pc = report->pc;
    fault->lane = report->lane;
}
