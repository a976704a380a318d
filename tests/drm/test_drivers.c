/* The table of drivers: whole, and of one mind with the table of GPUs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include <drm.h>
#include <drm_fourcc.h>

#include "drm/drivers.h"
#include "gpu/families.h"

static void test_each_gpu_has_the_driver_that_mesa_is_told_of(void **state)
{
    const struct gpu_info *gpu;
    for (unsigned n = 0; (gpu = gpu_info_driven_at(n)); n++) {
        const struct drm_driver_gpu *row;
        const struct drm_driver *driver = drm_driver_find(gpu->name, &row);
        assert_non_null(driver);
        assert_string_equal(driver->name, gpu->driver);
        assert_string_equal(row->name, gpu->name);
        assert_int_not_equal(drm_driver_number(driver), 0);
        assert_true(row->node && row->path && row->compatible[0]);
    }
    const struct drm_driver_gpu *row;
    assert_null(drm_driver_find("vc", &row));
    assert_null(drm_driver_find("", &row));
    assert_null(drm_driver_find("libresoc", &row));
}

static void test_tables_are_whole(void **state)
{
    const struct gpu_info *gpu;
    for (unsigned n = 0; (gpu = gpu_info_driven_at(n)); n++) {
        const struct drm_driver_gpu *row;
        const struct drm_driver *driver = drm_driver_find(gpu->name, &row);
        assert_true(driver->name && driver->date && driver->description && driver->platform);
        assert_true(driver->init && driver->finish && driver->open_file && driver->close_file);
        assert_true(driver->run_job && driver->end_job);
        assert_int_equal(!driver->add_handle, !driver->remove_handle);
        bool linear = false;
        assert_true(driver->layout_count <= DRM_DRIVER_LAYOUTS);
        for (uint32_t i = 0; i < driver->layout_count; i++) {
            const struct drm_driver_layout *layout = &driver->layouts[i];
            linear |= layout->modifier == DRM_FORMAT_MOD_LINEAR;
            assert_true(layout->pitch_unit && layout->rows && layout->align);
        }
        assert_true(linear);
        uint64_t seen[2] = {0}; /* a bit a number, from DRM_COMMAND_BASE on */
        for (const struct drm_ioctl_row *at = driver->ioctls; at->fn; at++) {
            unsigned number = _IOC_NR(at->request) - DRM_COMMAND_BASE;
            assert_int_equal(_IOC_TYPE(at->request), DRM_IOCTL_BASE);
            assert_true(number < DRM_COMMAND_END - DRM_COMMAND_BASE);
            assert_true(_IOC_SIZE(at->request) <= DRM_ARG_MAX);
            assert_false(seen[number / 64] >> number % 64 & 1);
            seen[number / 64] |= 1ull << number % 64;
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_gpu_has_the_driver_that_mesa_is_told_of),
        cmocka_unit_test(test_tables_are_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
