/* A core's cycles as tables, and as JSON. */
#include "tools/libresoc_cycles.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "isa/simple_v/asm.h"
#include "tools/tool.h"
#include "util/bits.h"

#define FEW 20u /* instructions that the table has */

/* ---- parameters ---- */

const char *tool_libresoc_parameters(void)
{
    static char text[512];
    const struct libresoc_parameter *p;
    *text = 0;
    for (unsigned n = 0; (p = libresoc_parameter_at(n)); n++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s", n ? ", " : "", p->name);
    return text;
}

int tool_libresoc_take_parameter(const char *name, const char *text, struct libresoc_core *core)
{
    const size_t length = strcspn(text, "=");
    const struct libresoc_parameter *p = libresoc_parameter_find(text, length);
    uint64_t value;
    if (!p)
        return tool_error(name, TOOL_USAGE, "no parameter '%.*s'; there are %s", (int)UTIL_MIN(length, 64u),
                          text, tool_libresoc_parameters());
    if (!text[length] || !tool_number(text + length + 1, 0, UINT32_MAX, &value) ||
        !libresoc_parameter_set(p, value, core))
        return tool_error(name, TOOL_USAGE, "parameter %s takes a number from %u to %u%s, not '%s'", p->name,
                          p->min, p->max, p->step == 2 ? ", even" : "",
                          text[length] ? text + length + 1 : "");
    return TOOL_OK;
}

/* ---- instructions by cost ---- */

static struct libresoc_origin origin_of(const struct simple_v_program *p, uint32_t at)
{
    /* The VBLOCK that it stands in, if it does: one begins at most so far before it. */
    for (uint32_t back = 1; back < 16 && back <= at; back++) {
        const uint32_t number = p->block[at - back];
        if (!number)
            continue;
        const struct simple_v_block *b = &p->blocks[number - 1];
        if (back >= b->head && back < b->length)
            return (struct libresoc_origin){
                .pc = p->address + 2ull * (at - back), .in_block = true, .opptr = (uint8_t)(back - b->head)};
    }
    return (struct libresoc_origin){.pc = p->address + 2ull * at};
}

void tool_libresoc_text(const struct simple_v_program *program, const struct libresoc_origin *origin,
                        char *text, size_t size)
{
    char line[SIMPLE_V_TEXT_MAX];
    uint32_t at = (uint32_t)((origin->pc - program->address) / 2);
    if (origin->in_block)
        at += program->blocks[program->block[at] - 1].head + origin->opptr;
    simple_v_disasm(program->code, program->count, at, line);
    snprintf(text, size, "%.*s", (int)UTIL_MIN(size, sizeof line) - 1, line);
}

struct hot {
    const struct libresoc_cycles *cycles;
    uint32_t *at; /* halfwords, the costliest first */
    uint32_t count;
};

static int by_cost(const void *a, const void *b, void *data)
{
    const struct libresoc_cost *cost = data, *x = &cost[*(const uint32_t *)a],
                               *y = &cost[*(const uint32_t *)b];
    if (x->cycles != y->cycles)
        return x->cycles < y->cycles ? 1 : -1;
    return *(const uint32_t *)a < *(const uint32_t *)b ? -1 : 1;
}

static bool find_hot(const struct libresoc_cycles *c, struct hot *hot)
{
    *hot = (struct hot){.cycles = c, .at = malloc((c->program->count + 1ull) * sizeof *hot->at)};
    if (!hot->at)
        return false;
    for (uint32_t n = 0; n < c->program->count; n++)
        if (c->cost[n].ops)
            hot->at[hot->count++] = n;
    qsort_r(hot->at, hot->count, sizeof *hot->at, by_cost, c->cost);
    hot->count = UTIL_MIN(hot->count, FEW);
    return true;
}

/* ---- tables ---- */

static double share(uint64_t part, uint64_t whole)
{
    return whole ? (double)part / (double)whole : 0;
}

static void print_issue(FILE *out, const struct libresoc_cycles *c, const struct libresoc_totals *t)
{
    fprintf(out, "\nissued a cycle       cycles\n");
    for (uint32_t n = 0; n <= c->core.issue; n++)
        if (c->issued[n])
            fprintf(out, "  %-8u %16" PRIu64 "  %5.1f %%\n", n, c->issued[n],
                    100 * share(c->issued[n], t->cycles));
    fprintf(out, "\nwaited for           cycles  (of all operations together)\n");
    for (unsigned n = 0; n < LIBRESOC_STALLS; n++)
        fprintf(out, "  %-8s %16" PRIu64 "\n", libresoc_stall_name(n), t->stall[n]);
}

static void print_units(FILE *out, const struct libresoc_cycles *c, const struct libresoc_totals *t)
{
    fprintf(
        out,
        "\nunits             number   held\n  32 bits       %8u  %5.1f %%\n  8 bits        %8u  %5.1f %%\n",
        c->core.units32, 100 * share(t->busy32, t->cycles * c->core.units32), c->core.units8,
        100 * share(t->busy8, t->cycles * c->core.units8));
    fprintf(out, "\noperations           number\n");
    for (unsigned n = 0; n < LIBRESOC_KINDS; n++)
        if (c->kinds[n])
            fprintf(out, "  %-8s %16" PRIu64 "  %5.1f %%\n", libresoc_kind_name(n), c->kinds[n],
                    100 * share(c->kinds[n], t->ops));
    fprintf(out, "\nmost at once: %u operations, names of x %u, of f %u of %u\n", t->in_flight,
            t->rows[LIBRESOC_FILE_X], t->rows[LIBRESOC_FILE_F], c->core.rows);
    fprintf(out, "matrix of units against units: %" PRIu64 " cells, of four classes of units %" PRIu64 "\n",
            libresoc_core_cells(&c->core, 2), libresoc_core_cells(&c->core, 4));
}

static void print_hot(FILE *out, const struct hot *hot, uint64_t cycles)
{
    fprintf(out, "\n      cycles  share        times   operations  instruction, by cycles until it issues\n");
    for (uint32_t n = 0; n < hot->count; n++) {
        const struct libresoc_cost *cost = &hot->cycles->cost[hot->at[n]];
        const struct libresoc_origin origin = origin_of(hot->cycles->program, hot->at[n]);
        char text[100];
        tool_libresoc_text(hot->cycles->program, &origin, text, sizeof text);
        fprintf(out, "%12" PRIu64 " %5.1f %% %11" PRIu64 " %12" PRIu64 "  0x%08" PRIx64 "  %s\n",
                cost->cycles, 100 * share(cost->cycles, cycles), cost->times, cost->ops,
                hot->cycles->program->address + UINT64_C(2) * hot->at[n], text);
    }
}

static void print_tables(FILE *out, const struct libresoc_cycles *c, const struct hot *hot)
{
    const struct libresoc_totals t = libresoc_scoreboard_totals(c->board);
    fprintf(out,
            "cycles %" PRIu64 ", instructions %" PRIu64 ", element operations %" PRIu64 " (%" PRIu64
            " left out by masks): %.3f operations a cycle\n",
            t.cycles, c->instructions, t.ops, t.died, share(t.ops, t.cycles));
    print_issue(out, c, &t);
    print_units(out, c, &t);
    print_hot(out, hot, t.cycles);
}

/* ---- JSON ---- */

static void put_core(struct json *j, const struct libresoc_core *core)
{
    const struct libresoc_parameter *p;
    json_open_object(j, "core");
    for (unsigned n = 0; (p = libresoc_parameter_at(n)); n++)
        json_uint(j, p->name, libresoc_parameter_get(p, core));
    json_end(j);
}

static void put_hot(struct json *j, const struct hot *hot)
{
    json_open_array(j, "instructions_by_cycles");
    for (uint32_t n = 0; n < hot->count; n++) {
        const struct libresoc_cost *cost = &hot->cycles->cost[hot->at[n]];
        const struct libresoc_origin origin = origin_of(hot->cycles->program, hot->at[n]);
        char text[SIMPLE_V_TEXT_MAX];
        tool_libresoc_text(hot->cycles->program, &origin, text, sizeof text);
        json_open_object(j, NULL);
        json_hex64(j, "address", hot->cycles->program->address + 2ull * hot->at[n]);
        json_string(j, "text", text);
        json_uint(j, "cycles", cost->cycles);
        json_uint(j, "times", cost->times);
        json_uint(j, "operations", cost->ops);
        json_end(j);
    }
    json_end(j);
}

static int print_json(FILE *out, const struct libresoc_cycles *c, const struct hot *hot)
{
    const struct libresoc_totals t = libresoc_scoreboard_totals(c->board);
    struct json j;
    json_begin(&j, out);
    json_open_object(&j, NULL);
    json_uint(&j, "cycles", t.cycles);
    json_uint(&j, "instructions", c->instructions);
    json_uint(&j, "operations", t.ops);
    json_uint(&j, "left_out", t.died);
    json_open_array(&j, "issued");
    for (uint32_t n = 0; n <= c->core.issue; n++)
        json_uint(&j, NULL, c->issued[n]);
    json_end(&j);
    json_open_object(&j, "waited");
    for (unsigned n = 0; n < LIBRESOC_STALLS; n++)
        json_uint(&j, libresoc_stall_name(n), t.stall[n]);
    json_end(&j);
    json_uint(&j, "held32", t.busy32);
    json_uint(&j, "held8", t.busy8);
    json_open_object(&j, "kinds");
    for (unsigned n = 0; n < LIBRESOC_KINDS; n++)
        json_uint(&j, libresoc_kind_name(n), c->kinds[n]);
    json_end(&j);
    json_uint(&j, "most_in_flight", t.in_flight);
    json_uint(&j, "most_names_x", t.rows[LIBRESOC_FILE_X]);
    json_uint(&j, "most_names_f", t.rows[LIBRESOC_FILE_F]);
    put_core(&j, &c->core);
    put_hot(&j, hot);
    return json_end(&j);
}

int tool_libresoc_print_cycles(FILE *out, const struct libresoc_cycles *cycles, bool as_json)
{
    struct hot hot;
    int err = 0;
    if (!find_hot(cycles, &hot))
        return -ENOMEM;
    if (as_json)
        err = print_json(out, cycles, &hot);
    else
        print_tables(out, cycles, &hot);
    free(hot.at);
    return err;
}
