/* What ends a guest program before its time: in one word, as translated code returns it, and in words. Kinds
 * are each set's own (enum ..._fault of its ports.h), 1 to ISA_FAULT_KIND_MAX; 0 is none. */
#ifndef VITRAIL_ISA_FAULT_H
#define VITRAIL_ISA_FAULT_H

#include <stdint.h>

/* `lane` 0..15, 0 where the word is itself one lane's; `pc`: instruction or word, as the set counts, of 24
 * bits. */
struct isa_fault {
    uint32_t kind, lane, pc;
};

/* Where they stand in the word; the kind at 0, the greatest of which and of lanes is below. */
enum { ISA_FAULT_LANE = 4, ISA_FAULT_PC = 8, ISA_FAULT_KIND_MAX = 15, ISA_FAULT_LANE_MAX = 15 };

static inline uint32_t isa_fault_pack(uint32_t kind, uint32_t lane, uint32_t pc)
{
    return kind ? kind | lane << ISA_FAULT_LANE | pc << ISA_FAULT_PC : 0;
}
static inline struct isa_fault isa_fault_unpack(uint32_t word)
{
    return (struct isa_fault){word & ISA_FAULT_KIND_MAX, word >> ISA_FAULT_LANE & ISA_FAULT_LANE_MAX,
                              word >> ISA_FAULT_PC};
}

/* What kinds of any set come to for who runs the program. */
enum isa_fault_class {
    ISA_FAULT_PROGRAM,     /* it does something illegal */
    ISA_FAULT_ENDLESS,     /* fuel used up */
    ISA_FAULT_MEMORY,      /* an address outside guest memory */
    ISA_FAULT_UNSUPPORTED, /* what this use of programs does not have */
};

/* A set's table has a row a kind, from kind 0 on, which is nobody's. */
struct isa_fault_row {
    enum isa_fault_class class;
    const char *text;
};

#endif
