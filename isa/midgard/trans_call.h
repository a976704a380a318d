/* IR ports (trans.h) that call the ports of an interpreter (ports.h): for what is rare, for quick code, and for
 * all that nobody has written as IR. Lanes, values, faults and addresses go through memory, so a call costs
 * some hundred instructions; the meaning is the same. */
#ifndef VITRAIL_ISA_MIDGARD_TRANS_CALL_H
#define VITRAIL_ISA_MIDGARD_TRANS_CALL_H

#include "isa/midgard/trans.h"
#include "isa/trans_call.h"

/* All of struct midgard_ir_ports but uniform_register, with ctx NULL: each takes a struct isa_ir_calls as its
 * ctx. Faults of the ports are returned as trans.h says, addresses where they leave one. */
extern const struct midgard_ir_ports midgard_ir_call_ports;

#endif
