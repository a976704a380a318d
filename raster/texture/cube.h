/* Cubes of both samplers: what a quad's level is measured on (README.md section 2). Pure. */
#ifndef VITRAIL_RASTER_CUBE_H
#define VITRAIL_RASTER_CUBE_H

/* Three points - lanes 0 to 2 of a quad, their coordinates s, t, r each divided by its largest - as seen on the plane of
 * one face: out[axis][lane]. */
void raster_cube_plane(const float s[3], const float t[3], const float r[3], float out[3][3]);

#endif
