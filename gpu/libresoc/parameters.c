#include "gpu/libresoc/parameters.h"

#include <string.h>

#include "util/bits.h"

#define NUMBER(name, member, min, max, step, text)                                                           \
    {name, text, min, max, step, false, offsetof(struct libresoc_core, member)}
#define LATENCY(name, kind, text)  NUMBER("latency." name, latency[kind], 1, LIBRESOC_LATENCY, 1, text)
#define SWITCH(name, member, text) {name, text, 0, 1, 1, true, offsetof(struct libresoc_core, member)}

static const struct libresoc_parameter parameters[] = {
    NUMBER("units32", units32, 2, LIBRESOC_UNITS, 2, "units of 32 bits"),
    NUMBER("units8", units8, 2, LIBRESOC_UNITS, 2, "units of 8 bits"),
    NUMBER("rows", rows, LIBRESOC_MIN_ROWS, LIBRESOC_ROWS, 1, "names of registers in flight, of each file"),
    NUMBER("issue", issue, 1, LIBRESOC_ISSUE, 1, "element operations issued a cycle"),
    NUMBER("reads", reads, 1, LIBRESOC_PORTS, 1, "read ports of each bank"),
    NUMBER("writes", writes, 1, LIBRESOC_PORTS, 1, "write ports of each bank"),
    LATENCY("integer", LIBRESOC_KIND_INTEGER, "cycles of an integer operation"),
    LATENCY("multiply", LIBRESOC_KIND_MULTIPLY, "cycles of a multiplication"),
    LATENCY("float", LIBRESOC_KIND_FLOAT, "cycles of a float's addition, multiplication, both"),
    LATENCY("divide", LIBRESOC_KIND_DIVIDE, "cycles of a division, root or function"),
    LATENCY("load", LIBRESOC_KIND_LOAD, "cycles of a load"),
    LATENCY("store", LIBRESOC_KIND_STORE, "cycles of a store"),
    SWITCH("whole", whole, "hazards by whole registers, to compare with"),
    SWITCH("batch", batch, "elements of a word may share a unit of 32 bits"),
    SWITCH("in-order", in_order, "a second write waits at issue"),
};

const struct libresoc_parameter *libresoc_parameter_at(unsigned n)
{
    return n < UTIL_ARRAY_SIZE(parameters) ? &parameters[n] : NULL;
}

const struct libresoc_parameter *libresoc_parameter_find(const char *name, size_t length)
{
    for (unsigned n = 0; n < UTIL_ARRAY_SIZE(parameters); n++) {
        if (strlen(parameters[n].name) == length && !memcmp(parameters[n].name, name, length))
            return &parameters[n];
    }
    return NULL;
}

uint32_t libresoc_parameter_get(const struct libresoc_parameter *p, const struct libresoc_core *core)
{
    const char *at = (const char *)core + p->at;
    uint32_t value;
    bool on;
    if (p->is_switch) {
        memcpy(&on, at, sizeof on);
        return on;
    }
    memcpy(&value, at, sizeof value);
    return value;
}

bool libresoc_parameter_set(const struct libresoc_parameter *p, uint64_t value, struct libresoc_core *core)
{
    char *at = (char *)core + p->at;
    if (value < p->min || value > p->max || value % p->step)
        return false;
    if (p->is_switch) {
        const bool on = value;
        memcpy(at, &on, sizeof on);
    } else {
        const uint32_t number = (uint32_t)value;
        memcpy(at, &number, sizeof number);
    }
    return true;
}
