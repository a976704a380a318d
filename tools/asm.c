#include "isa/vc4_qpu/asm.h"
#include "tools/tool.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Both directions between text and words: `vitrail asm` and `vitrail dis`. */

static const char asm_help[] = "Usage: vitrail asm [--isa vc4-qpu] [-o FILE] [--hex] [--check] SOURCE\n"
                               "\n"
                               "Assembles a guest program; SOURCE may be - for standard input.\n"
                               "\n"
                               "  -o FILE   write here (default: standard output as --hex)\n"
                               "  --hex     write one hexadecimal word a line instead of binary words\n"
                               "  --check   also report breaches of the Guide's rules (exit status 3)\n"
                               "\n"
                               "Examples:\n"
                               "  vitrail asm blend.qpu\n"
                               "  vitrail asm --check -o blend.bin blend.qpu\n";
static const char dis_help[] = "Usage: vitrail dis [--isa vc4-qpu] [--hex] [--check] PROGRAM\n"
                               "\n"
                               "Disassembles a guest program; PROGRAM may be - for standard input.\n"
                               "A file of 0x... words is recognised as text, anything else is binary words.\n"
                               "\n"
                               "  --hex     the input is text: hexadecimal words\n"
                               "  --check   also report breaches of the Guide's rules (exit status 3)\n"
                               "\n"
                               "Examples:\n"
                               "  vitrail dis blend.bin\n"
                               "  echo 0x10020ba7159e7000 | vitrail dis -\n";

struct options {
    const char *input, *output;
    bool hex, check;
};

static int parse(const char *name, const char *help, bool has_output, struct options *o, int argc,
                 char **argv)
{
    *o = (struct options){0};
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
            if (strcmp(value, "vc4-qpu") != 0)
                return tool_error(name, TOOL_USAGE, "unknown instruction set '%s'; there is: vc4-qpu", value);
        } else if (has_output && (got = tool_value(name, "-o", argc, argv, &i, &value))) {
            if (got < 0)
                return TOOL_USAGE;
            o->output = value;
        } else if (!strcmp(argv[i], "--hex"))
            o->hex = true;
        else if (!strcmp(argv[i], "--check"))
            o->check = true;
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

static void print_breach(void *data, uint32_t pc, const char *rule, const char *source)
{
    fprintf(stderr, "%s: instruction %u: %s (%s)\n", (const char *)data, pc, rule, source);
}

static int check(const struct options *o, const uint64_t *words, uint32_t count)
{
    if (!o->check)
        return TOOL_OK;
    return vc4_qpu_check(words, count, print_breach, (void *)o->input) ? TOOL_FAULT : TOOL_OK;
}

static int write_words(const struct options *o, const uint64_t *words, uint32_t count)
{
    bool hex = o->hex || !o->output;
    FILE *out = o->output ? fopen(o->output, "wb") : stdout;

    if (!out)
        return tool_error("asm", TOOL_HOST, "%s: %s", o->output, strerror(errno));
    for (uint32_t i = 0; hex && i < count; i++)
        fprintf(out, "0x%016" PRIx64 "\n", words[i]);
    if (!hex)
        fwrite(words, 8, count, out);
    return o->output ? tool_close_output("asm", o->output, out) : TOOL_OK;
}

int tool_asm(int argc, char **argv)
{
    struct options o;
    struct util_error error = {0};
    uint8_t *text;
    size_t size;
    uint64_t *words;
    uint32_t count;

    int code = parse("asm", asm_help, true, &o, argc, argv);
    if (code)
        return code < 0 ? TOOL_OK : code;
    if (!tool_read_file("asm", o.input, &text, &size))
        return TOOL_BAD_FILE;
    int err = vc4_qpu_asm((const char *)text, size, &words, &count, &error);
    free(text);
    if (err)
        return tool_error("asm", TOOL_BAD_FILE, "%s: %s", o.input, error.code ? error.text : strerror(-err));
    code = write_words(&o, words, count);
    int breaches = check(&o, words, count);
    free(words);
    return code ? code : breaches;
}

/* Text of hexadecimal words, white space or commas between them, # comments. NULL after a message. */
static uint64_t *read_hex(const struct options *o, char *text, uint32_t *count)
{
    uint64_t *words = malloc((strlen(text) / 2 + 1) * sizeof *words);
    char *save = NULL;
    unsigned line_number = 0;

    *count = 0;
    if (!words) {
        tool_error("dis", 0, "%s: out of memory", o->input);
        return NULL;
    }
    for (char *line = strsep(&text, "\n"); line; line = strsep(&text, "\n")) {
        line_number++;
        line[strcspn(line, "#")] = 0;
        for (char *word = strtok_r(line, " \t\r,", &save); word; word = strtok_r(NULL, " \t\r,", &save)) {
            char *end;
            errno = 0;
            words[*count] = strtoull(word, &end, 16);
            if (*end || errno) {
                tool_error("dis", 0, "%s: line %u: '%s' is not a 64-bit hexadecimal word", o->input,
                           line_number, word);
                free(words);
                return NULL;
            }
            ++*count;
        }
    }
    return words;
}

int tool_dis(int argc, char **argv)
{
    struct options o;
    uint8_t *bytes;
    size_t size;
    uint64_t *words;
    uint32_t count;

    int code = parse("dis", dis_help, false, &o, argc, argv);
    if (code)
        return code < 0 ? TOOL_OK : code;
    if (!tool_read_file("dis", o.input, &bytes, &size))
        return TOOL_BAD_FILE;
    if (o.hex || (size >= 2 && bytes[0] == '0' && bytes[1] == 'x')) {
        words = read_hex(&o, (char *)bytes, &count);
        free(bytes);
        if (!words)
            return TOOL_BAD_FILE;
    } else {
        if (size % 8 || !size || size / 8 > UINT32_MAX) {
            free(bytes);
            return tool_error("dis", TOOL_BAD_FILE, "%s: %zu bytes are not a whole number of 64-bit words",
                              o.input, size);
        }
        words = (uint64_t *)bytes;
        count = (uint32_t)(size / 8);
    }
    int err = vc4_qpu_disasm_program(stdout, words, count);
    code = err ? tool_error("dis", TOOL_HOST, "standard output cannot be written") : check(&o, words, count);
    free(words);
    return code;
}
