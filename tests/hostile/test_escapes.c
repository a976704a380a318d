/* Ways out of the sandbox, tried from inside: each must fail, with all walls, with what a kernel without
 * Landlock has, and where Landlock alone promises it. Outside each of them works, on some kernel for some
 * user. */
#include "tests/hostile/escapes_broker.h"
#include "tests/hostile/escapes_files.h"
#include "tests/hostile/escapes_kernel.h"
#include "tests/hostile/escapes_processes.h"

enum { DIES = 128 + SIGSYS, ABORTS = 128 + SIGABRT };

/* How each ends behind a filter; and whether Landlock alone refuses it too, for it looks at less: files,
 * other processes' memory, signals, TCP. */
static const struct intruder {
    const char *name;
    int (*action)(void);
    int filter;
    bool landlock;
    bool of_replay; /* alone: a server has no input */
} intruders[] = {
#define I(action, filter, landlock) {#action, action, filter, landlock, false}
    I(reading, FINE, true),
    I(reading_the_old_way, FINE, true),
    I(reading_the_new_way, FINE, true),
    I(making, FINE, true),
    I(making_the_old_way, FINE, true),
    I(sharing, FINE, true),
    I(memory_of_the_tool, FINE, true),
    I(memory_of_the_program, FINE, true),
    I(own_memory, FINE, true),
    I(root_of_the_tool, FINE, true),
    I(writing_what_is_read, FINE, true),
    I(removing, FINE, true),
    I(removing_at, FINE, true),
    I(moving, FINE, true),
    I(linking, FINE, true),
    I(linking_by_name, FINE, true),
    I(linking_a_descriptor, FINE, true),
    I(making_a_folder, FINE, true),
    I(making_a_device, FINE, true),
    I(making_a_socket, DIES, true),
    I(shortening, FINE, true),
    I(looking, FINE, false),
    I(looking_by_descriptor, FINE, false),
    I(looking_the_new_way, FINE, false),
    I(asking, FINE, false),
    I(reading_a_link, FINE, true),
    I(walking, FINE, false),
    I(opening_to_all, FINE, false),
    I(giving, FINE, false),
    I(dating, FINE, false),
    I(watching, FINE, false),
    I(handles, DIES, true),
    I(mounting, DIES, true),
    I(rooting, DIES, false),
    I(copying, FINE, false),
    I(killing, FINE, true),
    I(killing_the_program, FINE, true),
    I(killing_all, FINE, false),
    I(killing_a_thread, FINE, true),
    I(killing_a_task, FINE, true),
    I(queueing, FINE, true),
    I(owning, FINE, false),
    I(owning_the_new_way, FINE, false),
    I(owning_by_ioctl, FINE, false),
    I(choosing_the_signal, FINE, false),
    I(signals_of_sockets, FINE, false),
    I(notifying, FINE, false),
    I(locking, FINE, false),
    I(leasing, FINE, false),
    I(piping, FINE, false),
    I(dying_with, FINE, false),
    I(aborting, ABORTS, false),
    I(another_program, DIES, true),
    I(another_program_from_memory, DIES, false),
    I(another_process, FINE, false),
    I(another_process_the_new_way, FINE, false),
    I(another_namespace, FINE, false),
    I(leaving_by_unshare, DIES, false),
    I(leaving_by_setns, DIES, false),
    I(tracing, DIES, true),
    I(being_traced, DIES, false),
    I(writing_memory, DIES, true),
    I(reading_memory, DIES, true),
    I(advising_memory, FINE, false),
    I(handle_of_a_process, DIES, false),
    I(descriptors_of_a_process, DIES, false),
    I(comparing, DIES, true),
    I(slowing, FINE, false),
    I(pinning, FINE, false),
    I(scheduling, FINE, false),
    I(limiting, FINE, false),
    I(grouping, FINE, false),
    I(waiting, FINE, false),
    I(other_user, DIES, false),
    I(being_dumped, FINE, false),
    I(network, DIES, false),
    I(kernel_talk, DIES, false),
    I(network_pair, FINE, false),
    I(letters, FINE, false),
    I(connecting, DIES, false),
    I(listening, DIES, false),
    I(attaching_a_filter, FINE, false),
    I(process_of_a_peer, FINE, false),
    I(shared_segments, FINE, false),
    I(message_queues, FINE, false),
    I(terminals, FINE, false),
    I(writable_code, FINE, false),
    I(code_of_a_file, FINE, false),
    I(code_by_key, FINE, false),
    I(all_is_code, FINE, false),
    I(other_abi, DIES, false),
    I(rings, DIES, false),
    I(programs_of_the_kernel, DIES, false),
    I(faults_of_users, DIES, false),
    I(events_of_performance, DIES, false),
    I(keys, DIES, false),
    I(modules, DIES, false),
    I(unknown_call, FINE, false),
    I(undoing, FINE, false),
    I(brokered_reading, FINE, true),
    I(brokered_passwords, FINE, true),
    I(brokered_making, FINE, true),
    I(brokered_way_out, FINE, true),
    I(brokered_rights, FINE, true),
    I(brokered_reopening, FINE, true),
    I(brokered_moving, FINE, true),
    I(brokered_removing, FINE, true),
#undef I
    {"brokered_input", brokered_input, FINE, true, true},
};

static unsigned try_all(unsigned walls)
{
    unsigned wrong = 0;
    for (unsigned i = 0; i < UTIL_ARRAY_SIZE(intruders); i++) {
        const struct intruder *who = &intruders[i];
        bool landlock = walls == UTIL_WALL_LANDLOCK;
        for (enum kind kind = 0; kind < KINDS; kind++) {
            if ((landlock && !who->landlock) || (who->of_replay && kind != AS_REPLAY))
                continue;
            int how = ends(who->action, kind, walls), expected = landlock ? FINE : who->filter;
            if (how != expected) {
                print_error("%s, %s: %s ends with %d, not %d\n", kind_names[kind], wall_names[walls],
                            who->name, how, expected);
                wrong++;
            }
        }
    }
    return wrong;
}

static void test_intruders(void **unused)
{
    if (missing(UTIL_WALLS_ALL))
        skip();
    assert_int_equal(try_all(UTIL_WALLS_ALL), 0);
}
/* A kernel without Landlock. */
static void test_filter_alone(void **unused)
{
    if (missing(UTIL_WALL_FILTER))
        skip();
    assert_int_equal(try_all(UTIL_WALL_FILTER), 0);
}
static void test_landlock_alone(void **unused)
{
    if (missing(UTIL_WALL_LANDLOCK))
        skip();
    assert_int_equal(try_all(UTIL_WALL_LANDLOCK), 0);
}

/* The i386 entry is no call of ours; a kernel without it answers as to any bad instruction. */
static void test_old_entry(void **unused)
{
    if (missing(UTIL_WALL_FILTER))
        skip();
    int how = ends(old_abi, AS_REPLAY, UTIL_WALL_FILTER);
    assert_true(how == DIES || how == 128 + SIGSEGV);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_intruders),
        cmocka_unit_test(test_filter_alone),
        cmocka_unit_test(test_landlock_alone),
        cmocka_unit_test(test_old_entry),
    };
    return cmocka_run_group_tests(tests, sandbox_prepare, sandbox_clean_up);
}
