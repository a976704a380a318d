/* Bilinear samples of a random texture against scalar code, byte for byte. */
#include "program.h"

#define SIDE 256

void sample(const float u[16], const float v[16], const uint32_t texels[SIDE][SIDE], uint32_t out[16],
            uint64_t mask);

static uint32_t texels[SIDE][SIDE];

/* Places in 256ths of a texel, within the texture. */
static uint32_t place_of(float texel)
{
    const float place = texel * 256;
    return !(place >= 0) ? 0 : place > 255 * 256 ? 255 * 256 : (uint32_t)place;
}

static uint32_t byte_of(uint32_t x, uint32_t y, int n)
{
    return texels[y > 255 ? 255 : y][x > 255 ? 255 : x] >> 8 * n & 255;
}

static uint32_t expected(float u, float v)
{
    const uint32_t across = place_of(u), down = place_of(v), x = across >> 8, y = down >> 8,
                   fx = across & 255, fy = down & 255;
    uint32_t out = 0;
    for (int n = 0; n < 4; n++) {
        const uint32_t top = (byte_of(x, y, n) * (256 - fx) + byte_of(x + 1, y, n) * fx) >> 8,
                       bottom = (byte_of(x, y + 1, n) * (256 - fx) + byte_of(x + 1, y + 1, n) * fx) >> 8;
        out |= ((top * (256 - fy) + bottom * fy) >> 8) << 8 * n;
    }
    return out;
}

int main(void)
{
    uint64_t random = 4;
    for (int i = 0; i < SIDE * SIDE; i++)
        texels[0][i] = (uint32_t)(random_next(&random) >> 16);
    for (int round = 0; round < 200; round++) {
        float u[16], v[16];
        uint32_t out[18];
        const uint64_t mask = random_next(&random);
        for (int i = 0; i < 16; i++) { /* -16 to 272 */
            u[i] = (float)(int32_t)(random_next(&random) % (288 * 1024)) / 1024 - 16;
            v[i] = (float)(int32_t)(random_next(&random) % (288 * 1024)) / 1024 - 16;
        }
        for (int i = 0; i < 18; i++)
            out[i] = 0x55555555;
        sample(u, v, (const uint32_t(*)[SIDE])texels, out + 1, mask);
        for (int i = 0; i < 18; i++) {
            const uint32_t value =
                i && i < 17 && mask >> (i - 1) & 1 ? expected(u[i - 1], v[i - 1]) : 0x55555555;
            if (out[i] != value) {
                print_hex("pixel ", (uint64_t)i);
                print_hex("got   ", out[i]);
                print_hex("not   ", value);
                return 1;
            }
        }
    }
    return 0;
}
