#include "tools/program.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "tools/tool.h"

/* Words in binary hold zeros and other bytes that no text has. */
static bool is_text(const uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (!isprint(bytes[i]) && !isspace(bytes[i]) && bytes[i] < 0x80)
            return false;
    return true;
}

/* "0x..." of at most `count` bytes; the digits there are, 0 when it is no such number. */
static size_t read_word(const char *text, uint8_t *bytes, unsigned count)
{
    size_t length = strlen(text), digits = length - 2;
    if (length < 3 || strncmp(text, "0x", 2) != 0 || digits > 2 * count)
        return 0;
    memset(bytes, 0, count);
    for (size_t i = 0; i < digits; i++) {
        int c = tolower((unsigned char)text[length - 1 - i]);
        if (!isxdigit(c))
            return 0;
        bytes[i / 2] |= (uint8_t)((c <= '9' ? c - '0' : c - 'a' + 10) << 4 * (i % 2));
    }
    return digits;
}

/* Words that begin with 0x, commas or white space between them; # and // begin comments. Where those of 64
 * bits have all at most eight digits, they are the halves of instructions, low half first, as vc4asm writes
 * them. The bytes, 0 when the text is something else. */
static size_t read_hex(const struct isa_set *set, char *text, uint8_t *bytes)
{
    unsigned unit = set->word_bytes;
    size_t count = 0;
    bool halves = unit == 8;
    char *next_line = text, *save = NULL;
    for (char *line = strsep(&next_line, "\n"); line; line = strsep(&next_line, "\n")) {
        char *comment = strstr(line, "//");
        if (comment)
            *comment = 0;
        line[strcspn(line, "#")] = 0;
        for (char *word = strtok_r(line, " \t\r,", &save); word; word = strtok_r(NULL, " \t\r,", &save)) {
            size_t digits = read_word(word, bytes + count * unit, unit);
            if (!digits)
                return 0;
            halves &= digits <= 8;
            count++;
        }
    }
    if (!halves || count % 2)
        return count * unit;
    for (size_t i = 1; i < count; i++)
        memmove(bytes + i * 4, bytes + i * 8, 4);
    return count * 4;
}

static int from_text(const char *name, const struct isa_set *set, const char *path, char *text, size_t length,
                     uint8_t **bytes, size_t *size)
{
    struct util_error error = {0};
    char *copy = strdup(text);
    *bytes = malloc((length / 2 + 1) * set->word_bytes);
    if (!copy || !*bytes) {
        free(copy);
        return tool_error(name, TOOL_HOST, "%s: out of memory", path);
    }
    *size = read_hex(set, copy, *bytes);
    free(copy);
    if (*size)
        return TOOL_OK;
    free(*bytes);
    void *words = NULL;
    uint32_t count = 0;
    int status = isa_assemble(set->syntax, text, length, &words, &count, &error);
    *bytes = words;
    *size = (size_t)count * set->word_bytes;
    if (status)
        return tool_error(name, TOOL_BAD_FILE, "%s: %s", path, error.code ? error.text : strerror(-status));
    return TOOL_OK;
}

int tool_read_program(const char *name, const struct isa_set *set, const char *path, uint8_t **bytes,
                      size_t *size)
{
    uint8_t *file;
    size_t length;
    *bytes = NULL;
    *size = 0;
    if (!tool_read_file(name, path, &file, &length))
        return TOOL_BAD_FILE;
    if (length && is_text(file, length)) {
        int code = from_text(name, set, path, (char *)file, length, bytes, size);
        free(file);
        return code;
    }
    if (!length || length % set->word_bytes || length / set->word_bytes > UINT32_MAX) {
        free(file);
        return tool_error(name, TOOL_BAD_FILE, "%s: %zu bytes are not a whole number of %u-bit words", path,
                          length, set->word_bytes * 8);
    }
    *bytes = file;
    *size = length;
    return TOOL_OK;
}

const char *tool_set_word(unsigned n)
{
    const struct isa_set *set = isa_set_at(n);
    return set ? set->name : NULL;
}
