/* Batches of 32 vertices against the same in scalar code, bit for bit. */
#include "program.h"

void transform(const float in[4][32], float out[4][32], const float matrix[16]);

static union {
    float value[4][32];
    uint32_t bits[128];
} in, out, expected;
static union {
    float value[16];
    uint32_t bits[16];
} matrix;

/* Any single but for NaN and the infinities, mostly of the usual sizes. */
static uint32_t some_float(uint64_t *random)
{
    const uint64_t r = random_next(random);
    const uint32_t exponent = r >> 40 & 15 ? 120 + (r >> 44 & 15) : (r >> 44 & 255) % 255;
    return (uint32_t)(r & 0x807fffff) | exponent << 23;
}

int main(void)
{
    uint64_t random = 1;
    for (int batch = 0; batch < 100; batch++) {
        for (int i = 0; i < 16; i++)
            matrix.bits[i] = some_float(&random);
        for (int i = 0; i < 128; i++)
            in.bits[i] = some_float(&random);
        transform(in.value, out.value, matrix.value);
        for (int row = 0; row < 4; row++)
            for (int i = 0; i < 32; i++) {
                float sum = in.value[0][i] * matrix.value[row];
                for (int k = 1; k < 4; k++)
                    sum = fused(in.value[k][i], matrix.value[4 * k + row], sum);
                expected.value[row][i] = sum;
            }
        for (int i = 0; i < 128; i++)
            if (out.bits[i] != expected.bits[i]) {
                print_hex("batch ", (uint64_t)batch);
                print_hex("place ", (uint64_t)i);
                print_hex("got   ", out.bits[i]);
                print_hex("not   ", expected.bits[i]);
                return 1;
            }
    }
    return 0;
}
