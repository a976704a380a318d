/* Colours on their way to a tile, as text. */
#include <inttypes.h>
#include <string.h>

#include "raster/output.h"
#include "tools/explain_internal.h"
#include "util/bits.h"

/* ---- colours ---- */

/* Red, green, blue and alpha of any format: numbers, or integers of formats of those. */
static void print_channels(FILE *out, const struct gpu_color *color)
{
    const struct raster_texel *texel = &raster_texels[color->format];
    uint32_t channel[4];
    raster_texel_unpack(texel, color->word, channel);
    for (unsigned c = 0; c < 4; c++) {
        if (raster_output_is_integer((enum raster_format)color->format))
            fprintf(out, "%s%" PRIu32, c ? ", " : "(", channel[c]);
        else
            fprintf(out, "%s%.6g", c ? ", " : "(", (double)util_u2f(channel[c]));
    }
    putc(')', out);
}

void explain_print_color(FILE *out, const struct explain_pixel *pixel, const struct gpu_color *color)
{
    uint32_t word = color->word[0], bytes = raster_format_bytes((enum raster_format)color->format);
    if (color->format != RASTER_R8G8B8A8_UNORM) {
        const unsigned words = bytes > 8 ? 0 : util_div_up(bytes, 4); /* of more the channels are enough */
        if (words)
            fputs("0x", out);
        for (unsigned n = words; n-- > 0;)
            fprintf(out, "%0*" PRIx32 "%s", (int)UTIL_MIN(bytes * 2 - n * 8, 8u), color->word[n],
                    n ? "" : " ");
        print_channels(out, color);
        return;
    }
    bool rgba = pixel->frame.format != RASTER_B8G8R8A8_UNORM ||
                pixel->stages.at[pixel->stages.count - 1].store.red_low;
    uint32_t r = rgba ? word & 255 : word >> 16 & 255, b = rgba ? word >> 16 & 255 : word & 255;
    fprintf(out, "0x%08" PRIx32 " (%u,%u,%u,%u)", word, r, word >> 8 & 255, b, word >> 24);
}

/* ---- behind the program ---- */

static void factor_text(uint8_t factor, char text[32])
{
    static const char *const names[RASTER_FACTOR_COUNT] = {
        "0",
        "source",
        "destination",
        "constant",
        "second source",
        "source alpha",
        "destination alpha",
        "constant alpha",
        "second alpha",
        "alpha saturate",
    };
    const char *name = names[(factor & ~RASTER_FACTOR_INVERT) % RASTER_FACTOR_COUNT];
    if (factor == RASTER_FACTOR_ONE)
        snprintf(text, 32, "1");
    else
        snprintf(text, 32, factor & RASTER_FACTOR_INVERT ? "(1 - %s)" : "%s", name);
}

/* "source", "source * source alpha"; "0". */
static void term_text(const char *name, uint8_t factor, char text[64])
{
    char times[32];
    factor_text(factor, times);
    if (factor == RASTER_FACTOR_ZERO)
        snprintf(text, 64, "0");
    else if (factor == RASTER_FACTOR_ONE)
        snprintf(text, 64, "%s", name);
    else
        snprintf(text, 64, "%s * %s", name, times);
}

static void equation_text(const struct raster_equation *e, char text[160])
{
    char source[64], destination[64];
    term_text("source", e->src, source);
    term_text("destination", e->dst, destination);
    switch (e->func) {
    case RASTER_BLEND_MIN: snprintf(text, 160, "min(%s, destination)", source); return;
    case RASTER_BLEND_MAX: snprintf(text, 160, "max(%s, destination)", source); return;
    case RASTER_BLEND_SUB: snprintf(text, 160, "%s - %s", source, destination); return;
    case RASTER_BLEND_RSUB: snprintf(text, 160, "%s - %s", destination, source); return;
    default: break;
    }
    if (e->dst == RASTER_FACTOR_ZERO)
        snprintf(text, 160, "%s", source);
    else if (e->src == RASTER_FACTOR_ZERO)
        snprintf(text, 160, "%s", destination);
    else
        snprintf(text, 160, "%s + %s", source, destination);
}

static void print_blend(FILE *out, const struct explain_pixel *pixel, const struct gpu_output *o)
{
    char color[160], alpha[160];
    if (o->shader) {
        fputs("by the blend shader", out);
        return;
    }
    if (o->blend.logic) {
        fprintf(out, "logic operation %u", o->blend.logic_op);
    } else if (raster_blend_reads(&o->blend)) {
        equation_text(&o->blend.color, color);
        equation_text(&o->blend.alpha, alpha);
        fputs(color, out);
        if (strcmp(color, alpha) != 0)
            fprintf(out, "; alpha: %s", alpha);
        if (strstr(color, "constant") || strstr(alpha, "constant")) {
            fputs("; constant ", out);
            explain_print_color(out, pixel, &o->constant);
        }
    } else {
        fputs("replaces what was there", out);
    }
    if (o->blend.write_mask != 15)
        fprintf(out, "; channels written: %s%s%s%s%s", o->blend.write_mask & 1 ? "r" : "",
                o->blend.write_mask & 2 ? "g" : "", o->blend.write_mask & 4 ? "b" : "",
                o->blend.write_mask & 8 ? "a" : "", o->blend.write_mask ? "" : "none");
}

void explain_print_output(FILE *out, const struct explain_pixel *pixel, const struct explain_event *e)
{
    const struct gpu_output *o = &e->lane.output;
    if (!o->given)
        return;
    explain_label(out, "source");
    explain_print_color(out, pixel, &o->source);
    putc('\n', out);
    if (o->alpha_tested) {
        explain_label(out, "alpha");
        fprintf(out, "%.6g, %s %.6g: %s\n", (double)o->alpha, explain_func_name(o->alpha_func),
                (double)o->alpha_ref, o->alpha_passed ? "passed" : "failed");
    }
    if (o->alpha_to_coverage) {
        explain_label(out, "alpha");
        fprintf(out, "%.6g to coverage leaves", (double)o->alpha);
        for (unsigned k = 0; k < e->samples; k++)
            if (o->alpha_left >> k & 1)
                fprintf(out, " sample %u", k);
        fputs(o->alpha_left ? "\n" : " no sample\n", out);
    }
    if (!e->lane.written && o->blend.write_mask)
        return;
    explain_label(out, "blending");
    print_blend(out, pixel, o);
    putc('\n', out);
}
