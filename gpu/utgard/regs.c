/* The window of registers as tables. */
#include "gpu/utgard/regs.h"

#include "gpu/utgard/device_internal.h"
#include "util/bits.h"

#define BLOCK_BYTES 0x1000u
#define PP_BYTES    0x2000u

static const struct {
    const char *name;
    enum utgard_block block;
    uint32_t offset[2]; /* by enum utgard_kind */
} ips[] = {
#define IP(id, block, mali400, mali450) {#id, UTGARD_BLOCK_##block, {mali400, mali450}},
#include "gpu/utgard/ips.inc"
#undef IP
};

static const struct gpu_register regs[] = {
#define REG(block, name, offset, access, reset)                                                              \
    {UTGARD_BLOCK_##block, #name, offset, 4, 1, GPU_ACCESS_##access, reset, NULL},
#define COUNTED(block, name, first, step, count, access, reset)                                              \
    {UTGARD_BLOCK_##block, #name, first, step, count, GPU_ACCESS_##access, reset, NULL},
#include "gpu/utgard/regs.inc"
};

static const struct gpu_register_field fields[] = {
#define FIELD(block, register, name, high, low) {UTGARD_BLOCK_##block, #register, #name, high, low},
#include "gpu/utgard/regs.inc"
};

const struct gpu_registers utgard_registers = {regs, UTIL_ARRAY_SIZE(regs), fields, UTIL_ARRAY_SIZE(fields)};

const char *utgard_ip_name(unsigned ip)
{
    return ips[ip].name;
}

enum utgard_block utgard_ip_block(unsigned ip)
{
    return ips[ip].block;
}

uint32_t utgard_device_offset(const struct utgard_device *device, enum utgard_ip ip)
{
    unsigned pps = device->pp_count;
    bool beyond = (ip >= UTGARD_IP_PP0 && ip <= UTGARD_IP_PP7 && ip - UTGARD_IP_PP0 >= pps) ||
                  (ip >= UTGARD_IP_PPMMU0 && ip <= UTGARD_IP_PPMMU7 && ip - UTGARD_IP_PPMMU0 >= pps) ||
                  (ip == UTGARD_IP_L2_2 && pps <= 4);
    return beyond ? UTGARD_ABSENT : ips[ip].offset[device->kind];
}

/* Whether the block lies there, so that *offset becomes its own. */
static bool lies_in(unsigned ip, uint32_t base, uint32_t *offset)
{
    const bool big = ips[ip].block == UTGARD_BLOCK_PP || ips[ip].block == UTGARD_BLOCK_PP_ALL;
    if (base == UTGARD_ABSENT || *offset < base || *offset - base >= (big ? PP_BYTES : BLOCK_BYTES))
        return false;
    *offset -= base;
    return true;
}

unsigned utgard_ip_at(const struct utgard_device *device, uint32_t *offset)
{
    unsigned ip = 0;
    while (ip < UTGARD_IP_COUNT && !lies_in(ip, utgard_device_offset(device, (enum utgard_ip)ip), offset))
        ip++;
    return ip;
}

enum utgard_block utgard_block_at(enum utgard_kind kind, uint32_t *offset)
{
    unsigned ip = 0;
    while (ip < UTGARD_IP_COUNT && !lies_in(ip, ips[ip].offset[kind], offset))
        ip++;
    return ip < UTGARD_IP_COUNT ? ips[ip].block : UTGARD_BLOCK_DLBU;
}
