/* Ends of jobs. */
#include "gpu/mali/stop.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "util/bits.h"

static const struct {
    uint32_t code;
    const char *what;
} exceptions[] = {
#define EXCEPTION(name, code, what) {code, what},
#include "gpu/mali/exceptions.inc"
#undef EXCEPTION
};

bool mali_stop_set(struct mali_stop *stop, enum mali_exception exception, enum gpu_fault_kind kind,
                   const char *unit, uint64_t address, const char *format, ...)
{
    char text[sizeof stop->fault.text];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    *stop = (struct mali_stop){.exception = exception, .address = address};
    return gpu_fault_set(&stop->fault, kind, unit, address, "%s", text);
}

uint8_t *mali_not_at(const struct gpu_space *space, uint64_t address, uint64_t size, uint32_t rights,
                     const char *unit, const char *what, struct mali_stop *stop)
{
    uint64_t where = address;
    gpu_space_allows(space, address, size, rights, &where);
    bool write = rights & GPU_RIGHT_WRITE;
    mali_stop_set(stop, MALI_JOB_BUS_FAULT, GPU_FAULT_MEMORY, unit, where,
                  "%s at 0x%08" PRIx64 ", %" PRIu64 " bytes, cannot be %s at 0x%08" PRIx64, what, address,
                  size,
                  write                        ? "written"
                  : rights & GPU_RIGHT_EXECUTE ? "executed"
                                               : "read",
                  where);
    stop->fault.write = write;
    stop->page_fault = true;
    stop->rights = rights;
    return NULL;
}

const char *mali_exception_name(uint32_t code)
{
    uint32_t family = code >= MALI_TRANSLATION_FAULT ? code & ~7u : code; /* address faults count levels */
    for (size_t n = 0; n < UTIL_ARRAY_SIZE(exceptions); n++)
        if (exceptions[n].code == family)
            return exceptions[n].what;
    return "not known";
}
