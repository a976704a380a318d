/* An explained pixel as text for people. */
#include <inttypes.h>
#include <string.h>

#include "tools/explain_internal.h"
#include "util/bits.h"

/* ---- names ---- */

const char *explain_outcome_name(enum explain_outcome outcome)
{
    static const char *const names[] = {
        [EXPLAIN_CULLED] = "culled for its facing",
        [EXPLAIN_WRITTEN] = "written",
        [EXPLAIN_DISCARDED] = "discarded by the program",
        [EXPLAIN_STENCIL_FAILED] = "stencil test failed",
        [EXPLAIN_DEPTH_FAILED] = "depth test failed",
        [EXPLAIN_NO_COLOR] = "no colour written",
        [EXPLAIN_FAULTED] = "stopped by a fault",
        [EXPLAIN_ALPHA_FAILED] = "alpha test failed",
        [EXPLAIN_MASKED] = "not in the sample mask",
        [EXPLAIN_ALPHA_COVERED] = "no sample left by alpha to coverage",
    };
    return names[outcome];
}

const char *explain_format_name(uint32_t format)
{
    static const char *const names[RASTER_FORMAT_COUNT] = {
        [RASTER_R8G8B8A8_UNORM] = "RGBA8888",
        [RASTER_R8G8B8X8_UNORM] = "RGBX8888",
        [RASTER_A4B4G4R4_UNORM] = "RGBA4444",
        [RASTER_A1B5G5R5_UNORM] = "RGBA5551",
        [RASTER_B5G6R5_UNORM] = "RGB565",
        [RASTER_L8_UNORM] = "LUMINANCE",
        [RASTER_A8_UNORM] = "ALPHA",
        [RASTER_L8A8_UNORM] = "LUMALPHA",
        [RASTER_ETC1_RGB8] = "ETC1",
        [RASTER_R16_FLOAT] = "S16F",
        [RASTER_R16G16_FLOAT] = "RG16F",
        [RASTER_R16G16B16A16_FLOAT] = "RGBA64",
        [RASTER_R16_UINT] = "S16",
        [RASTER_R32_UINT] = "RGBA32R",
        [RASTER_L1_UNORM] = "BW1",
        [RASTER_A4_UNORM] = "A4",
        [RASTER_A1_UNORM] = "A1",
        [RASTER_YUYV] = "YUYV422R",
        [RASTER_R8_SINT] = "S8",
        [RASTER_R16_SINT] = "S16",
        [RASTER_B5G5R5A1_UNORM] = "BGRA5551",
        [RASTER_L16_UNORM] = "L16",
        [RASTER_Z24X8_UNORM] = "Z24X8",
    };
    return format < RASTER_FORMAT_COUNT && names[format] ? names[format] : "unknown";
}

static const struct explain_program *program_of(const struct explain_result *r, const struct explain_event *e,
                                                const struct gpu_step *step)
{
    const uint32_t n = step->blends ? e->blend : e->program;
    return n != UINT32_MAX && step->pc < r->programs.at[n].word_count ? &r->programs.at[n] : NULL;
}

bool explain_word_text(const struct explain_result *r, const struct explain_event *e,
                       const struct gpu_step *step, char text[ISA_LINE_MAX])
{
    const struct explain_program *p = program_of(r, e, step);
    return p && step->part && p->set->part &&
           p->set->part(p->words, p->word_count, step->pc, step->part, text) &&
           p->set->part(p->words, p->word_count, step->pc, 0, text);
}

void explain_insn_text(const struct explain_result *r, const struct explain_event *e,
                       const struct gpu_step *step, char text[ISA_LINE_MAX])
{
    const struct explain_program *p = program_of(r, e, step);
    text[0] = 0;
    if (!p)
        return;
    if (!p->set->part)
        p->set->line(p->words, p->word_count, step->pc, text);
    else if (!p->set->part(p->words, p->word_count, step->pc, step->part, text))
        snprintf(text, ISA_LINE_MAX, "(before the program)");
}

const char *explain_func_name(uint8_t func)
{
    static const char *const names[] = {
        "never", "less", "equal", "less or equal", "greater", "not equal", "greater or equal", "always"};
    return names[func & 7];
}

