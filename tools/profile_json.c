/* A profile as JSON for tools. */
#include <stdio.h>

#include "tools/json.h"
#include "tools/profile.h"

static void put_draw(struct json *j, const struct profile_draw *d)
{
    json_hold_object(j, NULL);
    json_uint(j, "picture", d->picture);
    json_uint(j, "draw", d->number);
    json_hex(j, "record", d->bin.address);
    json_string(j, "mode", d->bin.mode);
    json_boolean(j, "indexed", d->bin.indexed);
    json_uint(j, "vertices", d->vertices);
    json_uint(j, "primitives", d->primitives);
    json_uint(j, "primitives_binned", d->binned);
    json_uint(j, "pixels", d->pixels);
    json_uint(j, "blocks", d->blocks);
    json_uint(j, "coordinate_instructions", d->coordinate_instructions);
    json_uint(j, "vertex_instructions", d->vertex_instructions);
    json_uint(j, "fragment_instructions", d->fragment_instructions);
    json_uint(j, "binning_ns", d->bin_ns);
    json_uint(j, "vertex_ns", d->vertex_ns);
    json_uint(j, "fragment_ns", d->fragment_ns);
    json_end(j);
}

static void put_program(struct json *j, const struct profile_program *it)
{
    static const char *const stages[] = {"fragment", "vertex", "coordinate"};
    char text[ISA_LINE_MAX], hash[24];
    json_open_object(j, NULL);
    snprintf(hash, sizeof hash, "%016llx", (unsigned long long)it->hash);
    json_string(j, "hash", hash);
    json_hex(j, "address", it->address);
    json_string(j, "stage", stages[it->stage]);
    json_uint(j, "executed", it->executed);
    if (it->ns)
        json_uint(j, "ns", it->ns);
    json_boolean(j, "branches", it->branches);
    json_boolean(j, "sampled", it->sampled);
    json_open_array(j, "instructions");
    for (uint32_t pc = 0, next; pc < it->word_count; pc = next) {
        next = pc + it->set->line(it->words, it->word_count, pc, text);
        json_hold_object(j, NULL);
        json_uint(j, "pc", pc);
        json_string(j, "text", text);
        if (it->by_pc)
            json_uint(j, "executed", it->count[pc]);
        json_end(j);
    }
    json_end(j);
    json_end(j);
}

static void put_tile(struct json *j, const struct profile_job *job)
{
    json_hold_object(j, NULL);
    json_uint(j, "picture", job->picture);
    json_uint(j, "x", job->x);
    json_uint(j, "y", job->y);
    json_uint(j, "size", job->size);
    json_uint(j, "samples", job->samples);
    json_uint(j, "frame_width", job->width);
    json_uint(j, "frame_height", job->height);
    json_uint(j, "ns", profile_job_ns(job));
    json_uint(j, "pixels", profile_job_pixels(job));
    json_uint(j, "fragment_instructions", profile_job_instructions(job));
    json_end(j);
}

int profile_print_json(FILE *out, const struct profile *p, const char *capture)
{
    struct json j;
    json_begin(&j, out);
    json_open_object(&j, NULL);
    json_string(&j, "capture", capture);
    json_uint(&j, "first_picture", p->first);
    json_uint(&j, "last_picture", p->last);
    json_uint(&j, "plays", p->loops);
    json_double(&j, "wall_ms", p->wall_ms);
    json_double(&j, "cpu_ms", p->cpu_ms);
    json_uint(&j, "vertices", p->vertices);
    json_uint(&j, "vertex_instructions", p->vertex_instructions);
    json_open_array(&j, "draws");
    for (uint32_t i = 0; i < p->draws.count; i++)
        if (p->draws.at[i].picture >= p->first && p->draws.at[i].picture <= p->last)
            put_draw(&j, &p->draws.at[i]);
    json_end(&j);
    json_open_array(&j, "programs");
    for (uint32_t i = 0; i < p->programs.count; i++)
        put_program(&j, &p->programs.at[i]);
    json_end(&j);
    json_open_array(&j, "tiles");
    for (uint32_t i = 0; i < p->jobs.count; i++)
        if (p->jobs.at[i].picture >= p->first && p->jobs.at[i].picture <= p->last)
            put_tile(&j, &p->jobs.at[i]);
    json_end(&j);
    return json_end(&j);
}
