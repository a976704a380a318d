#include "gpu/libresoc/ports.h"

#include <errno.h>
#include <stdlib.h>

int libresoc_ports_init(struct libresoc_ports *ports, uint32_t reads, uint32_t writes, uint64_t span)
{
    *ports = (struct libresoc_ports){.count = {reads, writes}, .window = 1};
    while (ports->window < span)
        ports->window *= 2;
    /* Cycles count from 1: zeroed ones are none that is asked for. */
    ports->cycles = calloc(ports->window, sizeof *ports->cycles);
    return ports->cycles ? 0 : -ENOMEM;
}

void libresoc_ports_finish(struct libresoc_ports *ports)
{
    free(ports->cycles);
    *ports = (struct libresoc_ports){0};
}

static struct libresoc_cycle *at(struct libresoc_ports *ports, uint64_t cycle)
{
    struct libresoc_cycle *slot = &ports->cycles[cycle & (ports->window - 1)];
    if (slot->cycle != cycle)
        *slot = (struct libresoc_cycle){.cycle = cycle};
    return slot;
}

/* Whether the bank has, or had already, a port for the word. */
static bool take_word(struct libresoc_bank *bank, uint8_t word, uint32_t ports)
{
    for (uint32_t i = 0; i < bank->used; i++) {
        if (bank->word[i] == word)
            return true;
    }
    if (bank->used == ports)
        return false;
    bank->word[bank->used++] = word;
    return true;
}

uint64_t libresoc_ports_take(struct libresoc_ports *ports, enum libresoc_access access, uint64_t from,
                             const struct libresoc_element *e)
{
    uint64_t last = from;
    for (uint32_t byte = 0; byte < e->size; byte += 4) {
        const uint32_t word = (e->at + byte) / 4; /* in the file: its low bits are the bank */
        uint64_t cycle = from;
        while (!take_word(&at(ports, cycle)->bank[access][e->file][word % LIBRESOC_BANKS],
                          (uint8_t)(word / LIBRESOC_BANKS), ports->count[access]))
            cycle++;
        last = cycle > last ? cycle : last;
    }
    return last;
}