static const char *op_name(uint8_t op)
{
    static const char *const names[] = {"zero",        "keep",   "replace", "incr, stops",
                                        "decr, stops", "invert", "incr",    "decr"};
    return names[op & 7];
}

static bool wanted(const struct explain_show *show, unsigned sample, unsigned samples)
{
    return show->sample < 0 || (unsigned)show->sample == sample || samples == 1;
}

/* The colours of the samples: one when they are alike, else each. */
static void print_colors(FILE *out, const struct explain_pixel *pixel, const struct gpu_color *color,
                         unsigned samples, const struct explain_show *show)
{
    bool alike = true;
    for (unsigned k = 1; k < samples; k++)
        alike &= !memcmp(&color[k], color, sizeof *color);
    if (alike) {
        explain_print_color(out, pixel, color);
        return;
    }
    for (unsigned k = 0, n = 0; k < samples; k++) {
        if (!wanted(show, k, samples))
            continue;
        fprintf(out, "%ss%u ", n++ ? "  " : "", k);
        explain_print_color(out, pixel, &color[k]);
    }
}

/* ---- one primitive ---- */

static void print_vertices(FILE *out, const struct explain_event *e)
{
    for (uint32_t i = 0; i < e->vertices; i++) {
        const struct raster_vertex *v = &e->vertex[i];
        explain_label(out, i ? "" : "vertices");
        if (e->outcome != EXPLAIN_CULLED || e->code)
            fprintf(out, "index %-6u", e->index[i]);
        fprintf(out, " x %10.4f  y %10.4f", v->x / 16.0, v->y / 16.0);
        if (e->outcome != EXPLAIN_CULLED || e->code)
            fprintf(out, "  z %.7g  1/w %.7g", (double)v->z, (double)v->inv_w);
        putc('\n', out);
    }
}

static void print_coverage(FILE *out, const struct explain_event *e)
{
    explain_label(out, "coverage");
    if (e->samples == 1)
        fputs("the pixel's centre", out);
    for (unsigned k = 0; e->samples > 1 && k < e->samples; k++)
        fprintf(out, "%s%u %s", k ? ", sample " : "sample ", k, e->coverage >> k & 1 ? "in" : "out");
    if (e->kind == GPU_TRIANGLES && e->outcome != EXPLAIN_CULLED)
        fprintf(out, "; %s facing", e->reverse ? "reverse" : "forward");
    putc('\n', out);
}

static void print_stencil(FILE *out, const struct explain_event *e, const struct gpu_test *t)
{
    const struct raster_stencil *s = &t->rule.face[e->reverse];
    if (!s->enable)
        return;
    explain_label(out, "stencil");
    fprintf(out, "%s, reference 0x%02x, mask 0x%02x; fail %s, depth fail %s, pass %s; write mask 0x%02x\n",
            explain_func_name(s->func), s->ref, s->func_mask, op_name(s->fail), op_name(s->zfail),
            op_name(s->zpass), s->write_mask);
}

/* A depth as bits and as a number. */
static void print_depth(FILE *out, uint8_t kind, uint32_t depth, bool number)
{
    if (raster_depth_is_32((enum raster_depth_kind)kind))
        fprintf(out, "0x%08" PRIx32, depth);
    else
        fprintf(out, "0x%06" PRIx32, depth);
    if (number)
        fprintf(out, " (%.7f)",
                kind == RASTER_DEPTH_FLOAT32   ? (double)util_u2f(depth)
                : kind == RASTER_DEPTH_UNORM32 ? depth / 4294967295.0
                                               : depth / 16777215.0);
}

static void print_test_sample(FILE *out, const struct explain_event *e, const struct gpu_test *t, unsigned k)
{
    explain_label(out, "");
    if (e->samples > 1)
        fprintf(out, "sample %u: ", k);
    fprintf(out, "%s: before ", t->passed >> k & 1 ? "passed" : "failed");
    print_depth(out, t->kind, t->before[k].depth, true);
    fputs(", after ", out);
    print_depth(out, t->kind, t->after[k].depth, false);
    if (t->rule.face[e->reverse].enable)
        fprintf(out, "; stencil 0x%02x, after 0x%02x", t->before[k].stencil, t->after[k].stencil);
    putc('\n', out);
}

