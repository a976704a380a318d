/* What a QPU program can do to the world outside its registers, as plain C calls: the interpreter's side of
 * the ports. The translator has the same list as IR emitters (trans.h). raster and gpu implement both; the
 * ISA knows nothing of rasterization. Every value is one 32-bit word a lane; `lanes` is a 16-bit mask of the
 * lanes in which the write's condition holds. Ownership: the caller owns `ctx` and everything reached through
 * it. */
#ifndef VITRAIL_ISA_VC4_QPU_PORTS_H
#define VITRAIL_ISA_VC4_QPU_PORTS_H

#include "isa/fault.h"
#include "isa/vc4_qpu/insn.h"
#include "isa/vc4_qpu/numeric.h"

enum vc4_qpu_fault {
    VC4_QPU_OK = 0,
    VC4_QPU_FAULT_FUEL,      /* loops too long */
    VC4_QPU_FAULT_PC,        /* branch outside the program */
    VC4_QPU_FAULT_UNIFORM,   /* uniform read outside the range the port allows */
    VC4_QPU_FAULT_MEMORY,    /* raw lookup outside guest memory */
    VC4_QPU_FAULT_TMU_EMPTY, /* result loaded without a request */
    VC4_QPU_FAULT_TMU_FULL,  /* more requests outstanding than VC4_QPU_TMU_SLOTS hold */
    VC4_QPU_FAULT_VPM, /* VPM access outside the rows the port provides, or a set-up it does not support */
    VC4_QPU_FAULT_RESERVED,    /* reserved operation, signal or register */
    VC4_QPU_FAULT_UNSUPPORTED, /* a port is absent: the access makes no sense for this kind of program */
    VC4_QPU_FAULT_COUNT
};
extern const struct isa_fault_row vc4_qpu_faults[VC4_QPU_FAULT_COUNT];

/* A texture unit's FIFOs, for each QPU: "four requests of just (s, t) data, or eight requests of just s
 * data", and as many results (Guide section 4, QPU Interface). So a unit has eight slots for requests whose
 * result is not loaded yet; a direct lookup takes one, any other two. What does not fit faults: on the
 * silicon it may stall for ever. Mesa keeps four of either kind. */
#define VC4_QPU_TMU_SLOTS 8
static inline unsigned vc4_qpu_tmu_slots(bool direct)
{
    return direct ? 1 : 2;
}

/* Where and why a program stopped. */
struct vc4_qpu_report {
    enum vc4_qpu_fault fault;
    uint32_t pc;       /* instruction index */
    uint32_t lane;     /* first lane concerned, 0..15 */
    uint32_t address;  /* guest address where it makes sense, else 0 */
    uint64_t executed; /* instructions that ran to their end (counted by the interpreter) */
};

/* A port returns VC4_QPU_OK or the fault, and sets *lane and *address of the report where it knows them. A
 * NULL pointer means that the access faults with VC4_QPU_FAULT_UNSUPPORTED. */
