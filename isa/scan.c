#include "isa/scan.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "util/bits.h"

/* Independent of the locale. */
static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_word(char c)
{
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

int isa_scan_fail(struct isa_scan *s, const char *where, const char *what)
{
    uint32_t line = 1;
    const char *start = s->text;
    for (const char *c = s->text; c < where; c++)
        if (*c == '\n') {
            line++;
            start = c + 1;
        }
    if (!s->failed)
        s->failed = util_fail(s->error, -EINVAL, "line %" PRIu32 ", column %zu: %s", line,
                              (size_t)(where - start) + 1, what);
    return s->failed;
}

void isa_scan_space(struct isa_scan *s)
{
    while (s->at < s->end && (*s->at == ' ' || *s->at == '\t' || *s->at == '\r'))
        s->at++;
}

bool isa_scan_line_over(struct isa_scan *s)
{
    isa_scan_space(s);
    return s->at == s->end || *s->at == '\n' || *s->at == '#';
}

void isa_scan_next_line(struct isa_scan *s)
{
    while (s->at < s->end && *s->at != '\n')
        s->at++;
    if (s->at < s->end)
        s->at++;
}

bool isa_scan_glued(struct isa_scan *s, char c)
{
    if (s->at == s->end || *s->at != c)
        return false;
    s->at++;
    return true;
}

bool isa_scan_comes(struct isa_scan *s, char c)
{
    isa_scan_space(s);
    return s->at < s->end && *s->at == c;
}

bool isa_scan_take(struct isa_scan *s, char c)
{
    isa_scan_space(s);
    return isa_scan_glued(s, c);
}

struct isa_token isa_scan_word(struct isa_scan *s)
{
    isa_scan_space(s);
    struct isa_token token = {s->at, 0};
    while (s->at < s->end && is_word(*s->at))
        s->at++;
    token.length = (size_t)(s->at - token.text);
    return token;
}

bool isa_token_is(struct isa_token token, const char *text)
{
    return strlen(text) == token.length && memcmp(token.text, text, token.length) == 0;
}

bool isa_token_numbered(struct isa_token token, const char *prefix, uint32_t *number)
{
    size_t skip = strlen(prefix), digits = token.length - skip;
    if (token.length <= skip || digits > 3 || memcmp(token.text, prefix, skip) != 0)
        return false;
    if (digits > 1 && token.text[skip] == '0')
        return false;
    *number = 0;
    for (size_t i = skip; i < token.length; i++) {
        if (!is_digit(token.text[i]))
            return false;
        *number = *number * 10 + (uint32_t)(token.text[i] - '0');
    }
    return true;
}

bool isa_scan_at_number(struct isa_scan *s)
{
    isa_scan_space(s);
    const char *c = s->at;
    if (c < s->end && *c == '-')
        c++;
    return c < s->end && is_digit(*c);
}

static int hex_digit(char c)
{
    if (is_digit(c))
        return c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* A float such as -1.5 or 0.25e-3: copied out, since strtof wants a terminated string. */
static int scan_float(struct isa_scan *s, const char *start, size_t length, uint32_t *bits)
{
    char copy[48], *stop;
    if (length >= sizeof copy)
        return isa_scan_fail(s, start, "this number is too long");
    memcpy(copy, start, length);
    copy[length] = 0;
    *bits = util_f2u(strtof(copy, &stop));
    return *stop ? isa_scan_fail(s, start, "this is not a number") : 0;
}

int isa_scan_number(struct isa_scan *s, uint32_t *bits)
{
    isa_scan_space(s);
    const char *start = s->at;
    bool negative = isa_scan_glued(s, '-');
    bool hex = s->end - s->at > 2 && s->at[0] == '0' && s->at[1] == 'x';
    uint64_t value = 0;
    const char *digits = s->at += hex ? 2 : 0;
    while (s->at < s->end && (hex ? hex_digit(*s->at) >= 0 : is_digit(*s->at))) {
        value = UTIL_MIN(value * (hex ? 16 : 10) + (unsigned)hex_digit(*s->at), 1ull << 40);
        s->at++;
    }
    if (!hex && s->at < s->end && *s->at == '.') {
        while (s->at < s->end &&
               (is_word(*s->at) || *s->at == '.' || (*s->at == '-' && (s->at[-1] | 0x20) == 'e')))
            s->at++;
        return scan_float(s, start, (size_t)(s->at - start), bits);
    }
    if (s->at == digits || (s->at < s->end && is_word(*s->at)))
        return isa_scan_fail(s, start, "this is not a number");
    if (value > (negative ? 0x80000000u : UINT32_MAX))
        return isa_scan_fail(s, start, "this number does not fit 32 bits");
    *bits = (uint32_t)(negative ? 0 - value : value);
    return 0;
}
