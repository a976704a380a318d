#include "isa/sets.h"
#include "tools/tool.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Both directions between text and words: `vitrail asm` and `vitrail dis`. */

static const char asm_help[] =
    "Usage: vitrail asm [OPTIONS] SOURCE\n"
    "\n"
    "Assembles a guest program; SOURCE may be - for standard input.\n"
    "\n"
    "  --isa NAME    the instruction set: vc4-qpu (default), utgard-gp, utgard-pp\n"
    "  -o FILE       write here (default: standard output as --hex)\n"
    "  --hex         write one hexadecimal word a line instead of binary words\n"
    "  --check       also report breaches of the documents' rules (exit status 3)\n"
    "  --no-sandbox  the process may make every system call, for tracing it\n"
    "\n"
    "Examples:\n"
    "  vitrail asm blend.qpu\n"
    "  vitrail asm --check -o blend.bin blend.qpu\n"
    "  echo 'var r0, v0 ; stop' | vitrail asm --isa utgard-pp -\n";
static const char dis_help[] =
    "Usage: vitrail dis [OPTIONS] PROGRAM\n"
    "\n"
    "Disassembles a guest program; PROGRAM may be - for standard input.\n"
    "A file of 0x... words is recognised as text, anything else is binary words.\n"
    "\n"
    "  --isa NAME    the instruction set: vc4-qpu (default), utgard-gp, utgard-pp\n"
    "  --hex         the input is text: hexadecimal words\n"
    "  --check       also report breaches of the documents' rules (exit status 3)\n"
    "  --no-sandbox  the process may make every system call, for tracing it\n"
    "\n"
    "Examples:\n"
    "  vitrail dis blend.bin\n"
    "  echo 0x10020ba7159e7000 | vitrail dis -\n"
    "  echo 0x000000a3 0xf0003c60 0x00000000 | vitrail dis --isa utgard-pp -\n";

struct options {
    const struct isa_set *isa;
    const char *input, *output;
    bool hex, check, no_sandbox;
};

static int parse(const char *name, const char *help, bool has_output, struct options *o, int argc,
                 char **argv)
{
    *o = (struct options){.isa = isa_set_at(0)};
    for (int i = 1; i < argc; i++) {
        const char *value;
        int got;

        if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h")) {
            fputs(help, stdout);
            return -1;
        }
        if ((got = tool_value(name, "--isa", argc, argv, &i, &value))) {
            if (got < 0)
                return TOOL_USAGE;
            o->isa = isa_set_find(value);
            if (!o->isa)
                return tool_error(name, TOOL_USAGE,
                                  "unknown instruction set '%s'; there are: vc4-qpu, utgard-gp, utgard-pp",
                                  value);
        } else if (has_output && (got = tool_value(name, "-o", argc, argv, &i, &value))) {
            if (got < 0)
                return TOOL_USAGE;
            o->output = value;
        } else if (!strcmp(argv[i], "--hex"))
            o->hex = true;
        else if (!strcmp(argv[i], "--check"))
            o->check = true;
        else if (!strcmp(argv[i], "--no-sandbox"))
            o->no_sandbox = true;
        else if (argv[i][0] == '-' && argv[i][1])
            return tool_error(name, TOOL_USAGE, "unknown option '%s'; see `vitrail %s --help`", argv[i],
                              name);
        else if (o->input)
            return tool_error(name, TOOL_USAGE, "one file at a time: '%s' and '%s'", o->input, argv[i]);
        else
            o->input = argv[i];
    }
    if (!o->input)
        return tool_error(name, TOOL_USAGE, "no file given; see `vitrail %s --help`", name);
    return TOOL_OK;
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

    int code = parse("asm", asm_help, true, &o, argc, argv);
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

    int code = parse("dis", dis_help, false, &o, argc, argv);
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