struct vc4_qpu_ports {
    void *ctx;
    /* The word at byte `address` of guest memory, for the uniform stream. */
    enum vc4_qpu_fault (*uniform)(void *ctx, uint32_t address, uint32_t *value,
                                  struct vc4_qpu_report *report);
    /* The n-th varying read of the program (n counts from 0): vary = A(x-x0)+B(y-y0), c = C (Guide section
     * 6). */
    enum vc4_qpu_fault (*varying)(void *ctx, uint32_t n, uint32_t vary[16], uint32_t c[16],
                                  struct vc4_qpu_report *report);
    /* Pixel coordinates, multisample mask and reverse flag, as the FEP sets them (Guide table 29). */
    void (*coordinates)(void *ctx, uint32_t x[16], uint32_t y[16]);
    void (*flags)(void *ctx, uint32_t ms_mask[16], uint32_t rev_flag[16]);
    enum vc4_qpu_fault (*set_ms_mask)(void *ctx, const uint32_t value[16], uint16_t lanes,
                                      struct vc4_qpu_report *report);
    /* Texture unit: `params` are the implicit uniforms in the order of the writes; s is always valid, t/r/b
     * where they were written (params is empty for a direct lookup). Results come back in order from
     * tmu_load, one word a lane. The interpreter keeps to the slots: at most VC4_QPU_TMU_SLOTS requests of a
     * unit are without their load, and no load is without its request. */
    enum vc4_qpu_fault (*tmu_request)(void *ctx, unsigned unit, const uint32_t *s, const uint32_t *t,
                                      const uint32_t *r, const uint32_t *b, const uint32_t *params,
                                      unsigned param_count, struct vc4_qpu_report *report);
    enum vc4_qpu_fault (*tmu_load)(void *ctx, unsigned unit, uint32_t out[16], struct vc4_qpu_report *report);
    /* Tile buffer. color_write: `all` is TLB_COLOUR_ALL, otherwise the next sample of TLB_COLOUR_MS. */
    enum vc4_qpu_fault (*tlb_stencil)(void *ctx, const uint32_t value[16], uint16_t lanes,
                                      struct vc4_qpu_report *report);
    enum vc4_qpu_fault (*tlb_z)(void *ctx, const uint32_t value[16], uint16_t lanes,
                                struct vc4_qpu_report *report);
    enum vc4_qpu_fault (*color_write)(void *ctx, bool all, const uint32_t value[16], uint16_t lanes,
                                      struct vc4_qpu_report *report);
    enum vc4_qpu_fault (*color_load)(void *ctx, uint32_t out[16], struct vc4_qpu_report *report);
    enum vc4_qpu_fault (*coverage_load)(void *ctx, uint32_t out[16], struct vc4_qpu_report *report);
    enum vc4_qpu_fault (*alpha_mask)(void *ctx, const uint32_t value[16], uint16_t lanes,
                                     struct vc4_qpu_report *report);
    enum vc4_qpu_fault (*alpha_mask_load)(void *ctx, uint32_t out[16], struct vc4_qpu_report *report);
    /* VPM: set-up words as written (Guide tables 32 to 37), then words in order. */
    enum vc4_qpu_fault (*vpm_read_setup)(void *ctx, uint32_t value, struct vc4_qpu_report *report);
    enum vc4_qpu_fault (*vpm_write_setup)(void *ctx, uint32_t value, struct vc4_qpu_report *report);
    enum vc4_qpu_fault (*vpm_read)(void *ctx, uint32_t out[16], struct vc4_qpu_report *report);
    enum vc4_qpu_fault (*vpm_write)(void *ctx, const uint32_t value[16], uint16_t lanes,
                                    struct vc4_qpu_report *report);
    enum vc4_qpu_fault (*dma_address)(void *ctx, bool store, uint32_t value, struct vc4_qpu_report *report);
    enum vc4_qpu_fault (*dma_status)(void *ctx, bool store, bool wait, uint32_t *value,
                                     struct vc4_qpu_report *report);
    enum vc4_qpu_fault (*mutex)(void *ctx, bool acquire, struct vc4_qpu_report *report);
    enum vc4_qpu_fault (*semaphore)(void *ctx, bool decrement, unsigned number,
                                    struct vc4_qpu_report *report);
    /* Something other than 0 was written: zero does nothing (vc4asm's addendum). */
    enum vc4_qpu_fault (*host_interrupt)(void *ctx, struct vc4_qpu_report *report);
};

/* What a program finds in its registers at the start. All other registers, accumulators and flags are zero.
 */
struct vc4_qpu_start {
    uint32_t uniforms;           /* guest byte address of the uniform stream */
    uint32_t ra15[16], rb15[16]; /* fragment: W (float) and Z (24-bit integer); other programs: zero */
    uint32_t qpu_number;         /* 0..15 */
    uint32_t fuel;               /* instructions that backward branches may repeat (README rule 13) */
    enum isa_numeric numeric;
};

#endif
