/* Jobs that are not executed yet: each ends in a fault that names it. */
#include "gpu/mali/jobs.h"

static enum mali_end not_done(const struct mali_job *job, const char *unit, struct mali_stop *stop)
{
    mali_stop_set(stop, MALI_JOB_CONFIG_FAULT, GPU_FAULT_UNSUPPORTED, unit, job->address,
                  "%ss are not executed yet", unit);
    return MALI_END_FAULT;
}

enum mali_end mali_job_compute(struct mali_job *job, const struct mali_compute_job *payload,
                               struct mali_stop *stop)
{
    static const char *const units[] = {[MALI_JOB_TYPE_COMPUTE] = "compute job",
                                        [MALI_JOB_TYPE_VERTEX] = "vertex job",
                                        [MALI_JOB_TYPE_GEOMETRY] = "geometry job"};
    return not_done(job, units[job->header.type], stop);
}