static void print_tests(FILE *out, const struct explain_event *e, const struct explain_show *show)
{
    static const char *const whens[] = {[GPU_TEST_IN_PROGRAM] = "",
                                        [GPU_TEST_BEFORE] = "; before the program",
                                        [GPU_TEST_AFTER] = "; after the program"};
    for (uint32_t i = 0; i < e->lane.tests.count; i++) {
        const struct gpu_test *t = &e->lane.tests.at[i];
        print_stencil(out, e, t);
        explain_label(out, "depth");
        print_depth(out, t->kind, t->depth, true);
        fprintf(out, ", %s%s%s\n", explain_func_name(t->rule.depth_func),
                t->rule.depth_write ? "" : ", not written", whens[t->when]);
        for (unsigned k = 0; k < e->samples; k++)
            if (t->samples >> k & 1 && wanted(show, k, e->samples))
                print_test_sample(out, e, t, k);
    }
}

/* Each with what it comes from: its values at the vertices. */
static void print_varyings(FILE *out, const struct explain_event *e)
{
    float w = util_u2f(e->lane.w);
    for (uint32_t i = 0; i < e->lane.varyings.count; i++) {
        const struct gpu_varying *v = &e->lane.varyings.at[i];
        float product = util_u2f(v->vary) * w;
        uint32_t own = v->place - e->vary_first;
        explain_label(out, i ? "" : "varyings");
        fprintf(out, "%s: %-13.7g", v->name, (double)(product + util_u2f(v->c)));
        for (uint32_t k = 0; v->place >= e->vary_first && own < e->vary_count && k < e->vertices; k++)
            fprintf(out, "%s%.7g", k ? ", " : "of ", (double)e->vary[k][own]);
        putc('\n', out);
    }
}

static void print_lookup(FILE *out, const struct gpu_lookup *l, const struct explain_origin *origin)
{
    explain_label(out, "texture");
    if (l->raw) {
        fprintf(out, "%s, pc %u: word at 0x%08x -> ", l->unit, l->pc, l->address);
        explain_print_value(out, l->result);
        putc('\n', out);
        return;
    }
    fprintf(out, "%s, pc %u: 0x%08x %s %ux%u", l->unit, l->pc, l->address, explain_format_name(l->format),
            l->width, l->height);
    if (l->depth)
        fprintf(out, "x%u", l->depth);
    fprintf(out, "%s, %u level%s; s %.7g", l->cube ? " cube" : "", l->levels, l->levels == 1 ? "" : "s",
            (double)l->s);
    if (l->has_t)
        fprintf(out, "  t %.7g", (double)l->t);
    if (l->has_r)
        fprintf(out, "  r %.7g", (double)l->r);
    if (l->has_b)
        fprintf(out, "  %s %.7g", l->level_given ? "level" : "bias", (double)l->b);
    putc('\n', out);
    explain_label(out, "");
    fprintf(out, "%s, level %u", l->where.linear ? "linear" : "nearest", l->where.level);
    if (l->where.weight)
        fprintf(out, " + %.3f of level %u", l->where.weight / 256.0, l->where.level1);
    if (l->cube)
        fprintf(out, ", face %u", l->where.face);
    fprintf(out, ", %s texel (%d, %d)", l->where.linear ? "first" : "the", l->where.x, l->where.y);
    if (l->where.offset)
        fprintf(out, " at 0x%08x", l->where.offset);
    if (l->numbers && l->integers)
        fprintf(out, " -> (%" PRId32 ", %" PRId32 ", %" PRId32 ", %" PRId32 ")\n", (int32_t)l->color[0],
                (int32_t)l->color[1], (int32_t)l->color[2], (int32_t)l->color[3]);
    else if (l->numbers)
        fprintf(out, " -> (%.6g, %.6g, %.6g, %.6g)\n", (double)util_u2f(l->color[0]),
                (double)util_u2f(l->color[1]), (double)util_u2f(l->color[2]), (double)util_u2f(l->color[3]));
    else
        fprintf(out, " -> 0x%08x\n", l->result);
    if (!origin->picture)
        return;
    explain_label(out, "");
    fprintf(out, "drawn in picture %u, pixel (%u, %u) of an image of %ux%u\n", origin->picture, origin->x,
            origin->y, origin->width, origin->height);
}

