/* What a Simple-V program reaches outside its registers, as plain C calls; and how it ends. The caller owns `ctx`. */
#ifndef VITRAIL_ISA_SIMPLE_V_PORTS_H
#define VITRAIL_ISA_SIMPLE_V_PORTS_H

#include "isa/fault.h"
#include "isa/simple_v/insn.h"

enum simple_v_fault {
    SIMPLE_V_OK = 0,
    SIMPLE_V_FAULT_FUEL,    /* too many instructions */
    SIMPLE_V_FAULT_ILLEGAL, /* reserved bits, or an instruction where it must not be */
    SIMPLE_V_FAULT_FETCH,   /* no instruction there */
    SIMPLE_V_FAULT_LOAD,    /* a port says that there is nothing */
    SIMPLE_V_FAULT_STORE,
    SIMPLE_V_FAULT_MISALIGNED, /* an atomic's address, a jump's target */
    SIMPLE_V_FAULT_OVERRUN,    /* an element beyond the register file */
    SIMPLE_V_FAULT_LENGTH,     /* VL, MVL or SUBVL out of range */
    SIMPLE_V_FAULT_CALL,       /* ECALL, where no port takes it */
    SIMPLE_V_FAULT_BREAK,      /* EBREAK */
    SIMPLE_V_FAULT_COUNT
};
extern const struct isa_fault_row simple_v_faults[SIMPLE_V_FAULT_COUNT];

struct simple_v_state;
/* What an ECALL comes to. */
enum simple_v_called { SIMPLE_V_GO_ON, SIMPLE_V_END, SIMPLE_V_UNKNOWN_CALL };

struct simple_v_ports {
    void *ctx;
    /* `bytes`: 1, 2, 4, 8, at any address; little-endian, the rest of *out is 0. False: nothing is there. */
    bool (*load)(void *ctx, uint64_t address, unsigned bytes, uint64_t *out);
    /* The low bytes of `value`; all of them, or, if false, none. */
    bool (*store)(void *ctx, uint64_t address, unsigned bytes, uint64_t value);
    /* An ECALL; arguments and results are in the state's registers. NULL: every one is a fault. */
    enum simple_v_called (*call)(void *ctx, struct simple_v_state *state);
};

/* Where and why a program ended. The state goes with it: PC, PCVBLK and STATE are those of the element that faulted, all
 * before it are done, and running on from there does it again. */
struct simple_v_report {
    enum simple_v_fault fault;
    uint64_t pc;           /* of the instruction, or its VBLOCK */
    uint32_t at;           /* of the opcode in the VBLOCK: halfwords from the first opcode */
    uint64_t address;      /* of LOAD, STORE, MISALIGNED, FETCH */
    const char *name;      /* the instruction, "" if it is none; static */
    struct util_error why; /* of ILLEGAL: in words */
};

#endif
