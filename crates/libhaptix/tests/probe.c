/*
 * Does what its arguments say, one after the other, and prints each outcome in a line, for tests:
 *   info | read | update | close | connect | last     the functions
 *   set <group> <motor> <value>                       an entry of the next command
 *   flag <group> <integer>                            its flag
 *   rubbish                                           fills command and sensor with NaN and flags of -1
 *   null                                              the functions with NULL
 *   raw sensor | raw info                             the struct as 32-bit words
 *   sleep <milliseconds>
 *   threads <count> <calls> <closes>                  calls of all functions from several threads, with so many closes in between
 */
#define _POSIX_C_SOURCE 200809L
#include <haptix/comm/haptix.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static hxCommand command;
static hxSensor sensor;
static hxRobotInfo info;
static int calls;
static atomic_int closes;
static atomic_int errors;

static struct {
  const char *name;
  float *values;
  int *flag;
} groups[] = {
    {"ref_pos", command.ref_pos, &command.ref_pos_enabled},
    {"ref_vel", command.ref_vel, &command.ref_vel_enabled},
    {"ref_vel_max", command.ref_vel_max, &command.ref_vel_max_enabled},
    {"gain_pos", command.gain_pos, &command.gain_pos_enabled},
    {"gain_vel", command.gain_vel, &command.gain_vel_enabled},
};

static int group(const char *name) {
  for (int i = 0; i < 5; ++i) {
    if (strcmp(groups[i].name, name) == 0) return i;
  }
  fprintf(stderr, "no group '%s'\n", name);
  exit(2);
}

static int64_t milliseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * (int64_t)1000 + now.tv_nsec / 1000000;
}

static void *work(void *unused) {
  (void)unused;
  hxCommand own = command;
  hxSensor read;
  hxRobotInfo counts;
  for (int i = 0; i < calls; ++i) {
    errors += hx_update(&own, &read) != hxOK;
    errors += hx_read_sensors(&read) != hxOK;
    errors += hx_robot_info(&counts) != hxOK || counts.motor_count != info.motor_count;
    errors += hx_last_result() == NULL;
    if (i % 16 == 15 && closes-- > 0) hx_close();
  }
  return NULL;
}

static void raw(const void *data, size_t size) {
  const uint32_t *words = data;
  for (size_t i = 0; i < size / 4; ++i) printf("%08x%c", (unsigned)words[i], i + 1 < size / 4 ? ' ' : '\n');
}

int main(int argc, char **argv) {
  for (int i = 1; i < argc; ++i) {
    const char *what = argv[i];
    const int64_t start = milliseconds();
    int result = -1;
    if (strcmp(what, "info") == 0) result = hx_robot_info(&info);
    else if (strcmp(what, "read") == 0) result = hx_read_sensors(&sensor);
    else if (strcmp(what, "update") == 0) result = hx_update(&command, &sensor);
    else if (strcmp(what, "connect") == 0) result = hx_connect("host.that.is.ignored", -7);
    else if (strcmp(what, "close") == 0) result = hx_close();
    else if (strcmp(what, "last") == 0) printf("last %s\n", hx_last_result());
    else if (strcmp(what, "set") == 0) {
      groups[group(argv[i + 1])].values[atoi(argv[i + 2])] = strtof(argv[i + 3], NULL);
      i += 3;
    } else if (strcmp(what, "flag") == 0) {
      *groups[group(argv[i + 1])].flag = (int)strtol(argv[i + 2], NULL, 0);
      i += 2;
    } else if (strcmp(what, "rubbish") == 0) {
      for (int g = 0; g < 5; ++g) {
        for (int m = 0; m < 32; ++m) groups[g].values[m] = NAN;
        *groups[g].flag = -1;
      }
      memset(&sensor, 0xa5, sizeof sensor);
      memset(&info, 0xa5, sizeof info);
    } else if (strcmp(what, "null") == 0) {
      memset(&sensor, 0xa5, sizeof sensor);
      printf("null %d", hx_robot_info(NULL));
      printf(" %d", hx_update(&command, NULL));
      printf(" %d", hx_update(NULL, &sensor));
      printf(" %d\n", hx_read_sensors(NULL));
    } else if (strcmp(what, "raw") == 0) {
      if (strcmp(argv[++i], "info") == 0) raw(&info, sizeof info);
      else raw(&sensor, sizeof sensor);
    } else if (strcmp(what, "sleep") == 0) {
      const long length = atol(argv[++i]);
      const struct timespec pause = {length / 1000, length % 1000 * 1000000};
      nanosleep(&pause, NULL);
    } else if (strcmp(what, "threads") == 0) {
      pthread_t threads[64];
      const int count = atoi(argv[i + 1]);
      calls = atoi(argv[i + 2]);
      closes = atoi(argv[i + 3]);
      i += 3;
      for (int t = 0; t < count; ++t) pthread_create(&threads[t], NULL, work, NULL);
      for (int t = 0; t < count; ++t) pthread_join(threads[t], NULL);
      printf("threads %d errors\n", errors);
    } else {
      fprintf(stderr, "unknown: %s\n", what);
      return 2;
    }
    if (result >= 0) printf("%s %d %lld ms\n", what, result, (long long)(milliseconds() - start));
    fflush(stdout);
  }
  return 0;
}
