/* Preloaded into a program: its wall clock is SHIFT seconds ahead. Other clocks stay as they are.

   Deadlines by the wall clock are shifted back for the kernel; those by the monotonic clock are too small to be meant. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/time.h>
#include <time.h>

#define REAL(name) ((typeof(&name))dlsym(RTLD_NEXT, #name))

int clock_gettime(clockid_t clock, struct timespec *now) {
    int status = REAL(clock_gettime)(clock, now);
    if (status == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) now->tv_sec += SHIFT;
    return status;
}

int gettimeofday(struct timeval *now, void *zone) {
    int status = REAL(gettimeofday)(now, zone);
    if (status == 0) now->tv_sec += SHIFT;
    return status;
}

time_t time(time_t *now) {
    struct timespec there;
    clock_gettime(CLOCK_REALTIME, &there);
    if (now) *now = there.tv_sec;
    return there.tv_sec;
}

static struct timespec back(const struct timespec *deadline) {
    struct timespec there = *deadline;
    if (there.tv_sec > 1000000000) there.tv_sec -= SHIFT;
    return there;
}

int pthread_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *mutex, const struct timespec *deadline) {
    struct timespec there = back(deadline);
    return REAL(pthread_cond_timedwait)(condition, mutex, &there);
}

int sem_timedwait(sem_t *semaphore, const struct timespec *deadline) {
    struct timespec there = back(deadline);
    return REAL(sem_timedwait)(semaphore, &there);
}
