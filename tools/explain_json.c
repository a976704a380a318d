/* An explained pixel as JSON for tools. */
#include "tools/explain_internal.h"
#include "tools/json.h"
#include "util/bits.h"

static void put_value(struct json *j, const char *key, uint32_t value)
{
    json_hold_object(j, key);
    json_hex(j, "hex", value);
    json_double(j, "float", (double)util_u2f(value));
    json_end(j);
}

/* A colour: of up to eight bytes a number, else words from the lowest on. */
static void put_color(struct json *j, const char *key, const struct gpu_color *color)
{
    uint32_t bytes = raster_format_bytes((enum raster_format)color->format);
    if (bytes <= 4) {
        json_hex(j, key, color->word[0]);
    } else if (bytes <= 8) {
        json_hex64(j, key, color->word[0] | (uint64_t)color->word[1] << 32);
    } else {
        json_hold_array(j, key);
        for (unsigned n = 0; n < util_div_up(bytes, 4); n++)
            json_hex(j, NULL, color->word[n]);
        json_end(j);
    }
}

static void put_colors(struct json *j, const char *key, const struct gpu_color *color, unsigned count)
{
    json_hold_array(j, key);
    for (unsigned k = 0; k < count; k++)
        put_color(j, NULL, &color[k]);
    json_end(j);
}

static void put_bytes(struct json *j, const char *key, const uint8_t byte[4])
{
    json_hold_array(j, key);
    for (unsigned k = 0; k < 4; k++)
        json_uint(j, NULL, byte[k]);
    json_end(j);
}

static void put_mask(struct json *j, const char *key, uint32_t mask, unsigned count)
{
    json_hold_array(j, key);
    for (unsigned k = 0; k < count; k++)
        json_boolean(j, NULL, mask >> k & 1);
    json_end(j);
}

static void put_values(struct json *j, const char *key, const struct gpu_value *v, unsigned count)
{
    json_hold_array(j, key);
    for (unsigned i = 0; i < count; i++) {
        json_hold_object(j, NULL);
        json_string(j, "name", v[i].name);
        if (v[i].withheld)
            json_boolean(j, "withheld", true);
        if (v[i].known && !v[i].number && v[i].count > 1) {
            json_hold_array(j, "words");
            for (unsigned c = 0; c < v[i].count; c++)
                json_hex(j, NULL, v[i].value[c]);
            json_end(j);
        } else if (v[i].known && !v[i].number) {
            json_hex(j, "hex", v[i].value[0]);
            json_double(j, "float", (double)util_u2f(v[i].value[0]));
        } else if (v[i].known) {
            json_hold_array(j, "floats");
            for (unsigned c = 0; c < v[i].count; c++)
                json_double(j, NULL, (double)util_u2f(v[i].value[c]));
            json_end(j);
        }
        json_end(j);
    }
    json_end(j);
}

static void put_trace(struct json *j, const struct explain_result *r, const struct explain_event *e)
{
    json_open_array(j, "trace");
    for (uint32_t i = 0; i < e->lane.trace.count; i++) {
        const struct gpu_step *insn = &e->lane.trace.at[i];
        char text[ISA_LINE_MAX];
        explain_insn_text(r, e, insn, text);
        json_hold_object(j, NULL);
        if (insn->blends)
            json_boolean(j, "blends", true);
        json_uint(j, "pc", insn->pc);
        if (insn->part)
            json_uint(j, "part", insn->part);
        json_string(j, "text", text);
        put_values(j, "read", insn->read, insn->reads);
        put_values(j, "written", insn->write, insn->writes);
        if (insn->flags) {
            json_hold_object(j, "flags");
            json_boolean(j, "z", insn->z);
            json_boolean(j, "n", insn->n);
            json_boolean(j, "c", insn->c);
            json_end(j);
        }
        json_end(j);
    }
    json_end(j);
}

static void put_vertices(struct json *j, const struct explain_event *e)
{
    json_hold_array(j, "vertices");
    for (uint32_t i = 0; i < e->vertices; i++) {
        json_hold_object(j, NULL);
        json_uint(j, "index", e->index[i]);
        json_double(j, "x", e->vertex[i].x / 16.0);
        json_double(j, "y", e->vertex[i].y / 16.0);
        json_double(j, "z", (double)e->vertex[i].z);
        json_double(j, "inv_w", (double)e->vertex[i].inv_w);
        json_end(j);
    }
    json_end(j);
}

