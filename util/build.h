/* Which build this is: two programs with one number are of the same sources, compiler and options. */
#ifndef VITRAIL_UTIL_BUILD_H
#define VITRAIL_UTIL_BUILD_H

/* The GNU build-id note of the binary that this is linked into - program or shared library - in hexadecimal digits, as
 * many of them as there is room for; "" where it has none. */
#define UTIL_BUILD_ID 41
void util_build_id(char out[UTIL_BUILD_ID]);

#endif
