/* Strings' lengths and copies against scalar code: of all lengths and places, and up to the end of what is mapped. */
#include "program.h"

long length(const char *text);
char *copy(char *to, const char *text);

enum { PAGE = 4096, MOST = 70 };

static char to[MOST + 32];

static int is_good(const char *text, long size)
{
    for (int i = 0; i < MOST + 32; i++)
        to[i] = 1;
    if (length(text) != size || copy(to, text) != to)
        return 0;
    for (long i = 0; i < MOST + 32; i++)
        if (to[i] != (i < size ? text[i] : i == size ? 0 : 1))
            return 0;
    return 1;
}

static char *page(void)
{
    register long a0 __asm__("a0") = 0, a1 __asm__("a1") = PAGE, a2 __asm__("a2") = 3,
                     a3 __asm__("a3") = 0x22, a4 __asm__("a4") = -1, a5 __asm__("a5") = 0,
                     a7 __asm__("a7") = 222;
    __asm__ volatile("ecall" : "+r"(a0) : "r"(a1), "r"(a2), "r"(a3), "r"(a4), "r"(a5), "r"(a7) : "memory");
    return (char *)a0;
}

int main(void)
{
    char *const text = page();
    if ((long)text < 0)
        return 1;
    for (long begin = 0; begin < 20; begin++)
        for (long size = 0; size < MOST; size++) {
            for (long i = 0; i < 2 * MOST; i++)
                text[i] = (char)(1 + (i * 7 + size) % 255);
            text[begin + size] = 0;
            if (!is_good(text + begin, size))
                return 2;
        }
    for (long i = 0; i < PAGE; i++)
        text[i] = (char)(1 + i % 255);
    text[PAGE - 1] = 0;
    for (long size = 0; size < MOST; size++)
        if (!is_good(text + PAGE - 1 - size, size))
            return 3;
    return length(text) == PAGE - 1 ? 0 : 4;
}
