/* What the files of lookups share. Internal to gpu/mali/lookup*.c. */
#ifndef VITRAIL_GPU_MALI_LOOKUP_INTERNAL_H
#define VITRAIL_GPU_MALI_LOOKUP_INTERNAL_H

#include "gpu/mali/lookup.h"

/* A texture as all lookups of it have it: made once, its pages looked at once. */
struct mali_lookup_surfaces {
    struct raster_sampler_key key; /* format, dimensions, layout; may have blocks */
    struct raster_image image;     /* without a sampler's part */
    const struct mali_stop *stop;  /* when there is none: why; NULL: for want of memory */
};

/* What a lookup, or the surfaces of one, are made of. */
struct mali_lookup_maker {
    struct mali_world *world;
    const struct mali_lookup_key *asked;
    const struct mali_view *view;
    const struct mali_sampler *sampler; /* NULL: a fetch */
    uint32_t order;                     /* the view's, as mali_order takes it */
    struct raster_sampler_key key;
    struct raster_image *image; /* of what is made */
    struct mali_stop *stop;
};

bool mali_lookup_refuse(const struct mali_lookup_maker *maker, enum gpu_fault_kind kind, const char *why);
bool mali_lookup_no_memory(const struct mali_lookup_maker *maker);

/* lookup_surfaces.c: key and image of the view alone. */
bool mali_lookup_surfaces_make(struct mali_lookup_maker *maker, struct mali_lookup_surfaces *out);

/* Whether blocks of ASTC become numbers of 8 bits without being sRGB: decoded as those of sRGB are (Khronos Data Format
 * Specification, "ASTC", decode_unorm8), whose bytes they are. So Mesa has images of sRGB seen through a view that is
 * not. Planes alone say it (v9). */
bool mali_lookup_is_narrow(const struct mali_lookup_maker *maker);

/* Takes pages from what a draw's textures may have; false: that is used up. */
bool mali_lookup_spend(struct mali_lookup_maker *maker, uint64_t pages);

/* lookup_afbc.c: AFBC, made a linear image. The view's format, of what it would have otherwise. */
bool mali_lookup_is_afbc(const struct mali_lookup_maker *maker);
enum raster_format mali_lookup_afbc_format(const struct mali_lookup_maker *maker, enum raster_format format);
bool mali_lookup_take_afbc(struct mali_lookup_maker *maker);

#endif
