/* The table of drivers, for the client. */
#include "drm/client/client.h"

#include <sys/ioctl.h>

#include <drm.h>

#define DRIVER(number, name) extern const struct client_driver client_##name##_driver;
#include "drm/drivers.inc"
#undef DRIVER

bool client_is_drivers(uint32_t request)
{
    return _IOC_NR(request) >= DRM_COMMAND_BASE && _IOC_NR(request) < DRM_COMMAND_END;
}

const struct client_driver *client_driver_find(uint64_t number)
{
    static const struct client_pointer no_pointers[] = {{0}};
    static const struct client_wait no_waits[] = {{0}};
    static const struct client_driver none = {no_pointers, no_waits, 0, 0};
    static const struct client_driver *const rows[] = {
#define DRIVER(number, name) [number] = &client_##name##_driver,
#include "drm/drivers.inc"
#undef DRIVER
    };
    return number < sizeof rows / sizeof *rows && rows[number] ? rows[number] : &none;
}