static void put_stencil(struct json *j, const struct raster_stencil *s)
{
    json_hold_object(j, "stencil");
    json_boolean(j, "enable", s->enable);
    if (s->enable) {
        json_uint(j, "function", s->func);
        json_uint(j, "fail", s->fail);
        json_uint(j, "depth_fail", s->zfail);
        json_uint(j, "pass", s->zpass);
        json_uint(j, "reference", s->ref);
        json_uint(j, "function_mask", s->func_mask);
        json_uint(j, "write_mask", s->write_mask);
    }
    json_end(j);
}

static void put_tests(struct json *j, const struct explain_event *e, const struct explain_show *show)
{
    json_open_array(j, "tests");
    for (uint32_t i = 0; i < e->lane.tests.count; i++) {
        const struct gpu_test *t = &e->lane.tests.at[i];
        json_hold_object(j, NULL);
        if (t->when == GPU_TEST_IN_PROGRAM)
            json_uint(j, "pc", t->pc);
        else
            json_string(j, "when", t->when == GPU_TEST_BEFORE ? "before" : "after");
        json_uint(j, "depth", t->depth);
        json_uint(j, "function", t->rule.depth_func);
        json_boolean(j, "depth_write", t->rule.depth_write);
        put_stencil(j, &t->rule.face[e->reverse]);
        json_hold_array(j, "samples");
        for (unsigned k = 0; k < e->samples; k++) {
            if (!(t->samples >> k & 1) ||
                (show->sample >= 0 && e->samples > 1 && (unsigned)show->sample != k))
                continue;
            json_hold_object(j, NULL);
            json_uint(j, "sample", k);
            json_boolean(j, "passed", t->passed >> k & 1);
            json_uint(j, "depth_before", t->before[k].depth);
            json_uint(j, "depth_after", t->after[k].depth);
            json_uint(j, "stencil_before", t->before[k].stencil);
            json_uint(j, "stencil_after", t->after[k].stencil);
            json_end(j);
        }
        json_end(j);
        json_end(j);
    }
    json_end(j);
}

static void put_lookups(struct json *j, const struct explain_event *e)
{
    json_open_array(j, "textures");
    for (uint32_t i = 0; i < e->lane.lookups.count; i++) {
        const struct gpu_lookup *l = &e->lane.lookups.at[i];
        json_hold_object(j, NULL);
        json_string(j, "unit", l->unit);
        json_uint(j, "pc", l->pc);
        json_boolean(j, "raw", l->raw);
        json_hex(j, "address", l->address);
        if (!l->raw) {
            json_string(j, "format", explain_format_name(l->format));
            json_uint(j, "width", l->width);
            json_uint(j, "height", l->height);
            if (l->depth)
                json_uint(j, "depth", l->depth);
            json_uint(j, "levels", l->levels);
            json_boolean(j, "cube", l->cube);
            json_double(j, "s", (double)l->s);
            json_double(j, "t", (double)l->t);
            if (l->has_r)
                json_double(j, "r", (double)l->r);
            if (l->has_b)
                json_double(j, "bias", (double)l->b);
            json_double(j, "level", l->where.level + l->where.weight / 256.0);
            json_boolean(j, "linear", l->where.linear);
            json_int(j, "texel_x", l->where.x);
            json_int(j, "texel_y", l->where.y);
            json_hex(j, "texel_address", l->where.offset);
        }
        if (l->numbers) {
            json_hold_array(j, "result");
            for (unsigned k = 0; k < 4; k++)
                if (l->integers)
                    json_int(j, NULL, (int32_t)l->color[k]);
                else
                    json_double(j, NULL, (double)util_u2f(l->color[k]));
            json_end(j);
        } else {
            json_hex(j, "result", l->result);
        }
        if (e->origins.at[i].picture) {
            json_hold_object(j, "drawn");
            json_uint(j, "picture", e->origins.at[i].picture);
            json_uint(j, "x", e->origins.at[i].x);
            json_uint(j, "y", e->origins.at[i].y);
            json_end(j);
        }
        json_end(j);
    }
    json_end(j);
}

