#include "isa/sets.h"
#include "tools/program.h"
#include "tools/tool.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Both directions between text and words: `vitrail asm` and `vitrail dis`. */

struct options {
    const char *set; /* its name */
    const struct isa_set *isa;
    const char *input, *output;
    bool hex, check, no_sandbox;
};

#define AT(member) offsetof(struct options, member)
#define SET                                                                                                  \
    {                                                                                                        \
        "isa",                                                                                               \
        "NAME",                                                                                              \
        "the instruction set: %s",                                                                           \
        .kind = TOOL_NAME,                                                                                   \
        .at = AT(set),                                                                                       \
        .word = tool_set_word,                                                                               \
        .first = true}
#define CHECK                                                                                                \
    {"check", NULL, "also report breaches of the documents' rules (exit status 3)", .kind = TOOL_SWITCH,     \
     .at = AT(check)}

static const struct tool_option asm_rows[] = {
    SET,
    {"o", "FILE", "write here (default: standard output as --hex)", .kind = TOOL_FILE, .at = AT(output)},
    {"hex", NULL, "write one hexadecimal word a line instead of binary words", .kind = TOOL_SWITCH,
     .at = AT(hex)},
    CHECK,
    {0},
};

static const struct tool_option dis_rows[] = {
    SET,
    {"hex", NULL, "the input is text: hexadecimal words", .kind = TOOL_SWITCH, .at = AT(hex)},
    CHECK,
    {0},
};

const struct tool_command tool_command_asm = {
    .name = "asm",
    .summary = "assemble a guest program",
    .operands = "SOURCE",
    .text = "Assembles a guest program; SOURCE may be - for standard input. Each set's language is in "
            "isa/*/README.md.",
    .examples = "  vitrail asm blend.qpu\n"
                "  vitrail asm --check -o blend.bin blend.qpu\n"
                "  echo 'var r0, v0 ; stop' | vitrail asm --isa utgard-pp -\n",
    .options = {{asm_rows}, {tool_sandbox_rows, AT(no_sandbox)}},
    .takes = {"file", 1, 1},
    .main = tool_asm,
};

const struct tool_command tool_command_dis = {
    .name = "dis",
    .summary = "disassemble a guest program",
    .operands = "PROGRAM",
    .text = "Disassembles a guest program; PROGRAM may be - for standard input. A file of 0x... words is "
            "recognised as text, anything else is binary words.",
    .examples = "  vitrail dis blend.bin\n"
                "  echo 0x10020ba7159e7000 | vitrail dis -\n"
                "  echo 0x000000a3 0xf0003c60 0x00000000 | vitrail dis --isa utgard-pp -\n",
    .options = {{dis_rows}, {tool_sandbox_rows, AT(no_sandbox)}},
    .takes = {"file", 1, 1},
    .main = tool_dis,
};

static int parse(const struct tool_command *command, struct options *o, int argc, char **argv)
{
    struct tool_operands file;
    *o = (struct options){.set = tool_set_word(0)};
    int code = tool_parse(command, argc, argv, o, &file);
    if (!code) {
        o->isa = isa_set_find(o->set);
        o->input = file.at[0];
    }
    return code;
}

static int enter_sandbox(const char *name, const struct options *o)
{
    struct tool_sandbox sandbox = {.name = name, .off = o->no_sandbox};
    tool_sandbox_reads(&sandbox, o->input);
    tool_sandbox_writes(&sandbox, o->output);
    return tool_sandbox_enter(&sandbox);
}

static void print_breach(void *data, uint32_t at, const char *rule, const char *source)
{
    const struct options *o = data;
    fprintf(stderr, "%s: %s %u: %s (%s)\n", o->input, o->isa->counts, at, rule, source);
}

static int check(const struct options *o, const void *words, uint32_t count)
{
    if (!o->check)
        return TOOL_OK;
    return o->isa->check(words, count, print_breach, (void *)o) ? TOOL_FAULT : TOOL_OK;
}

/* A word as a number, its highest byte first. */
static void print_word(FILE *out, const uint8_t *bytes, unsigned count)
{
    fputs("0x", out);
    while (count--)
        fprintf(out, "%02x", bytes[count]);
    fputc('\n', out);
}

