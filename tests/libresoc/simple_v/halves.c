/* Halves of all kinds against scalar instructions. */
#include "program.h"

void halves(const uint16_t *x, uint16_t *y, long count, float a);

enum { COUNT = 1000 };

static uint16_t x[COUNT], y[COUNT], had[COUNT];

static uint16_t expected(uint16_t x_bits, float a, uint16_t y_bits)
{
    long out;
    __asm__("fmv.h.x ft0, %1\n fmv.h.x ft1, %3\n fcvt.h.s ft2, %2\n fmadd.h ft0, ft0, ft2, ft1\n fsgnjx.h "
            "ft0, ft0, ft0\n"
            "fsqrt.h ft0, ft0\n fmv.x.h %0, ft0"
            : "=r"(out)
            : "r"((long)x_bits), "f"(a), "r"((long)y_bits)
            : "ft0", "ft1", "ft2");
    return (uint16_t)out;
}

int main(void)
{
    static const float by[] = {1.5f, -0.333f, 1e-6f, 3e4f};
    uint64_t state = 88172645463325252u;
    for (int turn = 0; turn < 4; turn++) {
        for (int i = 0; i < COUNT; i++) {
            x[i] = (uint16_t)random_next(&state);
            y[i] = had[i] = (uint16_t)random_next(&state);
        }
        halves(x, y, COUNT, by[turn]);
        for (int i = 0; i < COUNT; i++)
            if (y[i] != expected(x[i], by[turn], had[i]))
                return 1 + turn;
    }
    return 0;
}
