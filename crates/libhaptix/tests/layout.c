/* Sizes and offsets of the structs on the x86-64 and aarch64 ABIs, as haptix-comm 0.9 has them. */
#include <haptix.h>
#include <stddef.h>

#define AT(type, field, offset) _Static_assert(offsetof(type, field) == (offset), #type "." #field)

_Static_assert(sizeof(hxTime) == 8, "hxTime");
_Static_assert(sizeof(hxSensor) == 2056, "hxSensor");
_Static_assert(sizeof(hxCommand) == 660, "hxCommand");
_Static_assert(sizeof(hxRobotInfo) == 532, "hxRobotInfo");
_Static_assert(sizeof(hxResult) == 4 && hxOK == 0 && hxERROR == 1, "hxResult");
_Static_assert(hxMAXMOTOR == 32 && hxMAXJOINT == 32 && hxMAXCONTACTSENSOR == 32 && hxMAXIMU == 32, "lengths");

AT(hxTime, sec, 0);
AT(hxTime, nsec, 4);

AT(hxSensor, time_stamp, 0);
AT(hxSensor, motor_pos, 8);
AT(hxSensor, motor_vel, 136);
AT(hxSensor, motor_torque, 264);
AT(hxSensor, joint_pos, 392);
AT(hxSensor, joint_vel, 520);
AT(hxSensor, contact, 648);
AT(hxSensor, imu_linear_acc, 776);
AT(hxSensor, imu_angular_vel, 1160);
AT(hxSensor, imu_orientation, 1544);

AT(hxCommand, ref_pos, 0);
AT(hxCommand, ref_pos_enabled, 128);
AT(hxCommand, ref_vel, 132);
AT(hxCommand, ref_vel_enabled, 260);
AT(hxCommand, ref_vel_max, 264);
AT(hxCommand, ref_vel_max_enabled, 392);
AT(hxCommand, gain_pos, 396);
AT(hxCommand, gain_pos_enabled, 524);
AT(hxCommand, gain_vel, 528);
AT(hxCommand, gain_vel_enabled, 656);

AT(hxRobotInfo, motor_count, 0);
AT(hxRobotInfo, joint_count, 4);
AT(hxRobotInfo, contact_sensor_count, 8);
AT(hxRobotInfo, imu_count, 12);
AT(hxRobotInfo, motor_limit, 16);
AT(hxRobotInfo, joint_limit, 272);
AT(hxRobotInfo, update_rate, 528);

int main(void) { return 0; }