static int write_words(const struct options *o, const uint8_t *bytes, size_t size)
{
    bool hex = o->hex || !o->output;
    FILE *out = o->output ? util_fopen(o->output, "wb") : stdout;

    if (!out)
        return tool_error("asm", TOOL_HOST, "%s: %s", o->output, strerror(errno));
    for (size_t i = 0; hex && i < size; i += o->isa->word_bytes)
        print_word(out, bytes + i, o->isa->word_bytes);
    if (!hex)
        fwrite(bytes, 1, size, out);
    return o->output ? tool_close_output("asm", o->output, out) : TOOL_OK;
}

int tool_asm(int argc, char **argv)
{
    struct options o;
    struct util_error error = {0};
    uint8_t *text;
    size_t length;
    uint32_t count;
    void *words;

    int code = parse(&tool_command_asm, &o, argc, argv);
    if (code)
        return code < 0 ? TOOL_OK : code;
    code = enter_sandbox("asm", &o);
    if (code)
        return code;
    if (!tool_read_file("asm", o.input, &text, &length))
        return TOOL_BAD_FILE;
    int err = isa_assemble(o.isa->syntax, (const char *)text, length, &words, &count, &error);
    free(text);
    if (err)
        return tool_error("asm", TOOL_BAD_FILE, "%s: %s", o.input, error.code ? error.text : strerror(-err));
    code = write_words(&o, words, (size_t)count * o.isa->word_bytes);
    int breaches = check(&o, words, count);
    free(words);
    return code ? code : breaches;
}

/* One word of at most `count` bytes; false when it is no number of that size. */
static bool read_word(const char *text, uint8_t *bytes, unsigned count)
{
    static const char digits[] = "0123456789abcdef";
    size_t length = strlen(text), skip = length > 2 && text[0] == '0' && (text[1] | 0x20) == 'x' ? 2 : 0;
    memset(bytes, 0, count);
    if (length - skip > 2 * count || length == skip)
        return false;
    for (size_t i = skip; i < length; i++) {
        size_t place = length - 1 - i;
        const char *digit = memchr(digits, text[i] >= 'A' && text[i] <= 'F' ? text[i] | 0x20 : text[i], 16);
        if (!digit)
            return false;
        bytes[place / 2] |= (uint8_t)((digit - digits) << 4 * (place % 2));
    }
    return true;
}

/* Text of hexadecimal words, white space or commas between them, # comments. NULL after a message. */
static uint8_t *read_hex(const struct options *o, char *text, size_t *size)
{
    uint8_t *bytes = malloc((strlen(text) / 2 + 1) * o->isa->word_bytes);
    char *save = NULL;
    unsigned line_number = 0;

    *size = 0;
    if (!bytes) {
        tool_error("dis", 0, "%s: out of memory", o->input);
        return NULL;
    }
    for (char *line = strsep(&text, "\n"); line; line = strsep(&text, "\n")) {
        line_number++;
        line[strcspn(line, "#")] = 0;
        for (char *word = strtok_r(line, " \t\r,", &save); word; word = strtok_r(NULL, " \t\r,", &save)) {
            if (!read_word(word, bytes + *size, o->isa->word_bytes)) {
                tool_error("dis", 0, "%s: line %u: '%s' is not a %u-bit hexadecimal word", o->input,
                           line_number, word, o->isa->word_bytes * 8);
                free(bytes);
                return NULL;
            }
            *size += o->isa->word_bytes;
        }
    }
    return bytes;
}

int tool_dis(int argc, char **argv)
{
    struct options o;
    uint8_t *bytes;
    size_t size;

    int code = parse(&tool_command_dis, &o, argc, argv);
    if (code)
        return code < 0 ? TOOL_OK : code;
    code = enter_sandbox("dis", &o);
    if (code)
        return code;
    if (!tool_read_file("dis", o.input, &bytes, &size))
        return TOOL_BAD_FILE;
    if (o.hex || (size >= 2 && bytes[0] == '0' && bytes[1] == 'x')) {
        uint8_t *words = read_hex(&o, (char *)bytes, &size);
        free(bytes);
        if (!words)
            return TOOL_BAD_FILE;
        bytes = words;
    } else if (size % o.isa->word_bytes || !size || size > UINT32_MAX) {
        free(bytes);
        return tool_error("dis", TOOL_BAD_FILE, "%s: %zu bytes are not a whole number of %u-bit words",
                          o.input, size, o.isa->word_bytes * 8);
    }
    uint32_t count = (uint32_t)(size / o.isa->word_bytes);
    int err = o.isa->disassemble(stdout, bytes, count);
    code = err ? tool_error("dis", TOOL_HOST, "standard output cannot be written") : check(&o, bytes, count);
    free(bytes);
    return code;
}
