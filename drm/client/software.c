/* Drawing in software, where the environment asks for it.
 *
 * Mesa says of LIBGL_ALWAYS_SOFTWARE and GBM_ALWAYS_SOFTWARE that all drawing is done in software then. On a
 * card whose driver Mesa has, Mesa 22.3 does so of neither for programs that draw through GBM: GBM does not
 * read the one (src/gbm/backends/dri/gbm_dri.c), and for the other tries zink first, which asks for the
 * card's own driver and gets it (kopper_init_screen). MESA_LOADER_DRIVER_OVERRIDE=kms_swrast is what GBM
 * comes to where there is no zink; it works only when GBM_ALWAYS_SOFTWARE does not lead away from it. */
#include "drm/client/client.h"

#include <stdlib.h>
#include <strings.h>

#define OVERRIDE "MESA_LOADER_DRIVER_OVERRIDE"

/* As Mesa reads a switch (src/util/u_debug.c). */
static bool is_on(const char *name)
{
    static const char *const words[] = {"1", "y", "yes", "t", "true"};
    const char *value = getenv(name);
    for (unsigned i = 0; value && i < sizeof words / sizeof *words; i++)
        if (!strcasecmp(value, words[i]))
            return true;
    return false;
}

/* Before the program begins; the programs that it starts inherit it. Who names a driver keeps it. */
__attribute__((constructor)) static void draw_in_software(void)
{
    bool wanted = is_on("GBM_ALWAYS_SOFTWARE") || is_on("LIBGL_ALWAYS_SOFTWARE");
    if (!client_active() || !wanted || getenv(OVERRIDE))
        return;
    setenv(OVERRIDE, "kms_swrast", 0);
    unsetenv("GBM_ALWAYS_SOFTWARE");
}
