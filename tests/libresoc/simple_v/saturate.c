/* Sums that saturate against scalar code. */
#include "program.h"

void add_bytes(uint8_t *to, const uint8_t *from, long count);
void mix(int16_t *to, const int16_t *from, long count);

enum { COUNT = 1000 };

static uint8_t bytes[COUNT], more[COUNT], had[COUNT];
static int16_t sounds[COUNT], others[COUNT], were[COUNT];

int main(void)
{
    uint64_t state = 88172645463325252u;
    for (int i = 0; i < COUNT; i++) {
        bytes[i] = had[i] = (uint8_t)random_next(&state);
        more[i] = (uint8_t)random_next(&state);
        sounds[i] = were[i] = (int16_t)random_next(&state);
        others[i] = (int16_t)random_next(&state);
    }
    add_bytes(bytes, more, COUNT - 1);
    mix(sounds, others, COUNT - 1);
    for (int i = 0; i < COUNT - 1; i++) {
        const int sum = had[i] + more[i], sound = were[i] + others[i];
        if (bytes[i] != (sum > 255 ? 255 : sum))
            return 1;
        if (sounds[i] != (sound > 32767 ? 32767 : sound < -32768 ? -32768 : sound))
            return 2;
    }
    return bytes[COUNT - 1] == had[COUNT - 1] && sounds[COUNT - 1] == were[COUNT - 1] ? 0 : 3;
}
