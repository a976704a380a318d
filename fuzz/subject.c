#include "fuzz/subject.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include <xxhash.h>

/* How long the number is that begins at `at`, 0 when none does: decimal digits, 0x and hexadecimal ones, or four and more of
 * these with a decimal one among them; no letter stands before. */
static size_t number_at(const char *line, size_t at, size_t length)
{
    size_t end = at;
    bool digit = false, letter = false;
    if (at && (isalnum((unsigned char)line[at - 1]) || line[at - 1] == '_'))
        return 0;
    const bool marked = at + 2 < length && line[at] == '0' && line[at + 1] == 'x';
    for (end += marked ? 2 : 0; end < length && isxdigit((unsigned char)line[end]); end++) {
        const bool decimal = isdigit((unsigned char)line[end]) != 0;
        digit |= decimal;
        letter |= !decimal;
    }
    return marked || (digit && (!letter || end - at >= 4)) ? end - at : 0;
}

/* The line with "#" in place of each number; its length. */
static size_t plain(const char *line, size_t length, char *out, size_t room)
{
    size_t used = 0;
    for (size_t at = 0; at < length && used + 1 < room;) {
        const size_t digits = number_at(line, at, length);
        out[used++] = digits ? '#' : line[at];
        at += digits ? digits : 1;
    }
    out[used] = 0;
    return used;
}

void fuzz_feature_of_line(struct fuzz_result *r, uint64_t kind, const char *line, size_t length)
{
    char text[512];
    while (length && isspace((unsigned char)*line)) {
        line++;
        length--;
    }
    const size_t used = plain(line, length, text, sizeof text);
    if (used)
        fuzz_feature(r, XXH3_64bits_withSeed(text, used, kind));
}

/* Words of hexadecimal digits alone are numbers here: values have no mark. */
static size_t hex_word(const char *at)
{
    const size_t length = strspn(at, "0123456789abcdef");
    return isalnum((unsigned char)at[length]) ? 0 : length;
}

void fuzz_name(char name[FUZZ_NAME_MAX], const char *kind, const char *text)
{
    char both[FUZZ_TEXT_MAX];
    const bool numbers = !strcmp(kind, "crash"); /* places in a program, which tell causes apart */
    bool within = false;                         /* a word */
    size_t used = 0;
    snprintf(both, sizeof both, "%s %.*s", kind, (int)strcspn(text, "\n"), text);
    for (const char *at = both; *at && used + 1 < FUZZ_NAME_MAX; at++) {
        const unsigned char c = (unsigned char)*at;
        const size_t number = numbers || within ? 0 : hex_word(at);
        if (number)
            at += number - 1;
        else if (isalpha(c) || (isdigit(c) && numbers))
            name[used++] = (char)tolower(c);
        else if (!isdigit(c) && used && name[used - 1] != '-')
            name[used++] = '-';
        within = isalnum(c) != 0;
    }
    while (used && name[used - 1] == '-')
        used--;
    name[used] = 0;
}

bool fuzz_find(struct fuzz_result *r, const char *kind, const char *text)
{
    if (r->verdict == FUZZ_FINDING)
        return true; /* the first is the nearest to the cause */
    r->verdict = FUZZ_FINDING;
    fuzz_name(r->name, kind, text);
    snprintf(r->text, sizeof r->text, "%s", text);
    return true;
}

void fuzz_note_fault(struct fuzz_result *r, const char *text)
{
    char words[FUZZ_NAME_MAX];
    plain(text, strlen(text), words, sizeof words);
    for (uint32_t n = 0; n < r->fault_count; n++)
        if (!strcmp(r->faults[n], words))
            return;
    if (r->fault_count < FUZZ_FAULTS_MAX)
        snprintf(r->faults[r->fault_count++], FUZZ_NAME_MAX, "%s", words);
}
