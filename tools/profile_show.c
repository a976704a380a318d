/* A profile as tables for people. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tools/profile.h"
#include "util/bits.h"

#define FEW 15u /* rows of a table that is not asked for in full */

static double ms(uint64_t ns)
{
    return (double)ns * 1e-6;
}

static double percent(double part, double whole)
{
    return whole > 0 ? part * 100 / whole : 0;
}

/* 1234567 as 1,234,567. */
static const char *grouped(uint64_t value, char text[32])
{
    char plain[24];
    int length = snprintf(plain, sizeof plain, "%" PRIu64, value), n = 0;
    for (int i = 0; i < length; i++) {
        if (i && (length - i) % 3 == 0)
            text[n++] = ',';
        text[n++] = plain[i];
    }
    text[n] = 0;
    return text;
}

/* ---- where the time goes ---- */

struct totals {
    uint64_t bin, vertex, fragment, move, all;
    uint64_t vertices, primitives, binned, pixels, coordinate, fragments;
    uint32_t draws, jobs;
};

static bool counts(const struct profile *p, uint32_t picture)
{
    return picture >= p->first && picture <= p->last;
}

static struct totals sum(const struct profile *p)
{
    struct totals t = {0};
    for (uint32_t i = 0; i < p->draws.count; i++) {
        const struct profile_draw *d = &p->draws.at[i];
        if (!counts(p, d->picture))
            continue;
        t.draws++;
        t.bin += d->bin_ns;
        t.vertices += d->vertices;
        t.primitives += d->primitives;
        t.binned += d->binned;
        t.coordinate += d->coordinate_instructions;
    }
    for (uint32_t i = 0; i < p->shadings.count; i++)
        t.vertex += p->shadings.at[i].counts ? p->shadings.at[i].ns : 0;
    for (uint32_t i = 0; i < p->jobs.count; i++) {
        const struct profile_job *job = &p->jobs.at[i];
        if (!counts(p, job->picture))
            continue;
        t.jobs++;
        t.move += job->move_ns;
        for (uint32_t k = 0; k < job->segments.count; k++) {
            const struct profile_segment *s = &job->segments.at[k];
            t.vertex += s->vertex_ns;
            t.fragment += s->ns;
            t.pixels += s->pixels;
            t.fragments += s->instructions;
        }
    }
    t.all = t.bin + t.vertex + t.fragment + t.move;
    return t;
}

static void print_summary(FILE *out, const struct profile *p, const struct totals *t, const char *capture)
{
    char a[32], b[32], c[32];
    fprintf(out, "%s, picture%s %u", capture, p->first == p->last ? "" : "s", p->first);
    if (p->first != p->last)
        fprintf(out, " to %u", p->last);
    fprintf(out, ": %.3f ms on the clock, %.3f ms of processors, the best of %u play%s\n\n", p->wall_ms,
            p->cpu_ms, p->loops, p->loops == 1 ? "" : "s");
    fprintf(out, "                               ms   share\n");
    fprintf(out, "  binning              %10.3f  %5.1f%%   %s draws, %s vertices, %s primitives\n",
            ms(t->bin), percent(t->bin, t->all), grouped(t->draws, a), grouped(t->vertices, b),
            grouped(t->primitives, c));
    fprintf(out, "  vertex shading       %10.3f  %5.1f%%   %s vertices, %s instructions\n", ms(t->vertex),
            percent(t->vertex, t->all), grouped(p->vertices, a), grouped(p->vertex_instructions, b));
    fprintf(out, "  pixels               %10.3f  %5.1f%%   %s pixels, %s instructions\n", ms(t->fragment),
            percent(t->fragment, t->all), grouped(t->pixels, a), grouped(t->fragments, b));
    fprintf(out, "  tile loads, stores   %10.3f  %5.1f%%   %s tile jobs\n", ms(t->move),
            percent(t->move, t->all), grouped(t->jobs, a));
    fprintf(out, "  all workers together %10.3f\n", ms(t->all));
    if (ms(t->all) > p->cpu_ms * 1.3)
        fprintf(out,
                "\nThe machine is busy with other work: these times contain waiting. More --loops help.\n");
}

/* ---- draws ---- */

static void print_draw(FILE *out, const struct profile_draw *d, uint64_t all)
{
    char vertices[32], primitives[32], pixels[32], instructions[32], what[40];
    snprintf(what, sizeof what, "%s%s", d->bin.indexed ? "indexed " : "", d->bin.mode);
    fprintf(
        out, "  %7u %5u  0x%08x  %-22s %10s %10s %12s %14s %9.3f %9.3f %9.3f %9.3f %5.1f%%\n", d->picture,
        d->number, d->bin.address, what, grouped(d->vertices, vertices), grouped(d->primitives, primitives),
        grouped(d->pixels, pixels),
        grouped(d->coordinate_instructions + d->vertex_instructions + d->fragment_instructions, instructions),
        ms(d->bin_ns), ms(d->vertex_ns), ms(d->fragment_ns), ms(profile_draw_ns(d)),
        percent(profile_draw_ns(d), all));
}