/* ---- headers ---- */

const char *explain_primitive_name(enum gpu_primitive kind)
{
    static const char *const names[] = {"point", "line", "triangle", "rectangle"};
    return names[kind % 4];
}

static void print_heading(FILE *out, const struct explain_result *r, const struct explain_pixel *pixel,
                          const struct explain_event *e)
{
    if (e->draw == UINT32_MAX) {
        fprintf(out, "\nlist %u of the tile, %s %" PRIu64 " -- record 0x%08x of the rendering list", e->list,
                explain_primitive_name(e->kind), e->primitive, e->list_address);
    } else {
        const struct explain_draw *d = &r->draws.at[e->draw];
        fprintf(out, "\ndraw %u", d->number);
        if (d->picture != pixel->picture)
            fprintf(out, " of picture %u", d->picture);
        fprintf(out, ", %s %" PRIu64 " -- %s %s, %" PRIu64 " vertices, record 0x%08x",
                explain_primitive_name(e->kind), e->primitive, d->bin.indexed ? "indexed" : "array",
                d->bin.mode, d->bin.length, d->bin.address);
        if (e->list_what)
            fprintf(out, ", %s 0x%08x", e->list_what, e->list_address);
    }
    fprintf(out, ": %s\n", explain_outcome_name(e->outcome));
}

static void print_event(FILE *out, const struct explain_result *r, const struct explain_pixel *pixel,
                        const struct explain_event *e, const struct explain_show *show)
{
    print_heading(out, r, pixel, e);
    print_vertices(out, e);
    print_coverage(out, e);
    if (e->outcome == EXPLAIN_CULLED)
        return;
    print_tests(out, e, show);
    print_varyings(out, e);
    for (uint32_t i = 0; i < e->lane.lookups.count; i++)
        print_lookup(out, &e->lane.lookups.at[i], &e->origins.at[i]);
    explain_print_trace(out, r, e);
    if (e->early) {
        explain_label(out, "early");
        fprintf(out, "replay rejects the whole block by its depth and does not run the program\n");
    }
    explain_print_output(out, pixel, e);
    explain_label(out, "colour");
    print_colors(out, pixel, e->color_before, e->samples, show);
    fputs(" -> ", out);
    print_colors(out, pixel, e->color_after, e->samples, show);
    putc('\n', out);
}

static void print_stage(FILE *out, const struct explain_pixel *pixel, const struct explain_stage *s,
                        const struct explain_show *show)
{
    fprintf(out, "\ntile (%u, %u) of %ux%u pixels, window pixel (%d, %d)", s->tile_x, s->tile_y, s->tile_size,
            s->tile_size, s->x, s->y);
    if (s->samples > 1)
        fprintf(out, ", %u samples", s->samples);
    if (s->target)
        fprintf(out, ", target %u", s->target);
    if (s->picture != pixel->picture)
        fprintf(out, ", drawn in picture %u", s->picture);
    fputs(": ", out);
    switch (s->start) {
    case EXPLAIN_CLEARED: fputs("cleared to ", out); break;
    case EXPLAIN_LOADED:
        fprintf(out, "loaded from 0x%08" PRIx64 "%s: ", s->load_address,
                s->traced ? "" : " (nothing before wrote it here)");
        break;
    case EXPLAIN_CONTINUED: fputs("goes on with ", out); break;
    }
    print_colors(out, pixel, s->color_first, s->samples, show);
    putc('\n', out);
}

/* Whether the event is among those asked for. */
static bool is_wanted(const struct explain_result *r, const struct explain_pixel *pixel,
                      const struct explain_event *e, const struct explain_show *show)
{
    if (!show->draw)
        return true;
    if (e->draw == UINT32_MAX)
        return e->list == show->draw;
    return r->draws.at[e->draw].picture == pixel->picture && r->draws.at[e->draw].number == show->draw;
}

