/* Sub-vectors and swizzles, and the reciprocal square root, against scalar code. */
#include "program.h"

void transform(const float in[8][4], float out[8][4], const float matrix[16]);
void normalise(float v[3][16]);

static union {
    float value[48];
    uint32_t bits[48];
} in, out, matrix;

static uint32_t some_float(uint64_t *random)
{
    const uint64_t r = random_next(random);
    return (uint32_t)(r & 0x807fffff) | (uint32_t)(120 + (r >> 44 & 15)) << 23;
}

static uint32_t bits_of(float value)
{
    union {
        float value;
        uint32_t bits;
    } u = {value};
    return u.bits;
}

static int transforms(uint64_t *random)
{
    for (int i = 0; i < 32; i++)
        in.bits[i] = some_float(random);
    for (int i = 0; i < 16; i++)
        matrix.bits[i] = some_float(random);
    transform((const float(*)[4])in.value, (float(*)[4])out.value, matrix.value);
    for (int i = 0; i < 8; i++)
        for (int row = 0; row < 4; row++) {
            float sum = in.value[4 * i] * matrix.value[row];
            for (int k = 1; k < 4; k++)
                sum = fused(in.value[4 * i + k], matrix.value[4 * k + row], sum);
            if (out.bits[4 * i + row] != bits_of(sum))
                return 1;
        }
    return 0;
}

/* Lengths are 1 to a few units of the last place; the function itself is as near as a double is. */
static int normalises(uint64_t *random)
{
    for (int i = 0; i < 48; i++)
        out.bits[i] = in.bits[i] = some_float(random);
    normalise((float(*)[16])out.value);
    for (int i = 0; i < 16; i++) {
        const float x = in.value[i], y = in.value[16 + i], z = in.value[32 + i];
        const float square = fused(z, z, fused(y, y, x * x));
        const float factor = (float)(1.0 / root((double)square));
        for (int k = 0; k < 3; k++) {
            const int32_t off = (int32_t)(out.bits[16 * k + i] - bits_of(in.value[16 * k + i] * factor));
            if (off < -1 || off > 1)
                return 2;
        }
    }
    return 0;
}

int main(void)
{
    uint64_t random = 2;
    int wrong = 0;
    for (int i = 0; i < 300 && !wrong; i++)
        wrong = transforms(&random) | normalises(&random);
    return wrong;
}