static void print_draws(FILE *out, const struct profile *p, const struct totals *t, bool all)
{
    uint32_t *order = profile_costliest(p), shown = 0;
    if (!t->draws || !order) {
        free(order);
        return;
    }
    uint32_t rows = all ? t->draws : UTIL_MIN(t->draws, FEW);
    fprintf(out, "\n%s%u of %u draws, by cost in ms\n", all ? "" : "the costliest ", rows, t->draws);
    fprintf(out, "  %7s %5s  %-10s  %-22s %10s %10s %12s %14s %9s %9s %9s %9s %6s\n", "picture", "draw",
            "record", "what", "vertices", "primitives", "pixels", "instructions", "binning", "vertices",
            "pixels", "all", "share");
    for (uint32_t i = 0; i < p->draws.count && shown < rows; i++) {
        const struct profile_draw *d = &p->draws.at[order[i]];
        if (!counts(p, d->picture))
            continue;
        print_draw(out, d, t->all);
        shown++;
    }
    free(order);
}

/* ---- programs and instructions ---- */

static const char *stage_name(enum profile_stage stage)
{
    static const char *const names[] = {"fragment", "vertex", "coordinate"};
    return names[stage];
}

static uint64_t executed(const struct profile *p)
{
    uint64_t sum_executed = 0;
    for (uint32_t i = 0; i < p->programs.count; i++)
        sum_executed += p->programs.at[i].executed;
    return sum_executed;
}

static void print_program(FILE *out, const struct profile_program *it, uint64_t all)
{
    char count[32], time[32] = "-";
    if (it->ns)
        snprintf(time, sizeof time, "%.3f", ms(it->ns));
    fprintf(out, "  0x%08x  %-11s %7u %16s %5.1f%% %9s%s\n", it->address, stage_name(it->stage),
            it->insn_count, grouped(it->executed, count), percent((double)it->executed, (double)all), time,
            !it->by_pc    ? "  (branches: not counted by instruction)"
            : it->sampled ? "  (instructions counted in some primitives)"
                          : "");
}

static void print_programs(FILE *out, const struct profile *p)
{
    uint64_t all = executed(p);
    fprintf(out, "\nprograms, by instructions executed (for 16 lanes each)\n");
    fprintf(out, "  %-10s  %-11s %7s %16s %6s %9s\n", "address", "use", "length", "executed", "share", "ms");
    uint64_t last = UINT64_MAX;
    for (uint32_t n = 0; n < p->programs.count; n++) {
        uint64_t next = 0; /* the next smaller count */
        for (uint32_t i = 0; i < p->programs.count; i++)
            if (p->programs.at[i].executed < last)
                next = UTIL_MAX(next, p->programs.at[i].executed);
        for (uint32_t i = 0; i < p->programs.count && next < last; i++) {
            const struct profile_program *it = &p->programs.at[i];
            if (it->executed == next && next)
                print_program(out, it, all);
        }
        last = next;
    }
}

static void print_hottest(FILE *out, const struct profile *p, bool all_rows)
{
    uint32_t count = 0;
    struct profile_hot *hot = profile_hottest(p, &count);
    uint64_t all = executed(p);
    uint32_t rows = all_rows ? count : UTIL_MIN(count, FEW);
    char a[32], text[ISA_LINE_MAX];
    if (!hot)
        return;
    fprintf(out, "\n%s%u of %u instructions\n", all_rows ? "" : "the hottest ", rows, count);
    fprintf(out, "  %14s %6s  %-10s  %-11s %5s  %s\n", "executed", "share", "program", "use", "pc",
            "instruction");
    for (uint32_t i = 0; i < rows; i++) {
        const struct profile_program *it = &p->programs.at[hot[i].program];
        it->set->line(it->words, it->word_count, hot[i].pc, text);
        fprintf(out, "  %14s %5.2f%%  0x%08x  %-11s %5u  %s\n", grouped(hot[i].count, a),
                percent((double)hot[i].count, (double)all), it->address, stage_name(it->stage), hot[i].pc,
                text);
    }
    free(hot);
}

void profile_print(FILE *out, const struct profile *p, const char *capture, bool all_draws,
                   bool all_instructions)
{
    struct totals t = sum(p);
    print_summary(out, p, &t, capture);
    print_draws(out, p, &t, all_draws);
    print_programs(out, p);
    print_hottest(out, p, all_instructions);
}
