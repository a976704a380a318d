/* Requests that a test may refuse, through the linker's --wrap (tests/CMakeLists.txt). The test has
 * `static bool refused(void)`, which is asked before each call of a function that is wrapped. */
#ifndef VITRAIL_TESTS_WRAP_H
#define VITRAIL_TESTS_WRAP_H

/* WRAP(type, name, none, parameters, arguments...): `none` is what a refused call gives. */
#define WRAP(type, name, none, parameters, ...)                                                              \
    type __real_##name parameters;                                                                           \
    type __wrap_##name parameters;                                                                           \
    type __wrap_##name parameters                                                                            \
    {                                                                                                        \
        return refused() ? (none) : __real_##name(__VA_ARGS__);                                              \
    }

#endif
