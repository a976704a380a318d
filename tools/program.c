#include "tools/program.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "isa/vc4_qpu/asm.h"
#include "tools/tool.h"

/* Words of eight bytes hold zeros and other bytes that no text has. */
static bool is_text(const uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (!isprint(bytes[i]) && !isspace(bytes[i]) && bytes[i] < 0x80)
            return false;
    return true;
}

/* Words that begin with 0x, commas or white space between them; # and // begin comments. Where all have at
 * most eight digits, they are the halves of instructions, low half first, as vc4asm writes them. 0 words when
 * the text is something else. */
static uint32_t read_hex(char *text, uint64_t *words)
{
    uint32_t count = 0;
    bool halves = true;
    char *next_line = text, *save = NULL;
    for (char *line = strsep(&next_line, "\n"); line; line = strsep(&next_line, "\n")) {
        char *comment = strstr(line, "//");
        if (comment)
            *comment = 0;
        line[strcspn(line, "#")] = 0;
        for (char *word = strtok_r(line, " \t\r,", &save); word; word = strtok_r(NULL, " \t\r,", &save)) {
            char *end;
            errno = 0;
            words[count] = strtoull(word, &end, 16);
            if (*end || errno || strncmp(word, "0x", 2) != 0)
                return 0;
            halves &= end - word <= 10;
            count++;
        }
    }
    if (!halves || count % 2)
        return count;
    for (uint32_t i = 0; i < count / 2; i++)
        words[i] = words[2 * i] | words[2 * i + 1] << 32;
    return count / 2;
}

static int from_text(const char *name, const char *path, char *text, size_t size, uint64_t **words,
                     uint32_t *count)
{
    struct util_error error = {0};
    char *copy = strdup(text);
    *words = malloc((size / 2 + 1) * sizeof **words);
    if (!copy || !*words) {
        free(copy);
        return tool_error(name, TOOL_HOST, "%s: out of memory", path);
    }
    *count = read_hex(copy, *words);
    free(copy);
    if (*count)
        return TOOL_OK;
    free(*words);
    int status = vc4_qpu_asm(text, size, words, count, &error);
    if (status)
        return tool_error(name, TOOL_BAD_FILE, "%s: %s", path, error.code ? error.text : strerror(-status));
    return TOOL_OK;
}

int tool_read_program(const char *name, const char *path, uint64_t **words, uint32_t *count)
{
    uint8_t *bytes;
    size_t size;
    *words = NULL;
    *count = 0;
    if (!tool_read_file(name, path, &bytes, &size))
        return TOOL_BAD_FILE;
    if (size && is_text(bytes, size)) {
        int code = from_text(name, path, (char *)bytes, size, words, count);
        free(bytes);
        return code;
    }
    if (!size || size % 8 || size / 8 > UINT32_MAX) {
        free(bytes);
        return tool_error(name, TOOL_BAD_FILE, "%s: %zu bytes are not a whole number of 64-bit words", path,
                          size);
    }
    *words = (uint64_t *)bytes;
    *count = (uint32_t)(size / 8);
    return TOOL_OK;
}
