/* Loops as benchmarks of cores have them: a list that is searched, reversed and sorted, matrices, a state machine over text, a
 * checksum of all. Prints what qemu-riscv64 prints. */
#include "program.h"

#define ITEMS 200
#define SIDE  12

struct item {
    struct item *next;
    int16_t key, value;
};

static struct item items[ITEMS];
static int16_t a[SIDE][SIDE], b[SIDE][SIDE];
static int32_t product[SIDE][SIDE];

static uint16_t crc(uint16_t sum, uint32_t value, int bits)
{
    for (int i = 0; i < bits; i++) {
        const unsigned bit = (value >> i ^ sum) & 1;
        sum >>= 1;
        if (bit)
            sum ^= 0xa001;
    }
    return sum;
}

/* ---- a list ---- */

static struct item *merge(struct item *x, struct item *y)
{
    struct item head, *last = &head;
    while (x && y) {
        struct item **least = y->key < x->key ? &y : &x;
        last->next = *least;
        last = *least;
        *least = (*least)->next;
    }
    last->next = x ? x : y;
    return head.next;
}

static struct item *sort(struct item *list, int count)
{
    if (count < 2)
        return list;
    struct item *middle = list;
    for (int i = 1; i < count / 2; i++)
        middle = middle->next;
    struct item *rest = middle->next;
    middle->next = 0;
    return merge(sort(list, count / 2), sort(rest, count - count / 2));
}

static struct item *reverse(struct item *list)
{
    struct item *before = 0;
    while (list) {
        struct item *next = list->next;
        list->next = before;
        before = list;
        list = next;
    }
    return before;
}

static uint16_t lists(uint64_t *random)
{
    uint16_t sum = 0;
    for (int i = 0; i < ITEMS; i++)
        items[i] = (struct item){i + 1 < ITEMS ? &items[i + 1] : 0, (int16_t)random_next(random), (int16_t)i};
    struct item *list = reverse(sort(reverse(items), ITEMS));
    for (const struct item *i = list; i; i = i->next)
        sum = crc(sum, (uint16_t)i->key | (uint32_t)i->value << 16, 32);
    return sum;
}

/* ---- matrices ---- */

static uint16_t matrices(uint64_t *random)
{
    uint16_t sum = 0;
    for (int i = 0; i < SIDE * SIDE; i++) {
        a[0][i] = (int16_t)random_next(random);
        b[0][i] = (int16_t)random_next(random);
    }
    for (int i = 0; i < SIDE; i++)
        for (int j = 0; j < SIDE; j++) {
            product[i][j] = 0;
            for (int k = 0; k < SIDE; k++)
                product[i][j] += (a[i][k] * b[k][j]) >> 4 & 0xffff;
        }
    for (int i = 0; i < SIDE * SIDE; i++)
        sum = crc(sum, (uint32_t)product[0][i], 32);
    return sum;
}

/* ---- numbers in a text ---- */

enum state { START, SIGN, INTEGER, FRACTION, EXPONENT, INVALID, STATES };

static enum state step(enum state s, char c)
{
    const int digit = c >= '0' && c <= '9';
    switch (s) {
    case START: return digit ? INTEGER : c == '+' || c == '-' ? SIGN : c == '.' ? FRACTION : INVALID;
    case SIGN: return digit ? INTEGER : c == '.' ? FRACTION : INVALID;
    case INTEGER: return digit ? INTEGER : c == '.' ? FRACTION : c == 'e' ? EXPONENT : INVALID;
    case FRACTION: return digit ? FRACTION : c == 'e' ? EXPONENT : INVALID;
    case EXPONENT: return digit || c == '-' ? EXPONENT : INVALID;
    default: return INVALID;
    }
}

static uint16_t states(uint64_t *random)
{
    static const char letters[] = "0123456789+-.e,x";
    uint32_t count[STATES] = {0};
    uint16_t sum = 0;
    enum state s = START;
    for (int i = 0; i < 2000; i++) {
        const char c = letters[random_next(random) & 15];
        if (c == ',') {
            count[s]++;
            s = START;
        } else {
            s = step(s, c);
        }
    }
    for (int i = 0; i < STATES; i++)
        sum = crc(sum, count[i], 32);
    return sum;
}

int main(void)
{
    uint64_t random = 88172645463325252;
    uint16_t sum = 0;
    for (int i = 0; i < 10; i++) {
        sum = crc(sum, lists(&random), 16);
        sum = crc(sum, matrices(&random), 16);
        sum = crc(sum, states(&random), 16);
    }
    print_hex("checksum ", sum);
    return 0;
}
