/*
 * Moves all motors of a hand along sines through the middle of their ranges and prints how they follow.
 *
 *   cc sine.c $(pkg-config --cflags --libs haptix-comm) -lm -o sine
 *   ./sine [seconds]
 */
#define _POSIX_C_SOURCE 200809L
#include <haptix/comm/haptix.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static volatile sig_atomic_t is_ended;

static void end(int signal_number) {
  (void)signal_number;
  is_ended = 1;
}

int main(int argc, char **argv) {
  const double length = argc > 1 ? atof(argv[1]) : 10.0, period = 4.0;
  const struct timespec pause = {0, 10 * 1000 * 1000};
  hxRobotInfo hand;
  hxCommand command;
  hxSensor sensor;
  double time = 0.0, worst = 0.0;
  int i;

  signal(SIGINT, end);
  if (hx_connect(NULL, 0) != hxOK || hx_robot_info(&hand) != hxOK) {
    fprintf(stderr, "no hand: %s\n", hx_last_result());
    return 1;
  }
  printf("%d motors, %d joints, %d contact sensors, %d inertial units, %.0f Hz\n", hand.motor_count, hand.joint_count,
         hand.contact_sensor_count, hand.imu_count, hand.update_rate);

  memset(&command, 0, sizeof command);
  command.ref_pos_enabled = 1; /* gains and caps stay as they are */
  for (; time < length && !is_ended; time += 0.01) {
    for (i = 0; i < hand.motor_count; ++i) {
      const float *limit = hand.motor_limit[i];
      const double middle = 0.5 * (limit[0] + limit[1]), half = 0.25 * (limit[1] - limit[0]);
      command.ref_pos[i] = (float)(middle + half * sin(2.0 * 3.14159265358979 * time / period));
    }
    if (hx_update(&command, &sensor) != hxOK) {
      continue; /* the reason is on stderr; a refused call takes an update period */
    }
    for (i = 0; time > 1.0 && i < hand.motor_count; ++i) {
      const double range = hand.motor_limit[i][1] - hand.motor_limit[i][0];
      const double error = fabs(sensor.motor_pos[i] - command.ref_pos[i]);
      if (range > 0.0 && error / range > worst) {
        worst = error / range;
      }
    }
    nanosleep(&pause, NULL);
  }
  printf("at %d.%09d s; farthest from its sine: %.1f %% of a range\n", sensor.time_stamp.sec, sensor.time_stamp.nsec, 100.0 * worst);
  return hx_close() == hxOK ? 0 : 1;
}