bool explain_stopped(const struct explain_pixel *pixel)
{
    return pixel->stages.count && pixel->stages.at[pixel->stages.count - 1].stopped;
}

const struct explain_event *explain_last_write(const struct explain_pixel *pixel, bool *cleared)
{
    *cleared = false;
    for (uint32_t i = pixel->stages.count; i-- > 0;) {
        const struct explain_stage *s = &pixel->stages.at[i];
        for (uint32_t k = s->events.count; k-- > 0;)
            if (s->events.at[k].outcome == EXPLAIN_WRITTEN)
                return &s->events.at[k];
        *cleared = s->start == EXPLAIN_CLEARED;
        if (*cleared)
            return NULL;
    }
    return NULL;
}

static void print_end(FILE *out, const struct explain_pixel *pixel, const struct explain_show *show)
{
    const struct explain_stage *s = &pixel->stages.at[pixel->stages.count - 1];
    if (s->stopped) {
        fprintf(out,
                "\nnot stored: a fault ended the tile's drawing\n"
                "picture   %u,%u,%u,%u: what the memory held before\n",
                pixel->rgba[0], pixel->rgba[1], pixel->rgba[2], pixel->rgba[3]);
        return;
    }
    fprintf(out, "\nstored    ");
    print_colors(out, pixel, s->color_last, s->samples, show);
    fprintf(out, ", at 0x%08" PRIx64 " by %s", pixel->address, s->store.what);
    if (s->store.address)
        fprintf(out, " 0x%08x", s->store.address);
    fprintf(out, "%s\n",
            s->store.averaged && s->samples << s->store.resolve.shrink_x > 1 ? ", averaged" : "");
    fprintf(out, "          as a pixel of the picture: %u,%u,%u,%u\n", pixel->made[0], pixel->made[1],
            pixel->made[2], pixel->made[3]);
    fprintf(out, "picture   %u,%u,%u,%u: %s\n", pixel->rgba[0], pixel->rgba[1], pixel->rgba[2],
            pixel->rgba[3],
            pixel->agrees ? "they agree"
                          : "THEY DIFFER: something else wrote the memory after the store, or compiled code "
                            "is not as its interpreter");
}

void explain_print(FILE *out, const struct explain_result *r, const struct explain_pixel *pixel,
                   const struct explain_show *show)
{
    uint32_t shown = 0, events = 0;
    fprintf(out, "picture %u", pixel->picture);
    if (pixel->has_target)
        fprintf(out, ", target %u", pixel->target);
    fprintf(out, " (%ux%u at 0x%08" PRIx64 "), pixel (%u, %u) at 0x%08" PRIx64 ": %u,%u,%u,%u\n",
            pixel->frame.width, pixel->frame.height, pixel->frame.address, pixel->x, pixel->y, pixel->address,
            pixel->rgba[0], pixel->rgba[1], pixel->rgba[2], pixel->rgba[3]);
    if (r->before)
        fprintf(out, "played from picture %u on (--whole: all of them)\n", r->before + 1);
    if (!pixel->found) {
        fprintf(out, "\nNo tile was ever stored there: the pixel is as the memory was recorded.\n");
        return;
    }
    if (pixel->cut)
        fprintf(out, "\n(what happened before the last %u tile jobs is left out)\n", EXPLAIN_STAGES);
    for (uint32_t i = 0; i < pixel->stages.count; i++) {
        const struct explain_stage *s = &pixel->stages.at[i];
        print_stage(out, pixel, s, show);
        for (uint32_t k = 0; k < s->events.count; k++) {
            events++;
            if (!is_wanted(r, pixel, &s->events.at[k], show))
                continue;
            print_event(out, r, pixel, &s->events.at[k], show);
            shown++;
        }
    }
    if (!events)
        fprintf(out, "\nNo draw touched the pixel: it has the colour that its tile began with.\n");
    else if (!shown)
        fprintf(out, "\nDraw %u did not touch the pixel; %u primitive%s of other draws did.\n", show->draw,
                events, events == 1 ? "" : "s");
    print_end(out, pixel, show);
}
