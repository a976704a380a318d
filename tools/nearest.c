/* What a misspelt word was meant for. */
#include <limits.h>
#include <string.h>

#include "tools/options.h"
#include "util/bits.h"

#define LONGEST 24u /* no command or option is longer; the longer ones are near to none */

/* Letters left out, put in, changed, or exchanged with their neighbour, that lead from a to b (Damerau and
 * Levenshtein's distance, each letter once). */
static unsigned distance(const char *a, const char *b)
{
    unsigned row[3][LONGEST + 1], m = (unsigned)strlen(a), n = (unsigned)strlen(b);
    if (m > LONGEST || n > LONGEST)
        return UINT_MAX;
    for (unsigned j = 0; j <= n; j++)
        row[0][j] = j;
    for (unsigned i = 1; i <= m; i++) {
        unsigned *now = row[i % 3], *before = row[(i + 2) % 3], *earlier = row[(i + 1) % 3];
        now[0] = i;
        for (unsigned j = 1; j <= n; j++) {
            unsigned change = before[j - 1] + (a[i - 1] != b[j - 1]);
            now[j] = UTIL_MIN(change, UTIL_MIN(before[j], now[j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                now[j] = UTIL_MIN(now[j], earlier[j - 2] + 1);
        }
    }
    return row[m % 3][n];
}

const char *tool_nearest(const char *text, const char *(*word)(const void *data, unsigned n),
                         const void *data)
{
    size_t length = strlen(text);
    unsigned best = (unsigned)UTIL_MIN(length / 3, (size_t)2) + 1; /* this far is too far */
    const char *found = NULL, *candidate;
    for (unsigned n = 0; (candidate = word(data, n)); n++) {
        bool begins = length >= 2 && !strncmp(candidate, text, length);
        unsigned far = begins ? 0 : distance(text, candidate);
        if (far < best) {
            best = far;
            found = candidate;
        }
    }
    return found;
}
