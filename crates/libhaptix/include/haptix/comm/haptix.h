/*
 * The HAPTIX API for programs in C, over ROS 2: libhaptix of Steersman. Licence: Apache-2.0.
 *
 * Names, fields and layout are those of haptix-comm 0.9, so programs that were written for it compile and run unchanged.
 * The hand is the ROS node `haptix`; how to run one: docs/haptix_programs.md.
 *
 * All functions may be called from any thread, also at the same time. A call takes 1000 ms at most, hx_connect 5 s.
 */
#ifndef STEERSMAN_HAPTIX_COMM_HAPTIX_H
#define STEERSMAN_HAPTIX_COMM_HAPTIX_H

#ifdef __cplusplus
extern "C" {
#endif

/* The lengths of the arrays. Only as many entries as hxRobotInfo counts are used; the others are 0 when read, ignored when
 * written, and need not be initialised. */
#define hxMAXMOTOR 32
#define hxMAXJOINT 32
#define hxMAXCONTACTSENSOR 32
#define hxMAXIMU 32

/* How a call ended; hx_last_result has the reason of an error. */
typedef enum { hxOK = 0, hxERROR = 1 } hxResult;

/* A time of the device, which may be simulated: seconds, and nanoseconds from 0 to 999999999. */
struct _hxTime {
  int sec;
  int nsec;
};
typedef struct _hxTime hxTime;

/* What the hand consists of; constant. */
struct _hxRobotInfo {
  int motor_count;
  int joint_count;
  int contact_sensor_count;
  int imu_count;
  float motor_limit[hxMAXMOTOR][2]; /* least and greatest position of each motor [rad] */
  float joint_limit[hxMAXJOINT][2]; /* the same for each joint [rad] */
  float update_rate;                /* how often the device takes commands and renews its reading [Hz] */
};
typedef struct _hxRobotInfo hxRobotInfo;

/* A reading. All motor_* have one order, all joint_* another, all imu_* a third. */
struct _hxSensor {
  hxTime time_stamp;                     /* when it was taken */
  float motor_pos[hxMAXMOTOR];           /* never outside motor_limit [rad] */
  float motor_vel[hxMAXMOTOR];           /* [rad/s] */
  float motor_torque[hxMAXMOTOR];        /* that the device applies [N m] */
  float joint_pos[hxMAXJOINT];           /* [rad] */
  float joint_vel[hxMAXJOINT];           /* [rad/s] */
  float contact[hxMAXCONTACTSENSOR];     /* normal force, 0 or more [N] */
  float imu_linear_acc[hxMAXIMU][3];     /* acceleration less gravity in the unit's frame, x y z: +9.81 upwards at rest [m/s^2] */
  float imu_angular_vel[hxMAXIMU][3];    /* in the unit's frame, x y z [rad/s] */
  float imu_orientation[hxMAXIMU][4];    /* w x y z; (1, 0, 0, 0) while the device has no estimate */
};
typedef struct _hxSensor hxSensor;

/* What the motors shall do. Each group has a flag for all of its entries: 1 sets it, with any other number the group keeps the values
 * that it was last given. A NaN or an infinity in an entry that is used refuses the whole command.
 * torque = gain_pos * (ref_pos - position) + gain_vel * (ref_vel - velocity), within the motor's own limit. */
struct _hxCommand {
  float ref_pos[hxMAXMOTOR]; /* position; clamped to motor_limit [rad] */
  int ref_pos_enabled;
  float ref_vel[hxMAXMOTOR]; /* velocity [rad/s] */
  int ref_vel_enabled;
  float ref_vel_max[hxMAXMOTOR]; /* greatest speed of the reference; 0 or less for none [rad/s] */
  int ref_vel_max_enabled;
  float gain_pos[hxMAXMOTOR]; /* 0 or more [N m/rad] */
  int gain_pos_enabled;
  float gain_vel[hxMAXMOTOR]; /* 0 or more [N m s/rad] */
  int gain_vel_enabled;
};
typedef struct _hxCommand hxCommand;

/* Waits until the hand is found, for 5 s at most; succeeds also without one. Host and port are ignored: ROS finds the hand. The other
 * functions connect by themselves: the first call of a connection has as long, each other one waits for 1000 ms at most. A call that the
 * hand refuses returns after about one of its update periods. */
hxResult hx_connect(const char *host, int port);

/* Ends the connection. The hand goes on until its time-out; a later call connects again. An error while another thread is in a call for
 * more than 1000 ms. */
hxResult hx_close(void);

/* What the hand consists of; all 0 on an error. */
hxResult hx_robot_info(hxRobotInfo *info);

/* Gives a command and reads. The reading is the latest one: it does not show the effect of the command yet. All 0 on an error. It does
 * not wait for the device's next update, unless HAPTIX_WAIT_FOR_TICK is 1 in the environment. */
hxResult hx_update(const hxCommand *command, hxSensor *sensor);

/* Reads; the sensor is left as it is on an error. */
hxResult hx_read_sensors(hxSensor *sensor);

/* The reason of the last error of this process; never NULL, empty before the first one, and not cleared by a success. The text stays
 * until the same thread asks again. */
const char *hx_last_result(void);

#ifdef __cplusplus
}
#endif

#endif
