/* Random programs of vector instructions, as text and unrolled. */
#include "tests/riscv/unroll_random.h"

#include "util/bits.h"

enum { INSNS = 32 };

static uint64_t some_value(void)
{
    const uint64_t x = unroll_bits();
    switch (unroll_below(8)) {
    case 0: return x;
    case 1: return (uint64_t)(int64_t)(int32_t)(x >> unroll_below(60));
    case 2: return ~0ull << unroll_below(64);
    case 3: return ~0ull << 32 | (x & 0x807fffff) | (120 + unroll_below(14)) << 23;
    case 4:
        return ((uint64_t)(120 + unroll_below(14)) << 55 | (x & 0x807fffff007fffff)) |
               (118 + unroll_below(14)) << 23;
    case 5: return x & unroll_bits() & 0x00ff8000ff00ffff; /* some elements are 0 */
    case 6: return (x & 0x83ff83ff83ff83ff) | 0x3c003c003c003c00;
    default: return (x & 0x800fffffffffffff) | (uint64_t)(1010 + unroll_below(30)) << 52;
    }
}

static bool is_fixed(unsigned reg)
{
    return (reg >= 9 && reg < BASE + 4) || (reg >= ADDRESSES && reg < 128);
}

void unroll_fill(void)
{
    for (unsigned n = 1; n < 256; n++)
        if (!is_fixed(n))
            util_store64(qemu_at(QEMU_DATA + UNROLL_FILES + 8 * n), some_value());
    for (unsigned n = 0; n < QEMU_MEMORY_BYTES; n += 8)
        util_store64(qemu_at(QEMU_MEMORY + n), some_value());
}

/* Masks and addresses, which are the program's. */
static void fix(void)
{
    for (unsigned n = 9; n < BASE; n++)
        util_store64(qemu_at(QEMU_DATA + 8 * n), some_value());
    for (unsigned n = 0; n < 20; n++) {
        const unsigned reg = n < 4 ? BASE + n : ADDRESSES + n - 4;
        const uint64_t address = QEMU_MEMORY + 0x800 + unroll_below(QEMU_MEMORY_BYTES - 0x1000);
        util_store64(qemu_at(QEMU_DATA + 8 * reg), reg < ALIGNED ? address : address & ~7ull);
    }
    util_store64(qemu_at(QEMU_DATA + 8 * END_BASE), QEMU_MEMORY + QEMU_MEMORY_BYTES - 32 - unroll_below(100));
}

const char *unroll_random(uint64_t seed)
{
    const char *const text = unroll_begin(seed);
    qemu_begin();
    fix();
    unroll_fill();
    qemu_text("lui x31, %u", QEMU_DATA >> 12);
    if (unroll_one_in(8)) {
        const unsigned direction = unroll_below(5);
        unroll_say("csrrwi x0, frm, %u\n", direction);
        qemu_text("csrrwi x0, frm, %u", direction);
    }
    for (unsigned n = 0; n < INSNS; n++)
        if (unroll_below(12) < 7)
            unroll_prefixed();
        else
            unroll_block(n);
    qemu_text("csrrs x5, fcsr, x0\nlui x6, 1\naddi x6, x6, -2048\nadd x6, x6, x31\nsd x5, 0(x6)");
    qemu_end(0, UNROLL_RESULT);
    return text;
}
