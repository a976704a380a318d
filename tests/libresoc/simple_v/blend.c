/* Bytes blended and added under a mask, against scalar code. */
#include "program.h"

void blend(uint32_t dst[16], const uint32_t src[16], uint64_t mask);
void add(uint32_t dst[16], const uint32_t src[16], uint64_t mask);

static uint32_t byte_of(uint32_t pixel, int n)
{
    return pixel >> 8 * n & 255;
}

static uint32_t blended(uint32_t dst, uint32_t src)
{
    const uint32_t a = byte_of(src, 3);
    uint32_t out = 0;
    for (int n = 0; n < 4; n++)
        out |= (2 * (byte_of(src, n) * a + byte_of(dst, n) * (255 - a)) + 255) / 510 << 8 * n;
    return out;
}

static uint32_t added(uint32_t dst, uint32_t src)
{
    uint32_t out = 0;
    for (int n = 0; n < 4; n++) {
        const uint32_t sum = byte_of(src, n) + byte_of(dst, n);
        out |= (sum > 255 ? 255 : sum) << 8 * n;
    }
    return out;
}

int main(void)
{
    uint64_t random = 3;
    for (int round = 0; round < 120; round++) {
        uint32_t dst[18], before[18], src[16];
        const uint64_t mask = random_next(&random);
        for (int i = 0; i < 16; i++)
            src[i] = (uint32_t)(random_next(&random) >> 16);
        for (int i = 0; i < 18; i++)
            dst[i] = before[i] = (uint32_t)(random_next(&random) >> 16);
        (round & 1 ? add : blend)(dst + 1, src, mask);
        for (int i = 0; i < 18; i++) {
            uint32_t expected = before[i];
            if (i && i < 17 && mask >> (i - 1) & 1)
                expected = (round & 1 ? added : blended)(before[i], src[i - 1]);
            if (dst[i] != expected) {
                print_hex("pixel ", (uint64_t)i);
                print_hex("got   ", dst[i]);
                print_hex("not   ", expected);
                return 1 + (round & 1);
            }
        }
    }
    return 0;
}