static void put_varyings(struct json *j, const struct explain_event *e)
{
    json_open_array(j, "varyings");
    for (uint32_t i = 0; i < e->lane.varyings.count; i++) {
        const struct gpu_varying *v = &e->lane.varyings.at[i];
        float product = util_u2f(v->vary) * util_u2f(e->lane.w);
        json_hold_object(j, NULL);
        json_uint(j, "number", v->n);
        json_string(j, "name", v->name);
        json_double(j, "value", (double)(product + util_u2f(v->c)));
        put_value(j, "vary", v->vary);
        put_value(j, "c", v->c);
        uint32_t own = v->place - e->vary_first;
        json_hold_array(j, "vertices");
        for (uint32_t k = 0; v->place >= e->vary_first && own < e->vary_count && k < e->vertices; k++)
            json_double(j, NULL, (double)e->vary[k][own]);
        json_end(j);
        json_end(j);
    }
    json_end(j);
}

static void put_draw(struct json *j, const struct explain_result *r, const struct explain_event *e)
{
    json_uint(j, "list", e->list);
    json_hex(j, "list_record", e->list_address);
    if (e->draw == UINT32_MAX)
        return;
    const struct explain_draw *d = &r->draws.at[e->draw];
    json_uint(j, "picture", d->picture);
    json_uint(j, "draw", d->number);
    json_hex(j, "record", d->bin.address);
    json_string(j, "mode", d->bin.mode);
    json_boolean(j, "indexed", d->bin.indexed);
    json_uint(j, "length", d->bin.length);
}

static void put_equation(struct json *j, const char *key, const struct raster_equation *e)
{
    static const char *const funcs[RASTER_BLEND_FUNC_COUNT] = {"add", "subtract", "reverse-subtract", "min",
                                                               "max"};
    json_hold_object(j, key);
    json_string(j, "function", funcs[e->func % RASTER_BLEND_FUNC_COUNT]);
    json_uint(j, "source_factor", e->src);
    json_uint(j, "destination_factor", e->dst);
    json_end(j);
}

static void put_output(struct json *j, const struct explain_event *e)
{
    const struct gpu_output *o = &e->lane.output;
    if (!o->given)
        return;
    json_hold_object(j, "output");
    put_color(j, "source", &o->source);
    if (o->alpha_tested) {
        json_uint(j, "alpha_function", o->alpha_func);
        json_double(j, "alpha", (double)o->alpha);
        json_double(j, "alpha_reference", (double)o->alpha_ref);
        json_boolean(j, "alpha_passed", o->alpha_passed);
    }
    if (o->alpha_to_coverage) {
        json_double(j, "alpha_to_coverage", (double)o->alpha);
        put_mask(j, "alpha_left", o->alpha_left, e->samples);
    }
    put_color(j, "constant", &o->constant);
    if (o->shader) {
        json_boolean(j, "shader", true);
    } else if (o->blend.logic) {
        json_uint(j, "logic_operation", o->blend.logic_op);
    } else {
        put_equation(j, "color", &o->blend.color);
        put_equation(j, "alpha", &o->blend.alpha);
    }
    json_uint(j, "write_mask", o->blend.write_mask);
    json_end(j);
}

static void put_event(struct json *j, const struct explain_result *r, const struct explain_event *e,
                      const struct explain_show *show)
{
    static const char *const kinds[] = {"point", "line", "triangle", "rectangle"};
    static const char *const outcomes[] = {[EXPLAIN_CULLED] = "culled",
                                           [EXPLAIN_WRITTEN] = "written",
                                           [EXPLAIN_DISCARDED] = "discarded",
                                           [EXPLAIN_STENCIL_FAILED] = "stencil-failed",
                                           [EXPLAIN_DEPTH_FAILED] = "depth-failed",
                                           [EXPLAIN_ALPHA_FAILED] = "alpha-failed",
                                           [EXPLAIN_ALPHA_COVERED] = "alpha-to-coverage",
                                           [EXPLAIN_MASKED] = "masked",
                                           [EXPLAIN_NO_COLOR] = "no-color",
                                           [EXPLAIN_FAULTED] = "faulted"};
    json_open_object(j, NULL);
    put_draw(j, r, e);
    json_uint(j, "primitive", e->primitive);
    json_string(j, "kind", kinds[e->kind % 4]);
    json_string(j, "outcome", outcomes[e->outcome]);
    put_vertices(j, e);
    put_mask(j, "coverage", e->coverage, e->samples);
    if (e->outcome != EXPLAIN_CULLED) {
        json_string(j, "facing", e->reverse ? "reverse" : "forward");
        put_tests(j, e, show);
        put_varyings(j, e);
        put_lookups(j, e);
        if (e->blend != UINT32_MAX)
            json_hex(j, "blend_shader", r->programs.at[e->blend].address);
        json_hex(j, "program", e->program != UINT32_MAX ? r->programs.at[e->program].address : 0);
        json_uint(j, "executed", e->lane.executed);
        json_boolean(j, "compiled", e->compiled);
        json_boolean(j, "early_rejected", e->early);
        put_value(j, "w", e->lane.w);
        json_uint(j, "z", e->lane.z);
        if (show->trace)
            put_trace(j, r, e);
        put_output(j, e);
        put_colors(j, "color_before", e->color_before, e->samples);
        put_colors(j, "color_after", e->color_after, e->samples);
        put_mask(j, "color_written", e->lane.written, e->samples);
    }
    json_end(j);
}

static bool is_wanted(const struct explain_result *r, const struct explain_pixel *pixel,
                      const struct explain_event *e, const struct explain_show *show)
{
    if (!show->draw)
        return true;
    if (e->draw == UINT32_MAX)
        return e->list == show->draw;
    return r->draws.at[e->draw].picture == pixel->picture && r->draws.at[e->draw].number == show->draw;
}

static void put_stage(struct json *j, const struct explain_result *r, const struct explain_pixel *pixel,
                      const struct explain_stage *s, const struct explain_show *show)
{
    static const char *const starts[] = {"cleared", "loaded", "continued"};
    json_open_object(j, NULL);
    json_uint(j, "picture", s->picture);
    json_hold_array(j, "tile");
    json_uint(j, NULL, s->tile_x);
    json_uint(j, NULL, s->tile_y);
    json_end(j);
    json_uint(j, "tile_size", s->tile_size);
    json_uint(j, "samples", s->samples);
    json_int(j, "x", s->x);
    json_int(j, "y", s->y);
    if (s->target)
        json_uint(j, "target", s->target);
    json_string(j, "start", starts[s->start]);
    if (s->start == EXPLAIN_CLEARED)
        put_color(j, "clear_color", &s->clear_color);
    if (s->start == EXPLAIN_LOADED) {
        json_hex(j, "load_address", s->load_address);
        json_boolean(j, "load_traced", s->traced);
    }
    put_colors(j, "color_first", s->color_first, s->samples);
    json_open_array(j, "events");
    for (uint32_t k = 0; k < s->events.count; k++)
        if (is_wanted(r, pixel, &s->events.at[k], show))
            put_event(j, r, &s->events.at[k], show);
    json_end(j);
    put_colors(j, "color_last", s->color_last, s->samples);
    json_boolean(j, "stored", s->stored && !s->stopped);
    if (s->stopped)
        json_boolean(j, "stopped", true);
    if (s->stored)
        json_hex(j, "store_record", s->store.address);
    json_end(j);
}

int explain_print_json(FILE *out, const char *capture, const struct explain_result *r,
                       const struct explain_pixel *pixel, const struct explain_show *show)
{
    struct json j;
    json_begin(&j, out);
    json_open_object(&j, NULL);
    json_string(&j, "capture", capture);
    json_uint(&j, "picture", pixel->picture);
    json_uint(&j, "x", pixel->x);
    json_uint(&j, "y", pixel->y);
    json_uint(&j, "width", pixel->frame.width);
    json_uint(&j, "height", pixel->frame.height);
    json_hex(&j, "address", pixel->address);
    put_bytes(&j, "rgba", pixel->rgba);
    json_uint(&j, "played_from", r->before + 1);
    json_boolean(&j, "found", pixel->found);
    if (pixel->has_target)
        json_uint(&j, "target", pixel->target);
    if (pixel->found && !explain_stopped(pixel)) {
        put_bytes(&j, "stored_rgba", pixel->made);
        json_boolean(&j, "agrees", pixel->agrees);
    }
    if (pixel->found) {
        json_boolean(&j, "cut", pixel->cut);
    }
    json_open_array(&j, "stages");
    for (uint32_t i = 0; i < pixel->stages.count; i++)
        put_stage(&j, r, pixel, &pixel->stages.at[i], show);
    json_end(&j);
    return json_end(&j);
}
